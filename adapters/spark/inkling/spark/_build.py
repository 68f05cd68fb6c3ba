"""Building from DataFrames: partial sketches in every partition, merged into one file on the driver."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import pyarrow
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from inkling import Kind, UsageError
from inkling.options import Path, ResourceOptions, Rounding, SketchOptions, spelled_out
from inkling.pieces import Assembly, Job

from ._exchange import MapRows, Source, Tally, Traffic, finished_pieces
from ._frames import FrameSource, Map
from ._in_jvm import build_in_jvm
from ._results import SparkReport, SparkSketches
from ._ship import attach, context_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Column", "build", "build_from"]

#: A column: its name, its number from 1, or an expression.
Column: TypeAlias = str | int | SparkColumn


class RowOptions(ResourceOptions, SketchOptions, total=False):
    """The options of ``inkling.build`` that are for rows of tables, and how large what is sent may be."""

    key_type: Literal["bytes", "int"] | None
    round: Rounding | None
    weight: Column | None
    nulls: Literal["skip", "refuse"]
    piece_bytes: int | None
    slice_bytes: int | None


@spelled_out(RowOptions)
def build(
    df: DataFrame,
    kind: Kind | str | Iterable[Kind | str] = "bloom",
    *,
    key: Column | Sequence[Column],
    by: Column | None = None,
    **options: Unpack[RowOptions],
) -> SparkSketches:
    """Makes sketches of the keys of all rows, or with `by` of each group, as ``inkling.build`` would.

    `key` is a column, or several for a tuple. Filters are as large as their different keys need, unless `n`
    is how many to plan for; the options of sizes, and `round`, `weight`, `nulls`, are those of
    ``inkling.build``. A sketch without a group is ``.sketch()`` of the result.

    Partial sketches travel as pieces of at most `piece_bytes` (16 MiB); a sketch of more than `slice_bytes`
    (64 MiB) is cut into parts, and never held whole anywhere but on a disk. `memory` ("256M") is what a task
    may take. In a session with the SQL functions (``register``) they make small sketches, without pieces.

    >>> filters = ink.build(df, key="tconst", by="rating", p=0.01)        # doctest: +SKIP
    >>> filters.save("ratings.ink")                                       # doctest: +SKIP
    """
    _refuse_data(df)
    given: Any = dict(options)
    traffic = Traffic(given.pop("piece_bytes", None), given.pop("slice_bytes", None))
    rows = chosen_rows(df, key, by, given.pop("weight", None))
    job = Job(kind, **rows.names, threads=given.pop("threads", None) or 1, **given)
    planned = job.for_rows(rows.schema)
    made = build_in_jvm(rows.df, rows.names, job, options)
    return made if made is not None else build_from(df.sparkSession, rows, planned, traffic)


def _refuse_data(df: object) -> None:
    """Refuses what is no DataFrame of Spark, or one that never ends."""
    if not isinstance(df, DataFrame):
        text = f"df of type {type(df).__name__}, expected a DataFrame of Spark"
        raise TypeError(f"{text} (files: build_files; other tables: inkling.build)")
    context_of(df.sparkSession)
    if df.isStreaming:
        text = "a DataFrame that is a stream, expected one that ends"
        raise UsageError(f"{text} (streams: inkling.spark.stream)")


# ---- Columns --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rows(FrameSource):
    """The columns of a DataFrame that a build needs."""

    names: dict[str, Any]
    """What they are called, as options of a Job."""

    @property
    def schema(self) -> pyarrow.Schema:
        """Their types, as Spark hands them over."""
        return arrow_schema(self.df.schema)

    def function(self, job: Job, count: bool, limit: int | None) -> Map:
        return MapRows(job, count, limit)

    def nothing(self) -> Any:
        """Data of the same kind without a row."""
        return self.schema.empty_table()


def chosen_rows(df: DataFrame, key: object, by: object, weight: object) -> Rows:
    """The columns that are wanted, under the names that they were asked for by.

    One that is not there is left to the library, which names those that are."""
    several = isinstance(key, Iterable) and not isinstance(key, (str, bytes, SparkColumn))
    keys = list(key) if several else [key]  # type: ignore[call-overload]
    chosen: dict[str, SparkColumn] = {}
    names = [_choose(df, chosen, "key", one) for one in keys]
    found: dict[str, Any] = {"key": names[0] if len(names) == 1 else names}
    for option, column in (("by", by), ("weight", weight)):
        if column is not None:
            found[option] = _choose(df, chosen, option, column)
    return Rows(df.select(*chosen.values()), found)


def _choose(df: DataFrame, chosen: dict[str, SparkColumn], option: str, column: object) -> str:
    """Notes a column as one that is wanted; returns what it is called from now on."""
    if isinstance(column, SparkColumn):
        name = f"{option} {len(chosen) + 1}"
        chosen[name] = column.alias(name)
        return name
    named = column_named(df, option, column)
    # Spark itself looks columns up by name, and takes a dot for a field of a struct.
    name = f"{option} {len(chosen) + 1}" if set(named) & set(".`") else named
    chosen[name] = df[f"`{named.replace('`', '``')}`"].alias(name)
    return name


def column_named(df: DataFrame, option: str, column: object) -> str:
    """The name of a column that is there, by its name or its number from 1."""
    names = df.columns
    if isinstance(column, str):
        found = [name for name in names if name == column]
        if not found and df.sparkSession.conf.get("spark.sql.caseSensitive") != "true":
            found = [name for name in names if name.lower() == column.lower()]
        if len(found) == 1:
            return found[0]
        if len(found) > 1:
            raise UsageError(f'{len(found)} columns "{column}", expected one: rename the others')
    elif isinstance(column, bool) or not hasattr(type(column), "__index__"):
        text = f"{option} of type {type(column).__name__}"
        raise TypeError(f"{text}, expected the name or number of a column, or a column")
    number = str(column) if isinstance(column, str) else str(operator.index(column))  # type: ignore[arg-type]
    if number.isascii() and number.isdigit() and 1 <= int(number) <= len(names):
        return column_named(df, option, names[int(number) - 1])
    text = ", ".join(f'"{name}"' for name in names) or "no columns at all"
    raise UsageError(f'no column "{number}", expected one of {text}')


def arrow_schema(schema: StructType) -> pyarrow.Schema:
    """The types of columns, as Spark hands them over; one that it cannot hand over is refused by name."""
    takes_zone = "timezone" in inspect.signature(to_arrow_schema).parameters
    zoned: dict[str, Any] = {"timezone": "UTC"} if takes_zone else {}
    try:
        made: pyarrow.Schema = to_arrow_schema(schema, **zoned)
    except Exception as error:
        text = ", ".join(f'"{field.name}" ({field.dataType.simpleString()})' for field in schema)
        raise UsageError(f"columns {text}: {error}") from error
    return made


# ---- The build ------------------------------------------------------------------------------------


def build_from(
    spark: SparkSession,
    source: Source,
    job: Job,
    traffic: Traffic,
    inputs: Iterable[Path] = (),
    *,
    part: bool = False,
) -> SparkSketches:
    """Builds from any source; `inputs` are the files, if any, that the input spec is about; `part` as in
    Assembly."""
    attach(spark)
    tally = Tally()
    finished = 0
    with Assembly(part=part) as assembly:
        for piece, counted in finished_pieces(spark, source, job, traffic):
            tally += counted
            if piece is not None:
                assembly.add(piece)
                finished += 1
        if finished == 0:
            for piece in _of_nothing(source, job):
                assembly.add(piece)
        report = SparkReport(
            records=tally.records,
            bad=tally.bad,
            nulls=tally.nulls,
            pieces=tally.pieces,
            largest_piece=tally.largest,
        )
        return assembly.open(job, inputs, built=report, result=SparkSketches)


def _of_nothing(source: Source, job: Job) -> list[bytes]:
    """The finished pieces of a build without records: without groups, an empty sketch."""
    with job.reducer() as reducer:
        for _, piece in job.map(source.nothing()):
            reducer.add(piece)
        return [piece for _, piece in reducer.finish()]
