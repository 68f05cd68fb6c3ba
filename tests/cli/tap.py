"""Runs tests that are functions, each in an empty folder, and prints a TAP line for each."""
import os
import signal
import subprocess
import tempfile


class Skipped(Exception):
    """A test that says nothing here, and why."""


def tests_of(names):
    """The functions of a script, of its globals(), that are tests: their names are messages."""
    return [item for item in names.values() if callable(item) and getattr(item, "__module__", None) == "__main__"
            and item.__name__.count("_") >= 3]


def heed_signals():
    """What nohup, or a shell that runs this in the background, has ignored would be ignored by all that is tested too."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def run(tests, prefix):
    """Returns the number of failures. The name of a test is its message."""
    failed = 0
    heed_signals()
    print(f"1..{len(tests)}")
    home = os.getcwd()
    for number, test in enumerate(tests, 1):
        with tempfile.TemporaryDirectory(prefix=prefix) as folder:
            os.chdir(folder)
            try:
                test()
                print(f"ok {number} - {test.__name__}")
            except Skipped as why:
                print(f"ok {number} - {test.__name__} # SKIP {why}")
            except (AssertionError, OSError, ValueError, KeyError, subprocess.SubprocessError) as why:
                failed += 1
                print(f"not ok {number} - {test.__name__}\n# {why}")
            os.chdir(home)
    return failed
