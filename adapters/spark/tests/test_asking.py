"""might_contain and count: every row gets the answer of the sketch, for keys of every type."""

from __future__ import annotations

import datetime
import pathlib
import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from conftest import no_jobs
from pyspark.sql import SparkSession, functions

import inkling
import inkling.spark as ink
from inkling.spark import _asking, _nodes, _session

UTC = datetime.timezone.utc
NAMES = [("ann", "blue"), ("bob", "blue"), (None, "red"), ("zoe", "red"), ("ann", None), ("ann", "red")]
COLOURS = b"ann,red\nbob,blue\n"


def colours(kind: str = "bloom", data: bytes = COLOURS) -> inkling.Sketches:
    return inkling.build(data, kind, format="csv", key=1, by=2)


def asked_in_jvm(df: Any) -> bool:
    """By its plan; no question in it is asked in two ways."""
    plan = str(df._jdf.queryExecution().optimizedPlan().toString())
    found = "ink_contains" in plan
    assert found != ("EvalPython" in plan), plan
    return found


def column(df: Any, expression: Any) -> list[Any]:
    return [row[0] for row in df.select(expression).collect()]


@pytest.fixture(params=["arrow", "pandas", "jvm"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Through Arrow, as it is done where Spark has no functions of Arrow arrays, and by the SQL functions."""
    if request.param == "jvm":
        request.getfixturevalue("in_jvm")
    if request.param == "pandas":
        without = _session.Abilities(arrow_udf=False)
        monkeypatch.setattr(_asking, "spark_can", lambda: without)
    name: str = request.param
    return name


# ---- Answers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["bloom", "fuse"])
def test_groups(spark: SparkSession, way: str, kind: str) -> None:
    df = spark.createDataFrame(NAMES, "name string, colour string").coalesce(1)
    filters = colours(kind)
    assert column(df, ink.might_contain(filters, "name")) == [True, True, False, False, True, True]
    assert df.select(ink.might_contain(filters, "name")).columns[0].startswith("might_contain(")
    own = ink.might_contain(filters, functions.col("name"), by="colour")
    assert column(df, own) == [False, True, False, False, False, True]


KEYS: dict[str, list[Any]] = {
    "byte": [-128, 127, None, 5],
    "short": [-300, None, 5, 6],
    "int": [None, 1 << 30, -7, 8],
    "long": [(1 << 62) + 1, None, -(1 << 63), 1 << 62],
    "string": ["", "é", None, "long " * 100],
    "binary": [b"\xff\x00", None, b"", b"x"],
    "date": [datetime.date(1969, 12, 31), None, datetime.date(2026, 1, 31), datetime.date(1, 1, 1)],
    "timestamp": [datetime.datetime(2026, 1, 31, 1, 2, 3, n, UTC) if n else None for n in (456789, 0, 7, 8)],
    "timestamp_ntz": [datetime.datetime(1969, 1, 31, 1, 2, 3, n) if n else None for n in (456789, 0, 7, 8)],
}


def test_key_types(spark: SparkSession, way: str) -> None:
    schema = ", ".join(f"`{type_}` {type_}" for type_ in KEYS)
    df = spark.createDataFrame(list(zip(*KEYS.values())), schema).coalesce(1)
    halves = {type_: [value for value in values if value is not None][::2] for type_, values in KEYS.items()}
    sketches = {type_: inkling.Sketch("bloom", n=1000, p=1e-5).add(half) for type_, half in halves.items()}
    asked = df.select([ink.might_contain(sketches[type_], type_).alias(type_) for type_ in KEYS])
    assert asked_in_jvm(asked) == (way == "jvm")
    found = asked.collect()
    for type_, values in KEYS.items():
        assert [row[type_] for row in found] == [value in halves[type_] for value in values], type_


def test_a_tuple_is_one_key(spark: SparkSession, way: str) -> None:
    rows = [("ann", 1), ("ann", 2), (None, 1), ("ann", None), ("an", 1)]
    df = spark.createDataFrame(rows, "name string, number int").coalesce(1)
    pairs = inkling.Sketch("bloom", n=100, p=1e-5).add([("ann", 1)])
    assert column(df, ink.might_contain(pairs, "name", "number")) == [True, False, False, False, False]
    assert column(df, ink.might_contain(pairs, ["name", "number"])) == [True, False, False, False, False]
    missing = df.where(~ink.might_contain(pairs, "name", "number"))
    assert asked_in_jvm(missing) == (way == "jvm")
    assert missing.count() == 4
    names = missing.select(ink.might_contain(pairs, "name", "number")).columns
    assert names == ["might_contain(name, number)"] or way == "pandas"


def test_a_filter_too_large_for_a_value_is_a_file_of_every_node(
    in_jvm: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    sketch, df = inkling.Sketch("bloom", n=1000).add(range(1000)), in_jvm.range(2000)
    assert asked_in_jvm(df.where(ink.might_contain(sketch, "id")))
    monkeypatch.setattr(_asking, "VALUE_BYTES", sketch.info.bytes - 1)
    assert not asked_in_jvm(df.where(ink.might_contain(sketch, "id")))


def test_a_group_of_its_own_is_rounded(spark: SparkSession, way: str) -> None:
    filters = inkling.build(b"ann,7.5\nbob,6.2\n", "bloom", format="csv", key=1, by=2, round="half-even")
    rows = [("ann", 8.5), ("ann", 6.0), ("bob", 6.4)]
    df = spark.createDataFrame(rows, "name string, r double").coalesce(1)
    assert column(df, ink.might_contain(filters, "name", by="r", round="half-even")) == [True, False, True]


def test_counts_of_all_groups_and_of_the_own(spark: SparkSession, way: str) -> None:
    df = spark.createDataFrame(NAMES, "name string, colour string").coalesce(1)
    seen = colours("count-min", COLOURS + b"ann,blue\nann,red\n")
    assert column(df, ink.count(seen, "name").estimate) == [3.0, 1.0, 0.0, 0.0, 3.0, 3.0]
    assert column(df, ink.count(seen, "name", by="colour").estimate) == [1.0, 1.0, 0.0, 0.0, 0.0, 2.0]
    first = df.select(ink.count(seen, "name").alias("c")).first()
    assert first is not None
    assert set(first.c.asDict()) == {"estimate", "low", "high"}
    assert first.c.low <= 3 <= first.c.high


def test_counts_by_groups_of_any_type(spark: SparkSession) -> None:
    groups: dict[str, list[Any]] = {
        "float": [0.1, 7.0, None, 2.5],
        "double": [0.1, 7.0, None, 1e300],
        "int": [1, -2, None, 3],
        "boolean": [True, False, None, True],
        "date": [datetime.date(2026, 1, 31), datetime.date(1970, 1, 1), None, datetime.date(1969, 1, 1)],
        "timestamp": [datetime.datetime(2026, 1, 31, 1, 2, 3, n) if n else None for n in (456789, 0, 7, 8)],
        "binary": [b"\xff", b"", None, b"a"],
    }
    schema = ", ".join(["name string", *(f"`{type_}` {type_}" for type_ in groups)])
    df = spark.createDataFrame([("ann", *values) for values in zip(*groups.values())], schema).coalesce(1)
    table = df.toArrow()
    seen = {type_: inkling.build(table, "count-min", key="name", by=type_) for type_ in groups}
    counted = [ink.count(seen[type_], "name", by=type_).estimate.alias(type_) for type_ in groups]
    found = df.select(counted).collect()
    for type_, values in groups.items():
        assert [row[type_] for row in found] == [float(values.count(value)) for value in values], type_


def test_many_rows_in_many_batches(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = random.Random(5)
    keys = generator.sample(range(100_000), 3_000)
    sketch = inkling.Sketch("bloom", n=3_000, p=0.01).add(keys)
    df = spark.range(0, 50_000, numPartitions=5)
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "700")
    try:
        found = {row.id for row in df.where(ink.might_contain(sketch, "id")).collect()}
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    asked = sketch.query(list(range(50_000)))
    assert found == {key for key, maybe in enumerate(asked) if maybe}


def test_everywhere(everywhere: SparkSession, tmp_path: pathlib.Path) -> None:
    """Executors are processes of their own, and get the file by Spark."""
    colours().save(tmp_path / "colours.ink")
    df = everywhere.createDataFrame(NAMES, "name string, colour string").repartition(3)
    found = df.where(ink.might_contain(tmp_path / "colours.ink", "name", by="colour")).collect()
    assert sorted(map(tuple, found)) == [("ann", "red"), ("bob", "blue")]


# ---- Sketches, however they are given --------------------------------------------------------------


def test_sketches_by_path(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "colours.ink"
    colours().save(path)
    df = spark.createDataFrame(NAMES, "name string, colour string").coalesce(1)
    for given in (path, str(path), f"file://{path}", inkling.open(path), colours()):
        assert column(df, ink.might_contain(given, "name")) == [True, True, False, False, True, True]


def test_equal_sketches_are_sent_once(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    one = inkling.Sketch("bloom", n=1000).add(["sent", "once"])
    one.save(tmp_path / "a.ink")
    one.save(tmp_path / "b.ink")
    before = set(spark.sparkContext.listFiles)
    for given in (one, tmp_path / "a.ink", tmp_path / "b.ink", inkling.open(tmp_path / "a.ink")):
        ink.might_contain(given, "k")
    assert len(set(spark.sparkContext.listFiles) - before) == 1
    ink.might_contain(one.add("more"), "k")
    assert len(set(spark.sparkContext.listFiles) - before) == 2


def test_a_path_that_changes_is_another_file(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    path, df = tmp_path / "seen.ink", spark.createDataFrame([("ann",), ("bob",)], "name string").coalesce(1)
    for name, expected in (("ann", [True, False]), ("bob", [False, True])):
        inkling.Sketch("bloom", n=100, p=1e-5).add(name).save(path)
        assert column(df, ink.might_contain(path, "name")) == expected


def test_a_secret(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    secret = b"sixteen bytes ok"
    sketch = inkling.Sketch("bloom", n=100, secret=secret).add("ann")
    sketch.save(tmp_path / "keyed.ink")
    df = spark.createDataFrame([("ann",), ("bob",)], "name string").coalesce(1)
    assert column(df, ink.might_contain(tmp_path / "keyed.ink", "name", secret=secret)) == [True, False]
    with pytest.raises(inkling.MismatchError, match="secret"):
        ink.might_contain(tmp_path / "keyed.ink", "name")
    with pytest.raises(inkling.MismatchError, match="secret"):
        ink.might_contain(tmp_path / "keyed.ink", "name", secret=b"another 16 bytes")
    assert secret not in repr(_nodes.NodeFile("name", secret)).encode()


def test_no_sketches_hold_nothing(spark: SparkSession) -> None:
    empty = inkling.build(b"", "bloom", format="csv", key=1, by=2)
    df = spark.createDataFrame([("ann", "red")], "name string, colour string")
    assert column(df, ink.might_contain(empty, "name", by="colour")) == [False]


def test_a_worker_opens_a_file_once(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sketch = inkling.Sketch("bloom", n=100).add("ann")
    sketch.save(tmp_path / "a.ink")
    monkeypatch.setattr(_nodes.SparkFiles, "get", lambda name: str(tmp_path / name))
    first = _nodes.NodeFile("a.ink").sketches()
    (tmp_path / "a.ink").unlink()
    assert _nodes.NodeFile("a.ink").sketches() is first
    assert first.sketch().read_only  # a view of the file, not a copy


# ---- Errors ---------------------------------------------------------------------------------------


def test_what_cannot_be_asked_is_refused_before_a_job(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    counts, filters = colours("count-min"), colours()
    whole = inkling.Sketch("bloom", n=10).add("ann")
    with pytest.raises(inkling.UnsupportedError, match="holds no filter, expected one"):
        ink.might_contain(counts, "name")
    with pytest.raises(inkling.UnsupportedError, match="holds bloom, expected count-min, top or counting"):
        ink.count(filters, "name")
    with pytest.raises(inkling.UsageError, match="no groups"):
        ink.might_contain(whole, "name", by="colour")
    with pytest.raises(inkling.UsageError, match="without groups"):
        ink.count(inkling.Sketch("top").add("ann"), "name", by="colour")
    with pytest.raises(inkling.UsageError, match="no key, expected the name of a column"):
        ink.might_contain(filters)
    with pytest.raises(TypeError, match="key of type int, expected the name of a column"):
        ink.might_contain(filters, 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="sketches of type int, expected what build gave"):
        ink.might_contain(1, "name")  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError, match="nowhere.ink: cannot open"):
        ink.might_contain(tmp_path / "nowhere.ink", "name")
    with pytest.raises(FileNotFoundError, match="^file:///.*/nowhere.ink: cannot open"):
        ink.might_contain(f"file://{tmp_path}/nowhere.ink", "name")
    with pytest.raises(inkling.FileError, match="^strange://x/f.ink: cannot be read: [^\n]*strange[^\n]*$"):
        ink.might_contain("strange://x/f.ink", "name")
    (tmp_path / "broken.ink").write_bytes(b"no sketch")
    with pytest.raises(inkling.FormatError, match=f"^file://{tmp_path}/broken.ink: byte 0"):
        ink.might_contain(f"file://{tmp_path}/broken.ink", "name")


def test_damaged_files_of_sketches_are_refused_before_a_job(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    """Cut, with a bit flipped, with something after the end, two in one, or of another program."""
    whole = inkling.Sketch("bloom", n=10).add("ann").to_bytes()
    flipped = bytearray(whole)
    flipped[-50] ^= 1
    for data, message in (
        (b"", "too short: 0 bytes"),
        (whole[:-1], "byte "),
        (bytes(flipped), "damaged"),
        (whole + b"x", "after the end"),
        (whole + whole, "another .ink file begins after the end"),
        (b"HYLL" + bytes(60), "not an .ink file, but a Redis HyperLogLog"),
    ):
        (tmp_path / "bad.ink").write_bytes(data)
        for path in (tmp_path / "bad.ink", f"file://{tmp_path}/bad.ink"):
            with no_jobs(spark), pytest.raises(inkling.FormatError, match=message) as caught:
                ink.might_contain(path, "name")
            assert str(path) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("type_", "value", "message"),
    [
        ("double", 2.5, "ink_contains: a key of type double"),
        ("boolean", True, "ink_contains: a key of type boolean"),
        ("long", 7, "ink_contains: "),
    ],
)
def test_sql_reports_what_is_wrong(in_jvm: SparkSession, type_: str, value: Any, message: str) -> None:
    df = in_jvm.createDataFrame([(value,)], f"k {type_}")
    with pytest.raises(Exception, match=message):
        df.select(ink.might_contain(inkling.Sketch("bloom", n=10).add("ann"), "k")).collect()


@pytest.mark.parametrize(
    ("type_", "value", "message"),
    [
        ("double", 2.5, 'column "k" holds floats (double), expected integers, strings'),
        ("long", 7, "int keys for a sketch of bytes keys"),
        ("boolean", True, 'column "k" holds booleans'),
    ],
)
def test_a_task_reports_what_is_wrong(spark: SparkSession, type_: str, value: Any, message: str) -> None:
    """A column alone does not know its DataFrame: the error is the task's, and one line of it is enough."""
    df = spark.createDataFrame([(value,)], f"k {type_}")
    with pytest.raises(Exception) as caught:
        df.select(ink.might_contain(inkling.Sketch("bloom", n=10).add("ann"), "k")).collect()
    assert any(message in line for line in str(caught.value).splitlines())
    with pytest.raises(inkling.InklingError) as known, _session.raising_task_errors():
        df.select(ink.might_contain(inkling.Sketch("bloom", n=10).add("ann"), "k")).collect()
    assert str(known.value).startswith(message)


def test_no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_session.SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setattr(_session.SparkSession, "_instantiatedSession", None)
    with pytest.raises(inkling.UsageError, match="no active Spark session, expected one"):
        ink.might_contain(colours(), "name")


def test_a_thread_of_ones_own_needs_no_session_of_its_own(
    spark: SparkSession, tmp_path: pathlib.Path
) -> None:
    """Spark knows the active session by thread; jobs side by side are started by threads."""
    spark._jsc.hadoopConfiguration().set("fs.viewfs.mounttable.threads.link./data", f"file://{tmp_path}")
    df = spark.createDataFrame([("ann",), ("zoe",)], "name string")
    filters = ink.build(df.limit(1), key="name")

    def elsewhere() -> int:
        filters.save("viewfs://threads/data/saved.ink")
        ink.distinct(filters).collect()
        return df.where(ink.might_contain("viewfs://threads/data/saved.ink", "name")).count()

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(elsewhere).result() == 1


def test_a_colon_makes_no_file_system(
    spark: SparkSession, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    df = spark.createDataFrame([("ann",)], "name string")
    ink.build(df, key="name").save("run:1.ink")
    assert df.where(ink.might_contain("run:1.ink", "name")).count() == 1
