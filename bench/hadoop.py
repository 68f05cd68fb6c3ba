#!/usr/bin/env python3
"""Times the Hadoop adapter beside a published job in Java, and beside a job that does nothing.

    hadoop.py OUT [--rows N] [--only PART[,PART]] [--rounds N] [--cluster FOLDER]

All in one run, on one cluster of this machine, which is started for it, or is in FOLDER and left running. A round
runs every variant once; the best counts, the worst stands by it. Seconds by the clock are from the start of the
client to its end; CPU seconds are those of the processes of the jobs (hadoop_cost.py). Results are compared: the
same sizes, bits and false positives, or rates as they were asked for. The table is written to OUT/bench/hadoop.tsv
too. `make bench-hadoop BENCH_HADOOP='--rows 10000'` tries all of it with few rows, for which targets are not
judged.
"""
import argparse
import contextlib
import itertools
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "adapters" / "hadoop"))

from hadoop_cost import TAGGED, Cost
from hadoop_ratings import CPU_TARGET, KINDS, TARGETS, Ours, Published, check_rates, check_same, compile_java
from localcluster.client import Cluster
from localcluster.jars import JarsError
from localcluster.running import down, up
from localcluster.state import ClusterError, load
from measure import Run, count_lines, stop
from rating_tables import first_rows, ratings, tenfold
from ratio_rows import reported

PARTS = ("small", "large", "careful", "memory")
NUMBERS = {"small": 1, "large": 2, "careful": 3, "memory": 4}
MIB = 1 << 20
MEMORY_MIB = 256
ADDED_SECONDS = 10
PLACE = "/bench"


# ---- One table -----------------------------------------------------------------------------------


class Runs:
    """Costs of everything that ran on one table, by name; each run has a new folder in HDFS, of all tables."""

    numbers = itertools.count(1)

    def __init__(self, cluster):
        self.cluster, self.costs = cluster, {}

    def time(self, name, work):
        """Runs work(folder); the cost, and the folder, which is there until the next one of this name."""
        out = f"{PLACE}/{name.replace(' ', '-')}-{next(self.numbers)}"
        cost = Cost(self.cluster, lambda: work(out))
        self.costs.setdefault(name, []).append(cost)
        return cost.value, out

    def of(self, name, what):
        return [getattr(cost, what) for cost in self.costs[name]]


def empty_job(cluster, shape, out):
    """A job of Hadoop Streaming that reads one line, with as many tasks as another one."""
    maps, reduces = shape
    cluster.hdfs.write(f"{PLACE}/line", b"one line\n" * maps)
    done = cluster.stream(*TAGGED, "-D", f"mapreduce.job.maps={maps}", "-D", f"mapreduce.job.reduces={reduces}",
                          "-input", f"{PLACE}/line", "-output", out, "-mapper", "cat", "-reducer", "cat")
    if done.returncode != 0:
        stop(f"an empty job: exit code {done.returncode}, expected 0: {done.stderr.strip().splitlines()[-1]}")


def time_table(rows, cluster, asked, part, path, folder):
    """Theirs and ours by turns, their results compared, and the empty job with the tasks of our build."""
    count = count_lines(path) - 1
    rows.head(part, f"{NUMBERS[part]}. The published job, {count:,} titles: three jobs in Java, two of ours, seconds")
    table = cluster.hdfs.write(f"{PLACE}/{path.name}", path)
    published = Published(cluster, compile_java(cluster, folder), reducers=2 if part == "large" else 1)
    runs = Runs(cluster)
    for _ in range(asked.rounds):
        steps, theirs = runs.time("published", lambda out: published.run(table, out))
        found = {kind: runs.time(kind, lambda out, kind=kind: Ours(cluster, asked.static, kind).run(table, out))
                 for kind in KINDS}
        runs.time("build", lambda out: Ours(cluster, asked.static, "bloom").build(table, out))
        build = runs.costs["build"][-1]
        shape = max(1, build.launched("MAPS")), max(1, build.launched("REDUCES"))
        runs.time("empty", lambda out: empty_job(cluster, shape, out))
    compare(cluster, published, theirs, found, folder)
    print(f"  Theirs, the last time: {', '.join(f'{step} {seconds:.1f}' for step, seconds in steps.items())}.")
    seen, reaped = (sum(sum(runs.of(name, what)) for name in runs.costs) for what in ("cpu", "reaped_cpu"))
    print(f"  CPU seconds of all these jobs: {seen:.0f} as seen here, {reaped:.0f} as their NodeManager counted.")
    print(f"  Our build had {shape[0]} map tasks and {shape[1]} reduce tasks{uber(build)}; so had the empty job.")
    put_rows(rows, runs, part)


def uber(cost):
    return ", in the master's JVM" if any(job.uber for job in cost.jobs) else ""


def compare(cluster, published, theirs, found, folder):
    results = published.results(theirs)
    verified, out = found["classic"]
    check_same(results, published.bits(theirs, folder), verified, Ours(cluster, None, "classic").bytes(out))
    their_rate, our_rate = check_rates(results, found["bloom"][0])
    print(f"  Sizes, bits and false positives of classic are those of Java; rates: Java {their_rate:.5f}, "
          f"bloom {our_rate:.5f}.")


def put_rows(rows, runs, part):
    for kind, what in (("classic", "classic, the same bits"), ("bloom", "bloom")):
        rows.faster(what, runs.of("published", "seconds"), runs.of(kind, "seconds"), TARGETS[part])
        rows.faster(f"{what}, CPU of tasks", runs.of("published", "task_cpu"), runs.of(kind, "task_cpu"),
                    CPU_TARGET if part == "large" else None, unit="CPU s")
        rows.faster(f"{what}, CPU with jobs' masters", runs.of("published", "cpu"), runs.of(kind, "cpu"), unit="CPU s")
        rows.faster(f"{what}, CPU with the cluster's daemons too", runs.of("published", "all_cpu"),
                    runs.of(kind, "all_cpu"), unit="CPU s")
        rows.faster(f"{what}, CPU by Hadoop's counter", runs.of("published", "counted_cpu"),
                    runs.of(kind, "counted_cpu"), unit="CPU s")
    rows.fact("an empty job", min(runs.of("empty", "seconds")), "s")
    rows.fact("our build, bloom", min(runs.of("build", "seconds")), "s")
    added = min(runs.of("build", "seconds")) - min(runs.of("empty", "seconds"))
    rows.fact("what it adds to an empty job", added, "s", ADDED_SECONDS if part == "large" else None)
    peak = max(peak for kind in KINDS for peak in runs.of(kind, "peak"))
    rows.fact("the most memory of ink map in a task", peak / MIB, "MiB", MEMORY_MIB)


# ---- The rest ------------------------------------------------------------------------------------


def time_careful(rows, cluster, asked, path, folder):
    """How far the program in Java comes with a test that is not that of the documentation."""
    count = count_lines(path) - 1
    rows.head("careful", f"{NUMBERS['careful']}. As 2, {count:,} titles, the test in Java made faster, seconds")
    table = cluster.hdfs.write(f"{PLACE}/{path.name}", path)
    published = Published(cluster, compile_java(cluster, folder), careful=True, reducers=2)
    runs = Runs(cluster)
    for _ in range(asked.rounds):
        runs.time("published", lambda out: published.run(table, out))
        runs.time("bloom", lambda out: Ours(cluster, asked.static, "bloom").run(table, out))
    rows.faster("bloom", runs.of("published", "seconds"), runs.of("bloom", "seconds"))
    rows.faster("bloom, CPU of tasks", runs.of("published", "task_cpu"), runs.of("bloom", "task_cpu"), unit="CPU s")


def time_memory(rows, asked, path):
    """ink map alone, also with a group for every title. A process starts with what this one has, about 30 MiB."""
    count = count_lines(path) - 1
    rows.head("memory", f"{NUMBERS['memory']}. ink map alone, {count:,} titles, the most memory")
    reading = "--in", "tsv", "--header", "--key", "tconst"
    for what, words in (("a group for every rating", ("--by", "averageRating", "--round", "half-even")),
                        ("a group for every title", ("--by", "tconst")), ("one group", ())):
        for kind in KINDS:
            done = Run(asked.static, "map", *KINDS[kind], *reading, *words, given=path, to=os.devnull)
            rows.fact(f"{kind}, {what}", done.peak / MIB, "MiB", MEMORY_MIB)


# ---- All of it -----------------------------------------------------------------------------------


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path, help="the folder of the build, as build")
    parser.add_argument("--rows", type=int, help="rows of the small table for everything; no targets")
    parser.add_argument("--only", default="", help=f"some of {','.join(PARTS)}")
    parser.add_argument("--rounds", type=int, default=1, help="1")
    parser.add_argument("--cluster", type=pathlib.Path, help="the folder of a cluster that runs, for this alone")
    asked = parser.parse_args()
    asked.only = [part for part in asked.only.split(",") if part] or list(PARTS)
    for part in asked.only:
        if part not in PARTS:
            stop(f"--only: found {part}, expected some of {','.join(PARTS)}")
    if asked.rounds < 1 or (asked.rows is not None and asked.rows < 100):
        stop("found too few rounds or rows, expected at least 1 and 100")
    asked.static = asked.out.resolve() / "static" / "ink"
    return asked


@contextlib.contextmanager
def a_cluster(asked, folder):
    """The one that was named, or one for this run."""
    if asked.cluster:
        state = load(asked.cluster.resolve())
        if state is None or not state.running():
            stop(f"--cluster: {asked.cluster}: no cluster runs there")
        yield Cluster(state)
        return
    own = pathlib.Path(tempfile.mkdtemp(prefix="hadoop-", dir=folder))
    try:
        yield Cluster(up(own, {}, lambda text: print(f"{text} ...", file=sys.stderr, flush=True)))
    finally:
        down(own, delete=True)


def run(asked, rows, folder):
    small = ratings(asked.out / "ink", folder)
    if asked.rows:
        small = first_rows(small, folder, asked.rows)
    large = small
    if not asked.rows and set(asked.only) & {"large", "careful", "memory"}:
        large = tenfold(small, folder)
    if set(asked.only) & {"small", "large", "careful"}:
        with a_cluster(asked, folder) as cluster:
            cluster.hdfs.remove(PLACE)
            try:
                if "small" in asked.only:
                    time_table(rows, cluster, asked, "small", small, folder)
                if "large" in asked.only:
                    time_table(rows, cluster, asked, "large", large, folder)
                if "careful" in asked.only:
                    time_careful(rows, cluster, asked, large, folder)
            finally:
                cluster.hdfs.remove(PLACE)
    if "memory" in asked.only:
        time_memory(rows, asked, large)


def main():
    asked = options()
    try:
        with reported(asked.out, "hadoop.tsv", judged=not asked.rows) as (rows, folder):
            run(asked, rows, folder)
    except (ClusterError, JarsError) as error:
        stop(str(error))


if __name__ == "__main__":
    main()
