"""Pieces on their way through Spark: from the maps of a build to its reducers, and from those to the driver.

What pieces hold is the library's business. A row brings a piece to a bucket, or reports what a task has read;
rows of tasks that Spark repeats are counted once, as are all rows. The pieces of small data go straight to
the driver, which reduces them: one stage, no shuffle. Others are moved to one task for each bucket, without
a sort, and what these tasks finish waits on the disks of the cluster until the driver has fetched it, a
partition at a time.
"""

from __future__ import annotations

import itertools
import operator
import os
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from typing import Any, Protocol, TypeAlias

import pyarrow
from pyspark import StorageLevel, TaskContext
from pyspark.sql import DataFrame, SparkSession, functions

from inkling.pieces import Job, Pieces, Plan, Reducer, Sizes

from ._session import parallelism, raising_task_errors
from ._ship import task

__all__ = [
    "LIMIT_BYTES",
    "SCHEMA",
    "SMALL_BYTES",
    "MapRows",
    "Overflow",
    "Row",
    "Source",
    "Tally",
    "Traffic",
    "all_rows",
    "collect",
    "finished_pieces",
    "give",
    "local_job",
    "pack",
    "partitioned",
    "task_number",
    "unpack",
]

#: The rows that travel: a piece for a bucket and the number of its task; or what a task reports.
SCHEMA = "bucket int, source int, piece binary, tally binary"

#: Bytes of pieces that a task may send to the driver at once.
LIMIT_BYTES = 8 << 20

#: The most bytes of data of which the pieces go straight to the driver.
SMALL_BYTES = 64 << 20

#: Bytes that data is taken to have when it turns out to be larger than it seemed.
_LARGE_BYTES = 1 << 30

#: Bytes of the pieces that travel together, unless one has more.
_TOGETHER_BYTES = 4 << 20

#: From this number of sources on, the pieces of one bucket are merged in two steps.
_MANY_SOURCES = 64

#: What maps and reducers keep in memory, unless a user says otherwise.
MEMORY = "256M"


# ---- What tasks report ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Tally:
    """What was read and sent: added up over tasks."""

    records: int = 0
    bad: int = 0
    nulls: int = 0
    pieces: int = 0
    largest: int = 0
    overflows: int = 0
    """Tasks that had more to send to the driver than it takes at once, and did not."""

    def __add__(self, other: Tally) -> Tally:
        sums = map(operator.add, astuple(self), astuple(other))
        return replace(Tally(*sums), largest=max(self.largest, other.largest))

    def to_bytes(self) -> bytes:
        return _TALLY.pack(*astuple(self))

    @classmethod
    def from_bytes(cls, report: Any) -> Tally:
        return cls(*_TALLY.unpack(report))

    def with_piece(self, size: int) -> Tally:
        return replace(self, pieces=self.pieces + 1, largest=max(self.largest, size))


_TALLY = struct.Struct("<6q")

#: Bucket, source, piece, tally: one of the last two is None.
Row: TypeAlias = tuple[int, int, Any, Any]


def give(pieces: Pieces, source: int, limit: int | None = None) -> Iterator[Row]:
    """The pieces of a map or a reducer as rows, and in the end a row that reports what was read.

    With a `limit` on the bytes of all pieces, only that they are more."""
    tally, sent, bucket = Tally(), 0, 0
    with pieces:
        for bucket, piece in pieces:
            sent += len(piece)
            if limit is not None and sent > limit:
                yield bucket, source, None, Tally(overflows=1).to_bytes()
                return
            tally = tally.with_piece(len(piece))
            yield bucket, source, piece, None
        read = pieces.report
    if read is not None:
        tally = replace(tally, records=read.records, bad=read.bad, nulls=read.nulls)
    yield bucket, source, None, tally.to_bytes()


def pack(rows: Iterable[Row]) -> Iterator[pyarrow.RecordBatch]:
    """Rows as Arrow batches: small pieces together, large ones alone."""
    waiting: list[Row] = []
    size = 0
    for row in rows:
        waiting.append(row)
        size += len(row[2] or b"")
        if size >= _TOGETHER_BYTES:
            yield _batch(waiting)
            waiting, size = [], 0
    if waiting:
        yield _batch(waiting)


def _batch(rows: list[Row]) -> pyarrow.RecordBatch:
    types = (pyarrow.int32(), pyarrow.int32(), pyarrow.binary(), pyarrow.binary())
    names = [field.split()[0] for field in SCHEMA.split(", ")]
    columns = [pyarrow.array(column, kind) for column, kind in zip(zip(*rows), types)]
    return pyarrow.RecordBatch.from_arrays(columns, names)


def unpack(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[Row]:
    """The rows of batches; a piece is a view of its batch."""
    for batch in batches:
        buckets, sources, pieces, tallies = batch.columns
        for number in range(batch.num_rows):
            piece, tally = pieces[number], tallies[number]
            yield (
                buckets[number].as_py(),
                sources[number].as_py(),
                piece.as_buffer() if piece.is_valid else None,
                tally.as_py(),
            )


def collect(rows: DataFrame) -> Iterable[Row]:
    """All rows on the driver, as Arrow where Spark can: it packs bytes for Python one by one."""
    with raising_task_errors():
        if hasattr(rows, "toArrow"):
            return unpack(rows.toArrow().to_batches())
        return rows.collect()


# ---- Tasks ----------------------------------------------------------------------------------------


def local_job(job: Job) -> Job:
    """A job as a task does it: what does not fit in memory goes where Spark puts such things."""
    defaults = {"memory": MEMORY}
    folders = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")
    if folders[0]:
        defaults["temp"] = folders[0]
    lacking: Any = {name: value for name, value in defaults.items() if name not in job.options}
    return job.replace(**lacking)


def task_number() -> int:
    """The number of the partition that this task has."""
    context = TaskContext.get()
    return 0 if context is None else context.partitionId()


@dataclass(frozen=True)
class MapRows:
    """The map of the rows of a DataFrame."""

    job: Job
    count: bool = False
    limit: int | None = None

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        first = next(batches, None)
        if first is None:
            return
        rows = pyarrow.RecordBatchReader.from_batches(first.schema, itertools.chain([first], batches))
        pieces = local_job(self.job).map(rows, count=self.count)
        yield from pack(give(pieces, task_number(), self.limit))


@dataclass(frozen=True)
class Reduce:
    """The reducers of the buckets that a partition has: one, unless two fell on the same partition."""

    job: Job
    step: Callable[[Reducer], Pieces]

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        return pack(self.rows(unpack(batches)))

    def rows(self, given: Iterable[Row]) -> Iterator[Row]:
        job, number, tally = local_job(self.job), task_number(), Tally()
        reducers: dict[int, Reducer] = {}
        try:
            for bucket, _, piece, report in given:
                if report is not None:
                    tally += Tally.from_bytes(report)
                else:
                    if bucket not in reducers:
                        reducers[bucket] = job.reducer()
                    reducers[bucket].add(piece)
            for bucket in list(reducers):
                with reducers.pop(bucket) as reducer:
                    for row in give(self.step(reducer), number):
                        yield bucket, *row[1:]
        finally:
            for reducer in reducers.values():
                reducer.close()
        yield 0, number, None, tally.to_bytes()


# ---- The course of a build ------------------------------------------------------------------------


class Source(Protocol):
    """Data that maps read."""

    @property
    def bytes(self) -> int | None:
        """How many there are, or about; None if that is unknown."""

    @property
    def partitions(self) -> int:
        """How many tasks read it, or about."""

    def rows(self, job: Job, *, count: bool = False) -> DataFrame:
        """What the maps give, as rows."""

    def collected(self, job: Job, *, count: bool = False) -> Iterable[Row]:
        """The same on the driver, unless a task has more than it may send there (``Tally.overflows``)."""

    def nothing(self) -> Any:
        """Data of the same kind without a record."""


@dataclass(frozen=True)
class Traffic:
    """How pieces are cut, by the names of the options of ``build``."""

    piece_bytes: int | None = None
    slice_bytes: int | None = None

    def cut(
        self, job: Job, plan: Plan, *, counts: bytes | None = None, sizes: bytes | None = None
    ) -> Job:
        return job.with_pieces(
            buckets=plan.buckets,
            ranged=plan.ranged,
            piece_bytes=self.piece_bytes,
            slice_bytes=self.slice_bytes,
            counts=counts,
            sizes=sizes,
        )


Finished: TypeAlias = tuple[Any, Tally]
"""A finished piece, or None, and what is reported with it."""


def finished_pieces(spark: SparkSession, source: Source, job: Job, traffic: Traffic) -> Iterator[Finished]:
    """Builds, and gives the finished pieces, with the reports of all tasks."""
    size = source.bytes
    plan = job.plan(size, parallelism(spark), slice_bytes=traffic.slice_bytes)
    # One bucket, or one for each of some groups: the process that has them all can do the work of all.
    alone = plan.buckets == 1 or (not plan.ranged and job.by is not None)
    if (size is None or size <= SMALL_BYTES) and alone:
        try:
            yield from _finished_here(source, job, replace(plan, buckets=1), traffic)
            return
        except Overflow:  # data was larger than it seemed, and nothing has been given yet
            plan = job.plan(max(size or 0, _LARGE_BYTES), parallelism(spark), slice_bytes=traffic.slice_bytes)
    yield from _finished_there(spark, source, job, plan, traffic)


class Overflow(Exception):
    """A task had more for the driver than it takes at once."""


def all_rows(rows: Iterable[Row]) -> list[Row]:
    """Rows that came to the driver, if they are all."""
    taken = list(rows)
    if any(Tally.from_bytes(tally).overflows for _, _, _, tally in taken if tally is not None):
        raise Overflow
    return taken


def _sizes(rows: Iterable[Row]) -> bytes:
    """What rows of pieces that measure report."""
    sizes = Sizes()
    for _, _, piece, _ in rows:
        if piece is not None:
            sizes.add(piece)
    return sizes.to_bytes()


def _finished_here(source: Source, job: Job, plan: Plan, traffic: Traffic) -> Iterator[Finished]:
    """Maps are tasks; the one reducer is here."""
    cut = traffic.cut(job, plan)
    if plan.count:
        cut = traffic.cut(job, plan, counts=_sizes(all_rows(source.collected(cut, count=True))))
    rows = all_rows(source.collected(cut))
    yield from _given(Reduce(cut, Reducer.finish).rows(rows))


def _given(rows: Iterable[Any]) -> Iterator[Finished]:
    for _, _, piece, tally in rows:
        yield piece, Tally() if tally is None else Tally.from_bytes(tally)


def _finished_there(
    spark: SparkSession, source: Source, job: Job, plan: Plan, traffic: Traffic
) -> Iterator[Finished]:
    """Maps and reducers are tasks. What was measured of ranges is measured of pieces that are kept."""
    cut, counts = traffic.cut(job, plan), None
    if plan.count:
        counts = _sizes(collect(source.rows(cut, count=True)))
        cut = traffic.cut(job, plan, counts=counts)
    moved = _moved(spark, source, cut, plan)
    with _kept(moved, needed=plan.measure) as pieces:
        if plan.measure:
            measured = collect(_reduced(spark, pieces, cut, Reducer.measure))
            cut = traffic.cut(job, plan, counts=counts, sizes=_sizes(measured))
        with _kept(_reduced(spark, pieces, cut, Reducer.finish)) as finished, raising_task_errors():
            finished.count()  # every task at once; the rows are then fetched one partition after the other
            yield from _given(finished.toLocalIterator(prefetchPartitions=True))


def _reduced(
    spark: SparkSession, pieces: DataFrame, job: Job, step: Callable[[Reducer], Pieces]
) -> DataFrame:
    return pieces.mapInArrow(task(spark, Reduce(job, step)), SCHEMA)


def _moved(spark: SparkSession, source: Source, job: Job, plan: Plan) -> DataFrame:
    """What maps give, at the partition of its bucket. What many give for one bucket is merged on the way."""
    pieces = source.rows(job)
    if plan.buckets == 1 and source.partitions > _MANY_SOURCES:
        relays = max(2, min(parallelism(spark), int(source.partitions**0.5)))
        part = functions.col("source") % relays
        pieces = _reduced(spark, partitioned(pieces, relays, part), job, Reducer.relay)
    return partitioned(pieces, plan.buckets, functions.col("bucket"))


def partitioned(pieces: DataFrame, partitions: int, number: Any) -> DataFrame:
    """Rows at the partition that has this number; where Spark cannot do that, wherever a hash puts it."""
    by_number = getattr(pieces, "repartitionById", None)
    if by_number is not None:
        moved: DataFrame = by_number(partitions, number)
        return moved
    return pieces.repartition(partitions, number)


@contextmanager
def _kept(rows: DataFrame, *, needed: bool = True) -> Iterator[DataFrame]:
    """Rows that are computed once, and wait on disks."""
    if not needed:
        yield rows
        return
    kept = rows.persist(StorageLevel.DISK_ONLY)
    try:
        yield kept
    finally:
        kept.unpersist()
