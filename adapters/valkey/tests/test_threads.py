"""Large values are merged, folded and encoded in a thread: reads are answered meanwhile, writes are refused, and what is not there any
more gets no result."""
import re
import select
import time

import pytest
from conftest import digests
from resp import Wire

KEYS = 16_000_000  # 20 MB, which is large: some ten milliseconds of work


@pytest.fixture
def large(start):
    server = start("large", 'save ""', arguments="max-bytes 0")
    r = server.client()
    for key in "ab":
        r.execute_command("INK.CREATE", key, "bloom", "n", KEYS)
        r.execute_command("INK.ADD", key, *(f"{key}{i}" for i in range(1000)))
    wire = Wire(server.socket, 2)
    yield server, r, wire
    wire.close()


def during(r, wire, words, act):
    """Does something while a command is under way in a thread; gives both answers."""
    wire.send(*words)
    deadline = time.monotonic() + 5  # it may be done already
    while r.info("clients")["blocked_clients"] == 0 and time.monotonic() < deadline:
        if select.select([wire.socket], [], [], 0)[0]:
            break
    done = act()
    return wire.read(), done


def attempt(r, *words):
    try:
        return r.execute_command(*words)
    except Exception as error:  # the text is compared
        return str(error)


def test_reads_go_on_and_writes_are_refused_during_a_merge(large):
    _, r, wire = large
    refused = 0
    for i in range(3):
        answer, (asked, added) = during(r, wire, ["INK.MERGE", "a", *20 * ["b"]], lambda n=i: (
            attempt(r, "BF.MEXISTS", "a", "a1", "b1" if n == 0 else "a2"), attempt(r, "INK.ADD", "b", f"new{n}")))
        assert answer == "+OK" and asked[0] == 1
        refused += added == "INKBUSY a thread reads this value: try again"
        assert added in (0, 1, "INKBUSY a thread reads this value: try again")
    assert refused > 0
    assert r.execute_command("BF.MEXISTS", "a", "a1", "b999") == [1, 1]
    assert r.execute_command("INK.ADD", "b", "later") == 1


@pytest.mark.parametrize("gone", [["DEL", "b"], ["RENAME", "b", "c"], ["PEXPIRE", "b", 1], ["DEL", "a"],
                                  ["COPY", "a", "b", "REPLACE"]], ids=str)
def test_nothing_is_done_with_keys_that_are_gone(large, gone):
    _, r, wire = large
    for _ in range(5):  # until it is done while the merge is under way
        before = digests(r, "a")
        answer, _ = during(r, wire, ["INK.MERGE", "a", *30 * ["b"]], lambda: (r.execute_command(*gone), time.sleep(0.002)))
        if answer != "+OK":
            break
        r.flushall()
        for key in "ab":
            r.execute_command("INK.CREATE", key, "bloom", "n", KEYS)
    assert answer == "-ERR a key was changed, deleted, renamed or expired meanwhile: nothing is done"
    assert gone == ["DEL", "a"] or digests(r, "a") == before
    assert r.ping()


@pytest.mark.parametrize("gone", [["DEL", "a"], ["RENAME", "b", "a"], ["PEXPIRE", "a", 0]], ids=str)
def test_no_piece_of_a_key_that_is_gone_is_answered(large, gone):
    _, r, wire = large
    for _ in range(30):  # until it is done while the first piece is under way
        answer, _ = during(r, wire, ["INK.GET", "a", "OFFSET", 0, "COUNT", 10], lambda: r.execute_command(*gone))
        if answer.startswith("-"):
            break
        r.flushall()
        for key in "ab":
            r.execute_command("INK.CREATE", key, "bloom", "n", KEYS)
    assert answer == "-ERR the key was deleted, renamed or expired meanwhile"
    assert r.ping()


def test_a_fold_and_pieces_of_a_file(large):
    _, r, wire = large
    answer, asked = during(r, wire, ["INK.GET", "a", "OFFSET", 0, "COUNT", 10], lambda: attempt(r, "BF.EXISTS", "a", "a5"))
    assert answer.startswith("[:") and asked == 1
    total, generation, piece = r.execute_command("INK.GET", "a", "OFFSET", 0, "COUNT", 100)
    assert total > 19_000_000 and len(piece) == 100
    answer, asked = during(r, wire, ["INK.FOLD", "a", "0.005"], lambda: attempt(r, "BF.EXISTS", "a", "a5"))
    assert int(answer[1:]) > 1000 and asked == 1
    assert "changed" in attempt(r, "INK.GET", "a", "OFFSET", 100, "COUNT", 100, "GENERATION", generation)
    assert r.execute_command("BF.MEXISTS", "a", *(f"a{i}" for i in range(1000))) == [1] * 1000


@pytest.mark.parametrize("words, write, answer", [
    (["INK.DISTINCT", "a", *20 * ["b"]], ["INK.ADD", "b", "new"], "[+estimate :2000 *"),
    (["CMS.MERGE", "sum", 12, *6 * ["c", "d"], "WEIGHTS", *12 * [3]], ["CMS.INCRBY", "d", "new", 1], "+OK")], ids=str)
def test_unions_and_sums_are_worked_on_in_a_thread(large, words, write, answer):
    _, r, wire = large
    for key in ("c", "d", "sum"):
        r.execute_command("CMS.INITBYDIM", key, 600_000, 8)
        r.execute_command("CMS.INCRBY", key, "x", 5, key, 1)
    refused = 0
    for _ in range(5):
        found, written = during(r, wire, words, lambda: attempt(r, *write))
        assert re.match(re.escape(answer).replace(r"\*", ".*").replace("2000", "(19|20)[0-9][0-9]"), found), found
        refused += written == "INKBUSY a thread reads this value: try again"
    assert refused > 0
    assert r.execute_command("CMS.QUERY", "sum", "x", "c", "sum") == ([180, 18, 0] if words[0] == "CMS.MERGE" else [5, 0, 1])


def test_four_are_worked_on_at_once_and_the_next_is_refused(large):
    server, r, _ = large
    clients = [Wire(server.socket, 2) for _ in range(8)]
    for _ in range(5):
        for client in clients:
            client.send("INK.DISTINCT", "a", *30 * ["b"])
        answers = [client.read() for client in clients]
        refused = answers.count("-INKBUSY too many large values are worked on: try again")
        assert sum(answer.startswith("[+estimate") for answer in answers) == 8 - refused >= 4
        if refused == 4:
            break
    assert refused == 4
    for client in clients:
        client.close()
    assert r.execute_command("INK.DISTINCT", "a")[0] == b"estimate"


def test_slow_clients_stop_no_others_and_get_what_they_asked_for(large):
    server, r, client = large
    whole = r.execute_command("INK.GET", "a")
    piece, slow = 1 << 20, [Wire(server.socket, 2) for _ in range(3)]
    offsets = range(0, len(whole), piece)
    for client in slow:
        for offset in offsets:
            client.send("INK.GET", "a", "OFFSET", offset, "COUNT", piece)
    for i in range(200):
        assert r.execute_command("BF.EXISTS", "a", f"a{i}") == 1
    slow.pop().close()  # in the middle of an answer
    assert r.execute_command("INK.ADD", "b", "while answers wait") == 1
    for client in slow:
        pieces = [client.read().split(" $", 1)[1][:-1] for _ in offsets]
        assert "".join(pieces).encode("latin-1") == whole
        client.close()
    assert r.ping()


def test_in_transactions_it_is_done_at_once(large):
    _, r, _ = large
    with r.pipeline() as transaction:
        transaction.execute_command("INK.MERGE", "a", "b")
        transaction.execute_command("INK.CONTAINS", "a", "b7")
        assert transaction.execute() == [b"OK", [1]]
    assert r.eval("return redis.call('INK.MERGE', KEYS[1], KEYS[2])", 2, "c", "b") == b"OK"


def test_a_client_that_leaves_does_not_stop_it_and_replicas_follow(start):
    server = start("leaves", 'save ""', "appendonly yes", "appendfsync always", arguments="max-bytes 0")
    r = server.client()
    for key in "ab":
        r.execute_command("INK.CREATE", key, "bloom", "n", KEYS)
        r.execute_command("INK.ADD", key, key)
    wire = Wire(server.socket, 2)
    wire.send("INK.MERGE", "a", "b")
    time.sleep(0.001)
    wire.close()
    deadline = time.monotonic() + 20
    while r.execute_command("BF.EXISTS", "a", "b") != 1:
        assert time.monotonic() < deadline
    before = digests(r, "a", "b")
    server.kill()
    server.start()
    assert digests(server.client(), "a", "b") == before
