"""A value in RDB, AOF, DUMP, COPY, on a replica, and as a file: the same value everywhere, or an error that names it."""
import json
import pathlib
import time

import pytest
import redis
from conftest import digests, fill
from redisbloom_chain import Chain


def crc64_of_byte(crc):
    for _ in range(8):
        crc = crc >> 1 ^ (0x95ac9329ac4bc9b5 if crc & 1 else 0)
    return crc


CRC64 = [crc64_of_byte(byte) for byte in range(256)]


def sealed(payload):
    """A payload of DUMP with its checksum, of Jones, made anew."""
    crc = 0
    for byte in payload[:-8]:
        crc = crc >> 8 ^ CRC64[(crc ^ byte) & 255]
    return bytes(payload[:-8]) + crc.to_bytes(8, "little")


def test_rdb_and_restart_keep_every_kind(start):
    server = start("rdb", 'save 3600 1')
    keys = fill(server.client())
    before = digests(server.client(), *keys)
    server.restart()
    assert digests(server.client(), *keys) == before
    assert server.client().execute_command("BF.CARD", "bf") == 300 and server.client().type("topk") == b"inksketch"


@pytest.mark.parametrize("preamble", ["yes", "no"])
def test_aof_and_its_rewrite_keep_every_kind(start, preamble):
    server = start("aof", 'save ""', "appendonly yes", "appendfsync always", f"aof-use-rdb-preamble {preamble}")
    client = server.client()
    keys = fill(client)
    client.execute_command("BF.LOADCHUNK", "begun", *client.execute_command("BF.SCANDUMP", "bf", 0))  # of which only the head has come
    keys = [*keys, b"begun"]
    before = digests(client, *keys)
    server.kill()
    server.start()
    client = server.client()
    assert digests(client, *keys) == before
    client.bgrewriteaof()
    while client.info("persistence")["aof_rewrite_in_progress"] or \
            client.info("persistence").get("aof_rewrite_scheduled"):
        time.sleep(0.02)
    client.execute_command("BF.ADD", "later", "x")
    before = digests(client)
    server.kill()
    server.start()
    assert digests(server.client()) == before


def test_dump_restore_and_copy_keep_every_kind(r):
    for key in fill(r):
        before = digests(r, key)
        r.execute_command("COPY", key, "copied")
        r.execute_command("RESTORE", "restored", 0, r.dump(key))
        assert digests(r, "copied", "restored") == 2 * before, key
        r.delete("copied", "restored")


def test_long_items_of_a_list_are_kept_and_given_back(r):
    items = [b"x" * size for size in (0, 1, 15, 16, 17, 300, 70000)]
    r.execute_command("TOPK.RESERVE", "t", len(items))
    r.execute_command("TOPK.ADD", "t", *items, b"y" * 5000, b"z" * 16)
    kept = r.execute_command("TOPK.LIST", "t", "WITHCOUNT")
    assert len(kept) == 2 * len(items) and set(kept[::2]) < {*items, b"y" * 5000, b"z" * 16}
    r.execute_command("COPY", "t", "copied")
    r.execute_command("RESTORE", "restored", 0, r.dump("t"))
    r.delete("t")
    for _ in range(2):
        for key in ("copied", "restored"):
            assert r.execute_command("TOPK.LIST", key, "WITHCOUNT") == kept
            assert r.execute_command("TOPK.QUERY", key, *kept[::2]) == [1] * len(items)
        r.execute_command("DEBUG", "RELOAD")
    r.execute_command("TOPK.INCRBY", "copied", *(word for item in items for word in (item + b"!", 50)))
    r.delete("copied", "restored")
    assert r.info("everything")["inkling_memory_bytes"] == 0


@pytest.mark.parametrize("ask", [["INK.GET", "f", "OFFSET", "{}", "COUNT", 500000], ["BF.SCANDUMP", "f", "{}"]], ids=lambda words: words[0])
def test_an_encoding_is_kept_until_its_last_byte_or_a_change(r, ask):
    def read(at):
        answer = r.execute_command(*(word.format(at) if word == "{}" else word for word in ask))
        return (at + len(answer[2]), len(answer[2]) == 500000) if ask[0] == "INK.GET" else (answer[0], answer[0] != 0)
    r.execute_command("BF.RESERVE", "f", 0.01, 2000000, "NONSCALING")
    before, at, more = r.memory_usage("f"), 0, True
    assert before > 2000000
    at, more = read(at)
    if ask[0] == "BF.SCANDUMP":
        at, more = read(at)
    assert r.memory_usage("f") > 2 * before - 100000
    while more:
        at, more = read(at)
    assert r.memory_usage("f") == before
    read(read(0)[0])
    r.execute_command("BF.ADD", "f", "x")
    assert r.memory_usage("f") == before


def test_a_copy_is_a_value_of_its_own(r):
    r.execute_command("BF.ADD", "a", "x")
    r.execute_command("COPY", "a", "b")
    r.execute_command("BF.ADD", "b", "y")
    assert (r.execute_command("BF.CARD", "a"), r.execute_command("BF.CARD", "b")) == (1, 2)


def test_damaged_payloads_are_refused_and_named(server, r):
    keys = fill(r)
    for key in keys:
        payload = bytearray(r.dump(key))
        for at in range(12, len(payload) - 10, max(1, len(payload) // 9)):
            changed = bytearray(payload)
            changed[at] ^= 0x41
            try:
                r.execute_command("RESTORE", "damaged", 0, sealed(changed))
            except redis.ResponseError as error:
                assert "Bad data format" in str(error)
            else:  # what is not covered by a checksum of its own, such as the settings of a client
                digests(r, "damaged")
                r.delete("damaged")
    assert "key 'damaged': " in server.said()


def test_a_newer_encoding_is_refused_with_one_line(server, r):
    r.execute_command("BF.ADD", "a", "x")
    payload = bytearray(r.dump("a"))
    assert payload[1] == 0x81  # the type and its version follow, in eight bytes
    payload[9] += 1
    with pytest.raises(redis.ResponseError):
        r.execute_command("RESTORE", "b", 0, sealed(payload))
    assert "a value of encoding version 2, expected at most 1" in server.said()


def test_a_server_does_not_start_with_a_damaged_value(start):
    server = start("damaged", "save 3600 1", "rdbchecksum no", "rdbcompression no")
    server.client().execute_command("INK.CREATE", "the-key", "bloom", "n", 10000)
    server.client().execute_command("INK.ADD", "the-key", *range(1000))
    server.client().save()
    server.kill()
    path = server.folder / "dump.rdb"
    data = bytearray(path.read_bytes())
    data[len(data) - 3000] ^= 1
    path.write_bytes(data)
    server.start(wait=False)
    server.process.wait(20)
    assert "key 'the-key': the checksum of " in server.said() and "Ready to accept" not in server.said()[-500:]


@pytest.mark.parametrize("make, add", [
    (["INK.CREATE", "{}", "bloom", "n", "1e6"], "INK.ADD"), (["INK.CREATE", "{}", "counting", "n", 20000], "INK.ADD"),
    (["CMS.INITBYDIM", "{}", 20000, 7], None), (["TOPK.RESERVE", "{}", 1000], "TOPK.ADD"),
    (["BF.RESERVE", "{}", "0.01", 1000], "BF.MADD")], ids=lambda value: value and value[0])
def test_memory_usage_is_what_the_server_takes(server, r, make, add):
    keys = [f"key:{i}" for i in range(100)]

    def fill_all(keys):
        with server.client() as client:  # whose buffers go with it
            for key in keys:
                client.execute_command(*(str(word).format(key) for word in make))
                if add:
                    client.execute_command(add, key, *range(600))
    fill_all(keys[:3])
    r.delete(*keys)
    while r.info("memory")["lazyfree_pending_objects"]:
        pass
    before = r.info("memory")["used_memory"]
    fill_all(keys)
    taken = r.info("memory")["used_memory"] - before
    assert sum(map(r.memory_usage, keys)) == pytest.approx(taken, rel=0.02, abs=20000)  # other buffers come and go


def test_loading_takes_a_tenth_more_memory_than_the_value(start):
    server = start("peak", "save 3600 1", "rdbcompression no", arguments="max-bytes 0")
    server.client().execute_command("INK.CREATE", "large", "bloom", "n", "5e7")
    server.client().execute_command("INK.ADD", "large", *range(1000))
    server.restart()
    peak = server.client().info("memory")["used_memory_peak"] - server.client().info("memory")["used_memory_startup"]
    assert peak < 1.1 * server.client().memory_usage("large")


def test_a_value_is_a_file_and_back(r, ink, tmp_path):
    keys = fill(r)
    for key in keys:
        if key == b"half":
            continue
        data = r.execute_command("INK.GET", key)
        (tmp_path / "value.ink").write_bytes(data)
        digest = r.execute_command("INK.DIGEST", key).decode()
        assert ink("info", "--digest", "value.ink").split()[0] == digest
        assert json.loads(r.execute_command("INK.INFO", key))["kind"] in ink("info", "value.ink")
        r.execute_command("INK.SET", "back", data)
        assert r.execute_command("INK.DIGEST", "back").decode() == digest
        pieces, at, generation = b"", 0, None
        while at == 0 or at < total:
            total, generation, piece = r.execute_command("INK.GET", key, "OFFSET", at, "COUNT", 1000,
                                                         *([] if generation is None else ["GENERATION", generation]))
            r.execute_command("INK.SETCHUNK", "pieces", at, total, piece)
            pieces, at = pieces + piece, at + len(piece)
        assert pieces == data and r.execute_command("INK.DIGEST", "pieces").decode() == digest
        r.delete("pieces")


def test_a_file_that_ink_made_is_asked_by_clients(r, ink, tmp_path):
    (tmp_path / "keys").write_text("".join(f"k{i}\n" for i in range(1000)))
    ink("build", "bloom,count-min", "-n", 1000, "-o", "two.ink", "keys")
    with pytest.raises(redis.ResponseError, match="2 sketches or a labelled one, expected one without a label: in Python "):
        r.execute_command("INK.SET", "two", (tmp_path / "two.ink").read_bytes())
    (tmp_path / "rows").write_text("k1,a\n")
    ink("build", "hll", "--in", "csv", "--key", 1, "--by", 2, "-o", "labelled.ink", "rows")
    ink("stream", "--train", "rows", "--sketch", "hll", "--window", "1h", "--state", "slot")
    for labelled in ("labelled.ink", "slot/state.ink"):
        with pytest.raises(redis.ResponseError, match="1 sketches or a labelled one, expected one without a label"):
            r.execute_command("INK.SET", "labelled", (tmp_path / labelled).read_bytes())
    ink("build", "bloom", "-o", "one.ink", "keys")
    r.execute_command("INK.SET", "one", (tmp_path / "one.ink").read_bytes())
    assert r.execute_command("BF.MEXISTS", "one", "k1", "k999") == [1, 1]
    (tmp_path / "got.ink").write_bytes(r.execute_command("INK.GET", "one"))
    ink("verify", "got.ink", "--truth", "keys")


def test_dumps_go_piece_by_piece_and_half_of_one_is_kept(start):
    server = start("chunks", "save 3600 1")
    r = server.client()
    r.execute_command("BF.RESERVE", "f", "0.001", "1000000", "EXPANSION", 4)
    r.execute_command("BF.MADD", "f", *range(5000))
    chunks, at = [], 0
    while True:
        at, data = r.execute_command("BF.SCANDUMP", "f", at)
        if at == 0:
            break
        chunks.append((at, data))
    assert len(chunks) > 2
    for i, chunk in enumerate(chunks):
        if i == 2:
            before = digests(r, "g")
            server.restart()
            r = server.client()
            assert digests(r, "g") == before
            with pytest.raises(redis.ResponseError, match="not come whole"):
                r.execute_command("BF.ADD", "g", "x")
        assert r.execute_command("BF.LOADCHUNK", "g", *chunk) == b"OK"
    assert r.execute_command("BF.INFO", "f") == r.execute_command("BF.INFO", "g")
    assert digests(r, "f", "g") == 2 * digests(r, "f")
    begun = r.execute_command("BF.SCANDUMP", "f", 0)[0]
    r.execute_command("BF.ADD", "f", "one more")
    with pytest.raises(redis.ResponseError, match="changed"):
        r.execute_command("BF.SCANDUMP", "f", begun)


def test_the_head_of_another_kind_is_refused(r):
    r.execute_command("BF.ADD", "f", "x")
    r.execute_command("INK.CREATE", "h", "hll")
    head = r.execute_command("BF.SCANDUMP", "f", 0)[1][16:]
    file = r.execute_command("INK.GET", "h")
    with pytest.raises(redis.ResponseError, match="its head does not go with its sketch"):
        r.execute_command("INK.SETCHUNK", "n", 0, len(file), file, "HEAD", head)
    assert not r.exists("n")


def test_a_dump_is_loaded_where_there_is_no_key(r):
    for key in "fg":
        r.execute_command("BF.ADD", key, key)
    chunk = r.execute_command("BF.SCANDUMP", "f", 0)
    with pytest.raises(redis.ResponseError, match="received bad data"):
        r.execute_command("BF.LOADCHUNK", "g", *chunk)
    assert r.execute_command("BF.EXISTS", "g", "g") == 1
    assert r.execute_command("BF.LOADCHUNK", "h", *chunk) == b"OK"
    with pytest.raises(redis.ResponseError, match="received bad data"):
        r.execute_command("BF.LOADCHUNK", "h", *chunk)


@pytest.mark.parametrize("rate, capacity, count", [(0.01, 1000, 800), (0.001, 10, 500), (0.05, 100, 0)])
def test_chunks_of_redisbloom_are_asked_and_added_to_in_its_scheme(r, rate, capacity, count):
    chain = Chain(rate, capacity)
    for i in range(count):
        chain.add(b"key:%d" % i)
    head = 20 + 53 * len(chain.filters)
    head, data = chain.scandump()[:head], chain.scandump()[head:]
    chunks, at = [(1, head)], 0
    for start in range(0, len(data), 700):
        at = min(start + 700, len(data))
        chunks.append((at + 1, data[start:at]))
    for number, chunk in enumerate(chunks):
        if number == 1:
            r.execute_command("DEBUG", "RELOAD")
        assert r.execute_command("BF.LOADCHUNK", "chain", *chunk) == b"OK"
    asked = [b"key:%d" % i for i in range(2000)]
    answers = r.execute_command("BF.MEXISTS", "chain", *asked)
    assert [bool(answer) for answer in answers] == [key in chain for key in asked]
    assert r.execute_command("BF.CARD", "chain") == chain.size
    if count == 800:
        assert r.execute_command("BF.ADD", "chain", "more") == 1
        assert r.execute_command("BF.EXISTS", "chain", "more") == 1
    damaged = bytearray(head)
    damaged[30] ^= 0xff
    with pytest.raises(redis.ResponseError, match="received bad data"):
        for chunk in [(1, bytes(damaged)), *chunks[1:]]:
            r.execute_command("BF.LOADCHUNK", "damaged", *chunk)


def test_what_encoding_version_1_stored_is_read_for_ever(start):
    """golden/version1.rdb has what fill() made with the first module, and is never made anew."""
    golden = pathlib.Path(__file__).parent / "golden"
    expected = json.loads((golden / "version1.json").read_text())
    server = start("golden", "save 3600 1", files={"dump.rdb": golden / "version1.rdb"})
    client = server.client()
    assert digests(client, *sorted(expected)) == [expected[key].encode() for key in sorted(expected)]
    assert client.execute_command("BF.MEXISTS", "bf", "k1", "k299") == [1, 1]
    assert client.execute_command("TOPK.LIST", "topk") == [b"k299", b"k298", b"k297", b"k296", b"k295"]
    assert client.execute_command("CMS.QUERY", "cms", "k7") == [7] and client.execute_command("CF.COUNT", "cf", "k0") == 0
