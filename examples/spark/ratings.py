"""A filter for every rating, from a table of titles as IMDb has it: tconst, averageRating, numVotes.

    spark-submit ratings.py title.ratings.tsv
    spark-submit ratings.py hdfs:///data/title.ratings.tsv -o hdfs:///data/ratings.ink

Ratings are rounded, each gets a filter sized for its titles, and every title is tested against the filters of
all other ratings: how many are falsely found in there? Workers need Python with pyarrow and pandas.
"""

from __future__ import annotations

import argparse

from pyspark.sql import SparkSession

import inkling.spark as ink


def options() -> argparse.Namespace:
    as_it_stands = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_it_stands)
    parser.add_argument("table", help="a file, a folder or a pattern, on a file system that Spark knows")
    parser.add_argument("-p", type=float, default=0.01, help="the share of other titles that may pass (0.01)")
    parser.add_argument("-o", "--output", default="ratings.ink", help="where the filters go (ratings.ink)")
    parser.add_argument(
        "--textbook", action="store_true", help="textbook filters, bit for bit those of programs with mmh3"
    )
    return parser.parse_args()


def main() -> None:
    asked = options()
    spark = SparkSession.builder.appName("ratings").getOrCreate()
    kind, hash = ("classic", "mmh3") if asked.textbook else ("bloom", None)

    filters = ink.build_files(
        spark, asked.table, kind, hash=hash, p=asked.p, format="tsv", header=True, key="tconst",
        by="averageRating", round="half-even",
    )  # fmt: skip
    filters.save(asked.output)
    tested = ink.verify_files(spark, asked.table, filters)

    print("rating   titles       bits  false positives      rate")
    for row in sorted(tested.rows, key=lambda row: int(str(row.group))):
        info = filters[row.group].info
        print(f"{row.group!s:>6}{info.keys:9,}{info.bits:11,}{row.false_positives:17,}{row.rate:10.4f}")
    print(tested.summary)
    spark.stop()


if __name__ == "__main__":
    main()
