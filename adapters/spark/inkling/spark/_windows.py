"""Windows of a stream: rows that share a time slot, and when a row comes too late.

A window has slots of equal length, each with sketches of its own; as time goes on, the oldest slots fall out
whole. A row is late if its slot has fallen out, or if its time is before the watermark that stood
when its batch began: the latest time in all batches before, less the delay.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from inkling import WHOLE, Group, Sketch, UnsupportedError, UsageError
from inkling.keys import one_group

from ._build import column_named
from ._state import Label

__all__ = [
    "SLOT_COLUMN",
    "Duration",
    "TimedRows",
    "Window",
    "duration",
    "quoted",
    "rows_in",
    "slot_and_group",
    "window_of",
]

Duration: TypeAlias = str | datetime.timedelta

#: The column in which rows carry the slot, and beside it the group, that they belong to.
SLOT_COLUMN = "inkling slot"

_MICROSECONDS = {
    "microsecond": 1,
    "millisecond": 1000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": 86_400_000_000,
    "week": 7 * 86_400_000_000,
}
_PARTS = re.compile(r"\s*(\d+)\s*([a-z]+?)s?\b\s*")


def duration(name: str, given: object) -> int:
    """A span of time in microseconds, from a timedelta or from text such as "1 hour 30 minutes"."""
    if isinstance(given, datetime.timedelta):
        return given // datetime.timedelta(microseconds=1)
    if not isinstance(given, str):
        text = type(given).__name__
        raise TypeError(f"{name} of type {text}, expected a timedelta, or text such as '10 minutes'")
    total, at = 0, 0
    while at < len(given):
        part = _PARTS.match(given.lower(), at)
        if part is None or part[2] not in _MICROSECONDS:
            break
        total, at = total + int(part[1]) * _MICROSECONDS[part[2]], part.end()
    if at < len(given) or not given.strip():
        raise UsageError(f"{name} {given!r}, expected such as '10 minutes' or '1 hour 30 seconds'")
    return total


# ---- The window -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Window:
    """A window that moves with the times of a column."""

    time: str
    """The column that holds the time of a row."""
    slot: int
    """How long a slot is, in microseconds; slots start at its multiples since 1970."""
    slots: int
    """How many there are."""
    delay: int | None
    """Microseconds that rows may lie before the latest time and still count; None: as the slots go."""

    def oldest(self, newest: int | None) -> int | None:
        """Where the oldest slot starts that is in the window when this is the latest time."""
        return None if newest is None else newest // self.slot * self.slot - (self.slots - 1) * self.slot

    def limit(self, before: int | None, newest: int | None) -> int | None:
        """Rows of earlier times are late: in a batch before which `before` was the latest time, and with
        which `newest` is."""
        oldest = self.oldest(newest)
        if oldest is None or before is None or self.delay is None:
            return oldest
        return max(oldest, before - self.delay)

    def kept(self, sketches: Mapping[Label, Sketch], newest: int | None) -> dict[Label, Sketch]:
        """The sketches whose slot has not fallen out."""
        oldest = self.oldest(newest)
        return {
            label: sketch
            for label, sketch in sketches.items()
            if oldest is None or label[2] is None or label[2] >= oldest
        }


def window_of(
    frame: DataFrame,
    window: Duration | None,
    slots: int | None,
    time: str | None,
    watermark: Duration | None,
) -> Window | None:
    """The window that options ask for, checked against the columns of the stream; None if for none."""
    if window is None:
        for name, given in (("slots", slots), ("time", time), ("watermark", watermark)):
            if given is not None:
                raise UsageError(f"{name} without window, expected window= too, such as '10 minutes'")
        return None
    length, count = duration("window", window), 1 if slots is None else slots
    if isinstance(count, bool) or not isinstance(count, int):
        raise TypeError(f"slots of type {type(count).__name__}, expected a number")
    if not 1 <= count <= MAX_SLOTS:
        raise UsageError(f"slots {count}, expected 1 to {MAX_SLOTS}")
    if length <= 0 or length % count:
        raise UsageError(f"window {window!r} in {count} slots, expected slots of whole microseconds")
    column = _time_column(frame, time)
    return Window(column, length // count, count, _delay(frame, column, watermark))


MAX_SLOTS = 65536
_DELAY = "spark.watermarkDelayMs"


def _time_column(frame: DataFrame, time: str | None) -> str:
    marked = [field.name for field in frame.schema.fields if _DELAY in field.metadata]
    if time is None:
        if len(marked) != 1:
            found = f"watermarks on {', '.join(marked)}" if marked else "no column with a watermark"
            raise UsageError(f"window without time and {found}, expected time=, the column of times")
        return marked[0]
    named = column_named(frame, "time", time)
    _microseconds(frame, named)
    return named


def _delay(frame: DataFrame, time: str, watermark: Duration | None) -> int | None:
    """How late rows may be: as withWatermark says of the column, or else as the option does."""
    declared = frame.schema[time].metadata.get(_DELAY)
    if declared is None:
        delay = None if watermark is None else duration("watermark", watermark)
        if delay is not None and delay < 0:
            raise UsageError(f"watermark {watermark!r}, expected no negative time")
        return delay
    if watermark is not None and duration("watermark", watermark) != 1000 * int(declared):
        raise UsageError(
            f"watermark {watermark!r}, but the stream has withWatermark({time!r}, '{declared} "
            "milliseconds'), expected one of the two"
        )
    return 1000 * int(declared)


# ---- Rows with their slots ------------------------------------------------------------------------


def quoted(name: str) -> str:
    """The name of a column, with any characters, as Spark reads it."""
    return "`" + name.replace("`", "``") + "`"


def _microseconds(frame: DataFrame, time: str) -> Column:
    """The times of a column as microseconds since 1970 UTC."""
    kind = frame.schema[time].dataType
    if isinstance(kind, T.TimestampType):
        return F.unix_micros(quoted(time))
    if isinstance(kind, T.TimestampNTZType):
        return F.expr(f"timestampdiff(MICROSECOND, TIMESTAMP_NTZ'1970-01-01', {quoted(time)})")
    raise UnsupportedError(f"time column {time!r} of type {kind.simpleString()}, expected a timestamp")


@dataclass(frozen=True)
class TimedRows:
    """The rows of one batch that fall into the window, and how many do not."""

    frame: DataFrame
    """The rows, with a column more that holds slot and group: build by it."""
    newest: int | None
    """The latest time among all rows of the batch, and of those before."""
    untimed: int
    """How many rows have no time ..."""
    late: int
    """... and how many come too late."""


def rows_in(window: Window, batch: DataFrame, by: str | None, before: int | None) -> TimedRows:
    """Puts the rows of a batch into their slots, if `before` was the latest time until now."""
    time = _microseconds(batch, window.time)
    counts = (F.count(F.lit(1)), F.count(time), F.min(time), F.max(time))
    records, timed, earliest, latest = batch.agg(*counts).first() or (0, 0, None, None)
    newest = max((when for when in (before, latest) if when is not None), default=None)
    limit = window.limit(before, newest)
    late = 0 if limit is None or earliest is None or earliest >= limit else batch.where(time < limit).count()
    start = time - F.pmod(time, F.lit(window.slot))
    inside = batch.where(time.isNotNull() if limit is None else time >= limit)
    frame = inside.withColumn(SLOT_COLUMN, _slot_and_group(batch, start, by))
    return TimedRows(frame, newest, records - timed, late)


def _slot_and_group(frame: DataFrame, start: Column, by: str | None) -> Column:
    """A label for slot and group of a row: the slot's digits, then ``=`` and the group's bytes, or ``~``."""
    slot = start.cast("string").cast("binary")
    if by is None:
        return slot
    group = _group_text(frame, by).cast("binary")
    return F.concat(
        slot, F.when(F.col(quoted(by)).isNull(), F.lit(b"~")).otherwise(F.concat(F.lit(b"="), group))
    )


def _group_text(frame: DataFrame, by: str) -> Column:
    """The group of a row as text; of floats as Java writes them, which ``slot_and_group`` makes good."""
    kind, column = frame.schema[by].dataType, F.col(quoted(by))
    if isinstance(kind, (T.StringType, T.BinaryType)):
        return column
    if isinstance(kind, T.DateType):
        return F.unix_date(column).cast("string")
    if isinstance(kind, (T.TimestampType, T.TimestampNTZType)):
        return _microseconds(frame, by).cast("string")
    if isinstance(kind, (T.IntegralType, T.FractionalType, T.BooleanType)) and not isinstance(
        kind, T.DecimalType
    ):
        return column.cast("string")
    raise UnsupportedError(
        f"groups of type {kind.simpleString()} in {by!r}, expected strings, binary, integers, floats, "
        "booleans, dates or timestamps"
    )


def slot_and_group(label: Group, kind: T.DataType | None) -> tuple[int, Group]:
    """The slot and group of which ``_slot_and_group`` made a label; `kind` is the type of the groups."""
    assert isinstance(label, (str, bytes))
    encoded = label.encode() if isinstance(label, str) else label
    if kind is None:
        return int(encoded), WHOLE
    at = re.match(rb"-?\d+", encoded)
    assert at is not None
    slot, rest = int(at[0]), encoded[at.end() :]
    return slot, None if rest == b"~" else _group(rest[1:], kind)


def _group(text: bytes, kind: T.DataType) -> Group:
    return one_group(float(text) if isinstance(kind, (T.FloatType, T.DoubleType)) else text)
