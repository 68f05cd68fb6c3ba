"""What a contestant in Python needs besides its sketch: keys, a clock, the questions of bench/run.py and the
answers to them. bench/README.md has the protocol.
"""

from __future__ import annotations

import collections
import functools
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy

ADDED, MISSING = 0, 1
WORK = 1_000_000  # keys that the clock runs for, at least

Keys = Sequence[Any]


def mix(numbers: Any) -> Any:
    """One to one, in 64 bits: of a NumPy array of uint64."""
    numbers = numbers * numpy.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ numbers >> numpy.uint64(30)) * numpy.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ numbers >> numpy.uint64(27)) * numpy.uint64(0x94D049BB133111EB)
    return numbers ^ numbers >> numpy.uint64(31)


HEAVIEST = int(mix(numpy.ones(1, numpy.uint64))[0])


def drain(results: Iterable[Any]) -> None:
    """Runs through what a map gives; faster than a loop."""
    collections.deque(results, maxlen=0)


@dataclass
class Question:
    """A line of bench/run.py, and its keys: lists of int or of str."""

    name: str
    workload: str
    form: str
    count: int
    threads: int
    keys: list[Keys] = field(default_factory=list)
    sum: int = 0

    def numbers(self, series: int) -> Any:
        """The keys as numbers."""
        places = numpy.arange(1, self.count + 1, dtype=numpy.uint64)
        if self.workload != "frequent":
            return mix(places + numpy.uint64(series << 40))
        draws = mix(places + numpy.uint64(2 << 40))
        sizes = numpy.uint64(1) << ((draws >> numpy.uint64(32)) * numpy.uint64(20) >> numpy.uint64(32))
        return mix(sizes | (draws & (sizes - numpy.uint64(1))))

    def make_keys(self) -> None:
        """Fills in what was asked for."""
        for series in (ADDED, MISSING)[: 2 if self.workload == "filter" else 1]:
            numbers = self.numbers(series)
            if self.form == "u64":
                self.keys.append(numbers.tolist())
            else:
                texts = [f"{number:016x}" for number in numbers.tolist()]
                self.keys.append(texts)
                numbers = numpy.frombuffer("".join(texts).encode(), "<u8")
            self.sum = (self.sum + int(numbers.sum(dtype=numpy.uint64))) % (1 << 64)


class Sketch:
    """What a way makes. `ask` returns how many keys are found, or the sum of all counts; `answer` how many
    different keys there are, or how often the heaviest came."""

    def add(self, keys: Keys) -> None:
        raise NotImplementedError

    def ask(self, keys: Keys) -> int | None:
        return None

    def answer(self) -> float | None:
        return None


@dataclass
class Way:
    """One sketch that a contestant offers."""

    name: str
    workload: str
    forms: str
    most: int
    how: str
    make: Callable[[Question], Sketch]


def each_ns(work: Callable[[], Any], keys: int) -> tuple[float, Any]:
    """Nanoseconds a key, and what was returned."""
    start = time.perf_counter_ns()
    reported = work()
    return (time.perf_counter_ns() - start) / keys, reported


def measure(way: Way, asked: Question) -> str:
    """The answer to a question whose keys are there."""
    times = max(1, WORK // asked.count)
    adding = 0.0
    for _ in range(times):
        sketch = way.make(asked)
        if asked.workload.startswith("count"):
            sketch.add(asked.keys[ADDED])  # its memory is there before the clock runs
        adding += each_ns(functools.partial(sketch.add, asked.keys[ADDED]), asked.count * times)[0]
    said = {"add": f"{adding:.4f}", "sum": str(asked.sum)}
    if asked.workload == "filter":
        for series, name, reported in (ADDED, "hit", "found"), (MISSING, "miss", "wrong"):
            keys = asked.keys[series]
            each = [each_ns(functools.partial(sketch.ask, keys), asked.count) for _ in range(times)]
            said[name] = f"{sum(ns for ns, _ in each) / times:.4f}"
            said[reported] = str(each[-1][1])
    elif (answer := sketch.answer()) is not None:
        said["answer"] = f"{answer:.0f}"
    else:
        asking, total = each_ns(functools.partial(sketch.ask, asked.keys[ADDED]), asked.count)
        said |= {"ask": f"{asking:.4f}", "answer": str(total)}
    return " ".join(f"{name}={value}" for name, value in said.items())


def serve(ways: Sequence[Way]) -> None:
    """Lists what is offered, then answers until standard input ends."""
    for w in ways:
        print("offers", w.name, w.workload, w.forms, w.most, "1", w.how, sep="\t")
    print("ready", flush=True)
    last: Question | None = None
    for line in sys.stdin:
        name, workload, form, count, threads = line.split()
        asked = Question(name, workload, form, int(count), int(threads))
        found = [w for w in ways if (w.name, w.workload) == (name, workload)]
        if not found:
            print("no such way", flush=True)
            continue
        if last and (last.workload, last.form, last.count) == (workload, form, asked.count):
            asked.keys, asked.sum = last.keys, last.sum
        else:
            last = None  # its memory first
            asked.make_keys()
        last = asked
        print(measure(found[0], asked), flush=True)
