#!/usr/bin/env python3
"""The table of faults in docs/trust.md: every fault from F01 to F77 has its row, and every row tests that are there
and are run, or the reason why the fault cannot come here.

A test is named as `PATH: NAME`: a TEST of a C program, the message of a check of a suite of
torture, a function that a Python script runs, or a test of pytest; a transcript is named by its path alone. Prints a TAP line for each test and exits with the number that
failed.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))

import tap  # noqa: E402

DOCUMENT = "docs/trust.md"
FAULTS = 77
# Who meets faults: each has tests of its own in the table.
MET_BY = ("tests/faults/", "tests/cli/", "adapters/python/", "adapters/spark/", "adapters/hadoop/")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def rows():
    """Number, fault, what happens and tests of each row."""
    text = (ROOT / DOCUMENT).read_text(encoding="utf-8")
    found = re.findall(r"^\| F(\d\d) \| (.+?) \| (.+?) \| (.+?) \|$", text, re.M)
    return [(int(number), fault, happens, tests) for number, fault, happens, tests in found]


def named(tests):
    """Paths and names, of which there is none for a transcript."""
    found = []
    for quoted in re.findall(r"`([^`]+)`", tests):
        path, _, name = quoted.partition(": ")
        found.append((path, name))
    return found


def is_run_by_make(path):
    """Python scripts are listed; C programs and transcripts are found, and pytest finds its own."""
    return not path.startswith("tests/") or not path.endswith(".py") or path in MAKEFILE or (
        path.startswith("tests/torture/") and "$(torture_scripts)" in MAKEFILE)


def is_there(path, name):
    """Whether a test of this name is in the file, and called there."""
    file = ROOT / path
    if not file.is_file():
        return False
    if path.endswith(".t"):
        return name == ""
    text = file.read_text(encoding="utf-8")
    if path.endswith(".c"):
        if " " in name:
            return f'{{"{name}",' in text[text.find("torture_check checks[]"):]
        if re.search(rf"^[A-Z_]+\({name}[,)]", text, re.M) is not None:  # TEST(name), and what is made of it
            return True
        listed = text[text.find("struct CMUnitTest"):] if "struct CMUnitTest" in text else ""
        return f"static void {name}(void **state)" in text and re.search(rf"\(\s*{name}\s*[,)]", listed) is not None
    defined = re.search(rf"^def {name}\(", text, re.M) is not None
    return defined and (name.startswith("test_") or "tap.tests_of(globals())" in text
                        or len(re.findall(rf"\b{name}\b", text)) > 1)


def every_fault_has_its_row():
    numbers = [number for number, *_ in rows()]
    assert numbers == list(range(1, FAULTS + 1)), sorted(set(range(1, FAULTS + 1)) ^ set(numbers)) or numbers


def every_row_names_tests_or_says_why_there_are_none():
    for number, fault, happens, tests in rows():
        if happens.startswith("does not apply: "):
            assert len(happens) > 40 and named(tests) == [], f"F{number:02}: expected a reason and no test"
        else:
            assert named(tests), f"F{number:02}: {fault}: no test"


def every_test_that_is_named_is_there_and_run():
    missing = [f"F{number:02}: {path}: {name}" for number, _, _, tests in rows() for path, name in named(tests)
               if not is_there(path, name) or not is_run_by_make(path)]
    assert not missing, "not there, or not run:\n# " + "\n# ".join(missing)


def library_command_and_adapters_are_all_tested():
    paths = {path for *_, tests in rows() for path, _ in named(tests)}
    for folder in MET_BY:
        assert any(path.startswith(folder) for path in paths), f"no test in {folder}"


def a_name_that_is_not_there_is_noticed():
    """This test's own test."""
    path = "tests/faults/hostile_test.c"
    assert is_there(path, "every_truncation_is_refused") and not is_there(path, "every_truncation_is_accepted")
    assert not is_there("tests/faults/none_test.c", "every_truncation_is_refused")
    assert is_there("tests/cli/info/whole.t", "") and not is_there("tests/cli/info/none.t", "")
    assert is_run_by_make("tests/cli/check_limits.py") and not is_run_by_make("tests/cli/tap.py")


TESTS = [every_fault_has_its_row, every_row_names_tests_or_says_why_there_are_none,
         every_test_that_is_named_is_there_and_run, library_command_and_adapters_are_all_tested,
         a_name_that_is_not_there_is_noticed]

if __name__ == "__main__":
    sys.exit(tap.run(TESTS, "ink-trust-"))
