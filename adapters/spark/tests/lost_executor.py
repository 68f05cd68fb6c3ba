"""A cluster on this machine that loses an executor while it works, for the tests that look at what comes of it."""

from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession

EXECUTORS = 2
START_SECONDS = 60


def executors(spark: SparkSession) -> list[int]:
    """The processes of a cluster on this machine, the oldest first: children of the driver's JVM, which may have workers of
    Python too."""
    java: Any = spark._jvm
    driver = int(java.java.lang.ProcessHandle.current().pid())
    found = []
    for path in pathlib.Path(f"/proc/{driver}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            for number in path.read_text().split():
                if b"CoarseGrainedExecutorBackend" in pathlib.Path(f"/proc/{number}/cmdline").read_bytes():
                    found.append(int(number))
    return sorted(found)


def collect_and_lose(spark: SparkSession, frame: DataFrame, tasks: int) -> tuple[list[Row], int]:
    """The rows of a frame, and the executor that was killed when a stage had done this number of tasks, with what it had
    shuffled; 0 if none ever had."""
    end = time.monotonic() + START_SECONDS
    while len(before := executors(spark)) < EXECUTORS:
        assert time.monotonic() < end, f"found the executors {before}, expected {EXECUTORS}"
        time.sleep(0.05)
    tracker = spark.sparkContext.statusTracker()

    def done() -> int:
        stages = map(tracker.getStageInfo, tracker.getActiveStageIds())
        return max((stage.numCompletedTasks for stage in stages if stage), default=0)

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(frame.collect)
        while not running.done() and done() < tasks:
            time.sleep(0.005)
        killed = 0 if running.done() else before[0]
        if killed:
            os.kill(killed, signal.SIGKILL)
        return running.result(), killed
