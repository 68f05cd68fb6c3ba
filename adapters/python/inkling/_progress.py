"""Jobs while they run: they work in a thread of their own, report how far they are, and can be stopped.

The caller's thread waits meanwhile, so that Ctrl-C reaches it, and does what the job's threads hand to it:
progress functions and the ``write`` of outputs are called there, as if the job were an ordinary function.
"""

from __future__ import annotations

import importlib
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Literal, TypeAlias

from ._library import OK, InkJob, ProgressFunction

__all__ = ["Progress", "ProgressOption", "Watch"]

# By the numbers of ink_phase.
_PHASES: tuple[Literal["reading", "filling", "testing"], ...] = ("reading", "filling", "testing")

# A bar comes after so long, and is drawn at most this often, in seconds.
_BAR_AFTER = 1.0
_BAR_EVERY = 0.1

# Seconds after which the next interrupt abandons a job that was asked to stop and did not, as it waits for a
# silent pipe or for a lock.
_PATIENCE = 1.0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is, as a progress function gets it.

    >>> Progress("reading", done=25, total=100, records=3, seconds=0.5).share
    0.25
    """

    phase: Literal["reading", "filling", "testing"]
    """What it does: reading records, filling sketches, or testing keys against sketches."""
    done: int
    """Bytes read, or keys handled."""
    total: int | None
    """The total; None if it is unknown, as of a pipe."""
    records: int
    """Read so far."""
    seconds: float
    """Since the job began."""

    @property
    def share(self) -> float | None:
        """How much of this phase is done, from 0 to 1, or None if that is unknown."""
        return None if self.total is None else min(1.0, self.done / self.total)


ProgressOption: TypeAlias = bool | Callable[[Progress], object] | None


# ---- A bar ----------------------------------------------------------------------------------------


def _in_notebook() -> bool:
    """Whether the program runs in a notebook, where output is no terminal and a bar is welcome."""
    ipython = sys.modules.get("IPython")
    shell = getattr(ipython, "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def _has_viewer() -> bool:
    try:
        return sys.stderr.isatty() or _in_notebook()
    except (AttributeError, ValueError):  # there is no standard error, or it is closed
        return False


def _tqdm() -> Any:
    """tqdm's bar for a terminal or a notebook, or None where tqdm is not installed."""
    try:
        return importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        return None


class _Bar:
    """A tqdm bar for each phase of a job."""

    def __init__(self, asked_for: bool) -> None:
        self._asked_for = asked_for
        self._bar: Any = None
        self._phase: str | None = None
        self._drawn = -_BAR_EVERY
        self._records = 0

    def wants(self, progress: Progress) -> bool:
        """Whether it is time to draw."""
        if not self._asked_for and progress.seconds < _BAR_AFTER:
            return False
        return progress.phase != self._phase or progress.seconds - self._drawn >= _BAR_EVERY

    def __call__(self, progress: Progress) -> None:
        if progress.phase != self._phase:
            self.close(done=True, records=progress.records)
            self._open(progress, since=max(self._drawn, 0.0))
        self._drawn = progress.seconds
        if self._bar is not None:
            self._bar.total, self._records = progress.total, progress.records
            self._set(progress.done, progress.records)

    def _set(self, done: int, records: int) -> None:
        self._bar.set_postfix_str(f"{records:,} records", refresh=False)
        self._bar.update(done - self._bar.n)
        self._bar.refresh()

    def _open(self, progress: Progress, since: float) -> None:
        self._phase = progress.phase
        tqdm = _tqdm()
        if tqdm is None:
            return
        self._bar = tqdm(
            desc=progress.phase,
            total=progress.total,
            unit="B" if progress.phase == "reading" else "",
            unit_scale=True,
            leave=self._asked_for,
        )
        if not self._bar.disable:
            # The phase began before its first report; without a time there is no rate to show.
            self._bar.start_t -= progress.seconds - since

    def close(self, *, done: bool, records: int) -> None:
        """Ends the bar of a phase: full, if that is done."""
        if self._bar is None:
            return
        if done:
            self._set(self._bar.total or self._bar.n, max(self._records, records))
        if not self._bar.n:  # nothing to show, and no rate
            self._bar.leave = False
        self._bar.close()
        self._bar = None


def _bar_for(progress: ProgressOption) -> _Bar | None:
    if progress is True:
        if _tqdm() is None:
            raise ImportError("progress=True needs tqdm, which is not installed: pip install tqdm")
        return _Bar(asked_for=True)
    if progress is None and _has_viewer():
        return _Bar(asked_for=False)
    return None


# ---- A job that is watched ------------------------------------------------------------------------


class _Errand:
    """Something for the caller's thread to do, and the answer that a thread of the job waits for."""

    __slots__ = ("answer", "done", "work")

    def __init__(self, work: Callable[[], int], refusal: int) -> None:
        self.work = work
        self.answer = refusal
        self.done = threading.Lock()
        self.done.acquire()


class Watch:
    """Runs one job in a thread of its own, while the thread that called waits and does errands for it."""

    def __init__(self, progress: ProgressOption = None) -> None:
        if progress is not None and not isinstance(progress, bool) and not callable(progress):
            raise TypeError(
                f"progress of type {type(progress).__name__}, expected None, True, False or a function"
            )
        self._bar = _bar_for(progress)
        self._function = progress if callable(progress) else None
        self._callback = ProgressFunction(self._report)
        self._failure: BaseException | None = None
        self._errands: deque[_Errand] = deque()
        self._wake: SimpleQueue[None] = SimpleQueue()
        self._mutex = threading.Lock()
        self._began = self._finished = self._given_up = self._direct = False
        self._stopped_at = 0.0
        self._status = 0

    def run(self, job: InkJob, call: Callable[[], int]) -> int:
        """The status of `call`, which is to use `job`.

        An exception of a progress function or of an output, and Ctrl-C, stop the job and come out when it has
        ended; `call` must hold all that the job needs, as a job that does not end when it should may be
        abandoned.
        """
        job.progress = self._callback
        thread = threading.Thread(target=self._work, args=(call,), name="inkling-job", daemon=True)
        try:
            self._start(thread, call)
            if self._failure is not None:
                raise self._failure
            return self._status
        finally:
            if self._bar is not None:
                done = self._finished and self._failure is None and self._status == OK
                self._bar.close(done=done, records=job.records)
            if self._finished:
                self._failure = None  # and all that its traceback holds

    def ask(self, work: Callable[[], int], refusal: int) -> int:
        """What `work` gives in the caller's thread; `refusal` if it fails there, or the job is to stop.

        For functions that C calls in threads of the job."""
        if self._failure is not None:
            return refusal
        errand = _Errand(work, refusal)
        if self._direct:
            self._serve(errand)
        else:
            self._errands.append(errand)
            self._wake.put(None)
            errand.done.acquire()
        return errand.answer

    # The job's thread.

    def _work(self, call: Callable[[], int]) -> None:
        with self._mutex:
            if self._failure is not None:  # and no thread waits any more
                return
            self._began = True
        try:
            self._status = call()
        except BaseException as failure:
            self._stop(failure)
        finally:
            self._finished = True
            self._wake.put(None)

    def _report(self, _host: object, progress: Any) -> bool:
        """What C calls now and then; False stops the job."""
        if self._failure is not None:
            return False
        self._wake.put(None)  # a signal that came just before the caller's thread began to wait is seen now
        if self._bar is None and self._function is None:
            return True
        p = progress.contents
        progress = Progress(_PHASES[p.phase], p.done, p.total or None, p.records, p.seconds)
        if self._bar is not None and not self._bar.wants(progress):
            return True
        function: Callable[[Progress], object] = self._function or self._bar  # type: ignore[assignment]
        return bool(self.ask(lambda: function(progress) is not False, False))

    # The caller's thread. An interrupt may come between any two steps here, so that each is one that can be
    # done again.

    def _start(self, thread: threading.Thread, call: Callable[[], int]) -> None:
        asked_for = False
        while True:
            try:
                if not asked_for:
                    asked_for = True
                    thread.start()
                return self._wait()
            except RuntimeError:  # the system has no more threads
                self._direct = True
                return self._work(call)
            except BaseException as interrupt:
                with self._mutex:
                    self._stop(interrupt)
                if not self._began:  # it will see that no thread waits
                    return None

    def _wait(self) -> None:
        while not self._finished and not self._given_up:
            try:
                if self._errands:
                    self._serve(self._errands[0])
                    self._errands.popleft()
                else:
                    self._wake.get()
            except BaseException as interrupt:
                waited = 0.0 if self._failure is None else time.monotonic() - self._stopped_at
                self._given_up = self._failure is not None and waited >= _PATIENCE
                self._stop(interrupt)
        for errand in list(self._errands):  # of an abandoned job: no thread may wait for an answer
            self._serve(errand)

    def _serve(self, errand: _Errand) -> None:
        try:
            if self._failure is None:
                errand.answer = errand.work()
        except BaseException as failure:
            self._stop(failure)
        finally:
            if errand.done.locked():
                errand.done.release()

    def _stop(self, failure: BaseException) -> None:
        if self._failure is None:
            self._stopped_at = time.monotonic()
            self._failure = failure
