#!/usr/bin/env python3
"""The suite `fuzz` of `make torture`: 20,000,000 inputs in all, to all fuzz targets (tests/fuzz/run_fuzz.py), in shares by
their weights. The targets are those that `make fuzz-targets` made. As an ordinary test (--check) there is nothing to do
here: `make check` replays every target, with what was ever found (tests/fuzz/replay.c)."""
import os
import pathlib
import sys

INPUTS = 20_000_000

if __name__ == "__main__":
    source = pathlib.Path(__file__).resolve().parent.parent.parent
    programs = pathlib.Path(os.environ.get("INK_FUZZ_PROGRAMS", source / "build/fuzzing/fuzz"))
    if "--check" in sys.argv:
        print("ok 1 - fuzz targets are replayed by tests of their own\n1..1")
        sys.exit(0)
    if not programs.is_dir():
        print(f"torture: fuzz FAILED case 0: {programs} is missing; again: make fuzz-targets")
        sys.exit(1)
    command = [sys.executable, "-B", str(source / "tests/fuzz/run_fuzz.py"), str(programs), "--inputs", str(INPUTS)]
    os.execv(sys.executable, command + sys.argv[1:])
