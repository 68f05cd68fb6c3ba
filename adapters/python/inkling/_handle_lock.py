"""A readers-writer lock: the handle of a sketch in C, and the threads that may use it at this moment.

A bulk call releases the interpreter's lock, so two Python threads could use one sketch at a time; C allows
any number that query, or one that changes. A bulk call takes this lock. Of a concurrent sketch (``shared``)
those that add keys are let in beside those that query.

A call about a single key is too short for that. It keeps the interpreter's lock, so only a bulk call of
another thread can run meanwhile. For this the lock has ``Pointers`` to the sketch, which the compiled module
reads before each call (``_single``). While such a call is not allowed its pointer is None, and the call is
made under the lock.

A fork keeps only the thread that forked. In the child, locks that other threads held for reading are free
again; a sketch that another thread was changing may be half changed, and is refused from then on.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from ctypes import Structure, addressof, c_void_p
from threading import Condition, RLock, get_ident
from types import TracebackType
from typing import Any

from ._library import pylib

# Without the interpreter's lock a call that keeps it excludes no one: every call takes the handle lock.
_HAS_LOCK: bool = getattr(sys, "_is_gil_enabled", lambda: True)()


class Pointers(Structure):
    """A sketch, for the single keys that may use it at this moment."""

    asking: int | None
    changing: int | None
    _fields_ = [("asking", c_void_p), ("changing", c_void_p)]


class _Hold:
    """One use of the lock, from its acquisition to its release.

    Ctrl-C can come at any moment, also on the way in or out. The lock knows its holds by weak references:
    one that was interrupted before it could release the lock releases it when it is collected.
    """

    __slots__ = ("lock", "ref", "thread", "__weakref__")

    def __init__(self, lock: HandleLock) -> None:
        self.lock = lock
        self.thread = get_ident()
        self.ref: weakref.ref[_Hold] | None = weakref.ref(self, lock._leave)
        hash(self.ref)  # while the object is alive

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self.ref is not None
        try:
            self.lock._leave(self.ref)
        except BaseException:
            self.lock._leave(self.ref)
            raise
        self.ref = None  # so that it is not called again


class _Reading(_Hold):
    """``with lock.reading as handle:`` one of many readers."""

    __slots__ = ()

    def __enter__(self) -> int:
        return self.lock._begin_reading(self)


class _Writing(_Hold):
    """``with lock.writing as handle:`` alone."""

    __slots__ = ()

    def __enter__(self) -> int:
        return self.lock._begin_writing(self)


class HandleLock:
    """Owns the handle of a sketch in C, lets many readers or one writer at it, and frees it in the end.

    ``with lock.reading as handle:`` and ``with lock.writing as handle:`` acquire it in the order
    in which they came, so that no thread waits for ever. A thread that is inside already, as when a signal
    handler asks the sketch that it interrupted, may read while it reads; otherwise it gets a RuntimeError
    instead of waiting for itself.
    """

    __slots__ = (
        "_broken",
        "_handle",
        "_line",
        "_lock",
        "_owner",
        "_readers",
        "_released",
        "_writer",
        "address",
        "pointers",
        "shared",
        "__weakref__",
    )

    def __init__(self, handle: int, owner: object = None) -> None:
        self.shared = False
        self._handle: int | None = handle
        self._owner = owner  # what the sketch is a view of, and must outlive it
        self._make_locks()
        self._readers: dict[weakref.ref[_Hold], int] = {}  # holds, and their threads
        self._writer: weakref.ref[_Hold] | None = None
        self._broken = False  # half changed, for ever
        self.pointers = Pointers()
        self.address = addressof(self.pointers)
        self._set_pointers()

    def _make_locks(self) -> None:
        self._lock = RLock()  # for a moment; taken itself, as Ctrl-C can break into the lines of a Condition
        self._released = Condition(self._lock)
        self._line: list[tuple[int, object]] = []  # waiting threads and their tickets, the first one first

    @property
    def reading(self) -> _Reading:
        return _Reading(self)

    @property
    def writing(self) -> _Writing:
        return _Writing(self)

    def replace(self, handle: int) -> None:
        """Replaces this sketch by another one, and frees it. Only for the writer."""
        assert self._is_writer(get_ident())
        old, self._handle, owner = self._handle, handle, self._owner
        pylib.ink_sketch_free(old)
        self._owner = None
        del owner

    def leave(self) -> int:
        """The handle, which is the caller's from now on; no other thread has this lock."""
        handle, self._handle = self._handle, None
        assert handle is not None and self._writer is None and not self._readers
        self._set_pointers()
        return handle

    def __del__(self, free: Any = pylib.ink_sketch_free) -> None:
        handle, self._handle = getattr(self, "_handle", None), None
        if handle is not None and not self._broken:
            free(handle)

    def after_fork(self) -> bool:
        """In a process that was just forked: only holds of this thread go on. Returns whether the sketch can
        be used."""
        self._make_locks()
        thread = get_ident()
        self._readers = {ref: inside for ref, inside in self._readers.items() if inside == thread}
        writer = None if self._writer is None else self._writer()
        if writer is None or writer.thread != thread:
            self._writer = None
        self._broken = self._broken or (writer is not None and writer.thread != thread)
        self._set_pointers()
        return not self._broken

    def _check(self) -> int:
        """The handle, if what is there is whole."""
        if self._broken:
            raise RuntimeError(
                "this sketch was being changed by another thread when the process was forked, "
                "expected a fork while no thread changes it, or a sketch that was made after the fork"
            )
        assert self._handle is not None
        return self._handle

    # ---- Holds ------------------------------------------------------------------------------------

    def _set_pointers(self) -> None:
        """What single keys may do now."""
        quick = _HAS_LOCK and self._handle is not None and self._writer is None and not self._broken
        self.pointers.asking = self._handle if quick else None
        self.pointers.changing = self._handle if quick and (self.shared or not self._readers) else None

    def _begin_reading(self, hold: _Reading) -> int:
        with self._lock:
            if self._is_writer(hold.thread):
                raise RuntimeError("a thread asks the sketch that it is changing, expected one at a time")
            if hold.thread not in self._readers.values():
                self._stand_in_line(hold.thread, lambda: self._writer is None)
            assert hold.ref is not None
            handle = self._check()
            if not self.shared:
                self.pointers.changing = None
            self._readers[hold.ref] = hold.thread
        return handle

    def _begin_writing(self, hold: _Writing) -> int:
        with self._lock:
            self.stay_out(hold.thread)
            self._stand_in_line(hold.thread, lambda: self._writer is None and not self._readers)
            handle = self._check()
            self.pointers.asking = self.pointers.changing = None
            self._writer = hold.ref
        return handle

    def _leave(self, ref: weakref.ref[_Hold]) -> None:
        """A hold is over, or was interrupted and is gone."""
        with self._lock:
            if self._writer is ref:
                self._writer = None
            self._readers.pop(ref, None)
            if self._writer is None and not self._readers:
                self._set_pointers()
                self._released.notify_all()

    def stay_out(self, thread: int) -> None:
        """Refuses a thread that would change the sketch, and is inside already, where it would wait for
        itself."""
        if self._is_writer(thread) or thread in tuple(self._readers.values()):
            raise RuntimeError("a thread changes the sketch that it is using, expected one at a time")

    def _is_writer(self, thread: int) -> bool:
        hold = None if self._writer is None else self._writer()
        return hold is not None and hold.thread == thread

    def _stand_in_line(self, thread: int, is_free: Callable[[], bool]) -> None:
        """Waits until the lock is free for this thread and the threads before it have gone in, or given up. A
        signal handler of a thread that stands in line already does not wait for itself."""
        if is_free() and not self._line:
            return
        nested = any(waiting == thread for waiting, _ in self._line)
        ticket = (thread, object())
        self._line.append(ticket)
        try:
            while not is_free() or not (nested or self._line[0] is ticket):
                self._released.wait()
        finally:
            self._line.remove(ticket)
            self._released.notify_all()  # the next one may be free to go, too


@contextmanager
def changing(into: HandleLock, *sources: HandleLock) -> Iterator[list[int]]:
    """The handles of sketches, to change the first by the others.

    Several locks are taken in the same order everywhere, so that no two threads wait for each other. One
    and the same sketch needs but one hold; whether it can be its own source is for C to say.
    """
    handles: dict[HandleLock, int] = {}
    with ExitStack() as holds:
        for lock in sorted({into, *sources}, key=id):
            hold: _Reading | _Writing = lock.writing if lock is into else lock.reading
            handles[lock] = holds.enter_context(hold)
        yield [handles[lock] for lock in (into, *sources)]


@contextmanager
def asking(*locks: HandleLock) -> Iterator[list[int]]:
    """The handles of sketches that are queried together."""
    handles: dict[HandleLock, int] = {}
    with ExitStack() as holds:
        for lock in sorted(set(locks), key=id):
            handles[lock] = holds.enter_context(lock.reading)
        yield [handles[lock] for lock in locks]
