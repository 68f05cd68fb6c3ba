"""What `make demo-spark` shows: a filter for every rating of a DataFrame, beside published figures."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrame, SparkSession, functions

import inkling
import inkling.spark as ink

#: A published PySpark program with p = 0.01: the rate of false positives of each rating.
PUBLISHED = {
    "1": 0.0106, "2": 0.0102, "3": 0.0099, "4": 0.0101, "5": 0.0100,
    "6": 0.0099, "7": 0.0097, "8": 0.0101, "9": 0.0098, "10": 0.0097,
}  # fmt: skip
PUBLISHED_SECONDS = 115
WAVES, WAVE = 3, 20_000


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    return work(), time.perf_counter() - start


def same(one: str, other: str) -> str:
    if one != other:
        sys.exit(f"demo: found digest {other}, expected {one}")
    return "the same"


def step(text: str) -> None:
    print(f"\n{text}", flush=True)


def start() -> SparkSession:
    # A local address and nothing else; no progress bars between the lines.
    builder = SparkSession.builder.master("local[2]").appName("demo").config("spark.driver.memory", "2g")
    for name in ("spark.ui.enabled", "spark.ui.showConsoleProgress"):
        builder = builder.config(name, "false")
    for name in ("spark.driver.host", "spark.driver.bindAddress"):
        builder = builder.config(name, "127.0.0.1")
    builder = builder.config("spark.sql.shuffle.partitions", "4")
    with open("spark.log", "wb") as log:  # for all output of the JVM
        errors = os.dup(2)
        os.dup2(log.fileno(), 2)
        try:
            return builder.getOrCreate()
        finally:
            os.dup2(errors, 2)
            os.close(errors)


def read_ratings(spark: SparkSession) -> DataFrame:
    """Titles with their ratings as whole numbers, a half to the even one."""
    table = spark.read.csv("ratings.tsv", sep="\t", header=True)
    rating = functions.bround(functions.col("averageRating").cast("decimal(3,1)")).cast("int")
    return table.select("tconst", rating.alias("rating"))


def build(df: DataFrame) -> Any:
    step('filters = ink.build(df, key="tconst", by="rating", kind="bloom", p=0.01)')
    filters, seconds = timed(lambda: ink.build(df, key="tconst", by="rating", kind="bloom", p=0.01))
    records = filters.built.records
    print(f"  {records:,} titles, {len(filters)} filters, each sized for its titles: {seconds:.1f} s")

    step('filters.save("ratings.ink")')
    filters.save("ratings.ink")
    subprocess.run(
        ["ink", "build", "bloom", "-q", "-p", "0.01", "--header", "--key", "tconst", "--by", "averageRating",
         "--round", "half-even", "-o", "by-ink.ink", "ratings.tsv"], check=True,
    )  # fmt: skip
    with inkling.open("by-ink.ink") as alone:
        print(f"  Spark      digest {filters.digest}")
        print(f"  ink build  digest {alone.digest}: {same(alone.digest, filters.digest)}")

    step('df.where(ink.might_contain(filters, "tconst"))')
    non_members = df.select(functions.concat("tconst", functions.lit("x")).alias("tconst"))
    for name, rows in (("members", df), ("non-members", non_members)):
        passed, seconds = timed(rows.where(ink.might_contain(filters, "tconst")).count)
        print(f"  {passed:9,} of {filters.built.records:,} {name} pass any of ten filters: {seconds:.1f} s")
    return filters


def verify(spark: SparkSession, df: DataFrame, filters: Any) -> None:
    step("Every title against the filters of all other ratings, false / (false + tested) as published")
    tested, seconds = timed(lambda: ink.verify(df, filters, key="tconst", by="rating"))

    def textbook() -> Any:
        same_bits = ink.build_files(
            spark, "ratings.tsv", "classic", hash="mmh3", p=0.01, header=True, key="tconst",
            by="averageRating", round="half-even",
        )  # fmt: skip
        return ink.verify_files(spark, "ratings.tsv", same_bits)

    alike, text_seconds = timed(textbook)
    print("  rating   titles   published   ours, same bits   ours, bloom")
    found = [{row.group: row for row in table.rows} for table in (alike, tested)]
    for rating, rate in PUBLISHED.items():
        rows = [one[rating] for one in found]
        rates = [row.false_positives / (row.false_positives + row.tested) for row in rows]
        titles = filters[rating].info.keys
        print(f"  {rating:>6}{titles:9,}{rate:12.4f}{rates[0]:18.4f}{rates[1]:14.4f}")
    print(f"  {tested.summary}: {seconds:.1f} s")
    print(
        f"  The published job with the same bits, from the text file: {text_seconds:.1f} s here; "
        f"published: {PUBLISHED_SECONDS} s"
    )


def join(df: DataFrame, total: int) -> None:
    step('ink.bloom_join(df, worst, on="tconst"): with the titles rated 1')
    worst = df.where("rating = 1").select("tconst", functions.lit("yes").alias("bad"))
    kept = ink.build(worst, key="tconst", kind="bloom", p=0.01)
    passed = df.where(ink.might_contain(kept, "tconst")).count()
    joined, seconds = timed(lambda: ink.bloom_join(df, worst, on="tconst").count())
    exactly = df.join(worst, on="tconst").count()
    print(
        f"  {total:,} rows, {passed:,} after the filter, {joined:,} joined "
        f"(a plain join: {exactly:,}): {seconds:.1f} s"
    )


def stream(spark: SparkSession) -> None:
    step('ink.stream(spark.readStream.text("train"), "hll", "state", key="value")')
    os.mkdir("train")
    for wave in range(WAVES):
        inkling.generate("ip", f"train/{wave}.txt", n=WAVE, seed=wave)
        lines = spark.readStream.text("train")
        # Started anew for each file, as after a crash: it goes on where it was.
        running = ink.stream(lines, "hll", "state", key="value", trigger={"availableNow": True})
        running.awaitTermination()
        answer = running.sketches().sketch().estimate()
        batch, records = running.status.batch, running.status.records
        print(f"  batch {batch}: {records:,} keys so far, {answer!r} different ones")
    again = inkling.build([f"train/{wave}.txt" for wave in range(WAVES)], "hll")
    digest = ink.state("state").sketch().digest
    print(f"  digest {digest}; of all files at once: {same(again.digest, digest)}")


def main() -> None:
    print(f"inkling {inkling.__version__} on Spark: an IMDb-like table of titles and ratings")
    subprocess.run(["ink", "gen", "imdb", "-q", "-o", "ratings.tsv"], check=True)
    spark, seconds = timed(start)
    print(f"Spark {spark.version} on two cores of this machine, started in {seconds:.1f} s")
    df = read_ratings(spark)
    filters = build(df)
    verify(spark, df, filters)
    join(df, filters.built.records)
    stream(spark)
    spark.stop()


if __name__ == "__main__":
    main()
