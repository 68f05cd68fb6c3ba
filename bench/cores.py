#!/usr/bin/env python3
"""What more cores give each job, measured on the cores that are there and replayed on more.

    cores.py OUT

Runs OUT/ink and OUT/bench/cores_tool. Data go to OUT/bench/cores, and stay there for the next time. The table is
written to OUT/bench/cores.tsv too. BENCH_BYTES is the size of the keys as text (1 GiB), BENCH_ROUNDS the number of
rounds of timed runs (5), BENCH_ONLY some names of jobs. The tasks of --stats=tasks are replayed by replay.py.
"""

from __future__ import annotations

import json
import os
import pathlib
import sys
from dataclasses import dataclass

import replay
from measure import MEGABYTE, Run, Table, make_lines, say_machine, say_saved, setting, show_targets, stop

BYTES = 1 << 30
KEY_BYTES, LOG_BYTES = 20.4, 95  # of a line, on average
CPU_THREADS = (1, 2, 4, 16)
VIRTUAL = (16, 64)
MORE_CPU, MORE_PEAK, THREAD_BYTES = 1.15, 1.5, 8 << 20
SPIN_ROUNDS = 3


@dataclass(frozen=True)
class Job:
    """A command, in which words in capitals are files, and what it is to reach: the projected gain of 16 cores, the
    measured one of two, and the serial share in percent; 0: nothing is asked."""

    name: str
    command: str
    gain: float = 0
    two: float = 0
    share: float = 0


JOBS = [
    Job("distinct", "distinct KEYS", 11, 1.85, 2),
    Job("hll", "build hll KEYS -o MADE --force", 11, 1.85, 2),
    Job("count-min", "build count-min KEYS -o MADE --force", 11, 1.85, 2),
    Job("filter", "filter --count FILTER KEYS", 11, 1.85, 2),
    Job("bloom-n", "build bloom -n COUNT KEYS -o MADE --force", 9, 1.8, 4),
    Job("bloom", "build bloom KEYS -o MADE --force", 8, 1.75, 4),
    Job("classic-n", "build classic -n COUNT KEYS -o MADE --force", 9, 1.8, 4),
    Job("top", "top -k 10 KEYS", 9, 1.8, 4),
    Job("uniq", "uniq -q KEYS", 7, 1.7, 6),
    Job("distinct-by", "distinct --by 1 --fields --key 2 LOG", 10, 1.85, 3),
    Job("bloom-by", "build bloom --by 1 --fields --key 2 LOG -o MADE --force", 9, 1.8, 3),
    Job("verify", "verify FILTER --truth SOME"),
    Job("merge", "merge -o MADE --force SKETCHES SKETCHES"),
    Job("add", "add MADE SOME"),
    Job("filter-out", "filter SKETCHES KEYS"),
    Job("map", "map bloom -n COUNT KEYS"),
    Job("gen", "gen u64 -n COUNT"),
]
# Keys of a batch in memory, the projected gain of 16 cores, and the measured one of two.
BATCHES = [("add-1e6", 10**6, 2.1, 1.6), ("add-1e7", 10**7, 7.2, 1.8), ("add-1e8", 10**8, 8.1, 1.8)]


class Bench:
    """The files, and the runs of one job."""

    def __init__(self, out: pathlib.Path, size: int) -> None:
        self.ink, self.tool = out / "ink", out / "bench/cores_tool"
        folder = out / "bench/cores"
        folder.mkdir(parents=True, exist_ok=True)
        count = max(1000, int(size / KEY_BYTES))
        self.files = {"KEYS": folder / f"keys-{count}", "LOG": folder / f"log-{count}", "SOME": folder / f"some-{count}",
                      "FILTER": folder / f"filter-{count}.ink", "SKETCHES": folder / f"sketches-{count}.ink",
                      "MADE": folder / "made.ink", "COUNT": count}
        make_lines(self.files["KEYS"], self.ink, "gen", "u64", "-n", count)
        make_lines(self.files["LOG"], self.ink, "gen", "log", "-n", max(1000, int(size / 2 / LOG_BYTES)))
        make_lines(self.files["SOME"], "head", "-n", min(count, 10**6), self.files["KEYS"])
        for name, source in ("FILTER", "SOME"), ("SKETCHES", "KEYS"):
            if not self.files[name].exists():
                Run(self.ink, "build", "bloom", self.files[source], "-o", self.files[name], "-q")

    def run(self, job: Job, threads: int, *more: str, watched: bool = False) -> Run:
        words = [self.files.get(word, word) for word in job.command.split()]
        if job.name == "add":  # a file to add to, made anew
            Run(self.ink, "merge", "-o", self.files["MADE"], "--force", "-q", self.files["FILTER"])
        if job.name != "gen" or gen_has_threads(self.ink):
            more = (*more, "--threads", str(threads))
        return Run(self.ink, *words, *more, to=pathlib.Path("/dev/null"), watched=watched)

    def stats(self, job: Job, threads: int, rounds: int = 2) -> dict:
        """Of the run with the least CPU time."""
        found = [json.loads(self.run(job, threads, "--stats=tasks").errors.splitlines()[-1]) for _ in range(rounds)]
        return min(found, key=lambda one: one["cpu_seconds"])


def gen_has_threads(ink: pathlib.Path) -> bool:
    return "--threads" in Run(ink, "help", "gen").text


def calibrate(bench: Bench, table: Table) -> float:
    """How many cores two threads have, by a loop without memory; the copy says what they share."""
    table.head("calibration", "Calibration: work of two threads over that of one, each with its own")
    for what in "loop", "copy":
        times = {threads: min(float(Run(bench.tool, what, threads).text) for _ in range(SPIN_ROUNDS)) for threads in (1, 2)}
        table.row(f"{what}, one thread", times[1])
        table.row(f"{what}, two threads over one", 2 * times[1] / times[2], unit="x")
        if what == "loop":
            cores = min(2.0, 2 * times[1] / times[2])
    return cores


def projected(table: Table, one: float, stats: dict[int, dict], gain: float) -> None:
    for cores in VIRTUAL:
        found = one / replay.seconds(stats[cores], cores)
        table.row(f"replay, {cores} cores over one", found, unit="x", at_least=gain if cores == 16 and gain else None)


def measure(bench: Bench, table: Table, job: Job, rounds: int, real: int, two_cores: float) -> None:
    table.head(job.name, f"ink {job.command}")
    runs = {threads: [] for threads in sorted({*range(1, real + 1), *CPU_THREADS})}
    for number in range(rounds):
        for threads, done in runs.items():
            if threads <= real or number < 2:
                done.append(bench.run(job, threads))
    best = {threads: min(run.seconds for run in done) for threads, done in runs.items()}
    for threads in range(1, real + 1):
        table.times(f"time, {threads} threads", [run.seconds for run in runs[threads]])
    if real >= 2:
        table.row("two threads over one", best[1] / best[2], unit="x", at_least=round(job.two * two_cores / 2, 2) if job.two else None)
    cpu = {threads: min(run.cpu for run in runs[threads]) for threads in CPU_THREADS}
    for threads in CPU_THREADS:
        table.row(f"CPU time, {threads} threads", cpu[threads])
    table.row("CPU time, 16 threads over one", cpu[16] / cpu[1], unit="x", at_most=MORE_CPU)
    peak = {threads: bench.run(job, threads, watched=True).own_peak for threads in (2, 16)}
    table.row("peak memory without mapped files, 2 threads", peak[2] / MEGABYTE, unit="MB")
    table.row("peak memory without mapped files, 16 threads", peak[16] / MEGABYTE, unit="MB",
              at_most=round((MORE_PEAK * peak[2] + 16 * THREAD_BYTES) / MEGABYTE, 1))
    stats = {threads: bench.stats(job, threads) for threads in (1, *VIRTUAL)}
    table.row("serial share, 16 threads", 100 * replay.serial_seconds(stats[16]) / stats[1]["cpu_seconds"], unit="%",
              at_most=job.share or None)
    alone = sum(phase["cpu_seconds"] for phase in stats[16]["phases"] if "list" not in phase)
    table.row("  of it without any other thread", 100 * alone / stats[1]["cpu_seconds"], unit="%")
    projected(table, stats[1]["cpu_seconds"], stats, job.gain)


def measure_batch(bench: Bench, table: Table, name: str, keys: int, gain: float, two: float, rounds: int, two_cores: float) -> None:
    table.head(name, f"ink_job_add_batch of {keys} keys to a bloom, ns a key")
    found = {threads: [] for threads in (1, 2, 4, *VIRTUAL)}
    for _ in range(rounds):
        for threads, done in found.items():
            done.append(json.loads(Run(bench.tool, "add", keys, threads).text))
    wall = {threads: min(one["wall_seconds"] for one in done) for threads, done in found.items()}
    least = {threads: min(done, key=lambda one: one["cpu_seconds"]) for threads, done in found.items()}
    for threads, done in found.items():
        table.row(f"CPU time, {threads} threads", least[threads]["cpu_seconds"] * 1e9 / keys, unit="ns")
        if threads <= 2:
            table.row(f"time, {threads} threads", wall[threads] * 1e9 / keys, unit="ns")
    table.row("two threads over one", wall[1] / wall[2], unit="x", at_least=round(two * two_cores / 2, 2))
    table.row("CPU time, 16 threads over one", least[16]["cpu_seconds"] / least[1]["cpu_seconds"], unit="x", at_most=MORE_CPU)
    times = [replay.seconds(least[threads], threads) for threads in (1, 2, 4, *VIRTUAL)]
    table.row("replay: the largest step back with more threads", max(b / a for a, b in zip(times, times[1:])), unit="x", at_most=1.05)
    projected(table, least[1]["cpu_seconds"], least, gain)


def main() -> None:
    if len(sys.argv) != 2:
        stop("expected one folder: cores.py OUT")
    out = pathlib.Path(sys.argv[1]).resolve()
    names = [job.name for job in JOBS] + [name for name, *_ in BATCHES]
    only = os.environ.get("BENCH_ONLY", "").split() or names
    unknown = [name for name in only if name not in names]
    if unknown:
        stop(f"BENCH_ONLY: found {unknown[0]}, expected some of {' '.join(names)}")
    rounds = setting("BENCH_ROUNDS", 5, 1)
    say_machine()
    bench, table = Bench(out, setting("BENCH_BYTES", BYTES, 1_000_000)), Table()
    real = len(os.sched_getaffinity(0))
    two_cores = calibrate(bench, table)
    for job in JOBS:
        if job.name in only:
            measure(bench, table, job, rounds, real, two_cores)
    for name, keys, gain, two in BATCHES:
        if name in only:
            measure_batch(bench, table, name, keys, gain, two, rounds, two_cores)
    bench.files["MADE"].unlink(missing_ok=True)
    show_targets(table)
    path = out / "bench/cores.tsv"
    table.save(path)
    say_saved(path)


if __name__ == "__main__":
    main()
