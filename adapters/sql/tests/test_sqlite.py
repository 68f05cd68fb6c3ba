"""What SQLite alone has: two entry points, the shell, and what its own sqlite3 of Python loads."""

from __future__ import annotations

import os
import pathlib
import shutil
import sqlite3
import subprocess

import pytest

apsw = pytest.importorskip("apsw")  # not in the environment of the oldest DuckDB
from conftest import CHOSEN
from engines import BUILT, Refused, SQLite

ROOT = pathlib.Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.skipif("sqlite" not in CHOSEN, reason="sqlite is not among INK_SQL_ENGINES")


def test_files_need_the_second_entry_point() -> None:
    plain = SQLite(files=False)
    for sql in ("SELECT ink_contains_file('x', 1)", "SELECT * FROM ink_read('x')"):
        with pytest.raises(Refused, match="no such"):
            plain.rows(sql)
    assert plain.value("SELECT ink_count_distinct(5)") == 1


@pytest.mark.parametrize("body", ["SELECT ink_contains_file('x', 1)", "SELECT kind FROM ink_read('x')"])
def test_files_are_opened_by_top_level_sql_alone(body: str) -> None:
    engine = SQLite()
    engine.rows(f"CREATE VIEW v AS {body}")
    with pytest.raises(Refused, match=r"unsafe use of"):
        engine.rows("SELECT * FROM v")


def test_all_others_are_innocuous_and_deterministic() -> None:
    """A view of a database that is not trusted may call them, and an index may be on what they give."""
    engine = SQLite()
    engine.rows("CREATE TABLE t AS SELECT column1 AS a, column1 || 'x' AS b FROM (VALUES (1), (2))")
    engine.rows("CREATE VIEW v AS SELECT key, ink_tuple(key) AS k FROM (SELECT ink_top(b) AS b FROM t) AS x, ink_top_keys(x.b) ORDER BY key")
    engine.rows("PRAGMA trusted_schema = OFF")
    assert engine.rows("SELECT * FROM v") == [("1x", b"\2\0\0\0" b"1x"), ("2x", b"\2\0\0\0" b"2x")]
    engine.rows("CREATE INDEX i ON t(ink_tuple(a, b))")
    assert "USING INDEX i" in str(engine.rows("EXPLAIN QUERY PLAN SELECT a FROM t WHERE ink_tuple(a, b) = ink_tuple(2, '2x')"))
    assert engine.rows("SELECT a FROM t WHERE ink_tuple(a, b) = ink_tuple(2, '2x')") == [(2,)]


def test_the_arguments_of_a_table_function_are_hidden_columns() -> None:
    engine = SQLite()
    top = engine.value("SELECT ink_top(column1) FROM (VALUES ('a'), ('a'), ('b'))")
    assert engine.rows('SELECT rowid, * FROM ink_top_keys WHERE "of k" = 1 AND "of sketch" = ?', top) == [(1, "a", 2, 2, 2)]
    assert engine.rows('SELECT "of k" FROM ink_top_keys(?, 1)', top) == [(None,)]


def test_what_is_no_argument_of_a_table_function_is_a_condition() -> None:
    """Hidden columns are NULL in rows: no comparison with one holds."""
    engine = SQLite()
    top = engine.value("SELECT ink_top(column1) FROM (VALUES ('a'), ('a'), ('b'))")
    assert engine.rows('SELECT key FROM ink_top_keys(?) WHERE "of k" > 1', top) == []
    assert engine.rows('SELECT key FROM ink_top_keys(?) WHERE "of sketch" = ?', top, top) == []


def test_up_to_128_arguments_are_taken() -> None:
    engine = SQLite()
    assert engine.value(f"SELECT ink_tuple({', '.join(['7'] * 128)})") == b"\1\0\0\0" b"7" * 128
    with pytest.raises(Refused, match="too many arguments"):
        engine.rows(f"SELECT ink_tuple({', '.join(['7'] * 129)})")


def test_want_of_memory_is_that_of_sqlite() -> None:
    engine = SQLite()
    apsw.hard_heap_limit(8 << 20)
    try:
        with pytest.raises(apsw.NoMemError):
            engine.connection.execute("SELECT length(ink_bloom(5, 'n=1e8'))").fetchall()
    finally:
        apsw.hard_heap_limit(0)
    assert engine.value("SELECT ink_count_distinct(5)") == 1


def test_rows_of_a_file_are_those_of_when_it_was_opened(tmp_path: pathlib.Path) -> None:
    engine = SQLite()
    path = tmp_path / "f.ink"
    engine.rows("CREATE TABLE b AS SELECT value AS k, ink_bloom(value, 'n=9000') AS b FROM json_each('[1,2,3,4,5,6]') GROUP BY k")
    path.write_bytes(engine.value("SELECT ink_file(b, k) FROM b"))
    expected = engine.rows("SELECT label, ink_digest(sketch) FROM ink_read(?)", str(path))
    rows = engine.connection.execute("SELECT label, ink_digest(sketch) FROM ink_read(?)", (str(path),))
    found = [next(rows)]
    path.write_bytes(bytes(path.stat().st_size))
    assert [*found, *rows] == expected


def test_windows_that_leave_rows_are_refused() -> None:
    with pytest.raises(Refused, match="ink_count_distinct: rows that leave the window"):
        SQLite().rows(
            "SELECT ink_count_distinct(column1) OVER (ORDER BY column1 ROWS 1 PRECEDING) "
            "FROM (VALUES (1), (2), (3))"
        )


def test_mixed_types_in_one_column_are_refused() -> None:
    with pytest.raises(Refused, match="ink_hll: a text key and a sketch of integers"):
        SQLite().rows("SELECT ink_hll(column1) FROM (VALUES (1), ('a'))")


def test_what_is_no_sketch_is_refused() -> None:
    for value in ("5", "'text'", "1.5"):
        with pytest.raises(Refused, match="expected"):
            SQLite().rows(f"SELECT ink_distinct({value})")
    with pytest.raises(Refused, match="ink_top_keys: no argument"):
        SQLite().rows("SELECT * FROM ink_top_keys")


def test_text_in_utf_16_is_the_same_key() -> None:
    wide = SQLite()
    wide.rows("PRAGMA encoding = 'UTF-16le'")
    assert wide.value("SELECT ink_digest(ink_bloom('aäß€😀'))") == SQLite().value("SELECT ink_digest(ink_bloom('aäß€😀'))")


def test_a_table_function_is_joined() -> None:
    engine = SQLite()
    engine.rows("CREATE TABLE b AS SELECT column1 AS g, ink_top(column1 || 'x') AS top FROM (VALUES (1), (2)) GROUP BY 1")
    assert engine.rows("SELECT g, key, estimate FROM b, ink_top_keys(b.top, 1) ORDER BY g") == [(1, "1x", 1), (2, "2x", 1)]


def test_statements_that_are_used_again() -> None:
    """A prepared statement with another filter for its parameter answers from that one."""
    engine = SQLite()
    first, second = (engine.value(f"SELECT ink_bloom({key})") for key in (1, 2))
    for _ in range(3):
        assert engine.value("SELECT ink_contains(?, 1)", first) == 1
        assert engine.value("SELECT ink_contains(?, 1)", second) == 0


@pytest.mark.skipif(os.environ.get("INK_SAN", "") != "", reason="a sanitizer keeps what is freed")
def test_connections_come_and_go_with_all_that_they_keep() -> None:
    after = []
    for _ in range(40):
        engine = SQLite()
        engine.value("SELECT ink_contains(ink_bloom(5, 'n=1e6'), 5)")
        engine.close()
        after.append(memory())
    assert after[-1] - after[9] < 16 << 20, after


def test_values_outlive_their_row(tmp_path: pathlib.Path) -> None:
    """Those of an aggregate over the rows of a table function."""
    engine = SQLite()
    top = engine.value("SELECT ink_top(value) FROM json_each('[7, 31, 42, 64, 50]')")
    assert engine.rows("SELECT min(key), max(key) FROM ink_top_keys(?)", top) == [("31", "7")]
    made = [engine.value("SELECT ink_bloom(?, 'n=1000')", key) for key in range(9)]
    engine.rows("CREATE TABLE t(i, b BLOB)")
    for i, b in enumerate(made):
        engine.rows("INSERT INTO t VALUES (?, ?)", i, b)
    (tmp_path / "f.ink").write_bytes(engine.value("SELECT ink_file(b, i) FROM t"))
    path = str(tmp_path / "f.ink")
    found = {row[0] for row in engine.rows("SELECT sketch FROM ink_read(?)", path)}
    assert engine.rows("SELECT min(sketch), max(sketch) FROM ink_read(?)", path) == [(min(found), max(found))]


# What is done again and again, each with more than a megabyte that is to be given back.
REPEATED = [
    "SELECT length(ink_bloom(k, 'n=1e6')) FROM t",
    "SELECT ink_bloom(k, 'n=1e6, p=0.' || CASE WHEN k < 9 THEN '01' ELSE '02' END) FROM t",
    "SELECT ink_contains(ink_bloom(k, 'n=1e6'), 'a') FROM t",
    "SELECT length(ink_union(b, b)), length(ink_fold(b, 0.5)), length(ink_file(b, 'x')), length(ink_merge(b)) FROM f",
    "SELECT ink_union(b, x'00') FROM f",
    "SELECT kind, length(sketch) FROM f, (VALUES (1), (2)) AS x, ink_read(f.path || substr('', x.column1))",
    "SELECT count(*) FROM ink_top_keys((SELECT top FROM f), 5) AS x, ink_top_keys((SELECT top FROM f), 5)",
]


def memory() -> int:
    """The bytes of this process that are in memory."""
    return int(pathlib.Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGESIZE")


@pytest.mark.skipif(os.environ.get("INK_SAN", "") != "", reason="a sanitizer keeps what is freed")
def test_memory_is_flat_whatever_ends_a_statement(tmp_path: pathlib.Path) -> None:
    engine = SQLite()
    engine.rows("CREATE TABLE t AS SELECT value AS k FROM json_each('[1,2,3,4,5,6,7,8,9,10]')")
    engine.rows("CREATE TABLE f AS SELECT ink_bloom(k, 'n=1e6') AS b, ? AS path, ink_top(k, 'k=9000') AS top FROM t", str(tmp_path / "f.ink"))
    (tmp_path / "f.ink").write_bytes(engine.value("SELECT b FROM f"))
    for sql in REPEATED:
        after = []
        for _ in range(40):
            try:
                engine.rows(sql)
            except Refused:
                pass
            after.append(memory())
        assert after[-1] - after[9] < 16 << 20, (sql, after)


def test_the_shell() -> None:
    shell = shutil.which("sqlite3")
    assert shell is not None, "sqlite3 is not installed"
    script = f".load {SQLite.extension}\nSELECT ink_count_distinct(column1) FROM (VALUES (1), (2));\n"
    done = subprocess.run([shell, ":memory:"], input=script, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("2\n", "")


PROGRAM = r"""
#include <sqlite3.h>
#include <stdio.h>
int sqlite3_inkling_init(sqlite3 *, char **, const void *);
static int row(void *host, int count, char **values, char **names) { return puts(values[0]) < 0; }
int main(void)
{
    sqlite3 *db;
    return sqlite3_auto_extension((void (*)(void))sqlite3_inkling_init) || sqlite3_open(":memory:", &db) ||
           sqlite3_exec(db, "SELECT ink_distinct(ink_hll(5))", row, NULL, NULL);
}
"""


@pytest.mark.skipif(os.environ.get("INK_SAN", "") != "", reason="the program is compiled without the sanitizer")
def test_a_program_that_has_sqlite_linked_in(tmp_path: pathlib.Path) -> None:
    (tmp_path / "program.c").write_text(PROGRAM)
    sources = [ROOT / "adapters/sqlite/extension.c", tmp_path / "program.c"]
    headers = [f"-I{ROOT / folder}" for folder in ("include", "adapters/sql")]
    archives = [BUILT.parent / f"lib{name}.a" for name in ("inklingsql", "inkling")]
    libraries = ["-lsqlite3", "-lzstd", "-lz", "-lpthread", "-lm"]
    compiler = os.environ.get("CC", "cc").split()
    made = [*compiler, "-DSQLITE_CORE", *headers, *sources, *archives, *libraries, "-o", tmp_path / "program"]
    subprocess.run(list(map(str, made)), check=True)
    done = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


@pytest.mark.skipif(not hasattr(sqlite3.Connection, "enable_load_extension"), reason="this Python loads none")
def test_the_module_of_python() -> None:
    connection = sqlite3.connect(":memory:")
    connection.enable_load_extension(True)
    connection.load_extension(str(SQLite.extension))
    assert connection.execute("SELECT ink_distinct(ink_hll(5))").fetchall() == [(1,)]
