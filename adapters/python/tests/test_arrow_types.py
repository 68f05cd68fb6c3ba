"""Every type of Arrow column is read as the keys it stands for, at any offset and with any nulls, or refused
by its name."""

from __future__ import annotations

import datetime
import decimal
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest

import inkling
from inkling import Sketch


def fresh(**more: Any) -> Sketch:
    """A sketch whose bytes hold every key, and how often it came."""
    return Sketch("count-min", eps=0.0005, **more)


def digest(keys: Any, **more: Any) -> str:
    return fresh().add(keys, **more).digest


_DAY = datetime.date(1970, 1, 1)
_TIME = datetime.datetime(1970, 1, 1)

# For each type of column values, and the keys they stand for.
SUPPORTED: dict[str, tuple[Any, Callable[[int], Any], Callable[[int], Any]]] = {
    **{
        str(kind): (kind, lambda i: i, lambda i: i)
        for kind in map(pyarrow.type_for_alias, "int8 uint8 int16 uint16 int32 uint32 int64 uint64".split())
    },
    **{
        str(kind): (kind, str, str)
        for kind in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view())
    },
    "long string_view": (pyarrow.string_view(), lambda i: "long " * 4 + str(i), lambda i: "long " * 4 + str(i)),
    **{
        str(kind): (kind, lambda i: b"\xff%d" % i, lambda i: b"\xff%d" % i)
        for kind in (pyarrow.binary(), pyarrow.large_binary(), pyarrow.binary_view())
    },
    "fixed_size_binary[3]": (pyarrow.binary(3), lambda i: b"%03d" % i, lambda i: b"%03d" % i),
    "date32": (pyarrow.date32(), lambda i: _DAY + datetime.timedelta(i), lambda i: i),
    "date64": (pyarrow.date64(), lambda i: _DAY + datetime.timedelta(i), lambda i: i),
    **{
        f"timestamp[{unit}]": (
            pyarrow.timestamp(unit),
            lambda i: _TIME + datetime.timedelta(seconds=i),
            lambda i: i * 1_000_000,
        )
        for unit in ("s", "ms", "us", "ns")
    },
    "timestamp with a zone": (
        pyarrow.timestamp("us", "Europe/Rome"), lambda i: _TIME + datetime.timedelta(microseconds=i), lambda i: i,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SUPPORTED)
@pytest.mark.parametrize("as_dictionary", [False, True], ids=["plain", "dictionary"])
@pytest.mark.parametrize("nulls", [0, 2, 3], ids=["no nulls", "each second", "each third"])
def test_columns_at_any_offset_with_any_nulls(name: str, as_dictionary: bool, nulls: int) -> None:
    kind, value, key = SUPPORTED[name]
    count = 120
    values = [None if nulls and i % nulls == 0 else value(i) for i in range(count)]
    keys = [None if nulls and i % nulls == 0 else key(i) for i in range(count)]
    column = pyarrow.array(values, kind)
    if as_dictionary:
        if kind in (pyarrow.string_view(), pyarrow.binary_view()):
            words = pyarrow.array([each for each in values if each is not None], kind)
            positions = iter(range(len(words)))
            indices = [None if each is None else next(positions) for each in values]
            column = pyarrow.DictionaryArray.from_arrays(pyarrow.array(indices, pyarrow.int16()), words)
        else:
            column = column.dictionary_encode()
    for start, end in ((0, 120), (1, 120), (7, 9), (8, 64), (63, 120), (65, 66), (5, 5)):
        wanted = [each for each in keys[start:end] if each is not None]
        found = fresh().add(column[start:end])
        assert found.records == len(wanted)
        assert found.digest == digest(wanted) or not wanted
        if wanted and len(wanted) < end - start:
            with pytest.raises(inkling.MismatchError, match="null") as caught:
                fresh().add(column[start:end], nulls="refuse")
            first = next(row for row, each in enumerate(keys[start:end]) if each is None)
            assert (caught.value.location, caught.value.at) == ("key", first)
        elif wanted:
            assert fresh().add(column[start:end], nulls="refuse").records == len(wanted)
        table = pyarrow.record_batch({"no": pyarrow.nulls(count), "key": column})[start:end]
        assert fresh().add(table, key="key").digest == found.digest
        assert fresh().add(table, key=2).digest == found.digest


@pytest.mark.parametrize("name", SUPPORTED)
def test_questions_are_answered_row_by_row_and_a_null_is_nowhere(name: str) -> None:
    kind, value, _ = SUPPORTED[name]
    sketch = Sketch("classic", n=1000, p=1e-9).add(pyarrow.array([value(i) for i in range(0, 100, 2)], kind))
    column = pyarrow.array([None if i % 7 == 0 else value(i) for i in range(100)], kind)[3:]
    answers = sketch.query(column)
    assert isinstance(answers, numpy.ndarray) and answers.dtype == bool
    assert answers.tolist() == [i % 7 != 0 and i % 2 == 0 for i in range(3, 100)]
    with pytest.raises(inkling.MismatchError, match="null"):
        sketch.query(column, nulls="refuse")


REFUSED: dict[str, tuple[Any, str]] = {
    "bool": (pyarrow.array([True]), "booleans"),
    "half": (pyarrow.array([1.5], pyarrow.float16()), "floats \\(half\\)"),
    "float": (pyarrow.array([1.5], pyarrow.float32()), "floats \\(single\\)"),
    "double": (pyarrow.array([1.5]), "floats \\(double\\)"),
    "decimal": (pyarrow.array([decimal.Decimal("1.5")]), "decimals"),
    "time": (pyarrow.array([datetime.time(1)]), "times of day"),
    "duration": (pyarrow.array([datetime.timedelta(1)]), "durations"),
    "interval": (pyarrow.array([pyarrow.MonthDayNano([1, 2, 3])]), "intervals"),
    "list": (pyarrow.array([[1]]), "lists"),
    "large list": (pyarrow.array([[1]], pyarrow.large_list(pyarrow.int8())), "lists \\(large\\)"),
    "fixed list": (pyarrow.array([[1]], pyarrow.list_(pyarrow.int8(), 1)), "lists \\(fixed-size\\)"),
    "map": (pyarrow.array([[(1, 2)]], pyarrow.map_(pyarrow.int8(), pyarrow.int8())), "maps"),
    "runs": (pyarrow.RunEndEncodedArray.from_arrays([2], [7]), "runs"),
    "union": (pyarrow.UnionArray.from_sparse(pyarrow.array([0], pyarrow.int8()), [pyarrow.array([1])]), "unions"),
    "dictionary of doubles": (pyarrow.array([1.5]).dictionary_encode(), "floats \\(double\\)"),
    "numpy bool": (numpy.array([True]), "booleans"),
    "numpy double": (numpy.array([1.5]), "floats \\(double\\)"),
    "numpy single": (numpy.array([1.5], dtype="f4"), "floats \\(single\\)"),
    "polars double": (polars.Series([1.5]), "floats \\(double\\)"),
    "polars list": (polars.Series([[1]]), "lists"),
    "pandas double": (pandas.Series([1.5]), "floats \\(double\\)"),
    "pandas boolean": (pandas.Series([True, None], dtype="boolean"), "booleans"),
    "duckdb double": (duckdb.sql("select 1.5::double as x"), "floats \\(double\\)"),
    "duckdb hugeint": (duckdb.sql("select 1::hugeint as x"), "(decimals|floats)"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_keys_is_refused_by_name(name: str) -> None:
    data, words = REFUSED[name]
    for sketch in (fresh(), fresh(key_type="int")):
        with pytest.raises(inkling.UnsupportedError, match=f"holds {words}.*, expected integers, strings"):
            sketch.add(data)
        assert sketch.records == 0
    if isinstance(data, pyarrow.Array):
        with pytest.raises(inkling.UnsupportedError, match=f'column "x" holds {words}'):
            fresh().add(pyarrow.table({"k": ["a"] * len(data), "x": data}), key="x")
        assert fresh().add(pyarrow.table({"k": ["a"] * len(data), "x": data}), key="k").records == len(data)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (pandas.Series(pandas.period_range("2020-01", periods=2, freq="M")), "type period.M., expected timestamps"),
        (pandas.period_range("2020-01", periods=2, freq="M"), "type period.M., expected timestamps"),
        (pandas.Series(pandas.interval_range(0, 2)), "type interval.int64, right., expected one of their bounds"),
        (pandas.cut(pandas.Series([1, 2, 3]), 2), "type interval.float64, right., expected one of their bounds"),
        (pandas.Series([0, 1], dtype=pandas.SparseDtype("int64")), "type Sparse.int64, 0., expected dense values"),
        (pandas.arrays.SparseArray([0, 1]), "type Sparse.int64, 0., expected dense values"),
        (pandas.Series(pandas.to_timedelta([1, 2], unit="s")), "an array of timedelta64.*, expected integers, times"),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_types_of_pandas_that_cannot_be_keys_are_refused_by_name(data: Any, words: str) -> None:
    for key_type in (None, "int", "bytes"):
        for keys in (data, data[:0]):
            with pytest.raises(inkling.UnsupportedError, match=words):
                fresh(key_type=key_type).add(keys)
    with pytest.raises(inkling.UnsupportedError, match=f'^column "x": .*{words}'):
        fresh().add(pandas.DataFrame({"x": data}))
    frame = pandas.DataFrame({"x": data, "k": ["a"] * len(data)})
    assert fresh().add(frame, key="k").records == len(data)


@pytest.mark.parametrize(
    "data",
    [
        pandas.Series([], dtype="float64"),
        pandas.Series([], dtype="float32"),
        pandas.Series([], dtype="Float64"),
        pandas.Series([], dtype="bool"),
        numpy.array([], dtype="float32"),
        numpy.array([], dtype=bool),
        polars.Series([], dtype=polars.Float64),
        pyarrow.array([], pyarrow.float64()),
        pandas.DataFrame({"a": pandas.Series([], dtype="float64")}),
    ],
    ids=lambda data: type(data).__name__,
)
def test_the_type_decides_also_where_there_are_no_rows(data: Any) -> None:
    with pytest.raises(inkling.UnsupportedError, match="holds (floats|booleans)"):
        fresh().add(data)


def test_ints_that_pandas_made_floats_are_refused_with_what_to_do() -> None:
    numbers = pandas.Series([1, None, 3])
    assert numbers.dtype == "float64"
    with pytest.raises(inkling.UnsupportedError, match="^the array holds floats.*whole numbers and NaN.*Int64"):
        fresh().add(numbers)
    for frame in (pandas.DataFrame({"x": numbers}), pandas.DataFrame({"x": numbers, "y": ["a"] * 3})):
        with pytest.raises(inkling.UnsupportedError, match='^column "x" holds floats.*whole numbers and NaN.*Int64'):
            fresh().add(frame, key="x")
        with pytest.raises(inkling.UnsupportedError, match='column "x" holds floats.*whole numbers and NaN.*Int64'):
            inkling.build(frame, "hll", key="x", progress=False)
    assert fresh().add(numbers.astype("Int64")).digest == fresh().add(numbers.dropna().astype("int64")).digest
    for other in ([1.5, None], [1.0, 2.0]):
        with pytest.raises(inkling.UnsupportedError, match="holds floats .double., expected integers"):
            fresh().add(pandas.Series(other))
    groups = pandas.DataFrame({"k": ["a", "b", "c"], "g": numbers})
    assert set(inkling.build(groups, "hll", key="k", by="g", progress=False)) == {"1", "3", None}


class Broken:
    """A producer that cannot produce."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, name: str) -> Any:
        if name != self.name:
            raise AttributeError(name)

        def fail(*more: object, **options: object) -> None:
            raise LookupError("the well\nis dry")

        return fail


@pytest.mark.parametrize("name", ["__arrow_c_stream__", "__arrow_c_array__"])
def test_what_goes_wrong_in_a_producer_names_it(name: str) -> None:
    words = r"Broken does not give its values \(LookupError: the well is dry\), expected a column or a table"
    for take in (fresh().add, lambda data: inkling.build(data, "hll", progress=False)):
        with pytest.raises(inkling.UnsupportedError, match=words) as caught:
            take(Broken(name))
        assert isinstance(caught.value.__cause__, LookupError)


@pytest.mark.parametrize("given", [None, 7, "text", (1, 2), pyarrow.array([1]).__arrow_c_array__()])
@pytest.mark.parametrize("name", ["__arrow_c_stream__", "__arrow_c_array__"])
def test_what_a_producer_gives_must_be_capsules(name: str, given: Any) -> None:
    producer = type("Wrong", (), {name: lambda self, requested_schema=None: given})()
    if name == "__arrow_c_array__" and isinstance(given, tuple) and given != (1, 2):
        assert fresh().add(producer).records == 1
        return
    with pytest.raises(inkling.UnsupportedError, match=r"Wrong does not give its values \(.*\), expected a column"):
        fresh().add(producer)


def test_what_goes_wrong_in_an_array_names_it() -> None:
    class Tensor:
        def __array__(self, dtype: object = None, copy: object = None) -> Any:
            raise RuntimeError("on another device")

    with pytest.raises(inkling.UnsupportedError, match="Tensor does not give its values .RuntimeError: on another"):
        fresh().add(Tensor())


def test_a_column_of_structs_is_a_table() -> None:
    pairs = pyarrow.array([{"a": "x", "b": 1}, {"a": "y", "b": 2}])
    assert fresh().add(pairs, key="a").digest == digest(["x", "y"])
    assert fresh().add(pyarrow.array([{"a": "x"}, {"a": "y"}])).digest == digest(["x", "y"])
    assert fresh().add(polars.Series([{"a": "x"}, {"a": "y"}])).digest == digest(["x", "y"])
    with pytest.raises(inkling.UsageError, match='2 columns and none named as the key, expected one of "a", "b"'):
        fresh().add(pairs)


def test_a_struct_in_a_table_is_no_key() -> None:
    table = pyarrow.table({"x": pyarrow.array([{"a": 1}])})
    with pytest.raises(inkling.UnsupportedError, match='column "x" holds structs'):
        fresh().add(table)


# ---- Structs ----------------------------------------------------------------------------------------------


def test_offsets_of_a_struct_and_of_its_columns_add_up() -> None:
    whole = pyarrow.array([f"k{i}" for i in range(40)])
    numbers = pyarrow.array(range(100, 140), pyarrow.int16())
    inner = pyarrow.StructArray.from_arrays([whole[3:35], numbers[5:37]], names=["key", "number"])
    for start, end in ((0, 32), (1, 32), (4, 9), (31, 32), (8, 8)):
        cut = inner[start:end]
        texts = [f"k{i + 3}" for i in range(start, end)]
        assert fresh().add(cut, key="key").digest == digest(texts) or not texts
        assert fresh().add(cut, key="number").digest == digest([i + 105 for i in range(start, end)]) or not texts
        pairs = [(f"k{i + 3}", i + 105) for i in range(start, end)]
        assert fresh().add(cut, key=["key", "number"]).digest == digest(pairs) or not texts
        batch = pyarrow.RecordBatch.from_struct_array(inner)[start:end]
        assert fresh().add(batch, key="number").digest == fresh().add(cut, key="number").digest
        weights = [i % 3 for i in range(start, end)]
        weighted = fresh().add(cut, key="key", weight=pyarrow.array([9, *weights])[1:])
        assert weighted.digest == digest(texts, weight=weights) or not texts


def test_rows_of_a_struct_that_are_null_have_no_key() -> None:
    rows = [None if i % 5 == 2 else {"a": i, "b": str(i)} for i in range(50)]
    column = pyarrow.array(rows)[1:]
    kept = [row for row in rows[1:] if row is not None]
    assert fresh().add(column, key="a").digest == digest([row["a"] for row in kept])
    assert fresh().add(column, key=["b", "a"]).digest == digest([(row["b"], row["a"]) for row in kept])
    weights = list(range(49))
    expected = digest([row["a"] for row in kept], weight=[row["a"] - 1 for row in kept])
    assert fresh().add(column, key="a", weight=weights).digest == expected
    with pytest.raises(inkling.MismatchError, match="null") as caught:
        fresh().add(column, key="a", nulls="refuse")
    assert caught.value.at == 1


def test_a_null_in_any_column_of_a_tuple_is_a_null() -> None:
    table = pyarrow.table({"a": ["x", None, "y", "z"], "b": [1, 2, None, 4]})
    sketch = fresh().add(table, key=["a", "b"])
    assert sketch.records == 2
    assert sketch.digest == digest([("x", 1), ("z", 4)])
    assert sketch.digest == digest([("x", 1), (None, 2), ("y", None), ("z", 4)])
    with pytest.raises(inkling.MismatchError, match="null"):
        fresh().add(table, key=["a", "b"], nulls="refuse")


def test_nulls_of_iterables_are_skipped_or_refused() -> None:
    for keys in (["a", None, "b"], iter(["a", None, "b"]), numpy.array(["a", None, "b"], dtype=object)):
        assert fresh().add(keys).digest == digest(["a", "b"])
    for keys in (["a", None, "b"], iter(["a", None, "b"]), numpy.ma.array([1, 2, 3], mask=[0, 1, 0])):
        with pytest.raises(inkling.MismatchError, match="null") as caught:
            fresh().add(keys, nulls="refuse")
        assert (caught.value.location, caught.value.at) == ("key", 1)
    assert Sketch("bloom", n=10).add("a").query(["a", None]) == [True, False]


def test_a_row_that_is_refused_is_counted_from_the_first_one_of_all() -> None:
    def keys() -> Iterator[str | None]:
        yield from map(str, range(40_000))
        yield None

    with pytest.raises(inkling.MismatchError) as caught:
        fresh().add(keys(), nulls="refuse")
    assert (caught.value.location, caught.value.at) == ("key", 40_000)
    with pytest.raises(inkling.MismatchError) as caught:
        fresh().add(pyarrow.chunked_array([["a", "b"], ["c", None]]), nulls="refuse")
    assert caught.value.at == 3


@pytest.mark.parametrize(("keys", "weight"), [(["a", None], 2), (["a", None], [1, 2]), (["a", "b"], [1, None])])
def test_nulls_are_refused_beside_weights_too(keys: Any, weight: Any) -> None:
    for given in (keys, pyarrow.array(keys)):
        counts = inkling.Sketch("count-min")
        with pytest.raises(inkling.MismatchError, match="is null, expected no nulls") as caught:
            counts.add(given, weight=weight, nulls="refuse")
        assert (caught.value.at, counts.records) == (1, 0)
        assert counts.add(given, weight=weight).count("a") == (weight if isinstance(weight, int) else 1)


@pytest.mark.parametrize("key_type", ["int", "bytes", None])
def test_nothing_but_nulls_is_no_key_of_any_type(key_type: Any) -> None:
    sketch = fresh(key_type=key_type)
    for data in ([None, None], pyarrow.nulls(3), pyarrow.table({"a": pyarrow.nulls(2)}), polars.Series([None])):
        assert sketch.add(data).records == 0
    sketch.add([7] if key_type == "int" else ["a"])
    if key_type is None:
        other = fresh().add([None]).add([7])
        assert other.key_type == "int"


# ---- Empty ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        [],
        (key for key in ()),
        set(),
        {},
        range(0),
        numpy.array([]),
        numpy.array([], dtype="i4"),
        numpy.array([], dtype="U1"),
        numpy.array([], dtype="M8[s]"),
        pyarrow.array([], pyarrow.int8()),
        pyarrow.array([], pyarrow.string()),
        pyarrow.array([], pyarrow.string()).dictionary_encode(),
        pyarrow.chunked_array([], pyarrow.string()),
        pyarrow.table({"a": pyarrow.array([], pyarrow.string())}),
        polars.Series([], dtype=polars.String),
        polars.DataFrame({"a": []}, schema={"a": polars.String}),
        pandas.Series([], dtype=object),
        pandas.Series([], dtype="str"),
        pandas.Series([], dtype="int64"),
        pandas.DataFrame({"a": pandas.Series([], dtype="str")}),
        duckdb.sql("select 'a' as x where false"),
    ],
    ids=lambda data: type(data).__name__,
)
def test_nothing_adds_nothing_and_decides_nothing(data: Any) -> None:
    sketch = fresh().add(data)
    assert sketch.records == 0
    for first in ("a", 7):
        assert fresh().add(data).add([first]).records == 1
    answer = Sketch("bloom", n=10).add("a").query(pyarrow.array([], pyarrow.string()))
    assert len(answer) == 0


@pytest.mark.parametrize("data", [pandas.DataFrame(), pandas.DataFrame(index=[1, 2]), polars.DataFrame()], ids=len)
def test_a_table_without_columns_has_no_keys(data: Any) -> None:
    for key in (None, "x"):
        with pytest.raises(inkling.UsageError, match="an array without columns, expected one that is the key"):
            fresh().add(data, key=key)


def test_a_column_that_is_not_there_is_refused_also_where_there_are_no_rows() -> None:
    for table in (
        pyarrow.table({"a": ["x"]}),
        pyarrow.table({"a": pyarrow.array([], pyarrow.string())}),
        polars.DataFrame({"a": ["x"]}),
        pandas.DataFrame({"a": ["x"]}),
        pandas.DataFrame({"a": []}, dtype=str),
        duckdb.sql("select 'x' as a"),
    ):
        with pytest.raises(inkling.UsageError, match='no column "nope"'):
            fresh().add(table, key="nope")
    with pytest.raises(inkling.UsageError, match='2 columns and none named as the key, expected one of "a", "b"'):
        fresh().add(pyarrow.table({"a": [1], "b": [2]}))


# ---- Files that pyarrow reads -----------------------------------------------------------------------------


def test_datasets_and_parquet_files_are_tables_that_come_batch_by_batch(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "t.parquet"
    users = [f"u{i % 700}" for i in range(3000)]
    table = pyarrow.table({"odd": [[1]] * 3000, "user": users, "n": range(3000)})
    pyarrow.parquet.write_table(table, path, row_group_size=1000)
    want = digest(users, weight=list(range(3000)))
    for make in (
        pyarrow.parquet.ParquetFile,
        pyarrow.dataset.dataset,
        lambda path: pyarrow.dataset.dataset(path).scanner(batch_size=500),
    ):
        assert fresh().add(make(path), key="user", weight="n").digest == want
        assert fresh().add(make(path), key=2, weight="3").digest == want
        assert fresh().add(make(path), key="user", weight=list(range(3000))).digest == want
        answers = Sketch("bloom", n=3000).add(users[:1]).query(make(path), key="user")
        assert isinstance(answers, numpy.ndarray) and answers.tolist() == [user == "u0" for user in users]
        made = inkling.build(make(path), "count-min", key="user", weight="n", eps=0.0005, progress=False)
        assert isinstance(made, Sketch) and made.digest == want
        with pytest.raises(inkling.UsageError, match='no column "usr", expected one of "odd", "user", "n"'):
            fresh().add(make(path), key="usr")


def test_a_file_of_no_rows_still_has_columns(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"user": pyarrow.array([], pyarrow.string())}), path)
    for make in (pyarrow.parquet.ParquetFile, pyarrow.dataset.dataset):
        assert fresh().add(make(path)).records == 0
        with pytest.raises(inkling.UsageError, match='no column "usr", expected one of "user"'):
            fresh().add(make(path), key="usr")


# ---- Values that do not fit -------------------------------------------------------------------------------


def test_times_finer_than_microseconds_are_refused_with_their_row() -> None:
    for data in (numpy.array([1000, 1], dtype="M8[ns]"), pyarrow.array([1000, 1], pyarrow.timestamp("ns"))):
        sketch = fresh()
        with pytest.raises(inkling.InklingError, match="microseconds") as caught:
            sketch.add(data)
        assert (caught.value.location, caught.value.at, sketch.records) == ("key", 1, 0)


def test_weights_below_zero_are_refused_with_their_row() -> None:
    sketch = fresh()
    for weights in ([1, -1], numpy.array([1, -1]), pyarrow.array([1, -1], pyarrow.int8())):
        with pytest.raises(inkling.InklingError, match="weight|negative") as caught:
            sketch.add(["a", "b"], weight=weights)
        assert (caught.value.at, sketch.records) == (1, 0)
    with pytest.raises(inkling.UnsupportedError, match="floats.*expected integers as weights"):
        sketch.add(["a", "b"], weight=numpy.array([1.0, 2.0]))
    assert sketch.add(["a", "b"], weight=[None, 2]).digest == digest(["b"], weight=[2])
