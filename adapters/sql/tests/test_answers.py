"""What each function answers, and what it refuses: one table for all engines.

The table t has 1,000 rows: k 0 to 999, s "u" and k modulo 100, g k modulo 3, w k modulo 7; n is NULL in odd rows.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil

import pytest
from engines import Engine, Refused

ROOT = pathlib.Path(__file__).resolve().parents[3]
ROWS = [(k, f"u{k % 100}", k % 3, k % 7, k if k % 2 == 0 else None) for k in range(1000)]
COLUMNS = {"k": "int", "s": "text", "g": "int", "w": "int", "n": "int"}

# A name, SQL, and the rows that it gives; numbers that are estimates are exact here, or bounded in the SQL.
ANSWERS = [
    # Aggregates that give a number, and NULL
    ("distinct of nothing is 0", "SELECT ink_count_distinct(k) FROM t WHERE k < 0", [(0,)]),
    ("distinct of NULLs is 0", "SELECT ink_count_distinct(n) FROM t WHERE k = 1", [(0,)]),
    ("a sketch of nothing is NULL", "SELECT ink_hll(k) FROM t WHERE k < 0", [(None,)]),
    ("a sketch of NULLs is NULL", "SELECT ink_bloom(n) FROM t WHERE k = 1", [(None,)]),
    ("a filter that leaves none gives NULL", "SELECT ink_theta(k) FILTER (WHERE k < 0) FROM t", [(None,)]),
    ("a filter that leaves some", "SELECT ink_count_distinct(s) FILTER (WHERE k < 10) FROM t", [(10,)]),
    ("NULL keys are left out", "SELECT ink_distinct(ink_theta(n)) FROM t", [(500,)]),
    ("NULL weights are left out", "SELECT ink_count(ink_count_min(s, n), 'u1') FROM t", [(0,)]),
    ("NULL options are none", "SELECT ink_count_distinct(s, NULL) FROM t WHERE k < 5", [(5,)]),
    ("an estimate is near", "SELECT ink_count_distinct(k) BETWEEN 950 AND 1050 FROM t", [(1,)]),
    ("blanks about options", "SELECT ink_digest(ink_bloom(s, '  n=99	, p=0.2 ')) = ink_digest(ink_bloom(s, 'n=99,p=0.2')) FROM t", [(1,)]),
    (
        "groups",
        "SELECT g, ink_count_distinct(w) FROM t GROUP BY g ORDER BY g",
        [(0, 7), (1, 7), (2, 7)],
    ),
    (
        "windows",
        "SELECT k, ink_count_distinct(s) OVER (ORDER BY k) FROM t ORDER BY k LIMIT 3",
        [(0, 1), (1, 2), (2, 3)],
    ),
    ("a merge of nothing is NULL", "SELECT ink_merge(b) FROM (SELECT ink_hll(k) AS b FROM t WHERE k < 0) AS x", [(None,)]),
    (
        "a merge skips NULL",
        "SELECT ink_distinct(ink_merge(b)) FROM (SELECT ink_theta(n) AS b FROM t GROUP BY k) AS x",
        [(500,)],
    ),
    # Membership
    ("all members", "SELECT SUM(CASE WHEN ink_contains((SELECT ink_bloom(k) FROM t), k) THEN 1 ELSE 0 END) FROM t", [(1000,)]),
    (
        "few others",
        "SELECT SUM(CASE WHEN ink_contains((SELECT ink_bloom(k, 'p=0.001') FROM t WHERE k < 100), k) THEN 1 ELSE 0 END) < 110 FROM t",
        [(1,)],
    ),
    (
        "members beside NULL keys",
        "SELECT k FROM t WHERE ink_contains((SELECT ink_bloom(k, 'p=0.0001') FROM t WHERE k < 12), n) ORDER BY k",
        [(k,) for k in range(0, 12, 2)],
    ),
    (
        "members beside NULL sketches",
        "SELECT COUNT(*) FROM t WHERE ink_contains(CASE WHEN n IS NOT NULL THEN (SELECT ink_bloom(k, 'p=0.0001') FROM t WHERE k < 12) END, k)",
        [(6,)],
    ),
    (
        "weights beside NULL",
        "SELECT COUNT(*) FROM t WHERE ink_count((SELECT ink_count_min(k, n) FROM t), k) = COALESCE(n, 0)",
        [(1000,)],
    ),
    ("counts beside NULL keys", "SELECT COUNT(*) FROM t WHERE ink_count((SELECT ink_count_min(k, w) FROM t), n) = w", [(500,)]),
    ("contains of a NULL key is NULL", "SELECT ink_contains(ink_bloom(k), NULL) FROM t", [(None,)]),
    ("contains of a NULL sketch is NULL", "SELECT ink_contains(ink_bloom(k), 1) FROM t WHERE k < 0", [(None,)]),
    ("the empty string is a key", "SELECT ink_contains(ink_bloom(x), '') FROM (SELECT '' AS x) AS y", [(1,)]),
    *(
        (f"members of {kind}", f"SELECT MIN(CASE WHEN ink_contains((SELECT ink_{kind}(s) FROM t), s) THEN 1 ELSE 0 END) FROM t", [(1,)])
        for kind in ("classic", "counting", "fuse")
    ),
    # Counts
    ("how often", "SELECT ink_count(ink_count_min(s), 'u7') FROM t", [(10,)]),
    ("with weights", "SELECT ink_count(ink_count_min(s, w), 'u7') FROM t", [(sum(k % 7 for k in range(7, 1000, 100)),)]),
    ("weights and options", "SELECT ink_count(ink_count_min(s, w, 'eps=0.001'), 'u0') FROM t", [(sum(k % 7 for k in range(0, 1000, 100)),)]),
    ("a key and options", "SELECT ink_count(ink_count_min(s, 'eps=0.001, delta=0.01'), 'u0') FROM t", [(10,)]),
    ("a weight of 0 counts nothing", "SELECT ink_count(ink_count_min(s, w - w), 'u7') FROM t", [(0,)]),
    ("bounds hold", "SELECT ink_count_low(b, 'u1') <= 10 AND ink_count_high(b, 'u1') >= 10 FROM (SELECT ink_count_min(s) AS b FROM t) AS x", [(1,)]),
    ("a top counts exactly", "SELECT ink_count_low(b, 'u1'), ink_count_high(b, 'u1') FROM (SELECT ink_top(s) AS b FROM t) AS x", [(10, 10)]),
    (
        "top keys",
        "SELECT key, estimate, low, high FROM ink_top_keys({top}, 2)",
        [("u99", 5490, 5490, 5490), ("u98", 5480, 5480, 5480)],
    ),
    ("all top keys", "SELECT COUNT(*) FROM ink_top_keys({top}, 5000)", [(100,)]),
    ("more top keys than any sketch has", "SELECT COUNT(*) FROM ink_top_keys({top}, 4294967296)", [(100,)]),
    ("top keys that are integers", "SELECT key, low FROM ink_top_keys((SELECT ink_top(-k - 1, 8) FROM t WHERE k = 4))", [("-5", 8)]),
    ("no top keys of NULL", "SELECT COUNT(*) FROM ink_top_keys((SELECT ink_top(k) FROM t WHERE k < 0), 2)", [(0,)]),
    ("ten top keys", "SELECT COUNT(*) FROM ink_top_keys({top})", [(10,)]),
    # Sets
    ("union", "SELECT ink_distinct(ink_union(a, b)) FROM ab", [(900,)]),
    ("intersection", "SELECT ink_distinct(ink_intersect(a, b)) FROM ab", [(300,)]),
    ("difference", "SELECT ink_distinct(ink_difference(a, b)) FROM ab", [(300,)]),
    ("jaccard", "SELECT ROUND(ink_jaccard(a, b) * 900) FROM ab", [(300,)]),
    ("a NULL side is NULL", "SELECT ink_union(a, NULL), ink_jaccard(NULL, b) FROM ab", [(None, None)]),
    ("distinct bounds", "SELECT ink_distinct_low(a), ink_distinct_high(a) FROM ab", [(600, 600)]),
    # What a sketch is
    ("a rate", "SELECT ink_rate(ink_bloom(k, 'n=1000')) BETWEEN 0.003 AND 0.01 FROM t", [(1,)]),
    ("folded", "SELECT ink_rate(ink_fold(ink_bloom(k, 'n=100000'), 0.01)) <= 0.01 FROM t", [(1,)]),
    ("a version", "SELECT ink_version()", [("0.2.0",)]),
    ("tuples are keys", "SELECT ink_count_distinct(ink_tuple(g, w)) FROM t", [(21,)]),
    ("a tuple with NULL is NULL", "SELECT ink_tuple('a', NULL)", [(None,)]),
    *(
        (f"a tuple of {count}", f"SELECT ink_tuple({', '.join(['7'] * count)})", [(b"\1\0\0\0" b"7" * count,)])
        for count in (5, 100)
    ),
    ("a tuple", "SELECT ink_tuple('a', 'bc', 5)", [(b"\1\0\0\0a\2\0\0\0bc\1\0\0\0" b"5",)]),
]

# A name, SQL, and our message.
REFUSED = [
    ("a rate", "SELECT ink_bloom(k, 'p=7') FROM t", "ink_bloom: p 7, expected above 0 and below 1"),
    ("options beside NULL", "SELECT ink_bloom(n, 'p=7') FROM t WHERE k = 1", "ink_bloom: p 7, expected above 0 and below 1"),
    (
        "an option",
        "SELECT ink_hll(k, 'n=7') FROM t",
        "ink_hll: no option n, expected some of precision, hash, seed, as 'p=0.001, n=1e6'",
    ),
    ("an option of none", "SELECT ink_hll(k, 'q=7') FROM t", "ink_hll: no option q, expected some of precision, hash, seed"),
    ("no value", "SELECT ink_hll(k, 'precision') FROM t", "ink_hll: option precision without its value, expected precision=..."),
    ("a value", "SELECT ink_hll(k, 'precision=x') FROM t", "ink_hll: precision=x, expected a whole number"),
    ("a range", "SELECT ink_hll(k, 'precision=3') FROM t", "ink_hll: precision 3, expected 4 to 18"),
    ("zero", "SELECT ink_bloom(k, 'n=0') FROM t", "ink_bloom: n=0, expected a whole number, such as 1e6, above 0"),
    ("twice", "SELECT ink_bloom(k, 'n=1, n=2') FROM t", "ink_bloom: option n is given twice, expected it once"),
    ("a flag", "SELECT ink_count_min(k, 'conservative=1') FROM t", "ink_count_min: conservative=1, but conservative takes no value"),
    ("a hash", "SELECT ink_hll(k, 'hash=md5') FROM t", "ink_hll: hash=md5, expected one of docs/keys.md"),
    ("n of a fuse", "SELECT ink_fuse(k, 'n=1e6') FROM t", "ink_fuse: no option n, expected some of "),
    ("headroom beside n", "SELECT ink_bloom(k, 'n=10, headroom=2x') FROM t", "ink_bloom: headroom beside a size"),
    ("options that change", "SELECT ink_bloom(k, 'n=' || (1000 + k)) FROM t", "ink_bloom: other options than in the row before"),
    ("a negative weight", "SELECT ink_top(s, -w) FROM t", "ink_top: weight -1, expected 0 or more"),
    (
        "memory",
        "SELECT ink_bloom(k, 'memory=2K') FROM t",
        "ink_bloom: different keys of more than 2048 bytes in one state (memory), expected n=, how many",
    ),
    (
        "sizes",
        "SELECT ink_merge(b) FROM (SELECT ink_bloom(k, 'n=1000') AS b FROM t UNION ALL SELECT ink_bloom(k, 'n=2300') FROM t) AS x",
        "ink_merge: block counts ",
    ),
    (
        "sizes, by name",
        "SELECT ink_union(ink_bloom(k, 'n=1000'), ink_bloom(k, 'n=2300')) FROM t",
        "build both with the same n=",
    ),
    (
        "a union above the promise",
        "SELECT ink_merge(b) FROM (SELECT ink_bloom(k, 'n=100') AS b FROM t GROUP BY g) AS x",
        "ink_merge: the union has a rate of 0.",
    ),
    (
        "kinds",
        "SELECT ink_union(ink_hll(k), ink_theta(k)) FROM t",
        "ink_union: kinds differ: hll and theta",
    ),
    ("a kind that cannot", "SELECT ink_difference(ink_hll(k), ink_hll(k)) FROM t", "ink_difference: "),
    ("a text asked of ints", "SELECT ink_contains(ink_bloom(k), 'a') FROM t", "ink_contains: a text key and a sketch of integers, expected an integer; cast it: {to_int}"),
    ("an int asked of texts", "SELECT ink_count(ink_count_min(s), 5) FROM t", "ink_count: an integer key and a sketch of texts, expected a text; cast it: {to_text}"),
    ("what does not contain", "SELECT ink_contains(ink_hll(k), 5) FROM t", "ink_contains: "),
    ("what does not count", "SELECT ink_count(ink_hll(k), 5) FROM t", "ink_count: "),
    ("a fold above", "SELECT ink_fold(ink_bloom(k, 'n=100'), 0.001) FROM t", "ink_fold: "),
    ("a fold to 2", "SELECT ink_fold(ink_bloom(k, 'n=100'), 2.0) FROM t", "ink_fold: rate 2, expected one between 0 and 1"),
    ("a fold to 1", "SELECT ink_fold(ink_bloom(k, 'n=100'), 1) FROM t", "ink_fold: rate 1, expected one between 0 and 1"),
    ("a fold to 0", "SELECT ink_fold(ink_bloom(k, 'n=100'), 0) FROM t", "ink_fold: rate 0, expected one between 0 and 1"),
    ("no top key", "SELECT * FROM ink_top_keys((SELECT ink_top(s) FROM t), 0)", "ink_top_keys: k 0, expected 1 or more"),
    ("keys of no top", "SELECT * FROM ink_top_keys((SELECT ink_hll(s) FROM t), 5)", "ink_top_keys: "),
    ("no path", "SELECT ink_contains_file('', 5)", "ink_contains_file: "),
    ("a file that is not there", "SELECT ink_contains_file('no/such.ink', 5)", "ink_contains_file: no/such.ink: No such file or directory"),
    ("a table of no file", "SELECT * FROM ink_read('no/such.ink')", "ink_read: no/such.ink: "),
    (
        "two sketches of one label",
        "SELECT ink_file(b, 'x') FROM (SELECT ink_hll(k) AS b FROM t GROUP BY g) AS x",
        "ink_file: ",
    ),
    (
        "a real key",
        "SELECT ink_hll(x) FROM (SELECT CAST(1.5 AS {real}) AS x) AS y",
        "expected an integer, text, bytes, a date or a timestamp; cast it: {to_text}",
    ),
]


@pytest.fixture
def filled(engine: Engine) -> Engine:
    engine.table("t", COLUMNS, ROWS)
    a, b = (
        engine.value(f"SELECT ink_theta(k) FROM t WHERE k BETWEEN {low} AND {low + 599}") for low in (0, 300)
    )
    engine.table("ab", {"a": "stored", "b": "stored"}, [(a, b)])
    return engine


@pytest.mark.parametrize(("sql", "expected"), [row[1:] for row in ANSWERS], ids=[row[0] for row in ANSWERS])
def test_answers(filled: Engine, sql: str, expected: list[tuple[object, ...]]) -> None:
    parameters = []
    if "{top}" in sql:
        sql = sql.replace("{top}", "{sketch}")
        parameters.append(filled.value("SELECT ink_top(s, k) FROM t"))
    assert filled.rows(sql.format(**filled.words), *parameters) == expected


@pytest.mark.parametrize(("sql", "message"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_refuses(filled: Engine, sql: str, message: str) -> None:
    with pytest.raises(Refused) as refused:
        filled.rows(sql.format(**filled.words))
    assert message.format(**filled.words) in str(refused.value)
    assert filled.value("SELECT ink_count_distinct(s) FROM t WHERE k < 5") == 5  # the engine goes on


def test_info_and_overlap_are_json_of_the_command(filled: Engine, ink, tmp_path) -> None:
    for name, low in (("a", 0), ("b", 300)):
        text = "".join(f"{k}\n" for k in range(low, low + 600))
        ink("build", "theta", "--key-type", "int", "-o", f"{name}.ink", data=text.encode())
    info = json.loads(filled.value("SELECT ink_info(a) FROM ab"))
    assert info == json.loads(ink("info", "--json", "a.ink"))
    check_overlap(filled, ink, "SELECT ink_overlap(a, b) FROM ab")
    # Of one set that is known exactly, and one that is not.
    few, many = ("SELECT ink_theta(k, 'precision=5') FROM t WHERE k < 9", "SELECT ink_theta(k, 'precision=5') FROM t")
    for name, sql in (("a", few), ("b", many)):
        (tmp_path / f"{name}.ink").write_bytes(filled.value(sql))
    assert 0 < check_overlap(filled, ink, f"SELECT ink_overlap(({few}), ({many}))") < 1


def check_overlap(filled: Engine, ink, sql: str) -> float:
    """Its confidence, which is the least of all."""
    overlap = json.loads(filled.value(sql))
    of_command = json.loads(ink("overlap", "--json", "a.ink", "b.ink"))
    assert overlap == {name: value for name, value in of_command.items() if name not in ("a", "b")}
    assert list(overlap) == [name for name in of_command if name not in ("a", "b")]
    return overlap["confidence"]


def test_a_file_of_groups_is_a_file_of_the_command(filled: Engine, ink, tmp_path) -> None:
    file = filled.value("SELECT ink_file(b, g) FROM (SELECT g, ink_hll(k) AS b FROM t GROUP BY g) AS x")
    (tmp_path / "sql.ink").write_bytes(file)
    text = "".join(f"{k},{g}\n" for k, _, g, *_ in ROWS)
    ink("build", "hll", "--in", "csv", "--key", 1, "--by", 2, "--key-type", "int", "-o", "cli.ink", data=text.encode())
    assert ink.digest("sql.ink") == ink.digest("cli.ink")
    assert filled.value("SELECT ink_digest({sketch})".format(**filled.words), file) == ink.digest("cli.ink")
    path = str(tmp_path / "sql.ink")
    assert filled.rows(
        "SELECT kind, label, slot, ink_distinct(sketch) FROM ink_read(?) ORDER BY label", path
    ) == [("hll", str(g), None, filled.value(f"SELECT ink_count_distinct(k) FROM t WHERE g = {g}")) for g in range(3)]


def test_labels_may_be_null_and_text(filled: Engine, tmp_path) -> None:
    file = filled.value(
        "SELECT ink_file(b, l) FROM (SELECT NULL AS l, ink_hll(k) AS b FROM t UNION ALL "
        "SELECT 'x', ink_hll(k) FROM t WHERE k < 5) AS x"
    )
    (tmp_path / "x.ink").write_bytes(file)
    found = filled.rows("SELECT label, ink_distinct(sketch) < 10 FROM ink_read(?)", str(tmp_path / "x.ink"))
    assert found == [(None, 0), ("x", 1)]


def test_keys_that_are_no_text_are_shown_as_hex(engine: Engine) -> None:
    engine.table("b", {"k": "blob"}, [(b"ab",), (b"a\0b",), (b"\xff\0\x0a",), (b"",)])
    found = engine.rows("SELECT key FROM ink_top_keys((SELECT ink_top(k) FROM b))")
    assert sorted(key for key, in found) == ["", r"\x610062", r"\xff000a", "ab"]


def test_slots_of_a_file_are_read(engine: Engine, ink, tmp_path) -> None:
    """Before 1970, in it, and far after."""
    shutil.copy(ROOT / "tests/golden/slots.ink", tmp_path)
    entries = json.loads((ROOT / "tests/golden/slots.json").read_text())["entries"]
    expected = [(entry["slot"], None if entry["group"] is None else bytes.fromhex(entry["group"]).decode()) for entry in entries]
    assert len(expected) > 2
    assert engine.rows("SELECT slot, label FROM ink_read(?)", str(tmp_path / "slots.ink")) == expected


def test_a_file_is_asked_and_opened_anew_when_it_is_replaced(filled: Engine, tmp_path) -> None:
    path = tmp_path / "f.ink"
    ask = "SELECT SUM(CASE WHEN ink_contains_file(?, k) THEN 1 ELSE 0 END) FROM t"
    path.write_bytes(filled.value("SELECT ink_bloom(k, 'p=0.0001') FROM t"))
    assert filled.value(ask, str(path)) == 1000
    (tmp_path / "new").write_bytes(filled.value("SELECT ink_bloom(k, 'p=0.0001') FROM t WHERE k < 100"))
    (tmp_path / "new").rename(path)
    assert 100 <= filled.value(ask, str(path)) < 110
    # In place, and of the same size: its time alone is another.
    path.write_bytes(filled.value("SELECT ink_bloom(k, 'p=0.0001') FROM t WHERE k >= 500 AND k < 510"))
    assert 10 <= filled.value(ask, str(path)) < 12
    size = path.stat().st_size
    path.write_bytes(filled.value("SELECT ink_bloom(k, 'p=0.0001') FROM t WHERE k >= 600 AND k < 610"))
    os.utime(path, (5, 5))
    assert path.stat().st_size == size and filled.value(ask.replace("FROM t", "FROM t WHERE k >= 600 AND k < 610"), str(path)) == 10
    # The same with the time put back: that of its inode is another.
    before = path.stat().st_ctime_ns
    path.write_bytes(filled.value("SELECT ink_bloom(k, 'p=0.0001') FROM t WHERE k >= 700 AND k < 710"))
    while path.stat().st_ctime_ns == before or path.stat().st_mtime != 5:
        os.utime(path, (5, 5))
    assert path.stat().st_size == size and filled.value(ask.replace("FROM t", "FROM t WHERE k >= 700 AND k < 710"), str(path)) == 10


def test_a_keyed_sketch_is_merged_and_described_but_not_asked(filled: Engine, ink, tmp_path) -> None:
    (tmp_path / "secret").write_bytes(bytes(range(16)))
    ink("build", "bloom", "-n", 1000, "--key-type", "int", "--secret", "secret", "-o", "k.ink", data=b"1\n2\n3\n")
    keyed = (tmp_path / "k.ink").read_bytes()
    words = filled.words
    assert json.loads(filled.value("SELECT ink_info({sketch})".format(**words), keyed))["keys"] == 1000
    assert filled.value("SELECT ink_rate(ink_union({sketch}, {sketch})) < 0.01".format(**words), keyed, keyed)
    assert filled.value("SELECT ink_rate(ink_fold({sketch}, 0.001)) < 0.001".format(**words), keyed)
    with pytest.raises(Refused, match="ink_contains: a keyed sketch, which SQL does not ask"):
        filled.rows("SELECT ink_contains({sketch}, 1)".format(**words), keyed)
