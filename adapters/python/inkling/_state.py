"""What a sketch holds in Python: its handle in a lock, single keys that wait, a key type that the first
keys will decide.

Single keys that are added wait in a list, and go to C together before anything else looks at the sketch.
"""

from __future__ import annotations

import os
import weakref
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import byref, c_double, c_void_p
from threading import RLock, get_ident
from typing import Any

from ._errors import PromiseWarning, warn
from ._handle_lock import HandleLock, changing
from ._library import KEY_BYTES, KEY_INT, OK, InkDescription, InkError, call, check, lib, pylib
from ._plan import params_of
from ._single import LENGTHS, KeyBatch, add_bytes, add_int, add_one, as_int64, as_size, quick_key

#: The single keys that wait, at most.
PENDING_MAX = 4096
_PENDING_FEW = 8
_AT_ONCE = 64


def create(params: Any) -> int:
    """A new sketch in C."""
    made = c_void_p()
    call(lib.ink_sketch_create, byref(made), byref(params), None)
    return made.value or 0


def describe(handle: int) -> InkDescription:
    description = InkDescription()
    pylib.ink_sketch_describe(handle, byref(description))
    return description


def excess_of(handle: int) -> float | None:
    """The rate of a filter that is above its promise; None of any other sketch."""
    about, rate = describe(handle), c_double()
    if not about.promised_rate or pylib.ink_sketch_rate(handle, byref(rate), None) != OK:
        return None
    return None if pylib.ink_rate_holds(byref(about), rate) else rate.value


def type_of(key: bytes | int) -> int:
    return KEY_INT if isinstance(key, int) else KEY_BYTES


class State:
    """The inside of a Sketch, which has no public name of its own."""

    __slots__ = (
        "_asking",
        "_at_once",
        "_flush_lock",
        "_flushing",
        "_lock",
        "_look_at",
        "_params",
        "_pending",
        "_plain",
        "_text",
        "__weakref__",
    )

    _params: dict[str, Any] | None  # of a sketch whose key type the first keys decide; else None
    _pending: Any  # keys that were added one by one: bytes in a list, or ints in an array
    _text: type | None  # str, once a key of bytes was added ...
    _plain: type | None  # ... and bytes; or int
    _at_once: int  # the number of single keys to add without a wait
    _look_at: int | None  # the number of records at which a filter's rate is looked at; None: never again

    def _hold(self, handle: int, owner: object = None) -> None:
        self._lock = HandleLock(handle, owner)
        self._asking = self._lock.asking
        self._params = None
        self._look_at = 0
        self._begin_waiting()
        _alive[id(self)] = self

    def _begin_waiting(self) -> None:
        """No key waits, and none will before one was added."""
        self._pending = ()
        self._text = None
        self._plain = None
        self._at_once = 0
        self._make_locks()

    def _make_locks(self) -> None:
        self._flush_lock = RLock()
        self._flushing = False

    def _after_fork(self) -> None:
        if self._lock.after_fork():
            self._make_locks()
        else:
            self._begin_waiting()

    # ---- Keys that wait ---------------------------------------------------------------------------

    def _flush(self) -> None:
        """Adds the keys that wait. They wait on if that fails, as for lack of memory."""
        if not self._pending:
            return
        self._lock.stay_from_adding(get_ident())
        with self._flush_lock:
            if self._flushing:  # by this very thread, which a signal handler interrupted
                return
            self._flushing = True
            try:
                if len(self._pending) <= _PENDING_FEW:
                    self._flush_few()
                    # A caller that asks after every few keys does so again: for some time none waits.
                    self._text = self._plain = None
                    self._at_once = _AT_ONCE
                if self._pending:
                    self._flush_batch()
            finally:
                self._flushing = False
        if self._look_at is not None:
            self._watch()

    # In the two that follow a key is added and taken off the list without a moment in between at which Python
    # would look for signals: that happens after calls and where a loop jumps back, but not between what
    # map() calls and the first lines of the loop. So Ctrl-C adds nothing twice, and loses nothing.

    def _flush_few(self) -> None:
        """Adds what waits key by key, as long as the lock is open."""
        pending, pointer = self._pending, self._lock.changing
        while pending:
            key = pending[0]
            if isinstance(key, int):
                added = map(add_int, (pointer,), (as_int64(key),), (None,))
            else:
                given = key if type(key) is bytes else key.encode()
                length = len(given)
                size = LENGTHS[length] if length < 256 else as_size(length)
                added = map(add_bytes, (pointer,), (given,), (size,), (None,))
            for status in added:
                if status != OK:
                    return
                del pending[0]

    def _flush_batch(self) -> None:
        pending = self._pending
        count = len(pending)
        batch, error = KeyBatch(pending[:count]), InkError()
        with self._lock.adding as handle:
            for status in map(pylib.ink_sketch_add_batch, (handle,), (byref(batch.struct),), (byref(error),)):
                if status == OK:
                    del pending[:count]
        check(status, error)

    def _add_quickly(self, keys: Any) -> bool:
        """Adds a text that is not ASCII, or a single key at once, if that can be done."""
        if self._at_once > 0:
            self._at_once -= 1
            if self._at_once <= 0:
                self._let_wait()
            given = quick_key(keys)
            return given is not None and add_one(self._lock.changing, given)
        if type(keys) is not self._text:
            return False
        text: Any = keys
        try:
            self._pending.append(text.encode())
        except UnicodeEncodeError:
            return False
        if len(self._pending) >= PENDING_MAX:
            self._flush()
        return True

    def _let_wait(self) -> None:
        """Single keys wait from now on, until they are many or the sketch is asked."""
        ints = isinstance(self._pending, array)
        self._text = None if ints else str
        self._plain = int if ints else bytes

    def _expect(self, key: bytes | int) -> None:
        """A key was added: more like it may wait before they are."""
        if self._pending == ():
            with self._flush_lock:
                if self._pending == ():
                    self._pending = array("q") if isinstance(key, int) else []
                    self._let_wait()

    # ---- More keys than planned -------------------------------------------------------------------

    def _watch(self) -> None:
        """Warns, once, of a filter that is above its promise. Its rate is looked at when as many records were
        added as keys were planned for, and again whenever these have grown by an eighth."""
        look_at = self._look_at
        if look_at is None:
            return
        with self._lock.reading as handle:
            about = describe(handle)
            if not about.promised_rate or about.levels:
                self._look_at = None
                return
            if about.records < max(look_at, about.expected_keys + 1):
                return
            self._look_at = about.records + about.records // 8 + 1
            excess = excess_of(handle)
        if excess is None:
            return
        self._look_at = None
        kind = about.kind.decode()
        warn(
            f"the {kind} has false-positive rate {excess:.3g}, above the {about.promised_rate:.3g} that is "
            f"promised for {about.expected_keys:,} keys: expected a larger n",
            PromiseWarning,
        )

    # ---- The handle -------------------------------------------------------------------------------

    @property
    def _handle(self) -> int:
        """The handle in C, with all that was added in it. A long use goes through the lock."""
        self._flush()
        with self._lock.reading as handle:
            return handle

    def _describe(self) -> InkDescription:
        self._flush()
        with self._lock.reading as handle:
            return describe(handle)

    def _type(self) -> int:
        return int(self._describe().key_type)

    def _decided(self) -> bool:
        return self._params is None

    def _leaned(self, handle: int, key_type: int | None) -> int:
        """The handle for keys of this type; of a sketch whose type is not decided, which is empty, one of
        this type replaces it. For the writer only."""
        if self._params is None or key_type is None or describe(handle).key_type == key_type:
            return handle
        options = {name: value for name, value in self._params.items() if name != "kind"}
        options["key_type"] = "int" if key_type == KEY_INT else "bytes"
        if self._lock.shared:
            options["concurrent"] = True
        made = create(params_of(self._params["kind"], options))
        self._lock.replace(made)
        return made

    @contextmanager
    def _changed(self, key_type: int | None) -> Iterator[int]:
        """The handle, for adding keys of this type, or taking them out. The first ones decide the
        type."""
        self._flush()
        if self._params is None and self._lock.shared:
            with self._lock.reading as handle:
                yield handle
            return
        with self._lock.writing as handle:
            handle = self._leaned(handle, key_type)
            yield handle
            if self._params is not None and describe(handle).records:
                self._params = None

    @contextmanager
    def _asked(self, key_type: int | None) -> Iterator[int]:
        """The handle, for asking about keys of this type, which decides nothing."""
        self._flush()
        if self._params is not None:
            with self._lock.writing as handle:
                yield self._leaned(handle, key_type)
        else:
            with self._lock.reading as handle:
                yield handle

    def _meet(self, other: State) -> None:
        """Two sketches of one key type, if one of them has none yet; and what waits is in them."""
        self._flush()
        other._flush()
        if self._params is not None and other._params is None:
            key_type = other._type()
            with self._lock.writing as handle:
                self._leaned(handle, key_type)
        elif other._params is not None and self is not other:
            key_type = self._type()
            with other._lock.writing as handle:
                other._leaned(handle, key_type)

    @contextmanager
    def _merging(self, *others: State) -> Iterator[list[int]]:
        """The handles of this sketch and others, for changing it by them. When that is done, it
        has their key type."""
        self._meet(next(filter(State._decided, others), self))
        for other in others:
            if other._decided():
                other._flush()
            else:
                self._meet(other)
        with changing(self._lock, *(other._lock for other in others)) as handles:
            yield handles
            if any(map(State._decided, others)):
                self._params = None


_alive: weakref.WeakValueDictionary[int, State] = weakref.WeakValueDictionary()  # by id: sketches have no hash


def _after_fork() -> None:
    for state in list(_alive.values()):
        state._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
