"""Typical uses as a type checker sees them; test_types.py gives this file to mypy, and does not run it.

A line with `type: ignore` is a mistake that must be found: mypy reports one that is not needed.
"""

from __future__ import annotations

import pathlib

import numpy
import numpy.typing
from typing_extensions import assert_type

import inkling
from inkling import Answer, Info, Item, Sketch, Sketches
from inkling.pieces import Assembly, Job


def one_sketch(path: pathlib.Path) -> None:
    sketch = Sketch("bloom", n=1_000_000, p=0.01, key_type="bytes", seed=7)
    assert_type(sketch, Sketch)
    assert_type(sketch.add("bee").add(["cat"]), Sketch)
    assert_type("bee" in sketch, bool)
    assert_type(sketch.info, Info)
    assert_type(sketch.rate, float)
    assert_type(sketch.digest, str)
    assert_type(sketch.records, int)
    assert_type(sketch.to_bytes(), bytes)
    assert_type(Sketch.from_bytes(b""), Sketch)
    assert_type(Sketch.open(path, lazy=True), Sketch)
    assert_type(sketch | sketch, Sketch)
    assert_type(sketch & sketch.copy(), Sketch)
    assert_type(inkling.plan("bloom", n=1e6), Info)
    assert_type(inkling.kinds(), tuple[str, ...])
    sketch |= sketch.copy()
    assert_type(sketch, Sketch)


def answers_as_they_were_asked(sketch: Sketch, array: numpy.typing.NDArray[numpy.int64]) -> None:
    assert_type(sketch.query("bee"), bool)
    assert_type(sketch.query(b"bee"), bool)
    assert_type(sketch.query(17), bool)
    assert_type(sketch.query(("a", 1)), bool)
    assert_type(sketch.query(["bee", "cat"]), list[bool])
    assert_type(sketch.query({"bee", "cat"}), list[bool])
    assert_type(sketch.query(number for number in range(3)), list[bool])
    assert_type(sketch.query(array), numpy.typing.NDArray[numpy.bool_])
    assert_type(sketch.add_new("bee"), bool)
    assert_type(sketch.add_new(["bee"]), list[bool])
    assert_type(sketch.add_new(array), numpy.typing.NDArray[numpy.bool_])
    assert_type(sketch.count("bee"), Answer)
    assert_type(sketch.count(["bee"]), list[Answer])
    items: list[Item] = sketch.top(3)
    assert_type(sketch.over(100)[0], Item)
    assert_type(items[0].estimate, int)
    assert_type(sketch.estimate(), Answer)
    assert_type(sketch.estimate().low, int)
    assert_type(sketch.estimate().high, float)
    assert_type(sketch.estimate() * 2, int)
    assert_type(sketch.estimate() / 2, float)
    assert_type(sketch.dot(sketch), Answer)


def many_sketches(path: pathlib.Path) -> None:
    with inkling.open(path) as file:
        assert_type(file, Sketches)
        assert_type(file["DE"], Sketch)
        assert_type(file["bloom", "DE"], Sketch)
        assert_type(file[8], Sketch)
        assert_type(file.query("bee", by="DE"), bool)
        assert_type(file.query(["bee"]), list[bool])
        assert_type(len(file), int)
        for sketch in file.values():
            assert_type(sketch, Sketch)


def jobs(path: pathlib.Path) -> None:
    assert_type(inkling.build(path), Sketch)
    assert_type(inkling.build(path, "bloom", p=0.01, header=True, key="user"), Sketch)
    assert_type(inkling.build(path, kind="count-min", weight="n", key=1), Sketch)
    assert_type(inkling.build(path, "hll", by="country", key=["a", "b"], round="half-even"), Sketches)
    assert_type(inkling.build([path, "b.csv"], ["bloom", "hll"], by=2), Sketches)
    assert_type(inkling.build(path, "bloom,hll"), Sketch | Sketches)
    assert_type(inkling.build(path, "theta"), Sketch)
    assert_type(inkling.build(path, "fuse"), Sketch)
    kind: inkling.Kind = "top"
    assert_type(inkling.build(path, kind, k=5), Sketch)
    inkling.filter(path, "data.csv", output="known.csv", invert=True, progress=False)
    assert_type(bool(inkling.verify(path, "data.csv")), bool)
    assert_type(inkling.merge([path, "b.ink"]), Sketches)
    both = inkling.open(path) | inkling.open("b.ink")
    assert_type(both, Sketches)
    assert_type(inkling.merge([both, Sketch("hll"), "c.ink"], max_rate=0.1), Sketches)
    assert_type(both.which("bee"), list[inkling.Group])
    assert_type(both.info["DE"], Info)
    assert_type([entry.slot for entry in both.entries()], list[int | None])
    inkling.save(path, both.entries(), position=both.position)
    with open(path, "wb") as file:
        both.save(file)
    assert_type(inkling.open([path, "b*.ink"]), Sketches)
    assert_type(inkling.union([path, both], "count"), Sketches)
    assert_type(inkling.kind_info("top").ranks["count"], int)


class Derived(Sketches):
    pass


def pieces(path: pathlib.Path) -> None:
    job = Job("bloom,hll", by="country", format="csv").replace(threads=1, memory="64M")
    assert_type(list(job.map(path)), list[tuple[int, bytes]])
    with Assembly() as assembly:
        assert_type(assembly.open(job, [path]), Sketches)
        assert_type(assembly.open(job, result=Derived), Derived)


def mistakes(sketch: Sketch) -> None:
    Sketch("bloom", n="many")  # type: ignore[arg-type]
    Sketch("bloom", m=5)  # type: ignore[call-arg]
    Sketch("bloom", key_type="text")  # type: ignore[arg-type]
    inkling.build("a.csv", "bloom", n="many")  # type: ignore[call-overload]
    inkling.build("a.csv", "bloom", formt="csv")  # type: ignore[call-overload]
    inkling.filter("a.ink", "a.csv", bad="drop")  # type: ignore[arg-type]
    sketch.add("bee", nulls="drop")  # type: ignore[arg-type]
    sketch.merge("other.ink")  # type: ignore[arg-type]
    sketch.records = 5  # type: ignore[misc]
    Job("bloom", formt="csv")  # type: ignore[call-arg]
    inkling.union("a.ink", "dot")  # type: ignore[arg-type]
