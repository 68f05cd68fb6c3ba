"""A fork while another thread is inside a sketch: what it read lives on, what it changed does not."""

from __future__ import annotations

import gc
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from inkling import Sketch

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning"),
]

PATIENCE = 60  # seconds after which a wait counts as a deadlock


@contextmanager
def thread_inside(enter: Callable[[], Any]) -> Iterator[None]:
    """Another thread is inside `enter()` all the while."""
    inside, leave = threading.Event(), threading.Event()

    def stay() -> None:
        with enter():
            inside.set()
            assert leave.wait(PATIENCE)

    thread = threading.Thread(target=stay)
    thread.start()
    assert inside.wait(PATIENCE)
    try:
        yield
    finally:
        leave.set()
        thread.join()


def in_child(work: Callable[[], None]) -> None:
    """Does this in a process that is forked here; a failure there is one here, and so is an endless wait."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(PATIENCE)
            work()
            gc.collect()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert status == 0, f"the child ended with {status}"


def use(sketch: Sketch) -> None:
    """Asks and changes a sketch of the keys "a" and "waits" in every way."""
    assert "waits" in sketch and "b" not in sketch
    sketch.add("b").add(["c"])
    assert sketch.query(["a", "b", "c"]) == [True] * 3 and sketch.add_new("d")
    assert sketch.records == 5 and (sketch | sketch.copy()).records == 10


@pytest.mark.parametrize("inside", ["reading", "_lock"])
def test_a_sketch_that_was_read_or_locked_for_a_moment_goes_on(inside: str) -> None:
    sketch = Sketch("bloom", n=1000).add("a").add("waits")
    with thread_inside(lambda: getattr(sketch._lock, inside)):
        in_child(lambda: use(sketch))
    use(sketch)


def test_a_sketch_that_was_changed_is_refused_by_name() -> None:
    sketch, other = Sketch("bloom", n=1000).add("a"), Sketch("bloom", n=1000).add("b")
    sketch.add("waits").records, sketch.add("waits")
    ways: list[Callable[[], Any]] = [
        lambda: "a" in sketch,
        lambda: sketch.query("a"),
        lambda: sketch.query(["a"]),
        lambda: sketch.count("a"),
        lambda: sketch.add("b"),
        lambda: sketch.add(["b"]),
        lambda: sketch.add_new("b"),
        lambda: sketch.records,
        lambda: sketch.copy(),
        lambda: sketch.to_bytes(),
        lambda: other.merge(sketch),
        lambda: repr(sketch),
    ]

    def work() -> None:
        nonlocal sketch
        for way in ways:
            with pytest.raises(RuntimeError, match="being changed by another thread when the process was"):
                way()
        assert "b" in other
        in_child(lambda: pytest.raises(RuntimeError, lambda: "a" in sketch) and None)
        del sketch

    with thread_inside(lambda: sketch._lock.writing):
        in_child(work)
    assert "waits" in sketch


def test_the_thread_that_forks_may_be_inside_itself() -> None:
    sketch = Sketch("bloom", n=1000).add(["a", "waits"])
    with sketch._lock.reading:
        in_child(lambda: None if sketch.query(["a"]) == [True] else os.abort())
    with sketch._lock.writing:
        in_child(lambda: pytest.raises(RuntimeError, lambda: sketch.query(["a"])) and None)
    use(sketch)
