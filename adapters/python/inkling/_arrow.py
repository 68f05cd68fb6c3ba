"""Whatever a user hands in - columns, tables, arrays, iterables - as rows of Arrow columns.

Who has Arrow data gives it by itself, through capsules: nothing is copied, and the capsule that was borrowed
stays alive as long as what is made of it. Arrays are described where they stand (``_arrays``), Python objects
are packed (``_keys``).
"""

from __future__ import annotations

import ctypes
import errno
import io
import itertools
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
    Tell,
    callback,
    capsule_pointer,
    hand_out,
    numbers,
)
from ._arrays import buffer_batches, numpy_batches, pandas_batches
from ._batches import (
    Batch,
    Batches,
    Reader,
    Shape,
    Side,
    borrowed,
    fail_lengths,
    listed,
    packed_batch,
    plain_schema,
    zipped,
)
from ._errors import UnsupportedError, UsageError
from ._keys import GroupPacker, Packer, WeightPacker, name_of, one_key

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
]

WEIGHTS = "weights="
"""The name of the column that weights= becomes, beside the keys."""
GROUPS = "by="
"""The name of the column that by= becomes, beside the keys."""


def as_batches(
    data: Any, *, weights: Any = None, by: Any = None, columns: Collection[str] | None = None
) -> Batches | None:
    """Many keys, or rows of a table, as batches; None if `data` is one key.

    `weights` and `by` that are arrays or iterables come as columns beside the keys, named in `.weight` and
    `.by`; names of columns are left to the library. Of a table that must be converted only `columns` are, if
    all of these are its columns' names.

    Raises UnsupportedError for what cannot be keys, UsageError where lengths differ; in the midst of an
    iterable that comes by and by also from `next`.
    """
    if one_key(data) is not None:
        return None
    keys = _batches(data, Packer, columns)
    beside: list[tuple[str, Batches]] = []
    if weights is not None and not isinstance(weights, str):
        beside.append((WEIGHTS, _beside(weights, WEIGHTS, WeightPacker)))
    if by is not None and not isinstance(by, str):
        beside.append((GROUPS, _beside(by, GROUPS, GroupPacker)))
    return _joined(keys, beside) if beside else keys


def _beside(data: Any, name: str, packer: type[Packer]) -> Batches:
    if one_key(data) is not None:
        raise UsageError(f"{name} is one {name_of(data)} for many keys, expected one for each")
    return _batches(data, packer, None)


def _batches(data: Any, packer: type[Packer], columns: Collection[str] | None) -> Batches:
    package = type(data).__module__.partition(".")[0]
    if package == "pandas" and (found := pandas_batches(data, packer, columns)) is not None:
        return found
    if hasattr(data, "__arrow_c_array__"):
        batch = borrowed(data)
        return Batches([batch], "array", batch.rows)
    if hasattr(data, "__arrow_c_stream__"):
        rows = len(data) if package in ("pyarrow", "polars") and isinstance(data, Sized) else None
        return Batches(Reader(data.__arrow_c_stream__()), "array", rows)
    if hasattr(data, "__array_interface__") and "numpy" in sys.modules:
        return numpy_batches(data, packer)
    return buffer_batches(data) or _iterable(data, packer)


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
        return listed(_keys.chunks(data), packer, "iterable")
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
    sides[0].more()
    if sides[0].batch is not None and len(sides[0].types()) == 1:
        joined.key = "1"
    return joined


# ---- Streams --------------------------------------------------------------------------------------------


class Stream:
    """An ArrowArrayStream for a job to read, at `address`, as long as this lives."""

    address: int
    error: BaseException | None = None
    """What went wrong in Python while a job was reading, on whatever thread; who runs the job raises it."""


class _BorrowedStream(Stream):
    def __init__(self, capsule: object) -> None:
        self._capsule = capsule
        self.address = capsule_pointer(capsule, b"arrow_array_stream")


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
_GET_LAST_ERROR = callback(Tell, _get_last_error)
_RELEASE_STREAM = callback(Release, _release_stream)


def as_stream(data: Any, *, columns: Collection[str] | None = None) -> Stream:
    """Many keys, or rows of a table, as a stream for a job: the data's own, or one that is made of batches.

    One key is a stream of that key. What fails before the job has begun is raised here, later failures are
    `.error` of the stream.
    """
    package = type(data).__module__.partition(".")[0]
    if hasattr(data, "__arrow_c_stream__") and package != "pandas":
        return _BorrowedStream(data.__arrow_c_stream__())
    return _MadeStream(as_batches(data, columns=columns) or _batches([data], Packer, None))
