"""Joins a large table with a small one, the large one filtered before the shuffle.

    spark-submit bloom_join.py orders.parquet members.parquet --on user -o joined.parquet

A filter of the small table's keys drops rows of the large one where they are read: only those that may have a
partner are shuffled. The result is that of a plain join. Tables are Parquet, or CSV with a header.
"""

from __future__ import annotations

import argparse

from pyspark.sql import DataFrame, SparkSession

import inkling.spark as ink


def options() -> argparse.Namespace:
    as_it_stands = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_it_stands)
    parser.add_argument("big", help="the large table")
    parser.add_argument("small", help="the small one")
    parser.add_argument("--on", required=True, help="the column that both have; several: a,b")
    ways = ("inner", "left_semi", "right_outer")
    parser.add_argument("--how", default="inner", choices=ways, help="how to join (inner)")
    parser.add_argument("-p", type=float, default=0.01, help="the share of other rows that may pass (0.01)")
    parser.add_argument("-o", "--output", required=True, help="where the result goes, as Parquet")
    return parser.parse_args()


def read(spark: SparkSession, path: str) -> DataFrame:
    return spark.read.csv(path, header=True) if ".csv" in path else spark.read.parquet(path)


def main() -> None:
    asked = options()
    spark = SparkSession.builder.appName("bloom join").getOrCreate()
    big, small = read(spark, asked.big), read(spark, asked.small)
    on = asked.on.split(",")

    ink.bloom_join(big, small, on=on, how=asked.how, p=asked.p).write.mode("overwrite").parquet(asked.output)

    # How many rows the filter dropped: counted once more, for the report.
    filters = ink.build(small, key=on, kind="bloom", p=asked.p)
    left = big.where(ink.might_contain(filters, *on)).count()
    joined = spark.read.parquet(asked.output).count()
    print(f"{big.count():,} rows, {left:,} after the filter, {joined:,} joined")
    spark.stop()


if __name__ == "__main__":
    main()
