"""What PostgreSQL alone has: the type, plans, memory, cancelled queries, roles, dumps, and values with any bytes."""

from __future__ import annotations

import datetime
import pathlib
import random
import struct
import subprocess
import sys
from collections.abc import Iterator

import cancelled
import inkling
import pytest
from conftest import CHOSEN
from engines import PostgreSQL, Refused

psycopg = pytest.importorskip("psycopg")  # not in the environment of the oldest DuckDB

pytestmark = pytest.mark.skipif("postgresql" not in CHOSEN, reason="postgresql is not among INK_SQL_ENGINES")

ROOT = pathlib.Path(__file__).resolve().parents[3]
ROWS = 200_000


@pytest.fixture
def engine() -> Iterator[PostgreSQL]:
    opened = PostgreSQL()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def large() -> Iterator[None]:
    """A table that plans read in parallel: ROWS integers, and texts of which there are 500."""
    made = PostgreSQL()
    made.rows(f"CREATE TABLE public.big AS SELECT i::bigint AS k, 'u' || i % 500 AS s, i % 60 AS g FROM generate_series(1, {ROWS}) AS i")
    made.rows("ANALYZE public.big")
    yield
    made.rows("DROP TABLE public.big")
    made.close()


def status(engine: PostgreSQL, field: str) -> int:
    """In kB, of the engine's process."""
    text = pathlib.Path(f"/proc/{engine.connection.info.backend_pid}/status").read_text(encoding="ascii")
    return int(text.split(f"{field}:")[1].split()[0])


# ---- The type ----


def test_the_text_of_a_sketch_is_the_file_in_base64(engine: PostgreSQL) -> None:
    sketch = engine.value("SELECT ink_bloom(5)")
    assert inkling.Sketch.from_bytes(sketch).digest == engine.value("SELECT ink_digest(ink_bloom(5))")
    assert engine.value("SELECT ?::bytea::ink::text::ink::bytea", sketch) == sketch
    binary = psycopg.Cursor(engine.connection).execute("SELECT ink_bloom(5)", binary=True).fetchone()
    assert binary == (sketch,)
    assert engine.rows("SELECT typstorage FROM pg_type WHERE typname = 'ink'") == [("e",)]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("''", "ink: 0 bytes"),
        ("'x'", "ink: a text that is no base64"),
        ("'eA=='", "ink: 1 byte"),
        (r"'\x00'::bytea", "ink: 1 byte"),
        (r"(SELECT ink_bloom(5)::bytea || '\x00')", "ink: "),
    ],
)
def test_only_whole_files_become_values(engine: PostgreSQL, value: str, message: str) -> None:
    with pytest.raises(Refused, match=message[:5]):
        engine.rows(f"SELECT {value}::ink")
    engine.table("v", {"b": "stored"}, [])
    with pytest.raises(Refused, match=message[:5]):
        engine.rows(f"INSERT INTO v VALUES ({value})")


def test_binary_input_is_a_whole_file(engine: PostgreSQL) -> None:
    whole = engine.value("SELECT ink_bloom(5)")
    engine.table("v", {"b": "stored"}, [])
    for value in (whole, whole[:-1], b"", whole[:-1] + bytes([whole[-1] ^ 1])):
        rows = b"PGCOPY\n\xff\r\n\0" + struct.pack("!iihi", 0, 0, 1, len(value)) + value + struct.pack("!h", -1)

        def copy(rows: bytes = rows) -> None:
            with engine.connection.cursor().copy("COPY v FROM STDIN WITH (FORMAT binary)") as to:
                to.write(rows)

        if value == whole:
            copy()
        else:
            with pytest.raises(psycopg.Error, match="ink: "):
                copy()
    assert engine.rows("SELECT b FROM v") == [(whole,)]


def test_values_are_equal_by_digest(engine: PostgreSQL) -> None:
    engine.rows("CREATE TABLE v AS SELECT g % 3 AS g, ink_theta(k) AS b FROM generate_series(1, 300) AS k, generate_series(1, 9) AS g GROUP BY g")
    engine.rows("INSERT INTO v SELECT 4, ink_theta(k) FROM generate_series(1, 299) AS k")
    assert engine.value("SELECT count(*) FROM (SELECT DISTINCT b FROM v) AS x") == 2
    assert engine.rows("SELECT count(*) FROM v GROUP BY b ORDER BY 1") == [(1,), (9,)]
    engine.rows("SET enable_mergejoin = off")
    engine.rows("SET enable_nestloop = off")
    assert engine.value("SELECT count(*) FROM v AS x JOIN v AS y USING (b)") == 82
    assert engine.value("SELECT count(*) FROM v AS x, v AS y WHERE x.b <> y.b") == 18
    hashes = "SELECT inkling_hash_extended(b, 0)::bit(32)::int = inkling_hash(b), inkling_hash_extended(b, 1) <> inkling_hash_extended(b, 0) FROM v"
    assert set(engine.rows(hashes)) == {(True, True)}  # as hash indexes and hash partitions need them
    with pytest.raises(Refused, match="could not identify an ordering operator"):
        engine.rows("SELECT b FROM v ORDER BY b")


def test_equal_content_in_other_bytes_is_equal(engine: PostgreSQL, ink, tmp_path: pathlib.Path) -> None:
    ink("build", "bloom", "-n", 100, "--key-type", "int", "-o", "x.ink", data=b"5\n")
    theirs = (tmp_path / "x.ink").read_bytes()
    ours = engine.value("SELECT ink_bloom(5, 'n=100')")
    assert theirs != ours
    assert engine.rows("SELECT ?::ink = ?::ink, inkling_hash(?::ink) = inkling_hash(?::ink)", ours, theirs, ours, theirs) == [(True, True)]


def test_what_psql_shows(engine: PostgreSQL, tmp_path: pathlib.Path) -> None:
    """By pg_regress, which compares it with adapters/postgresql/expected."""
    server, folder = engine.server, ROOT / "adapters/postgresql"
    rules = subprocess.run([server.bin / "pg_config", "--pgxs"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    program = pathlib.Path(rules).parents[1] / "test/regress/pg_regress"
    if subprocess.run([program, "--version"], env=server.environment, stdout=subprocess.DEVNULL, check=False).returncode < 0:
        pytest.skip("the pg_regress of this package crashes")
    options = f"--inputdir={folder} --outputdir={tmp_path} --host={server.socket} --user=postgres --dbname=regression"
    done = server.make("installcheck", f"REGRESS_OPTS={options}")
    differences = tmp_path / "regression.diffs"
    assert done.returncode == 0, done.stdout + (differences.read_text() if differences.exists() else "")


# ---- Keys ----

ACCEPTED = [
    ("5::smallint", [5]),
    ("-7::integer", [-7]),
    ("9223372036854775807", [2**63 - 1]),
    ("'a ä'::varchar", ["a ä"]),
    ("'ab'::char(5)", ["ab"]),
    ("'ab'::name", ["ab"]),
    ("'ab'", ["ab"]),
    (r"'\x00ff'::bytea", [b"\0\xff"]),
    ("date '2026-03-02'", [datetime.date(2026, 3, 2).toordinal() - datetime.date(1970, 1, 1).toordinal()]),
    ("date '0001-12-31 BC'", [-719163]),
    ("timestamp '1970-01-01 00:00:01.5'", [1_500_000]),
    ("timestamptz '2000-01-01 00:00:00+01'", [(946684800 - 3600) * 1_000_000]),
    ("7::pg_temp.small", [7]),
]


@pytest.mark.parametrize(("key", "same"), ACCEPTED, ids=[row[0] for row in ACCEPTED])
def test_types_that_are_keys(engine: PostgreSQL, key: str, same: list[object]) -> None:
    engine.rows("CREATE DOMAIN pg_temp.small AS integer CHECK (VALUE < 10)")
    kind = "int" if isinstance(same[0], int) else "bytes"
    assert engine.value(f"SELECT ink_digest(ink_hll({key}))") == inkling.Sketch("hll", key_type=kind).add(same).digest
    assert engine.value(f"SELECT ink_contains(ink_bloom({key}), {key})")


REFUSED = [
    ("1.5", "numeric"),
    ("1.5::real", "real"),
    ("1.5::float8", "double precision"),
    ("true", "boolean"),
    ("time '12:00'", "time without time zone"),
    ("interval '1 day'", "interval"),
    ("'{}'::json", "json"),
    ("'{}'::jsonb", "jsonb"),
    ("ARRAY[1]", r"integer\[\]"),
    ("gen_random_uuid()", "uuid"),
    ("inet '::1'", "inet"),
    ("'a'::pg_temp.letter", "letter"),
    ("ROW(1, 2)", "record"),
    ("5::oid", "oid"),
    ("ink_hll(5)", "ink"),
]


@pytest.mark.parametrize(("key", "name"), REFUSED, ids=[row[1] for row in REFUSED])
def test_types_that_are_not(engine: PostgreSQL, key: str, name: str) -> None:
    engine.rows("CREATE TYPE pg_temp.letter AS ENUM ('a', 'b')")
    for call in (f"ink_bloom(x.k) FROM (SELECT {key} AS k) AS x", f"ink_contains(ink_bloom(5), {key})", f"ink_tuple(1, {key})"):
        with pytest.raises(Refused, match=rf"ink_\w+: a key of type (\S+\.)?{name}, expected .*; cast it: key::text"):
            engine.rows(f"SELECT {call}")
    if name not in ("record", "ink"):
        assert engine.value(f"SELECT ink_count_distinct(({key})::text)") == 1


@pytest.mark.parametrize("key", ["date 'infinity'", "timestamp '-infinity'", "timestamptz 'infinity'"])
def test_infinity_is_refused(engine: PostgreSQL, key: str) -> None:
    with pytest.raises(Refused, match="ink_hll: a key that is an infinite date or timestamp"):
        engine.rows(f"SELECT ink_hll({key})")


def test_a_timestamp_that_does_not_fit(engine: PostgreSQL) -> None:
    with pytest.raises(Refused, match="ink_hll: a timestamp that does not fit"):
        engine.rows("SELECT ink_hll(timestamp '294276-12-31 23:59:59')")


def test_text_that_is_no_utf_8_is_refused(engine: PostgreSQL) -> None:
    engine.rows("CREATE DATABASE latin TEMPLATE template0 ENCODING LATIN1 LC_COLLATE 'C' LC_CTYPE 'C'")
    latin = PostgreSQL("latin")
    try:
        for sql in ("SELECT ink_hll('a'::text)", "SELECT ink_contains(ink_bloom(5), 'a')", "SELECT ink_tuple('a'::char(3))"):
            with pytest.raises(Refused, match=r"ink_\w+: a text key in a database whose encoding is LATIN1.*convert_to"):
                latin.rows(sql)
        assert latin.value("SELECT ink_count_distinct(k, 'precision=10') FROM generate_series(1, 5) AS k") == 5
        made = latin.value("SELECT ink_digest(ink_hll(convert_to(chr(228), 'UTF8')))")
        assert made == inkling.Sketch("hll").add(["ä"]).digest
        top = engine.value("SELECT ink_top('ä'::text)")
        assert latin.value("SELECT key FROM ink_top_keys({sketch})".format(**latin.words), top) == "ä"
    finally:
        latin.close()
        engine.rows("DROP DATABASE latin")


@pytest.mark.parametrize("storage", ["MAIN", "EXTERNAL", "EXTENDED"])
def test_texts_are_keys_however_they_are_stored(engine: PostgreSQL, storage: str) -> None:
    """Compressed, out of line, and both."""
    words = [letter * size + str(i) for letter in "ab" for size in (1, 200, 3000, 20000) for i in range(9)]
    words += ["".join(random.Random(i).choices("abcdefghijklmnopqrstuvwxyz", k=9000)) for i in range(9)]
    engine.rows("CREATE TABLE pg_temp.words(k text)")
    engine.rows(f"ALTER TABLE pg_temp.words ALTER k SET STORAGE {storage}")
    engine.fill("pg_temp.words", 1, [(word,) for word in words])
    assert engine.value("SELECT ink_digest(ink_hll(k)) FROM words") == inkling.Sketch("hll").add(words).digest
    assert engine.value("SELECT count(*) FROM words WHERE ink_contains((SELECT ink_bloom(k) FROM words), k)") == len(words)


# ---- Plans ----

AGGREGATES = [
    "ink_hll(k)",
    "ink_theta(s)",
    "ink_bloom(k)",
    "ink_bloom(s, 'n=1000')",
    "ink_classic(k, 'n=1e5')",
    "ink_counting(k, 'n=1e5')",
    "ink_fuse(k)",
    "ink_count_min(s, k)",
    "ink_top(s)",
]


def plan(engine: PostgreSQL, sql: str) -> str:
    return "\n".join(row[0] for row in engine.rows(f"EXPLAIN (COSTS OFF) {sql}"))


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_aggregates_run_in_parallel(engine: PostgreSQL, large: None, aggregate: str) -> None:
    sql = f"SELECT ink_digest({aggregate}) FROM big"
    engine.rows("SET max_parallel_workers_per_gather = 0")
    alone = engine.value(sql)
    for setting in ("max_parallel_workers_per_gather = 2", "parallel_setup_cost = 0", "min_parallel_table_scan_size = 0"):
        engine.rows(f"SET {setting}")
    planned = plan(engine, sql)
    assert "Finalize Aggregate" in planned and "Partial Aggregate" in planned and "Workers Planned: 2" in planned, planned
    assert engine.value(sql) == alone
    # By group, of which some are not in each worker.
    grouped = f"SELECT k % 3 AS g, ink_digest({aggregate}) FROM big WHERE k % 1000 < 500 GROUP BY 1 ORDER BY 1"
    together = engine.rows(grouped)
    engine.rows("SET max_parallel_workers_per_gather = 0")
    assert engine.rows(grouped) == together


def test_a_parallel_aggregate_of_nothing(engine: PostgreSQL, large: None) -> None:
    for setting in ("max_parallel_workers_per_gather = 2", "parallel_setup_cost = 0", "min_parallel_table_scan_size = 0"):
        engine.rows(f"SET {setting}")
    sql = "SELECT ink_hll(k), ink_count_distinct(k), ink_bloom(NULLIF(k, k)) FROM big WHERE s = 'none'"
    assert "Partial Aggregate" in plan(engine, sql)
    assert engine.rows(sql) == [(None, 0, None)]
    with pytest.raises(Refused, match="ink_bloom: p 7"):
        engine.rows("SELECT ink_bloom(k, 'p=7') FROM big")


def test_hash_aggregation_spills(engine: PostgreSQL, large: None) -> None:
    """60 groups of 13 MB, in a work_mem of 64 MB."""
    for setting in ("work_mem = '64MB'", "max_parallel_workers_per_gather = 0", "enable_sort = off"):
        engine.rows(f"SET {setting}")
    sql = "SELECT g, ink_rate(ink_bloom(k, 'n=1e7')) FROM big GROUP BY g"
    text = "\n".join(row[0] for row in engine.rows(f"EXPLAIN ANALYZE {sql}"))
    assert "HashAggregate" in text and "Disk Usage" in text, text
    assert status(engine, "VmHWM") < 2.5 * 64 * 1024
    spilled = engine.rows("SELECT g, ink_digest(ink_bloom(k, 'n=1e6')) FROM big GROUP BY g ORDER BY g")
    engine.rows("SET work_mem = '1GB'")
    assert engine.rows("SELECT g, ink_digest(ink_bloom(k, 'n=1e6')) FROM big GROUP BY g ORDER BY g") == spilled


def test_windows_of_any_frame(engine: PostgreSQL) -> None:
    rows = engine.rows(
        "SELECT k, ink_count_distinct(k % 7) OVER (ORDER BY k ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING), "
        "ink_distinct(ink_theta(k) OVER (ORDER BY k)), ink_count_distinct(k) OVER (PARTITION BY k % 2) "
        "FROM generate_series(1, 50) AS k ORDER BY k"
    )
    assert rows == [(k, min(k - 1, 3), k, 25) for k in range(1, 51)]


def test_sets_of_groups_and_distinct(engine: PostgreSQL) -> None:
    rows = engine.rows(
        "SELECT a, b, ink_count_distinct(k), ink_count(ink_count_min(DISTINCT k % 2), 1) FROM (SELECT k, k % 2 AS a, k % 3 AS b FROM generate_series(1, 60) AS k) AS x "
        "GROUP BY GROUPING SETS ((a), (b), ()) ORDER BY a, b"
    )
    assert [row[2:] for row in rows] == [(30, 0), (30, 1), (20, 1), (20, 1), (20, 1), (60, 1)]


def test_a_function_called_with_other_filters_in_a_loop(engine: PostgreSQL) -> None:
    """Filters that are stored out of line, in a loop whose expressions are kept: each is asked for its own keys."""
    engine.rows("CREATE TABLE f AS SELECT g, ink_bloom(k, 'n=5000') AS b FROM generate_series(1, 9000) AS k, LATERAL (SELECT k % 3 AS g) AS x GROUP BY g")
    engine.rows(
        "CREATE FUNCTION pg_temp.members() RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE one record; found bigint := 0; BEGIN "
        "FOR round IN 1..5 LOOP FOR one IN SELECT * FROM f LOOP "
        "IF ink_contains(one.b, one.g + 3) AND NOT ink_contains(one.b, one.g + 4) THEN found := found + 1; END IF; "
        "UPDATE f SET b = ink_union(b, b) WHERE g = one.g; END LOOP; END LOOP; RETURN found; END $$"
    )
    assert engine.value("SELECT pg_temp.members()") == 15


def test_filters_in_a_row_out_of_line_and_inline_by_turns(engine: PostgreSQL) -> None:
    engine.rows("CREATE TABLE f AS SELECT 1 AS g, ink_bloom(1, 'n=9000, p=0.0001') AS b UNION ALL SELECT 2, ink_bloom(2, 'n=5, p=0.0001')")
    assert engine.rows("SELECT pg_column_size(b) > 8000 FROM f ORDER BY g") == [(True,), (False,)]
    asked = "SELECT r.g, ink_contains(b, r.g::bigint), ink_contains(b, 3 - r.g) FROM (SELECT f.* FROM generate_series(1, 3) AS t, f ORDER BY t, g OFFSET 0) AS r"
    assert engine.rows(asked) == [(1, True, False), (2, True, False)] * 3


def test_what_plans_may_do_with_each_function(engine: PostgreSQL) -> None:
    """Only those that open files may answer otherwise the next time; all run in parallel workers; parts of aggregates see NULL."""
    members = (
        "SELECT proname, provolatile, proparallel, proisstrict FROM pg_depend JOIN pg_extension e ON refobjid = e.oid "
        "JOIN pg_proc p ON objid = p.oid WHERE deptype = 'e' AND extname = 'inkling' AND classid = 'pg_proc'::regclass AND prokind <> 'a'"
    )
    found = engine.rows(members)
    assert len(found) > 50 and {row[2] for row in found} == {"s"}
    assert {name for name, volatile, *_ in found if volatile != "i"} == {"ink_contains_file", "ink_read"}
    lax = {name for name, _, _, strict in found if not strict}
    assert {name.split("_step_")[0] for name in lax} == {"inkling", "inkling_finish", "inkling_finish_count", "inkling_combine"}
    casts = "SELECT castcontext FROM pg_cast WHERE 'ink'::regtype IN (castsource, casttarget) AND 'bytea'::regtype IN (castsource, casttarget)"
    assert engine.rows(casts) == [("a",), ("a",)]


def test_the_extension_moves_to_another_schema(engine: PostgreSQL) -> None:
    engine.rows("BEGIN")
    engine.rows("CREATE SCHEMA moved")
    engine.rows("ALTER EXTENSION inkling SET SCHEMA moved")
    assert engine.value("SELECT moved.ink_distinct(moved.ink_merge(b)) FROM (SELECT moved.ink_hll(k) AS b FROM generate_series(1, 3) AS k) AS x") == 3
    engine.rows("ROLLBACK")


def test_a_message_that_is_cut_ends_with_a_whole_letter(engine: PostgreSQL) -> None:
    for path in ("ä" * 900, "x" + "ä" * 900):
        with pytest.raises(Refused, match="^ink_contains_file: x?ä{300,}$"):
            engine.rows("SELECT ink_contains_file(?, 5)", path)


# What fails, and the SQLSTATE of it.
STATES = [
    ("SELECT ink_bloom(5, 'p=7')", "22023"),
    ("SELECT ink_distinct(pg_temp.unchecked('x'))", "XX001"),
    ("SELECT 'x'::ink", "22P02"),
    ("SELECT 'eA=='::ink", "XX001"),
    ("SELECT ink_contains(ink_bloom(5), 'a')", "42804"),
    ("SELECT ink_contains(ink_hll(5), 5)", "0A000"),
    ("SELECT ink_bloom(k, 'memory=2K') FROM generate_series(1, 5000) AS k", "54000"),
    ("SELECT ink_contains_file('/no/such', 5)", "58030"),
]


@pytest.mark.parametrize(("sql", "state"), STATES, ids=[row[1] for row in STATES])
def test_errors_have_their_sqlstate(engine: PostgreSQL, sql: str, state: str) -> None:
    with pytest.raises(psycopg.Error) as refused:
        engine.connection.execute(sql)
    assert refused.value.sqlstate == state


# ---- Ends before the end ----


@pytest.mark.parametrize("sql", cancelled.QUERIES)
def test_a_query_is_cancelled(engine: PostgreSQL, sql: str) -> None:
    """Within 0.1 s, which a machine that does other things may exceed."""
    chance = random.Random(sql)
    ends = [cancelled.cancel(engine, sql, chance.uniform(0.05, 0.35)) for _ in range(8)]
    assert all("canceling statement" in said for _, said in ends), ends
    assert sorted(ends)[3][0] < 0.1 and sorted(ends)[-1][0] < 2, ends
    assert engine.value("SELECT ink_count_distinct(5)") == 1


def test_memory_is_flat_after_errors(engine: PostgreSQL) -> None:
    """Errors in the middle of an aggregate that holds 13 MB, and of a question."""
    failing = (
        "SELECT ink_bloom(k, 'n=1e7, p=0.' || CASE WHEN k < 2000 THEN '01' ELSE '02' END) FROM generate_series(1, 3000) AS k",
        "SELECT ink_contains((SELECT ink_bloom(k, 'n=1e7') FROM generate_series(1, 9) AS k), 1 / (5 - k)) FROM generate_series(1, 9) AS k",
        "SELECT ink_contains(ink_bloom(k, 'n=1e7'), 'a') FROM generate_series(1, 9) AS k",
        "SELECT * FROM ink_top_keys((SELECT ink_hll(k) FROM generate_series(1, 9) AS k))",
    )
    for sql in failing:
        after = []
        for _ in range(20):
            with pytest.raises(Refused):
                engine.rows(sql)
            after.append(status(engine, "VmRSS"))
        assert after[-1] - after[5] < 4096, (sql, after)


# ---- Files, roles, dumps, versions ----


@pytest.mark.parametrize("sql", ["SELECT ink_contains_file('{}', 5)", "SELECT kind FROM ink_read('{}')"])
def test_files_need_a_role(engine: PostgreSQL, tmp_path: pathlib.Path, sql: str) -> None:
    (tmp_path / "x.ink").write_bytes(engine.value("SELECT ink_bloom(5)"))
    sql = sql.format(tmp_path / "x.ink")
    engine.rows("CREATE ROLE visitor LOGIN")
    visitor = PostgreSQL(user="visitor")
    try:
        with pytest.raises(Refused, match=r"ink_\w+: permission denied"):
            visitor.rows(sql)
        assert visitor.value("SELECT ink_count_distinct(5)") == 1
        engine.rows("GRANT pg_read_server_files TO visitor")
        assert visitor.value(sql) in (True, "bloom")
    finally:
        visitor.close()
        engine.rows("DROP ROLE visitor")


def test_each_row_asks_the_file_of_its_path(engine: PostgreSQL, tmp_path: pathlib.Path) -> None:
    for key in (1, 2):
        (tmp_path / f"{key}.ink").write_bytes(engine.value("SELECT ink_bloom(?, 'p=0.0001')", key))
    engine.rows("CREATE TABLE paths AS SELECT 1 + i % 2 AS k, ? || '/' || 1 + i % 2 || '.ink' AS path FROM generate_series(1, 9) AS i", str(tmp_path))
    assert set(engine.rows("SELECT ink_contains_file(path, k), ink_contains_file(path, 3 - k) FROM paths")) == {(True, False)}


def test_a_statement_looks_at_its_file_and_role_anew(engine: PostgreSQL, tmp_path: pathlib.Path) -> None:
    """Also where PL/pgSQL keeps what it made of an expression, as within a transaction."""
    path = tmp_path / "x.ink"
    ask = f"SELECT public.asks('{path}', 5)"
    path.write_bytes(engine.value("SELECT ink_bloom(5)"))
    engine.rows(
        "CREATE FUNCTION public.asks(path text, k bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN ink_contains_file(path, k); END $$"
    )
    engine.rows("CREATE ROLE guest")
    try:
        engine.rows("BEGIN")
        assert engine.value(ask) is True
        (tmp_path / "new").write_bytes(engine.value("SELECT ink_bloom(6, 'p=0.0001')"))
        (tmp_path / "new").rename(path)
        assert engine.value(ask) is False
        with pytest.raises(Refused, match="ink_contains_file: permission denied"):
            engine.rows(f"{ask}; SET LOCAL ROLE guest; {ask}")  # of one time
    finally:
        engine.rows("ROLLBACK")
        engine.rows("DROP FUNCTION public.asks")
        engine.rows("DROP ROLE guest")


def test_a_dump_is_restored(engine: PostgreSQL, tmp_path: pathlib.Path) -> None:
    engine.rows("CREATE TABLE public.kept AS SELECT g, ink_bloom(k) AS seen, ink_top(k, g) AS most FROM generate_series(1, 20000) AS k, generate_series(1, 3) AS g GROUP BY g")
    digests = "SELECT g, ink_digest(seen), ink_digest(most) FROM kept ORDER BY g"
    run, to = engine.server.bin, ["-h", engine.server.socket, "-U", "postgres"]
    environment = engine.server.environment
    for words in ((), ("-Fc",)):
        engine.rows("CREATE DATABASE other TEMPLATE template0")
        dump = subprocess.run([run / "pg_dump", *to, *words, "postgres"], env=environment, check=True, capture_output=True).stdout
        restore = ["pg_restore", *to, "-e", "-d", "other"] if words else ["psql", *to, "-Xqv", "ON_ERROR_STOP=1", "other"]
        subprocess.run([run / restore[0], *restore[1:]], input=dump, env=environment, check=True, capture_output=True)
        other = PostgreSQL("other")
        assert other.rows(digests) == engine.rows(digests)
        other.close()
        engine.rows("DROP DATABASE other")
    (tmp_path / "kept.bin").touch(mode=0o666)
    (tmp_path / "kept.bin").chmod(0o666)
    engine.rows(f"COPY kept TO '{tmp_path}/kept.bin' WITH (FORMAT binary)")
    engine.rows("CREATE TABLE again (LIKE public.kept)")
    engine.rows(f"COPY again FROM '{tmp_path}/kept.bin' WITH (FORMAT binary)")
    assert engine.rows(digests.replace("kept", "again")) == engine.rows(digests)
    engine.rows("DROP TABLE public.kept")


def test_an_older_version_is_upgraded(engine: PostgreSQL) -> None:
    """One without a function, and with others that have less of a description."""
    folder = next((engine.server.folder / "copy").rglob("extension/inkling.control")).parent
    version = engine.value("SELECT ink_version()")
    create = (folder / f"inkling--{version}.sql").read_text(encoding="utf-8")
    start = create.index("CREATE FUNCTION ink_overlap")
    older = create[:start] + create[create.index("CREATE FUNCTION", start + 1) :]
    (folder / "inkling--0.0.1.sql").write_text(older, encoding="utf-8")
    script = engine.server.built / "script"
    upgrade = subprocess.run([script, "upgrade"], check=True, capture_output=True).stdout
    (folder / f"inkling--0.0.1--{version}.sql").write_bytes(upgrade)
    engine.rows("CREATE DATABASE old TEMPLATE template0")
    old = PostgreSQL("old", version="0.0.1")
    old.rows("CREATE TABLE kept AS SELECT ink_theta(5) AS b")
    with pytest.raises(Refused, match=r"function ink_overlap\(ink, ink\) does not exist"):
        old.rows("SELECT ink_overlap(b, b) FROM kept")
    old.rows("ALTER EXTENSION inkling UPDATE")
    assert '"union":1' in old.value("SELECT ink_overlap(b, b) FROM kept")
    functions = "SELECT count(*) FROM pg_depend JOIN pg_extension e ON refobjid = e.oid WHERE deptype = 'e' AND extname = 'inkling'"
    assert old.value(functions) == engine.value(functions)
    old.rows("DROP EXTENSION inkling CASCADE")
    old.close()
    engine.rows("DROP DATABASE old")


# ---- Any bytes ----

sys.path.insert(0, str(ROOT / "tests/spec_reader"))

ASKED = (
    "ink_distinct({})", "ink_info({})", "ink_contains({}, 5)", "ink_contains({}, 'a')", "ink_count({}, 5)", "ink_rate({})",
    "ink_digest({})", "ink_merge({})", "ink_file({}, 1)", "ink_union({0}, {0})", "ink_intersect({0}, {0})", "ink_difference({0}, {0})",
    "ink_overlap({0}, {0})", "ink_fold({}, 0.5)", "({0}) = ink_hll(5)", "inkling_hash({})", "(SELECT count(*) FROM ink_top_keys({}))",
)  # fmt: skip


def resealed(value: bytes, whole: bytes) -> bytes:
    """With checksums that are right again, those of the payload's pieces too: these are where `whole` has them."""
    import xxhash
    from ink_reader import PIECE_BYTES
    from ink_writer import reseal

    out = bytearray(value)
    directory, payload = struct.unpack_from("<QQ", whole, 40)
    for start in range(64 + directory, 64 + directory + payload, PIECE_BYTES):
        piece = slice(start, min(start + PIECE_BYTES, 64 + directory + payload))
        at = whole.index(struct.pack("<Q", xxhash.xxh3_64_intdigest(whole[piece])), 64, 64 + directory)
        struct.pack_into("<Q", out, at, xxhash.xxh3_64_intdigest(bytes(out[piece])))
    return reseal(bytes(out))


@pytest.mark.parametrize("aggregate", ["ink_bloom(k, 'n=300')", "ink_classic(k)", "ink_counting(k)", "ink_fuse(k)", "ink_hll(k)", "ink_theta(k)", "ink_count_min(k, 'eps=0.05')", "ink_top(k)", "ink_top(s)"])
def test_damaged_values_are_errors_and_never_a_crash(engine: PostgreSQL, aggregate: str) -> None:
    """Truncated, flipped, overwritten, and the same with checksums that are right again: what is as good as a
    file may answer; the server is there afterwards, in the same session."""
    whole = engine.value(f"SELECT {aggregate} FROM (SELECT k, k || 'x' AS s FROM generate_series(1, 200) AS k) AS x")
    chance = random.Random(aggregate)
    refused = answered = 0
    for i in range(120):
        at = chance.randrange(len(whole)) if i % 2 else chance.randrange(64 + struct.unpack_from("<Q", whole, 40)[0])
        value = bytearray(whole)
        if i % 5 == 0:
            value = value[:at]
        elif i % 5 == 1:
            value[at : at + 8] = struct.pack("<Q", chance.choice((0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1)))[: len(value) - at]
        else:
            value[at] ^= 1 << chance.randrange(8)
        sealed = i % 3 > 0 and i % 5 > 0 and len(value) == len(whole)
        given = resealed(bytes(value), whole) if sealed else bytes(value)
        for call in chance.sample(ASKED, 5):
            parameters = [given] * (2 if "{0}, {0}" in call else 1)
            try:
                engine.rows(f"SELECT {call.format(engine.words['sketch'])}", *parameters)
                answered += 1
                assert sealed or given == whole, (i, call)
            except Refused as error:
                refused += 1
                assert "server closed" not in str(error) and "terminat" not in str(error), (i, call)
    assert refused > 100
    assert engine.value("SELECT ink_count_distinct(5)") == 1
