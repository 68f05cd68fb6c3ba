"""Verifying: what filters promise is measured against the true data, each range of keys by a task of its own.

Maps send what is to be known of a key, 8 bytes of it, to the range that it falls in; a task that has a range
asks every filter for the keys in it that are not the filter's own, and for those that are. What is counted
adds up on the driver.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow
from pyspark.sql import DataFrame, SparkSession, functions

import inkling
from inkling.options import Path
from inkling.pieces import Job
from inkling.verified import add_up, as_built, count_bucket, job_for

from ._build import Column, chosen_rows
from ._exchange import SCHEMA, Overflow, Row, Source, Tally, all_rows, local_job, pack, partitioned, unpack
from ._nodes import Askable, OnNodes, held, send
from ._session import parallelism, raising_task_errors
from ._ship import attach, context_of, task
from ._splits import Read, file_names, files_of

__all__ = ["verify", "verify_files"]

# What maps send of a key that they have hashed.
_KEY_BYTES = 8
# Bytes of keys that are asked on the driver ...
_SMALL_BYTES = 32 << 20
# ... and, about, by a task, which holds them all.
_RANGE_BYTES = 16 << 20
# The most bytes that all ranges together send to the driver, and the bytes for each sketch.
_REPORT_BYTES = 256 << 20
_SKETCH_BYTES = 24
_RANGES_MAX = 256


def verify(
    data: DataFrame,
    sketches: Askable,
    *,
    key: Column | Iterable[Column],
    by: Column | None = None,
    tests: float | None = None,
    secret: bytes | None = None,
    **options: Any,
) -> inkling.Verification:
    """Measures the rates of filters against the true data, and compares them with what was promised.

    Every key of `data`, the DataFrame that they were built from, is asked of its own filter, which must know
    it, and of those of all other groups, which should not; where there are no groups, random keys are asked,
    at most `tests` (2^30). `key`, `by` and options (`round`) as in ``build``. The result is that of
    ``inkling.verify``.

    >>> ink.verify(df, filters, key="tconst", by="rating").ok                  # doctest: +SKIP
    """
    if not isinstance(data, DataFrame):
        raise TypeError(f"data of type {type(data).__name__}, expected a DataFrame (for files: verify_files)")
    spark = data.sparkSession
    context_of(spark)
    asked = held(spark, sketches, secret)
    rows = chosen_rows(data, key, by, None)
    reading = {**rows.names, **options}
    job = _job(asked, reading)
    inkling.verify(asked, rows.schema.empty_table(), tests=1, **reading)  # which refuses what does not fit
    return _verified(spark, rows, asked, job, tests)


def verify_files(
    spark: SparkSession,
    paths: Path | Iterable[Path],
    sketches: Askable,
    *,
    tests: float | None = None,
    secret: bytes | None = None,
    read: Read = "auto",
    **options: Any,
) -> inkling.Verification:
    """Measures the rates of filters against the records of files, as ``verify`` does against a DataFrame.

    Files are read as the sketches were built, unless options (`format`, `header`, `key`, `by`, `round` and so
    on) or their suffixes say otherwise; `paths` and `read` as in ``build_files``.

    >>> ink.verify_files(spark, "ratings.tsv", "ratings.ink").ok               # doctest: +SKIP
    """
    context_of(spark)
    asked = held(spark, sketches, secret)
    reading = as_built(asked, file_names(paths), **options)
    source, job = files_of(spark, paths, _job(asked, reading), read)
    return _verified(spark, source, asked, job, tests)


def _job(asked: inkling.Sketches, reading: dict[str, Any]) -> Job:
    """The job whose maps give what there is to ask, all in one range."""
    job = job_for(asked, buckets=1, **{"threads": 1, **reading})
    count_bucket(asked, job, 0, [], tests=1)  # which refuses what cannot be verified so
    return job


def _verified(
    spark: SparkSession, source: Source, asked: inkling.Sketches, job: Job, tests: float | None
) -> inkling.Verification:
    """Verifies sketches by any source: a small one here, others by ranges."""
    attach(spark)
    # Data has about as many keys as the sketches, a better guess than that of Spark. Larger data goes by
    # ranges.
    keys = _KEY_BYTES * asked.records
    if keys <= _SMALL_BYTES:
        try:
            return _verified_here(source, asked, job, tests)
        except Overflow:
            pass
    ranges = _ranges(max(keys, source.bytes or 0), parallelism(spark), len(asked))
    return _verified_there(spark, source, asked, job.with_pieces(buckets=ranges, ranged=True), ranges, tests)


def _ranges(size: int, tasks: int, sketches: int) -> int:
    """Into how many ranges keys of this many bytes are cut: a power of two."""
    wanted = max(tasks, size // _RANGE_BYTES)
    most = min(_RANGES_MAX, _REPORT_BYTES // (_SKETCH_BYTES * sketches))
    ranges = 1
    while ranges < wanted and 2 * ranges <= most:
        ranges *= 2
    return ranges


def _verified_here(
    source: Source, asked: inkling.Sketches, job: Job, tests: float | None
) -> inkling.Verification:
    """Maps are tasks; all that they send is asked here."""
    tally, pieces = Tally(), []
    for _, _, piece, report in all_rows(source.collected(job)):
        if report is not None:
            tally += Tally.from_bytes(report)
        else:
            pieces.append(piece)
    part = count_bucket(asked, job.replace(threads=None), 0, pieces, tests=tests)
    return add_up(asked, 1, [part], bad=tally.bad, nulls=tally.nulls)


def _verified_there(
    spark: SparkSession, source: Source, asked: inkling.Sketches, job: Job, ranges: int, tests: float | None
) -> inkling.Verification:
    """Maps are tasks, and so are the questions to each range."""
    grouped = any(group is not inkling.WHOLE for group in asked.groups)
    share = tests if tests is None or not grouped else max(1, int(tests) // ranges)
    pieces = partitioned(source.rows(job), ranges, functions.col("bucket"))
    verifying = VerifyRanges(send(spark, asked), job, share)
    tally, parts = Tally(), {}
    with raising_task_errors():
        for bucket, _, part, report in pieces.mapInArrow(task(spark, verifying), SCHEMA).collect():
            if report is not None:
                tally += Tally.from_bytes(report)
            else:
                parts[bucket] = part
    for bucket in set(range(ranges)).difference(parts):  # of data without rows
        parts[bucket] = count_bucket(asked, job, bucket, [], tests=share)
    return add_up(asked, ranges, parts.values(), bad=tally.bad, nulls=tally.nulls)


@dataclass(frozen=True)
class VerifyRanges:
    """The questions to the ranges that a partition has: one, unless two fell on the same partition."""

    sent: OnNodes
    job: Job
    tests: float | None

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        return pack(self.rows(unpack(batches)))

    def rows(self, given: Iterable[Row]) -> Iterator[Row]:
        job, tally = local_job(self.job), Tally()
        ranges: dict[int, list[Any]] = {}
        for bucket, _, piece, report in given:
            if report is not None:
                tally += Tally.from_bytes(report)
            else:
                ranges.setdefault(bucket, []).append(piece)
        for bucket in list(ranges):
            pieces = ranges.pop(bucket)
            yield bucket, 0, count_bucket(self.sent.sketches(), job, bucket, pieces, tests=self.tests), None
        yield 0, 0, None, tally.to_bytes()
