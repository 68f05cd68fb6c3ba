"""top, distinct and counts: the answers of the sketch that would be built alone, in a small DataFrame."""

from __future__ import annotations

import datetime
import pathlib
import time
from typing import Any

import pytest
from known_frames import known_frame
from pyspark.sql import DataFrame, SparkSession, functions

import inkling
import inkling.spark as ink

UTC = datetime.timezone.utc
WORDS = [("the", "a"), ("cat", "a"), ("the", "b"), ("dog", None), ("the", "a"), (None, "a"), ("cat", "b")]


@pytest.fixture
def df(spark: SparkSession) -> DataFrame:
    return known_frame(spark, WORDS, "word string, page string").repartition(3)


def rows(frame: DataFrame) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in frame.collect()]


def test_top(df: DataFrame) -> None:
    found = ink.top(df, "word", k=2)
    assert found.columns == ["key", "estimate", "low", "high", "confidence"]
    assert rows(found) == [("the", 3.0, 3.0, 3.0, 1.0), ("cat", 2.0, 2.0, 2.0, 1.0)]


def test_top_of_groups(df: DataFrame) -> None:
    found = ink.top(df, "word", k=1, by="page")
    assert found.columns == ["group", "key", "estimate", "low", "high", "confidence"]
    best = {row.group: (row.key, row.estimate) for row in found.collect()}
    assert best.keys() == {"a", "b", None} and best["a"] == ("the", 2.0) and best[None] == ("dog", 1.0)
    assert ink.top(df, "word", by="page", phi=0.01).count() == 5


def test_distinct(df: DataFrame) -> None:
    found = ink.distinct(df, "word", precision=10)
    assert found.columns == ["estimate", "low", "high", "confidence"]
    [(estimate, low, high, confidence)] = rows(found)
    assert low <= 3 <= high and round(estimate) == 3 and confidence == 0.95
    by_page = {row.group: round(row.estimate) for row in ink.distinct(df, "word", by="page").collect()}
    assert by_page == {"a": 2, "b": 2, None: 1}
    assert round(ink.distinct(df, "word", kind="bloom").first().estimate) == 3  # type: ignore[union-attr]


def test_counts(df: DataFrame) -> None:
    found = ink.counts(df, "word", ["the", "cow"], eps=0.001, delta=0.01)
    assert found.columns == ["key", "estimate", "low", "high", "confidence"]
    assert [(row.key, row.estimate) for row in found.collect()] == [("the", 3.0), ("cow", 0.0)]
    own = ink.counts(df, "word", "the", by="page")
    assert {row.group: row.estimate for row in own.collect()} == {"a": 2.0, "b": 1.0, None: 0.0}


KEYS: dict[str, Any] = {
    "byte": -5,
    "long": -(1 << 63),
    "string": "é",
    "binary": b"\xff\x00",
    "date": datetime.date(1969, 12, 31),
    "timestamp": datetime.datetime(2026, 1, 31, 1, 2, 3, 456789),
    "timestamp_ntz": datetime.datetime(1969, 1, 31, 1, 2, 3, 456789),
}


@pytest.fixture
def typed(spark: SparkSession) -> DataFrame:
    """A row of every type, twice, and one of nulls."""
    schema = ", ".join(f"`{type_}` {type_}" for type_ in KEYS)
    return known_frame(spark, [tuple(KEYS.values())] * 2 + [(None,) * len(KEYS)], schema)


@pytest.mark.parametrize("type_", KEYS)
def test_keys_come_back_as_they_were(typed: DataFrame, type_: str) -> None:
    found = ink.top(typed, type_)
    assert found.schema["key"].dataType == typed.schema[type_].dataType
    assert rows(found.select("key", "estimate")) == [(KEYS[type_], 2.0)]


def test_tuples_come_back_as_structs(typed: DataFrame) -> None:
    found = ink.top(typed, list(KEYS))
    kept: Any = found.schema["key"].dataType
    assert [(one.name, one.dataType) for one in kept] == [(one.name, one.dataType) for one in typed.schema]
    assert rows(found.select("key.*", "estimate")) == [(*KEYS.values(), 2.0)]


def test_keys_that_are_asked_for(typed: DataFrame) -> None:
    when = KEYS["timestamp"]
    asked = [when.replace(tzinfo=UTC), when.replace(tzinfo=UTC, microsecond=0)]
    found = ink.counts(typed, "timestamp", asked)
    assert rows(found.select("key", "estimate")) == [(when, 2.0), (when.replace(microsecond=0), 0.0)]


def test_times_are_asked_for_as_spark_hands_them_over(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a zone, in that of the process, which need not be UTC."""
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        df = spark.range(3).selectExpr("timestamp_seconds(1000000000 + id) as at", "'x' as name")
        moments = [row.at for row in df.collect()]
        assert moments[0].tzinfo is None and moments[0].hour == 21  # of 1:46 UTC
        found = ink.counts(df, "at", moments)
        assert rows(found.select("key", "estimate")) == [(moment, 1.0) for moment in moments]
        assert ink.counts(df, ["name", "at"], [("x", moments[0])]).collect()[0].estimate == 1
    finally:
        monkeypatch.undo()
        time.tzset()


def test_of_sketches(spark: SparkSession, df: DataFrame, tmp_path: pathlib.Path) -> None:
    table = df.toArrow()
    built = inkling.build(table, "top,hll,count-min", key="word", by="page")
    built.save(tmp_path / "pages.ink")
    for given in (built, tmp_path / "pages.ink", f"file://{tmp_path}/pages.ink"):
        assert rows(ink.top(given, k=1)) == rows(ink.top(df, "word", k=1, by="page"))
        assert rows(ink.distinct(given)) == rows(ink.distinct(df, "word", by="page"))
        assert rows(ink.counts(given, keys=["the"])) == rows(ink.counts(df, "word", ["the"], by="page"))
    numbers = inkling.Sketch("top").add([7, 7, 8])
    assert rows(ink.top(numbers).select("key", "estimate")) == [(7, 2.0), (8, 1.0)]
    raw = inkling.Sketch("top").add([b"\xff", b"a"])
    assert sorted(row.key for row in ink.top(raw).collect()) == [b"a", b"\xff"]


def test_no_rows(df: DataFrame) -> None:
    nothing = df.limit(0)
    assert rows(ink.top(nothing, "word")) == []
    assert rows(ink.distinct(nothing, "word"))[0][0] == 0
    assert rows(ink.counts(nothing, "word", ["the"]).select("estimate")) == [(0.0,)]
    assert rows(ink.distinct(nothing, "word", by="page")) == []


# ---- Errors ---------------------------------------------------------------------------------------


def test_what_does_not_go_together(spark: SparkSession, df: DataFrame) -> None:
    sketch = inkling.Sketch("top").add("the")
    df = df.where(functions.raise_error(functions.lit("a job has started")).cast("boolean"))
    with pytest.raises(inkling.UsageError, match="no key, expected the column of a DataFrame"):
        ink.top(df)
    with pytest.raises(inkling.UsageError, match='no column "nope", expected one of "word", "page"'):
        ink.top(df, "nope")
    with pytest.raises(inkling.UsageError, match="no keys, expected keys= to count"):
        ink.counts(df, "word")
    with pytest.raises(inkling.MismatchError, match="int keys for a sketch of bytes keys"):
        ink.counts(df, "word", [7])
    with pytest.raises(inkling.UsageError, match="key= is for a DataFrame, and these are sketches"):
        ink.top(sketch, "word")
    with pytest.raises(inkling.UsageError, match="precision= is for a DataFrame"):
        ink.distinct(inkling.Sketch("hll").add("the"), precision=10)
    with pytest.raises(inkling.UsageError, match="last= for a DataFrame, expected sketches with time slots"):
        ink.top(df, "word", last=3)
    with pytest.raises(inkling.UnsupportedError, match="holds top, expected hll, theta, fm or a filter"):
        ink.distinct(sketch)
    with pytest.raises(inkling.UsageError, match="bloom cannot"):
        ink.top(inkling.Sketch("bloom", n=10).add("the"), kind="bloom")
    with pytest.raises(TypeError, match="sketches of type int"):
        ink.top(7)  # type: ignore[arg-type]
