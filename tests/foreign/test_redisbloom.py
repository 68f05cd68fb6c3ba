"""Bloom filters and count-min sketches of RedisBloom, which no package has: models of its rules, that of filters
checked by a vector of the real program, make chains of one and of many filters, and answer as ours must."""
import json
import math
import struct

import pytest
from conftest import records, text_keys
from redisbloom_chain import CMS, FIXED, FORCE64, NOROUND, Chain, dumped, fields, murmur2, text_field


def check_found(ink, sketch, keys, expected):
    """Those of the keys that a sketch may have."""
    found = ink("filter", "--in", "nul", sketch, data=records(keys), code=0 if expected else 1)
    assert found.split(b"\0")[:-1] == expected


def test_the_vector_of_redisbloom_is_the_model(ink, files):
    chain = Chain(0.01, 10)
    for key in b"hello", b"world", b"foo":
        chain.add(key)
    assert chain.scandump().hex() == (
        "0300000000000000" "01000000" "05000000" "02000000" "1000000000000000" "8000000000000000" "0300000000000000"
        "7b14ae47e17a743f" "e9862fb2350e2640" "08000000" "0a00000000000000" "00" "242022024046002000a0cc0802000244")
    files("bf", chain.scandump())
    ink("convert", "--from", "auto", "bf", "bf.ink")
    check_found(ink, "bf.ink", [b"foo", b"bar", b"hello", b"baz", b"world"], [b"foo", b"hello", b"world"])


def test_chains_answer_as_redisbloom_does(rng, ink, files):
    options = FORCE64 | rng.choice([NOROUND, NOROUND, 0])
    fixed = rng.random() < 0.2
    capacity = rng.choice([1, 10, 100])
    count = rng.randint(0, capacity) if fixed else rng.choice([0, 1, 7, 50, 300])
    rate = rng.choice([0.3, 0.05, 0.01, 1e-6])
    chain = Chain(rate, capacity, rng.choice([1, 2, 2, 4]),
                  options | (FIXED if fixed else 0))
    keys = text_keys(rng, 800)
    for key in keys[:count]:
        chain.add(key)
    for name, data in ("chunks", chain.scandump()), ("cli", chain.scandump() + b"\n"), ("dump", chain.dump()):
        files(name, data)
        ink("convert", "--from", "redisbloom", name, name + ".ink")
        assert files(name + ".ink") == files("chunks.ink")
    check_found(ink, "chunks.ink", keys, [key for key in keys if key in chain])
    answer = json.loads(ink("distinct", "--json", "chunks.ink"))
    kept = sum(one["size"] for one in chain.filters)
    assert answer["low"] == kept <= answer["estimate"] <= answer["high"], answer
    if rate < 0.1:  # else many new keys are found, and tell nothing
        assert abs(answer["estimate"] - count) <= 1 + count // 4, (answer, count)

    # Keys to come go to the last filter of theirs, while it has room.
    last = chain.filters[-1]
    if 0 < last["size"] < last["capacity"]:
        more = [key for key in keys[count:] if key not in chain][:last["capacity"] - last["size"]]
        ink("add", "--in", "nul", "chunks.ink", data=records(more[:1]))
        chain.add(more[0])
        check_found(ink, "chunks.ink", keys, [key for key in keys if key in chain])
    elif not fixed and len(chain.filters) < 20:  # the rates of more leave none for others
        ink("add", "--in", "nul", "chunks.ink", data=records(keys[count:]))
        check_found(ink, "chunks.ink", keys, keys)


@pytest.mark.parametrize("options", [0, FIXED])
@pytest.mark.parametrize("capacity, count", [(10, 3), (10, 10), (10, 35), (1, 7), (100, 250)])
def test_a_chain_takes_keys_up_to_its_capacity_and_grows_if_it_scales(ink, files, options, capacity, count):
    chain = Chain(0.001, capacity, options=options | FORCE64 | NOROUND)
    for i in range(min(count, capacity) if options & FIXED else count):
        chain.add(b"old %d" % i)
    files("bf", chain.scandump())
    ink("convert", "--from", "redisbloom", "bf", "bf.ink")

    def added(more, code=0):
        ink("add", "bf.ink", data=b"".join(b"new %d\n" % i for i in range(more)), code=code)
        return json.loads(ink("info", "--json", "bf.ink"))
    free = chain.filters[-1]["capacity"] - chain.filters[-1]["size"]
    assert added(free)["levels"] == len(chain.filters)
    before = files("bf.ink")
    if options & FIXED:
        added(free + 5, code=1)  # RedisBloom refuses it too
        assert files("bf.ink") == before
    else:
        assert added(20 * capacity)["levels"] > len(chain.filters)


def test_chains_that_redisbloom_has_not_are_refused(ink, files):
    chain = Chain(0.01, 10)
    for i in range(40):
        chain.add(b"%d" % i)
    good = chain.scandump()
    assert len(chain.filters) == 3

    def refused(data):
        files("bad", data)
        ink("convert", "--force", "--from", "redisbloom", "bad", "bad.ink", code=3)
    for at, form, value in ((0, "<Q", 41), (8, "<I", 0), (8, "<I", 2), (8, "<I", 2**32 - 1), (12, "<I", 1), (12, "<I", 21),
                            (20, "<Q", 2**63), (28, "<Q", 0), (28, "<Q", 2**60), (36, "<Q", 0), (44, "<d", 0.0),
                            (44, "<d", 1.0), (44, "<d", math.nan), (52, "<d", math.nan), (60, "<I", 9), (64, "<Q", 0),
                            (72, "<B", 44)):
        data = bytearray(good)
        struct.pack_into(form, data, at, value)
        refused(data)
    wrapped = bytearray(good)  # keys that add up to 0, modulo 2^64
    for at, value in ((0, 0), (36, 2**63), (89, 2**63 - 20), (142, 20)):
        struct.pack_into("<Q", wrapped, at, value)
    refused(wrapped)
    for data in good[:-1], good + b"\0", good[:15], good[:60], b"":
        refused(data)


class Rows:
    """What CMS.INITBYDIM, CMS.INCRBY and CMS.QUERY do."""

    def __init__(self, width, depth):
        self.width, self.depth, self.total, self.counters = width, depth, 0, [0] * (width * depth)

    def places(self, key):
        return [row * self.width + murmur2(key, row) % self.width for row in range(self.depth)]

    def add(self, key, weight):
        self.total += weight
        for at in self.places(key):
            self.counters[at] = min(self.counters[at] + weight, 2**32 - 1)

    def count(self, key):
        return min(self.counters[at] for at in self.places(key))

    def dump(self, **more):
        """With other numbers than these."""
        of = {"width": self.width, "depth": self.depth, "total": self.total} | more
        return dumped(more.get("kind", CMS), fields(of["width"], of["depth"], of["total"]) +
                      text_field(struct.pack(f"<{len(self.counters)}I", *self.counters)))


def test_counts_are_those_of_redisbloom_also_of_what_is_added_and_merged(rng, ink, files, sketches):
    rows = Rows(rng.choice([1, 7, 100, 2000]), rng.choice([1, 2, 5, 64]))
    keys = text_keys(rng, 60)
    for key in keys[:40]:
        rows.add(key, rng.choice([1, 1, 5, 2**31, 2**32 - 1]))
    files("again", rows.dump())
    ink("convert", "--from", rng.choice(["auto", "redisbloom-cms"]), "again", "again.ink")
    assert sketches.counted(keys) == [rows.count(key) for key in keys]
    asked = ink("count", "--from", "redisbloom-cms", "--json", "-e", "h\xe9", "again", code=None)
    assert json.loads(asked)["estimate"] == rows.count("h\xe9".encode())
    ink("add", "--in", "nul", "again.ink", data=records(keys[20:]))
    for key in keys[20:]:
        rows.add(key, 1)
    assert sketches.counted(keys) == [rows.count(key) for key in keys]
    ink("merge", "--force", "-o", "again.ink", "again.ink", "again.ink")
    doubled = [min(2 * rows.count(key), 2**32 - 1) for key in keys]
    assert sketches.counted(keys) == doubled


def test_what_redisbloom_has_not_is_refused_with_the_reason(sketches):
    rows = Rows(10, 2)
    rows.add(b"a", 3)
    for data, expected in (
            (rows.dump(width=0), "2 rows of 0 counters, expected 1 to 64 of 1 to 2^32"),
            (rows.dump(depth=2**63), "rows of 10 counters, expected 1 to 64"),
            (rows.dump(width=2**62), "counters, expected 1 to 64 of 1 to 2^32"),
            (rows.dump(width=20), "80 bytes for 2 rows of 20 counters of 4 bytes"),
            (rows.dump(kind=CMS + 1), "version 1 of CMSk-TYPE, expected 0"),
            (Chain(0.01, 9).dump(), "a value of the module type MBbloom--, expected CMSk-TYPE"),
            (rows.dump()[:-1], "a checksum of other bytes"),
            (b"\0" + rows.dump()[1:], "a checksum of other bytes")):
        assert expected in sketches.refused("redisbloom-cms", data)
    assert "hash xxh3, seed 7597127734790088481; expected those of the first file: bytes, redisbloom-cms, 0" \
        in refused_merge(sketches, rows)


def refused_merge(sketches, rows):
    (sketches.folder / "rows").write_bytes(rows.dump())
    sketches.ink("convert", "--from", "redisbloom-cms", "rows", "rows.ink")
    sketches.ink("build", "count-min", "--width", 10, "--depth", 2, "-o", "ours.ink", data=b"a\n")
    return sketches.ink("merge", "-o", "x.ink", "rows.ink", "ours.ink", code=3, error=True).decode()
