"""Memory: what is made is given back, also after failures."""

from __future__ import annotations

import gc
import os
import weakref
from collections.abc import Callable
from pathlib import Path

import numpy
import pytest

import inkling
from inkling import Sketch

STATM = Path("/proc/self/statm")
pytestmark = [
    pytest.mark.skipif(not STATM.exists(), reason="this system does not report how much memory a process has"),
    pytest.mark.skipif(bool(os.environ.get("INK_SAN")), reason="a sanitizer keeps what was freed"),
]


def resident() -> int:
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def grown(work: Callable[[], None], cycles: int, warm_up: int = 200) -> int:
    """By how much memory grows in `cycles` cycles, once some have warmed things up."""
    for _ in range(warm_up):
        work()
    gc.collect()
    before = resident()
    for _ in range(cycles):
        work()
    gc.collect()
    return resident() - before


ARRAY = numpy.arange(50)
KEYS = [f"key {number}" for number in range(50)]


def one_life() -> None:
    a, b = Sketch("bloom", n=100), Sketch("bloom", n=100)
    a.add("first").add("second")
    assert "second" in a
    assert a.merge(b.add("third")).to_bytes()


def one_life_in_bytes() -> None:
    a = Sketch("bloom", n=1000).add(KEYS)
    union = Sketch.from_bytes(a.to_bytes()).merge(a, a.copy())
    assert (union | a).digest and (union & a).rate


def one_life_of_others() -> None:
    top, counts, hll = Sketch("top", phi=0.1), Sketch("count-min", eps=0.1), Sketch("hll", precision=8)
    assert len(top.add(KEYS).add("one").top(3)) == 3
    counts.add(ARRAY, weight=ARRAY).add(5)
    assert len(counts.count(ARRAY)) == 50 and counts.count(5) and float(hll.add(ARRAY).estimate()) > 1
    repr(top), counts.info, counts.copy()


def one_failure() -> None:
    sketch = Sketch("bloom", n=100).add(1)
    for call in (
        lambda: sketch.add("a"),
        lambda: sketch.add(["a", 5]),
        lambda: sketch.merge(Sketch("hll")),
        lambda: Sketch.from_bytes(b"nothing"),
        lambda: Sketch("bloom", n=-1),
        lambda: sketch.top(),
    ):
        with pytest.raises(inkling.InklingError):
            call()


@pytest.mark.parametrize(
    ("work", "cycles"),
    [
        pytest.param(one_life, 10_000, id="bloom"),
        pytest.param(one_life_in_bytes, 1000, id="bytes"),
        pytest.param(one_life_of_others, 500, id="others"),
        pytest.param(one_failure, 500, id="failures"),
    ],
)
def test_memory_does_not_grow(work: Callable[[], None], cycles: int) -> None:
    # A leak of 100 bytes in each of 10,000 lives would be a megabyte, each time; what threads of other
    # packages take meanwhile is not.
    assert any(grown(work, cycles) < 1 << 20 for _ in range(3))


def test_a_sketch_is_freed_with_its_last_reference() -> None:
    sketch = Sketch("bloom", n=1000).add("a")
    lock = weakref.ref(sketch._lock)
    view = weakref.ref(sketch)
    del sketch
    assert view() is None and lock() is None


def test_large_sketches_are_given_back() -> None:
    def large() -> None:
        sketch = Sketch("classic", bits=1 << 26, hashes=2).add(KEYS)
        sketch.copy().merge(sketch, sketch)

    assert grown(large, cycles=5, warm_up=3) < 8 << 20
