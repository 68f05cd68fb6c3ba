"""Arrays that are no Arrow data but stand in memory as Arrow would have them: of NumPy, of Python, of pandas.

They are described where they are, and copied only if they are strided, swapped, or no numbers. Neither NumPy
nor pandas is ever imported here: a program that passes one of their arrays has loaded them.
"""

from __future__ import annotations

import sys
from array import array as PythonArray
from collections.abc import Collection, Iterator
from typing import Any

from . import _keys
from ._abi import buffer_address
from ._batches import Batch, Batches, Reader, Side, column_batch, given, listed, null_batch, zipped
from ._errors import InklingError, MismatchError, UnsupportedError
from ._keys import Packer, name_of


# ---- NumPy ----------------------------------------------------------------------------------------------

_INTS = {
    ("i", 1): "c", ("u", 1): "C", ("i", 2): "s", ("u", 2): "S",
    ("i", 4): "i", ("u", 4): "I", ("i", 8): "l", ("u", 8): "L",
}  # fmt: skip
_FLOATS = {2: "e", 4: "f", 8: "g"}
_TIMES = {"D": "l", "s": "tss:", "ms": "tsm:", "us": "tsu:", "ns": "tsn:"}
_COARSER = {"Y": "D", "M": "D", "W": "D", "h": "s", "m": "s", "ps": "us", "fs": "us", "as": "us"}


def numpy_batches(data: Any, packer: type[Packer]) -> Batches:
    """An array where it stands; copied only if it is strided, swapped, or not of numbers.

    An array of no doubles is what NumPy makes of no values at all: it is of no type.
    """
    numpy: Any = sys.modules["numpy"]
    mask = None
    if isinstance(data, numpy.ma.MaskedArray):
        mask = numpy.ma.getmaskarray(data)
        data = numpy.ma.getdata(data)
    values = given(data, lambda: numpy.asarray(data))
    if values.ndim != 1:
        raise UnsupportedError(f"an array of {values.ndim} dimensions, expected keys in one")
    if not values.size and values.dtype == numpy.float64:
        return Batches([null_batch(0)], "array", 0)
    return _array_batches(values, mask, packer)


def _array_batches(values: Any, mask: Any, packer: type[Packer]) -> Batches:
    numpy: Any = sys.modules["numpy"]
    if values.dtype.kind in "SUTO":
        return listed(_array_lists(values, mask), packer(), "array")
    format, values, missing = _numpy_values(numpy, values)
    if mask is not None:
        missing = mask if missing is None else missing | mask
    return Batches([_numpy_column(numpy, format, values, missing)], "array", len(values))


def _array_lists(values: Any, mask: Any) -> Iterator[list[Any]]:
    """The objects of an array; those that are masked, or its type's word for a missing one, are None."""
    missing = getattr(values.dtype, "na_object", None)
    for start in range(0, len(values), _keys.CHUNK_KEYS):
        part = slice(start, start + _keys.CHUNK_KEYS)
        objects = values[part].tolist()
        if missing is not None:
            objects = [None if value is missing else value for value in objects]
        if mask is not None:
            objects = [None if hidden else value for value, hidden in zip(objects, mask[part].tolist())]
        yield objects


def _numpy_values(numpy: Any, values: Any) -> tuple[str, Any, Any]:
    """The format, values that stand as Arrow has them, and which are missing, or None."""
    dtype = values.dtype
    missing = None
    if dtype.kind == "M":
        values, format = _numpy_times(numpy, values)
        missing = numpy.isnat(values)
    elif dtype.kind == "b":
        return "b", values, None
    elif dtype.kind == "f" and dtype.itemsize in _FLOATS:
        format = _FLOATS[dtype.itemsize]
    elif dtype.kind in "iu":
        format = _INTS[dtype.kind, dtype.itemsize]
    else:
        expected = "a field of it, as array['name']" if dtype.names else "integers, times, strings or bytes"
        name = "records" if dtype.names else dtype.name
        raise UnsupportedError(f"an array of {name} cannot be keys, expected {expected}")
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    return format, numpy.require(values, requirements=("C", "A")), missing


def _numpy_times(numpy: Any, values: Any) -> tuple[Any, str]:
    """Times in a unit that Arrow has; days are their number."""
    unit, count = numpy.datetime_data(values.dtype)
    if unit == "generic":  # all are missing
        return values.astype("M8[D]"), "l"
    wanted = _COARSER.get(unit, unit)
    if wanted != unit or count != 1:
        whole = values.astype(f"M8[{wanted}]")
        changed = (whole.astype(values.dtype) != values) & ~numpy.isnat(values)
        if changed.any():
            raise MismatchError(
                f"the time {values[changed][0]} does not fit, expected whole microseconds of 64 bits",
                location="key", at=int(changed.argmax()),
            )  # fmt: skip
        values = whole
    return values, _TIMES[wanted]


def _numpy_column(numpy: Any, format: str, values: Any, missing: Any) -> Batch:
    validity, nulls = None, 0
    if missing is not None and missing.any():
        validity = numpy.packbits(~missing, bitorder="little")
        nulls = int(missing.sum())
    stored = numpy.packbits(values, bitorder="little") if format == "b" else values
    addresses = [None if part is None else part.__array_interface__["data"][0] for part in (validity, stored)]
    return column_batch(format, len(values), nulls, addresses, (validity, stored))


# ---- Buffers of Python's own ----------------------------------------------------------------------------

_BUFFER_INTS = {"b": "i", "h": "i", "i": "i", "l": "i", "q": "i", "n": "i"}
_BUFFER_INTS |= {code.upper(): "u" for code in _BUFFER_INTS}
_SWAPPED = (">", "!") if sys.byteorder == "little" else ("<",)


def buffer_batches(data: Any) -> Batches | None:
    """The ints of array.array, memoryview and the like; None for what has no buffer, or one of objects."""
    if isinstance(data, PythonArray) and data.typecode in "uw":
        return None
    try:
        view = memoryview(data)
    except TypeError:
        return None
    code = view.format.lstrip("@=<>!")
    if view.ndim != 1:
        raise UnsupportedError(f"a buffer of {view.ndim} dimensions, expected keys in one")
    if code in ("f", "d"):
        _keys.refuse(1.0)
    if code not in _BUFFER_INTS or (view.itemsize == 1 and not isinstance(data, PythonArray)):
        found = f"{name_of(data)} of format {view.format!r} as keys"
        raise UnsupportedError(f"{found}, expected bytes() of it as one, or ints")
    swapped = view.format[0] in _SWAPPED and view.itemsize > 1
    if swapped or not view.c_contiguous:
        view = _contiguous(view, swapped)
    format = _INTS[_BUFFER_INTS[code], view.itemsize]
    rows = view.nbytes // view.itemsize
    return Batches([column_batch(format, rows, 0, (None, buffer_address(view)), view)], "array", rows)


def _contiguous(view: memoryview, swapped: bool) -> memoryview:
    """A copy of ints in the order of this machine."""
    copy = PythonArray({1: "b", 2: "h", 4: "i", 8: "q"}[view.itemsize], view.tobytes())
    if swapped:
        copy.byteswap()
    return memoryview(copy)


# ---- pandas ---------------------------------------------------------------------------------------------

_INSTEAD = {
    "pandas.PeriodDtype": "timestamps, as to_timestamp() makes of them",
    "pandas.IntervalDtype": "one of their bounds, or text, as astype(str) makes of them",
    "pandas.SparseDtype": "dense values, as sparse.to_dense() makes of them",
}


def is_of_pandas(data: Any) -> bool:
    """Whether data is a column or table of pandas, or of a package that builds on it."""
    pandas: Any = sys.modules.get("pandas")
    if not hasattr(pandas, "DataFrame"):  # not loaded, or being loaded
        return False
    kinds = pandas.DataFrame, pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray
    return isinstance(data, kinds)


def pandas_batches(
    data: Any, packer: type[Packer], columns: Collection[str | int] | None, key: Collection[str | int] = ()
) -> Batches | None:
    """NumPy's columns as NumPy's, objects as Python's, and others as they give themselves through Arrow; None
    for what is no column or table."""
    if not is_of_pandas(data):
        return None
    pandas: Any = sys.modules["pandas"]
    if isinstance(data, pandas.DataFrame):
        return _frame_batches(data, columns, key)
    if isinstance(data, pandas.MultiIndex):
        return listed(_keys.chunks(data), packer(), "array")
    if isinstance(data, (pandas.Index, pandas.api.extensions.ExtensionArray)):
        data = pandas.Series(data, copy=False)
    if packer is Packer:
        _refuse_whole_floats(data, "the array")
    return _series_batches(data, packer)


def _series_batches(series: Any, packer: type[Packer]) -> Batches:
    _refuse_type(series.dtype)
    if isinstance(series.dtype, sys.modules["numpy"].dtype):
        if series.dtype.kind != "O":
            missing = series.isna().to_numpy() if series.dtype.kind == "f" else None
            return _array_batches(series.to_numpy(), missing, packer)
    elif hasattr(series, "__arrow_c_stream__"):  # pandas before 3 has none
        try:
            return Batches(Reader(series), "array", len(series))
        except UnsupportedError as error:
            if not isinstance(error.__cause__, ImportError):  # without pyarrow
                raise
    return listed(_series_lists(series), packer(), "array")


def _refuse_type(dtype: Any) -> None:
    """What pandas would give as something else than it means, or not at all, is refused by its name."""
    if hasattr(dtype, "categories"):
        dtype = getattr(dtype.categories, "dtype", None)
    instead = _INSTEAD.get(name_of(dtype))
    if instead is not None:
        raise UnsupportedError(f"values of the type {dtype}, expected {instead}")


def _refuse_whole_floats(series: Any, name: str) -> None:
    """Ints beside missing ones, which pandas makes floats: how to have the ints back."""
    if getattr(series.dtype, "kind", "") != "f" or not isinstance(series.dtype, sys.modules["numpy"].dtype):
        return
    present = series.dropna()
    if 0 < len(present) < len(series) and bool((present % 1 == 0).all()):
        raise UnsupportedError(
            f"{name} holds floats, which are whole numbers and NaN, "
            'expected integers, as astype("Int64") or dropna().astype("int64") makes of them'
        )


def _series_lists(series: Any) -> Iterator[list[Any]]:
    for start in range(0, len(series), _keys.CHUNK_KEYS):
        part = series.iloc[start : start + _keys.CHUNK_KEYS]
        yield [None if missing else value for value, missing in zip(part.tolist(), part.isna().tolist())]


def _positions(names: list[str], wanted: Collection[str | int]) -> set[int] | None:
    """Where the columns that are wanted by name, or by number from 1, stand; None if the library will refuse
    one of them."""
    positions = set()
    for name in map(str, wanted):
        if names.count(name) == 1:
            positions.add(names.index(name))
        elif name not in names and name.isdecimal() and 0 < int(name) <= len(names):
            positions.add(int(name) - 1)
        else:
            return None
    return positions


def _frame_batches(frame: Any, columns: Collection[str | int] | None, key: Collection[str | int]) -> Batches:
    """A table of its columns, and of the levels of its index that are wanted by name. What is not wanted is
    not converted: nulls stand for it, so that all names and numbers stay where they are."""
    if frame.columns.nlevels > 1:
        raise UnsupportedError(
            f"a pandas.DataFrame with {frame.columns.nlevels} levels of column names, expected one"
        )
    names = list(map(str, frame.columns))
    levels = [name for name in frame.index.names if name is not None and str(name) not in names]
    wanted = set(map(str, columns or ()))
    if _positions(names + list(map(str, levels)), wanted) is not None:
        levels = [name for name in levels if str(name) in wanted]
    names += map(str, levels)
    positions: Collection[int] = range(len(names))
    if columns is not None and (columns or len(names) > 1):
        positions = _positions(names, wanted) or ()
    keys: Collection[int] = (0,) if len(names) == 1 else _positions(names, key) or ()
    nulls = null_batch(len(frame))
    parts = []
    for position, name in enumerate(names):
        column = Batches([nulls], "array", len(frame))
        if position in positions:
            beyond = position - len(frame.columns)
            series = frame.iloc[:, position] if beyond < 0 else _level(frame, levels[beyond])
            column = _column_batches(series, name, position in keys)
        parts.append(Side(name, column))
    rows = zipped(parts) if parts else [column_batch("+s", len(frame), 0, (None,), None)]
    return Batches(rows, "array", len(frame))


def _level(frame: Any, name: Any) -> Any:
    return sys.modules["pandas"].Series(frame.index.get_level_values(name), copy=False)


def _column_batches(series: Any, name: str, is_key: bool) -> Batches:
    if is_key:
        _refuse_whole_floats(series, f'column "{name}"')
    try:
        return _series_batches(series, Packer)
    except InklingError as error:
        message = f'column "{name}": {error.message}'
        raise type(error)(message, location=error.location, at=error.at) from error.__cause__
