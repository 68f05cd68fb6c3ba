"""What Spark this is: what it can do, what it knows of a DataFrame, what its exceptions say, and its Java."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyspark.sql import functions

import inkling
from inkling.spark import _session
from inkling.spark._session import java_found, raising_task_errors, size_estimate, spark_can, task_error
from inkling.spark._ship import task

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCHEMA = "id long"


class Raising:
    """A task that fails with an exception: when it is called, or after its first batch."""

    def __init__(self, error: Exception, late: bool = False) -> None:
        self.error = error
        self.late = late

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        if not self.late:
            raise self.error
        return self.after_one(batches)

    def after_one(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield next(batches)
        raise self.error


# ---- Exceptions -----------------------------------------------------------------------------------

ERRORS = [
    inkling.UsageError("p 2, expected above 0 and below 1"),
    inkling.FormatError("found 3 fields, expected 4", location="line", at=7, path="a b\n{x}.csv"),
    inkling.FileError("error 2", os_error=2, path="nowhere.csv"),
    inkling.InklingError('quotes " and \\ and {"kind": "x"} and é'),
]


@pytest.mark.parametrize(("error", "late"), [*((error, False) for error in ERRORS), (ERRORS[1], True)])
def test_what_ends_a_task_comes_out_as_that_very_exception(
    spark: SparkSession, error: inkling.InklingError, late: bool
) -> None:
    failing = spark.range(3).mapInArrow(task(spark, Raising(error, late)), SCHEMA)
    with pytest.raises(inkling.InklingError) as caught, raising_task_errors():
        failing.collect()
    assert type(caught.value) is type(error)
    assert str(caught.value) == str(error)
    for name in ("message", "location", "at", "path", "os_error"):
        assert getattr(caught.value, name) == getattr(error, name), name
    assert "PythonException" in type(caught.value.__cause__).__name__


def test_it_comes_out_of_functions_on_columns_and_of_rdds_too(spark: SparkSession) -> None:
    def asked(ids: pa.Array) -> pa.Array:
        raise inkling.MismatchError("keys do not fit")

    def looked_at(rows: Iterator[Any]) -> None:
        raise inkling.MismatchError("rows do not fit")

    column = functions.arrow_udf(task(spark, asked), "long")(functions.col("id"))
    with pytest.raises(inkling.MismatchError, match="^keys do not fit$"), raising_task_errors():
        spark.range(3).select(column).collect()
    with pytest.raises(inkling.MismatchError, match="^rows do not fit$"), raising_task_errors():
        spark.range(3).rdd.foreachPartition(task(spark, looked_at))


def test_what_is_no_error_of_ours_stays_as_it_is(spark: SparkSession) -> None:
    failing = spark.range(3).mapInArrow(task(spark, Raising(KeyError("mine"))), SCHEMA)
    with pytest.raises(Exception, match="KeyError: 'mine'") as caught, raising_task_errors():
        failing.collect()
    assert not isinstance(caught.value, inkling.InklingError)
    other = ValueError("nothing of Spark")
    assert task_error(other) is other


def test_a_node_without_pyarrow_is_reported_in_one_line() -> None:
    said = "Traceback ...\nModuleNotFoundError: No module named 'pyarrow'\n"
    with pytest.raises(inkling.UnsupportedError) as caught, raising_task_errors():
        raise RuntimeError(said)
    assert str(caught.value) == "the Python of a node has no pyarrow, expected one with pyarrow and pandas"


# ---- What it can do -------------------------------------------------------------------------------


def test_this_spark_has_functions_of_arrow_arrays() -> None:
    assert spark_can().arrow_udf


def test_sizes_are_estimated_where_spark_knows_them(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    assert size_estimate(spark.range(1000)) == 8000
    lines = tmp_path / "lines.txt"
    lines.write_text("bee\n" * 5000)
    estimate = size_estimate(spark.read.text(str(lines)))
    assert estimate is not None and 10_000 <= estimate <= 100_000
    unknown = spark.sparkContext.parallelize([(1,), (2,)]).toDF("id int")
    assert size_estimate(unknown) is None
    assert _session.parallelism(spark) == 2


# ---- Java -----------------------------------------------------------------------------------------


def fake_java(folder: pathlib.Path, said: str) -> pathlib.Path:
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{said}' >&2\n")
    program.chmod(0o755)
    return program


def test_java_is_found_by_java_home_then_by_the_path(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = fake_java(tmp_path / "a", 'openjdk version "17.0.15" 2025-04-15')
    second = fake_java(tmp_path / "b", 'openjdk version "21" 2023-09-19')
    monkeypatch.setenv("PATH", f"{second.parent}:/bin")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "a"))
    assert java_found() == str(first)
    monkeypatch.delenv("JAVA_HOME")
    assert java_found() == str(second)


WANTED = "expected Java 17 or later: install openjdk-17-jre-headless, or set JAVA_HOME"


def java_refused(found: str) -> None:
    with pytest.raises(inkling.UnsupportedError) as caught:
        java_found()
    assert str(caught.value) == f"found {found}, {WANTED}"


def test_no_java_is_one_line_that_names_it(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    java_refused("no Java by the PATH")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    java_refused(f"no Java by JAVA_HOME={tmp_path}")


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ('java version "1.8.0_392"', "Java 8 by JAVA_HOME={home}"),
        ('openjdk version "11.0.2" 2019-01-15', "Java 11 by JAVA_HOME={home}"),
        ("hello", "{program}, which reports no version"),
    ],
)
def test_an_old_java_and_what_is_no_java_is_one_line(
    said: str, found: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = fake_java(tmp_path, said)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    java_refused(found.format(home=tmp_path, program=program))
