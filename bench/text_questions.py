"""Questions about text beside what else answers them: how many different lines, the lines without
repeats, the most frequent ones; the memory that it takes, and what an empty file costs."""
import contextlib
import csv
import functools
import os
import pathlib
import shutil
import subprocess
import time

from measure import MEGABYTE, Run, count_lines, make_lines, one_core, stop
from text_filters import LARGE_BYTES
from text_peers import Peer

SLOW_RUNS = 2  # of what takes many times as long as the rest
STARTS = 20
MEMORY_COPIES = 10  # of the large file, one after another
TOP = 10


def ask_distinct(ink, *words):
    """A run, and the number that it printed."""
    run = Run(ink, "distinct", *words)
    return run, int(run.text)


# ---- Reading alone -------------------------------------------------------------------------------


def time_distinct(ink, tool, folder, table, size, rounds):
    data = folder / f"lines.{size}.txt"
    make_lines(data, tool, "lines", size, 0)
    times = {"wc": [], 1: [], 2: [], "batches": [], "one by one": []}
    for _ in range(rounds):
        wc = Run("wc", "-l", data)
        times["wc"].append(wc.seconds)
        for threads in 1, 2:
            run, answer = ask_distinct(ink, "--threads", threads, data)
            times[threads].append(run.seconds)
        for how, seconds in zip(("batches", "one by one"), time_hashes(tool, data)):
            times[how].append(seconds)
    lines = int(wc.text.split()[0])
    table.head("distinct", f"4. ink distinct of {lines:,} different lines,"
                           f" {data.stat().st_size:,} bytes in the page cache")
    large = size >= LARGE_BYTES
    table.times("wc -l", times["wc"])
    for threads, target in (1, 3.2), (2, 2.2):
        name = "1 thread" if threads == 1 else f"{threads} threads"
        table.times(f"ink distinct, {name}", times[threads])
        table.row(f"ink distinct, {name} / wc -l", min(times[threads]) / min(times["wc"]), unit="x",
                  at_most=target if large else None)
    table.row("ink distinct, 1 thread / 2 threads", min(times[1]) / min(times[2]), unit="x")
    for how in "batches", "one by one":
        table.times(f"lines to HLL, hashes {how}", times[how])
    table.row("  one by one / batches", min(times["one by one"]) / min(times["batches"]), unit="x",
              at_least=1.3)
    table.row("error of ink distinct", 100 * (answer / lines - 1), unit="%")
    print("  Hashes one by one are those of the xxHash library: the same values, and all else is the same.")


def time_hashes(tool, data):
    """Seconds of lines to HLL: with hashes in batches, and of one key after another."""
    return map(float, Run(tool.with_name("text_hash"), data, 1).text.split())


# ---- One core, against other programs ------------------------------------------------------------


class Contest:
    """Variants that run once in each round, slow ones only in the first rounds."""

    def __init__(self, rounds):
        self.rounds, self.variants, self.times, self.answers = rounds, {}, {}, {}

    def add(self, name, run, rounds=None):
        """`run` returns seconds and an answer."""
        self.variants[name] = run, min(self.rounds, rounds or self.rounds)

    def run(self):
        for at in range(self.rounds):
            for name, (run, rounds) in self.variants.items():
                if at < rounds:
                    seconds, self.answers[name] = run()
                    self.times.setdefault(name, []).append(seconds)

    def show(self, table, ours, targets):
        """Our time first, then every other one with its ratio; targets are lower limits of it."""
        table.times(ours, self.times[ours])
        for name, times in self.times.items():
            if name != ours:
                table.times(name, times)
                table.row(f"  {name} / {ours}", min(times) / min(self.times[ours]), unit="x",
                          at_least=targets.get(name))


@contextlib.contextmanager
def with_packages(contest, peers, question, data, names, rounds=None):
    """Adds those that are there, asked of lines in memory and of the file."""
    with contextlib.ExitStack() as stack:
        for name, shown in names.items():
            if name in peers:
                peer = Peer(name, peers[name], question, data)
                stack.callback(peer.close)
                contest.add(shown, functools.partial(peer.ask, "memory"), rounds)
                contest.add(f"{shown}, file", functools.partial(peer.ask, "file"), rounds)
        yield


def timed(*command, to=None, given=None):
    """A variant whose answer is what it prints, unless that goes to a file."""
    def run():
        done = Run(*command, to=to, given=given)
        return done.seconds, done.text
    return run


def shell(line, data):
    return timed("sh", "-c", line, "sh", data)


def contest_distinct(ink, peers, data, table, rounds, full):
    """Returns how many different lines there are."""
    contest = Contest(rounds)
    ours, polars, duckdb, sort = ("ink distinct", "polars: approx_n_unique",
                                  "DuckDB: approx_count_distinct", "sort -u | wc -l")
    exactly = {"polars": "polars: n_unique", "duckdb": "DuckDB: count(DISTINCT)"}
    contest.add(ours, timed(ink, "distinct", "--threads", 1, data))
    contest.add(sort, shell('sort -u "$1" | wc -l', data), SLOW_RUNS)
    with (with_packages(contest, peers, "distinct", data, {"polars": polars, "duckdb": duckdb}),
          with_packages(contest, peers, "exact", data, exactly, SLOW_RUNS)):
        contest.run()
    contest.show(table, ours, {polars: 6, duckdb: 9, sort: 60} if full else {})
    best = min(min(contest.times[name]) for name in (sort, *exactly.values()) if name in contest.times)
    table.row("the best exact one's time / ink distinct's", best / min(contest.times[ours]), unit="x",
              at_least=19 if full else None)
    exact = int(contest.answers[sort])
    for name in exactly.values():
        if int(contest.answers.get(name, exact)) != exact:
            stop(f"{name}: {contest.answers[name]}, expected {exact}")
    for name in ours, polars, duckdb:
        if name in contest.answers:
            table.row(f"error of {name}", 100 * (int(contest.answers[name]) / exact - 1), unit="%")
    return exact


def check_within(few, many):
    """Every line of `few` stands in `many`, in the same order."""
    with open(few, "rb") as a, open(many, "rb") as b:
        for line in a:
            if not any(other == line for other in b):
                stop(f"{few.name}: {line.decode().strip()}, expected only lines of {many.name}")


def contest_uniq(ink, peers, data, folder, table, rounds, full, exact):
    contest = Contest(rounds)
    kept, all_kept, other = folder / "uniq.txt", folder / "awk.txt", folder / "others.txt"
    which = pathlib.Path(shutil.which("awk") or "awk").resolve().name
    ours, polars, huniq, runiq, awk = ("ink uniq", "polars: unique, order kept", "huniq", "runiq",
                                       f"awk '!s[$0]++' ({which})")
    contest.add(ours, timed(ink, "uniq", "--threads", 1, data, to=kept))
    contest.add(awk, timed("awk", "!s[$0]++", data, to=all_kept), SLOW_RUNS)
    if "huniq" in peers:
        contest.add(huniq, timed(peers["huniq"], to=other, given=data))
    if "runiq" in peers:
        contest.add(runiq, timed(peers["runiq"], data, to=other))
        contest.add(f"{runiq} -f compact", timed(peers["runiq"], "-f", "compact", data, to=other), SLOW_RUNS)
    with with_packages(contest, peers, "uniq", data, {"polars": polars}):
        contest.run()
    targets = {polars: 8, huniq: 10}
    if which == "mawk":
        targets[awk] = 65
    contest.show(table, ours, targets if full else {})
    if count_lines(all_kept) != exact:
        stop(f"awk printed {count_lines(all_kept)} lines, expected {exact}")
    check_within(kept, all_kept)
    table.row(f"lines that ink uniq lost, of {exact:,}", exact - count_lines(kept), unit="lines")
    for path in kept, all_kept, other:
        path.unlink(missing_ok=True)


def contest_top(ink, data, table, rounds, full):
    contest = Contest(rounds)
    ours, sort = "ink top", "sort | uniq -c | sort -rn | head"
    contest.add(ours, timed(ink, "top", "--threads", 1, "-k", TOP, "--tsv", data))
    contest.add(sort, shell('sort "$1" | uniq -c | sort -rn | head', data), SLOW_RUNS)
    contest.run()
    contest.show(table, ours, {sort: 10} if full else {})
    exact = {line.split()[1]: int(line.split()[0]) for line in contest.answers[sort].splitlines()}
    rows = csv.DictReader(contest.answers[ours].splitlines(), dialect="excel-tab")
    found = {row["key"]: row for row in rows}
    held = [key for key in exact if key in found]
    for key in held:
        if not int(found[key]["low"]) <= exact[key] <= int(found[key]["high"]):
            stop(f"ink top: {key}: {exact[key]} is not between its low and high")
    table.row(f"of the {len(exact)} most frequent lines in ink top", len(held), unit="lines")
    table.row("largest error of their counts", unit="%",
              best=100 * max(abs(int(found[k]["estimate"]) / exact[k] - 1) for k in held))


def time_one_core(ink, tool, peers, folder, table, size, rounds, full):
    data, skewed = folder / f"repeats.{size}.txt", folder / f"skewed.{size}.txt"
    make_lines(data, tool, "repeats", size, 1)
    make_lines(skewed, tool, "repeats", size, 4)
    lines = count_lines(data)
    about = f"{lines:,} lines ({data.stat().st_size:,} bytes), half of them repeats; one core"
    with one_core():
        table.head("one core: distinct", f"5. How many different lines? {about}")
        exact = contest_distinct(ink, peers, data, table, rounds, full)
        table.head("one core: uniq", f"6. Lines without repeats. {about}")
        contest_uniq(ink, peers, data, folder, table, rounds, full, exact)
        about = f"{count_lines(skewed):,} lines, half of them repeats, mostly of few; one core"
        table.head("one core: top", f"7. The {TOP} most frequent lines. {about}")
        contest_top(ink, skewed, table, rounds, full)
    print("  Ours are approximate, as are those with approx in their name; the others are exact.\n"
          "  Of polars and DuckDB the query alone is timed, with the lines in memory, which favours\n"
          "  them, or (file) reading too, as all others do; what polars keeps stays in memory.")
    if not full:
        print("  Targets are for 100 MB.")


# ---- Memory and start ----------------------------------------------------------------------------


def anonymous_peak(*command):
    """The most memory that is not a mapped file's, of many looks at a running command."""
    child = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    status, peak = pathlib.Path(f"/proc/{child.pid}/status"), 0
    while child.poll() is None:
        for line in status.read_text(encoding="ascii").splitlines():
            if line.startswith("RssAnon:"):
                peak = max(peak, 1024 * int(line.split()[1]))
        time.sleep(0.002)
    if child.returncode not in (0, 1):  # 1: no line stands out
        stop(f"{' '.join(map(str, command[:2]))}: exit code {child.returncode}, expected 0 or 1")
    return peak


def measure_memory(ink, tool, folder, table, size):
    data = folder / f"lines.{size}.txt"
    make_lines(data, tool, "lines", size, 0)
    table.head("memory", f"8. Anonymous memory for {MEMORY_COPIES} x {size:,} bytes of lines"
                         " (mapped files do not count; all cores)")
    for question in "distinct", "top":
        peak = anonymous_peak(ink, question, *[data] * MEMORY_COPIES)
        table.row(f"ink {question}, peak", peak / MEGABYTE, unit="MB", at_most=64)


def time_start(ink, folder, table):
    empty = folder / "empty.txt"
    empty.touch()
    table.head("start", f"9. What an empty file costs, best of {STARTS}")
    for name, command, target in (("true", ["true"], None),
                                  ("ink distinct", [ink, "distinct", empty], 5)):
        times = [1000 * Run(*command).seconds for _ in range(STARTS)]
        table.row(name, min(times), max(times), unit="ms", at_most=target)
    os.unlink(empty)
