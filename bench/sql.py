#!/usr/bin/env python3
"""Times the SQL functions beside what engines have of their own: CPU time for each row, or time by the clock on threads.

    sql.py OUT

Each round runs every query once, side by side; the median counts, the largest stands beside it. BENCH_ROWS is the number
of rows (each engine has its own default, for which the targets are), BENCH_ROUNDS that of rounds (5), ENGINES which engines.
"""
from __future__ import annotations

import os
import pathlib
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "adapters/sql"))

from engines import ENGINES, Engine  # noqa: E402
from measure import Table, say_machine, say_saved, setting, stop  # noqa: E402
from targets_sql import BENCHES, Bench, Query  # noqa: E402


@dataclass
class Measured:
    """The time of each round, in ns for each row."""

    rounds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)


def seconds_of(clock: Callable[[], float], work: Callable[[], Any]) -> float:
    before = clock()
    work()
    return clock() - before


def run_round(engine: Engine, queries: list[Query], parameters: dict[str, Any], rows: int,
              found: dict[str, Measured]) -> None:
    for query in queries:
        given = [parameters[name] for name in query.parameters]
        sql = query.sql.format(**engine.words)
        count = rows if query.rows is None else min(rows, query.rows)
        clock = time.perf_counter if query.by_clock else engine.cpu
        seconds = seconds_of(clock, lambda sql=sql, given=given: engine.rows(sql.replace("{rows}", str(count)), *given))
        found[query.what].rounds.append(seconds / count * 1e9)


def show(table: Table, bench: Bench, found: dict[str, Measured]) -> None:
    for query in bench.queries:
        one = found[query.what]
        table.row(query.what, one.median, max(one.rounds), "ns")
    for target in bench.targets:
        ours = found[target.ours].median
        if target.at_most is not None:
            table.row(target.ours, ours, unit="ns", at_most=target.at_most)
            continue
        other = found[target.other].median
        if target.above is not None:
            table.row(f"{target.ours} above {target.other}", ours - other, unit="ns", at_most=target.above)
        elif target.ratio is not None:
            table.row(f"{target.ours} / {target.other}", ours / other, unit="x", at_most=target.ratio)
        else:
            table.row(f"{target.other} / {target.ours}", other / ours, unit="x", at_least=target.times)


def main() -> None:
    if len(sys.argv) != 2:
        stop("expected one folder: sql.py OUT")
    rounds = setting("BENCH_ROUNDS", 5, 1)
    say_machine()
    print(f"Rounds: {rounds}; each runs every query, the median counts.")
    table = Table()
    for name in os.environ["INK_SQL_ENGINES"].split(","):
        for bench in (bench for bench in BENCHES if bench.engine == name):
            rows = setting("BENCH_ROWS", bench.rows, 1000)
            engine = ENGINES[name]()
            parameters = bench.fill(engine, rows)
            found = {query.what: Measured() for query in bench.queries}
            table.head(name, f"{name}, {bench.what}, {rows:,} rows: ns a row")
            for _ in range(rounds):
                run_round(engine, bench.queries, parameters, rows, found)
            show(table, bench, found)
            engine.close()
    path = pathlib.Path(sys.argv[1]) / "bench/sql.tsv"
    path.parent.mkdir(parents=True, exist_ok=True)
    table.save(path)
    say_saved(path)


if __name__ == "__main__":
    main()
