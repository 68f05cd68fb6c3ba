"""Memory: what is made is given back, also after failures."""

from __future__ import annotations

import ctypes
import datetime
import gc
import io
import os
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import inkling
from inkling import Sketch, verified
from inkling.pieces import Assembly, Job, Sizes

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


def test_single_keys_leave_no_object() -> None:
    """Also those that the methods in Python take, those that are refused, and sketches that go."""
    day, pair, filter, counts = datetime.date(2000, 1, 1), ("a", "b"), Sketch("bloom", n=10**6), Sketch("count-min")
    watched = day, pair, Sketch, type(filter).add, filter, filter._lock, None, True, False

    def work() -> None:
        counts.add(day).add(day, weight=2).add(7, weight=3).add(8)
        assert counts.count(day) and counts.count(7)
        filter.add("a").add(pair)
        assert pair in filter and "a" in filter and not filter.add_new(pair) and not filter.add_new("a")
        Sketch("hll").add("a").add(pair)
        Sketch("bloom", n=1, max_rate=1).add("a").add("b").add("c").add("d")  # of which each is looked at
        filter._lock = filter._lock
        for call in (lambda: filter.add(1.5), lambda: 1.5 in filter, lambda: counts.count(1.5), lambda: filter.add_new(1.5)):
            with pytest.raises(inkling.InklingError):
                call()

    def left() -> list[int]:
        gc.collect()
        before = [sys.getallocatedblocks(), *map(sys.getrefcount, watched)]
        for _ in range(300):
            work()
        gc.collect()
        return [after - at for after, at in zip([sys.getallocatedblocks(), *map(sys.getrefcount, watched)], before)]

    left()
    assert any(max(left()) < 150 for _ in range(3))


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


# ---- What C has allocated -------------------------------------------------------------------------------


class _Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")]  # fmt: skip


def allocated() -> int:
    """Bytes in blocks of malloc that are in use."""
    mallinfo: Any = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = _Mallinfo
    found = mallinfo()
    return int(found.uordblks + found.hblkhd)


DATA = b"".join(b"%d,%s\n" % (number, color) for number in range(40) for color in (b"red", b"blue"))
READS: Any = {"format": "csv", "key": 1}
COLORS = inkling.build(DATA, "bloom,counting,top,hll", by=2, **READS).to_bytes()
WORDS = inkling.build(DATA, "counting", **READS).to_bytes()


def sketches_in_memory(folder: Path) -> None:
    file = inkling.Sketches.from_bytes(COLORS)
    assert file.input_spec and file.digest and file.key_type and file.records and file.info
    assert file.count("1") and file.top(2) and file.estimate() and file.rate
    assert all(file.query(["1", "2"], kind="bloom")) and file.which("1", kind="bloom")
    assert [entry.sketch.kind for entry in file.entries()]
    first = Sketch("bloom", n=100).add(1)  # which decides the type, and makes another one of it
    assert first.merge(first.copy(), first.copy(), parts=True).records == 3


def sketches_of_a_file(folder: Path) -> None:
    path = folder / "colors.ink"
    path.write_bytes(COLORS)
    with inkling.open(path) as file:
        file.save(folder / "again.ink")
        file.save(io.BytesIO())
        assert "bloom" in file.kinds and file["bloom", "red"].copy()
    assert Sketch.open(path, kind="hll", group="red", copy=True).estimate()
    path.write_bytes(WORDS)
    assert inkling.add(path, DATA).changed and inkling.remove(path, DATA).changed
    inkling.save(path, inkling.open(path).entries(), position=b"x")
    assert inkling.open([path, path]).sketch().records == 160


def jobs(folder: Path) -> None:
    file, out = inkling.Sketches.from_bytes(WORDS), io.BytesIO()
    assert inkling.filter(file, DATA, output=out, **READS).passed == 80
    assert inkling.verify(file, DATA, tests=100).records == 80
    assert inkling.uniq(DATA, output=out, n=100, **READS).repeated == 40
    assert inkling.merge([file, file.sketch()]) and inkling.dedup(["a", "a", "b"]) == [True, False, True]
    inkling.generate("ip", out, n=5)


def pieces(folder: Path) -> None:
    cut: Any = {"ranged": True, "buckets": 1}
    job = Job("counting", **READS).with_pieces(**cut)
    found = [piece for _, piece in job.map(DATA)]
    sizes, reducer = Sizes(), job.reducer()
    for piece in found:
        reducer.add(piece)
    for _, piece in reducer.measure():
        sizes.add(piece)
    assert sizes.to_bytes() and sizes.keys(inkling.WHOLE) == 40
    sized = job.with_pieces(**cut, sizes=sizes.to_bytes())
    with sized.reducer() as reducer, Assembly(folder) as assembly:
        for piece in found:
            reducer.add(piece)
        for _, piece in reducer.finish():
            assembly.add(piece)
        assert assembly.open(sized).records == 80
    file = inkling.Sketches.from_bytes(WORDS)
    assert verified.as_built(file, [folder / "data.csv"])
    ranged = verified.job_for(file, buckets=1, **READS)
    part = verified.count_bucket(file, ranged, 0, [piece for _, piece in ranged.map(DATA)], tests=100)
    assert verified.add_up(file, 1, [part]).summary.denied == 0


def failures(folder: Path) -> None:
    file = inkling.Sketches.from_bytes(WORDS)
    for call in (
        lambda: inkling.build(DATA, "bloom", n=3, **READS),
        lambda: inkling.verify(file, b"one\n", key=7),
        lambda: inkling.filter(file, folder / "none"),
        lambda: inkling.merge([file, Sketch("hll")]).sketch("none"),
        lambda: verified.add_up(file, 1, [b"12345678"]),
        lambda: inkling.Sketches.from_bytes(WORDS[:-1]),
        lambda: Sizes().add(b"12345678"),
        lambda: file.sketch().merge(file.sketch()),
        lambda: inkling.Sketches.from_bytes(WORDS, secret=bytes(16)),
        lambda: inkling.dedup(["a", "b"], near=2.0),
    ):
        with pytest.raises(inkling.InklingError):
            call()


@pytest.mark.parametrize("work", [sketches_in_memory, sketches_of_a_file, jobs, pieces, failures])
def test_nothing_of_c_stays_allocated(work: Callable[[Path], None], tmp_path: Path) -> None:
    """Less than any object takes that is left in every cycle."""
    if not hasattr(ctypes.CDLL(None), "mallinfo2"):
        pytest.skip("this C library does not report what is allocated")

    def left(cycles: int) -> int:
        gc.collect()
        before = allocated()
        for _ in range(cycles):
            work(tmp_path)
        gc.collect()
        return allocated() - before

    left(5)
    descriptors = len(os.listdir("/proc/self/fd"))
    assert any(left(20) < 20 * 40 for _ in range(6))
    assert len(os.listdir("/proc/self/fd")) == descriptors
