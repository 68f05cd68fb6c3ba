"""A driver that keeps sketches of a stream of files, for tests that kill it.

It says on standard output what it has saved, and, if asked to, dies with all that belongs to it right after it
saved a batch, before Spark has noted that the batch is done.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from typing import Any

from pyspark.sql import SparkSession

import inkling
import inkling.spark as ink
from inkling.spark import _state

KINDS = ["bloom", "classic", "counting", "count-min", "fm", "hll", "theta"]
OPTIONS = {"n": 2000, "p": 0.01, "eps": 0.01, "key": "key", "by": "group"}
SCHEMA = "key string, group int"


def speak(dies_after: int | None) -> None:
    """Lets every commit be reported, and one of them be the end."""
    commit = _state.StateFolder.commit

    def reported(
        self: _state.StateFolder, sketches: Mapping[_state.Label, inkling.Sketch], position: _state.Position
    ) -> None:
        commit(self, sketches, position)
        print("saved", position.batch, flush=True)
        if position.batch is not None and position.batch == dies_after:
            os.killpg(0, signal.SIGKILL)

    _state.StateFolder.commit = reported  # type: ignore[method-assign]


def main(master: str, source: str, state: str, dies_after: str) -> None:
    speak(int(dies_after) if dies_after else None)
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "512m",
        "spark.executor.memory": "512m",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.streaming.minBatchesToRetain": "2",
    }
    builder = SparkSession.builder.master(master).appName("inkling stream")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    frame = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).csv(source)
    options: Any = OPTIONS
    ink.stream(frame, KINDS, state, trigger={"availableNow": True}, **options).awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
