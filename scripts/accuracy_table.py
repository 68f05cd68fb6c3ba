#!/usr/bin/env python3
"""Runs accuracy tests, one for each core at a time, and prints their rows as one table.

    accuracy_table.py OUT PROGRAM...

The programs run under scripts/run_tests.sh; their TAP lines are printed as each one ends. The rows
come from row() in tests/accuracy/statistics.h: nothing in the table is typed in. Fails if a test
failed.
"""
import concurrent.futures
import math
import os
import pathlib
import re
import subprocess
import sys

RUNNER = pathlib.Path(__file__).resolve().parent / "run_tests.sh"
TITLES = ("statistic", "expected", "measured", "allowed")


def run(out, program):
    result = subprocess.run([RUNNER, out, program], capture_output=True, text=True, check=False)
    return result.returncode, result.stdout + result.stderr


def formatted(expected, measured, low, high):
    """The numbers of a row, with two digits of what is allowed between low and high."""
    finite = [abs(x) for x in (expected, measured, low, high) if math.isfinite(x)]
    width = high - low if math.isfinite(high - low) and high > low else max(finite) / 100
    digits = 4
    if width > 0 and max(finite) > 0:
        digits = min(max(math.ceil(math.log10(max(finite) / width)) + 2, 3), 15)

    def number(x):
        text = re.sub(r"e([-+])0*", lambda m: "e" + m[1].strip("+"), f"{x:#.{digits}g}")
        return text.rstrip(".").replace(".e", "e")

    if low == -math.inf:
        allowed = f"at most {number(high)}"
    elif high == math.inf:
        allowed = f"at least {number(low)}"
    else:
        allowed = f"{number(low)} .. {number(high)}"
    return number(expected), number(measured), allowed


def print_table(rows):
    widths = [max(len(row[i]) for row in [TITLES, *rows]) for i in range(len(TITLES))]
    for row in [TITLES, tuple("-" * width for width in widths), *rows]:
        print(" | ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())


def main():
    out, programs = sys.argv[1], sys.argv[2:]
    rows, passed, failed, good = [], 0, 0, True
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [pool.submit(run, out, program) for program in programs]
        for done in concurrent.futures.as_completed(runs):
            code, text = done.result()
            good = good and code == 0
            for line in text.splitlines():
                total = re.fullmatch(r"# (\d+) passed, (\d+) failed", line)
                if total:
                    passed, failed = passed + int(total[1]), failed + int(total[2])
                elif not line.startswith("#row\t"):
                    print(line, flush=True)
        for done in runs:
            for line in done.result()[1].splitlines():
                if line.startswith("#row\t"):
                    _, name, *texts = line.split("\t")
                    numbers = [float(text) for text in texts]
                    expected, measured, allowed = formatted(*numbers)
                    if not numbers[2] <= numbers[1] <= numbers[3]:
                        allowed += "  <- outside"
                    rows.append((name, expected, measured, allowed))
    print()
    print_table(rows)
    print(f"# {len(rows)} rows; {passed} passed, {failed} failed")
    return 0 if good and failed == 0 and rows else 1


if __name__ == "__main__":
    sys.exit(main())
