#!/usr/bin/env python3
"""Several processes and one file: a process that reads it while others write it, merges it, copies it or is interrupted,
finds a whole one. Nothing here waits for a chance: for any order of events the same must hold.

Prints a TAP line for each test and exits with the number that failed.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

import tap
from check_stream import Asking, Stream
from help_pages import INK

BUILD = ("build", "counting,count-min,hll", "-n", "2e5")
STATES = 10


def ink(*words, given=None):
    """What it prints."""
    return subprocess.run([INK, *map(str, words)], input=given, stdin=None if given is not None else subprocess.DEVNULL,
                          stdout=subprocess.PIPE, check=True, timeout=120).stdout


def digest(path):
    """The digest of a file of sketches, which is whole."""
    return ink("info", "--digest", path)


class Writer(threading.Thread):
    """Adds key after key to a file."""

    def __init__(self, path, keys):
        super().__init__()
        self.path, self.keys, self.failed = path, keys, None

    def run(self):
        try:
            for key in self.keys:
                ink("add", "-e", key, self.path)
        except subprocess.SubprocessError as why:
            self.failed = why


def while_written(look):
    """Calls a function again and again while x.ink gets one key after another, and once more when it has all; it is
    given the digests of the states in between. y.ink has other keys."""
    ink(*BUILD, "-o", "x.ink", given=b"ant\nbee\n")
    ink(*BUILD, "-o", "y.ink", given=b"cat\ndog\n")
    shutil.copy("x.ink", "s0.ink")
    for state in range(STATES):
        shutil.copy(f"s{state}.ink", f"s{state + 1}.ink")
        ink("add", "-e", f"key {state}", f"s{state + 1}.ink")
    writer = Writer("x.ink", [f"key {state}" for state in range(STATES)])
    writer.start()
    looks = 0
    while writer.is_alive():
        look()
        looks += 1
    writer.join()
    look()
    assert writer.failed is None and looks > 0, writer.failed
    assert digest("x.ink") == digest(f"s{STATES}.ink")


def who_reads_a_file_that_is_written_meets_a_state_that_it_had():
    """Old or new, never a mixture, and never none."""
    found = []
    while_written(lambda: found.append(digest("x.ink")))
    states = [digest(f"s{state}.ink") for state in range(STATES + 1)]
    places = [states.index(one) for one in found]
    assert places == sorted(places) and places[-1] == STATES, places


def a_merge_of_a_file_that_is_written_is_that_of_a_state_that_it_had():
    """Into one, and into the other."""
    found = [[], []]

    def merge():
        for into, words in enumerate((("x.ink", "y.ink"), ("y.ink", "x.ink"))):
            ink("merge", "--force", "-o", "m.ink", *words)
            found[into].append(digest("m.ink"))

    while_written(merge)
    for into in range(2):
        states = []
        for state in range(STATES + 1):
            pair = (f"s{state}.ink", "y.ink")
            ink("merge", "--force", "-o", "m.ink", *(pair if into == 0 else pair[::-1]))
            states.append(digest("m.ink"))
        assert all(one in states for one in found[into]) and found[into][-1] == states[-1], into


def a_file_that_is_merged_with_itself_counts_twice_and_may_be_replaced():
    """As with a copy of it."""
    ink("build", "counting,count-min,hll,top,fm", "-n", "100", "-o", "x.ink", given=b"ant\nbee\nant\n")
    shutil.copy("x.ink", "copy.ink")
    ink("merge", "-o", "twice.ink", "x.ink", "copy.ink")
    ink("merge", "-o", "itself.ink", "x.ink", "x.ink")
    assert digest("itself.ink") == digest("twice.ink")
    assert b"\tant\t4\t" in ink("count", "--tsv", "-e", "ant", "itself.ink")
    ink("merge", "--force", "-o", "x.ink", "x.ink", "x.ink")
    assert digest("x.ink") == digest("twice.ink")


def records_in(path):
    """How many records the first sketch of a file has."""
    return json.loads(ink("info", "--json", path).splitlines()[0])["records"]


def a_state_that_is_copied_while_a_stream_learns_is_whole_and_has_all_that_was_saved_before():
    """Batches of 20 records: a copy has whole ones, at least those that the stream had reported as saved."""
    with Stream(every="20", sketch=("hll", "count-min")) as stream, stream.trained() as train, Asking() as asking:
        sent = copies = 0
        until = time.monotonic() + 60
        while copies < 40 or sent < 4000:
            assert time.monotonic() < until, "it takes too long"
            train.sendall(b"".join(b"key %d\n" % number for number in range(sent, sent + 100)))
            sent += 100
            reported = dict(field.split("=", 1) for field in asking.ask("INFO").split("\t")[1:])
            saved = int(reported.get("saved_records", 0))
            if not os.path.exists("state/state.ink"):
                continue
            shutil.copy("state/state.ink", "copy.ink")
            found = records_in("copy.ink")
            assert saved <= found <= sent and found % 20 == 0, (saved, found, sent)
            copies += 1
        asking.until("COUNT key 3999", "key 3999\t1\t0\t1")


def a_signal_at_any_time_of_an_update_leaves_the_old_file_or_the_new_one():
    """And nothing else."""
    ink("build", "bloom", "-n", "2e6", "-o", "x.ink", given=b"")
    before = pathlib.Path("x.ink").read_bytes()
    old = digest("x.ink")
    began = time.monotonic()
    ink("add", "-e", "bee", "x.ink")
    took, new = time.monotonic() - began, digest("x.ink")
    for step in range(16):
        pathlib.Path("x.ink").write_bytes(before)
        with subprocess.Popen([INK, "add", "-e", "bee", "x.ink"]) as process:
            time.sleep(took * step / 12)
            number = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)[step % 3]
            process.send_signal(number)
            code = process.wait(60)
        assert code in (0, -number) and digest("x.ink") in ((new,) if code == 0 else (old, new)), (step, code)
        assert os.listdir(".") == ["x.ink"], os.listdir(".")


def of_several_that_write_one_file_one_has_it_whole():
    """Eight builds, started together, in any order."""
    for number in range(8):
        pathlib.Path(f"{number}.txt").write_text("".join(f"{number} {key}\n" for key in range(20000)), encoding="ascii")
        ink("build", "bloom,hll", "-o", f"{number}.ink", f"{number}.txt")
    states = [digest(f"{number}.ink") for number in range(8)]
    names = sorted([*os.listdir("."), "x.ink"])
    for _ in range(3):
        running = [subprocess.Popen([INK, "build", "bloom,hll", "--force", "-o", "x.ink", f"{number}.txt"])
                   for number in range(8)]
        assert [process.wait(60) for process in running] == [0] * 8
        assert digest("x.ink") in states
    assert sorted(os.listdir(".")) == names, os.listdir(".")


TESTS = [
    who_reads_a_file_that_is_written_meets_a_state_that_it_had,
    a_merge_of_a_file_that_is_written_is_that_of_a_state_that_it_had,
    a_file_that_is_merged_with_itself_counts_twice_and_may_be_replaced,
    a_state_that_is_copied_while_a_stream_learns_is_whole_and_has_all_that_was_saved_before,
    a_signal_at_any_time_of_an_update_leaves_the_old_file_or_the_new_one,
    of_several_that_write_one_file_one_has_it_whole,
]

if __name__ == "__main__":
    sys.exit(tap.run(TESTS, "ink-concurrency-"))
