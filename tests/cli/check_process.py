#!/usr/bin/env python3
"""What transcripts cannot show: what ink does on a terminal, on signals, when a file is pulled away, while a
pipe waits for answers, and when several change one file.

Prints a TAP line for each test and exits with the number that failed.
"""
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import threading
import time

import tap
from help_pages import INK



def write(path, text):
    pathlib.Path(path).write_text(text, encoding="utf-8")


def ink(*words, given=b""):
    """What it prints; it must succeed."""
    return subprocess.run([INK, *words], input=given, stdout=subprocess.PIPE, check=True).stdout


class Run:
    """A command whose standard error is a terminal, and standard output too if wanted."""

    def __init__(self, *words, both=False, given=None, **variables):
        wanted = {**os.environ, "TERM": "xterm", "NO_COLOR": None, **variables}
        environment = {name: value for name, value in wanted.items() if value is not None}
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


class Asked:
    """A command in a pipe: something is given to it, its answer is awaited, and then it is given more."""

    def __init__(self, *words, **more):
        self.process = subprocess.Popen([INK, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, **more)

    def give(self, text):
        """Writes it at once."""
        self.process.stdin.write(text)

    def line(self):
        """The next line; half a minute is enough for it to come."""
        found, until = b"", time.monotonic() + 30
        while not found.endswith(b"\n"):
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, until - time.monotonic()))
            if not ready:
                self.process.kill()
                raise AssertionError(f"no line comes after {found!r}")
            piece = self.process.stdout.read(1)
            if not piece:
                break
            found += piece
        return found

    def end(self, close=True):
        """What is left, and the exit code; if not closed before, what it reads goes on while it ends."""
        if close:
            self.process.stdin.close()
        try:
            self.process.wait(30)
        finally:
            self.process.kill()
        left = self.process.stdout.read()
        self.process.stdin.close()
        self.process.stdout.close()
        return left, self.process.returncode


class Fed(Run):
    """A build on a terminal that reads words, given one by one."""

    def __init__(self, path, *words):
        given, self.giving = os.pipe()
        super().__init__("build", "bloom", "-o", path, *words, given=given, NO_COLOR="1")
        os.close(given)
        self.words = 0

    def give(self):
        """One more word."""
        self.words += 1
        os.write(self.giving, b"%d\n" % self.words)

    def end(self):
        """No more words come."""
        os.close(self.giving)
        return super().end()


def answers_in_time(question):
    """Whether something becomes true within half a minute."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if question():
            return True
        time.sleep(0.005)
    return False


def signals_wait():
    """Whether the program carries the thread sanitizer: it keeps a signal back while its thread waits for a mutex or for
    the lock of a file, and only reading is interrupted."""
    return b"__tsan_init" in pathlib.Path(INK).read_bytes()


def errors_are_coloured_and_no_color_switches_that_off():
    """The name alone is red."""
    seen, code = Run("bild").end()
    assert code == 2 and seen.startswith("\033[1;31mink:\033[0m no command"), seen
    for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": None}):
        seen, _ = Run("bild", **variables).end()
        assert seen.startswith("ink: no command"), (variables, seen)
    seen, _ = Run("bild", NO_COLOR="").end()  # as if it were not set
    assert seen.startswith("\033[1;31mink:"), seen


def sketches_are_not_written_to_a_terminal():
    """Nobody can read them there."""
    seen, code = Run("build", "bloom", "-o", "-", both=True, NO_COLOR="1").end()
    assert code == 2 and "terminal" in seen and seen.count("\n") == 1, seen


def a_bar_is_there_while_work_takes_long_unless_switched_off():
    """It comes after a second and leaves no trace: what is left is the line about the result. Of those that began before
    it, one has no bar, and one not even the line."""
    quiet, none, run = Fed("quiet.ink", "-q"), Fed("none.ink", "--no-progress"), Fed("slow.ink")
    until = time.monotonic() + 30
    while not re.search(r"\rreading  .*records, .*/s", run.seen) and time.monotonic() < until:
        for each in (quiet, none, run):
            each.give()
        run.read(0.05)
    time.sleep(0.1)
    for each in (quiet, none, run):
        each.give()
    seen, code = run.end()
    assert code == 0 and re.search(r"\rreading  .*records, .*/s", seen), repr(seen)
    last = seen[seen.rindex("\r\033[K") + len("\r\033[K"):]
    assert re.fullmatch(rf"ink: slow\.ink: 1 sketch of {run.words} records, .*, in \d+\.\d\d s\r\n", last), repr(seen)
    seen, code = none.end()
    assert code == 0 and re.fullmatch(r"ink: none\.ink: 1 sketch .*\r\n", seen), repr(seen)
    assert quiet.end() == ("", 0), repr(quiet.seen)


def signals_clean_up_and_kill():
    """SIGINT, SIGTERM, SIGHUP: it dies of them, the bar is gone, no file is left."""
    running = []
    words = ("--threads", "1") if signals_wait() else ()  # one thread reads; of two, one waits for the other
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        run = Fed(f"never{number}.ink", *words)
        run.give()
        running.append((number, run))
    for number, run in running:
        until = time.monotonic() + 30
        while "reading" not in run.seen and time.monotonic() < until:
            run.give()
            run.read(0.05, "reading")
        run.process.send_signal(number)
        assert run.process.wait(30) == -number, (number, run.seen)
        seen, _ = run.end()
        assert "reading" in seen and seen.endswith("\r\033[K"), repr(seen)
    assert os.listdir(".") == [], os.listdir(".")


def a_signal_stops_the_lab_at_its_next_step():
    """It dies of it without a page, and neither its folder nor the bar is left."""
    run = Run("lab", "--quick", "--only", "001", TMPDIR=os.getcwd())
    assert "0 %" in run.read(30, " %") and len(os.listdir(".")) == 1, (run.seen, os.listdir("."))
    run.process.send_signal(signal.SIGINT)
    seen, code = run.end()
    assert code == -signal.SIGINT and seen.endswith("\r\033[K") and "ink:" not in seen, (code, seen)
    assert all(int(share) < 30 for share in re.findall(r"(\d+) %", seen)) and os.listdir(".") == [], (seen, os.listdir("."))


def what_nohup_has_ignored_stays_ignored():
    """A command that is asked after such a signal answers; of another one it dies."""
    ink("build", "bloom", "-p", "1e-5", "-o", "s.ink", given=b"ant\nbee\n")
    asked = Asked("filter", "s.ink", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    for key in (b"ant\n", b"bee\n"):
        asked.give(key)
        assert asked.line() == key
        asked.process.send_signal(signal.SIGHUP)
    asked.process.send_signal(signal.SIGINT)
    assert asked.end(close=False) == (b"", -signal.SIGINT)


def a_file_that_is_being_written_goes_with_the_process():
    """The temporary file is there while records are written, and gone after a signal."""
    run = Run("gen", "ip", "-n", "1e12", "-o", "never", "--no-progress")
    assert answers_in_time(lambda: sum(map(os.path.getsize, os.listdir(".")))), "no records"
    assert len(os.listdir(".")) == 1 and os.listdir(".") != ["never"], os.listdir(".")
    run.process.send_signal(signal.SIGTERM)
    seen, code = run.end()
    assert (seen, code, os.listdir(".")) == ("", -signal.SIGTERM, []), (seen, code, os.listdir("."))


def two_signals_at_once_clean_up_too():
    """The program timeout sends two: the second must not end the process while the first is cleaning up."""
    os.mkdir("made")
    ink("build", "bloom", "-n", "100", "-o", "b.ink")
    for step in range(200):
        process = subprocess.Popen([INK, "filter", "--threads", "8", "-o", "made/never", "b.ink"], stdin=subprocess.PIPE)
        process.stdin.write(b"ant\n" * (1 << 18))
        assert answers_in_time(lambda: os.listdir("made"))
        process.send_signal(signal.SIGTERM)
        time.sleep(step % 10 * 1e-5)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == -signal.SIGTERM
        process.stdin.close()
        assert os.listdir("made") == [], (step, os.listdir("made"))


def a_mapped_file_that_is_truncated_is_one_line():
    """A sketch file above 64 MiB is mapped; one that is truncated meanwhile is named."""
    ink("build", "bloom", "-n", "6e7", "-o", "large.ink")
    assert os.path.getsize("large.ink") > 64 << 20
    given, giving = os.pipe()
    process = subprocess.Popen([INK, "filter", "-v", "-o", "never", "large.ink"], stdin=given, stderr=subprocess.PIPE)
    os.close(given)
    os.write(giving, b"first\n")  # answered when the file has been checked, and mapped
    assert answers_in_time(lambda: sum(map(os.path.getsize, os.listdir("."))) > os.path.getsize("large.ink")), "no answer"
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


def data_that_is_truncated_while_it_is_read_is_one_line():
    """As a log is whose rotation copies it and cuts it to nothing; or one that loses the end of its last page, which is
    then read as zeros. What a terminal would interpret in a name is a question mark, or escaped if no signal was
    needed to notice."""
    ink("build", "bloom", "-o", "x.ink", given=b"x\n")
    lines = b"".join(b"%d\n" % number for number in range(1000000)) * 8
    building, filtering = ["build", "scalable", "-o", "never.ink"], ["filter", "-v", "x.ink", "-o", "never.txt"]
    name, shown = "da\x7ft\x1ba.txt", (b"da?t?a.txt", rb"da\x7ft\x1ba.txt")
    for words, left in ((building, 4096), (building, len(lines) - 20), (filtering, 4096), (filtering, len(lines) - 20)):
        pathlib.Path(name).write_bytes(lines)
        process = subprocess.Popen([INK, *words, "--threads", "1", name], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        maps = pathlib.Path(f"/proc/{process.pid}/maps")
        while process.poll() is None and name.encode() not in maps.read_bytes():
            pass
        process.send_signal(signal.SIGSTOP)
        os.truncate(name, left)
        process.send_signal(signal.SIGCONT)
        printed, said = process.communicate(timeout=60)
        expected = [b"ink: " + path + b": the file was truncated while it was read\n" for path in shown]
        assert (printed, process.returncode) == (b"", 4) and said in expected, (words, left, printed, said, process.returncode)
        assert sorted(os.listdir(".")) == [name, "x.ink"], os.listdir(".")


def a_number_alone_has_its_bounds_on_a_terminal():
    """Through a pipe it stands alone, for a shell to take."""
    write("d.txt", "ant\nbee\nant\n")
    seen, code = Run("distinct", "d.txt", both=True).end()
    assert (seen, code) == ("2  (2 to 3, 95 %)\r\n", 0), (seen, code)
    assert ink("distinct", "d.txt") == b"2\n"


def a_confidence_has_three_digits_on_a_terminal():
    """That of a count-min would have six, and what is not certain is not rounded up to 100 %."""
    write("d.txt", "ant\nbee\nant\n")
    ink("build", "count-min", "-o", "d.ink", "d.txt")
    seen, code = Run("dot", "d.ink", "d.ink", both=True).end()
    assert (seen, code) == ("5  (4 to 5, 99.3 %)\r\n", 0), (seen, code)
    for confidence, shown in (("0.9", "90"), ("0.999", "99.9"), ("0.9996", "99.9"), ("0.9999999", "99.9")):
        seen, code = Run("distinct", "--confidence", confidence, "d.txt", both=True).end()
        assert code == 0 and seen.endswith(f", {shown} %)\r\n"), (confidence, seen, code)


def info_does_not_wait_for_a_terminal():
    """Without a file it reads standard input, but sketches are not typed."""
    master, slave = pty.openpty()
    seen, code = Run("info", given=slave, NO_COLOR="1").end()
    os.close(master)
    os.close(slave)
    assert code == 2 and seen.count("\n") == 1 and "standard input is a terminal" in seen, (seen, code)


def keys_that_come_slowly_are_answered_at_once():
    """The second key is only given when the first has its answer."""
    write("d.txt", "ant\nbee\nant\n")
    ink("build", "count-min", "-o", "d.ink", "d.txt")
    for form, titles in (("--tsv", 1), ("--json", 0), ("--no-progress", 1)):
        asked = Asked("count", form, "d.ink")
        for key, count in ((b"ant", b"2"), (b"bee", b"1")):
            asked.give(key + b"\n")
            answer = [asked.line() for _ in range(titles + 1)][-1]
            titles = 0
            assert key in answer and count in answer, (form, answer)
        assert asked.end() == (b"", 0)


def records_that_come_slowly_are_filtered_at_once():
    """A record goes out before the next one comes; -q is content with the first, though more might come."""
    write("s.csv", "id,n\na,1\nc,3\n")
    ink("build", "bloom", "-p", "1e-5", "--header", "--key", "id", "-o", "s.ink", "s.csv")
    asked = Asked("filter", "--in", "csv", "--key", "1", "s.ink")
    for given, answer in ((b"a,1\n", b"a,1\n"), (b"b,2\nc,3\n", b"c,3\n")):
        asked.give(given)
        assert asked.line() == answer
    assert asked.end() == (b"", 0)
    asked = Asked("filter", "-q", "--in", "csv", "--key", "1", "s.ink")
    asked.give(b"a,1\n")
    assert asked.end(close=False) == (b"", 0)


def has_lock(process):
    """Whether a process holds a lock, or waits for one (None: neither)."""
    for line in pathlib.Path("/proc/locks").read_text(encoding="ascii").splitlines():
        words = line.split()
        if "FLOCK" in words and str(process.pid) in words:
            return "->" not in words
    return None


def digest(path):
    """The digest of a file of sketches, which is whole."""
    return ink("info", "--digest", path)


def adding(path, **more):
    """An add to a file that holds the lock, and waits for its data."""
    process = subprocess.Popen([INK, "add", path], stdin=subprocess.PIPE, **more)
    assert answers_in_time(lambda: has_lock(process)), "no lock"
    return process


def add_and_remove_print_one_line_on_a_terminal():
    """How many records, of how many, to or from how many sketches."""
    write("a", "ant\nbee\n")
    ink("build", "counting,hll", "-n", "100", "-o", "a.ink", "a")
    seen, code = Run("add", "a.ink", "a", NO_COLOR="1").end()
    assert code == 0 and re.fullmatch(r"ink: a\.ink: 2 of 2 records added to 2 sketches, in \d+\.\d\d s\r\n", seen), seen
    ink("build", "counting", "-n", "100", "-o", "b.ink", "a")
    seen, code = Run("add", "--once", "-e", "bee", "-e", "cat", "b.ink", NO_COLOR="1").end()
    assert code == 0 and seen.startswith("ink: b.ink: 1 of 2 records added to 1 sketch, in "), seen
    seen, code = Run("remove", "-e", "cat", "b.ink", NO_COLOR="1").end()
    assert code == 0 and seen.startswith("ink: b.ink: 1 of 1 record removed from 1 sketch, in "), seen
    write("g.tsv", "a\tg\n")
    ink("build", "hll", "--key", "1", "--by", "2", "-o", "g.ink", "g.tsv")
    write("g.tsv", "a\tg\na\th\n")
    seen, code = Run("add", "g.ink", "g.tsv", NO_COLOR="1").end()
    assert code == 0 and seen.startswith("ink: g.ink: 2 of 2 records added to 2 sketches (1 new), in "), seen
    assert Run("add", "-q", "g.ink", "g.tsv").end() == ("", 0)


def a_file_that_appears_while_a_command_runs_is_not_replaced():
    """Without --force it is refused at the end as at the start, whichever command writes."""
    ink("build", "hll", "-o", "h.ink", given=b"ant\n")
    ink("build", "bloom", "-n", "100", "-o", "b.ink", given=b"ant\n")
    lines, sketch = b"ant\nbee\n", pathlib.Path("b.ink").read_bytes()
    cases = ((("build", "hll", "-o"), lines), (("uniq", "-n", "100", "-o"), lines), (("filter", "b.ink", "-o"), lines),
             (("build", "--as", "spark-v1", "-n", "100", "-o"), lines),
             (("merge", "-", "-o"), sketch), (("fold", "-p", "0.3", "-", "-o"), sketch), (("gen", "u64", "-n", "2e6", "-o"), b""),
             (("gen", "names", "-n", "2e6", "-o", "-", "--sample", "1e6", "--sample-out"), b""))
    for words, given in cases:
        for force in (False, True):
            process = subprocess.Popen([INK, *words, "made", *(["--force"] if force else [])], stdin=subprocess.PIPE,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            if words[0] == "gen":  # has no input to wait for
                assert answers_in_time(lambda: any(name.startswith("made.tmp.") for name in os.listdir(".")))
                process.send_signal(signal.SIGSTOP)
            else:
                time.sleep(0.1)  # by now it has looked
            write("made", "precious")
            process.send_signal(signal.SIGCONT)
            if words[0] == "gen" and force:
                process.terminate()
            _, said = process.communicate(given, timeout=60)
            kept = pathlib.Path("made").read_bytes() == b"precious"
            if not force:
                assert process.returncode == 2 and kept, (words, process.returncode, said)
                assert said == b"ink: made: already exists, expected a new name or --force\n", (words, said)
            elif words[0] != "gen":
                assert process.returncode == 0 and not kept, (words, process.returncode, said)
            os.remove("made")
            assert sorted(os.listdir(".")) == ["b.ink", "h.ink"], (words, os.listdir("."))


def a_link_is_followed_by_every_command_that_writes():
    ink("build", "hll", "-o", "h.ink", given=b"ant\n")
    os.mkdir("there")
    os.symlink("there/x.ink", "link")
    ink("build", "hll", "-o", "link", given=b"ant\n")  # makes what it points to
    assert digest("there/x.ink") == digest("h.ink")
    for words in (("build", "hll", "--force", "-o", "link"), ("merge", "h.ink", "--force", "-o", "link"), ("add", "link")):
        ink(*words, given=b"bee\n")
        assert os.path.islink("link") and sorted(os.listdir("there")) == ["x.ink"], words
        assert os.path.samefile("link", "there/x.ink"), words
    assert ink("distinct", "there/x.ink") == b"2\n"
    done = subprocess.run([INK, "build", "hll", "-o", "link"], input=b"", capture_output=True, check=False)
    assert done.returncode == 2 and b"already exists" in done.stderr, done
    os.rename("there", "gone")
    done = subprocess.run([INK, "build", "hll", "-o", "link"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (4, b"ink: link: its folder: No such file or directory\n"), done
    if os.geteuid() == 0:  # a link of another user in a folder like /tmp
        os.mkdir("open")
        os.chown("open", 1234, -1)
        os.chmod("open", 0o1777)
        os.symlink("../h.ink", "open/link")
        os.chown("open/link", 4321, -1, follow_symlinks=False)
        before = digest("h.ink")
        for words in (("build", "hll", "--force", "-o", "open/link"), ("add", "open/link")):
            done = subprocess.run([INK, *words], input=b"cat\n", capture_output=True, check=False)
            assert done.returncode == 4 and b"a symbolic link of another user" in done.stderr, done
            assert done.stderr.count(b"\n") == 1 and digest("h.ink") == before, done
        os.chown("open/link", 1234, -1, follow_symlinks=False)  # the folder's owner
        ink("build", "hll", "--force", "-o", "open/link", given=b"cat\nbee\n")
        assert ink("distinct", "h.ink") == b"2\n"


def one_ctrl_d_ends_a_terminal_and_a_line_says_that_it_is_read():
    """Whichever command reads it, and however little is typed, also less than the first bytes that show a format."""
    ink("build", "bloom,count-min", "-n", "100", "-o", "b.ink", given=b"ant\n")
    write("b.txt", "ant\n")
    commands = (("build", "hll", "--force", "-o", "made.ink"), ("distinct",), ("distinct", "-"), ("top",), ("uniq", "-n", "100"),
                ("filter", "b.ink"), ("count", "b.ink"), ("add", "b.ink"), ("verify", "b.ink", "--truth", "-"),
                ("verify", "b.ink", "--truth", "b.txt", "--absent", "-"), ("count", "--keys-from", "-", "b.txt"),
                ("stream", "--sketch", "hll", "--state", "state", "--train", "-"), ("map", "hll"),
                ("stream", "--sketch", "count-min", "--state", "asked", "--train", "/dev/null", "--ask", "-"))
    for words in commands:
        for typed in (b"", b"ant\n", b"\x1f\n" if words[0] == "distinct" else b"an ant\n", b"ant and bee\n"):
            master, slave = pty.openpty()
            process = subprocess.Popen([INK, *words], stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            os.close(slave)
            late = threading.Timer(30, process.kill)
            late.start()
            line = process.stderr.readline()
            while words[0] == "stream" and line and b"terminal" not in line:
                line = process.stderr.readline()  # it also says that it begins
            late.cancel()
            assert line == b"ink: reading standard input from the terminal, Ctrl-D ends it\n", (words, typed, line)
            if typed:
                os.write(master, typed)
                time.sleep(0.05)  # the command has read it, and waits
            os.write(master, b"\4")
            try:
                _, said = process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
            finally:
                os.close(master)
            assert process.returncode in (0, 1) and b"terminal" not in said, (words, typed, process.returncode, said)


def several_at_once_lose_nothing():
    """Eight processes add to one file, some of them through a link; the result is that of one after another."""
    for number in range(8):
        keys = range(1000 * number, 1000 * number + 1000)
        write(f"{number}.txt", "".join(f"{key}\n" for key in keys))
    texts = [f"{number}.txt" for number in range(8)]
    build = [INK, "build", "counting,count-min,hll", "-n", "1e4"]
    subprocess.run([*build, "-o", "all.ink", *texts], check=True)
    subprocess.run([*build, "-o", "x.ink"], stdin=subprocess.DEVNULL, check=True)
    os.symlink("x.ink", "link")
    running = [subprocess.Popen([INK, "add", "link" if number % 2 else "x.ink", text])
               for number, text in enumerate(texts)]
    assert [process.wait(60) for process in running] == [0] * 8
    assert digest("x.ink") == digest("all.ink")
    for path, given in (("full.ink", texts), ("empty.ink", ["/dev/null"])):
        ink("build", "counting", "-n", "1e4", "-o", path, *given)
    running = [subprocess.Popen([INK, "remove", "full.ink", text]) for text in texts]
    assert [process.wait(60) for process in running] == [0] * 8
    assert digest("full.ink") == digest("empty.ink")
    assert sorted(os.listdir(".")) == sorted(["all.ink", "empty.ink", "full.ink", "link", "x.ink", *texts]), os.listdir(".")


def the_second_waits_for_the_first_and_a_signal_ends_the_waiting():
    """The process that holds the lock may take long; the others wait, and die of a signal."""
    ink("build", "hll", "-o", "x.ink")
    first = adding("x.ink")
    second, third = (subprocess.Popen([INK, "add", "-e", key, "x.ink"]) for key in ("bee", "cat"))
    assert answers_in_time(lambda: has_lock(second) is False and has_lock(third) is False)
    number = signal.SIGKILL if signals_wait() else signal.SIGINT
    third.send_signal(number)
    assert third.wait(60) == -number
    assert second.poll() is None
    first.communicate(b"ant\n", timeout=60)
    assert (first.returncode, second.wait(60)) == (0, 0)
    assert ink("distinct", "x.ink") == b"2\n"
    assert os.listdir(".") == ["x.ink"], os.listdir(".")


def a_killed_process_leaves_no_lock_and_a_whole_file():
    """SIGKILL while data is read: the old file. At any time: the old one or the new one."""
    ink("build", "bloom", "-n", "2e6", "-o", "x.ink")
    old = digest("x.ink")
    first = adding("x.ink")
    first.stdin.write(b"ant\n")
    first.stdin.flush()
    first.kill()
    first.communicate(timeout=60)
    assert os.listdir(".") == ["x.ink"] and digest("x.ink") == old
    whole = pathlib.Path("x.ink").read_bytes()
    began = time.monotonic()
    ink("add", "-e", "bee", "x.ink")  # the lock is gone
    took = time.monotonic() - began
    new = digest("x.ink")
    for step in range(20):
        pathlib.Path("x.ink").write_bytes(whole)
        process = subprocess.Popen([INK, "add", "-e", "bee", "x.ink"])
        time.sleep(took * step / 16)
        process.kill()
        process.wait(60)
        assert digest("x.ink") in (old, new), step
    ink("add", "-e", "cat", "x.ink")


TESTS = (errors_are_coloured_and_no_color_switches_that_off,
         sketches_are_not_written_to_a_terminal,
         a_bar_is_there_while_work_takes_long_unless_switched_off,
         signals_clean_up_and_kill,
         a_signal_stops_the_lab_at_its_next_step,
         a_file_that_is_being_written_goes_with_the_process,
         two_signals_at_once_clean_up_too,
         a_mapped_file_that_is_truncated_is_one_line,
         data_that_is_truncated_while_it_is_read_is_one_line,
         a_number_alone_has_its_bounds_on_a_terminal,
         a_confidence_has_three_digits_on_a_terminal,
         info_does_not_wait_for_a_terminal,
         keys_that_come_slowly_are_answered_at_once,
         records_that_come_slowly_are_filtered_at_once,
         add_and_remove_print_one_line_on_a_terminal,
         what_nohup_has_ignored_stays_ignored,
         a_file_that_appears_while_a_command_runs_is_not_replaced,
         a_link_is_followed_by_every_command_that_writes,
         one_ctrl_d_ends_a_terminal_and_a_line_says_that_it_is_read,
         several_at_once_lose_nothing,
         the_second_waits_for_the_first_and_a_signal_ends_the_waiting,
         a_killed_process_leaves_no_lock_and_a_whole_file)


if __name__ == "__main__":
    sys.exit(tap.run(TESTS, "ink-terminal-"))
