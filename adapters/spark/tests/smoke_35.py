"""A driver on the oldest Spark: builds, asks, joins and fails, and prints what it found as JSON.

    smoke_35.py ROWS FOLDER

ROWS has lines "key TAB group". test_smoke_35.py runs it, in an environment of its own.
"""

from __future__ import annotations

import json
import pathlib
import sys

import pyspark
from pyspark.sql import SparkSession, functions

import inkling
import inkling.spark as ink
from inkling.spark import _exchange, _session


def main(rows: str, folder: pathlib.Path) -> dict[str, object]:
    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "3", "spark.driver.memory": "1g"}
    builder = SparkSession.builder.master("local[2]").appName("smoke")
    for name, value in {**settings, "spark.local.dir": str(folder / "local")}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    df = spark.read.csv(rows, sep="\t", schema="key string, grp string").repartition(5)

    filters = ink.build(df, key="key", by="grp", kind="bloom", p=0.01)
    filters.save(str(folder / "groups.ink"))
    _exchange.SMALL_BYTES = 0  # the same by a shuffle
    ink.build(df, key="key", by="grp", kind="bloom", p=0.01).save(str(folder / "shuffled.ink"))
    ink.build(df, ["hll", "count-min"], key="key").save(str(folder / "kinds.ink"))
    ink.build_files(spark, rows, format="tsv", key=1, by=2, p=0.01).save(str(folder / "files.ink"))

    some = spark.range(50).select(functions.concat(functions.lit("key"), "id").alias("key"))
    found: dict[str, object] = {
        "spark": pyspark.__version__,
        "arrow_udf": _session.spark_can().arrow_udf,
        "own": df.where(ink.might_contain(filters, "key", by="grp")).count(),
        "joined": ink.bloom_join(df, some, on="key").count(),
        "expected": df.join(some, on="key").count(),
    }
    try:
        ink.build(df.select(functions.col("key").cast("double")), key="key")
    except inkling.InklingError as error:
        found["refused"] = str(error)
    bad = folder / "bad.csv"
    bad.write_text("a,1\nb\n")
    try:
        ink.build_files(spark, str(bad), format="csv", key=2)
    except inkling.InklingError as error:
        found["bad"] = f"{type(error).__name__}: {error}"
    ink.register(spark)  # the same by the SQL functions
    in_jvm = ink.build(df, key="key", by="grp", kind="bloom", p=0.01)
    in_jvm.save(str(folder / "jvm.ink"))
    asked = df.where(ink.might_contain(in_jvm["g1"], "key"))
    plan = asked._jdf.queryExecution().optimizedPlan().toString()
    found["in_jvm"] = "ink_contains" in plan and asked.where("grp = 'g1'").count() == df.where("grp = 'g1'").count()
    found["values"] = in_jvm.built.pieces
    spark.stop()
    return found


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], pathlib.Path(sys.argv[2]))))
