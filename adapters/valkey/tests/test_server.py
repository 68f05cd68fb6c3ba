"""What a server expects of a module: access, key positions, documentation, events, transactions, scripts, limits, INFO."""
import os
import random
import subprocess

import conftest
import pytest
import redis
from conftest import BINARIES, MODULE, SEED, Server, digests, fill


def test_keys_are_found_in_every_command(r):
    def keys(*words):
        return r.execute_command("COMMAND GETKEYS", *words)
    assert keys("BF.MADD", "k", "a", "b") == ["k"]
    assert keys("CMS.MERGE", "d", 2, "a", "b", "WEIGHTS", 1, 2) == ["d", "a", "b"]
    assert keys("INK.MERGE", "d", "a", "b") == ["d", "a", "b"]
    assert keys("INK.DISTINCT", "a", "b", "c") == ["a", "b", "c"]
    assert keys("INK.OVERLAP", "a", "b") == ["a", "b"]


FLAGS = [  # of the keys of a command; in a cluster and for users with rights to some keys they decide
    ("BF.EXISTS k x", [("k", "RO access")]), ("BF.ADD k x", [("k", "RW insert")]), ("CF.DEL k x", [("k", "RW delete")]),
    ("INK.SET k x", [("k", "OW update")]), ("INK.SETCHUNK k 0 1 x", [("k", "OW update")]), ("INK.FOLD k 1", [("k", "RW update")]),
    ("INK.REMOVE k x", [("k", "RW delete")]), ("INK.GET k", [("k", "RO access")]), ("INK.ADD k x", [("k", "RW insert")]),
    ("CMS.MERGE d 2 a b", [("d", "RW update"), ("a", "RO access"), ("b", "RO access")]),
    ("INK.MERGE d a b", [("d", "RW insert"), ("a", "RO access"), ("b", "RO access")]),
    ("INK.DISTINCT a b", [("a", "RO access"), ("b", "RO access")]), ("INK.OVERLAP a b", [("a", "RO access"), ("b", "RO access")])]


def test_keys_have_their_flags(r):
    for words, expected in FLAGS:
        found = r.execute_command("COMMAND GETKEYSANDFLAGS", *words.split())
        assert [(key.decode(), sorted(flag.decode() for flag in flags)) for key, flags in found] == \
            [(key, sorted(flags.split())) for key, flags in expected], words


def test_arguments_are_documented_as_they_are_read(r):
    def shown(arguments):
        """Each argument as in a synopsis."""
        words = []
        for one in arguments:
            one = dict(zip(one[::2], one[1::2]))
            flags = {flag.decode() for flag in one.get(b"flags", [])}
            kind, name = one[b"type"].decode(), one[b"name"].decode()
            word = shown(one[b"arguments"]) if kind == "block" else f"{name}:{kind}" if kind != "pure-token" else one[b"token"].decode()
            if b"token" in one and kind != "pure-token":
                word = f"{one[b'token'].decode()} {word}"
            word += "..." if "multiple" in flags else ""
            words.append(f"[{word}]" if "optional" in flags else f"({word})" if kind == "block" else word)
        return " ".join(words)
    for name, expected in [
            ("bf.insert", "key:key [CAPACITY capacity:string] [ERROR rate:string] [EXPANSION expansion:string] [NOCREATE] [NONSCALING] "
             "ITEMS item:string..."),
            ("cms.incrby", "key:key (item:string increment:string...)"), ("topk.list", "key:key [WITHCOUNT]"),
            ("cms.merge", "key:key count:string source:key... [WEIGHTS weight:string...]"),
            ("ink.create", "key:key kind:string [option:string value:string...]"), ("ink.get",
             "key:key [OFFSET offset:string] [COUNT count:string] [GENERATION generation:string]")]:
        fields = r.execute_command("COMMAND DOCS", name)[1]
        assert shown(dict(zip(fields[::2], fields[1::2]))[b"arguments"]) == expected


def test_every_command_is_documented(r):
    names = [name for name in r.command() if name.split(".")[0] in ("ink", "bf", "cms", "topk", "cf")]
    assert len(names) > 40
    for name in names:
        fields = r.execute_command("COMMAND DOCS", name)[1]
        fields = dict(zip(fields[::2], fields[1::2]))
        assert fields[b"summary"] and fields[b"complexity"] and fields[b"arguments"], name


def test_users_get_what_their_categories_allow(server_name, r):
    r.execute_command("ACL", "SETUSER", "reader", "on", "nopass", "~f*", "+@read")
    r.execute_command("BF.ADD", "f", "x")
    with redis.Redis(unix_socket_path=r.connection_pool.connection_kwargs["path"], username="reader",
                     password="x") as reader:
        for words in (["BF.ADD", "f", "y"], ["BF.EXISTS", "other", "x"], ["INK.SET", "f", "x"]):
            with pytest.raises(redis.ResponseError, match="(?i)permission|NOPERM"):
                reader.execute_command(*words)
        if server_name == "redis7":  # commands of modules are in no category there
            with pytest.raises(redis.ResponseError, match="(?i)permission"):
                reader.execute_command("BF.EXISTS", "f", "x")
        else:
            assert reader.execute_command("BF.EXISTS", "f", "x") == 1
    r.execute_command("ACL", "DELUSER", "reader")


def test_categories_have_the_commands_of_their_families(server_name, r):
    if server_name == "redis7":  # commands of modules are in no category there
        return
    commands = {name: about for name, about in r.command().items() if name.split(".")[0] in ("ink", "bf", "cms", "topk", "cf")}
    expected = {category: {name for name in commands if name.split(".")[0] == prefix}
                for category, prefix in (("ink", "ink"), ("bloom", "bf"), ("cms", "cms"), ("topk", "topk"), ("cuckoo", "cf"))}
    expected["write"] = {name for name, about in commands.items() if "write" in about["flags"]}
    expected["read"] = commands.keys() - expected["write"]
    assert "bf.add" in expected["write"] and {"bf.exists", "cms.info", "ink.get"} <= expected["read"]
    for category, names in expected.items():
        r.execute_command("ACL", "SETUSER", "one", "reset", "on", "~*", f"+@{category}")
        allowed = {name for name, about in commands.items()
                   if r.execute_command("ACL", "DRYRUN", "one", name, *["1"] * (abs(about["arity"]) - 1)) == b"OK"}
        assert allowed == names, category
    r.execute_command("ACL", "DELUSER", "one")


EVENTS = """BF.RESERVE r 0.1 9; BF.ADD f x; BF.MADD f y z; BF.INSERT f ITEMS w; BF.INSERT g ITEMS w; CMS.INITBYDIM c 9 9; CMS.INITBYPROB p 0.1 0.1
CMS.INCRBY c x 1; CMS.INCRBY c x 1 y 2; CMS.MERGE c 1 c; TOPK.RESERVE t 5; TOPK.ADD t x; TOPK.INCRBY t x 5; CF.RESERVE u 9; CF.ADD u x; CF.ADDNX u y
CF.INSERT u ITEMS z; CF.INSERTNX u ITEMS w; CF.INSERTNX u ITEMS v z; CF.DEL u w; INK.CREATE h counting n 1000; INK.ADD h x; INK.ADDW h y 2; INK.REMOVE h x; INK.MERGE h h2
INK.FOLD h 0.9; INK.SETCHUNK s 0 9 x"""


def test_every_change_is_an_event_of_its_name(r):
    r.config_set("notify-keyspace-events", "KEd")
    r.execute_command("INK.CREATE", "h2", "counting", "n", 1000)
    file = r.execute_command("INK.GET", "h2")
    events = r.pubsub()
    events.psubscribe("__keyevent@0__:*")
    commands = [line.split() for line in EVENTS.replace("\n", ";").split(";")] + [["INK.SET", "i", file]]
    for words in commands:
        r.execute_command(*words)
    r.execute_command("BF.ADD", "dumped", "x")
    r.execute_command("BF.LOADCHUNK", "loaded", *r.execute_command("BF.SCANDUMP", "dumped", 0))
    r.publish("__keyevent@0__:end", "")
    seen = []
    while not seen or seen[-1] != ("end", ""):
        message = events.get_message(timeout=5)
        if message["type"] == "pmessage":
            seen.append((message["channel"].split(b":")[-1].decode(), message["data"].decode()))
    events.close()
    r.config_set("notify-keyspace-events", "")
    assert seen[:-3] == [(words[0].lower(), words[1]) for words in commands]
    assert seen[-3:] == [("bf.add", "dumped"), ("bf.loadchunk", "loaded"), ("end", "")]


def test_changes_are_events_and_wake_watchers_only_if_there_is_one(r):
    r.config_set("notify-keyspace-events", "KEd")
    events = r.pubsub()
    events.psubscribe("__keyevent@0__:*")
    for words in (["BF.ADD", "f", "x"], ["BF.ADD", "f", "x"], ["INK.CREATE", "h", "hll"], ["INK.ADD", "h", "a"],
                  ["CF.ADD", "c", "x"], ["CF.DEL", "c", "x"], ["CF.DEL", "c", "x"]):
        r.execute_command(*words)
    r.publish("__keyevent@0__:end", "")
    seen = []
    while not seen or seen[-1] != b"__keyevent@0__:end":
        message = events.get_message(timeout=5)
        if message["type"] == "pmessage":
            seen.append(message["channel"])
    events.close()
    r.config_set("notify-keyspace-events", "")
    assert [name.split(b":")[-1] for name in seen] == [b"bf.add", b"ink.create", b"ink.add", b"cf.add", b"cf.del", b"end"]
    for item, changed in (("x", False), ("new", True)):
        with r.pipeline() as transaction:
            transaction.watch("f")
            r.execute_command("BF.ADD", "f", item)
            transaction.multi()
            transaction.execute_command("BF.CARD", "f")
            if changed:
                with pytest.raises(redis.WatchError):
                    transaction.execute()
            else:
                assert transaction.execute() == [1]


def test_transactions_and_scripts(r):
    with r.pipeline() as transaction:
        transaction.execute_command("BF.ADD", "f", "x")
        transaction.execute_command("INK.CREATE", "h", "hll")
        transaction.execute_command("INK.MERGE", "all", "h")
        assert transaction.execute() == [1, b"OK", b"OK"]
    assert r.eval("redis.setresp(3); return redis.call('BF.EXISTS', KEYS[1], 'x')", 1, "f") == 1
    r.execute_command("INK.CREATE", "b", "bloom", "n", 1000)
    assert r.eval("return redis.call('INK.FOLD', KEYS[1], 0.5)", 1, "b") > 1


def test_expiry_stays_where_a_value_is_replaced_by_a_merge(r):
    r.execute_command("INK.CREATE", "a", "hll")
    r.execute_command("INK.CREATE", "b", "hll")
    r.expire("a", 1000)
    r.execute_command("INK.MERGE", "a", "b")
    assert 900 < r.ttl("a") <= 1000


def test_limits_hold_before_anything_is_taken(start):
    server = start("limits", arguments="max-bytes 10mb total-bytes 20mb")
    r = server.client()
    before = r.info("memory")["used_memory"]
    for words in (["BF.RESERVE", "f", "0.001", "100000000"], ["BF.RESERVE", "f", "0.001", "100000000", "NONSCALING"],
                  ["INK.CREATE", "f", "bloom", "n", "1e9"], ["CMS.INITBYDIM", "f", "100000000", "5"],
                  ["CF.RESERVE", "f", "100000000"],
                  ["INK.SETCHUNK", "f", "0", "1000000000", "x"]):
        with pytest.raises(redis.ResponseError, match="a key may take 10485760 bytes: inkling.max-bytes"):
            r.execute_command(*words)
    assert r.dbsize() == 0 and r.info("memory")["used_memory"] < before + 500000
    for i in (1, 2):
        r.execute_command("BF.RESERVE", f"f{i}", "0.001", "3000000", "NONSCALING")
    with pytest.raises(redis.ResponseError, match="inkling.total-bytes"):
        for i in (3, 4, 5):
            r.execute_command("BF.RESERVE", f"f{i}", "0.001", "3000000", "NONSCALING")
    r.config_set("inkling.max-bytes", "1gb")
    r.config_set("inkling.total-bytes", 0)
    assert r.execute_command("BF.RESERVE", "large", "0.001", "100000000", "NONSCALING") == b"OK"
    assert r.config_get("inkling.*") == {"inkling.max-bytes": str(1 << 30), "inkling.total-bytes": "0"}


def test_limits_hold_after_what_was_written_out(r):
    """Which takes memory whatever the limits are."""
    r.execute_command("BF.RESERVE", "f", "0.01", 100000, "NONSCALING")
    r.config_set("inkling.max-bytes", 1000)
    r.config_set("inkling.total-bytes", 1000)
    try:
        head = r.execute_command("BF.SCANDUMP", "f", 0)[1]
        for write in (lambda: r.execute_command("INK.GET", "f"), lambda: r.dump("f"), lambda: r.execute_command("BF.SCANDUMP", "f", 0)):
            assert write()
            for words in (["BF.RESERVE", "g", "0.01", 1000000], ["INK.CREATE", "g", "hll"], ["BF.LOADCHUNK", "g", 1, head]):
                with pytest.raises(redis.ResponseError, match="inkling.(max|total)-bytes"):
                    r.execute_command(*words)
            with pytest.raises(redis.ResponseError, match="received bad data"):
                r.execute_command("BF.LOADCHUNK", "g", 1, "nonsense")
    finally:
        r.config_set("inkling.max-bytes", 128 << 20)
        r.config_set("inkling.total-bytes", 0)


def test_large_values_are_freed_in_a_thread(r):
    for capacity, freed in ((10, 0), (1000000, 1)):
        r.execute_command("BF.RESERVE", "f", "0.01", capacity, "NONSCALING")
        before = r.info("memory")["lazyfreed_objects"]
        r.unlink("f")
        while r.info("memory")["lazyfree_pending_objects"]:
            pass
        assert r.info("memory")["lazyfreed_objects"] - before == freed, capacity


def test_what_is_known_is_no_change(r):
    """The generation of a value, which clients of pieces compare, is another one after a change alone."""
    for words in ("BF.RESERVE f 0.01 100", "BF.MADD f x y", "BF.RESERVE full 0.01 1 NONSCALING", "BF.ADD full x", "INK.CREATE b bloom n 100", "INK.ADD b x y",
                  "CF.ADD c x", "INK.CREATE h hll", "INK.ADD h x", "INK.CREATE i counting n 100", "TOPK.RESERVE t 2",
                  "CF.RESERVE most 10", "INK.ADDW most z 4096"):
        r.execute_command(*words.split())

    def generation(key):
        return r.execute_command("INK.GET", key, "COUNT", 0)[1]
    for words, changes in (("BF.ADD f x", False), ("BF.MADD f x y", False), ("BF.INSERT f ITEMS y x", False), ("BF.MADD full x new", False), ("INK.ADD b x y", False),
                           ("CF.ADDNX c x", False), ("CF.INSERTNX c ITEMS x", False), ("CF.INSERT most ITEMS y", False), ("CF.DEL c y", False), ("INK.CONTAINS b x", False), ("BF.MADD f x z", True),
                           ("INK.ADD b x z", True), ("CF.DEL c x", True), ("INK.ADD h x", True), ("INK.ADD i x", True), ("TOPK.ADD t x", True)):
        key = words.split()[1]
        before = generation(key)
        r.execute_command(*words.split())
        assert (generation(key) != before) == changes, words


def test_numbers_have_up_to_63_bytes_and_no_nul(r):
    assert r.execute_command("BF.RESERVE", "f", "0.5".ljust(63, "0"), 10) == b"OK"
    for rate in ("0.5".ljust(64, "0"), b"0.5\0", b"0.5\0x", b"\x000.5"):
        with pytest.raises(redis.ResponseError, match="bad error rate"):
            r.execute_command("BF.RESERVE", "g", rate, 10)
    for hash in (b"xxh3\0", b"xxh3\0x"):
        with pytest.raises(redis.ResponseError, match="an option with a value that is no number"):
            r.execute_command("INK.CREATE", "g", "hll", "hash", hash)
    for word in ("EXPANSIONS", "EXPANS", b"EXPANSION\0"):
        with pytest.raises(redis.ResponseError, match="wrong number of arguments"):
            r.execute_command("BF.RESERVE", "g", "0.5", 10, word, 3)


def test_a_union_above_the_promise_is_counted_but_not_made(r):
    for key in "abc":
        r.execute_command("INK.CREATE", key, "bloom", "n", 1000)
        r.execute_command("INK.ADD", key, *(f"{key}{i}" for i in range(1000)))
    with pytest.raises(redis.ResponseError, match="rate"):
        r.execute_command("INK.MERGE", "a", "b", "c")
    assert 2700 < r.execute_command("INK.DISTINCT", "a", "b", "c")[1] < 3300


def test_bounds_of_shares_enclose_them(r):
    for key, items in (("a", range(3000)), ("b", range(2000, 4000))):
        r.execute_command("INK.CREATE", key, "theta", "precision", 6)
        r.execute_command("INK.ADD", key, *items)
    found = r.execute_command("INK.OVERLAP", "a", "b")
    found = dict(zip(found[::2], found[1::2]))
    for name, truth in ((b"jaccard", 0.25), (b"a_in_b", 1 / 3), (b"b_in_a", 0.5)):
        share = {field: float(value) for field, value in zip(found[name][::2], found[name][1::2])}
        assert 0 <= share[b"low"] < share[b"estimate"] < share[b"high"] <= 1 and share[b"low"] < truth < share[b"high"], name


@pytest.mark.parametrize("given, found", [("max-bytes 3kb total-bytes 2GB", (3 << 10, 2 << 30)), ("MAX-BYTES 5b total-bytes 1tb", (5, 1 << 40)),
                                          ("max-bytes 7", (7, 0)), ("total-bytes 8mb", (128 << 20, 8 << 20))])
def test_limits_have_units(start, given, found):
    r = start("units", arguments=given).client()
    assert r.config_get("inkling.*") == {"inkling.max-bytes": str(found[0]), "inkling.total-bytes": str(found[1])}
    said = r.info("everything")
    assert (said["inkling_max_bytes"], said["inkling_total_bytes"]) == found


def test_a_filter_grows_to_what_its_levels_take(r):
    r.execute_command("BF.RESERVE", "f", 0.01, 5000)
    for at in range(0, 30000, 5000):
        r.execute_command("BF.MADD", "f", *range(at, at + 5000))
    fields = r.execute_command("BF.INFO", "f")
    fields = dict(zip(fields[::2], fields[1::2]))
    assert fields[b"Number of filters"] == 3 and fields[b"Capacity"] == 5000 + 10000 + 20000
    assert 29000 < fields[b"Number of items inserted"] == r.execute_command("BF.CARD", "f") <= 30000


def test_a_top_answers_ten_unless_asked_for_more(r):
    r.execute_command("INK.CREATE", "t", "top", "k", 50)
    r.execute_command("INK.ADDW", "t", *(word for i in range(30) for word in (i, i + 1)))
    def items(*k):
        return [int(dict(zip(item[::2], item[1::2]))[b"item"]) for item in r.execute_command("INK.TOP", "t", *k)]
    assert items() == list(range(29, 19, -1)) and items(3) == [29, 28, 27] and items(1000) == list(range(29, -1, -1))
    r.execute_command("INK.ADDW", "t", *(word for i in range(30, 3000) for word in (i, i + 1)))
    assert items(1 << 40) == list(range(2999, -1, -1))  # it keeps up to twice its capacity of 1600


def test_many_counts_at_once(r):
    """More than are asked of a sketch at a time."""
    r.execute_command("INK.CREATE", "i", "top", "k", 50, "key-type", "int")
    r.execute_command("INK.ADDW", "i", *(word for i in range(150) for word in (i, i + 1)))
    counts = [dict(zip(answer[::2], answer[1::2])) for answer in r.execute_command("INK.COUNT", "i", *range(150))]
    assert [(count[b"low"], count[b"high"]) for count in counts] == [(i + 1, i + 1) for i in range(150)]


def test_a_filter_stops_growing_at_the_limit_and_lives(start):
    r = start("growth", arguments="max-bytes 1mb").client()
    with pytest.raises(redis.ResponseError, match="max-bytes"):
        for at in range(0, 2000000, 1000):
            r.execute_command("BF.MADD", "f", *range(at, at + 1000))
    card = r.execute_command("BF.CARD", "f")
    assert card > 100000 and sum(r.execute_command("BF.MEXISTS", "f", *range(1000))) == 1000
    r.execute_command("DEBUG", "RELOAD")
    r.config_set("inkling.max-bytes", 1000)
    r.execute_command("DEBUG", "RELOAD")  # what is there is loaded, whatever the limit is now
    assert r.execute_command("BF.CARD", "f") == card


WRITES = ["BF.ADD bf y", "BF.MADD bf y z", "BF.INSERT new ITEMS y", "BF.RESERVE new 0.01 100", "CMS.INCRBY cms y 1", "CMS.INITBYDIM new 9 9",
          "CMS.MERGE cms 1 cms", "TOPK.ADD topk y", "TOPK.INCRBY topk y 5", "TOPK.RESERVE new 5", "CF.ADD cf y", "CF.INSERT cf ITEMS y",
          "CF.RESERVE new 100", "INK.CREATE new hll", "INK.ADD ink:hll:0 y", "INK.ADDW ink:top:2 y 5", "INK.MERGE new ink:hll:0",
          "INK.FOLD ink:bloom:2 0.5", "INK.SET new x", "INK.SETCHUNK new 0 9 x"]


def test_writes_are_refused_when_the_server_is_out_of_memory(r):
    keys = fill(r)
    before = digests(r, *keys)
    r.config_set("maxmemory", 1)
    for words in WRITES:
        with pytest.raises(redis.OutOfMemoryError):
            r.execute_command(*words.split())
    assert r.execute_command("BF.EXISTS", "bf", "k7") == 1 and r.execute_command("CF.DEL", "cf", "k7") == 1
    r.config_set("maxmemory", 0)
    r.execute_command("CF.ADD", "cf", "k7")
    after = digests(r, *keys)
    changed = {key for key, old, new in zip(keys, before, after) if old != new}
    assert r.dbsize() == len(keys) and changed <= {b"cf"}  # which counts what is taken out


def test_random_words_are_answered_and_nothing_else(server, r):
    rng = random.Random(SEED)
    keys = fill(r)
    names = [name for name in r.command() if name.split(".")[0] in ("ink", "bf", "cms", "topk", "cf")]
    words = [*keys, *(word for line in WRITES for word in line.split()[1:]), "0", "-1", "1e18", "9223372036854775807", "18446744073709551615",
             "0.5", "nan", "", "\x00", b"\xff" * 70, "WEIGHTS", "CAPACITY", "ERROR", "EXPANSION", "NONSCALING", "ITEMS", "OFFSET", "COUNT",
             "GENERATION", "HEAD", "WITHCOUNT", "hll", "bloom", "classic", "scalable", "count-min", "n", "p", "eps", "k", "hash", "mmh3"]
    answers = 0
    for _ in range(8000):
        name = rng.choice(names)
        try:
            r.execute_command(name, *rng.choices(words, k=rng.choice([1, 2, 2, 3, 3, 4, 5, 8])))
            answers += 1
        except redis.ResponseError:
            pass
        if rng.randrange(100) == 0:
            r.delete(*rng.sample(keys, 3))
            fill_some(r)
    assert answers > 400 and r.ping() and server.process.poll() is None
    digests(r)
    r.execute_command("DEBUG", "RELOAD")


def fill_some(r):
    """What is gone is there again."""
    r.execute_command("BF.ADD", "bf", "x")
    for words in ("CMS.INITBYDIM cms 9 9", "TOPK.RESERVE topk 5", "CF.ADD cf x", "INK.CREATE ink:hll:0 hll", "INK.CREATE ink:top:2 top"):
        try:
            r.execute_command(*words.split())
        except redis.ResponseError:
            pass  # it is there


def test_info_reports_version_memory_and_limits(r):
    r.execute_command("BF.RESERVE", "f", "0.01", "1000000", "NONSCALING")
    said = r.info("everything")
    assert said["inkling_compatible_commands"] == "yes" and said["inkling_memory_bytes"] > 1000000
    r.delete("f")
    assert r.info("everything")["inkling_memory_bytes"] < 1000
    assert said["inkling_max_bytes"] == 128 << 20


@pytest.mark.parametrize("arguments, families, module", [
    ("", True, "inkling"), ("commands native", False, "inkling"), ("name bf", True, "bf"),
    ("commands all name bf", True, "bf")])
def test_arguments_choose_families_and_name(server_name, tmp_path, arguments, families, module):
    server = Server(server_name, tmp_path / "named", arguments=arguments)
    r = server.client()
    known = {one[b"name"] if isinstance(one, dict) else one[1]: one for one in r.module_list()}
    assert (b"bf.add" in map(str.encode, r.command())) == families and module.encode() in known
    assert r.info("everything")[f"{module}_compatible_commands"] == ("yes" if families else "no")
    assert module != "bf" or 20400 in (known[b"bf"][b"ver"] if isinstance(known[b"bf"], dict) else known[b"bf"][3],)
    server.close()


OTHER = r"""
typedef int command(void *ctx, void **argv, int argc);
static int add(void *ctx, void **argv, int argc) { return 0; }
int RedisModule_OnLoad(void *ctx, void **argv, int argc)
{
    int (*find)(const char *, void *) = *(int (**)(const char *, void *))ctx;
    void (*name)(void *, const char *, int, int);
    int (*create)(void *, const char *, command *, const char *, int, int, int);
    if (find("RedisModule_SetModuleAttribs", &name) != 0 || find("RedisModule_CreateCommand", &create) != 0)
        return 1;
    name(ctx, "other", 1, 1);
    return create(ctx, "bf.add", add, "readonly", 1, 1, 1);
}
"""


@pytest.mark.parametrize("arguments, starts", [("", True), ("commands native", True), ("commands all", False)])
def test_commands_of_another_module_are_left_to_it(start, monkeypatch, tmp_path, arguments, starts):
    (tmp_path / "other.c").write_text(OTHER)
    subprocess.run([*os.environ.get("CC", "cc").split(), "-shared", "-fPIC", "-o", tmp_path / "other.so", tmp_path / "other.c"], check=True)
    monkeypatch.setattr(conftest, "MODULE", f"{tmp_path}/other.so\nloadmodule {MODULE}")  # loaded before
    if not starts:
        with pytest.raises(AssertionError, match="the server refused a command"):
            start("beside", arguments=arguments)
        return
    server = start("beside", arguments=arguments)
    r = server.client()
    assert {name for name in r.command() if name.split(".")[0] in ("bf", "cms", "topk", "cf")} == {"bf.add"}
    assert r.info("everything")["inkling_compatible_commands"] == "no" and r.execute_command("INK.CREATE", "h", "hll") == b"OK"
    assert ("another module has bf.add: BF.*, CMS.*, TOPK.* and CF.* are left to it" in server.said()) == (arguments == "")


@pytest.mark.parametrize("arguments", ["something 1", "max-bytes x", "commands most", "name", "max-bytes", "max-bytes -1", "total-bytes 5pb",
                                       "max-bytes 9000000tb", "name " + 32 * "x"])
def test_bad_arguments_are_named_in_the_log(server_name, tmp_path, arguments):
    done = subprocess.run([BINARIES[server_name], "--port", "0", "--unixsocket", "s", "--loadmodule", MODULE, *arguments.split(), "--save", ""],
                          cwd=tmp_path, capture_output=True, timeout=20, check=False)
    assert done.returncode != 0
    assert "expected max-bytes BYTES, total-bytes BYTES, commands auto|all|native or name NAME" in done.stdout.decode()
