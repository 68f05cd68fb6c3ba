"""Sketch: one sketch of keys, filled and asked.

Keys go to C in bulk (``_bulk``), as Arrow columns, without the interpreter's lock; single keys of the types
that most are by the compiled module (``_single``), which asks the methods here about all others.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_bool, c_double, c_size_t, c_uint8, c_void_p
from os import fsdecode
from typing import TYPE_CHECKING, Any, Literal, overload

from ._answers import (
    ANSWER_BYTES,
    Answer,
    Item,
    Items,
    Overlap,
    Share,
    answer_of,
    as_answers,
    as_bools,
    item_of,
    overlap_of,
)
from ._bulk import Columns, Nulls, OneKey, PlainKeys, Rows, refuse_columns
from ._entries import Entries
from ._errors import InklingError, UsageError
from ._handle_lock import HandleLock, asking
from ._keys import is_null, name_of, one_key, refuse_many
from ._library import (
    DIGEST_BYTES,
    ESTIMATORS,
    KEY_INT,
    InkAnswer,
    InkItem,
    InkJob,
    InkMergeOptions,
    InkOverlap,
    call,
    lib,
    pylib,
    real,
    secret_bytes,
    text_bytes,
    whole,
)
from ._outputs import path_or_writer, write_all
from ._plan import PARAMETERS, info_of, kind_info, params_of
from ._reading import flag
from ._single import OneWeighted, call_one, quicken, type_of
from ._state import State, create, describe, excess_of
from ._stored import Encoded, contents_of_one, decode, save
from ._summary import sketch_html, sketch_text
from ._words import suggestion

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from ._info import Info
    from .options import Output, Path

__all__ = ["Answer", "Columns", "Item", "Nulls", "OneKey", "PlainKeys", "Sketch"]


class Sketch(State):
    """A sketch of keys: have I seen this one, how often, which are the most frequent, how many different
    ones.

    `kind` is one of ``inkling.kinds()``; what else it needs depends on it, as on the command line. Filters
    (bloom, classic, counting, scalable) take `n`, the different keys expected, and `p`, the rate of false
    positives, or `bits` and, classic, `hashes`; count-min `eps` and `delta`, or `width` and `depth`,
    `counters` (32 or 64) and `conservative`; top `k` or `phi`; fm `width` and `depth`; hll and theta
    `precision`. `max_rate` becomes the promised rate of a filter that may get more keys than `n`. To a
    `concurrent` bloom, classic, count-min or hll any number of threads add at once (`share`). A fuse takes no
    keys: ``inkling.build`` makes it of all of them.

    A key is a str (UTF-8), bytes, an int, a date (days), a datetime (microseconds), or a tuple, which is one
    key of several columns. Anything else that has elements is many keys. The first keys that are added decide
    whether the sketch holds ints or bytes, unless `key_type` says so. One at a time is slow in Python:
    arrays, columns and lists are the fast way.

    `secret`, 16 bytes, keeps anyone without it from choosing keys that collide; it is never saved.

    >>> import inkling
    >>> seen = inkling.Sketch("bloom", n=1e6, p=0.01)
    >>> seen.add(["bee", "ant"])
    <inkling bloom: 2 records of 1,000,000 keys planned for, 1.3 MB, rate ... now, 0.01 promised>
    >>> "bee" in seen, "cow" in seen
    (True, False)
    """

    __slots__ = ("_input_spec", "built")

    _answer = Answer  # for the compiled module
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
        max_rate: float | None = None,
        concurrent: bool = False,
        key_type: Literal["bytes", "int"] | None = None,
        hash: str | None = None,
        seed: int | None = None,
        secret: bytes | None = None,
    ) -> None:
        given = locals()
        options = {name: given[name] for name in PARAMETERS if given[name] is not None}
        params = params_of(kind, options)
        try:
            handle = create(params)
        except UsageError:
            if key_type is not None:
                raise
            try:  # a hash that takes ints alone decides
                handle = create(params_of(kind, {**options, "key_type": "int"}))
            except InklingError:
                pass
            else:
                self._begin(handle)
                self._lock.shared = concurrent
                return
            raise
        self._begin(handle)
        self._lock.shared = concurrent
        if key_type is None:
            self._params = {"kind": kind, **options}
            self._params.pop("concurrent")

    def _begin(self, handle: int, owner: object = None, input_spec: bytes | None = None) -> None:
        self._hold(handle, owner)
        self._input_spec = input_spec
        self.built = None

    @classmethod
    def _from_handle(cls, handle: int, owner: object = None, input_spec: bytes | None = None) -> Sketch:
        """A Sketch that owns a handle of C; `owner` is what the handle is a view of, and lives as long.
        Whether it can be changed the handle knows, too."""
        made = cls.__new__(cls)
        made._begin(handle, owner, input_spec)
        return made

    # ---- Keys in ----------------------------------------------------------------------------------

    if TYPE_CHECKING:

        def add(
            self,
            keys: Any,
            *,
            key: Columns | None = None,
            weight: Any = None,
            nulls: Nulls = "skip",
            threads: int | None = None,
        ) -> Sketch: ...

    else:

        def add(self, keys, **options):
            """Adds one key, or many: an iterable, an array, a column, or a table, of which `key` names the
            column, or the columns that make a tuple.

            `weight` says how often each key counts: one number for one key or for all, an array or iterable
            of ints beside many, or a column of the table by its name. A null key or weight is left out, or
            refused with ``nulls="refuse"``.

            `threads` are for many keys, 0 for one on each core: it is worth it from some 100,000 integers of
            64 bits on (or strings in a large_string column), and changes no bit of the result. Left out it is
            one.

            A filter that gets more keys than it was planned for takes them: a PromiseWarning says so, once, soon
            after its rate has passed the promised one.

            If a key is refused, nothing of its batch is added: a list, an array or a column is one; of tables
            and columns in chunks, and of generators, what came before stays added. Gives the sketch itself.

            >>> import inkling
            >>> clicks = inkling.Sketch("count-min").add("a").add(["a", "b"]).add("c", weight=5)
            >>> [int(clicks.count(key)) for key in "abc"]
            [2, 1, 5]
            """
            if options:
                _check_options("add", options)
            return self._add_slowly(keys, **options)

    def _add_slowly(
        self,
        keys: Any,
        *,
        key: Columns | None = None,
        weight: Any = None,
        nulls: Nulls = "skip",
        threads: int | None = None,
    ) -> Sketch:
        job = None if threads is None else InkJob(threads=whole("threads", threads, bits=32))
        single = one_key(keys)
        if single is None:
            rows = Rows(keys, key, weight, nulls)
            if job is None:
                rows.give(lib.ink_arrow_add, self._changed, self._decided)
            else:
                rows.give(lib.ink_job_add_array, self._changed, self._decided, byref(job))
            self._watch()
            return self
        refuse_columns(key, nulls)
        times = None if weight is None else (whole("weight", weight),)
        name = "ink_sketch_add" if times is None else "ink_sketch_add_weight"
        with self._changed(type_of(single)) as handle:
            call_one(name, handle, single, *times or ())
        self._added(1 if times is None else times[0])
        return self

    if not TYPE_CHECKING:
        add.__wrapped__ = _add_slowly  # what help() shows

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
        """Adds keys that a filter does not seem to hold, in order, and returns for each whether it was new.

        >>> import inkling
        >>> seen = inkling.Sketch("bloom", n=1000)
        >>> seen.add_new(["bee", "ant", "bee"])
        [True, True, False]
        """
        single = one_key(keys)
        if single is None:
            rows = Rows(keys, key, None, nulls)
            answers = as_bools(rows.ask(lib.ink_arrow_add_new, self._changed, self._decided), rows.batches)
            self._watch()
            return answers
        refuse_columns(key, nulls)
        was_new = c_bool()
        with self._changed(type_of(single)) as handle:
            call_one("ink_sketch_add_new", handle, single, byref(was_new))
        return was_new.value

    def remove(
        self,
        keys: Any,
        *,
        key: Columns | None = None,
        weight: Any = None,
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
            Rows(keys, key, weight, nulls).give(lib.ink_arrow_remove, self._changed, self._decided)
            return self
        refuse_columns(key, nulls)
        times = None if weight is None else whole("weight", weight)
        with self._changed(type_of(single)) as handle:
            if times is None:
                call_one("ink_sketch_remove", handle, single)
            else:
                batch = OneWeighted(single, times)
                call(pylib.ink_sketch_remove_batch, handle, byref(batch.struct))
        return self

    # ---- Have I seen it ---------------------------------------------------------------------------

    def _contains_slowly(self, key: object) -> bool:
        """``key in sketch`` for any key, through the lock, and with the reason if it cannot be asked."""
        single = one_key(key)
        if single is None:
            refuse_many(key)
        maybe = c_bool()
        with self._asked(type_of(single)) as handle:
            call_one("ink_sketch_contains", handle, single, byref(maybe))
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
        """Whether keys may have been added: False is certain, True is wrong at the rate of ``rate``.

        One key gives a bool, an iterable a list, an array, a column or a table a NumPy array. A null is in no
        sketch.

        >>> import inkling
        >>> seen = inkling.Sketch("bloom", n=1000).add(["bee", "ant"])
        >>> seen.query("bee"), seen.query(["cow", "ant"])
        (True, [False, True])
        """
        if type(keys) in _QUICK and key is None and nulls == "skip":
            return keys in self
        if is_null(keys):
            refuse_columns(key, nulls)
            return self.query([None], nulls=nulls)[0]
        if one_key(keys) is not None:
            refuse_columns(key, nulls)
            return keys in self
        rows = Rows(keys, key, None, nulls)
        return as_bools(rows.ask(lib.ink_arrow_contains, self._asked, self._decided), rows.batches)

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
        the fields of an Answer, all of them floats and not rounded.

        >>> import inkling
        >>> clicks = inkling.Sketch("top").add(["a", "b", "a"])
        >>> clicks.count("a")
        2 (exactly)
        >>> sum(clicks.count(["a", "b", "c"]))
        3
        """
        if is_null(keys):
            refuse_columns(key, nulls)
            return self.count([None], nulls=nulls)[0]
        single = one_key(keys)
        if single is None:
            rows = Rows(keys, key, None, nulls)
            answers = rows.ask(lib.ink_arrow_count, self._asked, self._decided, ANSWER_BYTES)
            return as_answers(answers, rows.batches)
        refuse_columns(key, nulls)
        answer = InkAnswer()
        with self._asked(type_of(single)) as handle:
            call_one("ink_sketch_count", handle, single, byref(answer))
        return answer_of(answer)

    def top(self, k: int = 10) -> Items:
        """The `k` keys with the largest counts, the largest first (top).

        >>> import inkling
        >>> words = inkling.Sketch("top").add("to be or not to be".split())
        >>> [(item.key, item.estimate) for item in words.top(2)]
        [('be', 2), ('to', 2)]
        """
        wanted = whole("k", k)
        return self._items(lambda handle, *room: call(lib.ink_sketch_top, handle, *room), wanted)

    def over(self, k: int) -> Items:
        """The keys that have more than 1/k of the total, the largest first (top).

        Every one that has is among them; one whose low bound is not above that may not belong there.

        >>> import inkling
        >>> words = inkling.Sketch("top").add("to be or not to be".split())
        >>> [item.key for item in words.over(4)]
        ['be', 'to']
        """
        share = whole("k", k)
        return self._items(lambda handle, *room: call(lib.ink_sketch_over, handle, share, *room), None)

    def _items(self, ask: Callable[..., None], wanted: int | None) -> Items:
        """Items that C writes to a room that is large enough for all there can be, or for those wanted."""
        found = c_size_t()
        with self._lock.reading as handle:
            about = describe(handle)
            most = 2 * about.capacity
            room = (InkItem * (most if wanted is None else min(wanted, most)))()
            ask(handle, room, len(room), byref(found))
            return Items(item_of(item, about.key_type) for item in room[: found.value])

    def estimate(
        self, confidence: float = 0.95, estimator: Literal["seed", "unlimited"] | None = None
    ) -> Answer:
        """How many different keys were added: from the registers of an hll or fm, or from a filter's fill.

        The bounds hold with this confidence. No number is above that of the records, unless `estimator` is
        "unlimited". "seed" is the estimator that textbooks have for fm, unlimited too.

        >>> import inkling
        >>> users = inkling.Sketch("hll").add(range(1000)).add(range(500))
        >>> answer = users.estimate()
        >>> answer.low < 1000 < answer.high
        True
        """
        chance = _chance(confidence)
        if estimator not in ESTIMATORS:
            raise UsageError(f"estimator {estimator!r}, expected 'seed', 'unlimited' or None")
        by = ESTIMATORS[estimator]
        answer = InkAnswer()
        with self._lock.reading as handle:
            call(lib.ink_sketch_distinct_by, handle, by, chance, byref(answer))
        return answer_of(answer)

    def dot(self, other: Sketch) -> Answer:
        """The inner product of the counts of two count-min sketches of one size: the size of their join.

        >>> import inkling
        >>> left = inkling.Sketch("count-min").add(["a", "a", "b"])
        >>> right = inkling.Sketch("count-min").add(["a", "c"])
        >>> left.dot(right) == 2
        True
        """
        self._meet(_sketch("dot", other))
        answer = InkAnswer()
        with asking(self._lock, other._lock) as handles:
            call(lib.ink_sketch_dot, *handles, byref(answer))
        return answer_of(answer)

    def overlap(self, other: Sketch, *, confidence: float = 0.95) -> Overlap:
        """What two sets have in common: union, intersection, differences, Jaccard index and containment, with
        bounds that hold with this confidence. theta by a sample; hll by inclusion-exclusion, whose
        bounds are as wide as those of the union.

        >>> import inkling
        >>> a, b = inkling.Sketch("hll").add(range(1000)), inkling.Sketch("hll").add(range(500, 2000))
        >>> found = a.overlap(b)
        >>> found.union.low <= 2000 <= found.union.high, found.only_a.low <= 500 <= found.only_a.high
        (True, True)
        """
        self._meet(_sketch("overlap", other))
        found = InkOverlap()
        chance = _chance(confidence)
        with asking(self._lock, other._lock) as handles:
            call(lib.ink_sketch_overlap, *handles, chance, byref(found))
        return overlap_of(found)

    def jaccard(self, other: Sketch, *, confidence: float = 0.95) -> Share:
        """The share of the union that is in both: ``overlap(other).jaccard``.

        >>> import inkling
        >>> a = inkling.Sketch("hll").add(range(1000))
        >>> a.jaccard(a) == 1
        True
        """
        return self.overlap(other, confidence=confidence).jaccard

    @property
    def rate(self) -> float:
        """The current rate of false positives of a filter, from its bits, all of which are read.

        >>> import inkling
        >>> inkling.Sketch("bloom", n=1000).rate
        0.0
        """
        rate = c_double()
        with self._lock.reading as handle:
            call(lib.ink_sketch_rate, handle, byref(rate))
        return rate.value

    @property
    def overfull(self) -> bool:
        """Whether a filter is above its promised rate, because it got more keys than `n`: by the rule by which
        ``inkling.build`` refuses. All of its bits are read. False for kinds that promise no rate.

        >>> import inkling
        >>> inkling.Sketch("bloom", n=1000).add(range(1000)).overfull
        False
        """
        with self._lock.reading as handle:
            return excess_of(handle) is not None

    # ---- Combine ----------------------------------------------------------------------------------

    def merge(self, *others: Sketch, max_rate: float | None = None, parts: bool = False) -> Sketch:
        """Takes in all keys of other sketches, as if they had been added here; all of them or, if one does
        not fit, none. Gives the sketch itself.

        PromiseError if a filter would come to exceed its promised rate, or `max_rate`, which becomes its
        promise. With `parts` all are parts of one set that was planned as a whole, and no rate is looked at:
        more keys than planned raise it above the promise. ``a | b`` is a new sketch, ``a |= b`` the same as
        ``a.merge(b)``.

        >>> import inkling
        >>> monday, tuesday = (inkling.Sketch("hll").add(range(day, day + 50)) for day in (0, 10))
        >>> monday.merge(tuesday).estimate() == (monday | tuesday).estimate()
        True
        """
        options = InkMergeOptions(parts=flag("parts", parts))
        if max_rate is not None:
            options.max_rate = real("max_rate", max_rate)
            if options.max_rate == 0:  # which would be the default in C
                raise UsageError("max_rate 0, expected above 0 and at most 1")
        for other in others:
            _sketch("merge", other)
        if len(others) == 1:
            self._merge_one(others[0], options)
        elif others:
            self._merge_many(others, options)
        return self

    def _merge_one(self, other: Sketch, options: InkMergeOptions | None) -> None:
        with self._merging(other) as handles:
            call(lib.ink_sketch_merge, *handles, None if options is None else byref(options))

    def _merge_many(self, others: tuple[Sketch, ...], options: InkMergeOptions) -> None:
        """Merges into a copy, which replaces this sketch if all went well; no other thread adds to it
        meanwhile."""
        with self._merging(*others) as (handle, *sources):
            about = describe(handle)
            if about.read_only or about.concurrent:  # the library says so
                call(lib.ink_sketch_merge, handle, sources[0], byref(options))
            made = c_void_p()
            call(lib.ink_sketch_copy, byref(made), handle, None)
            union = HandleLock(made.value or 0)
            for source in sources:
                call(lib.ink_sketch_merge, made, source, byref(options))
            self._lock.replace(union.leave())

    def _intersect(self, other: Sketch) -> None:
        with self._merging(other) as handles:
            call(lib.ink_sketch_intersect, *handles)

    def _subtract(self, other: Sketch) -> None:
        with self._merging(other) as handles:
            call(lib.ink_sketch_subtract, *handles)

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
        """A new sketch of what may be in both: bloom, classic and theta."""
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

    def __sub__(self, other: Sketch) -> Sketch:
        """A new sketch of what is in this one and not in the other: theta.

        >>> import inkling
        >>> a, b = inkling.Sketch("theta").add(range(1000)), inkling.Sketch("theta").add(range(900, 2000))
        >>> (a - b).estimate(), (a & b).estimate(), (a | b).estimate()
        (900 (exactly), 100 (exactly), 2,000 (exactly))
        """
        if not isinstance(other, Sketch):
            return NotImplemented
        rest = self.copy()
        rest._subtract(other)
        return rest

    def __isub__(self, other: Sketch) -> Sketch:
        if not isinstance(other, Sketch):
            return NotImplemented
        self._subtract(other)
        return self

    def fold(self, by: int | None = None, *, p: float | None = None) -> Sketch:
        """Makes a filter smaller: by a divisor of its size, or to the smallest size whose current rate is at
        most `p`; without either, at most the rate that it was made for.

        It is then exactly the filter that would have been built at that size. Gives the sketch itself.

        >>> import inkling
        >>> seen = inkling.Sketch("bloom", bits=1 << 20).add(["bee"])
        >>> seen.fold(4).info.bits == 1 << 18
        True
        """
        if by is not None and p is not None:
            raise UsageError("fold takes a divisor or a rate p, expected one of them")
        divisor = None if by is None else whole("by", by)
        rate = 0.0 if p is None else real("p", p)
        if p is not None and rate == 0:
            raise UsageError("p 0, expected above 0 and below 1")
        with self._lock.writing as handle:
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
        made = c_void_p()
        with self._lock.reading as handle:
            call(lib.ink_sketch_copy, byref(made), handle, None)
            copied = Sketch._from_handle(made.value or 0, input_spec=self._input_spec)
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
        made = c_void_p()
        with self._lock.reading as handle:
            call(lib.ink_sketch_convert, byref(made), handle, wanted, None)
            converted = Sketch._from_handle(made.value or 0, input_spec=self._input_spec)
            converted._params = self._params
        return converted

    # ---- Bytes and files --------------------------------------------------------------------------

    def save(self, path: Output, *, overwrite: bool = True) -> None:
        """Saves the sketch as a file, whole or not at all; never the secret. An object with ``write(bytes)``
        gets the bytes.

        A file that exists is replaced, unless `overwrite` is False: then it stays, also if it was made while
        this call ran, and the call raises UsageError. A symbolic link stays, and its target is written.

        >>> import inkling
        >>> inkling.Sketch("bloom", n=1000).add("bee").save("seen.ink")
        >>> "bee" in inkling.Sketch.open("seen.ink")
        True
        """
        target, overwrite = path_or_writer(path), flag("overwrite", overwrite)
        if not isinstance(target, bytes):
            write_all(target, self.to_bytes())
            return
        with self._lock.reading as handle:
            save(contents_of_one(handle, self._input_spec), target, fsdecode(target), overwrite)

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
        file = Entries._at(path, lazy=lazy, copy=copy, secret=secret)
        if group is ...:
            return Sketch._from_handle(*file._only(kind))
        return Sketch._from_handle(*file._entry(group if kind is None else (kind, group)))

    def to_bytes(self) -> bytes:
        """The bytes of the file that ``save`` would write; equal content, equal bytes.

        >>> import inkling
        >>> encoded = inkling.Sketch("bloom", n=1000).add("bee").to_bytes()
        >>> "bee" in inkling.Sketch.from_bytes(encoded)
        True
        """
        with self._lock.reading as handle:
            encoded = Encoded(contents_of_one(handle, self._input_spec))
        return encoded.take()

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
        handle, input_spec = decode(encoded)
        sketch = cls._from_handle(handle, input_spec=input_spec)
        if secret is not None:
            sketch.unlock(secret)
        return sketch

    def __reduce__(self) -> tuple[Any, ...]:
        with self._lock.reading as handle:
            params = self._params
            encoded = Encoded(contents_of_one(handle, self._input_spec))
        if params is not None:  # as it stands, but for the secret
            params = {name: value for name, value in params.items() if name != "secret"}
        return _unpickle, (encoded.take(), params)

    def unlock(self, secret: bytes) -> Sketch:
        """Gives a keyed sketch that came from a file its secret back, without which it takes no keys.

        >>> import inkling
        >>> encoded = inkling.Sketch("bloom", n=1000, secret=b"sixteen bytes ok").add("bee").to_bytes()
        >>> "bee" in inkling.Sketch.from_bytes(encoded).unlock(b"sixteen bytes ok")
        True
        """
        given = secret_bytes(secret)
        with self._lock.writing as handle:
            call(pylib.ink_sketch_unlock, handle, given)
            if self._params is not None:
                self._params = {**self._params, "secret": given}
        return self

    def share(self) -> Sketch:
        """Makes a bloom, classic, count-min or hll concurrent, as ``concurrent=True`` does; UnsupportedError for
        others. Any number of threads then add and ask at once, without waiting for each other; nothing is
        lost, and the bytes are those of one thread.

        ``estimate``, ``rate``, ``save``, ``copy`` and all else that looks at the whole take a snapshot, with all that
        was added before; a copy is not concurrent, nor is what is loaded or unpickled. ``add_new``, ``merge``,
        ``&=``, ``fold`` and ``unlock`` are refused: use a copy.

        >>> import inkling
        >>> seen = inkling.Sketch("bloom", n=1000).add("bee").share()
        >>> "bee" in seen.add("ant"), seen.info.concurrent, seen.copy().info.concurrent
        (True, True, None)
        """
        with self._lock.writing as handle:
            call(pylib.ink_sketch_share, handle)
            self._lock.shared = True
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
        """32 hex digits that are equal for equal content, no matter which program built it.

        >>> import inkling
        >>> one, two = inkling.Sketch("hll").add(["a", "b"]), inkling.Sketch("hll").add("b").add("a")
        >>> one.digest == two.digest
        True
        """
        room = (c_uint8 * DIGEST_BYTES)()
        with self._lock.reading as handle:
            call(lib.ink_sketch_digest, handle, byref(room))
        return bytes(room).hex()

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        """Whether two are the same bytes in a file: kind, parameters, key rule and contents; equal digests."""
        if not isinstance(other, Sketch):
            return NotImplemented
        return self is other or self.digest == other.digest

    def _looked_at(self) -> tuple[Info, float | None, int | None]:
        """What there is to show: the rate and the different keys only where a look at all bytes takes no
        time."""
        info = self.info
        answers = kind_info(info.kind)
        if info.bytes > _SHOWN_BYTES_MAX:
            return info, None, None
        if answers.contains:
            return info, self.rate, None
        return info, None, self.estimate().estimate if answers.distinct else None

    def __repr__(self) -> str:
        return sketch_text(*self._looked_at())

    def _repr_html_(self) -> str:
        looked_at = self._looked_at()
        items = self.top(_SHOWN_ITEMS) if kind_info(looked_at[0].kind).keeps_keys else None
        return sketch_html(*looked_at, items)


_SHOWN_ITEMS = 5
_SHOWN_BYTES_MAX = 64 << 20
_QUICK = frozenset((str, bytes, int))
_ADD_OPTIONS = ("key", "weight", "nulls", "threads")


#: What the methods take that the compiled module has, too.
_SINGLE = {
    "add": "key=None, weight=None, nulls='skip', threads=None",
    "add_new": "key=None, nulls='skip'",
    "count": "key=None, nulls='skip'",
}
for _name, _options in _SINGLE.items():
    quicken(Sketch, _name, f"{_name}($self, keys, *, {_options})\n--\n\n{getattr(Sketch, _name).__doc__}")


def _check_options(name: str, options: dict[str, Any]) -> None:
    """Refuses keywords that a function does not have."""
    for option in options:
        if option not in _ADD_OPTIONS:
            text = f"{name}() got an unexpected keyword argument {option!r}"
            raise TypeError(text + suggestion(option, _ADD_OPTIONS))


def _chance(confidence: float) -> float:
    chance = real("confidence", confidence)
    if chance == 0:  # which would be the default in C
        raise UsageError("confidence 0, expected above 0 and below 1")
    return chance


def _sketch(what: str, other: object) -> Sketch:
    if not isinstance(other, Sketch):
        raise TypeError(f"{what} with {name_of(other)}, expected a Sketch")
    return other


def _unpickle(encoded: bytes, params: dict[str, Any] | None) -> Sketch:
    sketch = Sketch.from_bytes(encoded)
    sketch._params = params
    return sketch
