#!/usr/bin/env python3
"""Times the command ink on text beside what it is compared with, and prints one table.

    text.py OUT

Runs OUT/ink and OUT/bench/text_tool. Data go to OUT/bench/text: the lines stay there for the next
time, all else is removed. The table is written to OUT/bench/text.tsv too. Each round runs every
variant once; the least time counts, the largest stands beside it. BENCH_BYTES is the size of the
large file (1 GiB), BENCH_ROUNDS the number of rounds (5). Other programs are installed into the
user's cache folder, see text_peers.py.
"""
import pathlib
import sys

from measure import Table, say_machine, say_saved, setting, show_targets, stop
from text_filters import LARGE_BYTES, time_build, time_convert, time_filter, time_seed_job
from text_peers import install_peers
from text_questions import measure_memory, time_distinct, time_one_core, time_start

SMALL_BYTES = 100_000_000  # the text that is filtered, and given to other programs


def time_text(out: pathlib.Path, table: Table, size: int, rounds: int) -> None:
    """All of it, as rows of the table; `size` is that of the large file in bytes."""
    small = min(size, SMALL_BYTES)
    ink, tool, folder = out / "ink", out / "bench/text_tool", out / "bench/text"
    folder.mkdir(parents=True, exist_ok=True)
    peers = install_peers()
    print(f"Rounds: {rounds}; each runs every variant once, the best time counts.")
    time_seed_job(ink, folder, table, rounds)
    time_build(ink, tool, folder, table, size, rounds)
    time_filter(ink, tool, peers, folder, table, small, rounds)
    time_distinct(ink, tool, folder, table, size, rounds)
    time_one_core(ink, tool, peers, folder, table, small, rounds, small == SMALL_BYTES)
    measure_memory(ink, tool, folder, table, size)
    time_start(ink, folder, table)
    time_convert(ink, folder, table, rounds)


def main() -> None:
    if len(sys.argv) != 2:
        stop("expected one folder: text.py OUT")
    out = pathlib.Path(sys.argv[1]).resolve()
    say_machine()
    table = Table()
    time_text(out, table, setting("BENCH_BYTES", LARGE_BYTES, 1_000_000), setting("BENCH_ROUNDS", 5, 1))
    show_targets(table)
    path = out / "bench/text.tsv"
    table.save(path)
    say_saved(path)


if __name__ == "__main__":
    main()
