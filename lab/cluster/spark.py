#!/usr/bin/env python3
"""The published job over ratings by inkling.spark, for `ink lab --spark`: prints the seconds that it took.

From the file to the rates: a filter for each rating, with the published bits, saved, and every title tested against
the filters of all other ratings. The session is started before; where it runs is up to spark-submit, or as many
threads of this machine as INK_LAB_THREADS says.
"""

from __future__ import annotations

import os
import pathlib
import sys
import tempfile
import time

try:
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

    import inkling.spark as ink
except ImportError as missing:
    sys.exit(f"spark.py: {missing}, expected a Python with pyspark and inkling.spark; see docs/spark.md")


def session(threads: str) -> SparkSession:
    conf = SparkConf().setIfMissing("spark.master", f"local[{threads}]").setAppName("ink lab")
    conf.setIfMissing("spark.ui.showConsoleProgress", "false")
    return SparkSession.builder.config(conf=conf).getOrCreate()


def job(spark: SparkSession, path: str, rate: float, folder: str) -> bool:
    """Whether the filters keep their promise."""
    filters = ink.build_files(spark, path, "classic", hash="mmh3", p=rate, format="tsv", header=True, key="tconst",
                              by="averageRating", round="half-even")  # fmt: skip
    filters.save(str(pathlib.Path(folder, "ratings.ink")))
    return ink.verify_files(spark, path, filters).ok


def main() -> int:
    try:
        path, rate, threads = (os.environ[f"INK_LAB_{name}"] for name in ("FILE", "RATE", "THREADS"))
    except KeyError as missing:
        print(f"spark.py: {missing} is not set, expected to be run by ink lab --spark", file=sys.stderr)
        return 2
    spark = session(threads)
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        kept = job(spark, path, float(rate), folder)
        seconds = time.perf_counter() - start
    spark.stop()
    if not kept:
        print("spark.py: more false positives than promised", file=sys.stderr)
        return 1
    print(f"{seconds:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
