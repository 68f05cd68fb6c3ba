"""Sketches over a Structured Streaming query, into which every row is taken exactly once.

Spark hands over one batch after another (``foreachBatch``), each with a number, and the last one again if the
driver died before Spark had noted that it was done. A batch is built into sketches as ``build`` does it,
merged with those of the state, and replace the state by one rename, together with its number
(``_state``): a batch that comes again is known and left out.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame

from inkling import NotFoundError, Sketches, UsageError
from inkling.pieces import Job

from ._fitting import (
    Checkpoint,
    checked_state,
    column_names,
    planned_sketches,
    refuse_kinds,
    refuse_source,
)
from ._queries import Query, Trigger
from ._ship import attach
from ._state import StateFolder, folder_path, read_state
from ._taking import Keeper, BuildSpec
from ._windows import Duration, window_of

__all__ = ["Stream", "StreamStatus", "state", "stream"]


@dataclass(frozen=True, kw_only=True)
class StreamStatus:
    """How far a stream has been taken in."""

    batch: int | None
    """The last batch in the state; None before the first."""
    records: int
    """Rows taken in."""
    nulls: int
    """Rows left out because their key, weight or time is null."""
    late: int
    """Rows left out because they came too late for the window."""
    watermark: datetime.datetime | None
    """Rows of earlier times come too late from now on; None if no window, or no row, has been seen."""
    warnings: tuple[str, ...]
    """A line about every filter that got more keys than it was planned for, found since the query started."""


class Stream(Query):
    """A query that keeps sketches; ``stream`` starts one. ``query`` is Spark's own handle of it."""

    def __init__(
        self,
        train: DataFrame,
        keeper: Keeper,
        *,
        checkpoint: str,
        trigger: Trigger | None,
        name: str | None,
    ) -> None:
        self._keeper = keeper
        super().__init__(train, keeper.take, checkpoint=checkpoint, trigger=trigger, name=name)

    def _ended(self) -> None:
        self._keeper.close()
        if _streams.get(self._keeper.folder) is self:
            del _streams[self._keeper.folder]

    @property
    def status(self) -> StreamStatus:
        """How far the stream has been taken in, and what there is to know about it."""
        position, window = self._keeper.position, self._keeper.spec.window
        limit = None if window is None else window.limit(position.newest, position.newest)
        return StreamStatus(
            batch=position.batch,
            records=position.records,
            nulls=position.nulls,
            late=position.late,
            watermark=None if limit is None else _moment(limit),
            warnings=tuple(self._keeper.overfull.values()),
        )

    def sketches(self) -> Sketches:
        """The sketches of the last batch that was taken in; they do not change when the next one is."""
        return state(self._keeper.folder, secret=self._keeper.spec.options.get("secret"))

    def __repr__(self) -> str:
        status = self.status
        where = (
            "no batch yet" if status.batch is None else f"batch {status.batch}, {status.records:,} records"
        )
        return f"<inkling stream of {', '.join(self._keeper.spec.kinds)} in {self._keeper.folder}: {where}>"


def _moment(microseconds: int) -> datetime.datetime:
    """A time since 1970 as Python has it, which ends before Spark's times do."""
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    try:
        return epoch + datetime.timedelta(microseconds=microseconds)
    except OverflowError:
        last = datetime.datetime.min if microseconds < 0 else datetime.datetime.max
        return last.replace(tzinfo=datetime.timezone.utc)


#: Streams of this process by the folder that they hold.
_streams: dict[Path, Stream] = {}


def _let_go(folder: Path) -> None:
    """Frees a folder that is held by a stream of this process which has ended unnoticed."""
    held = _streams.get(folder)
    if held is None:
        return
    try:
        active = held.isActive
    except Exception:  # there is no Spark any more that could be asked
        active = False
    if not active:
        held._ended()


def stream(
    train: DataFrame,
    kind: str | Sequence[str],
    state_dir: str | os.PathLike[str],
    *,
    key: str | Sequence[str],
    by: str | None = None,
    window: Duration | None = None,
    slots: int | None = None,
    time: str | None = None,
    watermark: Duration | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    trigger: Trigger | None = None,
    name: str | None = None,
    **options: Any,
) -> Stream:
    """Keeps sketches of a stream: starts a query that takes in every row exactly once, and gives its handle.

    ``state_dir/state.ink`` is at all times a whole file of the last batch taken in, which ``ink.state``,
    ``inkling.open`` and the command ``ink`` read while the query goes on. Kill the driver or an executor at
    any moment and start the same program again: it goes on where it was, and nothing is counted twice or
    lost. The digest is that of a run without kills, for kinds whose bytes do not depend on the order of keys;
    the others keep their bounds.

    `kind`, `key`, `by` and `options` are those of ``build``. Filters need `n`, the different keys of the
    whole stream, as rows yet to come cannot be counted; a PromiseWarning, and ``status.warnings``, say if
    there are more in the end.

    With `window` ("1 hour", cut into `slots` time slots) the state holds a sketch for each slot, and what is
    older than the window falls out, slot by slot; `n` is that of the whole window. `time` names the column of
    times (by default the one with a watermark). Rows are late, left out and counted in ``status.late``, if
    their slot has fallen out, or if they are older than the watermark: the latest time in the batches before,
    less the delay of ``withWatermark`` on that column, or of `watermark`. Without a window no row is late.

    The source must be able to give a batch again, as files, Kafka and rate do. A socket cannot: its rows
    would be lost if the driver died, so it is refused; let them land in files first.

    `state_dir` is a folder on a disk of the driver, or mounted there; one query at a time holds it.
    `checkpoint` is Spark's (by default ``state_dir/checkpoint``; one that executors reach, if `train` has
    state of its own). The two belong together: if one of them was replaced, removed, or put back from a copy,
    they are refused, as are other columns and sizes than the stream was begun with. `trigger` is "10
    seconds", or the options of ``DataStreamWriter.trigger``, as ``{"availableNow": True}``.
    """
    refuse_source(train)
    spark = train.sparkSession
    moving = window_of(train, window, slots, time, watermark)
    if moving is not None and options.get("round") is not None:
        raise UsageError("round with a window, expected a column by= that is rounded already, as by bround")
    kinds = tuple(sorted(Job(kind).kinds))
    refuse_kinds(kinds, options, moving)
    group = None if by is None else column_names(train, "by", by)[0]
    if options.get("weight") is not None:
        options["weight"] = column_names(train, "weight", options["weight"])[0]
    spec = BuildSpec(kinds, column_names(train, "key", key), group, moving, options)
    planned = planned_sketches(train, spec)
    attach(spark)
    path = folder_path(state_dir)
    _let_go(path)
    folder = StateFolder(path)
    try:
        where = f"file://{path}/checkpoint" if checkpoint is None else os.fspath(checkpoint)
        noted = Checkpoint(where, spark)
        found = checked_state(folder, spec, planned, noted)
        keeper = Keeper(folder, found, spec, lambda: noted.query() or "none")
        begun = Stream(train, keeper, checkpoint=where, trigger=trigger, name=name)
    except BaseException:
        folder.close()
        raise
    _streams[path] = begun
    return begun


def state(state_dir: str | os.PathLike[str], *, secret: bytes | None = None) -> Sketches:
    """The sketches of a stream as they were when its last batch had been taken in, from any process.

    A file of sketches, mapped: of groups with time slots ``state[group]`` is the union of the window. What a
    later batch brings is seen by the next call of this."""
    folder = folder_path(state_dir)
    found = read_state(folder, secret=secret)
    if found is None:
        raise NotFoundError("no state.ink, expected the state_dir of a stream", path=str(folder))
    return found.sketches
