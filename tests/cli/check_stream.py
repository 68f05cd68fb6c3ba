#!/usr/bin/env python3
"""What transcripts cannot show of ink stream: connections that train and ask, and signals.

Prints a TAP line for each test and exits with the number that failed.
"""
import array
import contextlib
import fcntl
import json
import os
import pathlib
import resource
import signal
import socket
import subprocess
import sys
import termios
import time

import streams
import tap
from streams import INK, PATIENCE


class Stream(streams.Stream):
    """A stream that is asked at unix:ask."""

    def __init__(self, *words, sketch=("count-min",), every="3", **settings):
        super().__init__("--ask", "unix:ask", "--every", every, *words, sketches=sketch, **settings)


class Asking:
    """A connection for questions; a line is awaited for each."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect("ask")
        self.lines = self.socket.makefile("rb")

    def ask(self, question):
        """The answer, without its end."""
        self.socket.sendall(question.encode() + b"\n")
        return self.lines.readline().decode().rstrip("\n")

    def until(self, question, answer):
        """Asks until this is the answer."""
        limit, found = time.monotonic() + PATIENCE, None
        while found != answer:
            assert time.monotonic() < limit, f"{question}: {found!r}, expected {answer!r}"
            found = self.ask(question)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lines.close()
        self.socket.close()


def a_batch_that_is_complete_is_what_questions_see():
    with Stream() as stream, stream.trained() as train, Asking() as asking:
        assert asking.ask("COUNT ant") == "ant\t0\t0\t0"
        train.sendall(b"ant\nbee\nant\nant\n")  # the last one is of the next batch
        asking.until("COUNT ant", "ant\t2\t1\t2")
        train.sendall(b"ant\nant\n")
        asking.until("COUNT ant", "ant\t5\t4\t5")


def the_state_is_saved_after_as_many_batches_as_were_asked_for():
    with Stream("--checkpoint", "3", every="2") as stream, stream.trained() as train, Asking() as asking:
        for batches, saved in ((1, 0), (2, 0), (3, 3), (4, 3), (5, 3), (6, 6)):
            train.sendall(b"ant\n" * 2)
            asking.until("COUNT ant", f"ant\t{2 * batches}\t{2 * batches - 1}\t{2 * batches}")
            until = time.monotonic() + PATIENCE
            while f"\tsaved_batches={saved}\t" not in (info := asking.ask("INFO")):
                assert time.monotonic() < until and f"\tsaved_batches={max(saved - 3, 0)}\t" in info, (batches, info)
            assert f"\tbatches={batches}\t" in info and f"\tsaved_records={2 * saved}\t" in info, (batches, info)


def several_connections_train_and_a_silent_one_stops_no_other():
    with Stream() as stream, stream.trained() as silent, stream.trained() as half, stream.trained() as other, Asking() as asking:
        half.sendall(b"an")
        other.sendall(b"bee\nbee\n")
        half.sendall(b"t\nan")
        asking.until("COUNT bee", "bee\t2\t1\t2")
        assert asking.ask("COUNT ant") == "ant\t1\t0\t1"
        silent.sendall(b"cat\ncat\ncat\n")
        asking.until("COUNT cat", "cat\t3\t2\t3")


def answers_keep_the_order_of_questions_however_many_are_sent_at_once():
    with Stream(sketch=("hll", "top")) as stream, stream.trained() as train, Asking() as asking:
        train.sendall(b"k7\n" * 3)
        asking.until("k7", "k7\t3\t3\t3")
        asking.socket.sendall(b"".join(b"k%d\r\n" % number for number in range(2000)))
        for number in range(2000):
            expected = "k7\t3\t3\t3\n" if number == 7 else f"k{number}\t0\t0\t0\n"
            assert asking.lines.readline().decode() == expected, number


def a_question_without_its_end_is_answered_and_a_long_one_refused():
    with Stream(sketch=("top",)), Asking() as asking:
        asking.socket.sendall(b"x" * (70 << 10) + b"\nant")
        asking.socket.shutdown(socket.SHUT_WR)
        first, second, rest = asking.lines.readline(), asking.lines.readline(), asking.lines.readline()
        assert first.startswith(b"ERR ") and b"expected at most" in first, first
        assert (second, rest) == (b"ant\t0\t0\t0\n", b""), (second, rest)


def a_client_that_leaves_before_its_answers_stops_no_other():
    with Stream(sketch=("top",)):
        for _ in range(20):
            with Asking() as rude:
                rude.socket.sendall(b"INFO\n" * 200)
        with Asking() as asking:
            assert asking.ask("ant") == "ant\t0\t0\t0"


def records_whose_connections_break_are_cut_and_added_up():
    with Stream("--json") as stream, Asking() as asking:
        for time_now in (1, 2, 3):  # each in a batch of its own
            with stream.trained() as train:
                train.sendall(b"ant\nbee\ncat\nhalf")
                train.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                while json.loads(asking.ask("INFO"))["records"] != 3 * time_now:
                    pass  # until it was read, as a reset takes back what was not
            while json.loads(asking.ask("INFO"))["train_connections"] != 0:
                pass
        reported, code = stream.end()
        assert code == -signal.SIGTERM and "9 records" in reported and "3 cut" in reported, (reported, code)


def a_bad_record_ends_its_connection_alone():
    with Stream("--key-type", "int", sketch=("top",), every="2") as stream, stream.trained() as good, Asking() as asking:
        with stream.trained() as bad:
            bad.sendall(b"seven\n8\n")
            assert bad.recv(1) == b"", "it is closed"
        line = stream.line()
        assert line.startswith("ink: state/state.ink: tcp://127.0.0.1:"), line
        assert line.endswith('connection 2 closed: line 1: "seven", expected an integer key\n'), line
        good.sendall(b"7\n7\n")
        asking.until("7", "7\t2\t2\t2")


def a_web_page_neither_trains_nor_asks():
    request = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 12\r\n\r\nbee\nbee\nbee\n"
    with streams.Stream("--ask", "tcp://127.0.0.1:0", "--every", "3", sketches=("top",)) as stream:
        port = int(stream.first.rsplit(":", 1)[1])
        for where, expected in ((stream.port, "connection 1: a request of HTTP, expected records"),
                                (("127.0.0.1", port), "a request of HTTP, expected questions")):
            with socket.create_connection(where, timeout=PATIENCE) as page, contextlib.suppress(ConnectionError):
                for byte in request:
                    page.sendall(bytes((byte,)))
                assert page.recv(1) == b"", "no answer"
            line = stream.line()
            assert line == f"ink: state/state.ink: tcp://{where[0]}:{where[1]}: {expected}: closed\n", line
        reported, code = stream.end()
        assert code == -signal.SIGTERM and "state.ink: 0 records in" in reported, (reported, code)


def a_signal_saves_what_was_read_and_is_the_end():
    # A batch ends with each run, and after each third record of the state.
    batches = (len({3, 5}), len({3, 5, 6, 9, 10}), len({3, 5, 6, 9, 10, 12, 15}))
    for run, number in enumerate((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)):
        with Stream() as stream, stream.trained() as train, Asking() as asking:
            train.sendall(b"ant\nant\nbee\nbee\nbee\n")
            asking.until("COUNT ant", f"ant\t{2 * run + 2}\t{2 * run + 1}\t{2 * run + 2}")
            reported, code = stream.end(number)
            assert code == -number, code
            assert reported == f"ink: state/state.ink: {5 * run + 5} records in {batches[run]} batches, 5 new\n", reported
            assert not os.path.exists("ask"), "the socket is removed"
    reported = subprocess.run([INK, "count", "--json", "-e", "bee", "state/state.ink"], capture_output=True, check=True).stdout
    assert json.loads(reported)["estimate"] == 9, reported


def two_signals_at_once_save_as_one_does():
    for run in range(1, 11):  # the program timeout sends two
        with Stream(every="1000") as stream, stream.trained() as train, Asking() as asking:
            for end, open_ones in ((False, 1), (True, 0)):  # until it was taken, and read
                if end:
                    train.sendall(b"ant\nbee\n")
                    train.shutdown(socket.SHUT_WR)
                while f"train_connections={open_ones}\t" not in asking.ask("INFO"):
                    pass
            stream.process.send_signal(signal.SIGTERM)
            reported, code = stream.end()
            assert code == -signal.SIGTERM and f"{2 * run} records" in reported, (run, reported, code)


def a_third_signal_kills_what_cannot_end():
    """Nobody reads the answers: the first signal waits for them, and the second is ignored."""
    pathlib.Path("data").write_text("ant\n", encoding="utf-8")
    pathlib.Path("questions").write_text("COUNT ant\n" * 100000, encoding="utf-8")
    with subprocess.Popen([INK, "stream", "--train", "data", "--sketch", "count-min", "--state", "state", "--ask", "questions"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        until, waiting = time.monotonic() + PATIENCE, array.array("i", [0])
        while waiting[0] < 60000 and time.monotonic() < until:
            fcntl.ioctl(process.stdout, termios.FIONREAD, waiting)
            time.sleep(0.005)
        for _ in range(2):
            process.send_signal(signal.SIGTERM)
            time.sleep(0.2)
            assert process.poll() is None, process.returncode
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(PATIENCE) == -signal.SIGTERM
        finally:
            process.kill()


def a_stream_that_is_refused_leaves_no_folder():
    pathlib.Path("keys.txt").write_text("ant\n", encoding="ascii")
    for words in (("--train", "missing"), ("--train", "keys.txt", "--ask", "unix:no/such"),
                  ("--train", "keys.txt", "--http", "203.0.113.1:1")):
        done = subprocess.run([INK, "stream", "--sketch", "hll", "--state", "state", *words], capture_output=True, check=False)
        assert done.returncode in (2, 4) and done.stderr.count(b"\n") == 1, done
        assert os.listdir(".") == ["keys.txt"], (words, os.listdir("."))


def what_is_no_state_is_neither_waited_for_nor_overwritten():
    pathlib.Path("precious").write_text("precious", encoding="ascii")
    for name, make, expected in (("lock", lambda path: os.symlink("../precious", path), b"its lock is a symbolic link"),
                                 ("lock", os.mkfifo, b"its lock is not a regular file"),
                                 ("state.ink", os.mkfifo, b"not a regular file, expected an .ink file")):
        os.mkdir("state")
        make(f"state/{name}")
        done = subprocess.run([INK, "stream", "--sketch", "hll", "--state", "state", "--train", "-"], stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=PATIENCE, check=False)
        assert done.returncode in (3, 4) and expected in done.stderr and done.stderr.count(b"\n") == 1, done
        assert pathlib.Path("precious").read_text(encoding="ascii") == "precious", name
        for left in os.listdir("state"):
            os.remove(f"state/{left}")
        os.rmdir("state")


def a_signal_that_is_ignored_stays_ignored():
    with Stream(sketch=("top",), preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as stream:
        stream.process.send_signal(signal.SIGHUP)
        with Asking() as asking:
            assert asking.ask("ant") == "ant\t0\t0\t0"
        assert stream.end()[1] == -signal.SIGTERM


def questions_go_on_when_the_data_have_ended():
    pathlib.Path("keys.txt").write_text("ant\nbee\nant\n", encoding="ascii")
    with Stream(train="keys.txt") as stream:
        assert stream.first == "ink: state/state.ink: begins; records from keys.txt; questions from unix:ask\n", stream.first
        with Asking() as asking:
            asking.until("COUNT ant", "ant\t2\t1\t2")
        with Asking() as asking:
            assert asking.ask("COUNT bee") == "bee\t1\t0\t1"
        reported, code = stream.end()
        assert (reported, code) == ("ink: state/state.ink: 3 records in 1 batch, 3 new\n", -signal.SIGTERM), (reported, code)


def more_connections_than_the_soft_limit_of_files_are_open_at_once():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < 512:
        raise tap.Skipped("the hard limit of files is too low")
    low = (64, hard)
    limited = Stream(sketch=("top",), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, low))
    with limited, contextlib.ExitStack() as stack:
        asking = [stack.enter_context(Asking()) for _ in range(200)]
        for one in asking:
            assert one.ask("ant") == "ant\t0\t0\t0"
        assert "ask_connections=200\t" in asking[0].ask("INFO")


if __name__ == "__main__":
    sys.exit(tap.run(tap.tests_of(globals()), "ink-stream-"))
