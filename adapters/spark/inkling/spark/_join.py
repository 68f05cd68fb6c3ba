"""A join that drops what cannot match before it is shuffled: a filter of the small side's keys does that."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pyspark.sql import Column, DataFrame, functions
from pyspark.sql.types import (
    ByteType,
    IntegerType,
    LongType,
    ShortType,
    StructField,
    StructType,
)

import inkling
from inkling import MismatchError, NotFoundError, UnsupportedError, UsageError

from ._asking import might_contain
from ._build import arrow_schema, build

__all__ = ["bloom_join"]

# The joins that keep no row of the big side which has no match, by Spark's names for them ...
_FILTERED = {"inner", "leftsemi", "semi", "right", "rightouter"}
# ... and why others are not done.
_REFUSED = {
    "left": "it keeps every row of the big side",
    "leftouter": "it keeps every row of the big side",
    "full": "it keeps every row of both sides",
    "fullouter": "it keeps every row of both sides",
    "outer": "it keeps every row of both sides",
    "leftanti": "it keeps just the rows that the filter drops",
    "anti": "it keeps just the rows that the filter drops",
    "cross": "it compares no keys",
}


def bloom_join(
    big: DataFrame,
    small: DataFrame,
    on: str | Iterable[str],
    how: str = "inner",
    p: float = 0.01,
    **options: Any,
) -> DataFrame:
    """``big.join(small, on, how)``, row for row, of which fewer rows of `big` are shuffled.

    Most of those that match nothing are dropped where they are read. A bloom of the keys of `small` is built
    first, with the rate `p` of rows that are shuffled in vain, and `options` of ``build``. `on` is the name
    of a column of both sides, or several; `how` is "inner", "left_semi" or "right_outer", as others keep rows
    of `big` that match nothing. `small` is read twice: cache it if it is costly. One whose keys need not be
    the same twice, as those of a function that is not deterministic, is refused unless it is cached.

    >>> ink.bloom_join(visits, customers, on="id")                             # doctest: +SKIP
    """
    for name, given in {"big": big, "small": small}.items():
        if not isinstance(given, DataFrame):
            raise TypeError(f"{name} of type {type(given).__name__}, expected a DataFrame of Spark")
    _check_way(how)
    if "kind" in options:
        raise UsageError("a kind, expected none: a join is filtered by a bloom")
    names = [on] if isinstance(on, (str, Column)) else list(on)
    _check_names(names)
    sides = [_fields(big, names, "big"), _fields(small, names, "small")]
    for name, one, other in zip(names, *sides):
        _check_pair(name, one, other)
    for side in sides:
        _check_keys(side)
    columns = [functions.col(_quoted(name)) for name in names]
    _check_same_twice(small.select(*columns))
    filters = build(small, "bloom", key=columns, p=p, **options)
    return big.where(might_contain(filters, *columns)).join(small, names, how)


def _check_way(how: object) -> None:
    kind = how.lower().replace("_", "") if isinstance(how, str) else None
    if kind in _FILTERED:
        return
    why = "" if kind not in _REFUSED else f": {_REFUSED[kind]}, so none can be dropped before"
    raise UsageError(f"how {how!r}{why}, expected inner, left_semi or right_outer")


def _check_names(names: list[Any]) -> None:
    if not names:
        raise UsageError("on names no column, expected at least one")
    for name in names:
        if not isinstance(name, str):
            expected = "expected the name of a column of both sides, or several"
            raise TypeError(f"on of type {type(name).__name__}, {expected}")


def _quoted(name: str) -> str:
    """A name as Spark takes it, with any characters."""
    return f"`{name.replace('`', '``')}`"


def _fields(side: DataFrame, names: list[str], size: str) -> list[StructField]:
    """The columns of these names, as Spark finds them."""
    for name in names:
        if name.lower() not in map(str.lower, side.columns):
            there = f"in the {size} side, expected one of {', '.join(side.columns)}"
            raise NotFoundError(f'no column "{name}" {there}')
    return list(side.select(*map(_quoted, names)).schema.fields)


def _check_same_twice(keys: DataFrame) -> None:
    """Refuses keys that may be others when they are read again, for the join."""
    plan = keys._jdf.queryExecution().optimizedPlan()  # of which what is cached is a part
    if not plan.deterministic():
        raise UsageError(
            "the keys of the small side need not be the same twice, expected it cached: small.cache()"
        )


# ---- Keys that are equal where the join's are -----------------------------------------------------


def _check_keys(fields: list[StructField]) -> None:
    """Refuses columns that cannot be keys, in the library's words."""
    schema = arrow_schema(StructType([StructField(field.name, field.dataType) for field in fields]))
    inkling.Sketch("bloom", n=1).query(schema.empty_table(), key=[field.name for field in fields])


def _check_pair(name: str, one: StructField, other: StructField) -> None:
    """Refuses columns that Spark compares in another way than by their keys."""
    for field in (one, other):
        collation = getattr(field.dataType, "collation", _BYTES)
        if collation != _BYTES:
            expected = f"expected {_BYTES}: keys are bytes"
            raise UnsupportedError(f'column "{name}" is compared by {collation}, {expected}')
    if _sort(one) != _sort(other):
        types = f"{_field_text(one)} in the big side and {_field_text(other)} in the small one"
        raise MismatchError(f'column "{name}" is {types}, expected one type: cast one of them')


_BYTES = "UTF8_BINARY"
_WHOLE_NUMBERS = (ByteType, ShortType, IntegerType, LongType)
# Where Spark keeps that a string is padded; two that are padded to different lengths are compared without.
_PADDED = "__CHAR_VARCHAR_TYPE_STRING"


def _field_text(field: StructField) -> str:
    declared: str = field.metadata.get(_PADDED, "")
    return declared if declared.startswith("char") else str(field.dataType.simpleString())


def _sort(field: StructField) -> str:
    """What must be the same on both sides."""
    return "a whole number" if isinstance(field.dataType, _WHOLE_NUMBERS) else _field_text(field)
