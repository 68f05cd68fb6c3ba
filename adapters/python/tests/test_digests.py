"""A key is the same key by every way in: sketches of the same keys have the digest of what `ink build` makes."""

from __future__ import annotations

import datetime
import decimal
import functools
from array import array
from collections.abc import Callable
from typing import Any

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pytest

import inkling
from inkling import Sketch

# The options of each kind in Python, and on the command line. Order counts for some, and a size for most.
KINDS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "bloom": ({"n": 2000}, ["-n", "2000"]),
    "classic": ({"n": 2000, "p": 0.001}, ["-n", "2000", "-p", "0.001"]),
    "counting": ({"n": 2000}, ["-n", "2000"]),
    "scalable": ({"n": 50}, ["-n", "50"]),
    "count-min": ({"eps": 0.01, "conservative": True}, ["--eps", "0.01", "--conservative"]),
    "top": ({"k": 7}, ["-k", "7"]),
    "fm": ({}, []),
    "hll": ({"precision": 10}, ["--precision", "10"]),
    "theta": ({"precision": 6}, ["--precision", "6"]),
    "fuse": ({"p": 0.001}, ["-p", "0.001"]),
}
ADDED = [kind for kind in KINDS if not inkling.kind_info(kind).made_whole]  # take keys after they are made

TEXTS = [f"{'Straße ' * (i % 3)}{i * i % 401}" for i in range(1200)] + ["", "x" * 300, "🌳", "a", "a"]
NUMBERS = [i * i % 101 for i in range(1200)]
WIDE = [0, -1, -(2**63), 2**63 - 1, 12345, -12345, 7, 7]
DAYS = [i * i % 20_000 - 5000 for i in range(300)]

Build = Callable[..., str]


@pytest.fixture(scope="module")
def built(ink: Any, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """The digest of what the command makes of lines; each is made once."""
    folder = tmp_path_factory.mktemp("built")
    known: dict[object, str] = {}

    def build(kind: str, name: str, lines: list[Any], *options: str) -> str:
        key = kind, name, options
        if key not in known:
            source, target = folder / f"{name}.txt", folder / f"{kind}-{name}.ink"
            source.write_text("".join(f"{line}\n" for line in lines))
            ink("build", kind, source, "-o", target, "--quiet", "--force", *KINDS[kind][1], *options)
            known[key] = Sketch.open(target).digest
        return known[key]

    return build


def sketch_of(kind: str, keys: Any, **more: Any) -> Sketch:
    return Sketch(kind, **KINDS[kind][0]).add(keys, **more)


def one_by_one(kind: str, keys: list[Any]) -> Sketch:
    sketch = Sketch(kind, **KINDS[kind][0])
    for key in keys:
        sketch.add(key)
    return sketch


def test_every_kind_is_here() -> None:
    assert set(KINDS) == set(inkling.kinds())


# ---- Bytes ------------------------------------------------------------------------------------------------


def chunked(values: Any, kind: Any) -> Any:
    """Arrow data in chunks of odd sizes, one of them empty, that begin in the midst of others."""
    whole = pyarrow.array([values[0], *values, values[0]], kind)
    cuts = [1, 2, 9, 9, 74, len(values) + 1]
    return pyarrow.chunked_array([whole[start:end] for start, end in zip(cuts, cuts[1:])])


def sql(values: list[Any], kind: str) -> Any:
    table = pyarrow.table({"key": values})  # noqa: F841, which DuckDB finds by its name
    return duckdb.sql(f"select key::{kind} as key from table_of_keys", connection=_connected(table))


def _connected(table: Any) -> Any:
    connection = duckdb.connect()
    connection.execute("set threads = 1")
    connection.register("table_of_keys", table)
    return connection


def encoded(keys: list[str]) -> list[bytes]:
    return [key.encode() for key in keys]


TEXT_WAYS: dict[str, Callable[[list[str]], Any]] = {
    "list": list,
    "generator": lambda keys: (key for key in keys),
    "map": lambda keys: map(str, keys),
    "list of bytes": encoded,
    "list of bytearray and memoryview": lambda keys: [
        memoryview(key) if i % 2 else bytearray(key) for i, key in enumerate(encoded(keys))
    ],
    "numpy U": numpy.array,
    "numpy big-endian U": lambda keys: numpy.array(keys, dtype=">U300"),
    "numpy S": lambda keys: numpy.array(encoded(keys)),
    "numpy object": lambda keys: numpy.array(keys, dtype=object),
    "numpy StringDType": lambda keys: numpy.array(keys, dtype=numpy.dtypes.StringDType()),
    "numpy strided": lambda keys: numpy.array([each for key in keys for each in (key, "no")])[::2],
    "pyarrow string": lambda keys: pyarrow.array(keys),
    "pyarrow large_string": lambda keys: pyarrow.array(keys, pyarrow.large_string()),
    "pyarrow string_view": lambda keys: pyarrow.array(keys, pyarrow.string_view()),
    "pyarrow binary": lambda keys: pyarrow.array(encoded(keys)),
    "pyarrow large_binary": lambda keys: pyarrow.array(encoded(keys), pyarrow.large_binary()),
    "pyarrow binary_view": lambda keys: pyarrow.array(encoded(keys), pyarrow.binary_view()),
    "pyarrow dictionary": lambda keys: pyarrow.array(keys).dictionary_encode(),
    "pyarrow dictionary of large": lambda keys: pyarrow.array(keys, pyarrow.large_string()).dictionary_encode(),
    "pyarrow sliced": lambda keys: pyarrow.array(["no", *keys, "no"])[1:-1],
    "pyarrow sliced dictionary": lambda keys: pyarrow.array(["no", *keys, "no"]).dictionary_encode()[1:-1],
    "pyarrow chunked": lambda keys: chunked(keys, pyarrow.string()),
    "pyarrow chunked large": lambda keys: chunked(keys, pyarrow.large_string()),
    "pyarrow chunked views": lambda keys: chunked(keys, pyarrow.string_view()),
    "pyarrow Table": lambda keys: pyarrow.table({"key": chunked(keys, pyarrow.string())}),
    "pyarrow RecordBatch": lambda keys: pyarrow.record_batch({"key": keys}),
    "pyarrow RecordBatchReader": lambda keys: pyarrow.table({"key": keys}).to_reader(max_chunksize=100),
    "polars Series": lambda keys: polars.Series(keys),
    "polars Categorical": lambda keys: polars.Series(keys, dtype=polars.Categorical),
    "polars Enum": lambda keys: polars.Series(keys, dtype=polars.Enum(sorted(set(keys)))),
    "polars Binary": lambda keys: polars.Series(encoded(keys)),
    "polars DataFrame": lambda keys: polars.DataFrame({"key": keys}),
    "polars chunks": lambda keys: polars.concat(
        [polars.Series(keys[:5]), polars.Series(keys[5:])], rechunk=False
    ),
    "pandas str": lambda keys: pandas.Series(keys),
    "pandas object": lambda keys: pandas.Series(keys, dtype=object),
    "pandas string": lambda keys: pandas.Series(keys, dtype="string"),
    "pandas category": lambda keys: pandas.Series(keys, dtype="category"),
    "pandas arrow": lambda keys: pandas.Series(keys, dtype=pandas.ArrowDtype(pyarrow.string())),
    "pandas bytes": lambda keys: pandas.Series(encoded(keys), dtype=object),
    "pandas Index": lambda keys: pandas.Index(keys),
    "pandas DataFrame": lambda keys: pandas.DataFrame({"key": keys}, index=range(5, 5 + len(keys))),
    "duckdb": lambda keys: sql(keys, "varchar"),
    "duckdb blob": lambda keys: sql(keys, "blob"),
}


ONCE = ("generator", "map", "pyarrow RecordBatchReader")  # ways that can be gone once


@functools.cache
def kept(way: str) -> Any:
    return TEXT_WAYS[way](TEXTS)


@functools.cache
def kept_ints(way: str) -> Any:
    return INT_WAYS[way](NUMBERS)


@pytest.mark.parametrize("kind", ADDED)
@pytest.mark.parametrize("way", TEXT_WAYS)
def test_texts_by_every_way_in_are_the_same(kind: str, way: str, built: Build) -> None:
    if way == "duckdb blob":
        texts = [text for text in TEXTS if text.isascii()]  # a cast to blob reads others as escapes
        assert sketch_of(kind, sql(texts, "blob")).digest == sketch_of(kind, texts).digest
        return
    sketch = sketch_of(kind, TEXT_WAYS[way](TEXTS) if way in ONCE else kept(way))
    assert sketch.digest == built(kind, "texts", TEXTS)
    assert (sketch.records, sketch.key_type) == (len(TEXTS), "bytes")


@pytest.mark.parametrize("kind", ADDED)
def test_one_by_one_is_the_same(kind: str, built: Build) -> None:
    assert one_by_one(kind, TEXTS).digest == built(kind, "texts", TEXTS)
    assert one_by_one(kind, NUMBERS).digest == built(kind, "numbers", NUMBERS, "--key-type", "int")


@pytest.mark.parametrize("kind", ADDED)
def test_sets_and_mappings_are_the_same(kind: str, built: Build) -> None:
    once = dict.fromkeys(TEXTS)
    assert sketch_of(kind, once).digest == built(kind, "once", list(once))
    assert sketch_of(kind, once.keys()).digest == built(kind, "once", list(once))
    if kind not in ("scalable", "count-min", "top"):  # in these the order of keys is kept
        assert sketch_of(kind, set(TEXTS)).digest == built(kind, "once", list(once))


def test_fixed_size_binary_is_the_same(built: Build) -> None:
    keys = [f"{i % 77:04}" for i in range(500)]
    data = pyarrow.array([b"----", *encoded(keys)], pyarrow.binary(4))[1:]
    for kind in ADDED:
        assert sketch_of(kind, data).digest == built(kind, "fixed", keys)
        assert sketch_of(kind, numpy.array(encoded(keys), dtype="S4")).digest == built(kind, "fixed", keys)


# ---- Ints -------------------------------------------------------------------------------------------------

INT_WAYS: dict[str, Callable[[list[int]], Any]] = {
    "list": list,
    "generator": lambda keys: (key for key in keys),
    "list of numpy scalars": lambda keys: [numpy.int16(key) for key in keys],
    **{f"array {code}": lambda keys, code=code: array(code, keys) for code in "bBhHiIlLqQ"},
    **{f"memoryview {code}": lambda keys, code=code: memoryview(array(code, keys)) for code in "hIq"},
    **{
        f"numpy {order}{dtype}": lambda keys, dtype=order + dtype: numpy.array(keys, dtype=dtype)
        for dtype in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")
        for order in "<>"
    },
    "numpy strided": lambda keys: numpy.repeat(numpy.array(keys), 3)[::3],
    "numpy object": lambda keys: numpy.array(keys, dtype=object),
    "numpy masked": lambda keys: numpy.ma.array([*keys, 5], mask=[0] * len(keys) + [1]),
    **{
        f"pyarrow {kind}": lambda keys, kind=kind: pyarrow.array(keys, kind)
        for kind in map(pyarrow.type_for_alias, "int8 uint8 int16 uint16 int32 uint32 int64 uint64".split())
    },
    **{
        f"pyarrow chunked {kind}": lambda keys, kind=kind: chunked(keys, kind)
        for kind in map(pyarrow.type_for_alias, ("int8", "uint16", "int32", "int64"))
    },
    "pyarrow dictionary": lambda keys: pyarrow.array(keys).dictionary_encode(),
    "pyarrow dictionary of int8": lambda keys: pyarrow.array(keys, pyarrow.int8()).dictionary_encode(),
    "pyarrow Table": lambda keys: pyarrow.table({"key": chunked(keys, pyarrow.uint8())}),
    **{
        f"polars {kind}": lambda keys, kind=kind: polars.Series(keys, dtype=kind)
        for kind in (polars.Int8, polars.UInt16, polars.Int32, polars.Int64, polars.UInt64)
    },
    "polars DataFrame": lambda keys: polars.DataFrame({"key": keys}),
    "pandas": lambda keys: pandas.Series(keys),
    "pandas int8": lambda keys: pandas.Series(keys, dtype="int8"),
    "pandas Int32": lambda keys: pandas.Series(keys, dtype="Int32"),
    "pandas arrow": lambda keys: pandas.Series(keys, dtype=pandas.ArrowDtype(pyarrow.uint8())),
    "pandas category": lambda keys: pandas.Series(keys, dtype="category"),
    "pandas object": lambda keys: pandas.Series(keys, dtype=object),
    "pandas Index": lambda keys: pandas.Index(keys),
    "pandas DataFrame": lambda keys: pandas.DataFrame({"key": keys}),
    "duckdb tinyint": lambda keys: sql(keys, "tinyint"),
    "duckdb bigint": lambda keys: sql(keys, "bigint"),
    "duckdb ubigint": lambda keys: sql(keys, "ubigint"),
}


@pytest.mark.parametrize("kind", ADDED)
@pytest.mark.parametrize("way", INT_WAYS)
def test_ints_by_every_way_in_are_the_same(kind: str, way: str, built: Build) -> None:
    sketch = sketch_of(kind, INT_WAYS[way](NUMBERS) if way in ONCE else kept_ints(way))
    assert sketch.digest == built(kind, "numbers", NUMBERS, "--key-type", "int")
    assert (sketch.records, sketch.key_type) == (len(NUMBERS), "int")


@pytest.mark.parametrize("kind", ADDED)
def test_ints_at_the_limits_are_the_same(kind: str, built: Build) -> None:
    want = built(kind, "wide", WIDE, "--key-type", "int")
    assert sketch_of(kind, WIDE).digest == want
    assert sketch_of(kind, numpy.array(WIDE)).digest == want
    assert sketch_of(kind, pyarrow.array(WIDE)).digest == want
    assert one_by_one(kind, WIDE).digest == want
    unsigned = [key % 2**64 for key in WIDE]
    assert sketch_of(kind, unsigned).digest == want
    assert sketch_of(kind, numpy.array(unsigned, dtype="u8")).digest == want
    assert sketch_of(kind, pyarrow.array(unsigned, pyarrow.uint64())).digest == want
    assert one_by_one(kind, unsigned).digest == want


# ---- Dates and times --------------------------------------------------------------------------------------

_DATES = [datetime.date(1970, 1, 1) + datetime.timedelta(days=day) for day in DAYS]
_TIMES = [datetime.datetime(1970, 1, 1) + datetime.timedelta(days=day) for day in DAYS]
_ZONE = datetime.timezone(datetime.timedelta(hours=-5))

DATE_WAYS: dict[str, Callable[[], Any]] = {
    "list": lambda: _DATES,
    "numpy D": lambda: numpy.array(DAYS, dtype="M8[D]"),
    "numpy object": lambda: numpy.array(_DATES, dtype=object),
    "pyarrow date32": lambda: pyarrow.array(_DATES, pyarrow.date32()),
    "pyarrow date64": lambda: pyarrow.array(_DATES, pyarrow.date64()),
    "pyarrow dictionary": lambda: pyarrow.array(_DATES, pyarrow.date32()).dictionary_encode(),
    "polars Date": lambda: polars.Series(_DATES),
    "pandas object": lambda: pandas.Series(_DATES, dtype=object),
    "pandas arrow": lambda: pandas.Series(_DATES, dtype=pandas.ArrowDtype(pyarrow.date32())),
    "duckdb date": lambda: sql(_DATES, "date"),
}

TIME_WAYS: dict[str, Callable[[], Any]] = {
    "list": lambda: _TIMES,
    "list of aware": lambda: [time.replace(tzinfo=datetime.timezone.utc).astimezone(_ZONE) for time in _TIMES],
    "list of pandas.Timestamp": lambda: [pandas.Timestamp(time) for time in _TIMES],
    **{f"numpy {unit}": lambda unit=unit: numpy.array(_TIMES, dtype=f"M8[{unit}]") for unit in ("h", "m", "s")},
    **{f"numpy {unit}": lambda unit=unit: numpy.array(_TIMES, dtype=f"M8[{unit}]") for unit in ("ms", "us", "ns")},
    **{
        f"pyarrow {unit}": lambda unit=unit: pyarrow.array(_TIMES, pyarrow.timestamp(unit))
        for unit in ("s", "ms", "us", "ns")
    },
    "pyarrow with a zone": lambda: pyarrow.array(_TIMES, pyarrow.timestamp("ms", "Asia/Tokyo")),
    **{
        f"polars {unit}": lambda unit=unit: polars.Series(_TIMES, dtype=polars.Datetime(unit))
        for unit in ("ms", "us", "ns")
    },
    **{f"pandas {unit}": lambda unit=unit: pandas.Series(_TIMES).dt.as_unit(unit) for unit in ("s", "ms", "us", "ns")},
    "pandas with a zone": lambda: pandas.Series(_TIMES).dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"),
    "pandas DatetimeIndex": lambda: pandas.DatetimeIndex(_TIMES),
    "duckdb timestamp": lambda: sql(_TIMES, "timestamp"),
    "duckdb timestamp_s": lambda: sql(_TIMES, "timestamp_s"),
}  # fmt: skip


@pytest.mark.parametrize("way", DATE_WAYS)
def test_dates_are_their_days(way: str, built: Build) -> None:
    for kind in ("bloom", "top"):
        want = built(kind, "days", DAYS, "--key-type", "int")
        assert sketch_of(kind, DATE_WAYS[way]()).digest == want


@pytest.mark.parametrize("way", TIME_WAYS)
def test_times_are_their_microseconds(way: str, built: Build) -> None:
    microseconds = [day * 86_400_000_000 for day in DAYS]
    for kind in ("bloom", "top"):
        want = built(kind, "microseconds", microseconds, "--key-type", "int")
        assert sketch_of(kind, TIME_WAYS[way]()).digest == want


# ---- Tuples -----------------------------------------------------------------------------------------------


def test_tuples_are_the_same_from_everywhere(built: Build) -> None:
    pairs = [(TEXTS[i], i % 50 - 3) for i in range(600)]
    left, right = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    lines = [f"{a}\t{b}" for a, b in pairs]
    tables: list[Any] = [
        pyarrow.table({"a": left, "c": right, "b": right}),
        pyarrow.table({"a": pyarrow.array(left).dictionary_encode(), "b": pyarrow.array(right, pyarrow.int8())}),
        polars.DataFrame({"a": left, "b": right}),
        pandas.DataFrame({"odd": [[]] * 600, "a": left, "b": right}),
        pandas.DataFrame({"a": left, "b": right}).set_index("a"),
        duckdb.sql("select b, a from pairs_of_keys", connection=_pairs(left, right)),
    ]
    frame = pandas.DataFrame({"a": left, "b": right})
    for kind in ADDED:
        want = built(kind, "pairs", lines, "--in", "tsv", "--key", "1,2")
        for keys in (pairs, iter(pairs), pandas.MultiIndex.from_frame(frame), frame.itertuples(index=False)):
            assert sketch_of(kind, keys).digest == want
        assert one_by_one(kind, pairs).digest == want
        for table in tables:
            assert sketch_of(kind, table, key=["a", "b"]).digest == want


def _pairs(left: list[str], right: list[int]) -> Any:
    connection = duckdb.connect()
    connection.execute("set threads = 1")
    connection.register("pairs_of_keys", pyarrow.table({"a": left, "b": right}))
    return connection


# ---- Weights ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["count-min", "top", "counting"])
def test_weights_are_the_same_from_everywhere(kind: str, built: Build) -> None:
    keys, weights = TEXTS[:400], [i % 5 for i in range(400)]
    lines = [f"{key}\t{weight}" for key, weight in zip(keys, weights)]
    want = built(kind, "weighted", lines, "--in", "tsv", "--key", "1", "--weight", "2")
    columns = {"key": keys, "weight": weights}
    ways: list[Any] = [weights, iter(weights), numpy.array(weights, dtype="u1"), array("h", weights)]
    ways += [pyarrow.array(weights), chunked(weights, pyarrow.int32()), polars.Series(weights), pandas.Series(weights)]
    for way in ways:
        assert sketch_of(kind, keys, weight=way).digest == want
    for way in (weights, chunked(weights, pyarrow.int8()), pandas.DataFrame({"w": weights})):
        for data in (chunked(keys, pyarrow.string()), numpy.array(keys), polars.Series(keys), iter(keys)):
            assert sketch_of(kind, data, weight=way).digest == want
        assert sketch_of(kind, pyarrow.table({**columns}), key="key", weight=way).digest == want
        assert sketch_of(kind, pandas.DataFrame({"key": keys}), weight=way).digest == want
    for table in (pyarrow.table(columns), polars.DataFrame(columns), pandas.DataFrame(columns)):
        assert sketch_of(kind, table, key="key", weight="weight").digest == want
    small = Sketch(kind, **KINDS[kind][0])
    for key, weight in zip(keys, weights):
        small.add(key, weight=weight)
    assert small.digest == want


# ---- Jobs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_jobs_over_tables_are_the_same(kind: str, built: Build) -> None:
    want = built(kind, "texts", TEXTS)
    table = pyarrow.table({"key": chunked(TEXTS, pyarrow.string()), "no": [1.5] * len(TEXTS)})
    frame = pandas.DataFrame({"key": TEXTS, "odd": [[]] * len(TEXTS)})
    for data in (table, table.to_reader(), polars.DataFrame(table), frame, duckdb.sql(
        "select key from table_of_keys", connection=_connected(table)
    )):  # fmt: skip
        made = inkling.build(data, kind, key="key", threads=2, progress=False, **KINDS[kind][0])
        assert isinstance(made, Sketch)
        assert made.digest == want
    for column in (numpy.array(TEXTS), pyarrow.array(TEXTS), polars.Series(TEXTS), pandas.Series(TEXTS)):
        made = inkling.build(column, kind, threads=2, progress=False, **KINDS[kind][0])
        assert isinstance(made, Sketch)
        assert made.digest == want


def test_other_numbers_are_other_keys(built: Build) -> None:
    want = built("bloom", "numbers", NUMBERS, "--key-type", "int")
    assert sketch_of("bloom", [str(number) for number in NUMBERS]).digest != want
    assert sketch_of("bloom", [number + 1 for number in NUMBERS]).digest != want
    with pytest.raises(inkling.UnsupportedError):
        sketch_of("bloom", [decimal.Decimal(1)])
