"""What the sketches of a file answer, and what adding a key does to them.

Written from docs/format.md, docs/accuracy.md and the comments of include/inkling.h. The first part
asks entries as they stand in a file. The classes below are sketches that take keys: `read` makes
one from an entry, `like` an empty one with an entry's parameters, and `params` and `payload` give
back what a file would hold. `rule` is always a KeyRule.
"""

import math
import statistics
import struct
from dataclasses import dataclass, field, replace
from typing import Optional

import ink_hashes as hashes
import ink_plan as plan
from ink_reader import (ITEM_KEY_BYTES, Item, Level, Shard, dense_registers, read_items, read_levels,
                        read_shards, shard_bits)
from ink_writer import bloom_payload, chain_payload, classic_payload, top_payload

MAX64 = 2**64 - 1
# 2^K is too high by this power of two, K being the most trailing zeros of n random numbers.
TAIL_BIAS = 0.5772156649015329 / math.log(2) - 0.5


def filter_holds(kind, position_rule, bits, hash_count, cells, key, rule):
    """Whether the bits of a bloom or classic hold a key."""
    if kind == "bloom":
        block, places = hashes.split_block_bits(rule, key, len(cells) // 32)
        words = struct.unpack_from("<8I", cells, 32 * block)
        return all(word >> bit & 1 for word, bit in zip(words, places))
    positions = hashes.classic_positions(rule, position_rule, key, bits, hash_count)
    return all(cells[j // 8] >> j % 8 & 1 for j in positions)


def contains(entry, key, rule):
    """Whether an entry that is a filter holds a key."""
    if entry.kind in ("bloom", "classic"):
        return filter_holds(entry.kind, entry.position_rule, entry.params.get("bits"),
                            entry.params.get("hashes"), entry.payload, key, rule)
    if entry.kind in ("counting", "scalable", "fuse"):
        return SKETCHES[entry.kind].read(entry, rule).contains(key)
    raise ValueError(f"{entry.kind} does not say which keys it holds")


def fold_blocks(payload, divisor):
    """A bloom payload folded by a divisor of its block count."""
    blocks = [int.from_bytes(payload[i:i + 32], "little") for i in range(0, len(payload), 32)]
    if divisor < 1 or len(blocks) % divisor:
        raise ValueError(f"{divisor} does not divide {len(blocks)} blocks")
    folded = bytearray()
    for i in range(0, len(blocks), divisor):
        block = 0
        for neighbour in blocks[i:i + divisor]:
            block |= neighbour
        folded += block.to_bytes(32, "little")
    return bytes(folded)


def hll_registers(entry):
    """The values of all registers of an hll entry."""
    count = 1 << entry.params["precision"]
    if len(entry.payload) == 3 * count // 4:
        return dense_registers(entry.payload, count)
    values = [0] * count
    for i in range(0, len(entry.payload), 3):
        register, value = divmod(int.from_bytes(entry.payload[i:i + 3], "little"), 64)
        values[register] = value
    return values


def _sigma(x):
    if x == 1:
        return math.inf
    total, weight, before = x, 1.0, None
    while total != before:
        x, before = x * x, total
        total += x * weight
        weight += weight
    return total


def _tau(x):
    if x in (0, 1):
        return 0.0
    total, weight, before = 1 - x, 1.0, None
    while total != before:
        x, before, weight = math.sqrt(x), total, weight / 2
        total -= (1 - x) ** 2 * weight
    return total / 3


def hll_estimate(entry):
    """Ertl's improved raw estimate of the number of different keys of an hll entry."""
    values = hll_registers(entry)
    count, q = len(values), 64 - entry.params["precision"]
    histogram = [0] * (q + 2)
    for value in values:
        histogram[value] += 1
    z = count * _tau(1 - histogram[q + 1] / count)
    for value in range(q, 0, -1):
        z = (z + histogram[value]) / 2
    z += count * _sigma(histogram[0] / count)
    return math.inf if z == 0 else count * count / (2 * math.log(2) * z)


@dataclass
class Counting:
    """A filter of four-bit counters; one that has reached 15 stays there."""

    rule: hashes.KeyRule
    rates: dict
    counters: list

    @classmethod
    def like(cls, entry, rule):
        return cls(rule, entry.params, [0] * (2 * len(entry.payload)))

    @classmethod
    def read(cls, entry, rule):
        return cls(rule, entry.params,
                   [half for byte in entry.payload for half in (byte & 15, byte >> 4)])

    def _places(self, key):
        block, bits = hashes.split_block_bits(self.rule, key, len(self.counters) // 256)
        return [256 * block + 32 * j + bit for j, bit in enumerate(bits)]

    def contains(self, key):
        return all(self.counters[c] for c in self._places(key))

    def add(self, key, weight=1):
        for c in self._places(key):
            self.counters[c] = min(self.counters[c] + weight, 15)

    def remove(self, key):
        """Takes a key out once; refused if it is certainly not in."""
        if not self.contains(key):
            raise KeyError(key)
        for c in self._places(key):
            self.counters[c] -= self.counters[c] < 15

    def join(self, other):
        """Adds all that was added to another filter of this size."""
        self.counters = [min(sum(pair), 15) for pair in zip(self.counters, other.counters)]

    def fold(self, divisor):
        """The filter with each `divisor` neighbouring blocks in one."""
        blocks = len(self.counters) // 256
        if divisor < 1 or blocks % divisor:
            raise ValueError(f"{divisor} does not divide {blocks} blocks")
        run = 256 * divisor
        return replace(self, counters=[min(sum(self.counters[at + c:at + run:256]), 15)
                                       for at in range(0, len(self.counters), run)
                                       for c in range(256)])

    def bits(self):
        """The payload of the bloom of the same keys."""
        number = sum(1 << c for c, counter in enumerate(self.counters) if counter)
        return number.to_bytes(len(self.counters) // 8, "little")

    def rate(self):
        return plan.bloom_current_rate(self.bits())

    def estimate(self):
        """The number of different keys that the share of zeros gives."""
        zeros = self.counters.count(0) / len(self.counters)
        return -len(self.counters) / 8 * math.log(zeros)

    def params(self):
        return self.rates

    def payload(self):
        return bytes(low | high << 4
                     for low, high in zip(self.counters[::2], self.counters[1::2]))


@dataclass
class Scalable:
    """A chain of filters, of which the last takes new keys until it is full.

    `sizes` are levels as a file has them. A level that is opened must come out like its namesake
    there, but for the last bits of a rate, which are taken from it: the documents do not say how
    to compute to the last bit.
    """

    rule: hashes.KeyRule
    shape: dict
    levels: list
    sizes: list = field(default_factory=list)

    @classmethod
    def like(cls, entry, rule):
        sizes = read_levels(entry.payload, entry.params["levels"])
        return cls(rule, {**entry.params, "chains": 1}, [], sizes)

    @classmethod
    def read(cls, entry, rule):
        return cls(rule, dict(entry.params), read_levels(entry.payload, entry.params["levels"]))

    def _holds(self, level, key):
        return filter_holds(level.kind, hashes.MIXED, level.bits, level.hashes, level.cells, key,
                            self.rule)

    def contains(self, key):
        return any(self._holds(level, key) for level in self.levels)

    def _known_rate(self, rate, name):
        """The rate, or the one of a file that differs from it in the last bits only."""
        if len(self.levels) < len(self.sizes):
            known = getattr(self.sizes[len(self.levels)], name)
            if math.isclose(rate, known, rel_tol=1e-12):
                return known
        return rate

    def _open(self):
        keys = self.shape["expected_keys"] + sum(level.expected_keys for level in self.levels)
        rate = self.shape["promised_rate"]
        for level in self.levels:
            rate -= level.promised_rate
        rate *= 1 - self.shape["ratio"]
        to_come = keys + int(keys * rate / 2)
        if rate >= 1e-4 and plan.can_be_bloom(rate):
            blocks = plan.bloom_blocks(to_come, rate)
            found = Level("bloom", 0, keys, rate, rate, 256 * blocks, 8, bytes(32 * blocks))
        else:
            planned = rate
            bits, hash_count, promised = plan.classic_size(to_come, planned)
            while promised > rate:
                planned *= 0.9
                bits, hash_count, promised = plan.classic_size(to_come, planned)
            found = Level("classic", 0, keys, rate, rate, bits, hash_count, bytes(-(-bits // 8)))
        self.levels.append(found)

    def add(self, key, weight=1):
        if self.contains(key):
            return
        if not self.levels or self.levels[-1].keys == self.levels[-1].expected_keys:
            self._open()
        last = self.levels[-1]
        if last.kind == "bloom":
            own = bloom_payload(self.rule, len(last.cells) // 32, [key])
        else:
            own = classic_payload(self.rule, hashes.MIXED, last.bits, last.hashes, [key])
        last.cells = bytes(a | b for a, b in zip(last.cells, own))
        last.keys += 1

    @staticmethod
    def _level_rate(level):
        if level.kind == "bloom":
            return plan.bloom_current_rate(level.cells)
        return plan.classic_current_rate(level.cells, level.bits, level.hashes)

    def rate(self):
        return sum(self._level_rate(level) for level in self.levels)

    def estimate(self):
        """The number of different keys: those held, and those taken for known when they came."""
        if self.shape["chains"] > 1:
            return float(sum(level.keys for level in self.levels))
        total, passed = 0.0, 1.0
        for level in self.levels:
            rate = self._level_rate(level)
            total += level.keys / (passed * (1 - rate / 8))
            passed *= 1 - rate
        return total

    def join(self, other):
        """Puts the levels of another chain after these, all closed if both have any."""
        for name in ("expected_keys", "target_rate", "promised_rate"):
            self.shape[name] = max(self.shape[name], other.shape[name])
        if not self.levels or not other.levels:
            self.levels = self.levels or other.levels
            return
        joined, self.levels = self.levels + other.levels, []
        for level in joined:
            rate = self._known_rate(self._level_rate(level), "promised_rate")
            self.levels.append(replace(level, expected_keys=level.keys, promised_rate=rate))
        self.shape["chains"] += other.shape["chains"]

    def params(self):
        return {**self.shape, "levels": len(self.levels)}

    def payload(self):
        return chain_payload(self.levels)


@dataclass
class CountMin:
    """Rows of counters; a key's count is the smallest of its counters."""

    rule: hashes.KeyRule
    shape: dict
    counters: list

    @classmethod
    def like(cls, entry, rule):
        return cls(rule, {**entry.params, "total": 0},
                   [0] * (entry.params["width"] * entry.params["depth"]))

    @classmethod
    def read(cls, entry, rule):
        size = entry.params["counter_bits"] // 8
        return cls(rule, dict(entry.params),
                   [int.from_bytes(entry.payload[at:at + size], "little")
                    for at in range(0, len(entry.payload), size)])

    def _places(self, key):
        width = self.shape["width"]
        columns = hashes.row_columns(self.rule, key, width, self.shape["depth"])
        return [i * width + column for i, column in enumerate(columns)]

    def add(self, key, weight=1):
        most, places = (1 << self.shape["counter_bits"]) - 1, self._places(key)
        floor = min(self.counters[c] for c in places) + weight
        for c in places:
            raised = (max(self.counters[c], floor) if self.shape["conservative"]
                      else self.counters[c] + weight)
            self.counters[c] = min(raised, most)
        self.shape["total"] = min(self.shape["total"] + weight, MAX64)

    def count(self, key):
        """The estimate of a key's count with its low and high bound."""
        found = min(self.counters[c] for c in self._places(key))
        total = self.shape["total"]
        slack = math.inf if total == MAX64 else math.e / self.shape["width"] * total
        full = found == (1 << self.shape["counter_bits"]) - 1
        return float(found), max(found - slack, 0.0), float(total if full else found)

    def join(self, other):
        """Adds all that was added to another sketch of this size, both of them plain."""
        most = (1 << self.shape["counter_bits"]) - 1
        self.counters = [min(sum(pair), most) for pair in zip(self.counters, other.counters)]
        self.shape["total"] = min(self.shape["total"] + other.shape["total"], MAX64)

    def params(self):
        return self.shape

    def payload(self):
        size = self.shape["counter_bits"] // 8
        return b"".join(counter.to_bytes(size, "little") for counter in self.counters)


@dataclass
class Top:
    """The keys with the largest counts."""

    rule: hashes.KeyRule
    capacity: int
    total: int = 0
    missed: int = 0
    items: dict = field(default_factory=dict)

    @classmethod
    def like(cls, entry, rule):
        return cls(rule, entry.params["capacity"])

    @classmethod
    def read(cls, entry, rule):
        items = read_items(entry.payload, entry.params["kept"], rule.key_type)
        return cls(rule, entry.params["capacity"], entry.params["total"], entry.params["missed"],
                   {item.order(): item for item in items})

    def _blank(self, key):
        """An item for a key, without counts."""
        if isinstance(key, int):
            return Item(self.rule.hash64(key), 0, 0, key)
        return Item(self.rule.hash64(key), 0, 0, key[:ITEM_KEY_BYTES], len(key) > ITEM_KEY_BYTES)

    def _purge(self):
        highs = sorted((item.high for item in self.items.values()), reverse=True)
        self.missed = highs[self.capacity]
        self.items = {order: item for order, item in self.items.items()
                      if item.high > self.missed}

    def add(self, key, weight=1):
        if weight == 0:
            return
        new = self._blank(key)
        if new.order() in self.items:
            known = self.items[new.order()]
            known.high = min(known.high + weight, MAX64)
        else:
            if len(self.items) == 2 * self.capacity:
                self._purge()
            new.high, new.error = min(self.missed + weight, MAX64), self.missed
            self.items[new.order()] = new
        self.total = min(self.total + weight, MAX64)

    def join(self, other):
        """Adds all that was added to another sketch."""
        joined = {}
        for order in {**self.items, **other.items}:
            found = [side.items.get(order) for side in (self, other)]
            item = replace(found[0] or found[1])
            item.high, item.error = (
                min(sum(getattr(own, name) if own else side.missed
                        for own, side in zip(found, (self, other))), MAX64)
                for name in ("high", "error"))
            joined[order] = item
        self.items, self.capacity = joined, min(self.capacity, other.capacity)
        self.total = min(self.total + other.total, MAX64)
        self.missed = min(self.missed + other.missed, MAX64)
        if len(joined) > 2 * self.capacity:
            self._purge()

    @staticmethod
    def _answer(item):
        low, high = float(item.high - item.error), float(item.high)
        return low, low, high

    def count(self, key):
        """The estimate of a key's count with its low and high bound."""
        item = self.items.get(self._blank(key).order())
        return self._answer(item) if item else (0.0, 0.0, float(self.missed))

    def top(self):
        """All keys as (key, cut, estimate, low, high), the largest first."""
        found = [(item.key, item.cut, *self._answer(item)) for item in self.items.values()]
        return sorted(found, key=lambda item: (-item[2], -item[4], item[0], item[1]))

    def params(self):
        return {"capacity": self.capacity, "total": self.total, "missed": self.missed,
                "kept": len(self.items)}

    def payload(self):
        return top_payload(self.items.values())


@dataclass
class Fm:
    """Groups of sub-sketches, each of which keeps its largest value."""

    rule: hashes.KeyRule
    shape: dict
    values: list

    @classmethod
    def like(cls, entry, rule):
        return cls(rule, entry.params, [0] * len(entry.payload))

    @classmethod
    def read(cls, entry, rule):
        return cls(rule, entry.params, list(entry.payload))

    def add(self, key, weight=1):
        own = hashes.tail_values(self.rule, key, len(self.values))
        self.values = [max(pair) for pair in zip(self.values, own)]

    def join(self, other):
        """Adds all that was added to another sketch of this size."""
        self.values = [max(pair) for pair in zip(self.values, other.values)]

    def _zeros(self):
        """The most trailing zeros that each sub-sketch has seen, by group."""
        width = self.shape["width"]
        zeros = [value - 1 for value in self.values]
        return [zeros[at:at + width] for at in range(0, len(zeros), width)]

    def estimate(self):
        """The median over the groups of 2^(mean K), without its bias; 1 if that is lower."""
        if not any(self.values):
            return 0.0
        return max(1.0, statistics.median(2 ** (statistics.fmean(group) - TAIL_BIAS)
                                          for group in self._zeros()) - 0.5)

    def mean_of_powers(self):
        """The median over the groups of the mean of 2^K."""
        if not any(self.values):
            return 0.0
        return statistics.median(statistics.fmean(2.0**zeros for zeros in group)
                                 for group in self._zeros())

    def params(self):
        return self.shape

    def payload(self):
        return bytes(self.values)


@dataclass
class Theta:
    """The smallest values of all keys, and the threshold above them."""

    rule: hashes.KeyRule
    precision: int
    threshold: int = 2**63 - 1
    values: set = field(default_factory=set)

    @classmethod
    def like(cls, entry, rule):
        """An empty one with the parameters of an entry."""
        return cls(rule, entry.params["precision"])

    @classmethod
    def read(cls, entry, rule):
        *values, threshold = struct.unpack(f"<{len(entry.payload) // 8}Q", entry.payload)
        return cls(rule, entry.params["precision"], threshold, set(values))

    def _cut(self):
        self.values = {value for value in self.values if value < self.threshold}
        if len(self.values) > 2**self.precision:
            self.threshold = sorted(self.values)[2**self.precision]
            self._cut()

    def add(self, key, weight=1):
        self.values.add(hashes.halved_value(self.rule, key))
        self._cut()

    def join(self, other):
        """The union with another."""
        self.precision = min(self.precision, other.precision)
        self.threshold = min(self.threshold, other.threshold)
        self.values |= other.values
        self._cut()

    def is_empty(self):
        return not self.values and self.threshold == 2**63 - 1

    def meet(self, other):
        """The intersection with another."""
        self.precision = min(self.precision, other.precision)
        certain = self.is_empty() or other.is_empty()
        self.threshold = 2**63 - 1 if certain else min(self.threshold, other.threshold)
        self.values &= other.values
        self._cut()

    def subtract(self, other):
        """The difference of this one and another."""
        if not self.is_empty():
            self.threshold = min(self.threshold, other.threshold)
        self.values -= other.values
        self._cut()

    def has(self, key):
        """Whether a key may be in: its value is there, or would not be."""
        value = hashes.halved_value(self.rule, key)
        return value in self.values or value >= self.threshold

    def estimate(self):
        if self.threshold == 2**63 - 1:
            return float(len(self.values))
        return len(self.values) / (self.threshold / 2**63)

    def params(self):
        return {"precision": self.precision}

    def payload(self):
        return struct.pack(f"<{len(self.values) + 1}Q", *sorted(self.values), self.threshold)


def fuse_places(key_hash, top, shard, bits):
    """The four slots of a hash in its shard, and its fingerprint."""
    mixed = hashes.mix64(key_hash ^ hashes.mix64(shard.attempt))
    value, rest = mixed >> 8, key_hash << top & MAX64
    if shard.attempt >= 8:
        rest = hashes.mix64(mixed + 0x9E3779B97F4A7C15 & MAX64)
    segment = (rest >> 32) * shard.segments >> 32
    return [(segment + i << shard.length) + (value >> i * shard.length & (1 << shard.length) - 1)
            for i in range(4)], value >> 56 - bits


def _shard_of_keys(keys, top, bits):
    """The shard of some hashes."""
    count = len(keys)
    if count == 0:
        return Shard(0, 0, 0, 0)
    length, segments = 0, 1
    if count > 1:
        length = min(max(int(math.log(count) / math.log(2.91) - 0.5), 0), 14)
        slots = int(count * max(1.075, 0.77 + 0.305 * math.log(600000) / math.log(count)) + 0.5)
        segments = max(1, -(-slots >> length) - 3)
    for attempt in range(256):
        segments += attempt >= 8
        shard = Shard(segments, length, attempt, 0)
        slots = _solve([fuse_places(key, top, shard, bits) for key in keys], segments + 3 << length)
        if slots is not None:
            return replace(shard, slots=sum(slot << bits * i for i, slot in enumerate(slots)))
    raise ValueError("no attempt succeeds")


def _solve(keys, size):
    """The slots in which four of each key have its fingerprint; None if this attempt fails."""
    cells, noted = [set() for _ in range(size)], []
    for number, (places, _) in enumerate(keys):
        for place in places:
            cells[place].add(number)
    alone = [i for i in range(size) if len(cells[i]) == 1]
    while alone:
        own = alone.pop()
        if len(cells[own]) != 1:
            continue
        number, = cells[own]
        places = keys[number][0]
        noted.append((number, own))
        way = places.index(own)
        for place in (places[(way + i) % 4] for i in (1, 2, 3)):
            cells[place].discard(number)
            if len(cells[place]) == 1:
                alone.append(place)
    if len(noted) < len(keys):
        return None
    slots = [0] * size
    for number, own in reversed(noted):
        places, slots[own] = keys[number]
        for place in places:
            if place != own:
                slots[own] ^= slots[place]
    return slots


@dataclass
class Fuse:
    """A filter of fingerprints: that of a file, or one to be made of all of its keys at once."""

    rule: hashes.KeyRule
    shape: dict
    shards: Optional[list] = None
    keys: set = field(default_factory=set)

    @classmethod
    def like(cls, entry, rule):
        return cls(rule, entry.params)

    @classmethod
    def read(cls, entry, rule):
        params = entry.params
        return cls(rule, params, read_shards(entry.payload, params["expected_keys"],
                                             params["bits"]))

    def add(self, key, weight=1):
        self.keys.add(self.rule.hash64(key))

    def contains(self, key):
        key_hash, bits = self.rule.hash64(key), self.shape["bits"]
        top = shard_bits(self.shape["expected_keys"])
        shard = self.shards[key_hash >> 64 - top]
        if not shard.segments:
            return False
        places, found = fuse_places(key_hash, top, shard, bits)
        for place in places:
            found ^= shard.slots >> place * bits & (1 << bits) - 1
        return found == 0

    def rate(self):
        return self.shape["promised_rate"] if self.shape["expected_keys"] else 0.0

    def estimate(self):
        return float(self.shape["expected_keys"])

    def params(self):
        return self.shape if self.shards else {**self.shape, "expected_keys": len(self.keys)}

    def _made(self):
        """The shards of the keys."""
        top = shard_bits(len(self.keys))
        return [_shard_of_keys([key for key in self.keys if key >> 64 - top == number], top,
                               self.shape["bits"]) for number in range(1 << top)]

    def payload(self):
        text = heads = b""
        for shard in self.shards or self._made():
            slots = shard.segments + 3 << shard.length if shard.segments else 0
            text += shard.slots.to_bytes((slots * self.shape["bits"] + 7) // 8, "little")
            heads += struct.pack("<IBBH", shard.segments, shard.length, shard.attempt, 0)
        return text + heads


SKETCHES = {"counting": Counting, "scalable": Scalable, "count-min": CountMin, "top": Top,
            "fm": Fm, "theta": Theta, "fuse": Fuse}
