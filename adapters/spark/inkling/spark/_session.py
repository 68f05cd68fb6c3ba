"""What Spark this is: the session and what it can do, how big a DataFrame is, what an exception says."""

from __future__ import annotations

import contextlib
import errno
import functools
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import pyspark
import pyspark.sql.functions
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from inkling import FileError, InklingError, UnsupportedError, UsageError

from ._arrival import MARKER

# Above it an estimate is one of Spark's ways to say that it does not know: the largest long, or a share of
# it.
_KNOWN_BYTES = 1 << 50
_MARKED = re.compile(re.escape(MARKER) + r"(\{.*\})")
_MISSING = re.compile(r"No module named '(pyarrow|pandas)|PACKAGE_NOT_INSTALLED\] (PyArrow|Pandas)")

# ---- What it can do -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Abilities:
    """What the installed PySpark has."""

    arrow_udf: bool
    """Functions of Arrow arrays as columns: from 4.1 on."""


@functools.cache
def spark_can() -> Abilities:
    """What the installed PySpark can do, by what it has."""
    return Abilities(arrow_udf=hasattr(pyspark.sql.functions, "arrow_udf"))


def active() -> SparkSession:
    """The session that functions without a DataFrame work in: this thread's, or else the process's."""
    session = SparkSession.getActiveSession() or SparkSession._instantiatedSession
    if session is None:
        raise UsageError("no active Spark session, expected one: SparkSession.builder.getOrCreate()")
    return session


def parallelism(spark: SparkSession) -> int:
    """How many tasks run side by side, as far as Spark knows."""
    return max(1, spark.sparkContext.defaultParallelism)


def size_estimate(df: DataFrame) -> int | None:
    """Spark's guess of how many bytes a DataFrame has, None if it has none; no job runs for it."""
    try:
        size = int(str(df._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()))
    except PySparkException:  # such as a file that has gone: the read reports it
        return None
    return size if 0 <= size < _KNOWN_BYTES else None


# ---- What went wrong ------------------------------------------------------------------------------


def task_error(error: BaseException) -> BaseException:
    """The InklingError that ended a task, made anew from what Spark says about it; else `error` itself."""
    said = str(error)
    found = _MARKED.search(said)
    if found is not None:
        fields = json.loads(found[1])
        return _classes().get(fields.pop("kind"), InklingError)(**{**fields, "message": fields["message"]})
    missing = _MISSING.search(said)
    if missing is not None and not isinstance(error, ImportError):
        name = (missing[1] or missing[2]).lower()
        return UnsupportedError(f"the Python of a node has no {name}, expected one with pyarrow and pandas")
    return error


@contextlib.contextmanager
def raising_task_errors() -> Iterator[None]:
    """Around what starts a job: what ended a task comes out as itself, with Spark's exception as cause."""
    try:
        yield
    except Exception as error:
        found = task_error(error)
        if found is error:
            raise
        raise found from error


@contextlib.contextmanager
def errors_of_file(path: str, done: str) -> Iterator[None]:
    """Around calls of Hadoop's file systems: what Java says of a path that cannot be `done`, in one line."""
    try:
        yield
    except (Py4JJavaError, PySparkException) as error:
        said = error.java_exception.toString() if isinstance(error, Py4JJavaError) else error
        text = (str(said).splitlines() or [type(error).__name__])[0]
        raise FileError(f"cannot be {done}: {text}", path=path, os_error=errno.EIO) from error


def _classes() -> dict[str, type[InklingError]]:
    """Every kind of InklingError, by name."""
    found: dict[str, type[InklingError]] = {}
    waiting = [InklingError]
    while waiting:
        one = waiting.pop()
        found[one.__name__] = one
        waiting += one.__subclasses__()
    return found


# ---- Java -----------------------------------------------------------------------------------------


def java_found() -> str:
    """The program java that Spark will start; UnsupportedError if there is none, or one that is too old.

    Spark itself says only that a gateway has exited.
    """
    least = 17 if int(pyspark.__version__.split(".")[0]) >= 4 else 8
    home = os.environ.get("JAVA_HOME")
    path = os.path.join(home, "bin", "java") if home else shutil.which("java")
    where = f"JAVA_HOME={home}" if home else "the PATH"
    wanted = f"expected Java {least} or later: install openjdk-17-jre-headless, or set JAVA_HOME"
    if path is None or not os.access(path, os.X_OK):
        raise UnsupportedError(f"found no Java by {where}, {wanted}")
    done = subprocess.run([path, "-version"], capture_output=True, text=True, check=False)
    number = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    if number is None:
        raise UnsupportedError(f"found {path}, which reports no version, {wanted}")
    if int(number[1]) < least:
        raise UnsupportedError(f"found Java {number[1]} by {where}, {wanted}")
    return path
