#!/usr/bin/env python3
"""The published job over ratings: theirs as it was published, ours with the same bits, ours with blooms.

    spark_ratings.py WAY FILE FOLDER      one of the ways below, as the first job of a session; prints JSON

From the text file to the rates: how many titles each rating has, a filter for each, saved, and every title
tested against the filters of all other ratings.
"""
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

import spark_seed
from measure import stop
from spark_session import Cost, Session

RATE = 0.01
NUMBERS = {"small": 2, "large": 5}
TARGETS = {"small": {"cold": 6, "classic": 25, "bloom": 60}, "large": {"classic": 30, "bloom": 70}}


class Results(tempfile.TemporaryDirectory):
    """A folder below another one for what every run writes, each to a new path."""

    def __init__(self, folder):
        super().__init__(prefix="ratings-", dir=folder)
        self.numbers = itertools.count()

    def __enter__(self):
        return self

    def new(self, suffix=""):
        return pathlib.Path(self.name, f"{next(self.numbers)}{suffix}")


def published(spark, path, results):
    spark.sparkContext.addPyFile(spark_seed.__file__)
    return spark_seed.run(spark, path, RATE, results.new())


def ours(spark, path, results, **kind):
    import inkling.spark as ink

    filters = ink.build_files(spark, str(path), p=RATE, format="tsv", header=True, key="tconst",
                              by="averageRating", round="half-even", **kind)
    filters.save(results.new(".ink"))
    return filters, ink.verify_files(spark, str(path), filters)


def classic(spark, path, results):
    return ours(spark, path, results, kind="classic", hash="mmh3")


def bloom(spark, path, results):
    return ours(spark, path, results, kind="bloom")


WAYS = {way.__name__: way for way in (published, classic, bloom)}


# ---- The same bits -------------------------------------------------------------------------------


def packed(bits):
    """Zeros and ones, the first one lowest, as bytes."""
    import numpy

    return numpy.packbits(numpy.array(bits, dtype=numpy.uint8), bitorder="little").tobytes()


def check_same(theirs, mine):
    """Stops unless ours has the parameters, the bits and the rates of theirs."""
    filters, verified = mine
    found = {int(row.group): (row.false_positives, row.tested) for row in verified.rows}
    for rating, (n, m, k) in theirs.parameters.items():
        sketch = filters[rating]
        info = sketch.info
        if (info.keys, info.bits, info.hashes) != (n, m, k):
            stop(f"rating {rating}: found {info.keys, info.bits, info.hashes}, expected {n, m, k}")
        if packed(theirs.filters[rating]) not in sketch.to_bytes():
            stop(f"rating {rating}: found other bits than the published program makes")
        false_positives, tested = found[rating]
        if false_positives / (false_positives + tested) != theirs.rates[rating]:
            expected = theirs.rates[rating]
            stop(f"rating {rating}: found {false_positives} false of {tested}, expected a rate of {expected}")


# ---- Rows ----------------------------------------------------------------------------------------


def cold(way, path, folder):
    """Seconds of the first job of a session of its own; those until there is a session do not count."""
    command = [sys.executable, __file__, way, str(path), str(folder)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, check=False)
    if done.returncode != 0:
        stop(f"{' '.join(command)}: exit code {done.returncode}, expected 0")
    return json.loads(done.stdout.splitlines()[-1])


def time_cold(rows, path, count, folder, rounds):
    rows.head("cold", f"1. The published job, {count:,} titles, as the first job of a session, seconds")
    times = {way: [cold(way, path, folder) for _ in range(rounds)] for way in WAYS}
    rows.faster("classic, the same bits", times["published"], times["classic"], TARGETS["small"]["cold"])
    rows.faster("bloom", times["published"], times["bloom"])


def time_warm(rows, spark, data, folder, rounds, warm=1):
    """By turns. The first `warm` rounds do not count."""
    part, path, count = data
    rows.head(part, f"{NUMBERS[part]}. The published job, {count:,} titles, in a warm session, seconds")
    costs = {name: Cost() for name in WAYS}
    with Results(folder) as results:
        for turn in range(warm + rounds):
            found = {}
            for name, way in WAYS.items():
                cost = Cost() if turn < warm else costs[name]
                found[name] = cost.of(lambda way=way: way(spark, path, results))
    check_same(found["published"], found["classic"])
    steps = ", ".join(f"{step} {seconds:.1f}" for step, seconds in found["published"].seconds.items())
    print(f"  Parameters, bits and rates of both are equal. Theirs, the last time: {steps}.")
    theirs = costs["published"]
    for name, what in (("classic", "classic, the same bits"), ("bloom", "bloom")):
        rows.faster(what, theirs.seconds, costs[name].seconds, TARGETS[part][name])
        rows.faster(f"{what}, CPU", theirs.cpu, costs[name].cpu, unit="CPU s")


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in WAYS:
        stop(f"expected {'|'.join(WAYS)} FILE FOLDER")
    way, path, folder = WAYS[sys.argv[1]], *sys.argv[2:]
    cost = Cost()
    with Session(folder) as spark, Results(folder) as results:
        cost.of(lambda: way(spark, path, results))
    print(json.dumps(cost.seconds[0]))


if __name__ == "__main__":
    main()
