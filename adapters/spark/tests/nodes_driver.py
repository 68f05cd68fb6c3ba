"""A driver on a node of its own: it builds sketches of a DataFrame on workers, asks them, and says what came.

    nodes_driver.py MASTER ADDRESS SCRATCH

It says "busy" when the first of its tasks are done; each of them takes a while, so that something can happen to
the others.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pyarrow
from pyspark.sql import SparkSession

import inkling.spark as ink

ROWS, KEYS, GROUPS, TASKS = 400_000, 150_000, 3, 16
KINDS = ["bloom", "hll"]
OPTIONS: dict[str, Any] = {"key": "id", "by": "g"}
TASK_SECONDS = 0.7
#: One that is not heard any more is waited for for seconds, not for minutes.
SETTINGS = {
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.executor.heartbeatInterval": "2s",
    "spark.network.timeout": "20s",
    "spark.network.timeoutInterval": "5s",
    "spark.shuffle.io.maxRetries": "1",
    "spark.shuffle.io.retryWait": "1s",
    "spark.excludeOnFailure.enabled": "true",
    "spark.sql.shuffle.partitions": "4",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def slowly(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    time.sleep(TASK_SECONDS)
    yield from batches


def watch(spark: SparkSession) -> None:
    """Says when as many tasks are done as there are workers."""
    tracker = spark.sparkContext.statusTracker()
    while True:
        stages = (tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds())
        if sum(stage.numCompletedTasks for stage in stages if stage is not None) >= 2:
            print("busy", flush=True)
            return
        time.sleep(0.05)


def main(master: str, address: str, scratch: str) -> None:
    own = {"spark.driver.host": address, "spark.driver.bindAddress": address, "spark.local.dir": scratch}
    builder = SparkSession.builder.master(master).appName("inkling nodes")
    for name, value in {**SETTINGS, **own}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    frame = spark.range(0, ROWS, 1, TASKS).selectExpr(f"id % {KEYS} as id", f"id % {GROUPS} as g")
    threading.Thread(target=watch, args=(spark,), daemon=True).start()
    made = ink.build(frame.mapInArrow(slowly, frame.schema), KINDS, **OPTIONS)
    print("digest", made.digest, flush=True)
    asked = frame.where(ink.might_contain(made, "id", by="g", kind="bloom")).count()
    print("found", asked, flush=True)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
