"""The entries of a file: sketches by kind and group, found without making a Sketch of any.

A file is mapped, and a group is found by binary search. ``_sketches`` makes a mapping of the entries, and
``Sketch.open`` takes one of them.
"""

from __future__ import annotations

import ctypes
import itertools
import os
from collections.abc import Iterator
from ctypes import byref, c_size_t, c_void_p
from typing import TYPE_CHECKING, Any, NamedTuple

from ._errors import NoGroupError, NotFoundError, UsageError, spoken_path
from ._files import OpenFile, OwnBytes, UnnamedFile, kind_ranges, kinds_of, range_of_kind
from ._labels import WHOLE, Group, group_of, in_order, is_number, make_label
from ._library import (
    NOT_FOUND,
    OK,
    OPEN_COPY,
    OPEN_LAZY,
    SECTION_INPUT_SPEC,
    InkEntryInfo,
    InkError,
    InkLabel,
    InkSection,
    call,
    check,
    lib,
    path_bytes,
    pylib,
    secret_bytes,
    text_bytes,
)

if TYPE_CHECKING:
    from typing_extensions import Self

    from .options import Path

__all__ = ["Entries", "Found"]

# How many groups an error looks at to find near ones.
_GROUPS_LOOKED_AT = 10_000


class Found(NamedTuple):
    """A sketch of a file, as ``Sketch._from_handle`` takes it; the caller frees the handle."""

    handle: int
    owner: OpenFile | None
    """The file, if the sketch is a view of it."""
    input_spec: bytes | None = None


class Entries:
    """The inside of Sketches, which has no public name of its own."""

    __slots__ = ("_bytes", "_file", "_kinds", "_path", "_secret")

    _file: OpenFile | None
    _path: str | None
    _bytes: OwnBytes | UnnamedFile | bytes | None
    _secret: bytes | None
    _kinds: tuple[str, ...] | None

    @classmethod
    def _of_file(
        cls,
        file: OpenFile,
        *,
        path: str | None = None,
        held: OwnBytes | UnnamedFile | bytes | None = None,
        secret: bytes | None = None,
    ) -> Self:
        """The entries of an open file; `held` has its bytes, if they are in memory, or it has no name."""
        made = cls.__new__(cls)
        made._file = file
        made._path = path
        made._bytes = held
        made._secret = secret
        made._kinds = None
        if secret is not None and lib.ink_file_count(file) > 0:
            lib.ink_sketch_free(made._view(0).handle)  # is it the right one?
        return made

    @classmethod
    def _at(cls, path: Path, *, lazy: bool, copy: bool, secret: bytes | None) -> Self:
        """The entries of the file at `path`, opened as ``inkling.open`` says."""
        encoded, shown_path = path_bytes(path), spoken_path(os.fsdecode(path))
        key = None if secret is None else secret_bytes(secret)
        handle = c_void_p()
        if encoded == b"-":
            call(lib.ink_file_open_any, byref(handle), encoded, None, path=shown_path)
        else:
            flags = OPEN_LAZY * bool(lazy) | OPEN_COPY * bool(copy)
            call(lib.ink_file_open, byref(handle), encoded, flags, None, path=shown_path)
        file = OpenFile(handle.value or 0, copied=bool(copy) and encoded != b"-", kept=encoded)
        return cls._of_file(file, path=None if encoded == b"-" else shown_path, secret=key)

    @property
    def _opened(self) -> OpenFile:
        """The file. A caller keeps it for several calls: another thread may close these sketches."""
        file = self._file
        if file is None:
            raise ValueError("the sketches are closed")
        return file

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of its sketches, in order of the file."""
        if self._kinds is None:
            self._kinds = kinds_of(self._opened)
        return self._kinds

    # ---- Looking up -------------------------------------------------------------------------------

    def _label_of_key(self, key: Any) -> tuple[str | None, Any, InkLabel]:
        """The kind, group and label that a key of the mapping names; NoGroupError if it can be none."""
        hash(key)  # what has none is no key of any mapping
        kind, group = key if isinstance(key, tuple) and len(key) == 2 else (None, key)
        if kind is None and len(self.kinds) > 1:
            raise NoGroupError(self._kind_needed(key), path=self._path)
        if kind is not None and kind not in self.kinds:
            have = ", ".join(self.kinds) or "nothing: there are no sketches"
            raise NoGroupError(f"no sketches of kind {kind}, expected {have}", path=self._path)
        try:
            return kind, group, make_label(group)
        except (TypeError, ValueError, OverflowError) as error:
            raise NoGroupError(f"no group {group!r}: {error}", path=self._path) from None

    def _kind_needed(self, key: object) -> str:
        """That a key lacks the kind, and how to write it."""
        if key in self.kinds and self._find(str(key), make_label(WHOLE)) is not None:
            return f"{key!r} is a kind, expected [{key!r}, inkling.WHOLE], or .sketch({key!r})"
        if key in self.kinds:
            return f"{key!r} is a kind, expected a group too, as [{key!r}, {next(self._walk())[1]!r}]"
        return (
            f"{key!r} alone in a file of {', '.join(self.kinds)}, expected a kind too, as "
            f"[{self.kinds[0]!r}, {key!r}]"
        )

    def _find(self, kind: str | None, label: InkLabel) -> int | None:
        """The number of the entry with this label, or None."""
        index, error = c_size_t(), InkError()
        name = None if kind is None else text_bytes("kind", kind)
        status = pylib.ink_file_find(self._opened, name, byref(label), byref(index), byref(error))
        if status == NOT_FOUND:
            return None
        check(status, error, self._path)
        return index.value

    def _unlocked(self, handle: c_void_p, file: OpenFile | None, input_spec: bytes | None = None) -> Found:
        """A sketch of the file, of which it may be a view, with the secret given to it."""
        if self._secret is not None:
            error = InkError()
            status = lib.ink_sketch_unlock(handle, self._secret, byref(error))
            if status != OK:
                lib.ink_sketch_free(handle)
                check(status, error, self._path)
        return Found(handle.value or 0, file, input_spec)

    def _view(self, index: int, input_spec: bytes | None = None) -> Found:
        handle, file = c_void_p(), self._opened
        call(lib.ink_file_sketch, file, index, byref(handle), path=self._path)
        return self._unlocked(handle, None if file.copied else file, input_spec)

    def _get(self, kind: str | None, group: object, label: InkLabel) -> Found | None:
        index = self._find(kind, label)
        if index is not None:
            return self._view(index, self._section_bytes(SECTION_INPUT_SPEC) if group is WHOLE else None)
        try:
            return self._union(kind, label, 0)
        except NotFoundError:
            return None

    def _union(self, kind: str | None, label: InkLabel, last: int) -> Found:
        handle = c_void_p()
        name = None if kind is None else text_bytes("kind", kind)
        call(lib.ink_file_last, self._opened, name, byref(label), last, byref(handle), path=self._path)
        return self._unlocked(handle, None)

    def _entry(self, key: Any) -> Found:
        """The sketch that a key of the mapping names."""
        kind, group, label = self._label_of_key(key)
        found = self._get(kind, group, label) if self.kinds else None
        if found is None:
            raise self._missing(kind, group)
        return found

    def _only(self, kind: str | None) -> Found:
        """The sketch that has no group; `kind` chooses where there are several."""
        if kind is None and len(self.kinds) > 1:
            names = ", ".join(self.kinds)
            raise UsageError(f"sketches of {names}, expected kind=, one of these", path=self._path)
        return self._entry(WHOLE if kind is None else (kind, WHOLE))

    def _missing(self, kind: str | None, group: object) -> NoGroupError:
        """That there is no such group, and which there are."""
        what = "sketch without a group" if group is WHOLE else f"group {group!r}"
        return NoGroupError(f"no {what}, expected {self._groups_text(kind, group)}", path=self._path)

    def _groups_text(self, kind: str | None, group: object) -> str:
        """Groups that there are, the nearest ones to `group` or the first, for an error."""
        start, end = range_of_kind(self._opened, kind or self.kinds[0]) if self.kinds else (0, 0)
        if start == end:
            return "nothing: there are no sketches"
        some = [name for _, name in itertools.islice(self._walk(start, end), _GROUPS_LOOKED_AT)]
        import difflib  # for errors alone

        near = difflib.get_close_matches(str(group), [name for name in some if isinstance(name, str)], n=3)
        shown = near or some[:3]
        text = ", ".join(map(repr, shown))
        return text if len(shown) == end - start else f"{text} or others of {end - start} sketches"

    # ---- All of it --------------------------------------------------------------------------------

    def _walk(self, start: int = 0, end: int | None = None) -> Iterator[tuple[str, Group]]:
        """The kind and group of every sketch, slots of a group taken together, in order of the file."""
        info, error = InkEntryInfo(), InkError()
        label, at_info, at_error = info.label, byref(info), byref(error)  # which stay, as entries come and go
        entry, file = pylib.ink_file_entry, self._opened
        handle = file.handle
        before, kind, name = None, b"", ""
        for index in range(start, lib.ink_file_count(file) if end is None else end):
            if entry(handle, index, at_info, at_error) != OK:
                check(error.status, error, self._path)
            if info.kind != kind:
                kind, before = info.kind, None
                name = kind.decode()
            now = group_of(label)
            if label.has_slot and before == (now,):
                continue
            before = (now,)
            yield name, now

    def _ordered(self) -> Iterator[tuple[str, Group]]:
        """The same, of each kind by number where all groups are numbers. Nothing is held if the first or the
        last is none."""
        info, file = InkEntryInfo(), self._opened
        for _, start, end in kind_ranges(file):
            ends = []
            for index in (start, end - 1):
                call(lib.ink_file_entry, file, index, byref(info), path=self._path)
                ends.append(group_of(info.label))
            walked = self._walk(start, end)
            yield from in_order(walked, lambda found: found[1]) if all(map(is_number, ends)) else walked

    def _sections(self) -> Iterator[InkSection]:
        file = self._opened
        for index in itertools.count():
            section, error = InkSection(), InkError()
            status = lib.ink_file_section(file, index, byref(section), byref(error))
            if status == NOT_FOUND:
                return
            check(status, error, self._path)
            yield section

    def _section_bytes(self, wanted: int) -> bytes | None:
        for section in self._sections():
            if section.id == wanted:
                return ctypes.string_at(section.data, section.bytes)
        return None
