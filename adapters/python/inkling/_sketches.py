"""Files of sketches as read-only mappings from groups to sketches.

Nothing is read before it is asked for: a file is mapped, a group is found by binary search, and a sketch is a
view of the file's bytes that is asked in place.
"""

from __future__ import annotations

import ctypes
import datetime
import os
from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from ctypes import POINTER, byref, c_char_p, c_size_t, c_void_p
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar, overload

from ._answers import Items
from ._asking import Asked, groups_of, listed_keys, query_rows
from ._entries import Entries
from ._errors import NoGroupError, UsageError, shown, spoken_path
from ._files import (
    OpenFile,
    OwnBytes,
    UnnamedFile,
    any_groups,
    any_slots,
    decode,
    file_of_set,
    has_slots,
    write_whole,
)
from ._handle_lock import asking
from ._keys import one_key, refuse_many
from ._labels import WHOLE, Group, group_of, in_order, make_label, microseconds
from ._library import (
    DIGEST_BYTES,
    KEY_INT,
    OPEN_CHECKED,
    OPEN_COPY,
    OPEN_LAZY,
    SECTION_POSITION,
    InkAnswer,
    InkContents,
    InkDescription,
    InkEntry,
    InkEntryInfo,
    InkFilterOptions,
    InkMergeOptions,
    InkReading,
    InkSection,
    call,
    lib,
    path_bytes,
    secret_bytes,
    text_bytes,
    whole,
)
from ._outputs import path_or_writer, write_all
from ._info import Info
from ._plan import kind_info
from ._inputs import Run, matching
from ._reading import flag, options_of
from ._show import escaped, html_table
from ._sketch import Answer, Columns, Nulls, OneKey, PlainKeys, Sketch
from ._stored import Encoded, contents_of
from ._stored import save as save_contents
from .options import Output, Path, Rounding

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
    from typing_extensions import Self

    from ._reports import BuildReport

__all__ = [
    "WHOLE",
    "Askable",
    "Entry",
    "Group",
    "Sketches",
    "SketchesType",
    "decode_lazily",
    "listed_sketches",
    "merge_files",
    "open",
    "open_for_job",
    "open_unnamed",
    "save",
    "secret_of",
    "union_of",
]

# ---- The mapping ----------------------------------------------------------------------------------


class Entry(NamedTuple):
    """A sketch of a file, and what names it there beside its kind."""

    group: Group
    """``inkling.WHOLE`` if it has none."""
    slot: int | None
    """The start of its time slot, in microseconds since 1970; None if it has none."""
    sketch: Sketch


class _Names(KeysView[Any]):
    """What ``Sketches.keys`` gives: a set of the names of sketches, each looked up as ``[]`` does."""

    _mapping: Sketches  # as KeysView calls it

    def __contains__(self, name: object) -> bool:
        return self._mapping._has(name)


class Sketches(Entries, Mapping[Any, Sketch]):
    """The sketches of a file by group, each a read-only view; ``inkling.open`` and ``build`` give one.

    A group is str (bytes if it is not UTF-8), None for the null group, ``inkling.WHOLE`` for a sketch without
    one; to look one up an int is its digits. Where a file has sketches of several kinds, the mapping goes
    from pairs of a kind and a group. The sketch of a group with time slots is the union of all its slots; see
    ``last`` and ``between``.

    ``in`` is about keys, as it is of a Sketch: ``key in file`` if the file has no groups. With groups it
    could mean either, and is a UsageError: ``group in file.keys()``, or ``file.contains(key)``.

    >>> import inkling
    >>> data = b"ann,red\\nbob,blue\\ncid,red\\n"
    >>> colours = inkling.build(data, "bloom", format="csv", key=1, by=2)
    >>> list(colours)
    ['blue', 'red']
    >>> "ann" in colours["red"], "ann" in colours["blue"]
    (True, False)
    >>> colours.which("bob")
    ['blue']
    """

    __slots__ = ("_alone", "_asked", "_digest", "_length", "built", "__weakref__")

    _length: int | None
    _digest: str | None
    _alone: Sketch | None  # the only sketch, without a group, once ``in`` has asked it
    _asked: dict[tuple[str | None, bool, int], Asked]

    built: BuildReport | None
    """What was read to build it, if ``inkling.build`` did just now."""

    def __init__(self) -> None:
        raise TypeError("Sketches are made by inkling.open, inkling.build or Sketches.from_bytes")

    @classmethod
    def _of_file(
        cls,
        file: OpenFile,
        *,
        path: str | None = None,
        held: OwnBytes | UnnamedFile | bytes | None = None,
        secret: bytes | None = None,
        built: BuildReport | None = None,
    ) -> Self:
        made = super()._of_file(file, path=path, held=held, secret=secret)
        made._length = made._alone = made._digest = None
        made._asked = {}
        made.built = built
        return made

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview, *, secret: bytes | None = None) -> Self:
        """The sketches of a file that is in memory; every byte is checked."""
        held = bytes(data)
        key = None if secret is None else secret_bytes(secret)
        return cls._of_file(decode(held, OPEN_CHECKED), held=held, secret=key)

    # Looking up.

    def __getitem__(self, key: Any) -> Sketch:
        return Sketch._from_handle(*self._entry(key))

    def __contains__(self, key: object) -> bool:
        """``key in file``: whether one key may be in it; UsageError if the file has groups."""
        if self._alone is None and any_groups(self._opened):
            raise UsageError(
                f"{key!r} in a file of groups may mean a group or a key, "
                f"expected .groups or .keys() for a group, .contains({key!r}) for a key",
                path=self._path,
            )
        if self._alone is None and lib.ink_file_count(self._opened) == 1:
            self._alone = next(self.entries()).sketch  # tens of times as fast as a query
        return self.contains(key) if self._alone is None else key in self._alone

    def contains(self, key: Any) -> bool:
        """Whether one key may be in any group: False is certain; ``query`` asks about many.

        >>> import inkling
        >>> inkling.build(b"ann,red\\n", "bloom", format="csv", key=1, by=2).contains("ann")
        True
        """
        if one_key(key) is None:
            refuse_many(key)
        return bool(self.query(key))

    def keys(self) -> KeysView[Any]:
        """The names of the sketches, as iteration gives them; ``in`` finds one as ``[]`` does."""
        return _Names(self)

    def _has(self, name: object) -> bool:
        """Whether ``[]`` would find a sketch by this name."""
        file = self._opened
        try:
            kind, _, label = self._label_of_key(name)
        except NoGroupError:
            return False
        if not self.kinds:
            return False
        return self._find(kind, label) is not None or has_slots(file, kind or self.kinds[0], label)

    def entries(self) -> Iterator[Entry]:
        """Every sketch by itself, in order of the file: of a group with time slots, that of each slot.

        >>> import inkling
        >>> [entry.group for entry in inkling.build(b"ann,red\\n", "bloom,hll", format="csv", by=2).entries()]
        ['red', 'red']
        """
        for index, info in self._described():
            slot = info.label.slot if info.label.has_slot else None
            yield Entry(group_of(info.label), slot, Sketch._from_handle(*self._view(index)))

    def _described(self) -> Iterator[tuple[int, InkEntryInfo]]:
        """The number of every entry, and what the file says of it, which stays until the next one."""
        info, file = InkEntryInfo(), self._opened
        for index in range(lib.ink_file_count(file)):
            call(lib.ink_file_entry, file, index, byref(info), path=self._path)
            yield index, info

    def __iter__(self) -> Iterator[Any]:
        if len(self.kinds) > 1:
            return self._ordered()
        return (group for _, group in self._ordered())

    def __len__(self) -> int:
        file = self._opened
        if self._length is None:
            self._length = sum(1 for _ in self._walk()) if any_slots(file) else lib.ink_file_count(file)
        return self._length

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        """Whether two have the same sketches under the same names: equal digests."""
        if not isinstance(other, Sketches):
            return NotImplemented
        return self is other or self.digest == other.digest

    # What it is.

    @property
    def groups(self) -> tuple[Group, ...]:
        """All groups: by number where all are numbers (1, 2, 10), else in order of the file."""
        return tuple(dict.fromkeys(group for _, group in self._ordered()))

    @property
    def key_type(self) -> Literal["bytes", "int"] | None:
        """What its keys are; None of a file without sketches."""
        file = self._opened
        if lib.ink_file_count(file) == 0:
            return None
        handle, description = c_void_p(), InkDescription()
        call(lib.ink_file_sketch, file, 0, byref(handle), path=self._path)
        lib.ink_sketch_describe(handle, byref(description))
        lib.ink_sketch_free(handle)
        return "int" if description.key_type == KEY_INT else "bytes"

    @property
    def digest(self) -> str:
        """The digest of the file, as ``ink info --digest`` prints it: equal sketches, equal digest."""
        file = self._opened
        if self._digest is None:  # which takes a look at all bytes, and they do not change
            room = ctypes.create_string_buffer(DIGEST_BYTES)
            call(lib.ink_file_digest, file, room, path=self._path)
            self._digest = room.raw.hex()
        return self._digest

    @property
    def records(self) -> int:
        """Added so far to all sketches together, as ``Sketch.records`` counts them."""
        return sum(info.records for _, info in self._described())

    @property
    def position(self) -> bytes | None:
        """How far the stream was read that the sketches come from, in the words of the program that saved
        them; None if the file does not say."""
        return self._section_bytes(SECTION_POSITION)

    @property
    def secret(self) -> bytes | None:
        """The secret that it was opened with, for another process that opens the same; None if with none."""
        return self._secret

    @property
    def path(self) -> str | None:
        """The path that it was opened from, or None."""
        return self._path

    @property
    def input_spec(self) -> dict[str, Any] | None:
        """How its data was read, as options of ``inkling.build``; None if the file does not say.

        >>> import inkling
        >>> inkling.build(b"ann,red\\n", "bloom", format="csv", key=1, by=2).input_spec
        {'format': 'csv', 'key': '1', 'by': '2'}
        """
        spec, reading, file = c_void_p(), InkReading(), self._opened
        call(lib.ink_input_spec_read, byref(spec), file, byref(reading), path=self._path)
        if not spec.value:
            return None
        try:
            return options_of(reading)
        finally:
            lib.ink_input_spec_free(spec)

    def sketch(self, kind: str | None = None) -> Sketch:
        """The sketch that has no group; `kind` chooses where there are several."""
        return Sketch._from_handle(*self._only(kind))

    # Time slots.

    def last(self, group: Any = WHOLE, slots: int = 0, *, kind: str | None = None) -> Sketch:
        """The union of the newest `slots` time slots of a group (0: of all)."""
        return Sketch._from_handle(*self._union(kind, make_label(group), whole("slots", slots)))

    def between(
        self,
        group: Any,
        start: datetime.datetime | int,
        end: datetime.datetime | int,
        *,
        kind: str | None = None,
    ) -> Sketch:
        """The union of the time slots of a group that start at `start` or later and before `end`.

        Times are datetimes (UTC, if they have no zone) or microseconds since 1970."""
        handle = c_void_p()
        name = None if kind is None else text_bytes("kind", kind)
        times = microseconds(start), microseconds(end)
        label = make_label(group)
        call(lib.ink_file_between, self._opened, name, byref(label), *times, byref(handle), path=self._path)
        return Sketch._from_handle(*self._unlocked(handle, None))

    # Questions to all groups.

    @overload
    def query(
        self,
        keys: OneKey,
        *,
        key: Columns | None = None,
        by: Any = None,
        kind: str | None = None,
        last: int | None = None,
        round: Rounding | None = None,
        nulls: Nulls = "skip",
    ) -> bool: ...
    @overload
    def query(
        self,
        keys: PlainKeys,
        *,
        key: Columns | None = None,
        by: Any = None,
        kind: str | None = None,
        last: int | None = None,
        round: Rounding | None = None,
        nulls: Nulls = "skip",
    ) -> list[bool]: ...
    @overload
    def query(
        self,
        keys: NDArray[Any],
        *,
        key: Columns | None = None,
        by: Any = None,
        kind: str | None = None,
        last: int | None = None,
        round: Rounding | None = None,
        nulls: Nulls = "skip",
    ) -> NDArray[numpy.bool_]: ...
    @overload
    def query(
        self,
        keys: Any,
        *,
        key: Columns | None = None,
        by: Any = None,
        kind: str | None = None,
        last: int | None = None,
        round: Rounding | None = None,
        nulls: Nulls = "skip",
    ) -> Any: ...
    def query(
        self,
        keys: Any,
        *,
        key: Columns | None = None,
        by: Any = None,
        kind: str | None = None,
        last: int | None = None,
        round: Rounding | None = None,
        nulls: Nulls = "skip",
    ) -> Any:
        """Whether keys may be in any group, or with `by` each in its own: False is certain, True a maybe.

        Keys are what ``Sketch.query`` takes, and answers come as they were asked. `by` is the name of a
        column of the same table, an array or iterable of groups as long as the keys, or the group of a single
        key; `round` rounds these as ``inkling.build`` does. Of groups with time slots `last` asks only the
        newest, that many of each.

        >>> import inkling
        >>> colours = inkling.build(b"ann,red\\nbob,blue\\n", "bloom", format="csv", key=1, by=2)
        >>> colours.query(["ann", "bob", "eve"])
        [True, True, False]
        >>> colours.query(["ann", "bob"], by=["blue", "blue"])
        [False, True]
        """
        ready = self._ready(kind, by is not None, last)
        return query_rows(ready, keys, key=key, by=by, nulls=nulls, round=round)

    @overload
    def which(self, keys: OneKey, *, kind: str | None = None) -> list[Group]: ...
    @overload
    def which(self, keys: Any, *, kind: str | None = None) -> list[Any]: ...
    def which(self, keys: Any, *, kind: str | None = None) -> list[Any]:
        """The groups that may hold a key; certainly it is in no other. Of many keys a list for each.

        >>> import inkling
        >>> colours = inkling.build(b"ann,red\\nann,blue\\n", "bloom", format="csv", key=1, by=2)
        >>> colours.which("ann"), colours.which(["ann", "eve"])
        (['blue', 'red'], [['blue', 'red'], []])
        """
        single = one_key(keys) is not None
        listed = [keys] if single else listed_keys(keys)
        file, asked = self._opened, self._ready(kind, False, None)  # which refuses what cannot be asked
        maybe = query_rows(asked, listed, key=None, by=None, nulls="skip")
        name = None if kind is None else text_bytes("kind", kind)
        options = InkFilterOptions(kind=name, secret=self._secret)
        may_be_in = [key if answer else None for key, answer in zip(listed, maybe)]
        found = groups_of(file, may_be_in, options)
        ordered = [in_order(groups, lambda group: group) for groups in found]
        return ordered[0] if single else ordered

    def _ready(self, kind: str | None, by: bool, last: int | None) -> Asked:
        """The filters made ready to be asked, once for each way to ask."""
        newest = 0 if last is None else whole("last", last)
        way = (kind, by, newest)
        ready = self._asked.get(way)
        if ready is None:
            options = InkFilterOptions(
                kind=None if kind is None else text_bytes("kind", kind),
                by=by,
                last=newest,
                secret=self._secret,
            )
            handle, file = c_void_p(), self._opened
            call(lib.ink_arrow_filters_create, byref(handle), file, byref(options), None, path=self._path)
            ready = self._asked[way] = Asked(handle.value or 0, file)
        return ready

    def estimate(self, confidence: float = 0.95, *, kind: str | None = None) -> dict[Any, Answer]:
        """How many different keys there are in each group, by those kinds of sketches that know."""
        return {key: sketch.estimate(confidence) for key, sketch in self._all(kind, "distinct")}

    def count(self, key: OneKey, *, kind: str | None = None) -> dict[Any, Answer]:
        """How often a key was added in each group, by the sketch with the better answer, as of ``ink count``.

        Of a count-min and a top with the same total that is the one whose bounds are closer together; a
        counting filter answers where there is neither. The keys are those of the mapping: where the file has
        several kinds, they name the one that answered.

        >>> import inkling
        >>> inkling.build(b"ant\\nbee\\nant\\n", "count-min,top").count("ant")
        {('top', inkling.WHOLE): 2 (exactly)}
        """
        best: dict[Any, tuple[Any, Answer, Sketch]] = {}
        able = list(self._all(kind, "counts"))
        for at, sketch in sorted(able, key=lambda one: -kind_info(one[1].kind).ranks["count"]):
            group = at[1] if isinstance(at, tuple) else at
            if group in best:
                _, than, first = best[group]
                if kind_info(sketch.kind).ranks["count"] < 2 or sketch.info.total != first.info.total:
                    continue
                answer = sketch.count(key)
                if not lib.ink_answer_is_better(InkAnswer(*answer._found), InkAnswer(*than._found)):
                    continue
            else:
                answer = sketch.count(key)
            best[group] = at, answer, sketch
        return {at: answer for at, answer, _ in best.values()}

    def top(self, k: int = 10, *, kind: str | None = None) -> dict[Any, Items]:
        """The `k` keys with the largest counts in each group, the largest first, by the sketches that keep keys.

        >>> import inkling
        >>> colours = inkling.build(b"ann,red\\nbob,red\\nann,red\\neve,blue\\n", "top", format="csv", key=1, by=2)
        >>> {group: [item.key for item in items] for group, items in colours.top(1).items()}
        {'blue': ['eve'], 'red': ['ann']}
        """
        return {key: sketch.top(k) for key, sketch in self._all(kind, "keeps_keys")}

    @property
    def info(self) -> dict[Any, Info]:
        """What each sketch is, as ``Sketch.info`` has it."""
        return {key: sketch.info for key, sketch in self.items()}

    @property
    def rate(self) -> dict[Any, float]:
        """The present false-positive rate of each filter."""
        return {key: sketch.rate for key, sketch in self._all(None, "contains")}

    def _all(self, kind: str | None, ability: str) -> Iterator[tuple[Any, Sketch]]:
        """The sketches that can do something by the mapping's keys, or if a kind is given by their groups."""
        if kind is not None:
            kind_info(kind)
        able = {name for name in self.kinds if getattr(kind_info(name), ability) and kind in (None, name)}
        if not able:
            have = ", ".join(self.kinds) or "nothing"
            raise UsageError(f"a file of {have}, expected sketches that answer this", path=self._path)
        for name, group in self._ordered():
            if name in able:
                yield (name, group) if kind is None and len(self.kinds) > 1 else group, self[name, group]

    # Union.

    def __or__(self, other: Sketches | Sketch) -> Sketches:
        """A new union by kind and group, as ``inkling.merge`` makes it."""
        if not isinstance(other, (Sketches, Sketch)):
            return NotImplemented
        return merge_files([self, other], Run())

    __ror__ = __or__

    # Files and bytes.

    def save(self, path: Output, *, overwrite: bool = True) -> None:
        """Writes all sketches, and the input spec, as a file: whole, or not at all. An object with
        ``write(bytes)`` gets the bytes. `overwrite` is that of ``Sketch.save``."""
        encoded, overwrite = path_or_writer(path), flag("overwrite", overwrite)
        if not isinstance(encoded, bytes):
            self._write_to(encoded)
            return
        shown_path = spoken_path(encoded)
        file, held = self._opened, self._bytes
        if isinstance(held, OwnBytes):
            write_whole(encoded, [(held.address, held.count)], shown_path, overwrite)
        elif isinstance(held, UnnamedFile):
            write_whole(encoded, held.parts(), shown_path, overwrite)
        elif held is not None:
            write_whole(encoded, [(held, len(held))], shown_path, overwrite)
        else:
            call(lib.ink_file_check, file, path=self._path)
            with self._contents() as contents:
                contents.no_overwrite = not overwrite
                call(lib.ink_contents_save, encoded, byref(contents), path=shown_path)

    def _write_to(self, write: Callable[[bytes], object]) -> None:
        parts = self._bytes.parts() if isinstance(self._bytes, UnnamedFile) else [(self.to_bytes(), 0)]
        for part, _ in parts:
            write_all(write, part)

    def to_bytes(self) -> bytes:
        """The same file in memory."""
        file, held = self._opened, self._bytes
        if isinstance(held, OwnBytes):
            return ctypes.string_at(held.address, held.count)
        if isinstance(held, bytes):
            return held
        call(lib.ink_file_check, file, path=self._path)
        address, count = c_void_p(), c_size_t()
        with self._contents() as contents:
            call(lib.ink_contents_encode, byref(contents), byref(address), byref(count), path=self._path)
        made = OwnBytes(address.value or 0, count.value)
        return ctypes.string_at(made.address, made.count)

    @contextmanager
    def _contents(self) -> Iterator[InkContents]:
        """All entries and sections, as C saves them."""
        file = self._opened
        count = lib.ink_file_count(file)
        entries = (InkEntry * count)()
        sections = list(self._sections())
        info, sketch = InkEntryInfo(), c_void_p()
        try:
            for index in range(count):
                call(lib.ink_file_entry, file, index, byref(info))
                call(lib.ink_file_sketch, file, index, byref(sketch), path=self._path)
                entries[index].sketch = sketch.value
                entries[index].label = info.label
            yield InkContents(
                entries=ctypes.cast(entries, POINTER(InkEntry)),
                entry_count=count,
                sections=(InkSection * len(sections))(*sections),
                section_count=len(sections),
            )
        finally:
            for entry in entries:
                lib.ink_sketch_free(entry.sketch)

    def check(self) -> Sketches:
        """Checks every byte of a file that was opened with ``lazy=True``; returns the sketches."""
        call(lib.ink_file_check, self._opened, path=self._path)
        return self

    def close(self) -> None:
        """Lets go of the file. Sketches that came from it can still be asked, and keep it open meanwhile."""
        self._asked.clear()
        self._file = self._bytes = self._alone = None

    def __enter__(self) -> Sketches:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return Sketches.from_bytes, (self.to_bytes(),)

    def __copy__(self) -> Sketches:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Sketches:
        return self

    # How it looks.

    def __repr__(self) -> str:
        if self._file is None:
            return "<inkling sketches, closed>"
        name = "sketches" if self._path is None else shown(self._path)
        count = lib.ink_file_count(self._opened)
        what = f"{count:,} {'sketch' if count == 1 else 'sketches'}"
        if count == 0:
            return f"<inkling {name}: {what}>"
        return f"<inkling {name}: {what} of {', '.join(self.kinds)}, {self.key_type} keys>"

    def _repr_html_(self) -> str:
        shown = [f"<p>{escaped(repr(self)[1:-1])}</p>"]
        if self._file is not None:
            info, file = InkEntryInfo(), self._opened
            count = lib.ink_file_count(file)
            entries: list[tuple[Group, list[str]]] = []
            for index in range(min(count, _ROWS_SHOWN)):
                call(lib.ink_file_entry, file, index, byref(info))
                group = group_of(info.label)
                name = "" if group is WHOLE else "(null)" if group is None else str(group)
                entries.append((group, [info.kind.decode(), name, f"{info.records:,}", f"{info.bytes:,}"]))
            if count <= _ROWS_SHOWN:
                entries = in_order(entries, lambda entry: entry[0])
            rows = [cells for _, cells in entries]
            shown.append(html_table(["kind", "group", "records", "bytes"], rows, names=2))
            if count > _ROWS_SHOWN:
                shown.append(f"<p>and {count - _ROWS_SHOWN:,} more</p>")
        return "".join(shown)


# How many rows a table in a notebook has.
_ROWS_SHOWN = 20


# ---- Opening --------------------------------------------------------------------------------------


def decode_lazily(held: bytes) -> Sketches:
    """The sketches of bytes that need no check, as the library has just made them."""
    return Sketches._of_file(decode(held, OPEN_LAZY), held=held)


def open(
    path: Path | Iterable[Path], *, lazy: bool = False, copy: bool = False, secret: bytes | None = None
) -> Sketches:
    """Opens a file of sketches as a mapping from groups to sketches; several files as their union.

    The file is mapped, and every byte checked; with ``lazy`` only what stands around the sketches, and the
    rest by ``check()``. With ``copy`` it is read into memory instead, so that it may change afterwards, and
    its sketches can be changed too. ``"-"`` is standard input. `secret` are the 16 bytes that the sketches
    were built with.

    `path` may be several paths, or a pattern with ``*``, ``?`` or ``[...]``. Several files are merged in memory
    by kind and group, to be asked: rates are not looked at, as in questions of the command. For a union that
    keeps its promises see ``inkling.merge``.

    >>> import inkling, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "words.ink")
    ...     inkling.build(b"ant\\nbee\\n", "bloom").save(path)
    ...     with inkling.open(path) as words:
    ...         "bee" in words.sketch()
    True
    """
    paths = listed_sketches(path, (str, os.PathLike), "paths of files of sketches")
    if len(paths) == 1:
        return Sketches._at(paths[0], lazy=lazy, copy=copy, secret=secret)
    key = None if secret is None else secret_bytes(secret)
    union = merge_files(paths, Run(), InkMergeOptions(parts=True), key)
    if not copy:
        return union
    held = union.to_bytes()
    return Sketches._of_file(decode(held, OPEN_COPY), held=held, secret=key)


SketchesType = TypeVar("SketchesType", bound=Sketches)


def open_unnamed(
    path: str, *, secret: bytes | None, built: BuildReport | None, result: type[SketchesType]
) -> SketchesType:
    """The sketches of a file that the library has just made, which may lose its name then."""
    handle, encoded = c_void_p(), path_bytes(path)
    call(lib.ink_file_open, byref(handle), encoded, OPEN_LAZY, None, path=path)
    file, held = OpenFile(handle.value or 0, kept=encoded), UnnamedFile(path)
    return result._of_file(file, held=held, secret=secret, built=built)


def save(
    path: Output,
    entries: Iterable[tuple[Group, int | None, Sketch]],
    *,
    position: bytes | None = None,
    overwrite: bool = True,
) -> None:
    """Writes sketches as one file, whole or not at all, and on the disk before it returns; an object with
    ``write(bytes)`` gets the bytes.

    An entry is a group, the start of a time slot in microseconds since 1970, or None, and the sketch:
    ``Sketches.entries`` gives such. No two of a kind have the same group and slot. `position` is kept for
    ``Sketches.position``: bytes in which a program notes how far it has read the stream that the sketches
    come from. `overwrite` is that of ``Sketch.save``.

    >>> import inkling
    >>> colours = {"red": ["ann", "cid"], "blue": ["bob"]}
    >>> users = {colour: inkling.Sketch("hll").add(names) for colour, names in colours.items()}
    >>> inkling.save("users.ink", [(colour, None, sketch) for colour, sketch in users.items()])
    >>> list(inkling.open("users.ink"))
    ['blue', 'red']
    """
    target, overwrite = path_or_writer(path), flag("overwrite", overwrite)
    listed = list(entries)
    labels = [make_label(group, slot) for group, slot, _ in listed]
    with asking(*(sketch._lock for _, _, sketch in listed)) as handles:
        contents = contents_of(list(zip(labels, handles)), position)
        if isinstance(target, bytes):
            save_contents(contents, target, spoken_path(target), overwrite)
            return
        data = Encoded(contents).take()
    write_all(target, data)


def open_for_job(path: Path) -> Sketches:
    """Opens a file as the command does: small ones are read, large ones mapped, every byte checked."""
    encoded, shown_path = path_bytes(path), spoken_path(os.fsdecode(path))
    handle = c_void_p()
    call(lib.ink_file_open_any, byref(handle), encoded, None, path=shown_path)
    return Sketches._of_file(OpenFile(handle.value or 0, kept=encoded), path=shown_path)


# ---- Merging --------------------------------------------------------------------------------------

#: What a job can ask or merge: an open file of sketches, one sketch, or the path of a file.
Askable: TypeAlias = Sketches | Sketch | Path


def listed_sketches(
    sketches: object,
    kinds: tuple[type, ...] = (str, os.PathLike, Sketches, Sketch),
    expected: str = "paths of files of sketches, Sketches or a Sketch",
) -> list[Any]:
    """Sketches that are to be merged, each of one of these kinds; those of a path are all that it matches."""
    if isinstance(sketches, kinds):
        return matching(sketches)
    if isinstance(sketches, bytes) or not isinstance(sketches, Iterable):
        way_out = "; Sketches.from_bytes reads bytes" if isinstance(sketches, bytes) else ""
        raise TypeError(f"sketches of type {type(sketches).__name__}, expected {expected}{way_out}")
    items = list(sketches)
    for item in items:
        if not isinstance(item, kinds):
            raise TypeError(f"{type(item).__name__} among the sketches, expected {expected}")
    if not items:
        raise UsageError("no sketches, expected at least one")
    return [one for item in items for one in matching(item)]


def merge_files(
    items: Sequence[Askable], run: Run, options: InkMergeOptions | None = None, secret: bytes | None = None
) -> Sketches:
    """The union of sketches by kind and group, as ``inkling.merge`` makes it; `secret` is that of keyed
    files."""
    how = None if options is None else byref(options)

    def merge(made: Any, paths: Sequence[bytes]) -> int:
        array = (c_char_p * len(paths))(*paths)
        return run.status(lib.ink_merge_files, made, array, len(paths), how, keep=(array,))

    return union_of(items, run, merge, secret_of(items) if secret is None else secret)


def union_of(
    items: Sequence[Askable],
    run: Run,
    merge: Callable[[Any, Sequence[bytes]], int],
    secret: bytes | None,
) -> Sketches:
    """The sketches that a job makes of several: `merge` runs it on the paths where the library finds them."""
    made = c_void_p()
    with ExitStack() as stack:
        paths = [_path_of(item, stack) for item in items]
        stack.callback(lib.ink_set_free, made)
        status = merge(byref(made), paths)
        named = zip(paths, items, range(1, len(paths) + 1))
        run.check(status, names={path: _name_of(item, number) for path, item, number in named})
        file, held = file_of_set(made)
    return Sketches._of_file(file, held=held, secret=secret)


def secret_of(items: Sequence[Askable]) -> bytes | None:
    """The first secret that any of these sketches was opened with."""
    return next((item._secret for item in items if isinstance(item, Sketches) and item._secret), None)


def _path_of(item: Askable, stack: ExitStack) -> bytes:
    """Where the library finds sketches; those in memory in a file that has no name and goes with `stack`."""
    if isinstance(item, (str, os.PathLike)):
        return path_bytes(item)
    file = stack.enter_context(os.fdopen(os.memfd_create("inkling"), "wb"))
    file.write(item.to_bytes())
    file.flush()
    return b"/proc/self/fd/%d" % file.fileno()


def _name_of(item: Askable, number: int) -> str | None:
    """What errors call sketches that are to be merged."""
    if isinstance(item, (str, os.PathLike)):
        return spoken_path(path_bytes(item))
    known = item.path if isinstance(item, Sketches) else None
    return known or f"number {number} of the sketches"
