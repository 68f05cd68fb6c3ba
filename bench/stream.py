#!/usr/bin/env python3
"""Times `ink stream` beside `ink build`, asks it while it learns, and measures what saving costs.

    stream.py OUT

Runs OUT/ink, OUT/bench/text_tool and OUT/bench/stream_tool. Data go to OUT/bench/stream and stay there for the
next time. The table is written to OUT/bench/stream.tsv too. Each round runs every variant once; the least time
counts, the largest stands beside it. BENCH_BYTES is the size of the data (600 MB), BENCH_ROUNDS the number of rounds
(3), BENCH_CONNECTIONS of those who ask (1000).
"""
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time

from measure import Run, Table, make_lines, say_machine, say_saved, setting, stop

KEYS = 13_000_000  # that a bloom of 16 MB is planned for, at 1 %
ASK_SECONDS = 8
REPEATS = 6  # so that a run takes several seconds


class Stream:
    """A running `ink stream`; its addresses are Unix sockets in a folder of its own."""

    def __init__(self, ink, folder, *options, given=subprocess.DEVNULL):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.train, self.ask = f"unix:{folder}/train", f"unix:{folder}/ask"
        command = [str(ink), "stream", "--sketch", "bloom", "-n", str(KEYS), "-p", "0.01", "--state", str(folder / "state"),
                   *[{"TRAIN": self.train, "ASK": self.ask}.get(word, word) for word in options]]
        self.said = open(folder / "said", "wb")
        self.child = subprocess.Popen(command, stdin=given, stdout=subprocess.DEVNULL, stderr=self.said)

    def ready(self, name):
        """Waits until a socket is there."""
        until = time.monotonic() + 10
        while not (self.folder / name).exists():
            if time.monotonic() > until or self.child.poll() is not None:
                stop(f"ink stream does not listen: {(self.folder / 'said').read_text()}")
            time.sleep(0.002)

    def end(self):
        """Asks it to end, and waits until it has."""
        self.child.send_signal(signal.SIGTERM)
        if self.child.wait() != -signal.SIGTERM:
            stop(f"ink stream: {(self.folder / 'said').read_text()}")
        self.said.close()


def time_training(ink, tool, folder, lines, table, rounds):
    table.head("train", f"Lines from a socket, {lines.stat().st_size / 1e6:.0f} MB, into a bloom of 16 MB")
    build, socket = [], []
    for _ in range(rounds):
        build.append(Run(ink, "build", "bloom", "-n", KEYS, "-p", "0.01", "-o", folder / "built.ink", "--force",
                         given=lines).seconds)
        stream = Stream(ink, folder / "train", "--train", "TRAIN")
        stream.ready("train")
        begun = time.perf_counter()
        Run(tool, "send", stream.train, lines)
        stream.end()
        socket.append(time.perf_counter() - begun)
    digests = {Run(ink, "info", "--digest", path).text for path in
               (folder / "built.ink", folder / "train/state/state.ink")}
    if len(digests) != 1:
        stop("the stream's sketch is not that of ink build")
    table.times("ink build, from standard input", build)
    table.times("ink stream, from a Unix socket, saved each second", socket)
    table.row("speed of the stream, as a share of that of the build", min(build) / min(socket), unit="x", at_least=0.5)


def ask_while_training(ink, tool, folder, lines, table, connections):
    table.head("ask", f"{connections} connections ask while lines arrive on another, as fast as they are taken")
    stream = Stream(ink, folder / "ask", "--train", "TRAIN", "--ask", "ASK")
    stream.ready("train")
    stream.ready("ask")
    going = True

    def send():
        while going:
            subprocess.run([str(tool), "send", stream.train, str(lines)], check=False, stderr=subprocess.DEVNULL)

    sender = threading.Thread(target=send)
    sender.start()
    for pause, what in ((100, "each 10 times a second"), (0, "each again at once")):
        asked = Run(tool, "ask", stream.ask, connections, ASK_SECONDS, pause, 100_000, given=lines)
        count, half, most, worst = (float(field) for field in asked.text.split("\t"))
        table.row(f"questions a second, {what}", count / ASK_SECONDS, unit="1/s")
        table.row("  half are answered within", half, unit="ms")
        table.row("  99 of 100 within", most, unit="ms", at_most=20 if pause else None)
        table.row("  all within", worst, unit="ms")
    going = False
    stream.end()
    sender.join()


def time_saving(ink, folder, lines, table, rounds):
    """Ten batches a second, all saved or none but the last: what one save costs stands out from the noise."""
    table.head("save", f"What it costs to save a sketch of 16 MB: the same lines {REPEATS} times, from a pipe, 10 batches a second")
    times, saves = {"1": [], "1000000": []}, []
    for _ in range(rounds):
        for every, took in times.items():
            with subprocess.Popen(["cat", *[str(lines)] * REPEATS], stdout=subprocess.PIPE) as cat:
                begun = time.perf_counter()
                stream = Stream(ink, folder / "save", "--train", "-", "--every", "100ms", "--checkpoint", every,
                                given=cat.stdout)
                cat.stdout.close()
                if stream.child.wait() != 0:
                    stop("ink stream failed")
                took.append(time.perf_counter() - begun)
            if every == "1":
                saves.append(int(re.search(r" in (\d+) batches", (folder / "save/said").read_text())[1]))
    table.times("saved once, at the end", times["1000000"])
    table.times(f"saved about {statistics.median(saves):.0f} times", times["1"])
    pairs = zip(times["1"], times["1000000"], saves, strict=True)
    cost = statistics.median((saved - once) / count for saved, once, count in pairs)
    table.row("a save, half of the pairs less", 1e3 * cost, unit="ms")
    table.row("what one save a second adds", 100 * cost, unit="%", at_most=5)


def main():
    if len(sys.argv) != 2:
        stop("expected one folder: stream.py OUT")
    out = pathlib.Path(sys.argv[1]).resolve()
    size = setting("BENCH_BYTES", 600_000_000, 1_000_000)
    rounds = setting("BENCH_ROUNDS", 3, 1)
    connections = setting("BENCH_CONNECTIONS", 1000, 1)
    ink, text, tool, folder = out / "ink", out / "bench/text_tool", out / "bench/stream_tool", out / "bench/stream"
    folder.mkdir(parents=True, exist_ok=True)
    lines = folder / f"lines-{size}"
    make_lines(lines, text, "lines", size)
    say_machine()
    table = Table()
    time_training(ink, tool, folder, lines, table, rounds)
    time_saving(ink, folder, lines, table, rounds)
    ask_while_training(ink, tool, folder, lines, table, connections)
    path = out / "bench/stream.tsv"
    table.save(path)
    say_saved(path)


if __name__ == "__main__":
    main()
