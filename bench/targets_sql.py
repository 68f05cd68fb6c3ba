"""The queries that bench/sql.py times in each engine, and their targets."""

from __future__ import annotations

import atexit
import pathlib
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from engines import Engine


@dataclass
class Query:
    """A query over the table t; `parameters` are names of what `fill` gave, in order of its `?`."""

    what: str
    sql: str
    parameters: tuple[str, ...] = ()
    rows: int | None = None  # that it reads, if not all: {rows} in the SQL
    by_clock: bool = False  # instead of CPU time


@dataclass
class Target:
    """Ours is at most `above` ns more than another, or at most `ratio` of it, or `times` as fast, or `at_most` ns."""

    ours: str
    other: str = ""
    above: float | None = None
    ratio: float | None = None
    times: float | None = None
    at_most: float | None = None


@dataclass
class Bench:
    engine: str
    what: str
    rows: int
    fill: Callable[[Engine, int], dict[str, Any]]
    queries: list[Query]
    targets: list[Target] = field(default_factory=list)


def fill_sqlite(engine: Engine, rows: int) -> dict[str, Any]:
    """All different integers in an order of chance, and half as many different texts."""
    made = ((i * 2654435761 % (1 << 40), f"user{i * 7919 % (rows // 2):09}", i % 1000) for i in range(rows))
    engine.table("t", {"k": "int", "s": "text", "g": "int"}, made)
    return {
        "small": engine.value("SELECT ink_bloom(k) FROM (SELECT k FROM t LIMIT 1000) AS x"),
        "large": engine.value("SELECT ink_bloom(k) FROM t"),
    }


def fill_postgresql(engine: Engine, rows: int) -> dict[str, Any]:
    """The same, in a table that workers can read; in memory, with its hint bits set; and two filters, stored out of line."""
    make = (
        "SET search_path = public",
        "DROP TABLE IF EXISTS t, f",
        "CREATE EXTENSION IF NOT EXISTS hll",
        "SET work_mem = '256MB'",
        "SET max_parallel_workers_per_gather = 0",
        f"CREATE TABLE t AS SELECT i * 2654435761 % (1::bigint << 40) AS k, 'user' || lpad((i * 7919 % {rows // 2})::text, 9, '0') AS s, "
        f"(i % 1000)::int AS g FROM generate_series(0::bigint, {rows - 1}) AS i",
        "CREATE TABLE f AS SELECT ink_bloom(k) AS b FROM (SELECT k FROM t LIMIT 1000000) AS x",
        "VACUUM ANALYZE t",
    )
    for sql in make:
        engine.rows(sql)
    return {}


def fill_postgresql_workers(engine: Engine, rows: int) -> dict[str, Any]:
    parameters = fill_postgresql(engine, rows)
    engine.rows("SET max_parallel_workers_per_gather = 2")
    return parameters


def fill_duckdb(engine: Engine, rows: int) -> dict[str, Any]:
    """The same, made by DuckDB, on one thread; filters of four sizes as files."""
    engine.rows("SET threads = 1")
    engine.rows(
        f"""CREATE TABLE t AS SELECT i * 2654435761 % 1099511627776 AS k, 'user' || lpad((i * 7919 % {rows // 2})::VARCHAR, 9, '0') AS s,
        i % 1000 AS g FROM range({rows}) AS n(i)"""
    )
    folder = tempfile.mkdtemp(prefix="ink-bench-sql-")
    atexit.register(shutil.rmtree, folder)
    found = {}
    for name, keys in (("small", 1000), ("middle", 80_000), ("large", 800_000), ("largest", 8_000_000)):
        found[name] = engine.value(f"SELECT ink_bloom(k, 'n={keys}') FROM (SELECT k FROM t LIMIT {keys})")
        path = pathlib.Path(folder) / f"{name}.ink"
        path.write_bytes(found[name])
        found[f"{name} file"] = str(path)
    return found


DISTINCT = ("k", "s")
GROUPS = "SELECT SUM(x) FROM (SELECT {}(k) AS x FROM t GROUP BY g) AS y"


def on_threads(what: str, threads: int) -> str:
    return f"{what}, {threads} thread{'s' if threads > 1 else ''}"


BENCHES = [
    Bench(
        "duckdb",
        "one thread",
        10_000_000,
        fill_duckdb,
        [
            Query("scan: SUM(k)", "SELECT SUM(k) FROM t"),
            *(
                Query(f"{name}({key})", f"SELECT {name}({key}) FROM t")
                for key in DISTINCT
                for name in ("ink_count_distinct", "approx_count_distinct")
            ),
            Query("1,000 groups: SUM(k)", GROUPS.format("SUM")),
            Query("1,000 groups: ink_count_distinct(k)", GROUPS.format("ink_count_distinct")),
            Query("1,000 groups: approx_count_distinct(k)", GROUPS.format("approx_count_distinct")),
            Query("ink_bloom(k, 'n=1e7')", "SELECT octet_length(ink_bloom(k, 'n=1e7')) FROM t"),
            Query("WHERE k % 3 = 1", "SELECT COUNT(*) FROM t WHERE k % 3 = 1"),
            *(
                Query(f"WHERE ink_contains(?, k), {size}", "SELECT COUNT(*) FROM t WHERE ink_contains(?, k)", (name,))
                for name, size in (("small", "1.6 kB"), ("middle", "133 kB"))
            ),
            *(
                Query(f"WHERE ink_contains_file(?, k), {size}", "SELECT COUNT(*) FROM t WHERE ink_contains_file(?, k)", (f"{name} file",))
                for name, size in (("small", "1.6 kB"), ("large", "1.3 MB"), ("largest", "13 MB"))
            ),
        ],
        [
            Target("ink_count_distinct(k)", "approx_count_distinct(k)", ratio=0.4),
            Target("ink_count_distinct(s)", "approx_count_distinct(s)", ratio=0.75),
            Target("1,000 groups: ink_count_distinct(k)", "1,000 groups: approx_count_distinct(k)", ratio=1.0),
            Target("WHERE ink_contains(?, k), 133 kB", at_most=20),
            Target("WHERE ink_contains_file(?, k), 1.3 MB", at_most=10),
            Target("WHERE ink_contains_file(?, k), 13 MB", at_most=15),
        ],
    ),
    Bench(
        "duckdb",
        "one and two threads, by the clock",
        10_000_000,
        fill_duckdb,
        [
            Query(on_threads(what, threads), f"SET threads = {threads}; {sql}", by_clock=True)
            for what, sql in (
                *((f"ink_count_distinct({key})", f"SELECT ink_count_distinct({key}) FROM t") for key in DISTINCT),
                ("ink_bloom(k, 'n=1e7')", "SELECT octet_length(ink_bloom(k, 'n=1e7')) FROM t"),
                ("1,000 groups: ink_count_distinct(k)", GROUPS.format("ink_count_distinct")),
            )
            for threads in (1, 2)
        ],
        [
            Target(on_threads(what, 2), on_threads(what, 1), times=1.7)
            for what in (*(f"ink_count_distinct({key})" for key in DISTINCT), "1,000 groups: ink_count_distinct(k)")
        ],
    ),
    Bench(
        "sqlite",
        "in memory",
        1_000_000,
        fill_sqlite,
        [
            Query("scan: SUM(k & 1)", "SELECT SUM(k & 1) FROM t"),
            Query("ink_count_distinct(k)", "SELECT ink_count_distinct(k) FROM t"),
            Query("COUNT(DISTINCT k)", "SELECT COUNT(DISTINCT k) FROM t"),
            Query("ink_bloom(k, 'n=1e6')", "SELECT LENGTH(ink_bloom(k, 'n=1e6')) FROM t"),
            Query("ink_bloom(k)", "SELECT LENGTH(ink_bloom(k)) FROM t"),
            Query("ink_theta(k)", "SELECT LENGTH(ink_theta(k)) FROM t"),
            Query("ink_top(k)", "SELECT LENGTH(ink_top(k)) FROM t"),
            Query("scan: SUM(LENGTH(s))", "SELECT SUM(LENGTH(s)) FROM t"),
            Query("ink_count_distinct(s)", "SELECT ink_count_distinct(s) FROM t"),
            Query("COUNT(DISTINCT s)", "SELECT COUNT(DISTINCT s) FROM t"),
            Query("1,000 groups: SUM(k)", "SELECT COUNT(*) FROM (SELECT SUM(k) FROM t GROUP BY g)"),
            Query("1,000 groups: ink_count_distinct(k)", "SELECT COUNT(*) FROM (SELECT ink_count_distinct(k) FROM t GROUP BY g)"),
            Query("WHERE k % 3 = 1", "SELECT COUNT(*) FROM t WHERE k % 3 = 1"),
            Query("WHERE ink_contains(?, k), 1.6 kB", "SELECT COUNT(*) FROM t WHERE ink_contains(?, k)", ("small",)),
            Query("WHERE ink_contains(?, k), 1.3 MB", "SELECT COUNT(*) FROM t WHERE ink_contains(?, k)", ("large",)),
        ],
        [
            Target("ink_count_distinct(k)", "scan: SUM(k & 1)", above=15),
            Target("ink_count_distinct(k)", "COUNT(DISTINCT k)", times=40),
        ],
    ),
    Bench(
        "postgresql",
        "without workers",
        10_000_000,
        fill_postgresql,
        [
            Query("scan: COUNT(k)", "SELECT COUNT(k) FROM t"),
            Query("ink_count_distinct(k)", "SELECT ink_count_distinct(k) FROM t"),
            Query("hll_add_agg of bigint", "SELECT hll_cardinality(hll_add_agg(hll_hash_bigint(k), 14)) FROM t"),
            Query("scan: COUNT(s)", "SELECT COUNT(s) FROM t"),
            Query("ink_count_distinct(s)", "SELECT ink_count_distinct(s) FROM t"),
            Query("hll_add_agg of text", "SELECT hll_cardinality(hll_add_agg(hll_hash_text(s), 14)) FROM t"),
            Query("1,000 groups: COUNT(k)", "SELECT COUNT(c) FROM (SELECT COUNT(k) AS c FROM t GROUP BY g) AS x"),
            Query("1,000 groups: ink_hll(k)", "SELECT COUNT(c) FROM (SELECT ink_hll(k) AS c FROM t GROUP BY g) AS x"),
            Query(
                "1,000 groups: hll_add_agg",
                "SELECT COUNT(c) FROM (SELECT hll_add_agg(hll_hash_bigint(k), 14) AS c FROM t GROUP BY g) AS x",
            ),
            Query("ink_bloom(k, 'n=1e7')", "SELECT ink_bloom(k, 'n=1e7') IS NULL FROM t"),
            Query("WHERE k % 3 = 1", "SELECT COUNT(*) FROM t WHERE k % 3 = 1"),
            Query("WHERE ink_contains(f.b, k), 1.3 MB", "SELECT COUNT(*) FROM t WHERE ink_contains((SELECT b FROM f), k)"),
        ],
        [
            Target("ink_count_distinct(k)", "scan: COUNT(k)", above=10),
            Target("ink_count_distinct(k)", "hll_add_agg of bigint", ratio=1),
            Target("ink_count_distinct(s)", "hll_add_agg of text", ratio=1),
            Target("1,000 groups: ink_hll(k)", "1,000 groups: hll_add_agg", ratio=1),
        ],
    ),
    Bench(
        "postgresql",
        "two workers",
        10_000_000,
        fill_postgresql_workers,
        [
            Query("scan: COUNT(k)", "SELECT COUNT(k) FROM t"),
            Query("ink_count_distinct(k)", "SELECT ink_count_distinct(k) FROM t"),
            Query("hll_add_agg of bigint", "SELECT hll_cardinality(hll_add_agg(hll_hash_bigint(k), 14)) FROM t"),
            Query("ink_count_distinct(s)", "SELECT ink_count_distinct(s) FROM t"),
            Query("hll_add_agg of text", "SELECT hll_cardinality(hll_add_agg(hll_hash_text(s), 14)) FROM t"),
        ],
        [
            Target("ink_count_distinct(k)", "hll_add_agg of bigint", ratio=1),
            Target("ink_count_distinct(s)", "hll_add_agg of text", ratio=1),
        ],
    ),
]
