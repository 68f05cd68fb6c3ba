#!/usr/bin/env python3
"""A published PySpark program, written anew from its documentation, to compare with.

    spark-submit spark_seed.py FILE RATE FOLDER

It makes a Bloom filter for each rounded rating of a table of titles in three steps of map and reduce:
parameters of each filter (n, m, k), the filters themselves, and a test of every title against the filters
of all other ratings. It is what one writes with RDDs: rows as Python objects, a filter as a list of zeros
and ones, positions by mmh3 with the seeds 0 to k - 1, modulo m. As the documentation has it the text of
every step's result goes to a folder, and nothing is cached. Lists of positions are concatenated in place,
which is the fastest way to do it.

`classic` filters of `inkling` with the hash "mmh3" have the same bits.
"""
import dataclasses
import math
import sys
import time

import mmh3

COLUMNS = "tconst", "averageRating"


@dataclasses.dataclass
class Result:
    """By rating: n, m and k, the bits, the rate of false positives. And the seconds of each step."""

    parameters: dict
    filters: dict
    rates: dict
    seconds: dict


def by_rating(row):
    """(rating, title); Python rounds a half to the even neighbour."""
    return round(float(row[1])), row[0]


# ---- Parameters ----------------------------------------------------------------------------------


def size_of(counted, rate):
    rating, n = counted
    m = round(-n * math.log(rate) / math.log(2) ** 2)
    k = round(m / n * math.log(2))
    return rating, (n, m, k)


def find_parameters(rows, rate, folder):
    sizes = (rows.map(by_rating)
             .map(lambda pair: (pair[0], 1))
             .reduceByKey(lambda a, b: a + b)
             .map(lambda counted: size_of(counted, rate))
             .sortByKey())
    sizes.saveAsTextFile(f"{folder}/Parameters")
    return dict(sizes.collect())


# ---- Filters -------------------------------------------------------------------------------------


def positions(title, m, k):
    return [mmh3.hash(title, seed, signed=False) % m for seed in range(k)]


def positions_of(pair, parameters):
    rating, title = pair
    _, m, k = parameters[rating]
    return rating, positions(title, m, k)


def concatenated(some, others):
    some.extend(others)
    return some


def filter_of(pair, parameters):
    rating, set_bits = pair
    bits = [0] * parameters[rating][1]
    for position in set_bits:
        bits[position] = 1
    return rating, bits


def make_filters(rows, parameters, folder):
    filters = (rows.map(by_rating)
               .map(lambda pair: positions_of(pair, parameters.value))
               .reduceByKey(concatenated)
               .map(lambda pair: filter_of(pair, parameters.value))
               .sortByKey())
    filters.saveAsTextFile(f"{folder}/BloomFilters")
    return dict(filters.collect())


# ---- Test ----------------------------------------------------------------------------------------


def falsely_in(pair, parameters, filters):
    """A (rating, 1) for each rating that is not the title's, and whose filter has all its bits."""
    true_rating, title = pair
    found = []
    for rating, bits in filters.items():
        if rating == true_rating:
            continue
        _, m, k = parameters[rating]
        hits = 0
        for seed in range(k):
            if bits[mmh3.hash(title, seed, signed=False) % m] == 1:
                hits += 1
        if hits == k:
            found.append((rating, 1))
    return found


def rate_of(counted, parameters):
    """The false positives are once more among those tested, as the documentation counts."""
    rating, false_positives = counted
    titles = sum(n for n, _, _ in parameters.values())
    true_negatives = titles - parameters[rating][0]
    return rating, false_positives / (false_positives + true_negatives)


def find_rates(rows, parameters, filters, folder):
    rates = (rows.map(by_rating)
             .flatMap(lambda pair: falsely_in(pair, parameters.value, filters.value))
             .reduceByKey(lambda a, b: a + b)
             .map(lambda counted: rate_of(counted, parameters.value))
             .sortByKey())
    rates.saveAsTextFile(f"{folder}/FalsePositiveRates")
    return dict(rates.collect())


# ---- All of it -----------------------------------------------------------------------------------


def run(spark, path, rate, folder):
    """The whole job. The folder must not be there, as Spark wants it."""
    times = [time.perf_counter()]
    rows = spark.read.csv(str(path), sep="\t", header=True).select(*COLUMNS).rdd
    times.append(time.perf_counter())
    parameters = find_parameters(rows, rate, folder)
    sent = spark.sparkContext.broadcast(parameters)
    times.append(time.perf_counter())
    filters = make_filters(rows, sent, folder)
    sent_filters = spark.sparkContext.broadcast(filters)
    times.append(time.perf_counter())
    rates = find_rates(rows, sent, sent_filters, folder)
    times.append(time.perf_counter())
    for broadcast in (sent, sent_filters):
        broadcast.destroy()
    steps = "read", "parameters", "filters", "test"
    return Result(parameters, filters, rates,
                  {step: end - start for step, start, end in zip(steps, times, times[1:])})


def main():
    if len(sys.argv) != 4:
        sys.exit("spark_seed.py: expected FILE RATE FOLDER")
    from pyspark.sql import SparkSession

    path, rate, folder = sys.argv[1], float(sys.argv[2]), sys.argv[3]
    spark = SparkSession.builder.appName("ratings").getOrCreate()
    try:
        result = run(spark, path, rate, folder)
    finally:
        spark.stop()
    for rating, (n, m, k) in result.parameters.items():
        print(f"{rating:2} {n:8} {m:9} {k:3} {result.rates[rating]:.4f}")
    print(", ".join(f"{step} {seconds:.1f} s" for step, seconds in result.seconds.items()))


if __name__ == "__main__":
    main()
