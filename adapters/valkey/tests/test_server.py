"""What a server expects of a module: access, key positions, documentation, events, transactions, scripts, limits, INFO."""
import subprocess

import pytest
import redis
from conftest import BINARIES, MODULE, Server


def test_keys_are_found_in_every_command(r):
    def keys(*words):
        return r.execute_command("COMMAND GETKEYS", *words)
    assert keys("BF.MADD", "k", "a", "b") == ["k"]
    assert keys("CMS.MERGE", "d", 2, "a", "b", "WEIGHTS", 1, 2) == ["d", "a", "b"]
    assert keys("INK.MERGE", "d", "a", "b") == ["d", "a", "b"]
    assert keys("INK.DISTINCT", "a", "b", "c") == ["a", "b", "c"]
    assert keys("INK.OVERLAP", "a", "b") == ["a", "b"]


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


def test_writes_are_refused_when_the_server_is_out_of_memory(r):
    r.execute_command("BF.ADD", "f", "x")
    r.config_set("maxmemory", 1)
    with pytest.raises(redis.OutOfMemoryError):
        r.execute_command("BF.ADD", "f", "y")
    assert r.execute_command("BF.EXISTS", "f", "x") == 1
    r.config_set("maxmemory", 0)


def test_info_reports_version_memory_and_limits(r):
    r.execute_command("BF.RESERVE", "f", "0.01", "1000000", "NONSCALING")
    said = r.info("everything")
    assert said["inkling_compatible_commands"] == "yes" and said["inkling_memory_bytes"] > 1000000
    assert said["inkling_max_bytes"] == 128 << 20


@pytest.mark.parametrize("arguments, families, module", [
    ("", True, "inkling"), ("commands native", False, "inkling"), ("name bf", True, "bf"),
    ("commands all name bf", True, "bf")])
def test_arguments_choose_families_and_name(server_name, tmp_path, arguments, families, module):
    server = Server(server_name, tmp_path / "named", arguments=arguments)
    r = server.client()
    known = {one[b"name"] if isinstance(one, dict) else one[1]: one for one in r.module_list()}
    assert (b"bf.add" in map(str.encode, r.command())) == families and module.encode() in known
    assert module != "bf" or 20400 in (known[b"bf"][b"ver"] if isinstance(known[b"bf"], dict) else known[b"bf"][3],)
    server.close()


@pytest.mark.parametrize("arguments", ["something 1", "max-bytes x", "commands most", "name", "max-bytes"])
def test_bad_arguments_are_named_in_the_log(server_name, tmp_path, arguments):
    done = subprocess.run([BINARIES[server_name], "--port", "0", "--unixsocket", "s", "--loadmodule", MODULE, *arguments.split(), "--save", ""],
                          cwd=tmp_path, capture_output=True, timeout=20, check=False)
    assert done.returncode != 0
    assert "expected max-bytes BYTES, total-bytes BYTES, commands auto|all|native or name NAME" in done.stdout.decode()
