"""bloom_join: row for row what join gives, with fewer rows shuffled; what would differ is refused."""

from __future__ import annotations

import datetime
import random
from collections import Counter
from typing import Any

import pytest
from known_frames import known_frame
from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql import types as T

import inkling
import inkling.spark as ink
from inkling.spark import _join


def rows(df: DataFrame) -> Counter[Any]:
    """Rows, however they are ordered, each as often as it is there."""
    return Counter(map(tuple, df.collect()))


def sides(spark: SparkSession) -> tuple[DataFrame, DataFrame]:
    """Keys that are in both, in one, null and repeated, on both sides."""
    generator = random.Random(11)
    big = [(generator.choice([None, *range(400)]), number) for number in range(1_200)]
    small = [(generator.choice([None, *range(-20, 40)]), f"s{number}") for number in range(60)]
    return known_frame(spark, big, "id long, visit int"), known_frame(spark, small, "id int, name string")


@pytest.mark.parametrize("how", ["inner", "left_semi", "right"])
def test_the_rows_of_join(spark: SparkSession, how: str) -> None:
    big, small = sides(spark)
    found, expected = ink.bloom_join(big, small, on="id", how=how), big.join(small, "id", how)
    assert found.schema == expected.schema
    assert rows(found) == rows(expected) and rows(found).total() > 0


@pytest.mark.parametrize("how", ["LEFT_SEMI", "leftsemi", "semi", "right", "right_outer", "rightOuter"])
def test_every_name_of_these_joins(how: str) -> None:
    _join._check_way(how)


def test_several_columns(spark: SparkSession) -> None:
    generator = random.Random(12)
    some = [None, "a", "b", "ab", ""]
    big = [(generator.choice(some), generator.choice([None, 1, 2, 12]), number) for number in range(300)]
    small = [(generator.choice(some), generator.choice([None, 1, 2, 12])) for _ in range(7)]
    left = known_frame(spark, big, "a string, b short, visit int")
    right = known_frame(spark, small, "A string, b long")
    found = ink.bloom_join(left, right, on=["a", "b"])
    assert rows(found) == rows(left.join(right, ["a", "b"]))


def test_types_of_keys(spark: SparkSession) -> None:
    """One tuple of all of them."""
    before = datetime.datetime(1969, 12, 31, 23, 59, 59)
    schema = "s string, b binary, d date, t timestamp, n timestamp_ntz, y byte"

    def row(n: int) -> tuple[Any, ...]:
        when = before.replace(microsecond=n)
        return str(n), str(n).encode(), before.date() + datetime.timedelta(days=n), when, when, n

    big = known_frame(spark, [row(n) for n in range(100)], schema)
    small = known_frame(spark, [row(n) for n in (3, 70, 120)], schema)
    found = ink.bloom_join(big, small, on=big.columns)
    assert rows(found) == rows(big.join(small, big.columns)) and rows(found).total() == 2
    for column in ("d", "t"):
        assert ink.bloom_join(big, small, on=column, how="left_semi").count() == 2


def test_names_with_anything_in_them(spark: SparkSession) -> None:
    big, small = (known_frame(spark, given, "`a.b` int") for given in ([(1,), (2,)], [(2,)]))
    assert rows(ink.bloom_join(big, small, on="a.b")) == {(2,): 1}


def test_rows_are_dropped_before_the_join(spark: SparkSession) -> None:
    big, small = spark.range(10_000), spark.range(50)
    joined = ink.bloom_join(big, small, on="id", p=0.001)
    plan = joined._jdf.queryExecution().optimizedPlan().toString().splitlines()
    # The filter stands below the join, on its first side, which the plan marks by a colon.
    below = plan[next(number for number, line in enumerate(plan) if "Join" in line) :]
    assert any("EvalPython" in line for line in below if line.lstrip().startswith(":"))
    assert joined.count() == 50


def test_a_side_that_is_not_the_same_twice_must_be_cached(spark: SparkSession) -> None:
    """Else the filter drops rows of keys that are there when they are read again."""
    chance: Any = functions.udf(lambda _: random.random() < 0.5, "boolean")
    big, lot = spark.range(100), chance.asNondeterministic()("id")
    some = big.where(lot)
    with pytest.raises(
        inkling.UsageError, match=r"the small side need not be the same twice.*small.cache\(\)"
    ):
        ink.bloom_join(big, some, on="id")
    cached = some.cache()
    try:
        assert rows(ink.bloom_join(big, cached, on="id")) == rows(big.join(cached, "id"))
    finally:
        cached.unpersist()
    beside = big.select("id", lot.alias("lot"))  # not a key: it is never asked for
    assert ink.bloom_join(big, beside, on="id").count() == 100


def test_an_empty_side(spark: SparkSession) -> None:
    big, small = sides(spark)
    nothing = small.limit(0)
    assert rows(ink.bloom_join(big, nothing, on="id")) == rows(big.join(nothing, "id")) == Counter()
    assert rows(ink.bloom_join(big.limit(0), small, on="id", how="right")) == rows(
        big.limit(0).join(small, "id", "right")
    )


def test_options_of_build(spark: SparkSession) -> None:
    big, small = sides(spark)
    found = ink.bloom_join(big, small, on="id", p=0.2, n=1_000, secret=b"sixteen bytes ok")
    assert rows(found) == rows(big.join(small, "id"))


# ---- Errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("left", "it keeps every row of the big side"),
        ("left_outer", "it keeps every row of the big side"),
        ("full", "it keeps every row of both sides"),
        ("full_outer", "it keeps every row of both sides"),
        ("outer", "it keeps every row of both sides"),
        ("left_anti", "it keeps just the rows that the filter drops"),
        ("anti", "it keeps just the rows that the filter drops"),
        ("cross", "it compares no keys"),
        ("sideways", "how 'sideways', expected"),
        (None, "how None, expected"),
    ],
)
def test_joins_that_keep_other_rows_are_refused(spark: SparkSession, how: Any, why: str) -> None:
    big, small = sides(spark)
    with pytest.raises(inkling.UsageError) as caught:
        ink.bloom_join(big, small, on="id", how=how)
    assert why in str(caught.value) and "expected inner, left_semi or right_outer" in str(caught.value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("string", "int"),
        ("string", "binary"),
        ("date", "timestamp"),
        ("date", "int"),
        ("timestamp", "timestamp_ntz"),
        ("long", "double"),
    ],
)
def test_types_that_make_other_keys_are_refused(spark: SparkSession, one: str, other: str) -> None:
    big, small = spark.createDataFrame([], f"k {one}"), spark.createDataFrame([], f"k {other}")
    with pytest.raises(inkling.MismatchError) as caught:
        ink.bloom_join(big, small, on="k")
    names = [df.schema["k"].dataType.simpleString() for df in (big, small)]
    expected = f'column "k" is {names[0]} in the big side and {names[1]} in the small one, expected one type'
    assert str(caught.value).startswith(expected)


@pytest.mark.parametrize("type_", ["double", "decimal(9,2)", "boolean", "array<int>", "struct<a:int>"])
def test_types_that_cannot_be_keys_are_refused(spark: SparkSession, type_: str) -> None:
    big = spark.createDataFrame([], f"k {type_}")
    with pytest.raises(inkling.UnsupportedError, match='column "k" holds .*, expected integers, strings'):
        ink.bloom_join(big, big, on="k")


def test_a_collation_is_refused(spark: SparkSession) -> None:
    """'A' equals 'a' in it, and their bytes do not."""
    big = spark.createDataFrame([], T.StructType([T.StructField("k", T.StringType("UTF8_LCASE"))]))
    plain = spark.createDataFrame([], "k string")
    for one, other in ((big, big), (plain, big)):
        with pytest.raises(inkling.UnsupportedError, match="compared by UTF8_LCASE, expected UTF8_BINARY"):
            ink.bloom_join(one, other, on="k")


def test_strings_that_are_padded_to_other_lengths_are_refused(spark: SparkSession) -> None:
    def padded(size: int) -> DataFrame:
        field = T.StructField("k", T.StringType(), metadata={"__CHAR_VARCHAR_TYPE_STRING": f"char({size})"})
        return spark.createDataFrame([], T.StructType([field]))

    with pytest.raises(inkling.MismatchError, match=r"char\(5\) in the big side and char\(7\) in the small"):
        ink.bloom_join(padded(5), padded(7), on="k")
    assert rows(ink.bloom_join(padded(5), padded(5), on="k")) == Counter()


def test_a_column_that_is_not_there(spark: SparkSession) -> None:
    started = functions.raise_error(functions.lit("a job has started")).cast("boolean")
    big, small = (side.where(started) for side in sides(spark))
    with pytest.raises(inkling.NotFoundError, match='no column "visit" in the small side, .* of id, name'):
        ink.bloom_join(big, small, on="visit")
    with pytest.raises(inkling.NotFoundError, match='no column "name" in the big side, .* of id, visit'):
        ink.bloom_join(big, small, on=["id", "name"])
    with pytest.raises(inkling.UsageError, match="on names no column, expected at least one"):
        ink.bloom_join(big, small, on=[])
    with pytest.raises(TypeError, match="on of type Column, expected the name of a column of both sides"):
        ink.bloom_join(big, small, on=[big.id])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="on of type Column, expected the name of a column of both sides"):
        ink.bloom_join(big, small, on=big.id == small.id)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="small of type str, expected a DataFrame of Spark"):
        ink.bloom_join(big, "small", on="id")  # type: ignore[arg-type]


def test_the_kind_is_not_to_be_chosen(spark: SparkSession) -> None:
    big, small = sides(spark)
    with pytest.raises(inkling.UsageError, match="a kind, expected none"):
        ink.bloom_join(big, small, on="id", kind="classic")
