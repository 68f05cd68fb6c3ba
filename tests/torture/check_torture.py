#!/usr/bin/env python3
"""The driver of the torture suites, tried with suites that fail, die, hang and are cut short.

Prints a TAP line for each test and exits with the number that failed.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))

import tap  # noqa: E402

PATIENCE = 30

# A suite of 20 cases that keeps to the contract; its name is that of its file.
SUITE = '''
import argparse, os, pathlib, signal, sys, time
words = argparse.ArgumentParser()
words.add_argument("--seconds", type=float); words.add_argument("--seed", type=int); words.add_argument("--state")
words = words.parse_args()
name, all, done = pathlib.Path(__file__).stem, 20, 0
state = pathlib.Path(words.state)
if state.exists():
    done = int(state.read_text().split()[1])
failures = 0
def report():
    state.with_suffix(".mine").write_text(f"done {done}"); state.with_suffix(".mine").rename(state)
    print(f"torture: {name} cases {done} of {all} faults {3 * done} failures {failures}", flush=True)
def fail(why):
    global failures
    failures += 1
    print(f"torture: {name} FAILED case {done}: {why}; again: {name} --only {done}", flush=True)
with open(f"{os.environ['HERE']}/{name}.began", "a") as began:
    began.write(f"{done}\\n")
while done < all:
    %s
    done += 1
    report()
sys.exit(1 if failures else 0)
'''


class Torture:
    """The driver with suites of one's own, in the folder of the test."""

    def __init__(self, **steps):
        (self.out, self.folder) = (pathlib.Path("out").absolute(), pathlib.Path("out/torture").absolute())
        self.out.mkdir(exist_ok=True)
        for file in ("ink", "libinkling.so"):
            (self.out / file).write_text(file)
        lines = []
        for name, step in steps.items():
            program = pathlib.Path(f"{name}.py").absolute()
            program.write_text(SUITE % step if "\n" not in step else step)
            lines.append(f"run_torture.Suite({name!r}, weight=1, program={str(program)!r})")
        pathlib.Path("driver.py").write_text(
            f"import sys; sys.path.insert(0, {str(HERE)!r}); import run_torture\n"
            f"sys.exit(run_torture.main(sys.argv[1:], [{', '.join(lines)}]))\n")

    def start(self, *words):
        return subprocess.Popen([sys.executable, "-B", "driver.py", str(self.out), *words], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, env={**os.environ, "HERE": os.getcwd()})

    def run(self, *words, code=0):
        process = self.start("--minutes", "0", *words)
        output, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == code, f"exit code {process.returncode}, expected {code}: {output}"
        return output

    def began(self, name):
        """The cases that a suite began with, run by run."""
        return [int(line) for line in pathlib.Path(f"{name}.began").read_text().split()]


def row(output, name):
    """Cases run, of, faults and failures."""
    found = re.search(rf"^{name} +([\d,]+) +([\d,]+) +([\d,]+) +([\d,]+) +\d+$", output, re.M)
    assert found, f"no row of {name}: {output}"
    return tuple(int(number.replace(",", "")) for number in found.groups())


def wait_for(condition):
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, "it never came"
        time.sleep(0.01)


def suites_that_pass_are_rows_of_the_table():
    output = Torture(one="pass", two="pass").run()
    assert row(output, "one") == row(output, "two") == (20, 20, 60, 0), output


def a_failed_case_is_reported_with_the_command_that_makes_it_again():
    output = Torture(good="pass", bad="done == 7 and fail('it broke')").run(code=1)
    assert row(output, "good")[3] == 0 and row(output, "bad") == (20, 20, 60, 1), output
    assert output.endswith("torture: bad FAILED case 7: it broke; again: bad --only 7\n"), output


def a_suite_that_dies_by_a_signal_is_a_failure():
    output = Torture(dies="done == 5 and os.kill(os.getpid(), signal.SIGSEGV)").run(code=1)
    assert row(output, "dies") == (5, 20, 15, 1), output
    assert "FAILED case 5 or later: the suite was ended by SIGSEGV; again: " in output, output


def a_suite_that_prints_nothing_is_a_failure():
    output = Torture(silent="sys.exit(0)").run(code=1)
    assert "the suite ended with exit code 0 and reported no cases" in output and row(output, "silent") == (0, 0, 0, 1), output


def a_suite_that_hangs_is_ended_and_a_failure():
    output = Torture(hangs="done == 3 and time.sleep(600)").run("--silence", "0.5", code=1)
    assert "the suite said nothing for 0.5 s" in output and row(output, "hangs") == (3, 20, 9, 1), output


def exit_codes_and_counts_that_do_not_fit_are_failures():
    output = Torture(quiet="done == 19 and (setattr(sys, 'exit', lambda code: os._exit(1)))").run(code=1)
    assert "the suite ended with exit code 1 and reported no failure" in output, output
    output = Torture(denies="done == 4 and (fail('it broke'), setattr(sys, 'exit', lambda code: os._exit(0)))").run(code=1)
    assert "the suite reported failures and ended with exit code 0" in output, output
    output = Torture(early="done == 9 and sys.exit(0)").run(code=1)
    assert "the suite ended after 9 of 20 cases, expected all" in output, output
    output = Torture(throws="done == 2 and 1 / 0").run(code=1)
    assert "reported no failure (" in output and "ZeroDivisionError" in output, output


def what_was_interrupted_or_killed_goes_on_and_what_had_ended_is_not_repeated():
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)):
        pathlib.Path("go").unlink(missing_ok=True)
        torture = Torture(**{f"quick{code}{number}".replace("-", "k"): "pass",
                             f"slow{code}{number}".replace("-", "k"):
                             "done == 6 and [time.sleep(0.01) for _ in iter(lambda: os.path.exists(os.environ['HERE'] + '/go'), True)]"})
        quick, slow = (path.stem for path in sorted(pathlib.Path().glob(f"*{number}.py")))
        process = torture.start("--minutes", "0")
        wait_for(lambda: (torture.folder / f"{slow}.state").exists()
                 and "done 6" in (torture.folder / f"{slow}.state").read_text()
                 and '"ended": true' in (torture.folder / f"{quick}.counts").read_text())
        process.send_signal(number)
        output, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == code, f"{process.returncode}: {output}"
        assert number == signal.SIGKILL or output.endswith("the next run goes on from here\n"), output
        pathlib.Path("go").touch()
        output = torture.run()
        assert row(output, quick) == row(output, slow) == (20, 20, 60, 0), output
        assert torture.began(quick) == [0] and torture.began(slow) == [0, 6], output
        assert f"goes on with what is left of the last run: {slow}" in output, output


def a_run_after_one_that_was_complete_starts_anew():
    torture = Torture(one="pass")
    torture.run()
    assert row(torture.run(), "one") == (20, 20, 60, 0)
    assert torture.began("one") == [0, 0]


def a_run_after_one_whose_time_was_up_goes_on_and_reports_its_failures_again():
    torture = Torture(one="(done == 3 and fail('it broke'), done == 8 and words.seconds and (report(), sys.exit(1)))")
    process = torture.start("--minutes", "1")
    output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1 and row(output, "one") == (8, 20, 24, 1), output
    output = torture.run(code=1)
    assert torture.began("one") == [0, 8] and "torture: one goes on from case 8 of 20" in output, output
    assert row(output, "one") == (20, 20, 60, 1) and "FAILED case 3: it broke" in output, output


def another_seed_or_another_program_starts_anew_and_says_so():
    torture = Torture(one="done == 8 and words.seconds and (report(), sys.exit(0))")
    torture.start("--minutes", "1").communicate(timeout=PATIENCE)
    output = torture.run("--seed", "2")
    assert "torture: one starts anew: the seed, or what it tests, has changed" in output, output
    for file in ("ink", "libinkling.so"):
        torture.start("--minutes", "1", "--seed", "2").communicate(timeout=PATIENCE)
        (torture.out / file).write_text("another")
        assert "one starts anew" in torture.run("--seed", "2")
    assert torture.began("one") == [0] * 6, torture.began("one")


def suites_of_one_core_run_side_by_side():
    if (os.cpu_count() or 1) < 2:
        raise tap.Skipped("one core")
    meet = ("open(f\"{os.environ['HERE']}/met-{name}\", 'w').close(), "
            "[time.sleep(0.01) for _ in iter(lambda: os.path.exists(os.environ['HERE'] + '/met-%s'), True)]")
    output = Torture(one=meet % "two", two=meet % "one").run()
    assert row(output, "one") == row(output, "two"), output


def what_is_not_there_is_one_line():
    torture = Torture(one="pass")
    assert torture.run("--only", "other", code=2) == "torture: found TORTURE_ONLY=other, expected some of one\n"
    os.unlink("one.py")
    output = torture.run(code=2)
    assert re.fullmatch(r"torture: suite one: found no \S+/one.py, expected a program or script\n", output), output


def every_suite_is_registered():
    """Every program here is one, but those that are called in another way."""
    sys.path.insert(0, str(HERE))
    import run_torture
    others = {"run_torture", "check_torture", "recall", "mutants"}
    suites = {path.stem for path in HERE.iterdir() if path.suffix in (".c", ".py")} - others
    found = {suite.name for suite in run_torture.SUITES if not suite.program}
    assert found and suites == found, f"registered are {sorted(found)}, expected {sorted(suites)}"


TESTS = [
    suites_that_pass_are_rows_of_the_table,
    a_failed_case_is_reported_with_the_command_that_makes_it_again,
    a_suite_that_dies_by_a_signal_is_a_failure,
    a_suite_that_prints_nothing_is_a_failure,
    a_suite_that_hangs_is_ended_and_a_failure,
    exit_codes_and_counts_that_do_not_fit_are_failures,
    what_was_interrupted_or_killed_goes_on_and_what_had_ended_is_not_repeated,
    a_run_after_one_that_was_complete_starts_anew,
    a_run_after_one_whose_time_was_up_goes_on_and_reports_its_failures_again,
    another_seed_or_another_program_starts_anew_and_says_so,
    suites_of_one_core_run_side_by_side,
    what_is_not_there_is_one_line,
    every_suite_is_registered,
]

if __name__ == "__main__":
    sys.exit(tap.run(TESTS, "ink-torture-"))
