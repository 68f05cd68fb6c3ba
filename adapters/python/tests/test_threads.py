"""Threads: bulk calls run beside Python and beside each other, and no two meet in one sketch."""

from __future__ import annotations

import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy
import pytest

import inkling
from inkling import Sketch, _handle_lock
from inkling._handle_lock import HandleLock

PATIENCE = 60.0  # seconds after which a wait counts as a deadlock


@pytest.fixture(autouse=True)
def switching_often() -> Iterator[None]:
    """Threads take turns much more often than usual, so that they meet at the worst moments."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def together(*works: Callable[[], Any]) -> list[Any]:
    """Runs all at once; what one raises comes out."""
    start = threading.Barrier(len(works))

    def run(work: Callable[[], Any]) -> Any:
        start.wait(PATIENCE)
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        futures = [pool.submit(run, work) for work in works]
        return [future.result(PATIENCE) for future in futures]


def test_python_goes_on_while_c_adds() -> None:
    keys = numpy.arange(12_000_000)
    sketch = Sketch("bloom", n=len(keys), key_type="int")
    done, counted = threading.Event(), 0

    def add() -> None:
        sketch.add(keys)
        done.set()

    thread = threading.Thread(target=add)
    thread.start()
    while not done.is_set():
        counted += 1
    thread.join()
    # With the lock held all the while this loop would run a few thousand times before and after; it takes
    # well under a microsecond, and adding takes tens of milliseconds.
    assert counted > 10_000
    assert sketch.records == len(keys)


def test_two_questions_are_inside_at_once() -> None:
    sketch = Sketch("bloom", n=1000).add("a")
    inside = threading.Barrier(2)

    def ask() -> None:
        with sketch._lock.reading:
            inside.wait(PATIENCE)

    together(ask, ask)


def test_a_writer_is_alone() -> None:
    sketch = Sketch("bloom", n=1000).add("a")
    seen: list[str] = []
    entered, leave = threading.Event(), threading.Event()

    def write() -> None:
        with sketch._lock.writing:
            entered.set()
            assert leave.wait(PATIENCE)
            seen.append("written")

    def ask() -> None:
        assert entered.wait(PATIENCE)
        leave.set()
        assert "a" in sketch  # the quick way, which finds the lock closed
        seen.append("asked")
        assert sketch.query(["a"]) == [True]

    together(write, ask)
    assert seen == ["written", "asked"]


def test_a_writer_goes_before_readers_that_come_later() -> None:
    lock = Sketch("bloom", n=1000)._lock
    order: list[str] = []
    first = threading.Event()

    def read() -> None:
        with lock.reading:
            first.set()
            while not lock._line:
                pass
        with lock.reading:
            order.append("read")

    def write() -> None:
        assert first.wait(PATIENCE)
        with lock.writing:
            order.append("written")

    together(read, write)
    assert order == ["written", "read"]


def test_a_thread_inside_is_refused_instead_of_waiting_for_itself() -> None:
    sketch = Sketch("bloom", n=1000).add("a")
    lock = sketch._lock
    with lock.writing:
        with pytest.raises(RuntimeError, match="expected one at a time"):
            sketch.query(["a"])
        with pytest.raises(RuntimeError, match="expected one at a time"):
            "a" in sketch
    with lock.reading:
        assert sketch.query(["a"]) == [True] and "a" in sketch and sketch.records == 1
        with pytest.raises(RuntimeError, match="expected one at a time"):
            sketch.add(["b"])
    assert sketch.add(["b"]).records == 2


def quick(lock: HandleLock) -> tuple[bool, bool]:
    """Whether single keys may ask and change the sketch the quick way."""
    ways = lock.pointers.asking, lock.pointers.changing
    assert {*ways} <= {None, lock._handle}
    return ways[0] is not None, ways[1] is not None


def test_the_quick_pointers_follow_the_lock() -> None:
    lock = Sketch("bloom", n=1000)._lock
    assert quick(lock) == (True, True)
    with lock.reading:
        assert quick(lock) == (True, False)
        with lock.reading:
            pass
        assert quick(lock) == (True, False)
    with lock.writing:
        assert quick(lock) == (False, False)
    assert quick(lock) == (True, True)


def test_without_the_interpreter_s_lock_all_go_through_the_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_handle_lock, "_HAS_LOCK", False)
    sketch = Sketch("bloom", n=1000).add("first")
    assert quick(sketch._lock) == (False, False)
    for number in range(300):
        assert f"{number}" not in sketch
        sketch.add(f"{number}")
        assert f"{number}" in sketch
    assert sketch.records == 301
    ints = Sketch("bloom", n=1000).add(1).add(2)
    assert 2 in ints and 3 not in ints and ints.add(3).add(2**64 - 1).records == 4


@pytest.mark.parametrize("kind", ["bloom", "scalable", "top", "count-min", "hll"])
def test_everything_at_once_in_one_sketch(kind: str) -> None:
    size: dict[str, Any] = {"n": 30_000} if kind == "bloom" else {"n": 1000} if kind == "scalable" else {}
    sketch, other = Sketch(kind, **size).add("first"), Sketch(kind, **size).add("other")
    rounds, many = 30, [f"many {number}" for number in range(500)]

    def add_one_by_one() -> None:
        for number in range(50 * rounds):
            sketch.add(f"single {number}")

    def add_many() -> None:
        for _ in range(rounds):
            sketch.add(many)

    def ask() -> None:
        for number in range(rounds):
            if kind in ("bloom", "scalable"):
                sketch.add(key := f"mine {number}")
                assert key in sketch and sketch.query([key, "first"]) == [True, True]
            elif kind in ("top", "count-min"):
                assert sketch.count("first") and sketch.count(["first"])[0].estimate >= 1
            else:
                assert sketch.estimate().high >= 1

    def look() -> None:
        for _ in range(rounds):
            sketch.records, sketch.digest, repr(sketch), sketch.copy(), sketch.to_bytes()

    def mix() -> None:
        for _ in range(rounds):
            union = other | sketch if kind != "bloom" else other.copy().merge(sketch, max_rate=1 - 1e-9)
            assert union.records > 1

    together(add_one_by_one, add_many, ask, look, mix)
    extra = rounds if kind in ("bloom", "scalable") else 0
    assert sketch.records == 1 + 50 * rounds + 500 * rounds + extra


CONCURRENT: dict[str, dict[str, Any]] = {
    "bloom": {"n": 100_000}, "classic": {"n": 100_000}, "count-min": {}, "hll": {}
}


@pytest.mark.parametrize("kind", CONCURRENT)
@pytest.mark.parametrize("threads", [1, 2, 8])
def test_several_threads_add_to_a_concurrent_sketch(kind: str, threads: int) -> None:
    sketch, alone = Sketch(kind, concurrent=True, **CONCURRENT[kind]), Sketch(kind, **CONCURRENT[kind])
    keys = numpy.arange(20_000)

    def add(number: int) -> None:
        for first in range(0, len(keys), 4000):
            sketch.add(keys[first : first + 4000])
            sketch.add(int(keys[first]) + number)
            if kind in ("bloom", "classic"):
                assert int(keys[first]) + number in sketch and all(sketch.query(keys[: first + 4000]))
            elif kind == "count-min":
                assert sketch.count(int(keys[first])).estimate >= 1
            copy = sketch.copy()
            assert copy.records >= first and sketch.info.concurrent and copy.info.concurrent is None

    together(*(lambda number=number: add(number) for number in range(threads)))  # type: ignore[misc]
    for number in range(threads):
        alone.add(keys)
        for first in range(0, len(keys), 4000):
            alone.add(int(keys[first]) + number)
    assert sketch.digest == alone.digest and sketch.to_bytes() == alone.to_bytes()


@pytest.mark.parametrize("has_lock", [True, False])
@pytest.mark.parametrize(
    "make",
    [
        lambda: Sketch("bloom", n=1000, concurrent=True, key_type="bytes"),
        lambda: Sketch("bloom", n=1000, concurrent=True, hash="mix64"),
        lambda: Sketch("bloom", n=1000, key_type="bytes").share(),
    ],
    ids=["at first", "hash of ints", "later"],
)
def test_those_that_add_to_a_concurrent_sketch_do_not_wait(
    make: Callable[[], Sketch], has_lock: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_handle_lock, "_HAS_LOCK", has_lock)
    sketch = make()
    first, mine, many = (1, 2, 3) if sketch.key_type == "int" else ("first", "mine", "many")
    sketch.add(first)
    inside = threading.Barrier(3)

    def add() -> None:
        with sketch._changed(None):
            inside.wait(PATIENCE)
            sketch.add(mine).add([many])
            assert mine in sketch and sketch.records >= 2
            inside.wait(PATIENCE)

    def ask() -> None:
        with sketch._asked(None):
            inside.wait(PATIENCE)
            assert first in sketch
            inside.wait(PATIENCE)

    together(add, add, ask)
    assert sketch.records == 5


def test_a_concurrent_sketch_refuses_what_needs_one_writer() -> None:
    other = Sketch("bloom", n=1000).add(["a", "b"])
    sketch = Sketch.from_bytes(other.to_bytes()).share().share()
    before = sketch.digest
    for change in (
        lambda: sketch.add_new("x"), lambda: sketch.add_new(["x"]), lambda: sketch.merge(other),
        lambda: sketch.merge(other, other), lambda: sketch.fold(2), lambda: sketch.fold(p=0.5),
    ):
        with pytest.raises(inkling.UnsupportedError, match="is concurrent: threads only add keys and ask"):
            change()
    assert sketch.digest == before == other.digest and (other | sketch).digest != before
    assert pickle.loads(pickle.dumps(sketch)).info.concurrent is None
    assert sketch.copy().merge(other).records == 4
    for kind in set(inkling.kinds()) - {*CONCURRENT, "fuse"}:
        size = {"n": 10} if kind == "counting" else {}
        with pytest.raises(inkling.UsageError, match=f"{kind} has no concurrent"):
            Sketch(kind, concurrent=True, **size)  # type: ignore[arg-type]
        with pytest.raises(inkling.UnsupportedError, match=f"{kind} has one writer"):
            Sketch(kind, **size).share()  # type: ignore[arg-type]
    with pytest.raises(inkling.UsageError, match="conservative and concurrent, expected one of them"):
        Sketch("count-min", conservative=True, concurrent=True)
    with pytest.raises(TypeError, match="concurrent of type int, expected True or False"):
        Sketch("bloom", n=9, concurrent=1)  # type: ignore[arg-type]
    undecided = Sketch("hll", concurrent=True)
    assert undecided.copy().info.concurrent is None and undecided.add(7).info.concurrent


def test_single_keys_are_counted_once_each() -> None:
    sketch = Sketch("count-min", eps=0.0001).add("x").add("y")
    threads, each = 4, 5000

    def add(number: int) -> None:
        for count in range(each):
            sketch.add("x")
            if count % 100 == 0:
                sketch.count(f"other {number}")

    together(*(lambda number=number: add(number) for number in range(threads)))  # type: ignore[misc]
    assert sketch.count("x").estimate == threads * each + 1 and sketch.records == threads * each + 2


def test_who_added_a_key_sees_it() -> None:
    sketch = Sketch("bloom", n=100_000).add("first")

    def add_and_ask(name: str) -> None:
        for number in range(3000):
            key = f"{name} {number}"
            sketch.add(key)
            assert key in sketch, key

    together(lambda: add_and_ask("a"), lambda: add_and_ask("b"), lambda: add_and_ask("c"))


def test_answers_of_threads_are_not_mixed_up() -> None:
    sketch = Sketch("bloom", n=1000, p=1e-5).add([1, 2, 3])

    def ask(key: int, expected: bool) -> None:
        for _ in range(20_000):
            assert (key in sketch) is expected

    together(lambda: ask(1, True), lambda: ask(77, False), lambda: ask(2, True), lambda: ask(78, False))


def test_nothing_is_lost_that_is_added_while_many_are_merged() -> None:
    into, one, two = (Sketch("bloom", n=50_000).add([key]) for key in (-1, -2, -3))
    keys = range(300)

    def merge() -> None:
        for _ in keys:
            into.merge(one, two)

    def add() -> None:
        for key in keys:
            into.add([key])

    together(merge, add)
    assert all(into.query(keys)) and all(into.query([-1, -2, -3]))


def test_a_sketch_that_is_pickled_while_its_key_type_is_decided() -> None:
    for _ in range(200):
        sketch = Sketch("hll", precision=4)
        _, pickled = together(lambda: sketch.add([1]), lambda: pickle.dumps(sketch))
        found = pickle.loads(pickled)
        assert found.key_type == ("int" if found.records else None)


def test_two_sketches_merged_into_each_other() -> None:
    a, b = Sketch("hll").add(range(100)), Sketch("hll").add(range(50, 200))

    def merge(into: Sketch, other: Sketch) -> None:
        for _ in range(300):
            into |= other
            into.merge(other, other)

    together(lambda: merge(a, b), lambda: merge(b, a), lambda: [a.estimate() for _ in range(300)])
    assert round(float(a.estimate())) == round(float(b.estimate()))


def test_dots_of_two_both_ways_while_they_change() -> None:
    a, b = Sketch("count-min", eps=0.01).add("x"), Sketch("count-min", eps=0.01).add("x")

    def dot(left: Sketch, right: Sketch) -> None:
        for _ in range(300):
            assert float(left.dot(right)) >= 1

    def change(sketch: Sketch) -> None:
        for _ in range(300):
            sketch.add(["x"])

    together(lambda: dot(a, b), lambda: dot(b, a), lambda: change(a), lambda: change(b))


def test_the_first_keys_of_two_threads_decide_once() -> None:
    for _ in range(50):
        sketch = Sketch("bloom", n=100)
        results: list[str] = []

        def add(key: Any) -> None:
            try:
                sketch.add(key)
                results.append("added")
            except inkling.MismatchError:
                results.append("refused")

        def ask(key: Any) -> None:
            try:
                assert sketch.query(key) in (False, [False])
            except inkling.MismatchError:  # once it is decided
                pass

        together(lambda: add(1), lambda: add("a"), lambda: ask([5]), lambda: ask("b"))
        assert sorted(results) == ["added", "refused"] and sketch.records == 1


def test_a_signal_handler_may_ask_the_sketch_that_it_interrupts() -> None:
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        pytest.skip("signals come to the main thread")
    sketch = Sketch("bloom", n=100_000).add("first")
    asked: list[bool] = []

    def handler(*_: object) -> None:
        try:
            asked.append("first" in sketch)
            sketch.add("signal")
            asked.append(bool(sketch.records))
        except RuntimeError:
            asked.append(True)

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    try:
        keys = [f"key {number}" for number in range(1000)]
        end = time.monotonic() + PATIENCE
        while len(asked) < 50 and time.monotonic() < end:
            sketch.add(keys)
            for key in keys:
                sketch.add(key)
            assert keys[0] in sketch
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(asked) >= 50 and all(asked)
    assert sketch.add(["x"]).query("x") is True  # the lock is open


def test_ctrl_c_leaves_the_lock_open_and_adds_nothing_twice() -> None:
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        pytest.skip("signals come to the main thread")
    sketch = Sketch("count-min", eps=0.01).add("first")

    class Interrupted(Exception):
        pass

    armed, ticks = False, 0

    def handler(*_: object) -> None:
        nonlocal ticks
        ticks += 1
        if armed and ticks % 16 == 0:  # time enough to get away
            raise Interrupted

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.0003, 0.00031)
    added = interrupts = 0
    try:
        for _ in range(100):
            try:
                armed = True
                while True:
                    sketch.add("x")
                    added += 1
                    if added % 7 == 0:
                        sketch.add(["y"])
            except Interrupted:
                armed = False
                interrupts += 1
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # Each interrupt can come between a key and its counting here, and be of a key that was added.
    assert added <= sketch.count("x").estimate <= added + interrupts
    assert sketch.add(["y"]).count("y").estimate >= 1


def test_a_stream_may_use_the_sketch_that_it_is_added_to() -> None:
    sketch = Sketch("bloom", n=1000)

    def keys() -> Iterator[str]:
        for number in range(40_000):
            if number % 10_000 == 0:
                sketch.add("before").add(["more"])
                assert "before" in sketch and sketch.query(["more", "before"]) == [True, True]
            yield "key"

    assert sketch.add(keys()).records == 40_008
    assert sketch.query(keys()) == [True] * 40_000


def test_two_that_meet_for_the_first_time_both_ways() -> None:
    for _ in range(200):
        one, two = Sketch("hll"), Sketch("hll").add("a")
        together(lambda: one.merge(two), lambda: two.merge(one))
        assert one.key_type == two.key_type == "bytes"


def test_single_keys_of_threads_are_not_mixed_up() -> None:
    """They share structs, which each has for itself while it asks."""
    sketch = Sketch("count-min", eps=1e-4).add("heavy", weight=1000).add("light")
    held = Sketch("bloom", n=100_000, key_type="int")

    def ask(key: str, count: int) -> None:
        for _ in range(3000):
            assert sketch.count(key).estimate == count

    def add(start: int) -> int:
        return sum(held.add_new(key) for key in range(start, start + 2000))

    added = together(
        lambda: ask("heavy", 1000),
        lambda: ask("light", 1),
        lambda: add(0),
        lambda: add(1000),
        lambda: add(10**6),
    )
    assert 4950 <= sum(added[2:]) <= 5000


def test_a_lock_gives_its_handle_away_once() -> None:
    sketch = Sketch("bloom", n=100).add("a")
    lock = HandleLock(sketch.copy()._lock.leave())
    with lock.reading as handle:
        assert handle
    assert lock.pointers.asking == handle


def test_no_thread_waits_for_ever_at_a_sketch_that_another_thread_keeps_changing() -> None:
    sketch = inkling.Sketch("bloom", n=1_000_000, key_type="int")
    many, few, enough = numpy.arange(200_000), numpy.arange(10), threading.Event()
    rounds, worst = 0, 0

    def keep_changing() -> None:
        nonlocal rounds
        while not enough.is_set() and rounds < 2000:
            sketch.add(many)
            rounds += 1

    other = threading.Thread(target=keep_changing)
    other.start()
    for use in [sketch.add, sketch.query] * 20:
        before = rounds
        use(few)
        worst = max(worst, rounds - before)
    enough.set()
    other.join()
    assert worst < 100, f"it had to wait through {worst} changes of the other thread"


KEYS = 200_003


@pytest.mark.parametrize("kind", ["bloom", "counting", "hll", "count-min", "classic", "top"])
@pytest.mark.parametrize("threads", [0, 1, 3])
def test_threads_of_one_call_change_no_bit(kind: str, threads: int) -> None:
    size: dict[str, Any] = {"n": KEYS} if kind in ("bloom", "counting", "classic") else {}
    keys = numpy.arange(KEYS, dtype=numpy.int64) * 7919
    assert Sketch(kind, **size).add(keys, threads=threads).digest == Sketch(kind, **size).add(keys).digest


def test_threads_are_for_any_keys() -> None:
    keys = [None, "bee", "ant"]
    assert Sketch("hll").add(keys, threads=2, nulls="skip").digest == Sketch("hll").add(["ant", "bee"]).digest
    assert "bee" in Sketch("bloom", n=10).add("bee", threads=2)


@pytest.mark.parametrize("threads", [-1, 1 << 32, "two"])
def test_what_is_no_number_of_threads_is_refused(threads: Any) -> None:
    sketch = Sketch("hll")
    with pytest.raises((inkling.UsageError, TypeError), match="threads"):
        sketch.add([1, 2], threads=threads)
    assert sketch.records == 0
