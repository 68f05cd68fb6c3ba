"""Questions to sketches for every row, as columns: whether a key may be in, and how often it was seen.

A task gets the name of a file that its node has, and its rows as Arrow arrays; C answers a whole batch at a
time. One filter is asked by ``ink_contains`` of SQL where the session has it: no row leaves the JVM.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow
from pyarrow import compute
from pyspark.sql import Column, SparkSession, functions

import inkling
from inkling import UsageError
from inkling.options import Rounding

from ._nodes import Askable, OnNodes, held
from ._nodes import send as send_file
from ._session import active, spark_can
from ._ship import task
from ._sql import contains_column, has_functions

__all__ = ["count", "frequency_column", "membership_column", "might_contain"]

#: The most bytes of a sketch that is broadcast; larger ones are files that every node maps.
VALUE_BYTES = 64 << 20

#: A column: its name, or an expression.
Key: TypeAlias = str | Column


def might_contain(
    sketches: Askable,
    *key: Key,
    by: Key | None = None,
    round: Rounding | None = None,
    kind: str | None = None,
    last: int | None = None,
    secret: bytes | None = None,
) -> Column:
    """A column that says whether a key may be in the set: false is certain, true a maybe at the promised
    rate.

    `sketches` are what ``build`` gave, Sketches, a Sketch, or the path of a file of them. `key` is a column,
    by its name or as an expression, or several that make a tuple. A key may be in any group; `by`, a column,
    asks each row's own group alone, and `round` ("half-even", "half-up", "half-away") rounds it as ``build`` did. A null
    is in no sketch. Of groups with time slots `last` is how many of the newest to ask; `kind` chooses where
    there are several kinds of filters.

    >>> df.where(ink.might_contain(filters, "tconst"))                         # doctest: +SKIP
    >>> df.where(~ink.might_contain("ratings.ink", "tconst", by="rating"))     # doctest: +SKIP
    """
    spark = active()
    asked = held(spark, sketches, secret)
    return membership_column(spark, asked, key, by=by, round=round, kind=kind, last=last)


def count(
    sketches: Askable,
    *key: Key,
    by: Key | None = None,
    kind: str | None = None,
    last: int | None = None,
    secret: bytes | None = None,
) -> Column:
    """A column that says how often a key was seen: a struct of `estimate`, `low` and `high`.

    Arguments are as in ``might_contain``, for kinds that count (count-min, top). Of sketches with groups a
    key is counted in all of them together, or with `by` in the row's own. A null was never seen.

    >>> df.withColumn("seen", ink.count(counts, "word").estimate)              # doctest: +SKIP
    """
    spark = active()
    asked = held(spark, sketches, secret)
    return frequency_column(spark, asked, key, by=by, kind=kind, last=last)


#: How sketches get to all nodes.
Sending: TypeAlias = Callable[[SparkSession, inkling.Sketches], OnNodes]


def membership_column(
    spark: SparkSession,
    asked: inkling.Sketches,
    key: Iterable[Key],
    *,
    by: Key | None = None,
    round: Rounding | None = None,
    kind: str | None = None,
    last: int | None = None,
    send: Sending | None = None,
) -> Column:
    """What ``might_contain`` gives; with `send` for sketches that it brings to the nodes."""
    keys = columns_of(key)
    if not asked:  # as of a DataFrame without rows: no group, and nothing in any
        return functions.lit(False)
    # Which refuses what cannot be asked.
    asked.query([], by=None if by is None else [], kind=kind, last=last, round=round)
    if send is None and by is None and last is None and _is_value(asked) and has_functions(spark):
        return _contains(spark, keys, asked)
    sent = (send or send_file)(spark, asked)
    question = Membership(sent, names_of(keys, by), by is not None, round, kind, last)
    return _ask(spark, question, keys, by, "boolean")


def _is_value(asked: inkling.Sketches) -> bool:
    """Whether it is one sketch that SQL can ask, and small enough to be broadcast."""
    entry, *others = asked.entries()
    one = not others and entry.group is inkling.WHOLE and entry.slot is None
    return one and asked.secret is None and entry.sketch.info.bytes <= VALUE_BYTES


def _contains(spark: SparkSession, keys: Sequence[Key], asked: inkling.Sketches) -> Column:
    """The answer of SQL, inside the JVM; a null is in no sketch. Joined by AND, so that a filter has conditions that Spark, and our
    operator of whole columns, know."""
    columns = [functions.col(column) if isinstance(column, str) else column for column in keys]
    key = columns[0] if len(columns) == 1 else functions.call_function("ink_tuple", *columns)
    found = contains_column(spark, key, asked)
    for column in columns:
        found = found & column.isNotNull()
    return found.alias(f"{might_contain.__name__}({', '.join(names_of(keys, None))})")


def frequency_column(
    spark: SparkSession,
    asked: inkling.Sketches,
    key: Iterable[Key],
    *,
    by: Key | None = None,
    kind: str | None = None,
    last: int | None = None,
    send: Sending = send_file,
) -> Column:
    """What ``count`` gives, for sketches that `send` brings to the nodes."""
    keys = columns_of(key)
    union = inkling.union(asked, "count", kind=kind, last=last)
    groups = [group for group in union if group is not inkling.WHOLE]
    if by is not None and union and not groups:
        raise UsageError("by= for sketches without groups, expected none", path=asked.path)
    if by is None and groups:
        union = _all_together(union)
    question = Frequency(send(spark, union), names_of(keys, by), by is not None)
    return _ask(spark, question, keys, by, "struct<estimate: double, low: double, high: double>")


def _all_together(union: inkling.Sketches) -> inkling.Sketches:
    """One sketch of what is in all groups."""
    first, *others = union
    total = union[first].copy()
    for group in others:
        total.merge(union[group])
    return inkling.Sketches.from_bytes(total.to_bytes(), secret=union.secret)


# ---- Columns --------------------------------------------------------------------------------------


def columns_of(key: Iterable[Any]) -> list[Key]:
    """The columns of a key, one by one or in a list."""
    given: list[Any] = list(key)
    if len(given) == 1 and isinstance(given[0], (list, tuple)):
        given = list(given[0])
    if not given:
        raise UsageError("no key, expected the name of a column, or several")
    for column in given:
        if not isinstance(column, (str, Column)):
            given_type = type(column).__name__
            raise TypeError(f"key of type {given_type}, expected the name of a column, or a Column")
    return given


def names_of(keys: Sequence[Key], by: Key | None) -> tuple[str, ...]:
    """What errors call the columns; no two are called alike."""
    names: list[str] = []
    for column in [*keys, *([] if by is None else [by])]:
        java: Any = None if isinstance(column, str) else column._jc
        name = column if isinstance(column, str) else str(java.toString())
        names.append(name if name not in names else f"{name} ({len(names) + 1})")
    return tuple(names)


def _ask(
    spark: SparkSession, question: Membership | Frequency, keys: list[Key], by: Key | None, answer: str
) -> Column:
    """The answers to a question for every row, as a column of this type."""
    given = [*keys, *([] if by is None else [by])]
    columns = [functions.col(column) if isinstance(column, str) else column for column in given]
    make: Any
    if spark_can().arrow_udf:
        from pyspark.sql.pandas.functions import arrow_udf as make

        function = make(task(spark, question), answer)
    else:
        from pyspark.sql.pandas.functions import pandas_udf as make

        function = make(task(spark, _in_pandas(question, answer)), answer)
        # pandas has no integers that may be null: each value comes in an array, which is empty for a null.
        columns = [functions.array_compact(functions.array(column)) for column in columns]
    asked: Column = function(*columns)
    return asked


def _in_pandas(question: Membership | Frequency, answer: str) -> Callable[..., Any]:
    """The question to a row of values in arrays, for Spark before 4.1, which has them in pandas."""
    import pandas

    def ask(*columns):  # type: ignore[no-untyped-def]
        answers = question(*map(_unwrapped, columns))
        if isinstance(answers, pyarrow.StructArray):
            return pyarrow.RecordBatch.from_struct_array(answers).to_pandas()
        return answers.to_pandas()

    result = pandas.DataFrame if answer.startswith("struct") else pandas.Series
    ask.__name__ = question.__name__
    ask.__annotations__ = {"columns": pandas.Series, "return": result}
    return ask


def _unwrapped(column: Any) -> pyarrow.Array:
    """The values of a column of arrays that have one, or none where it is null."""
    import numpy

    full = numpy.fromiter((len(cell) for cell in column), dtype=bool, count=len(column))
    if not full.any():
        return pyarrow.nulls(len(column))
    values = pyarrow.array(numpy.concatenate(column[full].to_list()))
    positions = numpy.cumsum(full) - 1
    return values.take(pyarrow.array(positions, mask=~full))


# ---- On a node ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Membership:
    """Whether keys may be in: what a task must know to answer it for its rows."""

    __name__ = "might_contain"  # and that of the column

    sent: OnNodes
    names: tuple[str, ...]
    by: bool
    round: Rounding | None
    kind: str | None
    last: int | None

    def __call__(self, *columns: pyarrow.Array) -> pyarrow.Array:
        rows = pyarrow.RecordBatch.from_arrays(list(columns), names=list(self.names))
        keys, by = (self.names[:-1], self.names[-1]) if self.by else (self.names, None)
        asked = self.sent.sketches()
        found = asked.query(rows, key=keys, by=by, kind=self.kind, last=self.last, round=self.round)
        return pyarrow.array(found, pyarrow.bool_())


@dataclass(frozen=True)
class Frequency:
    """How often keys were seen: what a task must know to answer it for its rows."""

    __name__ = "count"

    sent: OnNodes
    names: tuple[str, ...]
    by: bool

    def __call__(self, *columns: pyarrow.Array) -> pyarrow.Array:
        file = self.sent.sketches()
        keys = columns[:-1] if self.by else columns
        rows = pyarrow.RecordBatch.from_arrays(list(keys), names=list(self.names[: len(keys)]))
        if not self.by:
            return _counted(file.get(inkling.WHOLE), rows)
        return _counted_by_group(file, rows, columns[-1])


def _counted(sketch: inkling.Sketch | None, rows: pyarrow.RecordBatch) -> pyarrow.StructArray:
    """How often the keys of rows were seen; never, if there is no sketch."""
    names = ["estimate", "low", "high"]
    if sketch is None:
        fields = [pyarrow.array([0.0] * rows.num_rows, pyarrow.float64())] * len(names)
    else:
        found = sketch.count(rows, key=rows.schema.names)
        if isinstance(found, list):
            found = {name: [getattr(answer, name) for answer in found] for name in names}
        fields = [pyarrow.array(found[name], pyarrow.float64()) for name in names]
    return pyarrow.StructArray.from_arrays(fields, names)


def _counted_by_group(
    file: inkling.Sketches, rows: pyarrow.RecordBatch, by: pyarrow.Array
) -> pyarrow.StructArray:
    """How often the key of each row was seen in its group: rows are sorted by group, asked, and put back."""
    encoded = by.dictionary_encode(null_encoding="encode")
    order = compute.sort_indices(encoded.indices)
    runs = compute.run_end_encode(encoded.indices.take(order))
    sorted_rows, start, parts = rows.take(order), 0, []
    for number, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist()):
        sketch = file.get(_group(encoded.dictionary[number]))
        parts.append(_counted(sketch, sorted_rows.slice(start, end - start)))
        start = end
    if not parts:
        return _counted(None, rows)
    return pyarrow.concat_arrays(parts).take(compute.sort_indices(order))


def _group(value: pyarrow.Scalar) -> Any:
    """A group as sketches know it: a float in the digits of its own width."""
    if value.is_valid and pyarrow.types.is_float32(value.type):
        return float(value.cast(pyarrow.string()).as_py())
    return value.as_py()
