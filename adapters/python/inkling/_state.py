"""What a sketch holds in Python: its handle in a lock, a key type that the first keys will decide, and when
its rate is looked at."""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import byref, c_double, c_void_p
from typing import Any

from ._errors import MismatchError, PromiseWarning, warn
from ._handle_lock import HandleLock, changing
from ._library import KEY_INT, OK, InkDescription, call, lib, pylib
from ._plan import params_of
from ._single import Keys


def create(params: Any) -> int:
    """A new sketch in C."""
    made = c_void_p()
    call(lib.ink_sketch_create, byref(made), byref(params), None)
    return made.value or 0


def describe(handle: int) -> InkDescription:
    description = InkDescription()
    pylib.ink_sketch_describe(handle, byref(description))
    return description


def _shaped(params: Any, like: InkDescription) -> HandleLock:
    """A new sketch of these parameters, of the kind and the size of another one that was made of them, and then
    perhaps converted and folded."""
    made = HandleLock(create(params))
    with made.writing as handle:
        if like.kind != params.kind:
            converted = c_void_p()
            call(lib.ink_sketch_convert, byref(converted), handle, like.kind, None)
            handle = converted.value or 0
            made.replace(handle)
        bits = describe(handle).bits
        if bits > like.bits:
            call(lib.ink_sketch_fold, handle, bits // like.bits)
    return made


def excess_of(handle: int) -> float | None:
    """The rate of a filter that is above its promise; None of any other sketch."""
    about, rate = describe(handle), c_double()
    if not about.promised_rate or pylib.ink_sketch_rate(handle, byref(rate), None) != OK:
        return None
    return None if pylib.ink_rate_holds(byref(about), rate) else rate.value


class State(Keys):
    """The inside of a Sketch, which has no public name of its own."""

    __slots__ = ("_look_at", "_undecided", "__weakref__")

    _lock: HandleLock
    _undecided: dict[str, Any] | None
    _look_at: int  # the number of records at which a filter's rate is looked at

    def _hold(self, handle: int, owner: object = None) -> None:
        self._lock = HandleLock(handle, owner)
        self._look_at = 0
        self._params = None
        _alive[id(self)] = self

    @property
    def _params(self) -> dict[str, Any] | None:
        """What a sketch is made of whose key type the first keys decide; else None."""
        return self._undecided

    @_params.setter
    def _params(self, params: dict[str, Any] | None) -> None:
        self._undecided = params
        self._unwatched = 0 if params is None else -1

    # ---- More keys than planned -------------------------------------------------------------------

    def _added(self, records: int) -> None:
        """Looks at the rate if it is time to, after that many records were added."""
        if 0 <= records <= self._unwatched:
            self._unwatched -= records
        else:
            self._watch()

    def _watch(self) -> None:
        """Warns, once, of a filter that is above its promise. Its rate is looked at when as many records were
        added as keys were planned for, and again whenever these have grown by an eighth."""
        with self._lock.reading as handle:
            about = describe(handle)
            excess = self._excess(handle, about)
            if self._params is None:
                self._unwatched = max(0, min(sys.maxsize, self._look_at - about.records - 1))
        if excess is not None:
            warn(
                f"the {about.kind.decode()} has false-positive rate {excess:.3g}, above the "
                f"{about.promised_rate:.3g} that is promised for {about.expected_keys:,} keys: expected a larger n",
                PromiseWarning,
            )

    def _excess(self, handle: int, about: InkDescription) -> float | None:
        """The rate, if it was time to look at it and it is too high; sets the next time."""
        never = 1 << 64
        if not about.promised_rate or about.levels:
            self._look_at = never
        self._look_at = max(self._look_at, about.expected_keys + 1)
        if about.records < self._look_at:
            return None
        self._look_at = about.records + about.records // 8 + 1
        excess = excess_of(handle)
        if excess is not None:
            self._look_at = never
        return excess

    # ---- The handle -------------------------------------------------------------------------------

    @property
    def _handle(self) -> int:
        """The handle in C. A long use goes through the lock."""
        with self._lock.reading as handle:
            return handle

    def _describe(self) -> InkDescription:
        with self._lock.reading as handle:
            return describe(handle)

    def _type(self) -> int:
        return int(self._describe().key_type)

    def _decided(self) -> bool:
        return self._params is None

    def _leaned(self, handle: int, key_type: int | None) -> int:
        """The handle for keys of this type; of a sketch whose type is not decided, which is empty, one of
        this type replaces it. For the writer only."""
        if self._params is None or key_type is None:
            return handle
        about = describe(handle)
        if about.key_type == key_type:
            return handle
        if about.keyed and "secret" not in self._params:
            raise MismatchError("the keys are hashed with a secret: unlock the sketch with it first")
        options = {name: value for name, value in self._params.items() if name != "kind"}
        options["key_type"] = "int" if key_type == KEY_INT else "bytes"
        made = _shaped(params_of(self._params["kind"], options), about)
        with made.writing as leaning:
            if self._lock.shared:
                call(pylib.ink_sketch_share, leaning)
        self._lock.replace(leaning)
        made.leave()
        return leaning

    @contextmanager
    def _changed(self, key_type: int | None) -> Iterator[int]:
        """The handle, for adding keys of this type, or taking them out. The first ones decide the
        type."""
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
        if self._params is not None:
            with self._lock.writing as handle:
                yield self._leaned(handle, key_type)
        else:
            with self._lock.reading as handle:
                yield handle

    def _meet(self, other: State) -> None:
        """Two sketches of one key type, if one of them has none yet."""
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
            if not other._decided():
                self._meet(other)
        with changing(self._lock, *(other._lock for other in others)) as handles:
            yield handles
            if any(map(State._decided, others)):
                self._params = None


_alive: weakref.WeakValueDictionary[int, State] = weakref.WeakValueDictionary()  # by id: sketches have no hash


def _after_fork() -> None:
    for state in list(_alive.values()):
        state._lock.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
