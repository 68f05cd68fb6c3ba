"""Bloom filters of RedisBloom, which no package has: a model of its rules, checked by a vector of the real program,
makes chains of one and of many filters, and answers as ours must."""
import json
import math
import struct

from conftest import records, text_keys
from redisbloom_chain import FIXED, FORCE64, NOROUND, Chain


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
    for data in good[:-1], good + b"\0", good[:15], good[:60], b"":
        refused(data)
    fixed = Chain(0.01, 3, options=FORCE64 | NOROUND | FIXED)
    for i in range(3):
        fixed.add(b"%d" % i)
    files("fixed", fixed.scandump())
    ink("convert", "--from", "redisbloom", "fixed", "fixed.ink")
    ink("add", "fixed.ink", data=b"more\n", code=1)  # RedisBloom refuses it too
