"""The structs of the Arrow C interfaces, as their specification has them, and how they are made and released.

A struct that is made here lives as long as the Python object; what it points to is kept by that object. One
that is handed out to C is a copy, which C releases at any time, on any thread, but not while an
exception of Python is under way there: no function of Python can run then, nor hand the exception on. So
structs are handed out to the library alone, which has none.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Sequence
from ctypes import CFUNCTYPE, Structure, addressof, c_char_p, c_int, c_int64, c_void_p
from typing import Any


class ArrowSchema(Structure):
    """A column's type and name, or those of the columns of a struct; pointers are addresses."""

    format: int | None
    name: int | None
    metadata: int | None
    flags: int
    n_children: int
    children: int | None
    dictionary: int | None
    release: int | None
    private_data: int | None
    _fields_ = [
        ("format", c_void_p),
        ("name", c_void_p),
        ("metadata", c_void_p),
        ("flags", c_int64),
        ("n_children", c_int64),
        ("children", c_void_p),
        ("dictionary", c_void_p),
        ("release", c_void_p),
        ("private_data", c_void_p),
    ]


class ArrowArray(Structure):
    """The values of a column, or of the columns of a struct."""

    length: int
    null_count: int
    offset: int
    n_buffers: int
    n_children: int
    buffers: int | None
    children: int | None
    dictionary: int | None
    release: int | None
    private_data: int | None
    _fields_ = [
        ("length", c_int64),
        ("null_count", c_int64),
        ("offset", c_int64),
        ("n_buffers", c_int64),
        ("n_children", c_int64),
        ("buffers", c_void_p),
        ("children", c_void_p),
        ("dictionary", c_void_p),
        ("release", c_void_p),
        ("private_data", c_void_p),
    ]


class ArrowArrayStream(Structure):
    """One array after another, all of one schema."""

    get_schema: int | None
    get_next: int | None
    get_last_error: int | None
    release: int | None
    private_data: int | None
    _fields_ = [
        ("get_schema", c_void_p),
        ("get_next", c_void_p),
        ("get_last_error", c_void_p),
        ("release", c_void_p),
        ("private_data", c_void_p),
    ]


# Calls through these let go of the GIL: they may start a query.
Pull = CFUNCTYPE(c_int, c_void_p, c_void_p)
GetText = CFUNCTYPE(c_void_p, c_void_p)
Release = CFUNCTYPE(None, c_void_p)


def pointers_to(structs: Sequence[Structure]) -> ctypes.Array[c_void_p]:
    return (c_void_p * len(structs))(*map(addressof, structs))


def pointed(address: int | None, count: int) -> list[int]:
    """The pointers of an array of them."""
    return [] if count <= 0 or address is None else list((c_void_p * count).from_address(address))


# ---- Making and releasing -------------------------------------------------------------------------------

# What those that were handed to C point to, by their private_data, until C releases them.
held: dict[int, object] = {}
numbers = itertools.count(1)


def _let_go(kind: type[ArrowSchema] | type[ArrowArray], address: int) -> None:
    """Marks a struct as released, and what it still holds."""
    struct = kind.from_address(address)
    struct.release = None
    for part in (*pointed(struct.children, struct.n_children), struct.dictionary):
        if part is not None and kind.from_address(part).release:
            _let_go(kind, part)
    held.pop(struct.private_data or 0, None)


def _release_schema(address: int) -> None:
    _let_go(ArrowSchema, address)


def _release_array(address: int) -> None:
    _let_go(ArrowArray, address)


# Functions for C, which must live forever, and their addresses.
_CALLBACKS: list[Any] = []


def callback(kind: Any, function: Any) -> int:
    made = kind(function)
    _CALLBACKS.append(made)
    return ctypes.cast(made, c_void_p).value or 0


RELEASE_SCHEMA = callback(Release, _release_schema)
RELEASE_ARRAY = callback(Release, _release_array)


def make_schema(format: str, name: str = "", children: Sequence[ArrowSchema] = ()) -> ArrowSchema:
    texts = (ctypes.create_string_buffer(format.encode()), ctypes.create_string_buffer(name.encode()))
    pointers = pointers_to(children)
    schema = ArrowSchema()
    schema.format, schema.name = addressof(texts[0]), addressof(texts[1])
    schema.flags = 2  # nullable
    schema.n_children = len(children)
    schema.children = addressof(pointers) if children else None
    schema.release = RELEASE_SCHEMA
    schema.__dict__["keep"] = (texts, pointers, children)
    return schema


def make_array(
    length: int,
    nulls: int,
    buffers: Sequence[int | None],
    children: Sequence[ArrowArray] = (),
    keep: object = None,
) -> ArrowArray:
    """An array of buffers at these addresses; what `keep` is must own them."""
    addresses = (c_void_p * len(buffers))(*buffers)
    pointers = pointers_to(children)
    made = ArrowArray(length, nulls, 0, len(buffers), len(children))
    made.buffers = addressof(addresses) if buffers else None
    made.children = addressof(pointers) if children else None
    made.release = RELEASE_ARRAY
    made.__dict__["keep"] = (addresses, pointers, children, keep)
    return made


def hand_out(kind: type[ArrowSchema] | type[ArrowArray], source: int, target: int, keep: object) -> None:
    """Copies the structs at `source` to `target`, for C to release whenever it likes, on any thread."""
    ctypes.memmove(target, source, ctypes.sizeof(kind))
    struct = kind.from_address(target)
    parts = [kind() for _ in range(struct.n_children)]
    for part, child in zip(parts, pointed(struct.children, struct.n_children)):
        hand_out(kind, child, addressof(part), keep)
    pointers = pointers_to(parts)
    if parts:
        struct.children = addressof(pointers)
    if struct.dictionary is not None:
        parts.append(kind())
        hand_out(kind, struct.dictionary, addressof(parts[-1]), keep)
        struct.dictionary = addressof(parts[-1])
    struct.release = RELEASE_SCHEMA if kind is ArrowSchema else RELEASE_ARRAY
    struct.private_data = next(numbers)
    held[struct.private_data] = (keep, parts, pointers)


# ---- Where things stand ---------------------------------------------------------------------------------

capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
capsule_pointer.restype = c_void_p
capsule_pointer.argtypes = (ctypes.py_object, c_char_p)


class _PyBuffer(Structure):
    """Py_buffer, as the stable ABI has it."""

    _fields_ = [
        ("buf", c_void_p),
        ("obj", c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", c_int),
        ("ndim", c_int),
        ("format", c_void_p),
        ("shape", c_void_p),
        ("strides", c_void_p),
        ("suboffsets", c_void_p),
        ("internal", c_void_p),
    ]


_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.restype = c_int
_get_buffer.argtypes = (ctypes.py_object, c_void_p, c_int)
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.restype = None
_release_buffer.argtypes = (c_void_p,)


def buffer_address(data: Any) -> int | None:
    """Where the bytes of a contiguous buffer stand, as long as it is not resized."""
    view = _PyBuffer()
    _get_buffer(data, addressof(view), 0)
    try:
        address: int | None = view.buf
        return address
    finally:
        _release_buffer(addressof(view))
