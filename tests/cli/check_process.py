#!/usr/bin/env python3
"""What transcripts cannot show: what ink does on a terminal, on signals, and when a file is pulled away.

Prints a TAP line for each test and exits with the number that failed.
"""
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

FOLDER = os.environ.get("INK_BINARY_FOLDER") or os.path.dirname(os.environ["INK_LIBRARY"])
INK = os.path.join(os.path.abspath(FOLDER), "ink")


class Run:
    """A command whose standard error is a terminal, and standard output too if wanted."""

    def __init__(self, *words, both=False, given=None, **variables):
        environment = dict(os.environ, TERM="xterm", **variables)
        if "NO_COLOR" not in variables:
            environment.pop("NO_COLOR", None)
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [INK, *words], stdin=given if given is not None else subprocess.DEVNULL,
            stdout=slave if both else subprocess.DEVNULL, stderr=slave, env=environment)
        os.close(slave)
        self.seen = ""

    def read(self, seconds, awaited=None):
        """What comes within this time, up to the end, or until what is awaited is there."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and (awaited is None or awaited not in self.seen):
            ready, _, _ = select.select([self.master], [], [], 0.05)
            if not ready:
                continue
            try:
                piece = os.read(self.master, 65536)
            except OSError:  # the other end is closed
                return self.seen
            if not piece:
                return self.seen
            self.seen += piece.decode("utf-8", "replace")
        return self.seen

    def end(self):
        """What was seen, and the exit code."""
        self.read(60)
        code = self.process.wait(60)
        os.close(self.master)
        return self.seen, code


def slow_words(words, seconds):
    """A pipe that gives words for some seconds; the process that writes them."""
    reading, writing = os.pipe()
    script = f"import time\nfor i in range({words}):\n    print(i, flush=True); time.sleep({seconds / words})"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=writing, stdin=subprocess.DEVNULL)
    os.close(writing)
    return reading, process


def errors_are_coloured_and_no_color_switches_that_off():
    """The name alone is red."""
    seen, code = Run("bild").end()
    assert code == 2 and seen.startswith("\033[1;31mink:\033[0m no command"), seen
    seen, _ = Run("bild", NO_COLOR="1").end()
    assert seen.startswith("ink: no command"), seen


def sketches_are_not_written_to_a_terminal():
    """Nobody can read them there."""
    seen, code = Run("build", "bloom", "-o", "-", both=True, NO_COLOR="1").end()
    assert code == 2 and "terminal" in seen and seen.count("\n") == 1, seen


def a_bar_is_there_while_work_takes_long_and_leaves_no_trace():
    """It comes after a second; what is left is the line about the result."""
    given, process = slow_words(40, 2.5)
    run = Run("build", "bloom", "-o", "slow.ink", given=given, NO_COLOR="1")
    os.close(given)
    seen, code = run.end()
    process.wait()
    assert code == 0, seen
    assert re.search(r"\rreading  .*records, .*/s", seen), repr(seen)
    last = seen[seen.rindex("\r\033[K") + len("\r\033[K"):]
    assert re.fullmatch(r"ink: slow\.ink: 1 sketch of 40 records, .*, in \d+\.\d\d s\r\n", last), repr(seen)


def quiet_and_no_progress_switch_the_bar_off():
    """And quiet the line as well."""
    given, process = slow_words(30, 1.6)
    run = Run("build", "bloom", "-o", "quiet.ink", "-q", given=given)
    os.close(given)
    seen, code = run.end()
    process.wait()
    assert (seen, code) == ("", 0), repr(seen)
    given, process = slow_words(30, 1.6)
    run = Run("build", "bloom", "-o", "none.ink", "--no-progress", given=given, NO_COLOR="1")
    os.close(given)
    seen, code = run.end()
    process.wait()
    assert code == 0 and re.fullmatch(r"ink: none\.ink: 1 sketch .*\r\n", seen), repr(seen)


def signals_clean_up_and_kill():
    """SIGINT, SIGTERM, SIGHUP: it dies of them, the bar is gone, no file is left."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        before = sorted(os.listdir("."))
        process = subprocess.Popen(["yes"], stdout=subprocess.PIPE)
        run = Run("build", "bloom", "-o", "never.ink", given=process.stdout)
        process.stdout.close()
        run.read(30, "reading")
        run.process.send_signal(number)
        seen, code = run.end()
        process.kill()
        process.wait()
        assert code == -number, (number, code, seen)
        assert "reading" in seen and seen.endswith("\r\033[K"), repr(seen)
        assert sorted(os.listdir(".")) == before, os.listdir(".")


def a_file_that_is_being_written_goes_with_the_process():
    """The temporary file is there while records are written, and gone after a signal."""
    run = Run("gen", "ip", "-n", "1e12", "-o", "never", "--no-progress")
    for _ in range(100):
        if os.listdir("."):
            break
        time.sleep(0.05)
    assert len(os.listdir(".")) == 1 and os.listdir(".") != ["never"], os.listdir(".")
    run.process.send_signal(signal.SIGTERM)
    seen, code = run.end()
    assert (seen, code, os.listdir(".")) == ("", -signal.SIGTERM, []), (seen, code, os.listdir("."))


def a_mapped_file_that_is_truncated_is_one_line():
    """A sketch file above 64 MiB is mapped; whoever cuts it short meanwhile is named."""
    subprocess.run([INK, "build", "bloom", "-n", "6e7", "-o", "large.ink"], stdin=subprocess.DEVNULL, check=True)
    assert os.path.getsize("large.ink") > 64 << 20
    given, giving = os.pipe()
    process = subprocess.Popen([INK, "filter", "-o", "never", "large.ink"], stdin=given, stderr=subprocess.PIPE)
    os.close(given)
    os.write(giving, b"first\n")
    for _ in range(600):  # until it has checked the file and waits for records
        with open(f"/proc/{process.pid}/wchan", encoding="ascii") as where:
            if "pipe" in where.read():
                break
        time.sleep(0.05)
    time.sleep(0.2)
    os.truncate("large.ink", 4096)
    try:
        for number in range(100000):
            os.write(giving, b"key %d\n" % number)
        os.close(giving)
    except BrokenPipeError:
        pass
    said = process.stderr.read().decode()
    code = process.wait(60)
    assert (said, code) == ("ink: large.ink: the file was truncated while it was read\n", 4), (said, code)
    assert os.listdir(".") == ["large.ink"], os.listdir(".")


TESTS = (errors_are_coloured_and_no_color_switches_that_off,
         sketches_are_not_written_to_a_terminal,
         a_bar_is_there_while_work_takes_long_and_leaves_no_trace,
         quiet_and_no_progress_switch_the_bar_off,
         signals_clean_up_and_kill,
         a_file_that_is_being_written_goes_with_the_process,
         a_mapped_file_that_is_truncated_is_one_line)


def main():
    """One TAP line for each test; the exit code is the number of failures."""
    failed = 0
    print(f"1..{len(TESTS)}")
    home = os.getcwd()
    for number, test in enumerate(TESTS, 1):
        with tempfile.TemporaryDirectory(prefix="ink-terminal-") as folder:
            os.chdir(folder)
            try:
                test()
                print(f"ok {number} - {test.__name__}")
            except (AssertionError, OSError, ValueError, subprocess.TimeoutExpired) as why:
                failed += 1
                print(f"not ok {number} - {test.__name__}\n# {why}")
            os.chdir(home)
    return failed


if __name__ == "__main__":
    sys.exit(main())
