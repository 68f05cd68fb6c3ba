#!/usr/bin/env python3
"""Times the Spark adapter beside a published program, Spark's own sketches, and the least that Spark can do.

    spark.py OUT [--quick] [--only PART[,PART]] [--rounds N]

All in one run, on two cores and in one JVM but for what needs its own: the first job of a session, and the
driver's memory. `own` and `sql` have the SQL functions in their sessions. Each round runs every variant once; the
best counts, the worst stands by it. The table is written to OUT/bench/spark.tsv too. The published program takes a
minute for the small table and many for the large one, so `cold` and `small` have at most three rounds, and `large`
has one: all of it takes most of an hour. `make bench-spark BENCH_SPARK=--quick` tries all but `large` in about two
minutes with a tenth of the rows, for which targets are not judged.
"""
import argparse
import pathlib

from measure import count_lines, stop
from rating_tables import ratings, tenfold, tenth
from ratio_rows import reported
from spark_own import time_own
from spark_pass import time_pass
from spark_range import time_range
from spark_ratings import time_cold, time_warm
from spark_session import Session, class_path, with_functions
from spark_sql import settings, time_sql

PARTS = ("cold", "small", "own", "pass", "large", "range", "sql")
KEYS = 100_000_000
SQL_ROWS = 20_000_000


# ---- All of it -----------------------------------------------------------------------------------


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path, help="the folder of the build, as build")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, one round, no targets")
    parser.add_argument("--only", default="", help=f"some of {','.join(PARTS)}")
    parser.add_argument("--rounds", type=int, default=5, help="of own, pass and sql (5); the others have up to 3")
    asked = parser.parse_args()
    asked.only = [part for part in asked.only.split(",") if part] or list(PARTS)
    for part in asked.only:
        if part not in PARTS:
            stop(f"--only: found {part}, expected some of {','.join(PARTS)}")
    if asked.rounds < 1:
        stop(f"--rounds: found {asked.rounds}, expected at least 1")
    return asked


def tables(asked, folder):
    """The small table and the large one, each with how many titles it has."""
    small = ratings(asked.out / "ink", folder)
    pair = [tenth(small, folder), small] if asked.quick else [small, None]
    if not asked.quick and set(asked.only) & {"large", "own", "pass"}:
        pair[1] = tenfold(small, folder)
    return [(path, path and count_lines(path) - 1) for path in pair]


def run(asked, rows, folder):
    needed = set(asked.only) - {"range", "sql"}
    (small, count), (large, large_count) = tables(asked, folder) if needed else [(None, 0)] * 2
    rounds = 1 if asked.quick else asked.rounds
    few = min(rounds, 3)
    if "cold" in asked.only:
        time_cold(rows, small, count, folder, few)
    if "small" in asked.only:
        with Session(folder, settings=class_path()) as spark:
            time_warm(rows, spark, ("small", small, count), folder, few)
    if "own" in asked.only:
        with Session(folder, settings=with_functions()) as spark:
            time_own(rows, spark, [small] if asked.quick else [small, large], rounds)
    if set(asked.only) & {"pass", "large"}:
        with Session(folder, settings=class_path()) as spark:
            if "pass" in asked.only:
                time_pass(rows, spark, large, large_count, rounds)
            if "large" in asked.only and not asked.quick:
                time_warm(rows, spark, ("large", large, large_count), folder, 1, warm=0)
    if "range" in asked.only:
        time_range(rows, KEYS // 100 if asked.quick else KEYS, folder)
    if "sql" in asked.only:
        with Session(folder, settings=settings()) as spark:
            time_sql(rows, spark, folder, SQL_ROWS // 10 if asked.quick else SQL_ROWS, rounds)


def main():
    asked = options()
    with reported(asked.out, "spark.tsv", judged=not asked.quick) as (rows, folder):
        run(asked, rows, folder)


if __name__ == "__main__":
    main()
