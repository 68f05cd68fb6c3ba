"""Sketches as a file, or one as the bytes of one, with the file's other sections: the spec of the input that
they were made from, and the position of a stream."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import POINTER, byref, c_char_p, c_size_t, c_void_p

from ._library import (
    OK,
    OPEN_LAZY,
    SECTION_POSITION,
    SECTION_INPUT_SPEC,
    InkContents,
    InkEntry,
    InkLabel,
    InkSection,
    call,
    lib,
    pylib,
)


class Contents:
    """Sketches, by handles, and sections, by rising ids, as the contents of a file."""

    def __init__(self, entries: Sequence[tuple[InkLabel, int]], sections: dict[int, bytes | None]) -> None:
        self.labels = [label for label, _ in entries]
        self.entries = (InkEntry * len(entries))(*(InkEntry(*entry) for entry in entries))
        self.texts = {number: text for number, text in sections.items() if text is not None}
        self.sections = (InkSection * len(self.texts))()
        for section, (number, text) in zip(self.sections, self.texts.items()):
            section.id, section.bytes = number, len(text)
            section.data = ctypes.cast(c_char_p(text), c_void_p).value
        self.struct = InkContents(
            entries=ctypes.cast(self.entries, POINTER(InkEntry)),
            entry_count=len(self.entries),
            sections=ctypes.cast(self.sections, POINTER(InkSection)),
            section_count=len(self.sections),
        )


def contents_of(entries: Sequence[tuple[InkLabel, int]], position: bytes | None) -> Contents:
    """Sketches with labels as the contents of a file, and the position of the stream that they come from."""
    return Contents(entries, {SECTION_POSITION: position})


def contents_of_one(handle: int, input_spec: bytes | None) -> Contents:
    """One sketch as the contents of a file, with its input spec."""
    return Contents([(InkLabel(), handle)], {SECTION_INPUT_SPEC: input_spec})


def save(contents: Contents, path: bytes, shown_path: str | None, overwrite: bool) -> None:
    """Writes a file, whole or not at all; errors show its path as `shown_path`."""
    contents.struct.no_overwrite = not overwrite
    call(lib.ink_contents_save, path, byref(contents.struct), path=shown_path)


class Encoded:
    """The bytes of a file, in C's memory until they were taken."""

    def __init__(self, contents: Contents) -> None:
        self._address, self._count = c_void_p(), c_size_t()
        call(lib.ink_contents_encode, byref(contents.struct), byref(self._address), byref(self._count))

    def take(self) -> bytes:
        try:
            return ctypes.string_at(self._address.value or 0, self._count.value)
        finally:
            pylib.ink_bytes_free(self._address, self._count, None)


def decode(encoded: bytes) -> tuple[int, bytes | None]:
    """The sketch of which these are the bytes of a file, and its input spec, if it has one."""
    made = c_void_p()
    call(lib.ink_sketch_decode, byref(made), encoded, len(encoded), None)
    return made.value or 0, _input_spec_of(encoded)


def _input_spec_of(encoded: bytes) -> bytes | None:
    file, section = c_void_p(), InkSection()
    call(lib.ink_file_decode, byref(file), encoded, len(encoded), OPEN_LAZY, None)
    try:
        index = 0
        while pylib.ink_file_section(file, index, byref(section), None) == OK:
            if section.id == SECTION_INPUT_SPEC:
                return ctypes.string_at(section.data or 0, section.bytes)
            index += 1
        return None
    finally:
        lib.ink_file_close(file)
