"""Sketch: one sketch of keys, filled and asked.

Keys go to C in bulk, as Arrow columns, without the interpreter's lock. Single keys that are added wait in a
list, and go to C together before anything else looks at the sketch.
"""

from __future__ import annotations

import ctypes
import inspect
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, KeysView, ValuesView
from contextlib import contextmanager
from ctypes import byref, c_bool, c_char_p, c_double, c_int64, c_size_t, c_uint, c_uint8, c_uint64, c_void_p
from datetime import date
from itertools import accumulate
from os import PathLike, fsdecode
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias, overload

from . import _show
from ._answers import ANSWER_BYTES, Answer, Item, answer_of, as_answers, as_bools, behind, item_of
from ._arrow import as_batches
from ._batches import Batch, Batches
from ._errors import InklingError, UnsupportedError, UsageError
from ._gate import Gate, asking, changing
from ._keys import name_of, one_key
from ._library import (
    DIGEST_BYTES,
    ESTIMATOR_DEFAULT,
    ESTIMATOR_MEAN_OF_POWERS,
    KEY_BYTES,
    KEY_INT,
    OK,
    OPEN_LAZY,
    SECTION_RECIPE,
    InkAnswer,
    InkBatch,
    InkContents,
    InkDescription,
    InkEntry,
    InkError,
    InkItem,
    InkKindInfo,
    InkMergeOptions,
    InkSection,
    call,
    check,
    lib,
    path_bytes,
    pylib,
    real,
    secret_bytes,
    text_bytes,
    whole,
)
from ._plan import PARAMETERS, Info, info_of, params_of
from ._reading import Reading

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

__all__ = ["Answer", "Item", "Sketch"]

Path: TypeAlias = str | PathLike[str] | PathLike[bytes]
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


# ---- Single keys, as quickly as ctypes can ------------------------------------------------------

# Functions without argument types take arguments that were made ready before, without a look at them; they
# keep the interpreter's lock, see _gate.
_add = pylib.loaded["ink_sketch_add"]
_add_int = pylib.loaded["ink_sketch_add_int"]
_maybe = pylib.loaded["ink_sketch_maybe"]
_maybe_int = pylib.loaded["ink_sketch_maybe_int"]
_as_size: Callable[[int], Any] = c_size_t.from_param
_as_int64: Callable[[int], Any] = c_int64.from_param  # of an int up to 2^64 - 1 the same bits
_LENGTHS = tuple(map(_as_size, range(256)))

_PENDING_MAX = 4096
_PENDING_FEW = 8
_AT_ONCE = 64
_INT_MIN, _INT_MAX, _UINT_MAX = -(1 << 63), (1 << 63) - 1, (1 << 64) - 1


def _signed(key: int) -> int:
    """An int up to 2^64 - 1 as the signed one of the same bits."""
    return key if key <= _INT_MAX else key - (1 << 64)


class _KeyBatch:
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
            batch.bytes = ctypes.cast(c_char_p(joined), c_void_p).value
            batch.offsets = offsets.buffer_info()[0]
        if weight is not None:
            self.weight = c_uint64(weight)
            batch.weights = ctypes.addressof(self.weight)

    def call(self, function: Any, handle: int, *more: Any) -> None:
        """Calls a function about these keys, which are there until it is done."""
        call(function, handle, byref(self.struct), *more)


def _batch_of_one(key: bytes | int, weight: int | None = None) -> _KeyBatch:
    return _KeyBatch(array("q", [_signed(key)]) if isinstance(key, int) else [key], weight)


def _refuse_columns(key: object, nulls: object) -> None:
    """One key has no columns; what nulls= says does not matter, but must be right."""
    Reading(nulls=nulls)
    if key is not None:
        raise UsageError("key= beside a single key, expected the rows of a table")


# ---- Sketch -------------------------------------------------------------------------------------


class Sketch:
    """A sketch of keys: have I seen this one, how often, which are the most frequent, how many different
    ones.

    `kind` is one of ``inkling.kinds()``; what else it needs depends on it, as on the command line. Filters
    (bloom, classic, counting, scalable) take `n`, the different keys expected, and `p`, the rate of false
    positives, or `bits` and, classic, `hashes`; count-min `eps` and `delta`, or `width` and `depth`,
    `counters` (32 or 64) and `conservative`; top `k` or `phi`; fm `width` and `depth`; hll `precision`.

    A key is a str (UTF-8), bytes, an int, a date (days), a datetime (microseconds), or a tuple, which is one
    key of several columns. Anything else that has elements is many keys. The first keys that are added decide
    whether the sketch holds ints or bytes, unless `key_type` says so. One at a time is slow in Python:
    arrays, columns and lists are the fast way.

    `secret`, 16 bytes, keeps whoever does not know it from choosing keys that collide; it is never saved.

    >>> import inkling
    >>> seen = inkling.Sketch("bloom", n=1e6, p=0.01)
    >>> seen.add(["bee", "ant"])
    <inkling bloom: 2 records of 1,000,000 keys planned for, 1.3 MB, rate ... now, 0.01 promised>
    >>> "bee" in seen, "cow" in seen
    (True, False)
    """

    __slots__ = (
        "_asking",
        "_at_once",
        "_flush_turn",
        "_flushing",
        "_gate",
        "_params",
        "_pending",
        "_plain",
        "_recipe",
        "_text",
        "built",
        "__weakref__",
    )

    _params: dict[str, Any] | None  # of a sketch whose key type the first keys decide; else None
    _pending: Any  # keys that were added one by one: bytes in a list, or ints in an array
    _text: type | None  # str, once a key of bytes was added ...
    _plain: type | None  # ... and bytes; or int
    _at_once: int  # so many single keys are to be added without a wait
    built: Any
    """What building it counted, if ``inkling.build`` made it; else None."""

    def __init__(
        self,
        kind: str,
        *,
        n: int | float | None = None,
        p: float | None = None,
        bits: int | float | None = None,
        hashes: int | None = None,
        ratio: float | None = None,
        eps: float | None = None,
        delta: float | None = None,
        width: int | float | None = None,
        depth: int | None = None,
        counters: int | None = None,
        conservative: bool = False,
        k: int | None = None,
        phi: float | None = None,
        precision: int | None = None,
        key_type: Literal["bytes", "int"] | None = None,
        hash: str | None = None,
        seed: int | None = None,
        secret: bytes | None = None,
    ) -> None:
        given = locals()
        options = {name: given[name] for name in PARAMETERS if given[name] is not None}
        params = params_of(kind, options)
        try:
            handle = _create(params)
        except UsageError:
            if key_type is not None:
                raise
            try:  # a hash that takes ints alone decides
                handle = _create(params_of(kind, {**options, "key_type": "int"}))
            except InklingError:
                pass
            else:
                self._begin(handle)
                return
            raise
        self._begin(handle)
        if key_type is None:
            self._params = {"kind": kind, **options}

    def _begin(self, handle: int, owner: object = None, recipe: bytes | None = None) -> None:
        self._gate = Gate(handle, owner)
        self._asking = self._gate.asking
        self._recipe = recipe
        self._params = None
        self._pending = ()
        self._text = None
        self._plain = None
        self._at_once = 0
        self._flush_turn = RLock()
        self._flushing = False
        self.built = None

    @classmethod
    def _from_handle(
        cls, handle: int, owner: object = None, read_only: bool = False, recipe: bytes | None = None
    ) -> Sketch:
        """A Sketch that owns a handle of C; `owner` is what the handle is a view of, and lives as long.
        Whether it can be changed the handle knows, too."""
        made = cls.__new__(cls)
        made._begin(handle, owner, recipe)
        return made

    # ---- Handles --------------------------------------------------------------------------------

    @property
    def _handle(self) -> int:
        """The handle in C, with all that was added in it. Who uses it for long goes through the gate."""
        self._flush()
        with self._gate.reading as handle:
            return handle

    def _flush(self) -> None:
        """Adds the keys that wait. They wait on if that fails, as for lack of memory."""
        if not self._pending:
            return
        with self._flush_turn:
            if self._flushing:  # by this very thread, which a signal handler interrupted
                return
            self._flushing = True
            try:
                if len(self._pending) <= _PENDING_FEW:
                    self._flush_few()
                    # Who asks after every few keys does so again: for some time none waits.
                    self._text = self._plain = None
                    self._at_once = _AT_ONCE
                if self._pending:
                    self._flush_batch()
            finally:
                self._flushing = False

    # In the two that follow a key is added and taken off the list without a moment in between at which Python
    # would look for signals: that happens behind calls and where a loop turns back, but not between what
    # map() calls and the first lines of the loop. So Ctrl-C adds nothing twice, and loses nothing.

    def _flush_few(self) -> None:
        """Adds what waits key by key, as long as the gate is open."""
        pending, pointer = self._pending, self._gate.changing
        while pending:
            key = pending[0]
            if isinstance(key, int):
                added = map(_add_int, (pointer,), (_as_int64(key),), (None,))
            else:
                given = key if type(key) is bytes else key.encode()
                length = len(given)
                size = _LENGTHS[length] if length < 256 else _as_size(length)
                added = map(_add, (pointer,), (given,), (size,), (None,))
            for status in added:
                if status != OK:
                    return
                del pending[0]

    def _flush_batch(self) -> None:
        pending = self._pending
        count = len(pending)
        batch, error = _KeyBatch(pending[:count]), InkError()
        with self._gate.writing as handle:
            for status in map(pylib.ink_sketch_add_batch, (handle,), (byref(batch.struct),), (byref(error),)):
                if status == OK:
                    del pending[:count]
        check(status, error)

    def _leaned(self, handle: int, key_type: int | None) -> int:
        """The handle for keys of this type; of a sketch whose type is not decided, which is empty, one of
        this type takes its place. For the writer only."""
        if self._params is None or key_type is None or _describe(handle).key_type == key_type:
            return handle
        options = {name: value for name, value in self._params.items() if name != "kind"}
        options["key_type"] = "int" if key_type == KEY_INT else "bytes"
        made = _create(params_of(self._params["kind"], options))
        self._gate.replace(made)
        return made

    @contextmanager
    def _changed(self, key_type: int | None) -> Iterator[int]:
        """The handle, for the one who adds keys of this type, or takes them out. The first ones decide the
        type."""
        self._flush()
        with self._gate.writing as handle:
            handle = self._leaned(handle, key_type)
            yield handle
            if self._params is not None and _describe(handle).records:
                self._params = None

    @contextmanager
    def _asked(self, key_type: int | None) -> Iterator[int]:
        """The handle, for those who ask about keys of this type, which decides nothing."""
        self._flush()
        if self._params is not None:
            with self._gate.writing as handle:
                yield self._leaned(handle, key_type)
        else:
            with self._gate.reading as handle:
                yield handle

    def _meet(self, other: Sketch) -> None:
        """Two sketches of one key type, if one of them has none yet; and what waits is in them."""
        self._flush()
        other._flush()
        if self._params is not None and other._params is None:
            with self._gate.writing as handle:
                self._leaned(handle, other._type())
                self._params = None
        elif other._params is not None and self is not other:
            key_type = self._type()
            with other._gate.writing as handle:
                other._leaned(handle, key_type)

    def _type(self) -> int:
        return int(self._describe().key_type)

    def _describe(self) -> InkDescription:
        self._flush()
        with self._gate.reading as handle:
            return _describe(handle)

    # ---- Keys in ----------------------------------------------------------------------------------

    if TYPE_CHECKING:

        def add(
            self, keys: Any, *, key: Columns | None = None, weights: Any = None, nulls: Nulls = "skip"
        ) -> Sketch: ...

    else:

        # Defaults of keywords would cost a single key a tenth of its time: these are looked at only if there
        # are any.
        def add(self, keys, **options):
            """Adds one key, or many: an iterable, an array, a column, or a table, of which `key` names the
            column, or the columns that make a tuple.

            `weights` says how often each key counts: one number for one key, an array or iterable of ints
            beside many, or a column of the table by its name. A null key or weight is left out, or refused
            with ``nulls="refuse"``.

            If a key is refused, nothing of its batch is added: a list, an array or a column is one; of tables
            and columns in chunks, and of generators, what came before stays added. Gives the sketch itself.

            >>> import inkling
            >>> clicks = inkling.Sketch("count-min").add("a").add(["a", "b"]).add("c", weights=5)
            >>> [float(clicks.count(key)) for key in "abc"]
            [2.0, 1.0, 5.0]
            """
            if type(keys) is self._text and keys.isascii() and not options:
                pending = self._pending
                pending.append(keys)
                if len(pending) >= _PENDING_MAX:
                    self._flush()
                return self
            if type(keys) is self._plain and not options:
                pending = self._pending
                try:
                    pending.append(keys)
                except OverflowError:  # an int above 2^63 - 1
                    self._add_slowly(keys)
                if len(pending) >= _PENDING_MAX:
                    self._flush()
                return self
            if not options and self._add_quickly(keys):
                return self
            self._add_slowly(keys, **options)
            return self

    def _add_quickly(self, keys: Any) -> bool:
        """Adds a text that is not ASCII, or a single key at once, if that can be done."""
        kind = type(keys)
        if self._at_once <= 0:
            if kind is not self._text:
                return False
            try:
                self._pending.append(keys.encode())
            except UnicodeEncodeError:
                return False
            if len(self._pending) >= _PENDING_MAX:
                self._flush()
            return True
        self._at_once -= 1
        if self._at_once <= 0:
            self._let_wait()
        try:
            given = keys.encode() if kind is str else keys
        except UnicodeEncodeError:
            return False
        if type(given) is bytes:
            length = len(given)
            size = _LENGTHS[length] if length < 256 else _as_size(length)
            return bool(_add(self._gate.changing, given, size, None) == OK)
        if kind is int and _INT_MIN <= given <= _UINT_MAX:
            return bool(_add_int(self._gate.changing, _as_int64(given), None) == OK)
        return False

    def _let_wait(self) -> None:
        """Single keys wait from now on, until they are many or somebody looks."""
        ints = isinstance(self._pending, array)
        self._text = None if ints else str
        self._plain = int if ints else bytes

    def _add_slowly(
        self, keys: Any, *, key: Columns | None = None, weights: Any = None, nulls: Nulls = "skip"
    ) -> None:
        single = one_key(keys)
        if single is None:
            self._change_many(lib.ink_arrow_add, keys, key, weights, nulls)
            return
        _refuse_columns(key, nulls)
        weight = None if weights is None else whole("weights", weights)
        with self._changed(_type_of(single)) as handle:
            if weight is None:
                _call_one(pylib.ink_sketch_add, pylib.ink_sketch_add_int, handle, single)
            else:
                _batch_of_one(single, weight).call(pylib.ink_sketch_add_batch, handle)
        self._expect(single)

    def _expect(self, key: bytes | int) -> None:
        """A key was added: more like it may wait before they are."""
        if self._pending == ():
            with self._flush_turn:
                if self._pending == ():
                    self._pending = array("q") if isinstance(key, int) else []
                    self._let_wait()

    @overload
    def add_new(self, keys: OneKey, *, key: Columns | None = None, nulls: Nulls = "skip") -> bool: ...
    @overload
    def add_new(
        self, keys: PlainKeys, *, key: Columns | None = None, nulls: Nulls = "skip"
    ) -> list[bool]: ...
    @overload
    def add_new(
        self, keys: NDArray[Any], *, key: Columns | None = None, nulls: Nulls = "skip"
    ) -> NDArray[numpy.bool_]: ...
    @overload
    def add_new(self, keys: Any, *, key: Columns | None = None, nulls: Nulls = "skip") -> Any: ...
    def add_new(self, keys: Any, *, key: Columns | None = None, nulls: Nulls = "skip") -> Any:
        """Adds keys that a filter does not seem to hold, in order, and tells for each whether it was new.

        >>> import inkling
        >>> seen = inkling.Sketch("bloom", n=1000)
        >>> seen.add_new(["bee", "ant", "bee"])
        [True, True, False]
        """
        single = one_key(keys)
        if single is None:
            return self._add_new_many(keys, key, nulls)
        _refuse_columns(key, nulls)
        was_new = c_uint8()
        with self._changed(_type_of(single)) as handle:
            _batch_of_one(single).call(pylib.ink_sketch_add_new_batch, handle, ctypes.addressof(was_new))
        return bool(was_new.value)

    def remove(
        self,
        keys: Any,
        *,
        key: Columns | None = None,
        weights: Any = None,
        nulls: Nulls = "skip",
    ) -> Sketch:
        """Takes keys out again, of kinds that can do so (counting), each as often as its weight says.

        NotFoundError, and nothing of its batch is removed, if one is certainly not in. To remove what was
        never added can make the filter deny keys that were.

        >>> import inkling
        >>> held = inkling.Sketch("counting", n=1000).add(["bee", "ant"]).remove("bee")
        >>> "bee" in held, "ant" in held
        (False, True)
        """
        single = one_key(keys)
        if single is None:
            self._change_many(lib.ink_arrow_remove, keys, key, weights, nulls)
            return self
        _refuse_columns(key, nulls)
        weight = None if weights is None else whole("weights", weights)
        with self._changed(_type_of(single)) as handle:
            if weight is None:
                _call_one(pylib.ink_sketch_remove, pylib.ink_sketch_remove_int, handle, single)
            else:
                _batch_of_one(single, weight).call(pylib.ink_sketch_remove_batch, handle)
        return self

    # ---- Bulk -------------------------------------------------------------------------------------

    def _batches(self, keys: Any, key: Columns | None, weights: Any, nulls: Nulls) -> tuple[Batches, Reading]:
        """Many keys as batches, and how to read these."""
        names = [key] if isinstance(key, (str, int)) else None if key is None else list(key)
        weight = weights if isinstance(weights, str) else None
        reading = Reading(key=names, weight=weight, nulls=nulls)
        wanted: Collection[str] | None = None
        if names is not None and all(isinstance(name, str) for name in names):
            wanted = [str(name) for name in names] + ([] if weight is None else [weight])
        batches = as_batches(keys, weights=weights, columns=wanted)
        assert batches is not None
        if batches.weight is not None:  # which came beside the keys
            reading = Reading(key=names or batches.key, weight=batches.weight, nulls=nulls)
        return batches, reading

    def _key_type(self, batch: Batch, reading: Reading) -> int | None:
        """What the keys of a batch are, if the sketch has not decided yet."""
        if self._params is None:
            return None
        key_type = c_uint()
        call(lib.ink_arrow_key_type, batch.schema_address, byref(reading.struct), byref(key_type))
        return key_type.value

    def _change_many(self, function: Any, keys: Any, key: Columns | None, weights: Any, nulls: Nulls) -> None:
        batches, reading = self._batches(keys, key, weights, nulls)
        for batch in batches:
            with self._changed(self._key_type(batch, reading)) as handle:
                _call_rows(function, handle, batch, reading)

    def _add_new_many(self, keys: Any, key: Columns | None, nulls: Nulls) -> Any:
        batches, reading = self._batches(keys, key, None, nulls)
        answers = bytearray()
        for batch in batches:
            room = bytearray(batch.rows)
            with self._changed(self._key_type(batch, reading)) as handle:
                _call_rows(lib.ink_arrow_add_new, handle, batch, reading, room)
            answers = behind(answers, room)
        return as_bools(answers, batches)

    def _ask_many(
        self, function: Any, keys: Any, key: Columns | None, nulls: Nulls, size: int = 1
    ) -> tuple[bytearray, Batches]:
        batches, reading = self._batches(keys, key, None, nulls)
        answers = bytearray()
        for batch in batches:
            room = bytearray(batch.rows * size)
            with self._asked(self._key_type(batch, reading)) as handle:
                _call_rows(function, handle, batch, reading, room)
            answers = behind(answers, room)
        return answers, batches

    # ---- Have I seen it ---------------------------------------------------------------------------

    def __contains__(self, key: object) -> bool:
        """``key in sketch``: whether one key may have been added; False is certain."""
        kind = type(key)
        if kind is str:
            try:
                key = key.encode()  # type: ignore[attr-defined]
            except UnicodeEncodeError:
                return self._contains_slowly(key)
        elif kind is not bytes:
            return self._contains_other(key)
        if self._pending:
            self._flush()
        length = len(key)  # type: ignore[arg-type]
        answer = _maybe(self._asking, key, _LENGTHS[length] if length < 256 else _as_size(length))
        return bool(answer) if answer >= 0 else self._contains_slowly(key)

    def _contains_other(self, key: object) -> bool:
        if type(key) is not int or not _INT_MIN <= key <= _UINT_MAX:
            return self._contains_slowly(key)
        if self._pending:
            self._flush()
        answer = _maybe_int(self._asking, _as_int64(key))
        return bool(answer) if answer >= 0 else self._contains_slowly(key)

    def _contains_slowly(self, key: object) -> bool:
        """Any key, through the gate, and with the reason if it cannot be asked."""
        single = one_key(key)
        if single is None:
            raise UnsupportedError(f"{name_of(key)} is no single key, expected one (query asks many)")
        maybe = c_bool()
        with self._asked(_type_of(single)) as handle:
            _call_one(pylib.ink_sketch_contains, pylib.ink_sketch_contains_int, handle, single, byref(maybe))
        return maybe.value

    @overload
    def query(self, keys: OneKey, *, key: Columns | None = None, nulls: Nulls = "skip") -> bool: ...
    @overload
    def query(self, keys: PlainKeys, *, key: Columns | None = None, nulls: Nulls = "skip") -> list[bool]: ...
    @overload
    def query(
        self, keys: NDArray[Any], *, key: Columns | None = None, nulls: Nulls = "skip"
    ) -> NDArray[numpy.bool_]: ...
    @overload
    def query(self, keys: Any, *, key: Columns | None = None, nulls: Nulls = "skip") -> Any: ...
    def query(self, keys: Any, *, key: Columns | None = None, nulls: Nulls = "skip") -> Any:
        """Whether keys may have been added: False is certain, True is wrong at the rate that ``rate`` tells.

        One key gives a bool, an iterable a list, an array, a column or a table a NumPy array. A null is in no
        sketch.

        >>> import inkling
        >>> seen = inkling.Sketch("bloom", n=1000).add(["bee", "ant"])
        >>> seen.query("bee"), seen.query(["cow", "ant"])
        (True, [False, True])
        """
        if one_key(keys) is not None:
            _refuse_columns(key, nulls)
            return keys in self
        return as_bools(*self._ask_many(lib.ink_arrow_contains, keys, key, nulls))

    # ---- How often, which, how many ---------------------------------------------------------------

    @overload
    def count(self, keys: OneKey, *, key: Columns | None = None, nulls: Nulls = "skip") -> Answer: ...
    @overload
    def count(
        self, keys: PlainKeys, *, key: Columns | None = None, nulls: Nulls = "skip"
    ) -> list[Answer]: ...
    @overload
    def count(
        self, keys: NDArray[Any], *, key: Columns | None = None, nulls: Nulls = "skip"
    ) -> NDArray[Any]: ...
    @overload
    def count(self, keys: Any, *, key: Columns | None = None, nulls: Nulls = "skip") -> Any: ...
    def count(self, keys: Any, *, key: Columns | None = None, nulls: Nulls = "skip") -> Any:
        """How often keys were added, each time with its weight, of kinds that count (count-min, top,
        counting).

        One key gives an Answer, an iterable a list of them, an array, a column or a table a NumPy array with
        the fields of an Answer.

        >>> import inkling
        >>> clicks = inkling.Sketch("top").add(["a", "b", "a"])
        >>> clicks.count("a")
        2 (exactly)
        >>> [float(answer) for answer in clicks.count(["b", "c"])]
        [1.0, 0.0]
        """
        single = one_key(keys)
        if single is None:
            return as_answers(*self._ask_many(lib.ink_arrow_count, keys, key, nulls, ANSWER_BYTES))
        _refuse_columns(key, nulls)
        answer = InkAnswer()
        with self._asked(_type_of(single)) as handle:
            _call_one(pylib.ink_sketch_count, pylib.ink_sketch_count_int, handle, single, byref(answer))
        return answer_of(answer)

    def top(self, k: int = 10) -> list[Item]:
        """The `k` keys with the largest counts, the largest first (top).

        >>> import inkling
        >>> words = inkling.Sketch("top").add("to be or not to be".split())
        >>> [(item.key, item.estimate) for item in words.top(2)]
        [('be', 2.0), ('to', 2.0)]
        """
        wanted = whole("k", k)
        return self._items(lambda handle, *room: call(lib.ink_sketch_top, handle, *room), wanted)

    def over(self, k: int) -> list[Item]:
        """The keys that have more than 1/k of the total, the largest first (top).

        Every one that has is among them; one whose low bound is not above that may not belong there.

        >>> import inkling
        >>> words = inkling.Sketch("top").add("to be or not to be".split())
        >>> [item.key for item in words.over(4)]
        ['be', 'to']
        """
        share = whole("k", k)
        return self._items(lambda handle, *room: call(lib.ink_sketch_over, handle, share, *room), None)

    def _items(self, ask: Callable[..., None], wanted: int | None) -> list[Item]:
        """Items that C writes to a room that is large enough for all there can be, or for those wanted."""
        self._flush()
        found = c_size_t()
        with self._gate.reading as handle:
            about = _describe(handle)
            most = 2 * about.capacity
            room = (InkItem * (most if wanted is None else min(wanted, most)))()
            ask(handle, room, len(room), byref(found))
            return [item_of(item, about.key_type) for item in room[: found.value]]

    def estimate(self, confidence: float = 0.95, estimator: Literal["seed"] | None = None) -> Answer:
        """How many different keys were added: from the registers of an hll or fm, or from a filter's fill.

        The bounds hold with this confidence. `estimator` "seed" is the one that textbooks have for fm.

        >>> import inkling
        >>> users = inkling.Sketch("hll").add(range(1000)).add(range(500))
        >>> answer = users.estimate()
        >>> answer.low < 1000 < answer.high
        True
        """
        chance = real("confidence", confidence)
        if chance == 0:  # which would be the default in C
            raise UsageError("confidence 0, expected above 0 and below 1")
        if estimator not in (None, "seed"):
            raise UsageError(f"estimator {estimator!r}, expected 'seed' or None")
        by = ESTIMATOR_DEFAULT if estimator is None else ESTIMATOR_MEAN_OF_POWERS
        self._flush()
        answer = InkAnswer()
        with self._gate.reading as handle:
            call(lib.ink_sketch_distinct_by, handle, by, chance, byref(answer))
        return answer_of(answer)

    def dot(self, other: Sketch) -> Answer:
        """The inner product of the counts of two count-min sketches of one size: the size of their join.

        >>> import inkling
        >>> left = inkling.Sketch("count-min").add(["a", "a", "b"])
        >>> right = inkling.Sketch("count-min").add(["a", "c"])
        >>> float(left.dot(right))
        2.0
        """
        self._meet(_sketch("dot", other))
        answer = InkAnswer()
        with asking(self._gate, other._gate) as handles:
            call(lib.ink_sketch_dot, *handles, byref(answer))
        return answer_of(answer)

    @property
    def rate(self) -> float:
        """The present rate of false positives of a filter, from its bits, all of which are read.

        >>> import inkling
        >>> inkling.Sketch("bloom", n=1000).rate
        0.0
        """
        self._flush()
        rate = c_double()
        with self._gate.reading as handle:
            call(lib.ink_sketch_rate, handle, byref(rate))
        return rate.value

    # ---- Combine ----------------------------------------------------------------------------------

    def merge(self, *others: Sketch, max_rate: float | None = None) -> Sketch:
        """Takes in all keys of other sketches, as if they had been added here; all of them or, if one does
        not fit, none. Gives the sketch itself.

        PromiseError if a filter would come to exceed its promised rate, or `max_rate`, which becomes its
        promise. ``a | b`` is a new sketch, ``a |= b`` the same as ``a.merge(b)``.

        >>> import inkling
        >>> monday, tuesday = (inkling.Sketch("hll").add(range(day, day + 50)) for day in (0, 10))
        >>> float(monday.merge(tuesday).estimate()) == float((monday | tuesday).estimate())
        True
        """
        options = InkMergeOptions()
        if max_rate is not None:
            options.max_rate = real("max_rate", max_rate)
            if options.max_rate == 0:  # which would be the default in C
                raise UsageError("max_rate 0, expected above 0 and at most 1")
        for other in others:
            _sketch("merge", other)
        if len(others) == 1:
            self._merge_one(others[0], options)
        elif others:
            union = self.copy()
            for other in others:
                union._merge_one(other, options)
            self._take(union)
        return self

    def _merge_one(self, other: Sketch, options: InkMergeOptions | None) -> None:
        self._meet(other)
        with changing(self._gate, other._gate) as handles:
            call(lib.ink_sketch_merge, *handles, None if options is None else byref(options))

    def _intersect(self, other: Sketch) -> None:
        self._meet(other)
        with changing(self._gate, other._gate) as handles:
            call(lib.ink_sketch_intersect, *handles)

    def _take(self, other: Sketch) -> None:
        """Becomes what `other`, which nobody else has, is."""
        self._flush()
        with self._gate.writing as handle:
            if _describe(handle).read_only:  # the library says so
                call(lib.ink_sketch_merge, handle, other._gate.asking, None)
            self._gate.replace(other._gate.leave())
        self._params = other._params

    def __or__(self, other: Sketch) -> Sketch:
        """A new sketch of what was added to either."""
        if not isinstance(other, Sketch):
            return NotImplemented
        union = self.copy()
        union._merge_one(other, None)
        return union

    def __ior__(self, other: Sketch) -> Sketch:
        if not isinstance(other, Sketch):
            return NotImplemented
        self._merge_one(other, None)
        return self

    def __and__(self, other: Sketch) -> Sketch:
        """A new sketch of what may be in both: bloom and classic."""
        if not isinstance(other, Sketch):
            return NotImplemented
        common = self.copy()
        common._intersect(other)
        return common

    def __iand__(self, other: Sketch) -> Sketch:
        if not isinstance(other, Sketch):
            return NotImplemented
        self._intersect(other)
        return self

    def fold(self, by: int | None = None, *, p: float | None = None) -> Sketch:
        """Makes a filter smaller: by a divisor of its size, or to the smallest size whose present rate is at
        most `p`.

        It is then exactly the filter that would have been built at that size. Gives the sketch itself.

        >>> import inkling
        >>> seen = inkling.Sketch("bloom", bits=1 << 20).add(["bee"])
        >>> seen.fold(4).info.bits == 1 << 18
        True
        """
        if (by is None) == (p is None):
            raise UsageError("fold takes a divisor or a rate p, expected one of them")
        divisor = None if by is None else whole("by", by)
        rate = None if p is None else real("p", p)
        self._flush()
        with self._gate.writing as handle:
            if divisor is not None:
                call(lib.ink_sketch_fold, handle, divisor)
            else:
                call(lib.ink_sketch_fold_to_rate, handle, rate, None)
        return self

    def copy(self) -> Sketch:
        """A copy that can be changed and depends on nothing, also of a view of a file.

        >>> import inkling
        >>> seen = inkling.Sketch("bloom", n=1000).add("bee")
        >>> seen.copy().digest == seen.digest
        True
        """
        self._flush()
        made = c_void_p()
        with self._gate.reading as handle:
            call(lib.ink_sketch_copy, byref(made), handle, None)
            copied = Sketch._from_handle(made.value or 0, recipe=self._recipe)
            copied._params = self._params
        copied.built = self.built
        return copied

    def __copy__(self) -> Sketch:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Sketch:
        return self.copy()

    def convert(self, kind: str) -> Sketch:
        """A new sketch of another kind of what this one holds: of a counting the bloom of the keys that it
        holds now.

        >>> import inkling
        >>> held = inkling.Sketch("counting", n=1000).add(["bee", "ant"]).remove("ant")
        >>> held.convert("bloom").kind
        'bloom'
        """
        wanted = text_bytes("kind", kind)
        self._flush()
        made = c_void_p()
        with self._gate.reading as handle:
            call(lib.ink_sketch_convert, byref(made), handle, wanted, None)
        return Sketch._from_handle(made.value or 0, recipe=self._recipe)

    # ---- Bytes and files --------------------------------------------------------------------------

    def save(self, path: Path) -> None:
        """Saves the sketch as a file, whole or not at all; never the secret.

        >>> import inkling
        >>> inkling.Sketch("bloom", n=1000).add("bee").save("seen.ink")
        >>> "bee" in inkling.Sketch.open("seen.ink")
        True
        """
        encoded = path_bytes(path)
        self._flush()
        with self._gate.reading as handle:
            contents = _Contents(handle, self._recipe)
            call(lib.ink_save, encoded, byref(contents.struct), path=fsdecode(path))

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        kind: str | None = None,
        group: Any = ...,
        copy: bool = False,
        lazy: bool = False,
        secret: bytes | None = None,
    ) -> Sketch:
        """Opens one sketch of a file: the only one, or that of a `kind` or `group`; ``inkling.open`` has them
        all.

        It is a view of the file, asked in place, unless `copy` reads it into memory, to be changed. `lazy`
        does not check every byte first.

        >>> import inkling
        >>> inkling.Sketch("hll").add(range(5)).save("users.ink")
        >>> int(inkling.Sketch.open("users.ink").estimate())
        5
        """
        from ._sketches import open as open_file

        file = open_file(path, lazy=lazy, copy=copy, secret=secret)
        if group is ...:
            return file.sketch(kind)
        return file[group] if kind is None else file[kind, group]

    def to_bytes(self) -> bytes:
        """The bytes of the file that ``save`` would write; equal content, equal bytes.

        >>> import inkling
        >>> encoded = inkling.Sketch("bloom", n=1000).add("bee").to_bytes()
        >>> "bee" in inkling.Sketch.from_bytes(encoded)
        True
        """
        self._flush()
        address, count = c_void_p(), c_size_t()
        with self._gate.reading as handle:
            contents = _Contents(handle, self._recipe)
            call(lib.ink_encode, byref(contents.struct), byref(address), byref(count))
        try:
            return ctypes.string_at(address.value or 0, count.value)
        finally:
            pylib.ink_bytes_free(address, count, None)

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview, *, secret: bytes | None = None) -> Sketch:
        """The sketch of which these are the bytes of a file; a keyed one takes keys only with its `secret`.

        >>> import inkling
        >>> inkling.Sketch.from_bytes(inkling.Sketch("hll").add(range(5)).to_bytes()).records
        5
        """
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"data of type {type(data).__name__}, expected the bytes of a file")
        encoded = bytes(data)
        made = c_void_p()
        call(lib.ink_sketch_decode, byref(made), encoded, len(encoded), None)
        sketch = cls._from_handle(made.value or 0, recipe=_recipe_of(encoded))
        if secret is not None:
            sketch.unlock(secret)
        return sketch

    def __reduce__(self) -> tuple[Any, ...]:
        params = self._params
        if params is not None:  # as it stands, but for the secret
            params = {name: value for name, value in params.items() if name != "secret"}
        return _unpickle, (self.to_bytes(), params)

    def unlock(self, secret: bytes) -> Sketch:
        """Gives a keyed sketch that came from a file its secret back, without which it takes no keys.

        >>> import inkling
        >>> encoded = inkling.Sketch("bloom", n=1000, secret=b"sixteen bytes ok").add("bee").to_bytes()
        >>> "bee" in inkling.Sketch.from_bytes(encoded).unlock(b"sixteen bytes ok")
        True
        """
        given = secret_bytes(secret)
        self._flush()
        with self._gate.writing as handle:
            call(pylib.ink_sketch_unlock, handle, given)
            if self._params is not None:
                self._params = {**self._params, "secret": given}
        return self

    # ---- What it is -------------------------------------------------------------------------------

    @property
    def info(self) -> Info:
        """What the sketch is, as it is now.

        >>> import inkling
        >>> inkling.Sketch("bloom", n=1000).info.promised_rate
        0.01
        """
        return info_of(self._describe(), key_type_known=self._params is None)

    @property
    def kind(self) -> str:
        """Its kind, such as ``"bloom"``."""
        return str(self._describe().kind.decode())

    @property
    def key_type(self) -> str | None:
        """``"bytes"`` or ``"int"``; None if the first keys will decide.

        >>> import inkling
        >>> inkling.Sketch("hll").key_type, inkling.Sketch("hll").add(7).key_type
        (None, 'int')
        """
        about = self._describe()
        return None if self._params is not None else "int" if about.key_type == KEY_INT else "bytes"

    @property
    def records(self) -> int:
        """How many keys were added, repeated ones included, less removals.

        >>> import inkling
        >>> inkling.Sketch("hll").add(["bee", "bee"]).records
        2
        """
        return int(self._describe().records)

    @property
    def read_only(self) -> bool:
        """Whether it is a view of a file; ``copy()`` can be changed."""
        return bool(self._describe().read_only)

    @property
    def digest(self) -> str:
        """32 hex digits that are equal for equal content, whoever built it.

        >>> import inkling
        >>> one, two = inkling.Sketch("hll").add(["a", "b"]), inkling.Sketch("hll").add("b").add("a")
        >>> one.digest == two.digest
        True
        """
        self._flush()
        room = (c_uint8 * DIGEST_BYTES)()
        with self._gate.reading as handle:
            call(lib.ink_sketch_digest, handle, byref(room))
        return bytes(room).hex()

    def _looked_at(self) -> tuple[Info, float | None, float | None]:
        """What there is to show: the rate and the different keys only where a look at all bytes takes no
        time."""
        info = self.info
        answers = InkKindInfo()
        call(pylib.ink_kind_describe, info.kind.encode(), byref(answers))
        if info.bytes > _SHOWN_BYTES_MAX:
            return info, None, None
        if answers.contains:
            return info, self.rate, None
        return info, None, self.estimate().estimate if answers.distinct else None

    def __repr__(self) -> str:
        return _show.sketch_text(*self._looked_at())

    def _repr_html_(self) -> str:
        return _show.sketch_html(*self._looked_at())


_SHOWN_BYTES_MAX = 64 << 20


def _spell_out_add() -> None:
    """Lets help() tell what add takes."""
    signature = inspect.signature(Sketch._add_slowly)
    Sketch.add.__signature__ = signature.replace(return_annotation="Sketch")  # type: ignore[attr-defined]


_spell_out_add()


# ---- Calls --------------------------------------------------------------------------------------


def _create(params: Any) -> int:
    made = c_void_p()
    call(lib.ink_sketch_create, byref(made), byref(params), None)
    return made.value or 0


def _describe(handle: int) -> InkDescription:
    description = InkDescription()
    pylib.ink_sketch_describe(handle, byref(description))
    return description


def _type_of(key: bytes | int) -> int:
    return KEY_INT if isinstance(key, int) else KEY_BYTES


def _call_one(of_bytes: Any, of_int: Any, handle: int, key: bytes | int, *more: Any) -> None:
    """A call about one key."""
    if isinstance(key, int):
        call(of_int, handle, _signed(key), *more)
    else:
        call(of_bytes, handle, key, len(key), *more)


def _call_rows(
    function: Any, handle: int, batch: Batch, reading: Reading, room: bytearray | None = None
) -> None:
    """A call about the rows of a batch, whose answers go to `room`."""
    arguments: list[Any] = [handle, batch.schema_address, batch.array_address, byref(reading.struct)]
    first = ctypes.c_char.from_buffer(room) if room else None
    if room is not None:
        arguments.append(None if first is None else ctypes.addressof(first))
    try:
        call(function, *arguments, None)
    except InklingError as error:
        if error.place != "key" or not batch.start:
            raise
        _fail_later(error, batch.start)


def _fail_later(error: InklingError, start: int) -> NoReturn:
    """The same about a key of a later batch, by its number among all."""
    at = (error.at or 0) + start
    raise type(error)(error.sentence, place=error.place, at=at, path=error.path) from None


def _sketch(what: str, other: object) -> Sketch:
    if not isinstance(other, Sketch):
        raise TypeError(f"{what} with {name_of(other)}, expected a Sketch")
    return other


class _Contents:
    """One sketch, and the recipe that it was made by, as the contents of a file."""

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


def _recipe_of(encoded: bytes) -> bytes | None:
    """The recipe in the bytes of a file, which are whole, if it has one."""
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


def _unpickle(encoded: bytes, params: dict[str, Any] | None) -> Sketch:
    sketch = Sketch.from_bytes(encoded)
    sketch._params = params
    return sketch
