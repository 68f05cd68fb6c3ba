"""Random commands beside a model that keeps every key: what the sketches promise holds, and what copies them copies all."""
import random
from collections import Counter

import pytest
from conftest import SEED, digests

KEYS = 400
ROUNDS = 120


def name(number):
    return f"item:{number}".encode()


class Membership:
    """BF.* and INK.* over a filter: nothing that was added is denied."""

    def __init__(self, r, key, make, add, ask):
        self.r, self.key, self.add_by, self.ask_by, self.known = r, key, add, ask, set()
        if make:
            r.execute_command(*make)

    def change(self, rng):
        items = [name(rng.randrange(KEYS)) for _ in range(rng.choice([1, 3, 60]))]
        self.r.execute_command(self.add_by, self.key, *items)
        self.known.update(items)

    def check(self):
        if self.known:
            assert all(self.r.execute_command(self.ask_by, self.key, *sorted(self.known)))
        absent = [b"absent:%d" % i for i in range(2000)]
        assert sum(self.r.execute_command(self.ask_by, self.key, *absent)) <= 60  # of 20 expected at 0.01


class Counting(Membership):
    """CF.* and INK.REMOVE: keys that were taken out as often as they were added are gone but for false positives."""

    def __init__(self, r, key):
        super().__init__(r, key, ("CF.RESERVE", key, 5000), "CF.ADD", "CF.MEXISTS")
        self.counts = Counter()

    def change(self, rng):
        item = name(rng.randrange(KEYS))
        if rng.random() < 0.3 and self.counts[item]:
            assert self.r.execute_command("CF.DEL", self.key, item) == 1
            self.counts[item] -= 1
        elif self.counts[item] < 10:
            self.r.execute_command("CF.ADD", self.key, item)
            self.counts[item] += 1
        self.known = {item for item, count in self.counts.items() if count}

    def check(self):
        super().check()
        for item, count in self.counts.items():
            assert self.r.execute_command("CF.COUNT", self.key, item) >= count


class Counts:
    """CMS.* and INK.*: no count is too low, and none is above its bound."""

    def __init__(self, r):
        self.r, self.truth = r, Counter()
        r.execute_command("CMS.INITBYDIM", "cms", 2000, 7)

    def change(self, rng):
        words = []
        for _ in range(rng.choice([1, 20])):
            item, weight = name(rng.randrange(KEYS)), rng.randrange(100)
            words += [item, weight]
            self.truth[item] += weight
        self.r.execute_command("CMS.INCRBY", "cms", *words)

    def check(self):
        items = sorted(self.truth)
        total = sum(self.truth.values())
        if not items:
            return
        for item, count in zip(items, self.r.execute_command("CMS.QUERY", "cms", *items)):
            assert self.truth[item] <= count <= self.truth[item] + total * 2.72 / 2000
        for item, answer in zip(items, self.r.execute_command("INK.COUNT", "cms", *items)):
            fields = dict(zip(answer[::2], answer[1::2]))
            assert fields[b"low"] <= self.truth[item] <= fields[b"high"]


class Tops:
    """TOPK.*: fewer keys than the sketch keeps, so every count is exact, and so are the first of the list."""

    def __init__(self, r):
        self.r, self.truth = r, Counter()
        r.execute_command("TOPK.RESERVE", "topk", 10)

    def change(self, rng):
        item = name(int(rng.paretovariate(1)) % KEYS)
        self.r.execute_command("TOPK.ADD", "topk", item)
        self.truth[item] += 1

    def check(self):
        found = self.r.execute_command("TOPK.LIST", "topk", "WITHCOUNT")
        counts = found[1::2]
        assert counts == [self.truth[item] for item in found[::2]]
        assert counts == sorted(self.truth.values(), reverse=True)[:10]


class Distinct:
    """INK.DISTINCT of two keys with keys in common."""

    def __init__(self, r):
        self.r, self.sets = r, {"hll": set(), "hll2": set()}
        for key in self.sets:
            r.execute_command("INK.CREATE", key, "hll")

    def change(self, rng):
        key = rng.choice(list(self.sets))
        items = [name(rng.randrange(100 * KEYS)) for _ in range(50)]
        self.r.execute_command("INK.ADD", key, *items)
        self.sets[key].update(items)

    def check(self):
        answer = self.r.execute_command("INK.DISTINCT", *self.sets)
        truth = len(set.union(*self.sets.values()))
        assert abs(answer[1] - truth) <= 0.05 * truth


@pytest.mark.parametrize("seed", range(SEED, SEED + 2))
def test_what_the_sketches_promise_holds_through_copies_and_reloads(r, seed):
    rng = random.Random(seed)
    parts = [Membership(r, "bf", None, "BF.MADD", "BF.MEXISTS"),
             Membership(r, "fixed", ("BF.RESERVE", "fixed", 0.01, 1000, "NONSCALING"), "BF.MADD", "BF.MEXISTS"),
             Membership(r, "ink", ("INK.CREATE", "ink", "bloom", "n", 1000), "INK.ADD", "INK.CONTAINS"),
             Counting(r, "cf"), Counts(r), Tops(r), Distinct(r)]
    moves = [lambda key: r.execute_command("COPY", key, "copy", "REPLACE") and r.rename("copy", key),
             lambda key: r.execute_command("RESTORE", key, 0, r.dump(key), "REPLACE"),
             lambda key: r.execute_command("DEBUG", "RELOAD")]
    for _ in range(ROUNDS):
        part = rng.choice(parts)
        for _ in range(rng.randrange(20)):
            part.change(rng)
        if rng.random() < 0.2 and r.dbsize():
            key = rng.choice(sorted(r.keys("*")))
            before = digests(r, key)
            rng.choice(moves)(key)
            assert digests(r, key) == before, key
        part.check()
