"""Runs tests that are functions, each in an empty folder, or checks with their values, and prints a TAP line for each."""
import functools
import os
import signal
import subprocess
import tempfile


class Skipped(Exception):
    """A test that says nothing here, and why."""


@functools.cache
def is_sanitised(program):
    """Whether it carries a sanitizer, or counts its lines: these take memory and files of their own."""
    with open(program, "rb") as file:
        code = file.read()
    return any(name in code for name in (b"__asan_init", b"__lsan_init", b"__tsan_init", b"__gcov_"))


def without_sanitizer(program):
    """For tests of memory."""
    if is_sanitised(program):
        raise Skipped("a sanitizer takes memory of its own")


def tests_of(names):
    """The functions of a script, of its globals(), that are tests: their names are messages."""
    return [item for item in names.values() if callable(item) and getattr(item, "__module__", None) == "__main__"
            and item.__name__.count("_") >= 3]


def heed_signals():
    """What nohup, or a shell that runs this in the background, has ignored would be ignored by all that is tested too."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def run_cases(cases):
    """Runs a check with its values, for each message, and returns the number of failures."""
    count = failed = 0
    for message, check, *values in cases:
        count += 1
        try:
            check(*values)
            print(f"ok {count} - {message}")
        except Skipped as why:
            print(f"ok {count} - {message} # SKIP {why}")
        except (AssertionError, OSError, ValueError, KeyError, subprocess.SubprocessError) as why:
            failed += 1
            print(f"not ok {count} - {message}\n# " + str(why).replace("\n", "\n# "))
    print(f"1..{count}")
    return failed


def in_empty_folder(test, prefix):
    home = os.getcwd()
    with tempfile.TemporaryDirectory(prefix=prefix) as folder:
        os.chdir(folder)
        try:
            test()
        finally:
            os.chdir(home)


def run(tests, prefix):
    """Returns the number of failures. The name of a test is its message."""
    heed_signals()
    return run_cases((test.__name__, in_empty_folder, test, prefix) for test in tests)
