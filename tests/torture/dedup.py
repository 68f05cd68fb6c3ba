#!/usr/bin/env python3
"""A suite of torture: runs of ink dedup that are killed, corpora whose wrongly removed texts are counted, and a document of a gigabyte,
with the checks of tests/cli/check_dedup.py.

    dedup.py --seconds S --seed N --state FILE [--only I]
    dedup.py --check

With --check nothing: check_dedup.py itself is a test of make check-all. What is printed, and --state: tests/support/torture.h.
"""
import argparse
import os
import pathlib
import random
import shlex
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import check_dedup  # noqa: E402

KILLS, KILLS_EACH = 500, 5  # in all, and of a case
BOUNDS, BOUNDS_EACH = 1000, 25
LEVELS = ("--exact", "--paragraphs", "--ngrams=1")
CASES = [(check_dedup.kill_until, check_dedup.KILLED[number % len(check_dedup.KILLED)], KILLS_EACH) for number in range(KILLS // KILLS_EACH)]
CASES += [(lambda level: [check_dedup.wrongly_removed(level) for _ in range(BOUNDS_EACH)], level)
          for level in LEVELS for _ in range(BOUNDS // BOUNDS_EACH)]
CASES += [(check_dedup.long_document, 117_000_000, False)]  # 1 GB


def run(number, seed):
    """What is wrong, or nothing."""
    check_dedup.random_source = random.Random(f"{seed}/{number}")
    check, *values = CASES[number]
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            check(*values)
        except AssertionError as why:
            return str(why).replace("\n", " ")[:300]
        finally:
            os.chdir(before)
    return ""


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--seconds", type=float, default=0)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--state")
    words.add_argument("--only", type=int)
    words.add_argument("--check", action="store_true")
    words = words.parse_args()
    if words.check:
        assert len(CASES) > 100
        print(f"1..1\nok 1 - {len(CASES)} cases of kills, bounds and a long document, of which check_dedup.py has a share")
        return 0
    if os.access("/dev/shm", os.W_OK):
        tempfile.tempdir = "/dev/shm"
    about = f"dedup of {len(CASES)} cases with seed {words.seed}"
    state = pathlib.Path(words.state).absolute() if words.state else None
    kept = state.read_text().split("\n") if state and state.exists() else []
    number, failures = map(int, kept[1].split()) if kept[:1] == [about] else (0, 0)
    last = len(CASES)
    if words.only is not None:
        number, failures, last = words.only, 0, words.only + 1
    began = time.monotonic()
    while number < last and not (words.seconds and time.monotonic() - began >= words.seconds):
        wrong = run(number, words.seed)
        if wrong:
            failures += 1
            again = shlex.join([sys.executable, os.path.abspath(__file__), "--seed", str(words.seed), "--only", str(number)])
            print(f"torture: dedup FAILED case {number}: {wrong}; again: {again}", flush=True)
        number += 1
        if words.only is None:
            print(f"torture: dedup cases {number} of {len(CASES)} faults {number * KILLS_EACH} failures {failures}", flush=True)
            if state:
                state.with_suffix(".new").write_text(f"{about}\n{number} {failures}\n")
                state.with_suffix(".new").rename(state)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
