"""Arrays that are no Arrow data but stand in memory as Arrow would have them: of NumPy, of Python, of pandas.

They are described where they are, and copied only if they are strided, swapped, or no numbers. Neither NumPy
nor pandas is ever imported here: who hands in an array of theirs has them loaded.
"""

from __future__ import annotations

import sys
from array import array as PythonArray
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from . import _keys
from ._abi import buffer_address
from ._batches import Batch, Batches, Reader, Side, column_batch, listed, zipped
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
    """An array where it stands; copied only if it is strided, swapped, or not of numbers."""
    numpy: Any = sys.modules["numpy"]
    mask = None
    if isinstance(data, numpy.ma.MaskedArray):
        mask = numpy.ma.getmaskarray(data)
        data = numpy.ma.getdata(data)
    values = numpy.asarray(data)
    if values.ndim != 1:
        raise UnsupportedError(f"an array of {values.ndim} dimensions, expected keys in one")
    kind = values.dtype.kind
    if not values.size and kind in "fO":
        return Batches([], "array", 0)
    if kind in "SUTO":
        return listed(_array_lists(values, mask), packer, "array")
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
                place="key", at=int(changed.argmax()),
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


def pandas_batches(data: Any, packer: type[Packer], columns: Collection[str] | None) -> Batches | None:
    """NumPy's columns as NumPy's, objects as Python's, and others as they give themselves through Arrow; None
    for what is no column or table."""
    pandas: Any = sys.modules["pandas"]
    if isinstance(data, pandas.DataFrame):
        return _pandas_frame(data, columns)
    if isinstance(data, pandas.MultiIndex):
        return listed(_keys.chunks(data), packer, "array")
    if isinstance(data, (pandas.Index, pandas.api.extensions.ExtensionArray)):
        data = pandas.Series(data)
    if not isinstance(data, pandas.Series):
        return None
    if isinstance(data.dtype, sys.modules["numpy"].dtype):
        if data.dtype.kind != "O":
            return numpy_batches(data.to_numpy(), packer)
    else:
        try:
            return Batches(Reader(data.__arrow_c_stream__()), "array", len(data))
        except (AttributeError, ImportError):  # pandas before 3, or without pyarrow
            pass
    return listed(_series_lists(data), packer, "array")


def _series_lists(series: Any) -> Iterator[list[Any]]:
    for start in range(0, len(series), _keys.CHUNK_KEYS):
        part = series.iloc[start : start + _keys.CHUNK_KEYS]
        yield [None if missing else value for value, missing in zip(part.tolist(), part.isna().tolist())]


def _pandas_frame(frame: Any, columns: Collection[str] | None) -> Batches:
    """A table of its columns, and of what is wanted by name of its index."""
    names = list(map(str, frame.columns))
    levels = [name for name in frame.index.names if columns and name in columns and name not in names]
    if levels:
        frame = frame.reset_index(level=levels)
        names = list(map(str, frame.columns))
    wanted: Sequence[int] = range(len(names))
    if columns and set(columns) <= set(names):
        wanted = [place for place in wanted if names[place] in columns]
    parts = []
    for place in wanted:
        name = names[place]
        try:
            column = pandas_batches(frame.iloc[:, place], Packer, None)
        except InklingError as error:
            sentence = f"column {name!r}: {error.sentence}"
            raise type(error)(sentence, place=error.place, at=error.at) from None
        assert column is not None
        parts.append(Side(name, column))
    return Batches(zipped(parts), "array", len(frame))
