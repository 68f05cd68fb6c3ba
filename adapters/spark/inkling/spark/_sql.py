"""The SQL functions of the jar, in a session that runs already: where the jar is, registering, columns that ask one sketch.

All of it is done by one class of the jar, ``inkling.spark.Functions``, which py4j calls.
"""

from __future__ import annotations

import importlib.resources
import os
import pathlib
import tempfile
from typing import Any

import pyspark
from py4j.protocol import Py4JJavaError
from pyspark.sql import Column, SparkSession, functions

from inkling import Sketches, UnsupportedError, UsageError, library

from ._nodes import Askable, held
from ._session import active
from ._ship import context_of

__all__ = ["contains", "contains_column", "has_functions", "jar", "register"]

_ENTRY = "inkling.spark.Functions"


def jar() -> str:
    """The path of the jar with the SQL functions for the PySpark that is installed.

    It is in the package, or in the folder of the build that the library is from. Spark takes it at its start:

    >>> builder.config("spark.jars", ink.jar())                           # doctest: +SKIP
    >>> builder.config("spark.driver.extraClassPath", ink.jar())          # doctest: +SKIP
    >>> builder.config("spark.sql.extensions", "inkling.spark.Extensions")    # doctest: +SKIP
    """
    name = "inkling-spark-4.jar" if int(pyspark.__version__.split(".")[0]) >= 4 else "inkling-spark-3.5.jar"
    package = pathlib.Path(str(importlib.resources.files("inkling")))
    places = [package / "jars" / name, pathlib.Path(library.path()).resolve().parent / "jvm" / name]
    for place in places:
        if place.is_file():
            return str(place)
    text = " or ".join(str(place) for place in places)
    raise UnsupportedError(f"found no {text}, expected the jar of the SQL functions: make spark-jars")


def register(spark: SparkSession) -> None:
    """Registers the SQL functions (``ink_hll``, ``ink_contains`` ...) in a session that runs already.

    The jar goes to the nodes with the jobs of this Spark. Whole columns are handed to C only if Spark was
    started with the jar, as ``jar`` shows; the results are the same.

    >>> ink.register(spark)                                                # doctest: +SKIP
    >>> spark.sql("SELECT day, ink_hll(visitor) FROM visits GROUP BY day") # doctest: +SKIP
    """
    entry(spark)


def contains(column: Column | str, sketch: Askable) -> Column:
    """A column that says whether a key may be in one sketch, asked inside the JVM: ``ink_contains`` of SQL.

    `sketch` is what ``build`` gave without groups, a Sketch, or the path of a file of one. It is broadcast,
    and opened once by each task. A null key gives null.

    >>> df.where(ink.contains("tconst", "titles.ink"))                     # doctest: +SKIP
    """
    spark = active()
    asked = held(spark, sketch)
    if asked.secret is not None:
        raise UnsupportedError("a sketch with a secret, expected one without: SQL has none (might_contain takes it)")
    if len(asked) != 1:
        raise UsageError(f"{len(asked)} sketches, expected one (might_contain asks groups)", path=asked.path)
    return contains_column(spark, functions.col(column) if isinstance(column, str) else column, asked)


def contains_column(spark: SparkSession, key: Any, asked: Sketches) -> Column:
    """Whether a key may be in the only sketch of these, which is broadcast."""
    with tempfile.TemporaryDirectory(prefix="inkling-") as folder:
        path = os.path.join(folder, "sketch.ink")
        asked.save(path)
        return Column(entry(spark).contains(spark._jsparkSession, key._jc, path))


def has_functions(spark: SparkSession) -> bool:
    """Whether a session has the functions: by the extension, or since ``register``."""
    session: Any = spark._jsparkSession
    return bool(session.catalog().functionExists("ink_contains"))


def entry(spark: SparkSession) -> Any:
    """The class of the jar, its functions registered; the jar is added to this Spark if it is not there yet."""
    context: Any = context_of(spark)
    session: Any = spark._jsparkSession
    try:
        found = context._jvm.java.lang.ClassLoader.getSystemClassLoader().loadClass(_ENTRY)
    except Py4JJavaError:
        # An earlier Spark of this process may have left the class, but its nodes have gone.
        if "/inkling-spark-" not in str(context._jsc.sc().listJars().toString()):
            # What ADD JAR does; a query would make the analyzer, which then takes no check of streams.
            session.sessionState().resourceLoader().addJar(jar())
        found = session.sharedState().jarClassLoader().loadClass(_ENTRY)
    made = found.newInstance()
    try:
        made.register(session)
    except Py4JJavaError as error:
        raise UnsupportedError(str(error.java_exception.getMessage())) from error
    return made
