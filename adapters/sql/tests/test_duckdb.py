"""What DuckDB alone has: threads, windows that merge, its types, its rules for files, a limit of memory, interrupts."""

from __future__ import annotations

import random
import threading
import time

import pytest
from conftest import CHOSEN
from engines import DuckDB, Refused

pytestmark = pytest.mark.skipif("duckdb" not in CHOSEN, reason="duckdb is not among INK_SQL_ENGINES")
KINDS = ("bloom(k)", "bloom(k, 'n=3e5')", "hll(k)", "theta(k)", "count_min(k)", "counting(k)", "fuse(k)", "classic(k, 'n=1e5')")


def with_rows(rows: int, threads: int) -> DuckDB:
    """Integers with NULLs, texts of all lengths about 12 bytes, and groups in turn."""
    engine = DuckDB(threads=threads)
    engine.rows(
        f"""CREATE TABLE t AS SELECT CASE WHEN i % 7 = 3 THEN NULL ELSE (i * 2654435761) % 1000003 END AS k,
        repeat('x', (i % 17)::INTEGER) || i AS s, i % 1000 AS g, i FROM range({rows}) AS r(i)"""
    )
    return engine


@pytest.fixture(scope="module")
def one_thread() -> DuckDB:
    return with_rows(300_000, 1)


@pytest.fixture(scope="module")
def four_threads() -> DuckDB:
    return with_rows(300_000, 4)


@pytest.mark.parametrize("made", KINDS)
@pytest.mark.parametrize("key", ["k", "s"])
def test_threads_give_the_same_bytes(one_thread: DuckDB, four_threads: DuckDB, made: str, key: str) -> None:
    """States of threads are combined, those of groups too; vectors without NULLs, and with some."""
    call = f"ink_{made.replace('(k', f'({key}')}"
    whole = f"SELECT ink_digest({call}) FROM t"
    assert four_threads.value(whole) == one_thread.value(whole)
    groups = f"SELECT g % 30, ink_digest({call}) FROM t GROUP BY ALL ORDER BY ALL"
    assert four_threads.rows(groups) == one_thread.rows(groups)


def test_many_groups_are_those_of_each(one_thread: DuckDB, four_threads: DuckDB) -> None:
    for key, kind in (("k", "hll"), ("s", "hll"), ("k", "bloom"), ("s", "bloom")):
        query = f"SELECT g, ink_digest(ink_{kind}({key})) FROM t GROUP BY g ORDER BY g"
        found = four_threads.rows(query)
        for group, digest in found[::250]:
            assert one_thread.value(f"SELECT ink_digest(ink_{kind}({key})) FROM t WHERE g = {group}") == digest


@pytest.mark.parametrize("frame", ["ROWS BETWEEN 40 PRECEDING AND 3 FOLLOWING", "ROWS UNBOUNDED PRECEDING", "RANGE BETWEEN 700 PRECEDING AND CURRENT ROW"])
@pytest.mark.parametrize("made", ["bloom({})", "hll({})", "theta({})", "bloom({}, 'n=100')"])
@pytest.mark.parametrize("key", ["k", "s"])
def test_windows(four_threads: DuckDB, frame: str, made: str, key: str) -> None:
    """DuckDB merges parts of a window again and again, in several threads: merging leaves them as they were."""
    call = f"ink_{made.format(key)}"
    windows = four_threads.rows(
        f"SELECT i, ink_digest({call} OVER (ORDER BY i {frame})) FROM t WHERE i < 3000 ORDER BY i"
    )
    for i, digest in windows[::211]:
        low, high = (i - 40, i + 3) if "FOLLOWING" in frame else (0, i) if "UNBOUNDED" in frame else (i - 700, i)
        exact = four_threads.value(f"SELECT ink_digest({call}) FROM t WHERE i < 3000 AND i BETWEEN {low} AND {high}")
        assert exact == digest, i


TYPES = [
    ("TINYINT", "(i % 100)"), ("SMALLINT", "(i % 100)"), ("INTEGER", "(i % 100)"), ("UTINYINT", "(i % 100)"),
    ("USMALLINT", "(i % 100)"), ("UINTEGER", "(i % 100)"), ("UBIGINT", "(i % 100)"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), TYPES, ids=[row[0] for row in TYPES])
def test_all_integers_are_the_same_keys(one_thread: DuckDB, name: str, value: str) -> None:
    same = f"SELECT ink_digest(ink_bloom({value}::{name})) = ink_digest(ink_bloom({value}::BIGINT)) FROM t"
    assert one_thread.value(same) is True
    nulls = f"SELECT ink_digest(ink_bloom(CASE WHEN i % 3 = 0 THEN {value}::{name} END)) = ink_digest(ink_bloom({value}) FILTER (i % 3 = 0)) FROM t"
    assert one_thread.value(nulls) is True


@pytest.mark.parametrize(
    ("value", "whole"),
    [
        ("DATE '1970-01-01' + (i % 100)::INTEGER", "i % 100"),
        ("make_timestamp(i % 100 * 1000000)", "i % 100 * 1000000"),
        ("make_timestamp(i % 100 * 1000000)::TIMESTAMP_S", "i % 100 * 1000000"),
    ],
)
def test_times_beside_nulls_are_those_of_their_rows(one_thread: DuckDB, value: str, whole: str) -> None:
    same = f"SELECT ink_digest(ink_bloom(CASE WHEN i % 3 = 0 THEN {value} END)) = ink_digest(ink_bloom({whole}) FILTER (i % 3 = 0)) FROM t WHERE i < 5000"
    assert one_thread.value(same) is True


# A key, and the integer that it is.
INTEGERS = [
    ("18446744073709551615::UBIGINT", -1),
    ("DATE '1970-01-02'", 1),
    ("DATE '1969-12-31'", -1),
    ("TIMESTAMP '1970-01-01 00:00:01.5'", 1_500_000),
    ("TIMESTAMPTZ '1970-01-01 00:00:01+00'", 1_000_000),
    ("TIMESTAMP_S '1970-01-01 00:00:01'", 1_000_000),
    ("TIMESTAMP_MS '1970-01-01 00:00:01.5'", 1_500_000),
    ("TIMESTAMP_NS '1970-01-01 00:00:01.5'", 1_500_000),
]
# A key, and what is said of it.
REFUSED = [
    ("TIMESTAMP_NS '1970-01-01 00:00:00.000000001'", "no whole number of microseconds"),
    ("'infinity'::TIMESTAMP", "infinite"),
    ("'-infinity'::TIMESTAMPTZ", "infinite"),
    ("'infinity'::DATE", "infinite"),
    ("'-infinity'::DATE", "infinite"),
    ("1::HUGEINT", "a key of type HUGEINT"),
    ("1::UHUGEINT", "a key of type UHUGEINT"),
    ("1.5", "a key of type DECIMAL"),
    ("1.5::FLOAT", "a key of type FLOAT"),
    ("1.5::DOUBLE", "a key of type DOUBLE"),
    ("true", "a key of type BOOLEAN"),
    ("TIME '12:00:00'", "a key of type TIME"),
    ("INTERVAL 1 DAY", "a key of type INTERVAL"),
    ("uuid()", "a key of type UUID"),
    ("'{}'::JSON", "a key of type JSON"),
    ("'a'::ENUM('a', 'b')", "a key of type ENUM"),
    ("'101'::BIT", "a key of type BIT"),
    ("[1]", "a key of type LIST"),
    ("{'a': 1}", "a key of type STRUCT"),
]


@pytest.mark.parametrize(("key", "value"), INTEGERS)
def test_keys_that_are_integers(one_thread: DuckDB, key: str, value: int) -> None:
    assert one_thread.value(f"SELECT ink_digest(ink_hll({key})) = ink_digest(ink_hll({value}))") is True
    assert one_thread.value(f"SELECT ink_contains(ink_bloom({value}), {key})") is True


@pytest.mark.parametrize(("key", "message"), REFUSED)
def test_keys_that_are_refused(one_thread: DuckDB, key: str, message: str) -> None:
    typed = key in ("1.5",) or "type" in message
    for call in (f"ink_hll({key})", f"ink_contains(ink_bloom(5), {key})", f"ink_tuple({key})"):
        with pytest.raises(Refused, match=message) as refused:
            one_thread.rows(f"SELECT {call}")
        assert not typed or "cast it: key::VARCHAR" in str(refused.value)
    assert one_thread.value(f"SELECT ink_hll(x) FROM (SELECT {key} AS x WHERE false)") is None


def test_a_number_of_a_tuple_keeps_its_sign(one_thread: DuckDB) -> None:
    assert one_thread.value("SELECT ink_tuple(18446744073709551615::UBIGINT)") == b"\x14\0\0\0" + b"18446744073709551615"


def test_weights_of_any_integer_type(one_thread: DuckDB) -> None:
    for name in ("TINYINT", "UBIGINT", "INTEGER"):
        assert one_thread.value(f"SELECT ink_count(ink_count_min(s, 3::{name}), '0') FROM t WHERE i = 0") == 3
    most = "SELECT ink_count(ink_count_min(s, 18446744073709551615::UBIGINT, 'counters=64'), '0') FROM t WHERE i = 0"
    assert one_thread.value(most) == 2**63 - 1  # as much as an integer of SQL has
    for weight in ("1.5", "DATE '1970-01-04'", "TIMESTAMP '1970-01-04'"):
        with pytest.raises(Refused, match="ink_count_min: a weight that is no integer, expected one"):
            one_thread.rows(f"SELECT ink_count_min(s, {weight}) FROM t")


def test_files_obey_enable_external_access(tmp_path) -> None:
    engine = DuckDB()
    path = tmp_path / "f.ink"
    path.write_bytes(engine.value("SELECT ink_bloom(5)"))
    asks = (f"SELECT ink_contains_file('{path}', 5)", f"SELECT kind = 'bloom' FROM ink_read('{path}')")
    for ask in asks:
        assert engine.value(ask) is True
    engine.rows("SET enable_external_access = false")
    for ask in asks:
        with pytest.raises(Refused, match="disabled by configuration"):
            engine.rows(ask)
    for number in (0, 1, 2**64 - 1):
        with pytest.raises(Refused, match="ink_contains_file: a number that is no open file"):
            engine.rows(f"SELECT inkling_ask_file({number}::UBIGINT, 5)")


def test_files_of_allowed_directories(tmp_path) -> None:
    engine = DuckDB()
    for folder in ("yes", "no"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "f.ink").write_bytes(engine.value("SELECT ink_bloom(5)"))
    engine.rows(f"SET allowed_directories = ['{tmp_path}/yes/']")
    engine.rows("SET enable_external_access = false")
    assert engine.value(f"SELECT ink_contains_file('{tmp_path}/yes/f.ink', 5)") is True
    with pytest.raises(Refused, match="disabled by configuration"):
        engine.rows(f"SELECT ink_contains_file('{tmp_path}/no/f.ink', 5)")


def test_many_files_of_one_query(tmp_path) -> None:
    """Each is opened once, and asked by its number; a NULL key or path is NULL."""
    engine = with_rows(10_000, 2)
    terms = []
    for i in range(20):
        (tmp_path / f"{i}.ink").write_bytes(engine.value(f"SELECT ink_bloom(i, 'p=0.0001') FROM t WHERE i % 20 = {i}"))
        terms.append(f"count(*) FILTER (ink_contains_file('{tmp_path}/{i}.ink', i))")
    found = engine.rows(f"SELECT {', '.join(terms)} FROM t")[0]
    assert all(500 <= count < 510 for count in found)
    assert engine.rows("SELECT ink_contains_file(NULL, 5), ink_contains_file(?, NULL)", f"{tmp_path}/0.ink") == [(None, None)]


def opens(engine: DuckDB, folder, count: int, options: str) -> list[str]:
    """Questions to as many files, each with a key of its own, which are true."""
    for i in range(count):
        (folder / f"{i}.ink").write_bytes(engine.value(f"SELECT ink_bloom({i}, 'p=0.0001, {options}')"))
    ask = "ink_contains_file('{0}/{1}.ink', {1}) AND NOT ink_contains_file('{0}/{1}.ink', {2})"
    return [ask.format(folder, i, i + 1) for i in range(count)]


def test_the_last_32_files_are_kept(tmp_path) -> None:
    engine = DuckDB()
    asks = opens(engine, tmp_path, 40, "n=50")
    for ask in (*asks, *asks[::-1], *asks[::7]):
        assert engine.value(f"SELECT {ask}") is True, ask
    together = [ask.split(" AND ")[0] for ask in asks]
    assert engine.rows(f"SELECT {', '.join(together[:32])}") == [(True,) * 32]
    with pytest.raises(Refused, match="one of a query that opened more than 32 files"):
        engine.rows(f"SELECT {', '.join(together[:33])}")


def test_files_that_are_not_kept_give_their_memory_back(tmp_path) -> None:
    """Room for 36 of them, not for 60."""
    engine = DuckDB(memory="100MB")
    for ask in opens(engine, tmp_path, 60, "n=4e5"):
        assert engine.value(f"SELECT {ask}") is True


def test_a_damaged_file_is_refused_with_its_path(tmp_path) -> None:
    engine = DuckDB()
    whole = bytearray(engine.value("SELECT ink_bloom(5, 'n=10000')"))
    (tmp_path / "f.ink").write_bytes(whole)
    ask = f"SELECT ink_contains_file('{tmp_path}/f.ink', 5)"
    chance = random.Random(1)
    for _ in range(30):
        flipped = bytearray(whole)
        flipped[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        (tmp_path / "f.ink").write_bytes(flipped)
        with pytest.raises(Refused, match=rf"ink_contains_file: {tmp_path}/f.ink: "):
            engine.rows(ask)
    (tmp_path / "f.ink").write_bytes(whole)
    assert engine.value(ask) is True


def test_tables_take_values_of_a_query(one_thread: DuckDB) -> None:
    rows = one_thread.rows(
        "SELECT g, key, estimate FROM (SELECT i % 2 AS g, ink_top(i % 6) AS b FROM t GROUP BY ALL) AS x, ink_top_keys(x.b, 2) ORDER BY ALL"
    )
    assert rows == [(0, "0", 50_000), (0, "2", 50_000), (1, "1", 50_000), (1, "3", 50_000)]


def test_options_may_be_a_column_that_is_constant(one_thread: DuckDB) -> None:
    same = "SELECT ink_digest(ink_bloom(k, o)) FROM (SELECT k, {} AS o FROM t)"
    text = "'n=1e5,' || repeat(' ', 40) || 'p=0.01'"
    assert one_thread.value(same.format(text)) == one_thread.value(same.format(f"CASE WHEN i >= 0 THEN {text} END"))
    for other in ("'n=2e5'", "NULL", "'n=1e5 '"):
        with pytest.raises(Refused, match="ink_bloom: other options than in the row before"):
            one_thread.rows(same.format(f"CASE WHEN i % 9 < 8 THEN 'n=1e5' ELSE {other} END"))


def test_the_memory_of_states_has_a_limit() -> None:
    engine = DuckDB(memory="400MB", threads=2)
    engine.rows("CREATE TABLE t AS SELECT range AS k, range % 60 AS g FROM range(100000)")
    with pytest.raises(Refused, match=r"ink_bloom: .*expected at most \d{9}, half of what memory_limit was") as refused:
        engine.rows("SELECT g, ink_bloom(k, 'n=1e7') FROM t GROUP BY g")
    assert int(str(refused.value).split("at most ")[-1].split(",")[0]) == pytest.approx(200_000_000, rel=0.001)
    for _ in range(5):  # what a failed query had is given back
        with pytest.raises(Refused):
            engine.rows("SELECT g, ink_bloom(k, 'n=1e7') FROM t GROUP BY g")
    assert engine.value("SELECT octet_length(ink_bloom(k, 'n=1e7')) FROM t") > 10_000_000


def test_the_limit_of_memory_may_be_terabytes() -> None:
    with pytest.raises(Refused, match="ink_classic: .*expected at most ") as refused:
        DuckDB(memory="2TB").rows("SELECT ink_classic(5, 'bits=8700000000000, hashes=3')")
    assert int(str(refused.value).split("at most ")[-1].split(",")[0]) == pytest.approx(1e12, rel=0.05)


def test_up_to_128_arguments_are_taken(one_thread: DuckDB) -> None:
    assert one_thread.value(f"SELECT ink_tuple({', '.join(['7'] * 128)})") == b"\1\0\0\0" b"7" * 128
    with pytest.raises(Refused, match="ink_tuple: 129 arguments, expected at most 128"):
        one_thread.rows(f"SELECT ink_tuple({', '.join(['7'] * 129)})")


def test_an_interrupt_ends_a_query() -> None:
    """Interrupted again and again, since DuckDB forgets one that comes before the query has begun."""
    engine = DuckDB(threads=2)
    ended = threading.Event()

    def interrupt() -> None:
        while not ended.wait(0.3):
            engine.connection.interrupt()

    thread = threading.Thread(target=interrupt)
    thread.start()
    start = time.monotonic()
    try:
        with pytest.raises(Refused, match="(?i)interrupt"):
            engine.rows("SELECT ink_count_distinct(a.range * b.range) FROM range(1000000) AS a, range(1000000) AS b")
    finally:
        ended.set()
        thread.join()
    assert time.monotonic() - start < 20
    assert engine.value("SELECT ink_count_distinct(5)") == 1


def test_errors_in_the_middle_give_all_memory_back() -> None:
    """A thread of DuckDB may hold the states of some queries longer: 35 fit, 60 would not."""
    engine = DuckDB(memory="4GB", threads=2)
    engine.rows("CREATE TABLE t AS SELECT range AS k FROM range(200000)")
    for _ in range(60):
        with pytest.raises(Refused, match="negative"):
            engine.rows("SELECT ink_bloom(CASE WHEN k < 199999 THEN k ELSE error('negative') END, 'n=2e7') FROM t")
    assert engine.value("SELECT ink_contains(ink_bloom(k, 'n=2e7'), 5) FROM t") is True


def test_connections_and_databases_come_and_go(tmp_path) -> None:
    for _ in range(8):
        engine = DuckDB(str(tmp_path / "a.db"))
        engine.rows("CREATE OR REPLACE TABLE b AS SELECT ink_bloom(range) AS b FROM range(1000)")
        other = engine.connection.cursor()
        assert other.execute("SELECT ink_contains(b, 5) FROM b").fetchall() == [(True,)]
        other.close()
        engine.close()
    assert DuckDB(str(tmp_path / "a.db")).value("SELECT ink_contains(b, 5) FROM b") is True


def test_many_threads_ask_many_filters(four_threads: DuckDB) -> None:
    """Filters in every row, few and many, constants beside: each row is answered from its own."""
    four_threads.rows(
        "CREATE OR REPLACE TABLE f AS SELECT g % 50 AS g, ink_bloom(i, 'n=20000, p=0.001') AS b FROM t GROUP BY ALL"
    )
    wrong = "SELECT count(*) FROM (SELECT t.i, f.b FROM t JOIN f ON t.g % 50 = f.g WHERE t.i < 20000) WHERE NOT ink_contains(b, i)"
    assert four_threads.value(wrong) == 0
    others = "SELECT count(*) FROM (SELECT t.i, f.b FROM t JOIN f ON (t.g + 1) % 50 = f.g WHERE t.i < 20000) WHERE ink_contains(b, i)"
    assert four_threads.value(others) < 80
