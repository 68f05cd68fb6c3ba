"""Many keys: what a user hands in, as batches of rows, and one call of C for each batch."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator, KeysView, ValuesView
from contextlib import AbstractContextManager
from ctypes import byref, c_uint
from datetime import date
from typing import Any, Literal, NoReturn, TypeAlias

from ._answers import appended
from ._arrow import as_batches
from ._batches import Batch, Batches
from ._errors import InklingError, UsageError
from ._keys import name_of
from ._library import call, lib
from ._reading import Reading, is_arrow

#: What is one key.
OneKey: TypeAlias = str | bytes | bytearray | memoryview | int | date | tuple[Any, ...]
#: Many keys that are answered by a list.
PlainKeys: TypeAlias = (
    list[Any]
    | set[Any]
    | frozenset[Any]
    | dict[Any, Any]
    | KeysView[Any]
    | ValuesView[Any]
    | range
    | Iterator[Any]
)
Columns: TypeAlias = str | int | Iterable[str | int]
Nulls: TypeAlias = Literal["skip", "refuse"]

#: How to come to the handle of a sketch for keys of a type, or of any.
Way: TypeAlias = Callable[[int | None], AbstractContextManager[int]]


def refuse_columns(key: object, nulls: object) -> None:
    """One key has no columns; what nulls= says does not matter, but must be right."""
    Reading(nulls=nulls)
    if key is not None:
        raise UsageError("key= beside a single key, expected the rows of a table")


def _names(key: Any) -> list[str | int]:
    """The columns that are the key, by their names or numbers."""
    if isinstance(key, (str, int)):
        return [key]
    if is_arrow(key) and getattr(key, "ndim", 1) != 0:
        expected = "expected names or numbers of columns (a column by itself is keys)"
        raise UsageError(f"key= is a {name_of(key)}, {expected}")
    return list(key) if isinstance(key, Iterable) else [key]


class Rows:
    """Many keys as batches, and how to read these."""

    def __init__(self, keys: Any, key: Columns | None, weight: Any, nulls: Nulls) -> None:
        names = None if key is None else _names(key)
        column = weight if isinstance(weight, str) else None
        reading = Reading(key=names, weight=column, nulls=nulls)
        batches = as_batches(keys, weights=weight, columns=reading.column_names, key=reading.key_names)
        assert batches is not None
        if batches.weight is not None:  # which came beside the keys
            reading = Reading(key=names or batches.key, weight=batches.weight, nulls=nulls)
        self.batches: Batches = batches
        self.reading = reading

    def key_type(self, batch: Batch) -> int:
        """What the keys of a batch are."""
        found = c_uint()
        call(lib.ink_arrow_key_type, batch.schema_address, byref(self.reading.struct), byref(found))
        return found.value

    def give(self, function: Any, way: Way, decided: Callable[[], bool], last: object = None) -> None:
        """Calls a function for each batch, `last` being its last argument but the error; `decided` returns
        whether the type of keys is no question."""
        for batch in self.batches:
            with way(None if decided() else self.key_type(batch)) as handle:
                self._call(function, handle, batch, None, last)

    def ask(self, function: Any, way: Way, decided: Callable[[], bool], size: int = 1) -> bytearray:
        """The same for one that answers `size` bytes for each row."""
        answers = bytearray()
        for batch in self.batches:
            room = bytearray(batch.rows * size)
            with way(None if decided() else self.key_type(batch)) as handle:
                self._call(function, handle, batch, room)
            answers = appended(answers, room)
        return answers

    def _call(
        self, function: Any, handle: int, batch: Batch, room: bytearray | None, last: object = None
    ) -> None:
        arguments: list[Any] = [handle, batch.schema_address, batch.array_address, byref(self.reading.struct)]
        first = ctypes.c_char.from_buffer(room) if room else None
        if room is not None:
            arguments.append(None if first is None else ctypes.addressof(first))
        try:
            call(function, *arguments, last)
        except InklingError as error:
            if error.location != "key" or not batch.start:
                raise
            _fail_later(error, batch.start)


def _fail_later(error: InklingError, start: int) -> NoReturn:
    """The same about a key of a later batch, by its number among all."""
    at = (error.at or 0) + start
    raise type(error)(error.message, location=error.location, at=at, path=error.path) from None
