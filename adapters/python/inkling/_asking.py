"""Questions to all groups of a file: whether keys are in any, in their own, and in which."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable
from ctypes import POINTER, byref
from typing import Any

from ._arrow import as_batches
from ._errors import UnsupportedError
from ._files import OpenFile
from ._keys import is_null, name_of, one_key
from ._labels import WHOLE, Group
from ._library import (
    FORM_CSV,
    KEYS_BYTES,
    KEYS_INT,
    InkError,
    InkFilterOptions,
    InkFilterReport,
    InkInput,
    InkJob,
    InkReading,
    InkSink,
    WriteFunction,
    call,
    check,
    lib,
)
from ._reading import Reading

__all__ = ["Asked", "groups_of", "listed_keys", "query_rows"]


class Asked:
    """Filters that are ready to be asked for many rows."""

    def __init__(self, handle: int, file: OpenFile) -> None:
        self.handle = handle
        self.file = file

    def __del__(self, close: Any = lib.ink_arrow_filters_free) -> None:
        close(self.handle)


def query_rows(asked: Asked, keys: Any, *, key: Any, by: Any, nulls: Any, round: Any = None) -> Any:
    """Asks for rows, and gives answers as they were asked for."""
    single = one_key(keys) is not None
    if single:
        keys, by = [keys], None if by is None else [by]
    column = by if isinstance(by, (str, int)) else None
    named = Reading(key=key, by=column, nulls=nulls)
    beside = None if isinstance(by, int) else by
    batches = as_batches(keys, by=beside, columns=named.column_names, key=named.key_names)
    assert batches is not None
    columns = batches.key if key is None else key
    reading = Reading(key=columns, by=batches.by or column, nulls=nulls, round=round)
    answers = bytearray()
    for batch in batches:
        room = (ctypes.c_uint8 * batch.rows)()
        error = InkError()
        status = lib.ink_arrow_filters_rows(
            asked.handle,
            batch.schema_address,
            batch.array_address,
            byref(reading.struct),
            room,
            None,
            byref(error),
        )
        error.at += batch.start
        check(status, error)
        answers += room
    return bool(answers[0]) if single else _answered(answers, batches.shape)


def _answered(answers: bytearray, shape: str) -> Any:
    """An array for an array, if NumPy is there, else a list."""
    if shape == "array":
        try:
            import numpy
        except ImportError:
            pass
        else:
            return numpy.frombuffer(answers, dtype=numpy.bool_)
    return [answer != 0 for answer in answers]


# ---- Which groups ---------------------------------------------------------------------------------


def listed_keys(keys: Any) -> list[Any]:
    """Many keys, as a list of them."""
    if hasattr(keys, "columns") or hasattr(keys, "column_names") or not isinstance(keys, Iterable):
        raise UnsupportedError(f"{name_of(keys)} is no key, expected one, or many such as a list or a column")
    plain = keys.to_pylist() if hasattr(keys, "to_pylist") else keys
    return [None if is_null(key) else key for key in plain]


def _record(number: int, key: Any) -> bytes:
    """A key as a record of CSV that can be found again: its number, and the key in quotes."""
    plain = one_key(key)
    text = plain if isinstance(plain, bytes) else b"%d" % (plain or 0)
    return b'%d,"%s"' % (number, text.replace(b'"', b'""'))


def groups_of(file: OpenFile, keys: list[Any], options: InkFilterOptions) -> list[list[Group]]:
    """The groups that each key may be in, as ink_filter writes them into a column; keys are of one type."""
    found: list[list[Group]] = [[] for _ in keys]
    asked = {number: _record(number, key) for number, key in enumerate(keys) if key is not None}
    if not asked:
        return found
    data = b"\n".join([*asked.values(), b""])
    column = (ctypes.c_char_p * 1)(b"2")
    number = isinstance(one_key(keys[next(iter(asked))]), int)
    reading = InkReading(form=FORM_CSV, multiline=True, key_count=1, keys=KEYS_INT if number else KEYS_BYTES)
    reading.key = ctypes.cast(column, POINTER(ctypes.c_char_p))
    options.plain = True
    written = bytearray()

    def write(_host: object, address: int, count: int) -> int:
        written.extend(ctypes.string_at(address, count))
        return 0

    text = ctypes.c_char_p(data)
    memory = InkInput(memory=ctypes.cast(text, ctypes.c_void_p).value, memory_bytes=len(data))
    sink = InkSink(write=WriteFunction(write))
    structs = (reading, options, sink, InkFilterReport(), InkJob())
    call(lib.ink_filter, file, byref(memory), 1, *map(byref, structs))
    output, at = bytes(written), 0
    while at < len(output):
        which = int(output[at : output.index(b",", at)])
        at += len(asked[which])
        found[which], at = _labels_at(output, at)
    return found


def _labels_at(text: bytes, at: int) -> tuple[list[Group], int]:
    """The groups in the last field of a record, and where the next record begins."""
    end = text.index(b"\n", at)  # a field of groups has no line end
    if at == end:  # of a file without groups
        return [WHOLE], end + 1
    field = text[at + 1 : end]
    if field.startswith(b'"'):
        field = field[1:-1].replace(b'""', b'"')
    return [_label(item) for item in field.split(b",")], end + 1


def _label(item: bytes) -> Group:
    """The group that an item of the field stands for."""
    if item in _SPECIAL:
        return _SPECIAL[item]
    return _group(re.sub(rb"\\x(..)", lambda found: bytes.fromhex(found[1].decode()), item))


_SPECIAL: dict[bytes, Group] = {b"": WHOLE, b"\\N": None, b"\\E": ""}


def _group(label: bytes) -> Group:
    try:
        return label.decode("utf-8")
    except UnicodeDecodeError:
        return label
