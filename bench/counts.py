#!/usr/bin/env python3
"""Counts what contestants execute for each key, with callgrind: what noise cannot touch, beside what was timed.

    counts.py OUT

Runs OUT/bench/limits, ours and libbloom, the contestant in Rust if it is installed, OUT/ink and `wc -l`, all under
valgrind, which knows AVX2 but not AVX-512. Prints a table and writes it to OUT/bench/counts.tsv.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cases import Case
from measure import count_lines, make_lines, stop
from servers import Offer, built, start

MILLION = 1_000_000
LINES_BYTES = 1 << 26  # more lines than are counted exactly where a filter has no -n
NAMES = ("what", "keys", "n", "contestant", "operation", "instructions")
TIMED = ("contest_timed",)  # the function of contest.c and contest.rs for which the clock runs
TOUCHING = ("touch_lines",)  # that of limits.c, called four times
# What touch_lines is called for, in this order.
TOUCHES = ("add, plain", "add, fetched ahead", "ask, plain", "ask, fetched ahead")


@dataclass(frozen=True)
class Contestant:
    """A program, and which of its names are counted."""

    command: list[str]
    names: frozenset[str]
    cpu: str = ""


FILTER = ("add", "hit", "miss")
# What is asked of everybody, and the operations in the order in which they are timed.
CASES = {
    Case("filter", "u64", MILLION, 1): FILTER,
    Case("filter", "u64", 10 * MILLION, 1): FILTER,
    Case("filter", "str16", MILLION, 1): FILTER,
    Case("count16", "u64", MILLION, 1): ("add", "ask"),
    Case("count22", "u64", MILLION, 1): ("add", "ask"),
    Case("distinct", "u64", MILLION, 1): ("add",),
    Case("frequent", "u64", MILLION, 1): ("add",),
    Case("frequent", "str16", MILLION, 1): ("add",),
}


def total(path: pathlib.Path) -> int:
    """The instructions of one dump."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(("totals:", "summary:")):
            return int(line.split()[1])
    stop(f"{path.name}: expected a line of totals from callgrind")


def count(command: Sequence[object], functions: Sequence[str], asked: str, cpu: str) -> list[int]:
    """The instructions of a command: of each call of these functions, or of all of it."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        options = [f"--{what}={name}" for name in functions for what in ("toggle-collect", "dump-after")]
        words = ["valgrind", "--tool=callgrind", *options, f"--callgrind-out-file={out}", *map(str, command)]
        done = subprocess.run(
            words,
            input=asked,
            env={**os.environ, "LC_ALL": "C", **({"INK_CPU": cpu} if cpu else {})},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            stop(f"{' '.join(words)}: exit code {done.returncode}, expected 0: {done.stderr.strip()[-300:]}")
        if not functions:
            return [total(out)]
        dumps = sorted(pathlib.Path(folder).glob("out.*"), key=lambda path: int(path.suffix[1:]))
        return [total(path) for path in dumps]


def contestants(folder: pathlib.Path) -> Iterator[Contestant]:
    """Those in C and in Rust: of what a machine of its own executes, callgrind sees nothing of use."""
    yield Contestant([str(folder / "limits")], frozenset({"lines", "keys+lines", "fmix64"}))
    for cpu in "avx2", "scalar":
        yield Contestant([str(folder / "ours")], frozenset({"bloom", "count-min", "hll", "top"}), cpu)
    if (folder / "libbloom").exists():
        yield Contestant([str(folder / "libbloom")], frozenset({"libbloom"}))
    for name, command in built():
        if name == "rust":
            yield Contestant(command, frozenset({"sbbf-rs", "fastbloom", "datasketches"}))


def ask(one: Contestant, name: str, case: Case) -> list[tuple[str, float]]:
    """Operations and their instructions for each key."""
    functions, operations = (TOUCHING, TOUCHES) if name == "lines" else (TIMED, CASES[case])
    dumps = count(one.command, functions, f"{name} {case}\n", one.cpu)
    if len(dumps) < len(operations):
        stop(f"{name} {case}: {len(dumps)} dumps of callgrind, expected {len(operations)}")
    return [(operation, each / case.count) for operation, each in zip(operations, dumps)]


def offered(one: Contestant) -> list[Offer]:
    """What it has of what is counted; nothing, said, if it does not start."""
    server = start(one.command, "")
    if server is None:
        return []
    server.close()
    return sorted((offer for offer in server.offers if offer.name in one.names), key=lambda offer: offer.name)


def count_core(folder: pathlib.Path) -> Iterator[tuple[str, ...]]:
    """Every case, everybody who offers it."""
    all_of_them = [(one, offered(one)) for one in contestants(folder)]
    for case in CASES:
        for one, offers in all_of_them:
            for offer in offers:
                if not offer.covers(case):
                    continue
                for operation, each in ask(one, offer.name, case):
                    whose = f"{offer.name}@{one.cpu}" if one.cpu else offer.name
                    yield (case.workload, case.form, str(case.count), whose, operation, f"{each:.1f}")


def count_threads(folder: pathlib.Path) -> Iterator[tuple[str, ...]]:
    """What two threads execute beyond one: whole processes, of which all but adding and asking is the same."""
    for number in MILLION, 10 * MILLION:
        both = [
            count([folder / "ours"], (), f"bloom {Case('filter', 'u64', number, threads)}\n", "avx2")[0]
            for threads in (1, 2)
        ]
        more = (both[1] - both[0]) / number
        yield ("filter", "u64", str(number), "bloom@avx2", "two threads: more than one, in all", f"{more:.1f}")


def count_text(out: pathlib.Path) -> Iterator[tuple[str, ...]]:
    """Whole runs, for each line."""
    data = out / f"bench/text/lines.{LINES_BYTES}.txt"
    data.parent.mkdir(parents=True, exist_ok=True)
    make_lines(data, out / "bench/text_tool", "lines", LINES_BYTES, 0)
    lines = count_lines(data)
    with tempfile.TemporaryDirectory() as folder:
        build = [out / "ink", "build", "bloom", "--threads", 1, "--force", "-o", f"{folder}/lines.ink"]
        for name, command in (
            ("wc -l", ["wc", "-l", data]),
            ("ink distinct@avx2", [out / "ink", "distinct", "--threads", 1, data]),
            ("ink build -n@avx2", [*build, "-n", lines, data]),
            ("ink build@avx2", [*build, data]),
        ):
            (whole,) = count(command, (), "", "avx2")
            yield ("text", "lines", str(lines), name, "all", f"{whole / lines:.1f}")


def main() -> None:
    if len(sys.argv) != 2:
        stop("expected one folder: counts.py OUT")
    if shutil.which("valgrind") is None:
        stop("valgrind is missing: apt-get install valgrind")
    out = pathlib.Path(sys.argv[1]).resolve()
    rows = [NAMES]
    print("Instructions for each key, by callgrind (AVX2 at most)")
    for part in count_core(out / "bench"), count_threads(out / "bench"), count_text(out):
        for row in part:
            rows.append(row)
            what, form, number, whose, operation, each = row
            print(f"  {f'{what}, {form}, {int(number):,}':28}{whose:22}{operation:36}{each:>9}", flush=True)
    path = out / "bench/counts.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    print(f"\nWritten: {os.path.relpath(path)}")


if __name__ == "__main__":
    main()
