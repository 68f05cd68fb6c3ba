#!/usr/bin/env python3
"""Whether every public call is made while memory is refused: by a test with an allocator that refuses, or by the
command, all of whose allocations the suite memory refuses (tests/torture). A new call has to be in one of them.

Prints a TAP line and exits with the number of tests that failed.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# These read what they are given, or what the caller holds already: there is nothing to refuse.
ALLOCATE_NOTHING = {"ink_answer_is_better", "ink_foreign_certain", "ink_foreign_params", "ink_is_file",
                    "ink_nearest_whole", "ink_outlive_cut_data", "ink_parameter_name", "ink_remove_unfinished", "ink_set_input_spec", "ink_sizes_keys",
                    "ink_sketch_times", "ink_sketch_times_int"}
REFUSING = re.compile(r"\b(refuse_at|refuse_from|faults_refuse_each|faults_refus(e|als)_next)\b")


def declared():
    """The names of all public calls."""
    text = "".join(path.read_text() for path in sorted((ROOT / "include").glob("*.h")))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return set(re.findall(r"INK_API[^;(]*?\b(ink_\w+)\(", text))


def called():
    """All names that tests with a refusing allocator, and the command, have."""
    names = set()
    for folder in ("tests", "cli", "lab"):
        for path in (ROOT / folder).rglob("*.c"):
            text = path.read_text()
            if folder != "tests" or REFUSING.search(text):
                names.update(re.findall(r"\bink_\w+", text))
    return names


def main():
    calls, reached = declared(), called()
    missing = sorted(calls - reached - ALLOCATE_NOTHING)
    stale = sorted(ALLOCATE_NOTHING - calls)
    print("1..1")
    good = len(calls) > 150 and not missing and not stale
    print(f"{'ok' if good else 'not ok'} 1 - every public call is made while memory is refused")
    if not good:
        print(f"# of {len(calls)}: never made so: {', '.join(missing) or 'none'}; no such call: {', '.join(stale) or 'none'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
