#!/usr/bin/env python3
"""Times the Python package beside the C library on the same memory, rbloom and datasketches.

    python.py OUT

Each round runs every variant once with a fresh sketch; the least time counts, the largest stands beside it.
What is compared is measured in this one run, on one core. The table is written to OUT/bench/python.tsv too.
BENCH_KEYS is the number of keys (10 million, for which the targets are), BENCH_ROUNDS that of rounds (5).
`make bench-python` installs what is compared with into the user's cache folder, and says where package and
library are.
"""
import pathlib
import sys

from measure import Table, one_core, say_machine, say_saved, setting, stop
from python_limits import time_columns
from python_peers import time_datasketches, time_loops, time_rbloom

KEYS = 10_000_000


def main():
    if len(sys.argv) != 2:
        stop("expected one folder: python.py OUT")
    keys = setting("BENCH_KEYS", KEYS, 1000)
    rounds = setting("BENCH_ROUNDS", 5, 1)
    say_machine()
    print(f"Python {sys.version.split()[0]}. Rounds: {rounds}; each runs every variant, the best counts.")
    if keys < KEYS:
        print(f"Keys: {keys}; targets are for {KEYS}.")
    table = Table()
    with one_core():
        time_columns(table, keys, rounds)
        time_rbloom(table, keys, rounds)
        time_datasketches(table, keys, rounds)
        time_loops(table, min(keys, 1_000_000), rounds)
    path = pathlib.Path(sys.argv[1]) / "bench/python.tsv"
    table.save(path)
    say_saved(path)


if __name__ == "__main__":
    main()
