"""Questions with few answers: the most frequent keys, how many different ones, how often some were seen.

Each takes a DataFrame, of which it builds the sketch that answers, or sketches that are there; and gives a
small DataFrame.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import (
    BinaryType,
    DataType,
    DateType,
    DoubleType,
    IntegralType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

import inkling
from inkling import Question, UsageError
from inkling.keys import one_key

from ._asking import Key
from ._build import build, chosen_rows
from ._nodes import Askable, held
from ._session import active

__all__ = ["counts", "distinct", "top"]

_NUMBERS = [StructField(name, DoubleType(), False) for name in ("estimate", "low", "high", "confidence")]


def top(
    data: DataFrame | Askable,
    key: Key | Sequence[Key] | None = None,
    k: int = 10,
    by: Key | None = None,
    **options: Any,
) -> DataFrame:
    """The `k` most frequent keys, of each group if there are some.

    The columns are `key`, `estimate`, `low`, `high` and `confidence`.
    `data` is a DataFrame, with its column `key`, or several that make a tuple, and `by`, one that names
    groups; or sketches that can answer. Options are those of ``build`` (as `phi`, the share of all above
    which a key is surely among those kept), or with sketches `kind`, `last` and `secret`. A group stands
    first, as text, in column `group`. A key of several columns is a struct.

    >>> ink.top(visits, "page", k=3, by="country").show()                      # doctest: +SKIP
    """
    size = {} if "phi" in options else {"k": k}
    asked = _asked("top", data, key, by, options, {"kind": "top", **size})
    return asked.table(((group, item) for group, sketch in asked for item in sketch.top(k)), keys=True)


def distinct(
    data: DataFrame | Askable, key: Key | Sequence[Key] | None = None, by: Key | None = None, **options: Any
) -> DataFrame:
    """How many different keys there are, in each group if there are some.

    The columns are `estimate`, `low`, `high` and `confidence`.
    Arguments are as in ``top``; the `kind` that is built is "hll", with `precision`, unless another is named.

    >>> ink.distinct(visits, "user", by="country").show()                      # doctest: +SKIP
    """
    asked = _asked("distinct", data, key, by, options, {"kind": "hll"})
    return asked.table(((group, sketch.estimate()) for group, sketch in asked), keys=False)


def counts(
    data: DataFrame | Askable,
    key: Key | Sequence[Key] | None = None,
    keys: Any = None,
    by: Key | None = None,
    **options: Any,
) -> DataFrame:
    """How often these `keys` were seen, in each group if there are some.

    The columns are `key`, `estimate`, `low`, `high` and `confidence`. Arguments are as in ``top``; `keys` are
    several, or one. Of timestamps in a DataFrame one without a zone is of the zone of this process, as those
    are that Spark hands over. The `kind` that is built is "count-min", with `eps` and `delta`, unless another
    is named.

    >>> ink.counts(visits, "page", ["/", "/about"]).show()                     # doctest: +SKIP
    """
    if keys is None:
        raise UsageError("no keys, expected keys= to count")
    wanted = [keys] if one_key(keys) is not None else list(keys)
    asked = _asked("count", data, key, by, options, {"kind": "count-min"}, wanted)
    rows = ((group, _item(one, sketch.count(one))) for one in asked.wanted for group, sketch in asked)
    return asked.table(rows, keys=True)


def _item(key: Any, answer: inkling.Answer) -> inkling.Item:
    """A key that was asked for, as one that a sketch keeps."""
    plain = one_key(key)
    if isinstance(plain, bytes):
        try:
            return inkling.Item.of(plain.decode(), answer)
        except UnicodeDecodeError:
            pass
    assert plain is not None
    return inkling.Item.of(plain, answer)


# ---- Whom a question is asked ---------------------------------------------------------------------


@dataclass(frozen=True)
class _Asked:
    """The sketches that answer a question, by group, and the columns that their keys are of, if known."""

    spark: SparkSession
    sketches: inkling.Sketches
    columns: tuple[StructField, ...] = ()
    wanted: list[Any] = field(default_factory=list)
    """The keys that are asked for, where it is about some."""

    def __iter__(self) -> Iterator[tuple[inkling.Group, inkling.Sketch]]:
        for group in self.sketches:
            yield group, self.sketches[group]

    def table(self, answers: Iterable[tuple[inkling.Group, Any]], *, keys: bool) -> DataFrame:
        """Answers as a small DataFrame: with the keys of items, and with groups, if there are any."""
        listed = list(answers)
        groups = any(group is not inkling.WHOLE for group in self.sketches)
        key = self._key([item for _, item in listed]) if keys else None
        fields = [StructField("group", StringType())] if groups else []
        fields += [] if key is None else [StructField("key", key.type, False)]
        rows: list[tuple[Any, ...]] = []
        for group, answer in listed:
            first = [_text(group)] if groups else []
            first += [] if key is None else [key.value(answer)]
            numbers = (answer.estimate, answer.low, answer.high, answer.confidence)
            rows.append((*first, *map(float, numbers)))
        return self.spark.createDataFrame(rows, StructType(fields + _NUMBERS))

    def _key(self, items: list[inkling.Item]) -> _KeyColumn:
        """What the column of keys is: as it was in the DataFrame, or as the sketches know it."""
        if len(self.columns) > 1:
            parts = [_part(field.dataType) for field in self.columns]
            fields = [StructField(field.name, field.dataType) for field in self.columns]
            return _KeyColumn(
                StructType(fields), lambda item: tuple(part(text) for part, text in zip(parts, item.columns))
            )
        if self.columns:
            kind = self.columns[0].dataType
        elif self.sketches.key_type == "int":
            kind = LongType()
        else:
            kind = BinaryType() if any(isinstance(item.key, bytes) for item in items) else StringType()
        part = _part(kind)
        return _KeyColumn(kind, lambda item: part(item.key))


def _asked(
    question: Question,
    data: DataFrame | Askable,
    key: Key | Sequence[Key] | None,
    by: Key | None,
    options: dict[str, Any],
    default: dict[str, Any],
    wanted: list[Any] | None = None,
) -> _Asked:
    """Sketches to ask: those that there are, or new ones of a DataFrame."""
    if not isinstance(data, DataFrame):
        return _asked_sketches(question, data, {"key": key, "by": by, **options}, wanted or [])
    if options.pop("last", None) is not None:
        raise UsageError("last= for a DataFrame, expected sketches with time slots")
    if key is None:
        raise UsageError("no key, expected the column of a DataFrame, or several")
    columns = chosen_rows(data, key, None, None).df.schema.fields
    asked_for = [_as_in_columns(one, columns) for one in wanted or []]
    if wanted is not None:
        _check_wanted(asked_for, columns)
    built = build(data, key=key, by=by, **{**default, **options})
    return _Asked(data.sparkSession, inkling.union(built, question), tuple(columns), asked_for)


def _asked_sketches(
    question: Question, sketches: Askable, options: dict[str, Any], wanted: list[Any]
) -> _Asked:
    spark = active()
    file = held(spark, sketches, options.pop("secret", None))
    asks = {name: options.pop(name) for name in ("kind", "last") if name in options}
    for name, value in options.items():
        if value is not None:
            raise UsageError(f"{name}= is for a DataFrame, and these are sketches")
    return _Asked(spark, inkling.union(file, question, **asks), wanted=wanted)


def _check_wanted(wanted: list[Any], columns: list[StructField]) -> None:
    """Refuses keys that such columns cannot hold, before a job starts."""
    number = len(columns) == 1 and isinstance(columns[0].dataType, _AS_NUMBERS)
    sketch = inkling.Sketch("count-min", width=1, depth=1, key_type="int" if number else "bytes")
    sketch.count(wanted)


def _as_in_columns(key: Any, columns: list[StructField]) -> Any:
    """A key of Python's as such columns hold it: Spark's timestamps come to Python without their zone."""
    if len(columns) > 1:
        whole = isinstance(key, tuple) and len(key) == len(columns)
        return tuple(_as_in_columns(part, [one]) for part, one in zip(key, columns)) if whole else key
    kind = columns[0].dataType
    if isinstance(kind, TimestampType) and isinstance(key, datetime.datetime):
        return kind.toInternal(key)
    return key


# ---- Keys as they were ----------------------------------------------------------------------------

_AS_NUMBERS = (IntegralType, DateType, TimestampType, TimestampNTZType)
_EPOCH = datetime.datetime(1970, 1, 1)


@dataclass(frozen=True)
class _KeyColumn:
    """A column of keys: its type, and the value of it that an item has."""

    type: DataType
    value: Callable[[inkling.Item], Any]


def _part(kind: DataType) -> Callable[[Any], Any]:
    """How a key, or a part of one, becomes again what it was in a column of this type."""
    if isinstance(kind, DateType):
        return lambda key: _EPOCH.date() + datetime.timedelta(days=int(key))
    if isinstance(kind, (TimestampType, TimestampNTZType)):
        zone = None if isinstance(kind, TimestampNTZType) else datetime.timezone.utc
        return lambda key: _EPOCH.replace(tzinfo=zone) + datetime.timedelta(microseconds=int(key))
    if isinstance(kind, IntegralType):
        return int
    if isinstance(kind, BinaryType):
        return lambda key: key.encode() if isinstance(key, str) else key
    return _text


def _text(key: Any) -> str | None:
    """Text, also of bytes that are none, as those of a long key that was cut."""
    return key.decode(errors="replace") if isinstance(key, bytes) else key
