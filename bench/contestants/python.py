"""The contestants in Python: rbloom and datasketches, from PyPI, each called as its documentation has it.

rbloom adds many keys with `update`; of the rest neither has a call for many, so the method is mapped over
them.
"""

from __future__ import annotations

import datasketches
from contest import HEAVIEST, Keys, Question, Sketch, Way, drain, serve
from rbloom import Bloom

RATE = 0.01
MOST = 1_000_000  # beyond, nothing new: objects of Python cost what they cost


class RBloom(Sketch):
    def __init__(self, asked: Question) -> None:
        self.filter = Bloom(asked.count, RATE)

    def add(self, keys: Keys) -> None:
        self.filter.update(keys)

    def ask(self, keys: Keys) -> int:
        return sum(map(self.filter.__contains__, keys))


class Distinct(Sketch):
    def __init__(self, _: Question) -> None:
        self.sketch = datasketches.hll_sketch(14, datasketches.tgt_hll_type.HLL_8)

    def add(self, keys: Keys) -> None:
        drain(map(self.sketch.update, keys))

    def answer(self) -> float:
        return float(self.sketch.get_estimate())


class Counts(Sketch):
    def __init__(self, asked: Question) -> None:
        width = 1 << (16 if asked.workload == "count16" else 22)
        self.sketch = datasketches.count_min_sketch(4, width)

    def add(self, keys: Keys) -> None:
        drain(map(self.sketch.update, keys))

    def ask(self, keys: Keys) -> int:
        return int(sum(map(self.sketch.get_estimate, keys)))


class Frequent(Sketch):
    def __init__(self, asked: Question) -> None:
        self.heaviest = HEAVIEST if asked.form == "u64" else f"{HEAVIEST:016x}"
        self.sketch = datasketches.frequent_items_sketch(12)

    def add(self, keys: Keys) -> None:
        drain(map(self.sketch.update, keys))

    def answer(self) -> float:
        return float(self.sketch.get_estimate(self.heaviest))


if __name__ == "__main__":
    serve(
        [
            Way("rbloom", "filter", "u64,str16", MOST, "Bloom.update, in", RBloom),
            Way("datasketches-py", "distinct", "u64,str16", MOST, "hll_sketch.update, HLL_8", Distinct),
            Way("datasketches-py", "count16", "str16", MOST, "count_min_sketch.update, get_estimate", Counts),
            Way("datasketches-py", "frequent", "str16", MOST, "frequent_items_sketch.update", Frequent),
        ]
    )
