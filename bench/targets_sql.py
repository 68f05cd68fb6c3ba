"""The queries that bench/sql.py times in each engine, and their targets."""

from __future__ import annotations

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


@dataclass
class Target:
    """Ours is at most `above` ns more than another, or at most `ratio` of it, or `times` as fast."""

    ours: str
    other: str
    above: float | None = None
    ratio: float | None = None
    times: float | None = None


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


BENCHES = [
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
