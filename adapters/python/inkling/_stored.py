"""One sketch as a file, or as the bytes of one, together with the recipe that it was made by."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_char_p, c_size_t, c_void_p

from ._library import OK, OPEN_LAZY, SECTION_RECIPE, InkContents, InkEntry, InkSection, call, lib, pylib


class _Contents:
    """One sketch, and its recipe, as the contents of a file."""

    def __init__(self, handle: int, recipe: bytes | None) -> None:
        self.entry = InkEntry(sketch=handle)
        self.struct = InkContents(entries=ctypes.pointer(self.entry), entry_count=1)
        if recipe is not None:
            self.recipe = c_char_p(recipe)
            self.section = InkSection(
                id=SECTION_RECIPE, bytes=ctypes.cast(self.recipe, c_void_p).value, count=len(recipe)
            )
            self.struct.sections = ctypes.pointer(self.section)
            self.struct.section_count = 1


def save(handle: int, recipe: bytes | None, path: bytes, told: str) -> None:
    """Writes the file, whole or not at all; errors tell its path as `told`."""
    contents = _Contents(handle, recipe)
    call(lib.ink_save, path, byref(contents.struct), path=told)


class Encoded:
    """The bytes of a file, in C's memory until they were taken."""

    def __init__(self, handle: int, recipe: bytes | None) -> None:
        self._address, self._count = c_void_p(), c_size_t()
        contents = _Contents(handle, recipe)
        call(lib.ink_encode, byref(contents.struct), byref(self._address), byref(self._count))

    def take(self) -> bytes:
        try:
            return ctypes.string_at(self._address.value or 0, self._count.value)
        finally:
            pylib.ink_bytes_free(self._address, self._count, None)


def decode(encoded: bytes) -> tuple[int, bytes | None]:
    """The sketch of which these are the bytes of a file, and its recipe, if it has one."""
    made = c_void_p()
    call(lib.ink_sketch_decode, byref(made), encoded, len(encoded), None)
    return made.value or 0, _recipe_of(encoded)


def _recipe_of(encoded: bytes) -> bytes | None:
    file, section = c_void_p(), InkSection()
    call(lib.ink_file_decode, byref(file), encoded, len(encoded), OPEN_LAZY, None)
    try:
        index = 0
        while pylib.ink_file_section(file, index, byref(section), None) == OK:
            if section.id == SECTION_RECIPE:
                return ctypes.string_at(section.bytes or 0, section.count)
            index += 1
        return None
    finally:
        lib.ink_file_close(file)
