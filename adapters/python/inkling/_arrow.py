"""Input of any type - columns, tables, arrays, iterables - as rows of Arrow columns.

Objects with Arrow data export it themselves, through capsules: nothing is copied, and the borrowed capsule
stays alive as long as what is made of it. Arrays are described in place (``_arrays``), Python objects are
packed (``_keys``).
"""

from __future__ import annotations

import ctypes
import errno
import io
import itertools
import os
import sys
import weakref
from collections import deque
from collections.abc import Collection, ItemsView, Iterable, Iterator, KeysView, Sized, ValuesView
from ctypes import addressof
from typing import Any

from . import _keys
from ._abi import (
    ArrowArray,
    ArrowArrayStream,
    ArrowSchema,
    Pull,
    Release,
    GetText,
    callback,
    hand_out,
    numbers,
)
from ._arrays import buffer_batches, is_of_pandas, numpy_batches, pandas_batches
from ._batches import (
    Batch,
    Batches,
    Reader,
    Shape,
    Side,
    borrowed,
    fail_lengths,
    given,
    listed,
    packed_batch,
    plain_schema,
    same_for_all,
    stream_of,
    zipped,
)
from ._errors import FileError, FormatError, UnsupportedError, UsageError
from ._keys import GroupPacker, Packer, WeightPacker, name_of, one_key
from ._library import whole

__all__ = [
    "ArrowArray",
    "ArrowArrayStream",
    "ArrowSchema",
    "Batch",
    "Batches",
    "Shape",
    "Stream",
    "as_batches",
    "as_stream",
    "parquet_table",
]

WEIGHTS = "weight="
"""The name of the column that weight= becomes, beside the keys."""
GROUPS = "by="
"""The name of the column that by= becomes, beside the keys."""


def as_batches(
    data: Any,
    *,
    weights: Any = None,
    by: Any = None,
    columns: Collection[str | int] | None = None,
    key: Collection[str | int] = (),
) -> Batches | None:
    """Many keys, or rows of a table, as batches; None if `data` is one key. A column of structs is a table.

    `weights` and `by` that are arrays or iterables come as columns beside the keys, named in `.weight` and
    `.by`; so does one int, the weight of all keys. Names of columns are left to the library. Of a table that
    must be converted only `columns` are, by names or numbers, of which those in `key` are the key; without
    `columns`, all.

    Raises UnsupportedError for what cannot be keys, UsageError where lengths differ; in the midst of an
    iterable that comes by and by also from `next`.
    """
    if one_key(data) is not None:
        return None
    keys = _batches(data, Packer, columns, key)
    beside: list[tuple[str, Batches]] = []
    if isinstance(weights, str):
        _check_columns(keys, WEIGHTS, weights, "an int for each")
    elif weights is not None:
        keys, column = _with_weights(keys, weights)
        beside.append((WEIGHTS, column))
    if isinstance(by, str):
        _check_columns(keys, GROUPS, by, "a group for each")
    elif by is not None:
        beside.append((GROUPS, _beside(by, GROUPS, GroupPacker)))
    return _joined(keys, beside) if beside else keys


def _check_columns(keys: Batches, option: str, name: str, expected: str) -> None:
    """Python objects have no columns; of others the library knows."""
    if keys.shape == "iterable":
        found = f'{option}"{name}" names a column, and these keys have none'
        raise UsageError(f"{found}, expected {expected}, or a table")


def _with_weights(keys: Batches, weights: Any) -> tuple[Batches, Batches]:
    if isinstance(weights, (int, float)) or one_key(weights) is not None:
        return same_for_all(keys, whole("weight", weights, bits=63))
    return keys, _batches(weights, WeightPacker)


def _beside(data: Any, name: str, packer: type[Packer]) -> Batches:
    if one_key(data) is not None:
        raise UsageError(f"{name} is one {name_of(data)} for many keys, expected one for each")
    return _batches(data, packer)


def _batches(
    data: Any,
    packer: type[Packer],
    columns: Collection[str | int] | None = None,
    key: Collection[str | int] = (),
) -> Batches:
    found = pandas_batches(data, packer, columns, key)
    if found is not None:
        return found
    data = _reader_of(data, columns)
    if hasattr(data, "__arrow_c_array__"):
        batch = borrowed(data)
        return Batches([batch], "array", batch.rows)
    if hasattr(data, "__arrow_c_stream__"):
        sized = _package(data) in ("pyarrow", "polars") and isinstance(data, Sized)
        return Batches(Reader(data), "array", len(data) if sized else None)
    if hasattr(data, "__array_interface__") and "numpy" in sys.modules:
        return numpy_batches(data, packer)
    return buffer_batches(data) or _iterable(data, packer)


def _package(data: Any) -> str:
    return type(data).__module__.partition(".")[0]


def reads_batches(data: Any) -> bool:
    """Whether pyarrow reads this from files batch by batch: a dataset, a scanner, a Parquet file."""
    lends = hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")
    reads = hasattr(data, "to_batches") or hasattr(data, "iter_batches")
    return reads and not lends and _package(data) == "pyarrow"


def parquet_table(path: Any) -> Any:
    """The table of a Parquet file, or of a folder of them, as pyarrow reads it."""
    text = os.fsdecode(path)
    try:
        from pyarrow import dataset  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        found = "a Parquet file, and pyarrow, which reads it, is not installed"
        raise UnsupportedError(f"{found}, expected it or a file of text", path=text) from None
    try:
        os.stat(text)
        return dataset.dataset(text, format="parquet")
    except (OSError, ValueError) as error:  # those of pyarrow are one of them
        number = getattr(error, "errno", None)
        if number is not None:
            raise FileError(f"cannot open: {os.strerror(number)}", path=text, os_error=number) from None
        raise FormatError(f"no Parquet file: {' '.join(str(error).split())}", path=text) from None


def _reader_of(data: Any, columns: Collection[str | int] | None) -> Any:
    """A stream of what pyarrow would read, of all or, if it has them all, of these columns; or `data`."""
    if not reads_batches(data):
        return data
    return given(data, lambda: data.to_reader() if hasattr(data, "to_reader") else _reader(data, columns))


def _reader(data: Any, columns: Collection[str | int] | None) -> Any:
    whole_schema = data.schema_arrow if hasattr(data, "schema_arrow") else data.schema
    names, wanted = whole_schema.names, set(map(str, columns or ()))
    chosen = [name for name in names if name in wanted]
    if not chosen or sorted(chosen) != sorted(wanted):
        chosen = names
    if hasattr(data, "scanner"):
        return data.scanner(columns=chosen).to_reader()
    schema = sys.modules["pyarrow"].schema([whole_schema.field(name) for name in chosen])
    return sys.modules["pyarrow"].RecordBatchReader.from_batches(schema, data.iter_batches(columns=chosen))


# What holds all its keys; others, as range and progress bars, have a length too and should not be held.
_IN_MEMORY = (list, set, frozenset, dict, deque, KeysView, ValuesView, ItemsView)


def _iterable(data: Any, packer: type[Packer]) -> Batches:
    """Python objects: all in one batch if they are in memory, else batch by batch, as they come."""
    if isinstance(data, io.IOBase):
        raise UnsupportedError(
            f"{name_of(data)} is an open file, expected keys (inkling.build reads files, by their paths)"
        )
    if hasattr(data, "__array__") and "numpy" in sys.modules:
        return numpy_batches(data, packer)
    if not isinstance(data, Iterable):
        if hasattr(data, "collect"):
            raise UnsupportedError(f"{name_of(data)} has no rows yet, expected what its collect() gives")
        _keys.refuse(data)
    if isinstance(data, _IN_MEMORY):
        begun = packer()
        if type(data) is list:
            data = data[begun.take(data) :]
        return listed(_keys.chunks(data), begun, "iterable")
    packed = _keys.pack_by_and_by(_keys.chunks(data), packer())
    return Batches(map(packed_batch, packed), "iterable")


def _joined(keys: Batches, beside: list[tuple[str, Batches]]) -> Batches:
    """Keys, or a table, with more columns."""
    sides = [Side("key", keys, spread=True), *(Side(name, batches) for name, batches in beside)]
    for side in sides[1:]:
        if keys.rows is not None and side.batches.rows is not None and keys.rows != side.batches.rows:
            fail_lengths(sides[0], side)
    joined = Batches(zipped(sides), keys.shape, keys.rows)
    names = [name for name, _ in beside]
    joined.weight = WEIGHTS if WEIGHTS in names else None
    joined.by = GROUPS if GROUPS in names else None
    sides[0].look()
    columns = None if sides[0].batch is None else len(sides[0].types())
    if columns == 0:  # or what stands beside them would be the key
        raise UsageError("a table without columns, expected one that is the key")
    if columns == 1:
        joined.key = "1"
    return joined


# ---- Streams --------------------------------------------------------------------------------------------


class Stream:
    """An ArrowArrayStream for a job to read, at `address`, as long as this lives."""

    address: int
    error: BaseException | None = None
    """An exception in Python while a job was reading, on any thread; the caller of the job gets it."""


class _BorrowedStream(Stream):
    def __init__(self, data: Any) -> None:
        self._capsule, self.address = stream_of(data)


class _MadeStream(Stream):
    """A stream of Batches. The first is made at once: it has the schema, and fails on the caller's thread."""

    def __init__(self, batches: Iterator[Batch]) -> None:
        self._first = next(batches, None)
        self._batches = batches if self._first is None else itertools.chain([self._first], batches)
        self._text: Any = None
        self._struct = ArrowArrayStream(
            _GET_SCHEMA, _GET_NEXT, _GET_LAST_ERROR, _RELEASE_STREAM, next(numbers)
        )
        self.address = addressof(self._struct)
        _streams[self._struct.private_data or 0] = self

    def give_schema(self, target: int) -> None:
        first = self._first
        source = addressof(plain_schema("n")) if first is None else first.schema_address
        hand_out(ArrowSchema, source, target, first)

    def give_array(self, target: int) -> None:
        batch = next(self._batches, None)
        if batch is None:
            ctypes.memset(target, 0, ctypes.sizeof(ArrowArray))
        else:
            hand_out(ArrowArray, batch.array_address, target, batch)

    def give_error(self) -> int | None:
        if self.error is None:
            return None
        text = str(self.error) or type(self.error).__name__
        self._text = ctypes.create_string_buffer(text.encode(errors="replace").replace(b"\0", b" "))
        return addressof(self._text)

    def attempt(self, give: Any, target: int) -> int:
        """Gives, or keeps what went wrong."""
        try:
            give(target)
        except BaseException as error:  # nothing may leave a callback
            self.error = error
            return errno.EIO
        return 0


_streams: weakref.WeakValueDictionary[int, _MadeStream] = weakref.WeakValueDictionary()


def _stream_at(address: int) -> _MadeStream:
    return _streams[ArrowArrayStream.from_address(address).private_data or 0]


def _get_schema(address: int, target: int) -> int:
    stream = _stream_at(address)
    return stream.attempt(stream.give_schema, target)


def _get_next(address: int, target: int) -> int:
    stream = _stream_at(address)
    return stream.attempt(stream.give_array, target)


def _get_last_error(address: int) -> int | None:
    return _stream_at(address).give_error()


def _release_stream(address: int) -> None:
    struct = ArrowArrayStream.from_address(address)
    _streams.pop(struct.private_data or 0, None)
    struct.release = None


_GET_SCHEMA = callback(Pull, _get_schema)
_GET_NEXT = callback(Pull, _get_next)
_GET_LAST_ERROR = callback(GetText, _get_last_error)
_RELEASE_STREAM = callback(Release, _release_stream)


def as_stream(
    data: Any, *, columns: Collection[str | int] | None = None, key: Collection[str | int] = ()
) -> Stream:
    """Many keys, or rows of a table, as a stream for a job: the data's own, or one that is made of batches.

    One key is a stream of that key. What fails before the job has begun is raised here, later failures are
    `.error` of the stream.
    """
    data = _reader_of(data, columns)
    if hasattr(data, "__arrow_c_stream__") and not is_of_pandas(data):
        return _BorrowedStream(data)
    return _MadeStream(as_batches(data, columns=columns, key=key) or _batches([data], Packer))
