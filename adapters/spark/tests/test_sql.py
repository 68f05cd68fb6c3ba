"""The SQL functions of the jar from Python: registered while Spark runs, with and without other processes."""

from __future__ import annotations

import os
import pathlib
import re
import zipfile
from collections.abc import Iterator

import pytest
from conftest import forget_functions
from lost_executor import collect_and_lose, executors
from pyspark.sql import SparkSession, functions

import inkling
import inkling.spark as ink
from inkling import UnsupportedError, UsageError

ROWS = 20_000


@pytest.fixture(autouse=True)
def functions_leave_with_the_test(request: pytest.FixtureRequest) -> Iterator[None]:
    """Later tests have their own way."""
    yield
    for way in {"spark", "cluster"} & set(request.fixturenames):
        forget_functions(request.getfixturevalue(way))


def words(spark: SparkSession) -> None:
    """Rows of keys as a view."""
    frame = spark.range(0, ROWS, 1, 4).selectExpr("id", "concat('word ', id % 5000) as word", "id % 3 as part")
    frame.createOrReplaceTempView("words")


def digest_of(*lines: str) -> str:
    """That of a hll of these keys."""
    return inkling.Sketch("hll").add(list(lines)).digest


def check_functions(spark: SparkSession) -> None:
    """Aggregates have the digests that Python has, with groups and without."""
    ink.register(spark)
    ink.register(spark)
    words(spark)
    expected = digest_of(*(f"word {number % 5000}" for number in range(ROWS)))
    assert spark.sql("SELECT ink_digest(ink_hll(word)) FROM words").first()[0] == expected  # type: ignore[index]
    found = spark.sql("SELECT part, ink_digest(ink_hll(word)) FROM words GROUP BY part").collect()
    parts = {part: [f"word {number % 5000}" for number in range(part, ROWS, 3)] for part in range(3)}
    assert {row[0]: row[1] for row in found} == {part: digest_of(*keys) for part, keys in parts.items()}


def test_functions_are_registered_while_spark_runs(spark: SparkSession) -> None:
    check_functions(spark)


def test_executors_get_the_jar(cluster: SparkSession) -> None:
    check_functions(cluster)


def test_a_lost_executor_changes_no_digest(cluster: SparkSession) -> None:
    """Killed while tasks run, with what it had shuffled: Spark does its part again."""
    ink.register(cluster)
    slow = "if(id % 500 = 0, replace(reflect('java.lang.Thread', 'sleep', 20L), 'null', ''), '')"
    frame = cluster.range(0, ROWS, 1, 10).selectExpr("id", f"concat('word ', id % 5000, {slow}) as word", "id % 3 as part")
    grouped = frame.groupBy("part").agg(functions.expr("ink_digest(ink_hll(word))"))
    rows, killed = collect_and_lose(cluster, grouped, 3)
    assert killed, "it ended before the kill"
    found = dict(map(tuple, rows))
    assert found == {part: digest_of(*(f"word {number % 5000}" for number in range(part, ROWS, 3))) for part in range(3)}
    assert killed not in executors(cluster)


@pytest.mark.parametrize("call", ["ink_bloom(value)", "ink_classic(value, 'p=0.1')", "ink_fuse(value)"])
def test_a_filter_of_a_stream_needs_n(spark: SparkSession, tmp_path: pathlib.Path, call: str) -> None:
    """Without the extension too: at analysis in a session that ran no query before, and else when the stream starts."""
    said = call.partition("(")[0] + ": a filter of a stream without n, expected n= in the options"
    fresh = spark.newSession()
    ink.register(fresh)
    for session, starts in ((fresh, False), (spark, True)):
        ink.register(session)
        ticks = session.readStream.format("rate").load().withWatermark("timestamp", "1 second")
        grouped = ticks.groupBy(functions.window("timestamp", "10 seconds"))
        with pytest.raises(Exception, match=re.escape(said)):
            made = grouped.agg(functions.expr(call))
            assert starts, "it was analysed"
            writer = made.writeStream.format("noop").option("checkpointLocation", str(tmp_path))
            writer.trigger(availableNow=True).start().awaitTermination()
        grouped.agg(functions.expr("ink_bloom(value, 'n=10')"), functions.expr("ink_hll(value)"))
        session.range(9).groupBy().agg(functions.expr(call.replace("value", "id"))).collect()


@pytest.mark.parametrize("column", ["id", "word"])
def test_contains_asks_one_sketch_that_is_broadcast(spark: SparkSession, tmp_path: pathlib.Path, column: str) -> None:
    words(spark)
    frame = spark.table("words")
    few = ink.build(frame.where("id % 100 = 0"), key=column, p=1e-4)
    path = str(tmp_path / "few.ink")
    few.save(path)
    expected = frame.where(ink.might_contain(few, column)).count()
    assert ROWS // 100 <= expected < ROWS // 2
    for sketch in (few, few.sketch(), path):
        assert frame.where(ink.contains(column, sketch)).count() == expected
    asked = ink.contains(column, few)
    forget_functions(spark)
    assert frame.where(asked).count() == expected  # as in a session that has no functions
    hole = frame.select(functions.when(functions.col("id") > 5, functions.col(column)).alias("hole"))
    assert hole.where(ink.contains(functions.col("hole"), few).isNull()).count() == 6
    plan = str(frame.repartition(3).where(ink.contains(column, few))._jdf.queryExecution().optimizedPlan().toString())
    assert plan.index("Repartition") < plan.index("ink_contains"), plan


def test_what_contains_cannot_ask_is_refused(spark: SparkSession) -> None:
    groups = ink.build(spark.range(10).selectExpr("id", "id % 2 as part"), key="id", by="part")
    with pytest.raises(UsageError, match="2 sketches, expected one"):
        ink.contains("id", groups)
    with pytest.raises(UnsupportedError, match="a sketch with a secret"):
        ink.contains("id", inkling.Sketches.from_bytes(inkling.Sketch("hll", secret=b"x" * 16).to_bytes(), secret=b"x" * 16))


def test_the_jar_is_that_for_this_spark(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    assert os.path.basename(ink.jar()) == "inkling-spark-4.jar"
    assert "inkling/spark/Extensions.class" in zipfile.ZipFile(ink.jar()).namelist()
    monkeypatch.setattr(inkling.library, "path", lambda: str(tmp_path / "libinkling.so"))
    with pytest.raises(UnsupportedError, match="expected the jar of the SQL functions: make spark-jars"):
        ink.jar()


def test_the_jar_for_another_spark_is_refused_by_versions(spark: SparkSession) -> None:
    """In a class loader of its own: its classes have the names of those that are there."""
    java = spark._jvm
    assert java is not None
    other = os.path.join(os.path.dirname(ink.jar()), "inkling-spark-3.5.jar")
    urls = spark.sparkContext._gateway.new_array(java.java.net.URL, 1)  # type: ignore[union-attr]
    urls[0] = java.java.io.File(other).toURI().toURL()
    parent = java.java.lang.Class.forName("org.apache.spark.sql.SparkSession").getClassLoader()
    loader = java.java.net.URLClassLoader(urls, parent)
    with pytest.raises(Exception, match=r"found Spark 4\.\S+ with Scala 2\.13\.\S+, expected Spark 3\.5 with Scala 2\.12"):
        loader.loadClass("inkling.spark.Extensions").newInstance().apply(None)
