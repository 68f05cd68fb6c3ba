"""verify and verify_files: what is counted in ranges, by many tasks, is what inkling.verify counts alone."""

from __future__ import annotations

import pathlib
import random
from typing import Any

import pyarrow
import pytest
from pyspark.sql import SparkSession, functions

import inkling
import inkling.spark as ink
from inkling.spark import _frames, _verify

ROWS = 6_000


@pytest.fixture(scope="module")
def table() -> pyarrow.Table:
    """Rows of which many share a key, some within a group; a few have none."""
    generator = random.Random(3)
    keys = [f"t{generator.randrange(8_000)}" if generator.random() > 0.01 else None for _ in range(ROWS)]
    return pyarrow.table({
        "k": keys,
        "i": [generator.randrange(-2_000, 2_000) for _ in range(ROWS)],
        "g": [generator.choice(["a", "b", "c", None]) for _ in range(ROWS)],
    })  # fmt: skip


@pytest.fixture(params=["here", pytest.param("there", marks=pytest.mark.long)])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """On the driver, as small data is, and by ranges."""
    if request.param == "there":
        monkeypatch.setattr(_verify, "_SMALL_BYTES", -1)
    name: str = request.param
    return name


def frame(spark: SparkSession, table: pyarrow.Table) -> Any:
    rows = list(zip(*(column.to_pylist() for column in table.columns)))
    return spark.createDataFrame(rows, "k string, i int, g string").repartition(3)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("bloom", {"key": "k", "by": "g"}),
        ("bloom", {"key": ["k", "i"], "by": "g"}),
        ("bloom", {"key": "i"}),
        ("counting", {"key": "i", "by": "g"}),
        ("classic", {"key": "k", "by": "g", "hash": "mmh3"}),
        ("fuse", {"key": "k", "by": "g"}),
        ("fuse", {"key": "i"}),
    ],
)
def test_as_alone(
    spark: SparkSession, way: str, table: pyarrow.Table, kind: str, options: dict[str, Any]
) -> None:
    filters: Any = inkling.build(table, kind, **options)
    columns = {name: options[name] for name in ("key", "by") if name in options}
    alone = inkling.verify(filters, table, tests=20_000, **columns)
    found = ink.verify(frame(spark, table), filters, tests=20_000, **columns)
    if way == "there" and "by" in options:  # each range asks a sample of its own keys
        found = ink.verify(frame(spark, table), filters, **columns)
        alone = inkling.verify(filters, table, **columns)
    assert found == alone
    assert found.ok and found.nulls == (table["k"].null_count if "k" in options["key"] else 0)


def test_a_broken_promise_is_found(
    spark: SparkSession, way: str, table: pyarrow.Table, tmp_path: pathlib.Path
) -> None:
    full = {group: inkling.Sketch("bloom", n=100) for group in ("a", "b", "c", None)}
    for group, filter_of_group in full.items():  # a build would be refused
        with pytest.warns(inkling.PromiseWarning):
            filter_of_group.add([row["i"] for row in table.to_pylist() if row["g"] == group])
    inkling.save(tmp_path / "full.ink", [(group, None, each) for group, each in full.items()])
    filters = inkling.open(tmp_path / "full.ink")
    found = ink.verify(frame(spark, table), filters, key="i", by="g")
    assert not found
    assert {row.trouble for row in found.rows} == {"above promise"}


def test_a_denied_member_is_found(spark: SparkSession, way: str, table: pyarrow.Table) -> None:
    filters = inkling.build(table.slice(0, ROWS - 1), "bloom", key="i", by="g", p=1e-5)
    more = pyarrow.concat_tables([table, pyarrow.table({"k": ["x"], "i": [5_000_000], "g": ["a"]})])
    found = ink.verify(frame(spark, more), filters, key="i", by="g")
    assert not found.ok and found.summary.denied >= 1


def test_everywhere(everywhere: SparkSession, table: pyarrow.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_verify, "_SMALL_BYTES", -1)
    filters = inkling.build(table, "bloom", key="k", by="g")
    found = ink.verify(frame(everywhere, table), filters, key="k", by="g")
    assert found == inkling.verify(filters, table, key="k", by="g")


def test_more_than_the_driver_takes_goes_by_ranges(
    spark: SparkSession, table: pyarrow.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_frames, "LIMIT_BYTES", 100)
    filters = inkling.build(table, "bloom", key="k", by="g")
    found = ink.verify(frame(spark, table), filters, key="k", by="g")
    assert found == inkling.verify(filters, table, key="k", by="g")


def test_no_rows(spark: SparkSession, way: str, table: pyarrow.Table) -> None:
    filters = inkling.build(table, "bloom", key="i")
    found = ink.verify(frame(spark, table).limit(0), filters, key="i", tests=1_000)
    assert found.summary.members == 0 and found.summary.tested == 1_000 and found.ok


def test_ranges() -> None:
    """As many as there are tasks, or as data needs, but never more than the driver can add up."""
    assert _verify._ranges(0, 1, 1) == 1
    assert _verify._ranges(0, 5, 1) == 8
    assert _verify._ranges(1 << 30, 2, 10) == 64
    assert _verify._ranges(1 << 50, 2, 1) == 256
    assert _verify._ranges(1 << 50, 2, 1_000_000) == 8
    assert _verify._ranges(1 << 50, 2, 100_000_000) == 1


# ---- Files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("small", [True, False])
def test_files(
    spark: SparkSession, tmp_path: pathlib.Path, small: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not small:
        monkeypatch.setattr(_verify, "_SMALL_BYTES", -1)
    generator = random.Random(4)
    lines = [f"t{generator.randrange(5_000)}\t{generator.random() * 9 + 1:.1f}\t7" for _ in range(3_000)]
    path = tmp_path / "ratings.tsv"
    path.write_text("\n".join(["tconst\trating\tvotes", *lines, ""]))
    filters = inkling.build(path, "bloom", header=True, key="tconst", by="rating", round="half-even")
    found = ink.verify_files(spark, path, filters)
    assert found == inkling.verify(filters, path)
    reading = {"format": "tsv", "header": True, "key": 1, "by": 2, "round": "half-even"}
    assert ink.verify_files(spark, [str(path)], filters, **reading) == found
    other = tmp_path / "ratings.csv"  # whose suffix decides, since columns have names
    other.write_text(path.read_text().replace("\t", ","))
    assert ink.verify_files(spark, other, filters) == found


# ---- Errors ---------------------------------------------------------------------------------------


def test_what_does_not_fit_is_refused_before_a_job(spark: SparkSession, table: pyarrow.Table) -> None:
    started = functions.raise_error(functions.lit("a job has started")).cast("boolean")
    df = frame(spark, table).withColumn("broken", functions.lit(2.5)).where(started)
    filters = inkling.build(table, "bloom", key="k", by="g")
    with pytest.raises(inkling.UsageError, match='no column "nope", expected one of "k", "i", "g"'):
        ink.verify(df, filters, key="nope", by="g")
    with pytest.raises(inkling.MismatchError, match="ints, expected bytes"):
        ink.verify(df, filters, key="i", by="g")
    with pytest.raises(inkling.InklingError, match="groups"):
        ink.verify(df, filters, key="k")
    with pytest.raises(inkling.UnsupportedError, match="double"):
        ink.verify(df, filters, key="broken", by="g")
    with pytest.raises(inkling.UnsupportedError, match="verification of hll in parts, expected filters"):
        ink.verify(df, inkling.build(table, "hll", key="k", by="g"), key="k", by="g")
    with pytest.raises(TypeError, match="data of type str, expected a DataFrame .for files: verify_files."):
        ink.verify("ratings.tsv", filters, key="k")  # type: ignore[arg-type]
    with pytest.raises(inkling.NotFoundError, match="no sketches, expected some"):
        ink.verify(df, inkling.build(b"", "bloom", format="csv", key=1, by=2), key="k", by="g")
