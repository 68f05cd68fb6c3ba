"""Open files of the library, what they hold, and how long they stay open."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Iterator
from ctypes import byref, c_size_t, c_void_p
from typing import Any

from ._labels import group_of
from ._library import (
    GROUP_NONE,
    OK,
    OPEN_LAZY,
    InkEntryInfo,
    InkError,
    InkLabel,
    call,
    lib,
    pylib,
)

__all__ = [
    "OpenFile",
    "OwnBytes",
    "UnnamedFile",
    "any_groups",
    "any_slots",
    "decode",
    "file_of_set",
    "has_slots",
    "kind_ranges",
    "kinds_of",
    "range_of_kind",
    "write_whole",
]


class OpenFile:
    """An open file of the library; closed when neither a mapping nor a view of it is left.

    Functions of C take it as it is, so that it stays open for a call that another thread does not wait for.
    """

    def __init__(self, handle: int, *, copied: bool = False, kept: object = None) -> None:
        self.handle = self._as_parameter_ = handle
        self.copied = copied
        self.kept = kept  # its path, or what its bytes stand in

    def __del__(self, close: Any = lib.ink_file_close) -> None:
        close(self.handle)


class OwnBytes:
    """Bytes that the library made, freed when they are no longer used."""

    def __init__(self, address: int, count: int) -> None:
        self.address = address
        self.count = count

    def __del__(self, free: Any = lib.ink_bytes_free) -> None:
        free(self.address, self.count, None)


class UnnamedFile:
    """The file at a path, which may lose its name then: it stays until it is no longer used."""

    def __init__(self, path: str) -> None:
        self.descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def parts(self) -> Iterator[tuple[bytes, int]]:
        """Its bytes, for ``write_whole``."""
        at = 0
        while part := os.pread(self.descriptor, _PART_BYTES, at):
            yield part, len(part)
            at += len(part)

    def __del__(self, close: Any = os.close) -> None:
        if hasattr(self, "descriptor"):  # it was opened
            close(self.descriptor)


_PART_BYTES = 4 << 20


def file_of_set(handle: c_void_p) -> tuple[OpenFile, OwnBytes]:
    """A set of sketches as a file in memory, asked in place."""
    address, count = c_void_p(), c_size_t()
    call(lib.ink_set_encode, handle, byref(address), byref(count))
    held = OwnBytes(address.value or 0, count.value)
    file = c_void_p()
    call(lib.ink_file_decode, byref(file), held.address, held.count, OPEN_LAZY, None)
    return OpenFile(file.value or 0, kept=held), held


def decode(held: bytes, flags: int) -> OpenFile:
    handle = c_void_p()
    call(lib.ink_file_decode, byref(handle), held, len(held), flags, None)
    return OpenFile(handle.value or 0, kept=held)


# ---- What C reports of a file ---------------------------------------------------------------------


def _kind_at(file: OpenFile, index: int) -> bytes:
    info = InkEntryInfo()
    call(lib.ink_file_entry, file, index, byref(info))
    kind: bytes = info.kind
    return kind


def _end_of_kind(file: OpenFile, start: int, count: int) -> int:
    """Where the entries of the kind of entry `start` end, by bisection."""
    kind, low, high = _kind_at(file, start), start + 1, count
    while low < high:
        middle = (low + high) // 2
        if _kind_at(file, middle) == kind:
            low = middle + 1
        else:
            high = middle
    return low


def kind_ranges(file: OpenFile) -> Iterator[tuple[str, int, int]]:
    """The kinds of a file, each with the numbers of its entries."""
    start, count = 0, lib.ink_file_count(file)
    while start < count:
        end = _end_of_kind(file, start, count)
        yield _kind_at(file, start).decode(), start, end
        start = end


def kinds_of(file: OpenFile) -> tuple[str, ...]:
    return tuple(kind for kind, _, _ in kind_ranges(file))


def range_of_kind(file: OpenFile, wanted: str) -> tuple[int, int]:
    for kind, start, end in kind_ranges(file):
        if kind == wanted:
            return start, end
    return 0, 0


def any_groups(file: OpenFile) -> bool:
    """Whether any entry has a group: those without one stand first of their kind."""
    info = InkEntryInfo()
    for _, _, end in kind_ranges(file):
        call(lib.ink_file_entry, file, end - 1, byref(info))
        if info.label.group_kind != GROUP_NONE:
            return True
    return False


def any_slots(file: OpenFile) -> bool:
    """Whether any entry has a time slot; a walk over all of them, and as quick as can be."""
    info, error = InkEntryInfo(), InkError()
    has_slot = ctypes.c_bool.from_buffer(info, InkEntryInfo.label.offset + InkLabel.has_slot.offset)
    entry, handle, at_info, at_error = pylib.ink_file_entry, file.handle, byref(info), byref(error)
    for index in range(lib.ink_file_count(file)):
        if entry(handle, index, at_info, at_error) == OK and has_slot.value:
            return True
    return False


def has_slots(file: OpenFile, kind: str, label: InkLabel) -> bool:
    """Whether a group has time slots: the first entry that is not before its label is of its group."""
    low, high = range_of_kind(file, kind)
    end, info = high, InkEntryInfo()
    while low < high:
        middle = (low + high) // 2
        call(lib.ink_file_entry, file, middle, byref(info))
        if lib.ink_label_compare(byref(info.label), byref(label)) < 0:
            low = middle + 1
        else:
            high = middle
    if low == end:
        return False
    call(lib.ink_file_entry, file, low, byref(info))
    return group_of(info.label) == group_of(label)


def write_whole(
    path: bytes, parts: Iterable[tuple[int | bytes, int]], shown_path: str | None, overwrite: bool = True
) -> None:
    """Writes bytes, or what is at an address, each with its length, as a file that is there whole or not at
    all; without `overwrite` only where none is."""
    output = c_void_p()
    call(lib.ink_output_open, byref(output), path, overwrite, path=shown_path)
    try:
        for data, count in parts:
            call(lib.ink_output_write, output, data, count, path=shown_path)
    except BaseException:
        lib.ink_output_abandon(output)
        raise
    call(lib.ink_output_commit, output, path=shown_path)
