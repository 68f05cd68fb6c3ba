"""Builds of DataFrames: the digests of ``inkling.build`` and ``ink build``, however rows are spread, and one
clear exception, before a job starts, for what cannot be built."""

from __future__ import annotations

import datetime
import decimal
import io
import math
import pathlib
import random
from collections.abc import Callable
from typing import Any

import pyarrow
import pytest
from conftest import digest, no_jobs
from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

import inkling
import inkling.spark as ink
from inkling.spark import _build, _exchange, _in_jvm

#: Every kind whose bytes do not depend on the order of rows; in one pass, and those alone that take ways of
#: their own.
KINDS: list[tuple[str, dict[str, Any]]] = [
    ("bloom,classic,counting,count-min,hll,fm,theta,fuse", {"p": 0.02, "eps": 0.01}),
    ("fuse", {"p": 0.001}),
    ("bloom", {"n": 5000, "p": 0.001}),
    ("classic", {"hash": "mmh3"}),
    ("hll", {}),
    ("bloom,classic,counting,count-min,hll,theta,fuse", {"p": 0.02, "eps": 0.01}),
]
#: What SQL does not have.
PIECES = {KINDS[0][0], "classic"}

PEOPLE = StructType(
    [
        StructField("name", StringType()),
        StructField("town", StringType()),
        StructField("visits", LongType()),
        StructField("day", DateType()),
        StructField("at", TimestampType()),
        StructField("raw", BinaryType()),
        StructField("small", IntegerType()),
        StructField("share", DoubleType()),
        StructField("price", DecimalType(8, 2)),
        StructField("member", BooleanType()),
    ]
)
UTC = datetime.timezone.utc


def people(count: int, seed: int) -> list[tuple[Any, ...]]:
    """Rows with repeats, nulls, and towns of which one has most of them."""
    chance = random.Random(seed)
    rows = []
    for _ in range(count):
        number = chance.randrange(count // 2)
        town = chance.choice(["Ulm"] * 30 + ["Rom", "Łódź", "", None])
        moment = datetime.datetime(2026, 1, 1, tzinfo=UTC) + datetime.timedelta(microseconds=number * 1001)
        rows.append(
            (
                None if number % 50 == 7 else f"name-{number}",
                town,
                number % 9,
                datetime.date(1969, 12, 1) + datetime.timedelta(days=number),
                moment,
                bytes([number % 256, 0, 255]),
                number - 1000,
                number / 4,
                decimal.Decimal(number),
                number % 2 == 0,
            )
        )
    return rows


@pytest.fixture(scope="module")
def rows() -> list[tuple[Any, ...]]:
    return people(3000, seed=1)


@pytest.fixture(scope="module")
def table(rows: list[tuple[Any, ...]]) -> pyarrow.Table:
    """The same rows as one process has them."""
    types = [
        pyarrow.string(), pyarrow.string(), pyarrow.int64(), pyarrow.date32(), pyarrow.timestamp("us", "UTC"),
        pyarrow.binary(), pyarrow.int32(), pyarrow.float64(), pyarrow.decimal128(8, 2), pyarrow.bool_(),
    ]  # fmt: skip
    columns = [pyarrow.array(column, kind) for column, kind in zip(zip(*rows), types)]
    return pyarrow.Table.from_arrays(columns, names=PEOPLE.names)


def spread(spark: SparkSession, rows: list[tuple[Any, ...]], seed: int) -> DataFrame:
    """Rows in any order in partitions of any size, some of them empty."""
    chance = random.Random(seed)
    workers = chance.choice([1, 2, 3, 5])
    parts: list[list[tuple[Any, ...]]] = [[] for _ in range(workers + 2)]
    for row in chance.sample(rows, len(rows)):
        parts[min(int(chance.expovariate(1)), workers - 1)].append(row)
    context = spark.sparkContext
    spreading = context.parallelize(parts, len(parts)).flatMap(lambda part: part)
    return spark.createDataFrame(spreading, PEOPLE)


@pytest.fixture(scope="module")
def frame(spark: SparkSession, rows: list[tuple[Any, ...]]) -> DataFrame:
    return spread(spark, rows, seed=2).cache()


#: How the builds of a test were done: whether the SQL functions gave a result.
DONE_IN_JVM: list[bool] = []


@pytest.fixture(params=["here", pytest.param("there", marks=pytest.mark.long), "jvm"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Small data is reduced on the driver, other data by tasks, and what SQL can do by its functions; all must give the
    same."""
    DONE_IN_JVM.clear()
    if request.param == "jvm":
        request.getfixturevalue("in_jvm")

        def noting(*given: Any) -> Any:
            made = _in_jvm.build_in_jvm(*given)
            DONE_IN_JVM.append(made is not None)
            return made

        monkeypatch.setattr(_build, "build_in_jvm", noting)
        return "jvm"
    monkeypatch.setattr(_exchange, "SMALL_BYTES", 1 << 40 if request.param == "here" else -1)
    monkeypatch.setattr("inkling.spark._frames.size_estimate", lambda df: 1 << 20)
    name: str = request.param
    return name


# ---- The same digests -----------------------------------------------------------------------------


def test_three_lines(spark: SparkSession, tmp_path: pathlib.Path, ink: Callable[..., Any]) -> None:
    text = tmp_path / "ratings.tsv"
    text.write_text("tconst\trating\n" + "".join(f"tt{i:07}\t{i * i % 10 + 1}\n" for i in range(5000)))
    df = spark.read.csv(str(text), sep="\t", header=True)
    filters = inkling.spark.build(df, key="tconst", by="rating", kind="bloom", p=0.01)
    filters.save(tmp_path / "ratings.ink")
    assert df.where(inkling.spark.might_contain(filters, "tconst")).count() == 5000
    reading = ["--header", "--key", "tconst", "--by", "rating"]
    ink("build", "bloom", *reading, "-p", "0.01", "-o", tmp_path / "want.ink", text)
    digests = [ink("info", "--digest", tmp_path / name).stdout for name in ("ratings.ink", "want.ink")]
    assert digests[0] == digests[1]
    assert filters.built.records == 5000


@pytest.mark.parametrize(("kind", "options"), KINDS, ids=lambda value: str(value))
@pytest.mark.parametrize("by", [None, "town"])
def test_every_order_free_kind(
    frame: DataFrame, table: pyarrow.Table, way: str, kind: str, options: dict[str, Any], by: str | None
) -> None:
    made = ink.build(frame, kind, key="name", by=by, **options)
    want = inkling.build(table, kind, key="name", by=by, **options)
    assert digest(made) == digest(want)
    assert made.built.records == want.built.records
    assert made.built.nulls == want.built.nulls == 3000 - made.built.records > 0
    assert DONE_IN_JVM == ([kind not in PIECES] if way == "jvm" else [])


@pytest.mark.parametrize("seed", range(3))
def test_any_partitioning(
    spark: SparkSession, rows: list[tuple[Any, ...]], table: pyarrow.Table, seed: int
) -> None:
    kinds = ["bloom", "hll", "count-min"]
    made = ink.build(spread(spark, rows, seed), kinds, key="name", by="town", eps=0.02)
    want = inkling.build(table, kinds, key="name", by="town", eps=0.02)
    assert made.kinds == want.kinds
    assert made.digest == want.digest
    assert set(made.groups) == {"Ulm", "Rom", "Łódź", "", None}


@pytest.mark.parametrize("key", ["day", "at", "raw", "small", ["town", "day", "raw", "small"]], ids=str)
def test_types_of_keys(frame: DataFrame, table: pyarrow.Table, way: str, key: Any) -> None:
    made = ink.build(frame, "bloom", key=key)
    assert DONE_IN_JVM == [True] * (way == "jvm")
    assert digest(made) == inkling.build(table, "bloom", key=key).digest
    one = made.sketch()
    assert one.query(table.slice(0, 50), key=key).any()


@pytest.mark.parametrize("by", ["day", "share", "member", "small", "raw"])
def test_types_of_groups(frame: DataFrame, table: pyarrow.Table, way: str, by: str) -> None:
    made = ink.build(frame, "hll", key="name", by=by, precision=4)
    assert made.digest == inkling.build(table, "hll", key="name", by=by, precision=4).digest


@pytest.mark.parametrize(
    "options",
    [
        {"headroom": 3.0, "seed": 7},
        {"by": "share", "round": "half-even"},
        {"by": "share", "round": "half-away"},
        {"kind": "count-min", "weight": "visits", "by": "town", "eps": 0.01},
        {"secret": bytes(range(16)), "by": "town"},
    ],
    ids=str,
)
def test_options(frame: DataFrame, table: pyarrow.Table, way: str, options: dict[str, Any]) -> None:
    made, want = ink.build(frame, key="name", **options), inkling.build(table, key="name", **options)
    assert digest(made) == digest(want)


def test_top_keeps_its_bounds(frame: DataFrame, table: pyarrow.Table) -> None:
    made = ink.build(frame, "top", key="small", k=200).sketch()
    exact = {key.as_py(): count for key, count in zip(*_counted(table["small"]))}
    found = made.top(10)
    assert len(found) == 10
    for item in found:
        assert item.low <= exact[item.key] <= item.high


def _counted(column: pyarrow.ChunkedArray) -> tuple[Any, Any]:
    counted = column.value_counts()
    return counted.field("values"), counted.field("counts").to_pylist()


def test_columns_by_number_expression_and_case(frame: DataFrame, table: pyarrow.Table) -> None:
    want = inkling.build(table, "bloom", key="name", by="town").digest
    assert ink.build(frame, key=1, by=2).digest == want
    assert ink.build(frame, key="NAME", by="Town").digest == want
    assert ink.build(frame, key=functions.concat(functions.lit(""), "name"), by=frame["town"]).digest == want


def test_names_with_dots_and_quotes(spark: SparkSession) -> None:
    df = spark.createDataFrame([("a", "x"), ("b", "y")], ["odd.na`me", "g r"])
    made = ink.build(df, key="odd.na`me", by="g r")
    assert list(made) == ["x", "y"]
    assert "a" in made["x"]


def test_empty(spark: SparkSession, way: str) -> None:
    empty = spark.createDataFrame([], PEOPLE)
    none = ink.build(empty, ["bloom", "hll"], key="name")
    want = inkling.build(
        pyarrow.table({"name": pyarrow.array([], pyarrow.string())}), ["bloom", "hll"], key="name"
    )
    assert none.digest == want.digest
    assert none.built.records == 0
    assert len(ink.build(empty, "bloom", key="name", by="town")) == 0


def test_nothing_but_nulls(spark: SparkSession, way: str) -> None:
    rows = spark.range(100).select(
        functions.lit(None).cast("string").alias("k"), functions.col("id").alias("g")
    )
    made = ink.build(rows, "bloom", key="k")
    assert (made.built.records, made.built.nulls) == (0, 100)
    nulls = pyarrow.table({"k": pyarrow.array([None] * 100, pyarrow.string())})
    assert digest(made) == inkling.build(nulls, key="k").digest
    with pytest.raises(inkling.MismatchError, match="null"):
        ink.build(rows, "bloom", key="k", nulls="refuse")


def test_many_groups(spark: SparkSession) -> None:
    count = 100_000
    df = spark.range(0, 10 * count, 1, 4).select((functions.col("id") % count).alias("g"), "id")
    made = ink.build(df, "bloom", key="id", by="g", memory="64M")
    assert len(made) == count
    assert made.built.records == 10 * count
    ids = pyarrow.array(range(10 * count))
    groups = pyarrow.array([number % count for number in range(10 * count)])
    assert (
        made.digest
        == inkling.build(pyarrow.table({"id": ids, "g": groups}), "bloom", key="id", by="g").digest
    )


def test_many_sources_are_merged_in_steps(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_exchange, "SMALL_BYTES", -1)
    monkeypatch.setattr(_exchange, "_MANY_SOURCES", 4)
    steps = []
    monkeypatch.setattr(_exchange, "_reduced", _noting(_exchange._reduced, steps))
    df = spark.range(0, 5000, 1, 12)
    made = ink.build(df, ["bloom", "hll"], key="id")
    assert steps == ["relay", "finish"]
    assert made.digest == inkling.build(pyarrow.table({"id": range(5000)}), ["bloom", "hll"], key="id").digest
    assert made.built.records == 5000


def _noting(function: Callable[..., DataFrame], steps: list[str]) -> Callable[..., DataFrame]:
    def noting(spark: SparkSession, pieces: DataFrame, job: Any, step: Any) -> DataFrame:
        steps.append(step.__name__)
        return function(spark, pieces, job, step)

    return noting


def test_data_larger_than_it_seemed(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inkling.spark._frames.LIMIT_BYTES", 1000)
    made = ink.build(spark.range(5000), "bloom", key="id")
    assert digest(made) == inkling.build(pyarrow.table({"id": range(5000)}), key="id").digest
    assert made.built.records == 5000


def test_more_groups_than_rows_should_be_are_built_in_pieces(in_jvm: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    df = in_jvm.range(3000).selectExpr("id", "id % 50 as g")
    want = ink.build(df, "count-min", key="id", by="g", eps=0.1)
    assert want.built.pieces == 50  # a value each
    for limit in ({"GROUPS": 49}, {"VALUES_BYTES": want["1"].info.bytes * 50 - 1}):
        with monkeypatch.context() as small:
            for name, value in limit.items():
                small.setattr(_in_jvm, name, value)
            made = ink.build(df, "count-min", key="id", by="g", eps=0.1)
        assert made.built.pieces != 50 and made.digest == want.digest
        assert (made.built.records, made.built.nulls) == (want.built.records, want.built.nulls) == (3000, 0)


def test_whole_columns_are_counted_in_a_query_of_their_own(
    in_jvm: SparkSession, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the extension, of a columnar scan and nothing else: the operator then takes its columns as they are."""
    written = in_jvm.range(1000).selectExpr("if(id % 10 = 3, null, id) as id", "id % 4 as g")
    written.write.parquet(str(tmp_path / "rows"))
    df = in_jvm.read.parquet(str(tmp_path / "rows"))
    assert not _in_jvm._has_whole_columns(df)  # there is no operator
    want = ink.build(df, "bloom,hll", key="id", by="g")
    monkeypatch.setattr(_in_jvm, "_EXTENSION", "")
    in_jvm.conf.set("spark.sql.codegen.wholeStage", "true")  # without it no scan is columnar
    try:
        for frame, whole in ((df, True), (df.where("g < 9"), False), (df.distinct(), False), (in_jvm.range(3), False)):
            assert _in_jvm._has_whole_columns(frame) == whole
        made = ink.build(df, "bloom,hll", key="id", by="g")
    finally:
        in_jvm.conf.set("spark.sql.codegen.wholeStage", "false")
    assert made.digest == want.digest
    assert (made.built.records, made.built.nulls) == (want.built.records, want.built.nulls) == (900, 100)


def test_reducers_are_as_many_as_buckets(frame: DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_exchange, "SMALL_BYTES", -1)
    monkeypatch.setattr("inkling.spark._frames.size_estimate", lambda df: 1 << 20)
    real, moved = _exchange.partitioned, []

    def noting(pieces: DataFrame, partitions: int, number: Any) -> DataFrame:
        moved.append(real(pieces, partitions, number))
        return moved[-1]

    monkeypatch.setattr(_exchange, "partitioned", noting)
    ink.build(frame, "bloom", key="name", by="town")
    assert [one.rdd.getNumPartitions() for one in moved] == [2]


# ---- What cannot be -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "text", "options"),
    [
        (inkling.UsageError, 'no column "nome", expected one of "name", "town"', {"key": "nome"}),
        (inkling.UsageError, 'no column "twon", expected one of "name"', {"key": "name", "by": "twon"}),
        (inkling.UsageError, 'no column "11", expected one of', {"key": 11}),
        (inkling.UsageError, 'no column "much"', {"key": "name", "weight": "much", "kind": "count-min"}),
        (inkling.UnsupportedError, 'column "share" holds floats', {"key": "share"}),
        (inkling.UnsupportedError, 'column "price" holds decimal', {"key": "price"}),
        (inkling.UnsupportedError, 'column "member" holds bool', {"key": "member"}),
        (inkling.UnsupportedError, "expected integers as weights",
         {"key": "name", "weight": "town", "kind": "count-min"}),
        (inkling.UsageError, "bloon", {"key": "name", "kind": "bloon"}),
        (inkling.UnsupportedError, "scalable has one writer and cannot be built in parts, expected bloom",
         {"key": "name", "kind": "scalable"}),
        (inkling.UsageError, "p 2, expected above 0 and below 1", {"key": "name", "p": 2}),
        (inkling.UsageError, "p nan, expected above 0 and below 1", {"key": "name", "p": math.nan}),
        (inkling.UsageError, "p -1, expected above 0 and below 1", {"key": "name", "p": -1}),
        (inkling.UsageError, "n -1, expected", {"key": "name", "n": -1}),
        (inkling.UsageError, "n 0, expected", {"key": "name", "n": 0}),
        (inkling.UsageError, "need 4.31328e+16 bits, expected at most 2^43",
         {"key": "name", "kind": "classic", "n": 10**15, "p": 1e-9}),
        (inkling.UsageError, 'no column "a\\x0ab\\x1b"', {"key": "a\nb\x1b"}),
        (inkling.UsageError, "width is not for bloom", {"key": "name", "width": 5}),
        (inkling.UsageError, "round", {"key": "name", "by": "town", "round": "up"}),
        (TypeError, "unexpected keyword argument 'colour'", {"key": "name", "colour": 1}),
        (TypeError, "key of type float", {"key": 1.5}),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_refused_before_a_job(
    spark: SparkSession, frame: DataFrame, error: type[Exception], text: str, options: dict[str, Any]
) -> None:
    with no_jobs(spark), pytest.raises(error) as caught:
        ink.build(frame, **options)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_filter_that_got_more_keys_than_planned_is_refused(spark: SparkSession, way: str) -> None:
    frame = spark.range(1000).selectExpr("id", "cast(id % 5 as string) as by")
    with pytest.raises(inkling.PromiseError, match="expected n 1000, or max_rate to allow it"):
        ink.build(frame, "bloom", key="id", n=500)
    with pytest.raises(inkling.PromiseError, match="5 of 5 filters would be above .* and 2 more; expected n 200 "):
        ink.build(frame, "bloom", key="id", by="by", n=100)
    allowed = ink.build(frame, "bloom", key="id", n=500, max_rate=0.2)
    assert allowed.sketch().info.promised_rate == 0.2
    assert len(ink.build(frame, "bloom", key="id", by="by")) == 5


def test_numbers_as_text_are_different_keys(spark: SparkSession) -> None:
    texts = ["1", "01", "1.0", "+1", " 1", "1e0"]
    made = ink.build(spark.createDataFrame([(text,) for text in texts], "key string"), "hll", key="key")
    assert digest(made) == inkling.build("\n".join(texts).encode(), "hll").digest
    assert round(float(made.sketch().estimate())) == len(texts)


def test_two_columns_of_one_name(spark: SparkSession) -> None:
    df = spark.range(3).select("id", functions.col("id").alias("id"))
    with no_jobs(spark), pytest.raises(inkling.UsageError, match='2 columns "id", expected one'):
        ink.build(df, key="id")


def test_rows_that_cannot_be_read_end_the_job_with_one_line(frame: DataFrame) -> None:
    with pytest.raises(inkling.InklingError) as caught:
        ink.build(frame, "hll", key="name", by="town", round="half-even")
    assert "Ulm" in str(caught.value) or "expected a number" in str(caught.value)
    assert "\n" not in str(caught.value)


# ---- What comes of it -----------------------------------------------------------------------------


def test_results_are_sketches(frame: DataFrame, table: pyarrow.Table, tmp_path: pathlib.Path) -> None:
    made = ink.build(frame, "bloom", key="name", by="town")
    assert isinstance(made, inkling.Sketches)
    assert made.input_spec is None
    assert "name-1" in made["Ulm"] or "name-2" in made["Ulm"]
    assert 0 < made.built.largest_piece < 64 << 20
    for path in (tmp_path / "a.ink", f"file://{tmp_path}/b.ink", f"file:{tmp_path}/c.ink"):
        made.save(path)
    made.save(held := io.BytesIO())
    assert held.getvalue() == (tmp_path / "a.ink").read_bytes()
    assert len({(tmp_path / name).read_bytes() for name in ("a.ink", "b.ink", "c.ink")}) == 1
    assert inkling.open(tmp_path / "a.ink").digest == made.digest
    with pytest.raises(FileNotFoundError):
        made.save(tmp_path / "nowhere" / "a.ink")
    made.close()
    with pytest.raises(ValueError, match="closed"):
        made.save(tmp_path / "d.ink")


def test_save_to_another_file_system(spark: SparkSession, frame: DataFrame, tmp_path: pathlib.Path) -> None:
    """Any file system of Hadoop: here one of its own classes for the local disk, under another scheme."""
    settings = spark._jsc.hadoopConfiguration()
    settings.set("fs.viewfs.mounttable.inkling.link./data", f"file://{tmp_path}")
    made = ink.build(frame, "bloom", key="name", by="town")
    for _ in range(2):  # over one that is there, too
        made.save("viewfs://inkling/data/r.ink")
        assert inkling.open(tmp_path / "r.ink").digest == made.digest
    with pytest.raises(inkling.UsageError, match="viewfs://inkling/data/r.ink: already exists"):
        made.save("viewfs://inkling/data/r.ink", overwrite=False)
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".ink") == ["r.ink"]
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".tmp")]
    with pytest.raises(inkling.FileError, match="strange://x/r.ink: cannot be written"):
        made.save("strange://x/r.ink")


# ---- On a cluster ---------------------------------------------------------------------------------


def test_everywhere(everywhere: SparkSession) -> None:
    df = everywhere.range(0, 20000, 1, 5).selectExpr("id", "id % 7 as g")
    want = pyarrow.table({"id": range(20000), "g": [number % 7 for number in range(20000)]})
    made = ink.build(df, ["bloom", "hll"], key="id", by="g")
    assert made.digest == inkling.build(want, ["bloom", "hll"], key="id", by="g").digest


def test_sketches_that_came_from_bytes_are_saved(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    built = ink.build(spark.range(100), key="id")
    copied = type(built).from_bytes(built.to_bytes())
    copied.save(tmp_path / "copied.ink")
    assert inkling.open(tmp_path / "copied.ink").to_bytes() == built.to_bytes()
