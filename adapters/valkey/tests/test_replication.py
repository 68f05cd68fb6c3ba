"""Replicas and restarts after kills: what was acknowledged is there, and both servers hold the same values."""
import random
import threading
import time

import pytest
import redis
from conftest import SEED, digests, fill, free_port


def wait_for(condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def in_step(first, second):
    def condition():
        copy = second.info("replication")
        return copy.get("master_link_status") == "up" and \
            copy["slave_repl_offset"] == first.info("replication")["master_repl_offset"]
    wait_for(condition)


@pytest.fixture
def pair(start):
    """A server and its replica, whose own defaults and limits are others."""
    port = free_port()
    first = start("first", 'save ""', f"port {port}", "bind 127.0.0.1", "repl-diskless-sync-delay 0", "repl-backlog-size 10mb")
    second = start("second", 'save ""', f"replicaof 127.0.0.1 {port}", arguments="max-bytes 1000")
    in_step(first.client(), second.client())
    return first.client(), second.client()


def write(client, rng):
    key, items = rng.choice("abcd"), [f"i{rng.randrange(3000)}" for _ in range(rng.choice([1, 50]))]
    words = rng.choice([["BF.MADD", "bf" + key, *items], ["BF.ADD", "bf" + key, items[0]],
                        ["BF.INSERT", "ns" + key, "CAPACITY", 500, "ERROR", "0.00001", "NONSCALING", "ITEMS", *items],
                        ["CF.INSERT", "cf" + key, "ITEMS", *items], ["CF.ADDNX", "cf" + key, items[0]],
                        ["CF.DEL", "cf" + key, items[0]], ["INK.ADD", "ink:hll:0", *items],
                        ["INK.ADD", "ink:counting:2", *items], ["INK.ADDW", "ink:top:2", items[0], 7],
                        ["CMS.INCRBY", "cms", items[0], 3], ["CMS.MERGE", "cms", 1, "cms", "WEIGHTS", 2],
                        ["TOPK.ADD", "topk", *items], ["INK.MERGE", "m" + key, "ink:theta:0", "m" + key],
                        ["INK.FOLD", "ink:bloom:2", 0.9], ["COPY", "bfa", "copied", "REPLACE"], ["DEL", "bf" + key]])
    try:
        client.execute_command(*words)
    except redis.ResponseError:
        pass  # a full or missing filter, which the replica does not hear of


def test_a_replica_holds_the_same_values_under_load_and_after_a_break(pair):
    first, second = pair
    rng = random.Random(SEED)
    fill(first)
    for step in range(600):
        write(first, rng)
        if step == 300:
            in_step(first, second)
            first.client_kill_filter(_type="replica")
    in_step(first, second)
    assert second.dbsize() == first.dbsize() > 10
    keys = sorted(first.keys("*"))
    assert digests(second, *keys) == digests(first, *keys)
    assert first.info("stats")["sync_partial_ok"] >= 1 and first.info("stats")["sync_full"] == 1
    second.execute_command("REPLICAOF", "NO", "ONE")  # it takes over
    with pytest.raises(redis.ResponseError, match="max-bytes"):
        second.execute_command("BF.RESERVE", "own", "0.01", 1000000)
    assert second.execute_command("BF.CARD", "bfb") == first.execute_command("BF.CARD", "bfb")


def test_large_values_are_merged_at_once_on_a_replica(pair):
    first, second = pair
    first.config_set("inkling.max-bytes", 0)
    for key in "ab":
        first.execute_command("INK.CREATE", key, "bloom", "n", 16000000)
        first.execute_command("INK.ADD", key, key)
    first.execute_command("INK.MERGE", "a", "b")
    first.execute_command("INK.ADD", "a", "later")
    first.execute_command("INK.FOLD", "a", 0.5)
    first.execute_command("INK.ADD", "a", "last")
    in_step(first, second)
    assert digests(second, "a", "b") == digests(first, "a", "b")


def test_a_replica_makes_what_a_client_asked_for(pair):
    """And adds what the first server added."""
    first, second = pair
    made = ["BF.INSERT a CAPACITY 7 ERROR 0.2 EXPANSION 5 ITEMS x", "BF.INSERT b ITEMS x y", "BF.ADD c x", "BF.INSERT d CAPACITY 7 ERROR 0.2 NONSCALING ITEMS x x y",
            "CF.INSERTNX e CAPACITY 50 ITEMS x x x", "CF.INSERT f CAPACITY 50 ITEMS x x x", "CF.ADDNX g x", "CF.ADD h x", "BF.RESERVE i 0.3 9 EXPANSION 3",
            "CF.RESERVE j 100 BUCKETSIZE 4 MAXITERATIONS 9 EXPANSION 3", "TOPK.RESERVE k 3 9 8 0.7", "CMS.INITBYPROB l 0.01 0.2"]
    for words in made:
        first.execute_command(*words.split())
    in_step(first, second)
    keys = [words.split()[1] for words in made]
    assert digests(second, *keys) == digests(first, *keys)


def test_a_replica_refuses_writes(pair):
    with pytest.raises(redis.ReadOnlyError):
        pair[1].execute_command("BF.ADD", "f", "x")


def commands_of(path):
    """What an AOF file has: each command as its words."""
    with open(path, "rb") as file:
        while count := file.readline():
            yield [file.read(int(file.readline()[1:]) + 2)[:-2] for _ in range(int(count[1:]))]


@pytest.mark.parametrize("words, written", [
    ("bloom n 1e4", "p key-type hash seed"), ("scalable", "n p key-type hash seed"), ("classic n 100 hash mmh3", "p key-type"),
    ("count-min", "eps delta key-type hash seed"), ("count-min eps 0.003 delta 0.2", "key-type hash seed"),
    ("top", "k key-type hash seed"), ("top k 1000", "key-type hash seed"), ("hll key-type int", "precision hash seed"),
    ("theta seed 18446744073709551615", "precision key-type hash"), ("fm", "key-type hash seed")])
def test_defaults_are_written_into_what_is_replicated(start, words, written):
    server = start("aof", 'save ""', "appendonly yes", "appendfsync always")
    client = server.client()
    client.execute_command("INK.CREATE", "first", *words.split())
    log = server.folder / "appendonlydir" / "appendonly.aof.1.incr.aof"
    found = next(words for words in commands_of(log) if words[0] == b"INK.CREATE")
    given = [word.encode() for word in words.split()]
    assert found[2:2 + len(given)] == given
    assert found[2 + len(given)::2] == [word.encode() for word in written.split()]
    client.execute_command("INK.CREATE", "second", *found[2:])
    assert digests(client, "first") == digests(client, "second")


def kill_during_writes(server, rng):
    """Acknowledged adds, by key; those under way when the server dies may be there or not."""
    acknowledged = {"bf": set(), "ink": set()}
    counts = [0]

    def load():
        client = server.client()
        try:
            while True:
                item = b"%d" % rng.randrange(10**9)
                client.execute_command("BF.ADD", "bf", item)
                acknowledged["bf"].add(item)
                client.execute_command("INK.ADD", "ink", item)
                acknowledged["ink"].add(item)
                client.execute_command("CMS.INCRBY", "cms", "all", 1)
                counts[0] += 1
        except redis.ConnectionError:
            client.close()
    loader = threading.Thread(target=load)
    loader.start()
    time.sleep(rng.uniform(0.01, 0.15))
    server.kill()
    loader.join()
    server.start()
    return acknowledged, counts[0]


def lose_nothing(start, kills):
    server = start("killed", 'save ""', "appendonly yes", "appendfsync always", "auto-aof-rewrite-min-size 64kb",
                   "auto-aof-rewrite-percentage 50", f"aof-use-rdb-preamble {'yes' if kills % 2 else 'no'}")
    client = server.client()
    client.execute_command("INK.CREATE", "ink", "scalable")
    client.execute_command("CMS.INITBYDIM", "cms", 1000, 5)
    rng, all_counts, everything = random.Random(SEED), 0, {"bf": set(), "ink": set()}
    for _ in range(kills):
        acknowledged, counts = kill_during_writes(server, rng)
        all_counts += counts
        client = server.client()
        for key, ask in (("bf", "BF.MEXISTS"), ("ink", "INK.CONTAINS")):
            everything[key] |= acknowledged[key]
            if everything[key]:
                assert all(client.execute_command(ask, key, *everything[key])), key
        counted = client.execute_command("CMS.QUERY", "cms", "all")[0]
        assert all_counts <= counted
        all_counts = counted
    assert len(everything["bf"]) > kills


def test_no_kill_loses_what_was_acknowledged(server_name, start):
    lose_nothing(start, {"redis7": 9, "valkey8": 8, "valkey9": 8}[server_name])


@pytest.mark.long
def test_no_kill_of_hundreds_loses_what_was_acknowledged(server_name, start):
    lose_nothing(start, {"redis7": 167, "valkey8": 167, "valkey9": 166}[server_name])
