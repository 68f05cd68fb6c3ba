"""One key at a time, as quickly as ctypes can.

Functions without argument types take arguments that were made ready before, without a look at them; they keep
the interpreter's lock. The pointer to the sketch is one of the two of its handle lock, so a call
that is not allowed at this moment is refused by a decoy (see ``_handle_lock``) and goes the slow way.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable
from ctypes import Structure, byref, c_char_p, c_int64, c_size_t, c_uint8, c_uint64, c_void_p
from itertools import accumulate
from typing import Any

from ._answers import Answer, answer_of
from ._library import OK, InkAnswer, InkBatch, call, pylib

INT_MIN, INT_MAX, UINT_MAX = -(1 << 63), (1 << 63) - 1, (1 << 64) - 1

add_bytes = pylib.untyped("ink_sketch_add")
add_int = pylib.untyped("ink_sketch_add_int")
maybe_bytes = pylib.untyped("ink_sketch_maybe")
maybe_int = pylib.untyped("ink_sketch_maybe_int")
_count = pylib.untyped("ink_sketch_count")
_count_int = pylib.untyped("ink_sketch_count_int")
add_batch = pylib.untyped("ink_sketch_add_batch")
_add_new = pylib.untyped("ink_sketch_add_new_batch")

as_size: Callable[[int], Any] = c_size_t.from_param
as_int64: Callable[[int], Any] = c_int64.from_param  # of an int up to 2^64 - 1 the same bits
#: Lengths of keys, made ready.
LENGTHS = tuple(map(as_size, range(256)))


def signed(key: int) -> int:
    """An int up to 2^64 - 1 as the signed one of the same bits."""
    return key if key <= INT_MAX else key - (1 << 64)


def quick_key(value: object) -> bytes | int | None:
    """A key of the types that most are, if it is one without doubt; None: ask ``one_key``."""
    kind = type(value)
    if kind is str:
        try:
            return value.encode()  # type: ignore[attr-defined, no-any-return]
        except UnicodeEncodeError:
            return None
    if kind is bytes or (kind is int and INT_MIN <= value <= UINT_MAX):  # type: ignore[operator]
        return value  # type: ignore[return-value]
    return None


def add_one(pointer: c_void_p, key: bytes | int) -> bool:
    """Adds a key; returns whether that could be done."""
    if isinstance(key, int):
        return bool(add_int(pointer, as_int64(key), None) == OK)
    length = len(key)
    return bool(add_bytes(pointer, key, LENGTHS[length] if length < 256 else as_size(length), None) == OK)


# ---- Structs that are used again --------------------------------------------------------------------------

# A call takes a struct off a list, or makes one, and puts it back: no two threads have the same.


def _new_room() -> tuple[Any, Any]:
    room = InkAnswer()
    return room, byref(room)


_rooms: list[tuple[Any, Any]] = []


def count_one(pointer: c_void_p, key: bytes | int) -> Answer | None:
    """How often a key was added; None if the short way cannot answer."""
    try:
        taken = _rooms.pop()
    except IndexError:
        taken = _new_room()
    room, there = taken
    if isinstance(key, int):
        status = _count_int(pointer, as_int64(key), there, None)
    else:
        status = _count(pointer, key, as_size(len(key)), there, None)
    answer = answer_of(room) if status == OK else None
    _rooms.append(taken)
    return answer


class _OneKey(Structure):
    """An ink_batch that takes bytes as they are, and keeps them alive."""

    _fields_ = [(field[0], c_char_p if field[0] == "data" else field[1]) for field in InkBatch._fields_]


class _Cell:
    """A batch of one key, of bytes or an int, with a weight, and a flag for what is answered."""

    __slots__ = ("flag", "flag_there", "key", "struct", "there", "weight", "weight_at")

    def __init__(self, of_ints: bool) -> None:
        self.struct = _OneKey(count=1)
        self.there = byref(self.struct)
        self.flag = c_uint8()
        self.flag_there = byref(self.flag)
        self.weight = c_uint64()
        self.weight_at = ctypes.addressof(self.weight)
        if of_ints:
            self.key: Any = c_int64()
            self.struct.ints = ctypes.addressof(self.key)
        else:
            self.key = (c_uint64 * 2)()
            self.struct.offsets = ctypes.addressof(self.key)


_int_cells: list[_Cell] = []
_bytes_cells: list[_Cell] = []
# A struct that waits to be used again holds its last key: a long one shall not stay.
_KEPT_BYTES_MAX = 1024


def _change_one(function: Any, pointer: c_void_p, key: bytes | int, weight: int | None, *, flag: bool) -> int:
    """What C answers to a batch of one key: -1 if it failed, else the flag, or 0 if there is none."""
    of_ints = isinstance(key, int)
    cells = _int_cells if of_ints else _bytes_cells
    try:
        cell = cells.pop()
    except IndexError:
        cell = _Cell(of_ints)
    if of_ints:
        cell.key.value = key
    else:
        cell.struct.data = key
        cell.key[1] = len(key)  # type: ignore[arg-type]
    if weight is not None:
        cell.weight.value = weight
        cell.struct.weights = cell.weight_at
    if flag:
        status = function(pointer, cell.there, cell.flag_there, None)
    else:
        status = function(pointer, cell.there, None)
    if weight is not None:
        cell.struct.weights = None
    answer = -1 if status != OK else cell.flag.value if flag else 0
    if of_ints or len(key) <= _KEPT_BYTES_MAX:  # type: ignore[arg-type]
        cells.append(cell)
    return answer


def add_new_one(pointer: c_void_p, key: bytes | int) -> int:
    """Adds a key that seems to be new, 1, or finds that it is not, 0; -1 if neither could be done."""
    return _change_one(_add_new, pointer, key, None, flag=True)


def add_weighted(pointer: c_void_p, key: bytes | int, weight: int) -> bool:
    """Adds a key `weight` times; returns whether that could be done."""
    return _change_one(add_batch, pointer, key, weight, flag=False) == 0


# ---- A few keys, through the lock -------------------------------------------------------------------------


class KeyBatch:
    """A few keys, all of one type, as an ink_batch; keeps alive what it points to. Texts must be ASCII."""

    def __init__(self, keys: list[Any] | array[int], weight: int | None = None) -> None:
        batch = self.struct = InkBatch(count=len(keys))
        if isinstance(keys, array):
            self.kept: Any = keys
            batch.ints = keys.buffer_info()[0]
        else:
            try:
                joined = b"".join(keys) if isinstance(keys[0], bytes) else "".join(keys).encode()
            except TypeError:  # texts and bytes
                keys = [key.encode() if isinstance(key, str) else key for key in keys]
                joined = b"".join(keys)
            offsets = array("Q", list(accumulate(map(len, keys), initial=0)))
            self.kept = joined, offsets
            batch.data = ctypes.cast(c_char_p(joined), c_void_p).value
            batch.offsets = offsets.buffer_info()[0]
        if weight is not None:
            self.weight = c_uint64(weight)
            batch.weights = ctypes.addressof(self.weight)

    @classmethod
    def of_one(cls, key: bytes | int, weight: int | None = None) -> KeyBatch:
        return cls(array("q", [signed(key)]) if isinstance(key, int) else [key], weight)

    def call(self, function: Any, handle: int, *more: Any) -> None:
        """Calls a function about these keys, which are there until it is done."""
        call(function, handle, byref(self.struct), *more)


def call_one(of_bytes: Any, of_int: Any, handle: int, key: bytes | int, *more: Any) -> None:
    """A call about one key, with the reason if it fails."""
    if isinstance(key, int):
        call(of_int, handle, signed(key), *more)
    else:
        call(of_bytes, handle, key, len(key), *more)
