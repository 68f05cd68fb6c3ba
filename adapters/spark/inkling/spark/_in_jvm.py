"""Builds by the SQL functions of the jar, where a session has them: no row leaves the JVM.

Aggregates give one value for each sketch. So this is for sketches that are small enough for values, of kinds, types and
options that SQL has; all others are built in pieces (``_exchange``), with the same digests, and so is what
fails here: the error is then the one that it always was.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, functions
from pyspark.sql.types import (
    BinaryType,
    DateType,
    IntegralType,
    StringType,
    TimestampNTZType,
    TimestampType,
)

import inkling
from inkling import Sketch
from inkling.pieces import Job

from ._results import SparkReport, SparkSketches
from ._session import raising_task_errors, size_estimate
from ._sql import has_functions

__all__ = ["build_in_jvm"]

#: The most bytes of all sketches that come as values.
VALUES_BYTES = 64 << 20

#: The most bytes of data of which filters are sized: their aggregates keep 8 bytes and more for each key.
DATA_BYTES = 256 << 20

#: The most groups that come as rows.
GROUPS = 10_000

_FILTER = ("n", "p", "bits", "hashes", "headroom")
#: Kinds, and the options that their aggregates take besides those of the hash.
_KINDS: dict[str, tuple[str, ...]] = {
    "bloom": _FILTER,
    "classic": _FILTER,
    "counting": _FILTER,
    "fuse": ("p",),
    "hll": ("precision",),
    "theta": ("precision",),
    "count-min": ("eps", "delta", "width", "depth", "counters"),
}
_HASH = ("hash", "seed")
_EXTENSION = "inkling.spark.Extensions"
_KEYS = (StringType, BinaryType, IntegralType, DateType, TimestampType, TimestampNTZType)
_GROUPS = (StringType, BinaryType, IntegralType)


def build_in_jvm(df: DataFrame, names: Mapping[str, Any], job: Job, given: Mapping[str, Any]) -> SparkSketches | None:
    """Builds the sketches of a job; None if that is to be done in pieces.

    `names` are what the columns of `df` are called, and `given` the options that a user gave."""
    if not has_functions(df.sparkSession) or not _can(df, names, job, given):
        return None
    groups = _most_groups(df, job, given)
    if groups == 0:
        return None
    try:
        with raising_task_errors():
            return _built(df, names, job, groups)
    except (PySparkException, Py4JJavaError) as error:
        if "ink_" not in str(error):
            raise
        return None


# ---- What can be done -----------------------------------------------------------------------------


def _can(df: DataFrame, names: Mapping[str, Any], job: Job, given: Mapping[str, Any]) -> bool:
    """Whether SQL has what a job asks for."""
    kinds = set(job.kinds)
    known = {"weight", "p", *_HASH, *(name for kind in kinds for name in _KINDS.get(kind, ()))}
    asked = {name for name, value in given.items() if value is not None and value is not False}
    if kinds - _KINDS.keys() or asked - known:
        return False
    if "weight" in names and kinds != {"count-min"}:
        return False
    if str(given.get("hash", "")).startswith("mmh3"):  # which needs the keys themselves
        return False
    types = {field.name: field.dataType for field in df.schema.fields}
    if not all(isinstance(types[name], _KEYS) for name in _keys(names)):
        return False
    return "by" not in names or isinstance(types[names["by"]], _GROUPS)


def _most_groups(df: DataFrame, job: Job, given: Mapping[str, Any]) -> int:
    """How many groups may have sketches that are values, as far as their size is known before; 0 if not even one."""
    planned = given.get("n") is not None or given.get("bits") is not None
    size = 0  # of the sketches of a group
    for kind in job.kinds:
        found = inkling.kind_info(kind)
        if found.made_whole or (found.sized_by_keys and not planned):
            data = size_estimate(df)
            if data is None or data > DATA_BYTES:
                return 0
        else:
            sizes: Any = {name: given[name] for name in _KINDS[kind] if given.get(name) is not None and name != "headroom"}
            info = inkling.plan(kind, **sizes)
            size += info.bytes_max or info.bytes
    return min(GROUPS, VALUES_BYTES // max(1, size))


def _keys(names: Mapping[str, Any]) -> list[str]:
    key = names["key"]
    return [key] if isinstance(key, str) else list(key)


# ---- The build ------------------------------------------------------------------------------------


def _built(df: DataFrame, names: Mapping[str, Any], job: Job, most: int) -> SparkSketches | None:
    groups = [_column(names["by"])] if "by" in names else []
    aggregates = _aggregates(names, job)
    counts = _counts(df, names)
    counted_apart = bool(counts) and "weight" not in names and _has_whole_columns(df)
    if counted_apart:
        counts = []
    made = df.groupBy(*groups).agg(*aggregates, *counts)
    rows = made.limit(most + 1).collect()
    if len(rows) > most:
        return None
    entries: list[tuple[Any, None, Sketch]] = []
    records = nulls = largest = 0
    for row in rows:
        group = _group(row[0]) if groups else inkling.WHOLE
        values = [value for value in row[len(groups) : len(groups) + len(aggregates)] if value is not None]
        sketches = [Sketch.from_bytes(bytes(value)) for value in values]
        largest = max([largest, *map(len, values)])
        entries += [(group, None, sketch) for sketch in sketches]
        if counts:
            records, nulls = records + row[-2] - row[-1], nulls + row[-1]
        elif sketches:
            records += sketches[0].records
    if counted_apart:
        nulls = df.count() - records
    # An empty sketch of nothing, and a filter above its promise, are what pieces give, and refuse.
    if not (entries or groups) or any(sketch.overfull for _, _, sketch in entries):
        return None
    held = io.BytesIO()
    inkling.save(held, entries)
    file = SparkSketches.from_bytes(held.getvalue())
    file.built = SparkReport(records=records, bad=0, nulls=nulls, pieces=len(entries), largest_piece=largest)
    return file


def _column(name: str) -> Column:
    return functions.col(f"`{name.replace('`', '``')}`")


def _group(value: Any) -> Any:
    return bytes(value) if isinstance(value, bytearray) else value


def _aggregates(names: Mapping[str, Any], job: Job) -> list[Column]:
    """The call for each kind."""
    keys = [_column(name) for name in _keys(names)]
    key = keys[0] if len(keys) == 1 else functions.call_function("ink_tuple", *keys)
    weight = [_column(names["weight"])] if "weight" in names else []
    calls = []
    for kind in job.kinds:
        taken = [name for name in (*_KINDS[kind], *_HASH) if job.options.get(name) is not None]
        options = functions.lit(", ".join(f"{name}={_number(job.options[name])}" for name in taken))
        calls.append(functions.call_function(f"ink_{kind.replace('-', '_')}", key, *weight, options))
    return calls


def _number(value: Any) -> str:
    """As options of SQL have it: a whole number in digits alone."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _counts(df: DataFrame, names: Mapping[str, Any]) -> list[Column]:
    """All rows, and those that are left out; none where sketches know it: they have whole columns then."""
    needed = [*_keys(names), *([names["weight"]] if "weight" in names else [])]
    nullable = any(df.schema[name].nullable for name in needed)
    if not nullable and "weight" not in names:
        return []
    lacks = functions.lit(False)
    for name in needed:
        lacks = lacks | _column(name).isNull()
    return [functions.count(functions.lit(1)), functions.count(functions.when(lacks, 1))]


def _has_whole_columns(df: DataFrame) -> bool:
    """Whether the operator takes columns as they are stored, unless Spark counts in the same query: rows are then counted in one of
    its own, which reads no column."""
    if _EXTENSION not in (df.sparkSession.conf.get("spark.sql.extensions", "") or ""):
        return False
    plan = str(df._jdf.queryExecution().executedPlan().toString())
    nodes = re.findall(r"^[\s+-]*(?:\*\(\d+\) )?(\w+)", plan, re.MULTILINE)
    return nodes[-2:] == ["ColumnarToRow", "FileScan"] and set(nodes[:-2]) <= {"Project"}
