"""What users hand in becomes the rows they mean, where it stands, and what cannot be keys is refused by name."""

from __future__ import annotations

import collections
import ctypes
import datetime
import decimal
import gc
import io
import itertools
import sys
import threading
from array import array
from collections.abc import Iterable, Iterator
from typing import Any

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pytest

import inkling
from inkling import _abi, _keys
from inkling._abi import ArrowArray, ArrowArrayStream, ArrowSchema, make_array, make_schema
from inkling._arrow import Batch, as_batches, as_stream
from inkling._keys import one_key

UTC = datetime.timezone.utc
EAST = datetime.timezone(datetime.timedelta(hours=1))

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


class Lent:
    """A batch as pyarrow can import it: by copies of its structs, which pyarrow releases."""

    def __init__(self, batch: Batch) -> None:
        self.schema, self.array = ArrowSchema(), ArrowArray()
        _abi.hand_out(ArrowSchema, batch.schema_address, ctypes.addressof(self.schema), batch)
        _abi.hand_out(ArrowArray, batch.array_address, ctypes.addressof(self.array), batch)

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return (
            _new_capsule(ctypes.addressof(self.schema), b"arrow_schema", None),
            _new_capsule(ctypes.addressof(self.array), b"arrow_array", None),
        )


class LentStream:
    """A stream of ours as pyarrow can import it; it moves the struct, and releases it in the end."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return _new_capsule(self.stream.address, b"arrow_array_stream", None)


def arrays(data: Any, **more: Any) -> list[Any]:
    """The batches of `data` as pyarrow reads, and checks, them."""
    batches = as_batches(data, **more)
    assert batches is not None
    found = [pyarrow.array(Lent(batch)) for batch in batches]
    for one in found:
        one.validate(full=True)
    return found


def rows(data: Any, **more: Any) -> list[Any]:
    """The rows of `data`. No array lives on while the next is asked for: that may fail, and pyarrow would let go of
    them, by a function in Python, with the exception under way."""
    found: list[Any] = []
    for batch in as_batches(data, **more) or ():
        one = pyarrow.array(Lent(batch))
        one.validate(full=True)
        found += one.to_pylist()
        del one
    return found


def ints(data: Any) -> list[Any]:
    """Rows as the ints that they are stored as."""
    return [value for one in arrays(data) for value in one.cast(pyarrow.int64()).to_pylist()]


def buffer_addresses(data: Any) -> list[int | None]:
    batches = as_batches(data)
    assert batches is not None
    (batch,) = batches
    struct = ArrowArray.from_address(batch.array_address)
    return list((ctypes.c_void_p * struct.n_buffers).from_address(struct.buffers))


# ---- One key ----------------------------------------------------------------------------------------------

ONE = {
    "str": ("bee", b"bee"),
    "empty": ("", b""),
    "unicode": ("Bäume 🌳", "Bäume 🌳".encode()),
    "bytes": (b"\0\xff", b"\0\xff"),
    "bytearray": (bytearray(b"bee"), b"bee"),
    "memoryview": (memoryview(b"bee"), b"bee"),
    "strided memoryview": (memoryview(b"abcdef")[::2], b"ace"),
    "signed memoryview": (memoryview(b"bee").cast("b"), b"bee"),
    "int": (-5, -5),
    "smallest int": (-(2**63), -(2**63)),
    "largest int": (2**64 - 1, 2**64 - 1),
    "date": (datetime.date(1970, 1, 11), 10),
    "early date": (datetime.date(1969, 12, 31), -1),
    "datetime": (datetime.datetime(1970, 1, 1, 0, 0, 1, 5), 1_000_005),
    "datetime before": (datetime.datetime(1969, 12, 31, 23, 59, 59, 999_999), -1),
    "aware datetime": (datetime.datetime(1970, 1, 1, 1, tzinfo=EAST), 0),
    "aware datetime in UTC": (datetime.datetime(9999, 12, 31, 23, 59, 59, 999_999, UTC), 253402300799999999),
    "tuple": (("a", "bc"), b"\1\0\0\0a\2\0\0\0bc"),
    "tuple of ints": (("a", -12, b"\0"), b"\1\0\0\0a\3\0\0\0-12\1\0\0\0\0"),
    "tuple of dates": ((datetime.date(1970, 1, 11), "x"), b"\2\0\0\x0010\1\0\0\0x"),
    **{f"tuple with {n} bytes": (("a" * n, b"b", n), n.to_bytes(4, "little") + b"a" * n + b"\1\0\0\0b"
                                 + bytes([len(str(n)), 0, 0, 0]) + str(n).encode()) for n in (255, 256, 257, 65536)},
    "tuple of one": (("a",), b"a"),
    "tuple of one int": ((7,), 7),
    "named tuple": (collections.namedtuple("Pair", "a b")("a", ""), b"\1\0\0\0a\0\0\0\0"),
    "numpy.str_": (numpy.str_("bee"), b"bee"),
    "numpy.bytes_": (numpy.bytes_(b"bee"), b"bee"),
    "numpy.int8": (numpy.int8(-3), -3),
    "numpy.uint64": (numpy.uint64(2**64 - 1), 2**64 - 1),
    "numpy date": (numpy.datetime64("1970-01-11"), 10),
    "numpy month": (numpy.datetime64("1970-02"), 31),
    "numpy seconds": (numpy.datetime64("1970-01-01T00:00:01", "s"), 1_000_000),
    "numpy nanoseconds": (numpy.datetime64(5000, "ns"), 5),
    "array without dimensions": (numpy.array(7), 7),
    "text without dimensions": (numpy.array("bee"), b"bee"),
    "pandas.Timestamp": (pandas.Timestamp("1970-01-01 00:00:01"), 1_000_000),
    "aware pandas.Timestamp": (pandas.Timestamp("1970-01-01 01:00:00+01:00"), 0),
    "pyarrow scalar": (pyarrow.scalar("bee"), b"bee"),
    "pyarrow int": (pyarrow.scalar(7, pyarrow.int8()), 7),
    "pyarrow binary": (pyarrow.scalar(b"\xff"), b"\xff"),
    "pyarrow view": (pyarrow.scalar("bee", pyarrow.string_view()), b"bee"),
    "pyarrow date": (pyarrow.scalar(datetime.date(1970, 1, 11)), 10),
    "pyarrow time": (pyarrow.scalar(datetime.datetime(1970, 1, 1, 0, 0, 1)), 1_000_000),
    "pyarrow nanoseconds": (pyarrow.scalar(5000, pyarrow.timestamp("ns")), 5),
    "pyarrow word": (pyarrow.array(["bee"]).dictionary_encode()[0], b"bee"),
}


@pytest.mark.parametrize("name", ONE)
def test_one_key_is_what_it_means_and_in_a_list_the_same(name: str) -> None:
    value, key = ONE[name]
    assert one_key(value) == key
    assert as_batches(value) is None
    stored = key - 2**64 if isinstance(key, int) and key >= 2**63 else key
    assert rows([value]) == [stored]
    assert rows([None, value]) == [None, stored]


def test_what_has_an_index_is_an_int() -> None:
    class Seven:
        def __index__(self) -> int:
            return 7

    assert one_key(Seven()) == 7


REFUSED = {
    "bool": True,
    "float": 1.5,
    "complex": 1j,
    "numpy.float32": numpy.float32(1),
    "numpy.bool": numpy.bool_(True),
    "numpy.timedelta64": numpy.timedelta64(1, "s"),
    "pandas.NaTType": pandas.NaT,
    "pandas.NAType": pandas.NA,
    "numpy.datetime64": numpy.datetime64("NaT"),
    "pyarrow.StructScalar": pyarrow.scalar({"a": 1}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_a_key_is_refused_by_name(name: str) -> None:
    with pytest.raises(TypeError, match=f"{name} cannot be a key, expected str, bytes, int") as caught:
        one_key(REFUSED[name])
    assert isinstance(caught.value, inkling.UnsupportedError)


def test_a_nan_among_keys_is_refused_with_what_stands_for_a_missing_one() -> None:
    for keys in (["a", float("nan")], numpy.array(["a", numpy.nan], dtype=object)):
        with pytest.raises(inkling.UnsupportedError, match="^key 1: the float NaN .*, or None for a missing one$"):
            inkling.Sketch("hll").add(keys)


@pytest.mark.parametrize("value", [None, object(), datetime.timedelta(1), datetime.time(1), len, 3 .__add__])
def test_what_is_neither_a_key_nor_many_is_refused_by_name(value: object) -> None:
    assert one_key(value) is None
    with pytest.raises(inkling.UnsupportedError, match=f"{type(value).__name__} cannot be a key"):
        as_batches(value)


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1, 10**100])
def test_an_int_of_more_than_64_bits_is_refused(value: int) -> None:
    with pytest.raises(OverflowError, match="expected -2\\^63 to 2\\^64 - 1"):
        one_key(value)
    with pytest.raises(inkling.LimitError, match="^key 2: "):
        as_batches([1, 2, value])


@pytest.mark.parametrize("value", [(), ("a", ("b",)), ("a", 1.5), ("a", None), ("a", ["b"])])
def test_a_tuple_of_what_is_no_key_is_refused(value: tuple[object, ...]) -> None:
    with pytest.raises(inkling.UnsupportedError):
        one_key(value)


def test_a_time_finer_than_microseconds_is_refused() -> None:
    for value in (pandas.Timestamp(1), numpy.datetime64(1, "ns"), numpy.datetime64(1, "as")):
        with pytest.raises(inkling.MismatchError, match="expected whole microseconds"):
            one_key(value)


def test_half_a_surrogate_pair_is_no_text() -> None:
    with pytest.raises(inkling.UsageError, match="character 1 is half of a surrogate pair"):
        one_key("a\ud800")
    with pytest.raises(inkling.UsageError, match="^key 1: .*character 0 is half"):
        as_batches(["a", "\udfff"])


# ---- Iterables --------------------------------------------------------------------------------------------


def test_iterables_are_many_keys() -> None:
    for data in (["a", "b"], iter("ab"), {"a": 1, "b": 2}, {"a": 1, "b": 2}.keys(), collections.deque("ab")):
        batches = as_batches(data)
        assert batches is not None and batches.shape == "iterable"
        assert [value for batch in batches for value in pyarrow.array(Lent(batch)).to_pylist()] == [b"a", b"b"]
    assert sorted(rows({"a", "b"})) == [b"a", b"b"]
    assert rows(range(3)) == [0, 1, 2]
    endless = as_batches(range(10**15))
    assert endless is not None and next(endless).rows == _keys.CHUNK_KEYS
    assert rows(itertools.islice(itertools.count(5), 3)) == [5, 6, 7]


def test_nothing_is_no_batch() -> None:
    empty: list[Any] = [[], set(), {}, iter(()), numpy.array([]), numpy.array([], dtype=object)]
    for data in (*empty, pandas.Series([], dtype=object), pandas.DataFrame()):
        assert rows(data) == []


def test_text_and_bytes_are_both_bytes_and_ints_and_dates_both_ints() -> None:
    assert rows(["a", b"b", bytearray(b"c"), ("d", "e"), numpy.str_("f")]) == [
        b"a", b"b", b"c", b"\1\0\0\0d\1\0\0\0e", b"f",
    ]  # fmt: skip
    assert rows([1, datetime.date(1970, 1, 3), numpy.int8(3), 2**63]) == [1, 2, 3, -(2**63)]


@pytest.mark.parametrize("size", [0, _keys.CHUNK_KEYS - 1, _keys.CHUNK_KEYS, 3 * _keys.CHUNK_KEYS])
@pytest.mark.parametrize("lazy", [False, True])
def test_types_must_not_be_mixed_and_the_first_that_is_wrong_is_named(size: int, lazy: bool) -> None:
    def fails(first: list[object], last: object) -> str:
        keys = [*first, *itertools.repeat(first[-1], size), None, last]
        with pytest.raises(inkling.UsageError) as caught:
            for _ in as_batches(iter(keys) if lazy else keys) or ():
                pass
        assert (caught.value.location, caught.value.at) == ("key", size + len(first) + 1)
        return caught.value.message

    assert fails(["a"], 1) == "int key among bytes keys, expected keys of one type (key_type=)"
    assert fails([b"a"], datetime.date.today()) == "int key among bytes keys, expected keys of one type (key_type=)"
    assert fails([None, 7], "a") == "bytes key among int keys, expected keys of one type (key_type=)"
    assert fails([7], ("a", "b")) == "bytes key among int keys, expected keys of one type (key_type=)"


@pytest.mark.parametrize("value", [True, 1.5, ["a"], {}, object()])
@pytest.mark.parametrize("first", ["a", 1])
def test_what_cannot_be_a_key_is_refused_with_its_position(value: object, first: object) -> None:
    with pytest.raises(inkling.UnsupportedError, match=f"^key 1: {type(value).__name__} cannot be a key"):
        as_batches([first, value])


def test_an_open_file_is_no_keys() -> None:
    with pytest.raises(inkling.UnsupportedError, match="StringIO is an open file"):
        as_batches(io.StringIO("a\nb\n"))


def test_keys_before_a_failing_one_come_but_of_a_list_none() -> None:
    keys: list[object] = ["a"] * _keys.CHUNK_KEYS + [1]
    batches = as_batches(iter(keys))
    assert batches is not None and next(batches).rows == _keys.CHUNK_KEYS
    with pytest.raises(inkling.UsageError):
        next(batches)
    with pytest.raises(inkling.UsageError):
        as_batches(keys)


@pytest.mark.parametrize("count", [1, 7, 8, 9, _keys.CHUNK_KEYS, _keys.CHUNK_KEYS + 1, 2 * _keys.CHUNK_KEYS + 3])
@pytest.mark.parametrize("kind", ["ascii", "unicode", "bytes", "int", "wide", "tuple"])
def test_many_keys_with_nulls_anywhere(count: int, kind: str) -> None:
    make: Any = {
        "ascii": str,
        "unicode": lambda i: "ä" * (i % 3) + str(i),
        "bytes": lambda i: b"\xff" * (i % 4),
        "int": lambda i: i - 5,
        "wide": lambda i: 2**64 - 1 - i,
        "tuple": lambda i: (i, "x" * (i % 2)),
    }[kind]
    for nulls in (0, 2, 5, 1):
        keys = [None if nulls and i % nulls == 0 else make(i) for i in range(count)]
        want: list[object] = [None if key is None else one_key(key) for key in keys]
        want = [key - 2**64 if isinstance(key, int) and key >= 2**63 else key for key in want]
        assert rows(keys) == want
        assert rows(iter(keys)) == want
        batches = as_batches(iter(keys))
        assert batches is not None
        starts = [(batch.start, batch.rows) for batch in batches]
        assert [start for start, _ in starts] == list(itertools.accumulate([0, *(n for _, n in starts)]))[:-1]


def test_nulls_before_anything_is_known() -> None:
    for count in (1, _keys.CHUNK_KEYS, _keys.CHUNK_KEYS + 1, 3 * _keys.CHUNK_KEYS):
        for last in ("é", 7):
            keys = [None] * count + [last]
            want = [None] * count + [one_key(last)]
            assert rows(keys) == want
            assert rows(iter(keys)) == want
        assert [str(one.type) for one in arrays([None] * count)] == ["null"]
        assert rows(iter([None] * count)) == [None] * count


def test_missing_values_of_others_are_nulls() -> None:
    assert rows(["a", pandas.NA, None]) == [b"a", None, None]
    assert rows([datetime.datetime(1970, 1, 1), pandas.NaT]) == [0, None]
    assert rows([numpy.datetime64("NaT"), numpy.datetime64("1970-01-02")]) == [None, 1]
    assert rows([1, numpy.ma.masked]) == [1, None]
    assert rows([("a", 1), ("b", None)]) == [one_key(("a", 1)), None]
    assert rows([pyarrow.scalar(None), pyarrow.scalar("a")]) == [None, b"a"]


# ---- NumPy ------------------------------------------------------------------------------------------------

INTS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("order", ["<", ">"])
def test_integers_of_every_width_and_order(dtype: str, order: str) -> None:
    limits = numpy.iinfo(dtype)
    values = [limits.min, 0, 1, limits.max]
    data = numpy.array(values, dtype=order + dtype)
    assert rows(data) == values
    assert rows(data[::-2]) == values[::-2]
    assert rows(data[1:3]) == values[1:3]
    assert rows(data[:0]) == []
    (found,) = arrays(data)
    assert found.type == pyarrow.from_numpy_dtype(numpy.dtype(dtype))
    batches = as_batches(data)
    assert batches is not None and (batches.shape, batches.rows) == ("array", 4)


@pytest.mark.parametrize("dtype", INTS)
def test_integers_stand_where_they_are(dtype: str) -> None:
    data = numpy.arange(10).astype(dtype)
    assert buffer_addresses(data) == [None, data.ctypes.data]
    assert buffer_addresses(data[3:]) == [None, data.ctypes.data + 3 * data.itemsize]
    assert buffer_addresses(numpy.ma.array(data, mask=[1] + [0] * 9))[1] == data.ctypes.data


def test_integers_that_stand_askew_are_copied() -> None:
    raw = numpy.frombuffer(b"\0" + numpy.arange(3).tobytes(), dtype="u1")[1:].view("i8")
    assert not raw.flags.aligned
    assert rows(raw) == [0, 1, 2]
    assert buffer_addresses(raw) != [None, raw.ctypes.data]


FINER = {"ns": 10**3, "ps": 10**6, "fs": 10**9, "as": 10**12}
UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("order", ["<", ">"])
def test_times_of_every_unit(unit: str, order: str) -> None:
    finer = FINER.get(unit, 1)
    data = numpy.array([0, 5 * finer, "NaT", -3 * finer], dtype=f"{order}M8[{unit}]")
    keys = [None if numpy.isnat(value) else one_key(value) for value in data]
    found = arrays(data)[0]
    if pyarrow.types.is_timestamp(found.type):
        found = found.cast(pyarrow.timestamp("us"))
    assert found.cast(pyarrow.int64()).to_pylist() == keys
    assert found.null_count == 1


def test_times_in_steps_and_without_a_unit() -> None:
    assert ints(numpy.array([1, 2], dtype="M8[7D]")) == [7, 14]
    assert rows(numpy.array(["NaT", "NaT"], dtype="M8")) == [None, None]


@pytest.mark.parametrize("unit", ["D", "s", "ms", "us", "ns"])
def test_times_stand_where_they_are(unit: str) -> None:
    data = numpy.arange(10).astype(f"M8[{unit}]")
    assert buffer_addresses(data) == [None, data.ctypes.data]


def test_times_that_do_not_fit_are_refused() -> None:
    with pytest.raises(inkling.MismatchError, match="^key 1: .* expected whole microseconds"):
        as_batches(numpy.array([0, 1], dtype="M8[ps]"))
    with pytest.raises(inkling.MismatchError, match="^key 0: "):
        as_batches(numpy.array([2**62], dtype="M8[Y]"))


def test_texts_and_bytes_of_numpy() -> None:
    want = [b"a", b"", "bé".encode()]
    assert rows(numpy.array(["a", "", "bé"])) == want
    assert rows(numpy.array(["a", "", "bé"], dtype=">U3")) == want
    assert rows(numpy.array(["a", "", "bé"], dtype=object)) == want
    assert rows(numpy.array(["a", "", "bé"], dtype=numpy.dtypes.StringDType())) == want
    assert rows(numpy.array([b"a", b"", b"\xff\0x"])) == [b"a", b"", b"\xff\0x"]
    assert rows(numpy.array(["a", "b", "c", "d"])[::2]) == [b"a", b"c"]
    assert rows(numpy.array([3, None, 2**64 - 1], dtype=object)) == [3, None, -1]


def test_missing_texts_of_numpy() -> None:
    for missing in (None, numpy.nan, pandas.NA):
        data = numpy.array(["a", missing, "b"], dtype=numpy.dtypes.StringDType(na_object=missing))
        assert rows(data) == [b"a", None, b"b"]


@pytest.mark.parametrize("values", [[1, 2, 3], ["a", "b", "c"], numpy.array([1, 2, 3], dtype="M8[D]")])
def test_what_is_masked_is_null(values: Any) -> None:
    data = numpy.ma.array(values, mask=[0, 1, 0])
    assert [value is None for value in rows(data)] == [False, True, False]
    assert [value is None for value in rows(data[1:])] == [True, False]
    assert [value is None for value in rows(numpy.ma.array(values))] == [False] * 3


@pytest.mark.parametrize("unit", UNITS)
def test_what_is_masked_and_what_is_no_time_are_null_together(unit: str) -> None:
    times = numpy.array([0, "NaT", 5 * FINER.get(unit, 1), "NaT"], dtype=f"M8[{unit}]")
    masked = [numpy.ma.array(times, mask=mask) for mask in ([0, 0, 0, 0], [0, 0, 1, 1], [1, 1, 1, 1], [0, 1, 0, 0])]
    assert [[key is None for key in rows(data)] for data in masked] == [
        [False, True, False, True], [False, True, True, True], [True] * 4, [False, True, False, True]]
    assert rows(masked[0])[2] == rows(times[2:3])[0]
    sketch = inkling.Sketch("bloom", n=10, key_type="int").add(masked[1])
    assert sketch.records == 1 and int(numpy.datetime64("NaT").astype("i8")) not in sketch


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (numpy.zeros((2, 2), dtype="i8"), "an array of 2 dimensions, expected keys in one"),
        (numpy.zeros((2, 0)), "an array of 2 dimensions, expected keys in one"),
        (numpy.array([1j]), "an array of complex128 cannot be keys, expected integers"),
        (numpy.array([1], dtype="m8[s]"), "an array of timedelta64\\[s\\] cannot be keys"),
        (numpy.zeros(2, dtype=[("a", "i8")]), "an array of records cannot be keys, expected a field of it"),
        (numpy.zeros(2, dtype="V3"), "an array of void24 cannot be keys"),
        (numpy.array([1], dtype=numpy.longdouble), "an array of .*float.* cannot be keys"),
        (numpy.array(["a", 1.5], dtype=object), "^key 1: float cannot be a key"),
    ],
)
def test_arrays_that_cannot_be_keys_are_refused_by_name(data: Any, message: str) -> None:
    with pytest.raises(inkling.UnsupportedError, match=message):
        as_batches(data)


# ---- Buffers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", "bBhHiIlLqQ")
def test_arrays_of_python_stand_where_they_are(code: str) -> None:
    data = array(code, [0, 1, 100])
    assert rows(data) == [0, 1, 100]
    assert buffer_addresses(data) == [None, data.buffer_info()[0]]
    assert rows(array(code)) == []


def test_an_array_cannot_be_resized_while_it_is_lent() -> None:
    data = array("q", [1, 2])
    batches = as_batches(data)
    with pytest.raises(BufferError):
        data.append(3)
    del batches
    data.append(3)


def test_views_of_ints_are_many_keys() -> None:
    data = array("q", [1, 2, 3, 4])
    view = memoryview(data)
    assert buffer_addresses(view[1:]) == [None, data.buffer_info()[0] + 8]
    assert rows(view[::-3]) == [4, 1]
    assert rows(memoryview(b"\1\0\2\0").cast("H")) == ([1, 2] if sys.byteorder == "little" else [256, 512])
    assert rows(memoryview(numpy.array([1, 2], dtype=">i4"))) == [1, 2]
    assert rows(memoryview(numpy.array([1, 2], dtype="<i4"))) == [1, 2]
    assert rows((ctypes.c_int16 * 3)(1, -2, 3)) == [1, -2, 3]
    assert rows(array("u", "aé")) == [b"a", "é".encode()]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (array("d", [1.0]), "float cannot be a key"),
        (memoryview(b"abcd").cast("B", (2, 2)), "a buffer of 2 dimensions"),
        (memoryview(b"\0\1").cast("?"), "of format '\\?' as keys, expected bytes"),
        ((ctypes.c_uint8 * 3)(), "of format '<B' as keys, expected bytes\\(\\) of it as one"),
    ],
)
def test_other_buffers_are_refused(data: Any, message: str) -> None:
    with pytest.raises(inkling.UnsupportedError, match=message):
        as_batches(data)


# ---- Arrow, pandas, Polars, DuckDB ------------------------------------------------------------------------


def test_arrow_data_is_borrowed_where_it_stands() -> None:
    data = pyarrow.array([1, 2, 3])
    assert buffer_addresses(data)[1] == data.buffers()[1].address
    assert buffer_addresses(data[1:])[1] == data.buffers()[1].address
    chunked = pyarrow.chunked_array([data])
    assert buffer_addresses(chunked)[1] == data.buffers()[1].address
    text = pyarrow.array(["a", "b"])
    assert buffer_addresses(text)[1:] == [part.address for part in text.buffers()[1:]]


def test_polars_and_pandas_columns_stand_where_they_are() -> None:
    numbers = numpy.arange(100)
    series = pandas.Series(numbers, copy=False)
    assert buffer_addresses(series) == [None, series.to_numpy().ctypes.data]
    backed = pandas.Series(pyarrow.array(["a", "b"]), dtype=pandas.ArrowDtype(pyarrow.string()))
    (chunk,) = pyarrow.chunked_array(backed.array.__arrow_array__()).chunks
    assert buffer_addresses(backed)[2] == chunk.buffers()[2].address
    column = polars.Series(numbers)
    assert buffer_addresses(column)[1] == column.to_numpy(allow_copy=False).ctypes.data
    index = pandas.Index(numbers, copy=False)
    assert buffer_addresses(index) == [None, index.to_numpy().ctypes.data]
    words = pandas.array(["a", "b"], dtype=pandas.ArrowDtype(pyarrow.string()))
    (chunk,) = pyarrow.chunked_array(words.__arrow_array__()).chunks
    assert buffer_addresses(words)[2] == chunk.buffers()[2].address


def test_columns_of_frames_stand_where_they_are() -> None:
    numbers = numpy.arange(100)
    frame = pandas.DataFrame({"n": pandas.Series(numbers, copy=False), "odd": [[]] * 100}, copy=False)
    for data, column in ((frame, 0), (frame.set_index("n"), 1)):
        batches = as_batches(data, columns=["n"])
        assert batches is not None
        (batch,) = batches
        struct = ArrowArray.from_address(batch.array_address)
        child = ArrowArray.from_address((ctypes.c_void_p * 2).from_address(struct.children)[column])
        start = (ctypes.c_void_p * 2).from_address(child.buffers)[1]
        assert start == (data.n if column == 0 else data.index).to_numpy().ctypes.data


def test_tables_are_structs() -> None:
    want = [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    table = pyarrow.table({"a": [1, 2], "b": ["x", "y"]})
    frame = pandas.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    readings: list[Any] = [
        table, table.to_batches()[0], table.to_reader(), polars.DataFrame(table), frame,
        frame.set_index(pandas.Index([5, 6])), duckdb.sql("select * from frame"),
    ]  # fmt: skip
    for data in readings:
        batches = as_batches(data)
        assert batches is not None and batches.shape == "array"
        assert [row for batch in batches for row in pyarrow.array(Lent(batch)).to_pylist()] == want, type(data)


def test_an_index_is_a_column_only_if_it_is_wanted() -> None:
    frame = pandas.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    assert rows(frame.set_index("b")) == [{"a": 1}, {"a": 2}]
    assert rows(frame.set_index("b"), columns=["b"]) == [{"a": None, "b": "x"}, {"a": None, "b": "y"}]
    assert rows(frame.set_index("b"), columns=[1]) == [{"a": 1}, {"a": 2}]
    assert rows(frame.set_index(["b", "a"]), columns=["a"]) == [{"a": 1}, {"a": 2}]
    both = frame.set_index("b", drop=False)
    assert rows(both, columns=["b"]) == [{"a": None, "b": "x"}, {"a": None, "b": "y"}]


def test_columns_of_pandas_may_have_numbers_as_names() -> None:
    frame = pandas.DataFrame([[1, "x", [1]], [2, "y", []]])
    assert rows(frame, columns=["1"]) == [{"0": None, "1": "x", "2": None}, {"0": None, "1": "y", "2": None}]
    assert rows(frame, columns=[0]) == [{"0": 1, "1": None, "2": None}, {"0": 2, "1": None, "2": None}]
    with pytest.raises(inkling.UsageError, match='no column "7", expected one of "0", "1", "2"'):
        inkling.Sketch("hll").add(frame, key="7")
    assert inkling.Sketch("hll").add(frame, key="0").key_type == "int"


def test_only_columns_that_are_wanted_are_converted() -> None:
    frame = pandas.DataFrame({"key": ["x", None], "odd": [[1], {}], "by": [1.5, 2.5]})
    for columns in (["key", "by"], [1, 3]):
        assert rows(frame, columns=columns) == [
            {"key": "x", "odd": None, "by": 1.5}, {"key": None, "odd": None, "by": 2.5},
        ]  # fmt: skip
    with pytest.raises(inkling.UnsupportedError, match='column "odd": list cannot be a key'):
        as_batches(frame)
    with pytest.raises(inkling.UnsupportedError, match='column "odd": list cannot be a key'):
        as_batches(frame, columns=["odd"])


ODD_FRAME = pandas.DataFrame({"user": ["x"], "price": [decimal.Decimal("1.5")], "tags": [["a"]]})


@pytest.mark.parametrize("rows_taken", [1, 0])
@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"key": "usr"}, 'no column "usr", expected one of "user", "price", "tags"'),
        ({"key": ["user", "usr"]}, 'no column "usr", expected one of "user", "price", "tags"'),
        ({"key": "user", "weight": "n"}, 'no column "n", expected one of "user", "price", "tags"'),
        ({"key": "price", "weight": "n"}, 'no column "n", expected one of "user", "price", "tags"'),
        ({}, '3 columns and none named as the key, expected one of "user", "price", "tags"'),
        ({"key": 4}, 'no column "4", expected one of "user", "price", "tags"'),
    ],
)
def test_a_column_that_a_frame_has_not_is_refused_before_any_is_converted(
    columns: dict[str, Any], words: str, rows_taken: int
) -> None:
    frame = ODD_FRAME[:rows_taken]
    with pytest.raises(inkling.UsageError, match=f"^{words}"):
        inkling.Sketch("count-min").add(frame, **columns)
    with pytest.raises(inkling.UsageError, match=words):
        inkling.build(frame, "count-min", progress=False, **columns)


def test_a_frame_whose_index_is_asked_for_by_a_wrong_name_names_the_index() -> None:
    with pytest.raises(inkling.UsageError, match='no column "usr", expected one of "price", "tags", "user"'):
        inkling.Sketch("hll").add(ODD_FRAME.set_index("user"), key="usr")


def test_columns_of_the_same_name_are_distinguished_by_number() -> None:
    frame = pandas.DataFrame([["a", [], "b"]], columns=["x", "y", "x"])
    with pytest.raises(inkling.UsageError, match='columns 1 and 3 are both named "x"'):
        inkling.Sketch("hll").add(frame, key="x")
    sketch = inkling.Sketch("bloom", n=10).add(frame, key=3)
    assert ("a" in sketch, "b" in sketch) == (False, True)


def test_columns_with_names_of_several_levels_are_refused() -> None:
    frame = pandas.DataFrame({("a", "b"): ["x"], ("a", "c"): ["y"]})
    with pytest.raises(inkling.UnsupportedError, match="pandas.DataFrame with 2 levels of column names, expected one"):
        inkling.Sketch("hll").add(frame, key="a")


def test_columns_of_pandas() -> None:
    cases: list[tuple[Any, list[Any]]] = [
        (pandas.Series([1, 2], dtype="i2"), [1, 2]),
        (pandas.Series(["a", None, "é"]), ["a", None, "é"]),
        (pandas.Series(["a", numpy.nan, "é"], dtype=object), [b"a", None, "é".encode()]),
        (pandas.Series([("a", 1), None], dtype=object), [one_key(("a", 1)), None]),
        (pandas.Series([b"a", b"\0"], dtype=object), [b"a", b"\0"]),
        (pandas.Series([1, None], dtype="Int16"), [1, None]),
        (pandas.Series(["b", "a", None, "b"], dtype="category"), ["b", "a", None, "b"]),
        (pandas.Series([1, None], dtype=pandas.ArrowDtype(pyarrow.int32())), [1, None]),
        (pandas.Index(["a", "b"]), ["a", "b"]),
        (pandas.RangeIndex(3), [0, 1, 2]),
        (pandas.MultiIndex.from_tuples([("a", 1)]), [one_key(("a", 1))]),
        (pandas.array([1, None]), [1, None]),
        (pandas.Series([1, 2, 3], index=[3, 2, 1])[::2], [1, 3]),
    ]
    for data, want in cases:
        batches = as_batches(data)
        assert batches is not None and batches.shape == "array" and batches.rows == len(want)
        assert [row for batch in batches for row in pyarrow.array(Lent(batch)).to_pylist()] == want


def test_times_of_pandas_are_the_same_with_any_unit_and_zone() -> None:
    times = pandas.Series(pandas.to_datetime(["1970-01-01 00:00:01", None]))
    for unit in ("s", "ms", "us", "ns"):
        (found,) = arrays(times.dt.as_unit(unit))
        assert found.cast(pyarrow.timestamp("us")).cast(pyarrow.int64()).to_pylist() == [1_000_000, None]
    (found,) = arrays(times.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"))
    assert found.cast(pyarrow.int64()).to_pylist() == [1_000_000, None]


def test_pandas_before_it_had_capsules(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pandas.Series(["a", None, "é"])
    categories = pandas.Series(["b", "a", "b"], dtype="category")
    monkeypatch.delattr(pandas.Series, "__arrow_c_stream__")
    assert rows(data) == [b"a", None, "é".encode()]
    assert rows(categories) == [b"b", b"a", b"b"]
    assert rows(pandas.DataFrame({"x": data})) == [{"x": b"a"}, {"x": None}, {"x": "é".encode()}]


def test_pandas_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: object, requested_schema: object = None) -> None:
        raise ImportError("no pyarrow")

    monkeypatch.setattr(pandas.Series, "__arrow_c_stream__", fail)
    assert rows(pandas.Series(["a", None])) == [b"a", None]
    assert rows(pandas.Series([1, None], dtype="Int16")) == [1, None]


def test_a_lazy_frame_must_be_collected() -> None:
    with pytest.raises(inkling.UnsupportedError, match="polars.LazyFrame has no rows yet.* collect()"):
        as_batches(polars.LazyFrame({"a": [1]}))


class FakeTensor:
    """As tensors of other packages are: what NumPy can read, and neither a list nor a buffer."""

    ndim = 1

    def __init__(self, values: list[int]) -> None:
        self.values = values

    def __array__(self, dtype: object = None, copy: object = None) -> Any:
        return numpy.array(self.values)

    def __index__(self) -> int:
        return self.values[0]


@pytest.mark.parametrize("before", [0, 1, _keys.CHUNK_KEYS - 1, _keys.CHUNK_KEYS, 2 * _keys.CHUNK_KEYS + 3])
@pytest.mark.parametrize("shape", [list, collections.deque, iter], ids=lambda shape: shape.__name__)
def test_a_key_that_is_refused_is_named_by_its_number_among_all(before: int, shape: Any) -> None:
    for bad, more in ((1.5, {}), ("a", {"weight": [2] * before + ["two"]}), (1, {})):
        if not before and bad == 1:
            continue  # which decides the type
        with pytest.raises((TypeError, ValueError)) as caught:
            inkling.Sketch("count-min").add(shape(["a"] * before + [bad]), **more)
        assert isinstance(caught.value, inkling.InklingError)
        assert (caught.value.location, caught.value.at) == ("key", before)


def test_what_numpy_can_read_is_an_array() -> None:
    batches = as_batches(FakeTensor([7]))
    assert batches is not None and batches.shape == "array"
    assert rows(FakeTensor([5, 6])) == [5, 6]


# ---- Streams of others ------------------------------------------------------------------------------------


def dry() -> Any:
    """A stream that fails after its first batch."""

    def batches() -> Iterator[Any]:
        yield pyarrow.record_batch({"a": [1]})
        raise ValueError("the well is dry")

    return pyarrow.RecordBatchReader.from_batches(pyarrow.schema({"a": pyarrow.int64()}), batches())


def held(method: str, capsules: object) -> Any:
    """What gives these capsules, and the same ones again."""
    return type("Held", (), {method: lambda self, requested_schema=None: capsules})()


def test_a_stream_that_fails_is_said_in_its_own_words() -> None:
    batches = as_batches(dry())
    assert batches is not None and next(batches).rows == 1
    with pytest.raises(inkling.FileError, match="cannot read a stream of Arrow arrays: .*the well is dry") as caught:
        next(batches)
    assert caught.value.errno


@pytest.mark.parametrize("has_function", [True, False])
def test_a_stream_that_fails_without_a_word_has_its_number(has_function: bool) -> None:
    capsule = dry().__arrow_c_stream__()
    struct = ArrowArrayStream.from_address(_abi.capsule_pointer(capsule, b"arrow_array_stream"))
    silent = _abi.GetText(lambda address: None)
    struct.get_last_error = ctypes.cast(silent, ctypes.c_void_p).value if has_function else None
    batches = as_batches(held("__arrow_c_stream__", capsule))
    assert batches is not None and next(batches).rows == 1
    with pytest.raises(inkling.FileError) as caught:
        next(batches)
    assert caught.value.errno and caught.value.message == f"cannot read a stream of Arrow arrays: error {caught.value.errno}"


def test_a_stream_that_fails_in_a_job_is_said_in_its_own_words() -> None:
    with pytest.raises(inkling.FileError, match="the well is dry"):
        inkling.build(dry(), "hll", progress=False)


def test_a_stream_that_was_read_is_refused() -> None:
    data = held("__arrow_c_stream__", pyarrow.chunked_array([[1]]).__arrow_c_stream__())
    pyarrow.chunked_array(data)
    with pytest.raises(inkling.UsageError, match="was released, expected one to read"):
        as_batches(data)


@pytest.mark.parametrize("weight", [None, 2, [1, 2]])
def test_an_array_that_was_taken_is_refused(weight: Any) -> None:
    data = held("__arrow_c_array__", pyarrow.array(["a" * 50, "b"]).__arrow_c_array__())
    pyarrow.array(data)
    with pytest.raises(inkling.UsageError, match="was released, expected one to read"):
        inkling.Sketch("count-min").add(data, weight=weight)


@pytest.mark.parametrize("weight", [None, 2, [1] * 4])
def test_a_column_shorter_than_its_table_is_refused(weight: Any) -> None:
    values = array("q", range(2))
    column = make_array(2, 0, (None, values.buffer_info()[0]), (), values)
    table = make_array(4, 0, (None,), [column])
    schema = make_schema("+s", "", [make_schema("l", "a")])
    capsules = (
        _new_capsule(ctypes.addressof(schema), b"arrow_schema", None),
        _new_capsule(ctypes.addressof(table), b"arrow_array", None),
    )
    with pytest.raises(inkling.FormatError, match="has 2 rows, expected 4"):
        inkling.Sketch("count-min").add(held("__arrow_c_array__", capsules), weight=weight)


@pytest.mark.parametrize("weight", [None, 2, [1] * 4])
def test_weights_beside_a_table_without_columns_are_no_keys(weight: Any) -> None:
    for table in (pandas.DataFrame(index=range(4)), pyarrow.table({"a": [1] * 4}).select([])):
        with pytest.raises(inkling.UsageError, match="without columns, expected one that is the key"):
            inkling.Sketch("count-min").add(table, weight=weight)


def test_what_was_borrowed_is_given_back_when_no_one_needs_it() -> None:
    parts = [numpy.arange(100), numpy.arange(100)]
    alone = sys.getrefcount(parts[0])

    def held() -> list[bool]:
        gc.collect()
        return [sys.getrefcount(parts[0]) > alone, sys.getrefcount(parts[1]) > alone]

    def lend(part: Any) -> Any:
        return pyarrow.Array.from_buffers(pyarrow.int64(), 100, [None, pyarrow.py_buffer(part)])

    batches = as_batches(pyarrow.chunked_array([lend(part) for part in parts]))
    assert batches is not None
    first, second = batches
    assert held() == [True, True]
    del batches
    assert held() == [True, True]
    del second
    assert held() == [True, False]
    del first
    assert held() == [False, False]
    batches = as_batches(lend(parts[0]))
    assert held() == [True, False]
    del batches
    assert held() == [False, False]
    batches = as_batches(pyarrow.chunked_array([lend(part) for part in parts]))
    assert batches is not None and next(batches).rows == 100
    del batches  # not read to its end
    assert held() == [False, False]


def test_arrays_are_let_go_with_their_batches() -> None:
    data = numpy.arange(10)
    count = sys.getrefcount(data)
    batches = as_batches(data)
    assert batches is not None
    batch = next(batches)
    assert sys.getrefcount(data) > count
    del batches, batch
    assert sys.getrefcount(data) == count


def test_ten_thousand_batches_leave_nothing_behind() -> None:
    def run(times: int) -> None:
        table = pyarrow.table({"a": ["x", "y"]})
        for _ in range(times):
            for data in (["a", None], array("q", [1]), numpy.arange(3), table, iter((1, 2))):
                for _ in as_batches(data, weights=[1] * 2 if data is table else None) or ():
                    pass

    run(20)
    gc.collect()
    before = sys.getallocatedblocks()
    run(2000)
    gc.collect()
    assert sys.getallocatedblocks() - before < 1000
    assert not _abi.held


@pytest.mark.parametrize("nulls", [0, 3])
@pytest.mark.parametrize("name", [
    "text and int", "bytes and date", "three of time", "long", "unicode", "wide", "of one", "mixed", "of lengths",
    "named", "times", "aware times", "times of both", "zones", "dates", "too large",
])  # fmt: skip
def test_keys_that_are_packed_together_are_those_that_are_packed_alone(name: str, nulls: int) -> None:
    zones = [datetime.timezone(datetime.timedelta(hours=hour)) for hour in range(-5, 6)]
    day, time = datetime.date(1969, 12, 25), datetime.datetime(1969, 12, 31, 23, 59, 58, 999_999)
    pair = collections.namedtuple("pair", "a b")
    makers: dict[str, Any] = {
        "text and int": lambda i: (f"k{i}", i - 5),
        "bytes and date": lambda i: (b"\xff%d" % i, day + datetime.timedelta(i)),
        "three of time": lambda i: (time + datetime.timedelta(0, i, i), "", i),
        "long": lambda i: ("x" * 250 + "y" * i, "z" * 70_000 if i == 3 else ""),
        "unicode": lambda i: ("ä" * i, i),
        "wide": lambda i: (2**64 - 1 - i, -(2**63) + i),
        "of one": lambda i: (f"k{i}",),
        "mixed": lambda i: (i if i % 2 else f"k{i}", b"x"),
        "of lengths": lambda i: ("k",) * (2 + i % 2),
        "named": lambda i: pair(f"k{i}", i),
        "times": lambda i: time + datetime.timedelta(i, i, i),
        "aware times": lambda i: (time + datetime.timedelta(i, i, i)).replace(tzinfo=UTC),
        "times of both": lambda i: time.replace(tzinfo=UTC if i % 2 else None),
        "zones": lambda i: time.replace(tzinfo=zones[i % 11]),
        "dates": lambda i: day + datetime.timedelta(i),
        "too large": lambda i: ("k", 2**63 * i),
    }
    keys = [None if nulls and i % nulls == 0 else makers[name](i) for i in range(20)]
    if name == "too large":
        with pytest.raises(inkling.LimitError, match="^key 2: .*18446744073709551616"):
            as_batches(keys)
        return
    assert rows(keys) == [None if key is None else one_key(key) for key in keys]
    if nulls and isinstance(keys[1], tuple) and name != "named":
        keys[1] = (None, *keys[1][1:])
        assert rows(keys)[:3] == [None, None, one_key(keys[2])]


def test_tuples_of_what_is_no_key_are_refused_in_the_midst_of_others() -> None:
    for wrong in (("a", 1.5), ("a", True), ("a", ("b",)), ("a", "\ud800"), ("a", ["b"])):
        with pytest.raises(inkling.InklingError) as caught:
            as_batches([("a", "b"), wrong])
        assert caught.value.at == 1


# ---- Weights and groups -----------------------------------------------------------------------------------


def test_weights_and_groups_stand_beside_the_keys() -> None:
    batches = as_batches(["a", "b"], weights=[3, None], by=(group for group in ("x", 8)))
    assert batches is not None
    assert (batches.key, batches.weight, batches.by, batches.shape) == ("1", "weight=", "by=", "iterable")
    (batch,) = batches
    assert pyarrow.array(Lent(batch)).to_pylist() == [
        {"key": b"a", "weight=": 3, "by=": b"x"},
        {"key": b"b", "weight=": None, "by=": b"8"},
    ]


def test_names_of_columns_are_left_to_the_library() -> None:
    table = pyarrow.table({"a": [1], "b": [2], "c": [3]})
    batches = as_batches(table, weights="b", by="c")
    assert batches is not None and (batches.key, batches.weight, batches.by) == (None, None, None)


@pytest.mark.parametrize(
    "weights",
    [
        [1, 2, 3, 4, 5],
        numpy.arange(1, 6, dtype="u2"),
        array("i", [1, 2, 3, 4, 5]),
        pyarrow.array([0, 1, 2, 3, 4, 5])[1:],
        pyarrow.chunked_array([[1], [], [2, 3, 4], [5]]),
        pandas.Series([1, 2, 3, 4, 5]),
        polars.Series([1, 2, 3, 4, 5]),
        polars.DataFrame({"w": [1, 2, 3, 4, 5]}),
        range(1, 6),
    ],
    ids=lambda weights: type(weights).__name__,
)
@pytest.mark.parametrize(
    "keys",
    [
        [10, 20, 30, 40, 50],
        numpy.array([10, 20, 30, 40, 50]),
        pyarrow.chunked_array([[10, 20, 30], [], [40, 50]]),
        pyarrow.chunked_array([[0, 10, 20, 30], [40], [50]])[1:],
        pyarrow.table({"key": pyarrow.chunked_array([[0, 10, 20, 30], [40, 50, 0]])})[1:6],
    ],
    ids=lambda keys: type(keys).__name__,
)
def test_weights_meet_their_keys_however_both_are_cut(keys: Any, weights: Any) -> None:
    batches = as_batches(keys, weights=weights)
    assert batches is not None and (batches.key, batches.weight) == ("1", "weight=")
    found = [row for batch in batches for row in pyarrow.array(Lent(batch)).to_pylist()]
    assert found == [{"key": 10 * i, "weight=": i} for i in range(1, 6)]
    batches = as_batches(keys, weights=7)
    assert batches is not None and (batches.key, batches.weight) == ("1", "weight=")
    found = [row for batch in batches for row in pyarrow.array(Lent(batch)).to_pylist()]
    assert found == [{"key": 10 * i, "weight=": 7} for i in range(1, 6)]


def test_weights_beside_a_table_keep_its_columns_and_its_nulls() -> None:
    table = pyarrow.table({"a": ["x", "y"], "weights": [7, 8]})
    batches = as_batches(table, weights=[1, 2])
    assert batches is not None and batches.key is None
    (batch,) = batches
    assert pyarrow.array(Lent(batch)).to_pylist() == [
        {"a": "x", "weights": 7, "weight=": 1}, {"a": "y", "weights": 8, "weight=": 2},
    ]  # fmt: skip
    rare = pyarrow.array([{"a": i, "b": i} if i % 3 else None for i in range(40)])
    found = rows(rare[5:], weights=pyarrow.chunked_array([range(17), range(17, 35)]))
    assert found == [{"a": i, "b": i, "weight=": i - 5} if i % 3 else None for i in range(5, 40)]


@pytest.mark.parametrize(
    ("keys", "weights", "message"),
    [
        (["a", "b"], [1], "weight= has 1 rows, expected 2, one for each key"),
        (["a"], numpy.arange(3), "weight= has 3 rows, expected 1, one for each key"),
        ([], [1], "weight= has 1 rows, expected 0, one for each key"),
        (["a"], [], "weight= has 0 rows, expected 1, one for each key"),
        (pyarrow.chunked_array([[1], [2]]), [1], "weight= has 1 rows, expected 2, one for each key"),
        (["a", "b"], pyarrow.table({"w": [1, 2], "v": [1, 2]}), "weight= is a table of 2 columns, expected one"),
        (["a", "b"], -3, "weight -3, expected a whole number from 0 to 9223372036854775807"),
        (["a", "b"], 1.5, "weight 1.5, expected a whole number from 0 to 9223372036854775807"),
    ],
)
def test_weights_that_do_not_go_with_their_keys(keys: Any, weights: Any, message: str) -> None:
    with pytest.raises(inkling.UsageError, match=f"^{message}"):
        for _ in as_batches(keys, weights=weights) or ():
            pass


def test_names_of_columns_beside_keys_that_have_none() -> None:
    sketch = inkling.Sketch("count-min")
    for keys in (["a", "b"], {"a"}, iter("ab"), []):
        words = '^weight="abc" names a column, and these keys have none, expected an int for each, or a table$'
        with pytest.raises(inkling.UsageError, match=words):
            sketch.add(keys, weight="abc")
        with pytest.raises(inkling.UsageError, match='^by="DE" names a column.*expected a group for each, or a table$'):
            as_batches(keys, by="DE")
    for column in ([1, 2], numpy.array([1, 2]), pandas.Series([1, 2]), polars.Series([1, 2]), []):
        with pytest.raises(inkling.UsageError, match='^no column "i": the array is a column itself, expected a table$'):
            sketch.add(column, key="i")
    with pytest.raises(inkling.UsageError, match='^no column "abc": the array is a column itself, expected a table$'):
        sketch.add(numpy.array([1, 2]), weight="abc")


def test_columns_of_a_frame_may_be_given_by_themselves() -> None:
    frame = pandas.DataFrame({"user": ["a", "b"], "n": [3, 4]}, index=[7, 5])
    want = inkling.Sketch("count-min").add(frame, key="user", weight="n").digest
    assert inkling.Sketch("count-min").add(frame, key="user", weight=frame.n).digest == want
    assert inkling.Sketch("count-min").add(frame.user, weight=frame.n).digest == want
    assert inkling.Sketch("count-min").add(frame[["user"]], weight=frame[["n"]]).digest == want


def test_lengths_that_only_show_at_the_end() -> None:
    with pytest.raises(inkling.UsageError, match="^weight= has 1 rows, expected 2 or more, one for each key$"):
        rows((key for key in "ab"), weights=[1])
    with pytest.raises(inkling.UsageError, match="^weight= has 3 or more rows, expected 2, one for each key$"):
        rows(["a", "b"], weights=(weight for weight in (1, 2, 3)))
    with pytest.raises(inkling.UsageError, match="^by= has 1 rows, expected 2, one for each key$"):
        rows(["a", "b"], weights=[1, 2], by=iter("x"))


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ([1, 1.5], inkling.UnsupportedError, "^key 1: weight=: float, expected ints$"),
        ([True, 1], inkling.UnsupportedError, "^key 0: weight=: bool, expected ints$"),
        ([1, "2"], inkling.UnsupportedError, "^key 1: weight=: str, expected ints$"),
        ([1, 2**63], inkling.LimitError, "^key 1: weight=: 9223372036854775808, expected less than 2\\^63$"),
    ],
)
def test_weights_that_are_none(weights: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        as_batches(["a", "b"], weights=weights)


def test_groups_are_texts_and_floats_stay_floats() -> None:
    groups: Iterable[Any]
    for groups, want in (
        (["x", 8, b"y", None, True], [b"x", b"8", b"y", None, b"true"]),
        ([8.5, None, 2.0], [8.5, None, 2.0]),
        (numpy.array([1, 2]), [1, 2]),
    ):
        found = rows(["k"] * len(want), by=groups)
        assert [row["by="] for row in found] == want
    with pytest.raises(inkling.InklingError, match="^key 1: by=: "):
        as_batches(["a", "b"], by=["x", 1.5])


# ---- Streams of ours --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "want"),
    [
        (["a", None], [b"a", None]),
        ([], []),
        ((str(i) for i in range(40_000)), [b"%d" % i for i in range(40_000)]),
        (numpy.arange(5), list(range(5))),
        (pyarrow.array([1, 2]), [1, 2]),
        (pyarrow.array(["b", "a", "b"]).dictionary_encode(), ["b", "a", "b"]),
        (pandas.DataFrame({"a": [1, 2], "b": ["x", "y"]}), [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]),
        (polars.Series(["a", "b"]), ["a", "b"]),
        ("bee", [b"bee"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_stream_gives_what_batches_do(data: Any, want: list[Any]) -> None:
    stream = as_stream(data)
    found = pyarrow.chunked_array(LentStream(stream))
    found.validate(full=True)
    assert found.to_pylist() == want
    assert stream.error is None
    del found
    gc.collect()
    assert not _abi.held


def test_arrays_outlive_the_next_one_and_their_stream() -> None:
    stream = as_stream(str(i) for i in range(50_000))
    found = pyarrow.chunked_array(LentStream(stream))
    assert found.num_chunks == 4
    del stream
    gc.collect()
    assert found.to_pylist() == [b"%d" % i for i in range(50_000)]


def test_a_child_that_was_taken_out_outlives_its_parent() -> None:
    batches = as_batches(["a"], weights=[5])
    assert batches is not None
    target = ArrowArray()
    batch = next(batches)
    _abi.hand_out(ArrowArray, batch.array_address, ctypes.addressof(target), batch)
    del batch, batches
    address = (ctypes.c_void_p * 2).from_address(target.children)[1]
    taken = ArrowArray.from_buffer_copy(ArrowArray.from_address(address))
    ArrowArray.from_address(address).release = None
    _abi.Release(target.release)(ctypes.addressof(target))
    gc.collect()
    assert target.release is None and len(_abi.held) == 1
    values = (ctypes.c_void_p * 2).from_address(taken.buffers)[1]
    assert ctypes.c_int64.from_address(values).value == 5
    _abi.Release(taken.release)(ctypes.addressof(taken))
    assert not _abi.held


def test_arrays_may_be_released_on_other_threads() -> None:
    stream = as_stream(iter(range(20_000)))
    target = ArrowArray()
    struct = ArrowArrayStream.from_address(stream.address)
    answers: list[Any] = []

    def work() -> None:
        answers.append(_abi.Pull(struct.get_next)(stream.address, ctypes.addressof(target)))

    def let_go() -> None:
        answers.append(_abi.Release(target.release)(ctypes.addressof(target)))

    for function in (work, let_go):
        thread = threading.Thread(target=function)
        thread.start()
        thread.join()
    assert answers == [0, None] and target.release is None and not _abi.held


def test_what_goes_wrong_in_a_stream_is_kept_and_reported() -> None:
    def keys() -> Iterator[str]:
        yield from map(str, range(_keys.CHUNK_KEYS + 1))
        raise ZeroDivisionError("no more of them")

    stream = as_stream(keys())
    with pytest.raises(Exception, match="no more of them"):
        pyarrow.chunked_array(LentStream(stream))
    assert isinstance(stream.error, ZeroDivisionError)
    with pytest.raises(inkling.UsageError, match="int key among bytes keys"):
        as_stream(key for key in ("a", 1))
