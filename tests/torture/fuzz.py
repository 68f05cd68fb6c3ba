#!/usr/bin/env python3
"""The suite `fuzz` of `make torture`: 20,000,000 inputs in all, to all fuzz targets (tests/fuzz/run_fuzz.py), in shares by
their weights. The targets are those that `make fuzz-targets` made. As an ordinary test (--check) it sees to the shares
and to what is kept between runs; the targets themselves `make check` replays, with what was ever found
(tests/fuzz/replay.c)."""
import os
import pathlib
import sys
import tempfile

INPUTS = 20_000_000
SOURCE = pathlib.Path(__file__).resolve().parents[2]


def check() -> int:
    sys.path.insert(0, str(SOURCE / "tests/fuzz"))
    import run_fuzz

    targets = [run_fuzz.Target(pathlib.Path(name), 1, weight) for name, weight in (("a", 1), ("b", 8), ("c", 1))]
    wanted = run_fuzz.shares(targets, 1003)
    failed = 0

    def report(number: int, fine: bool, message: str) -> None:
        nonlocal failed
        failed += not fine
        print(f"{'ok' if fine else 'not ok'} {number} - {message}")

    report(1, sum(wanted.values()) == 1003 and wanted["b"] > 7 * wanted["c"], "shares go by weight and leave nothing out")
    with tempfile.TemporaryDirectory() as folder:
        state = pathlib.Path(folder) / "state"
        progress = run_fuzz.Progress(state, 7, wanted)
        progress.tried["b"] += 50
        progress.write()
        report(2, run_fuzz.Progress(state, 7, wanted).done == 50, "a run goes on where the one before it ended")
        report(3, run_fuzz.Progress(state, 8, wanted).done == 0 and
             run_fuzz.Progress(state, 7, run_fuzz.shares(targets, 1004)).done == 0,
             "another seed or another count begins anew")
    print("1..3")
    return failed


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(check())
    programs = pathlib.Path(os.environ.get("INK_FUZZ_PROGRAMS", SOURCE / "build/fuzzing/fuzz"))
    if not programs.is_dir():
        print(f"torture: fuzz FAILED case 0: {programs} is missing; again: make fuzz-targets")
        sys.exit(1)
    command = [sys.executable, "-B", str(SOURCE / "tests/fuzz/run_fuzz.py"), str(programs), "--inputs", str(INPUTS)]
    os.execv(sys.executable, command + sys.argv[1:])
