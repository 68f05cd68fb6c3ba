"""Values that are no sketches, or not whole: an error for each, and never an answer from bytes that were not checked."""

from __future__ import annotations

import random

import pytest
from engines import Engine, Refused

ASKED = ("ink_distinct({})", "ink_info({})", "ink_contains({}, 5)", "ink_merge({})", "ink_digest({})", "ink_rate({})")


@pytest.fixture
def filter_of(engine: Engine):
    def made(low: int, high: int) -> bytes:
        engine.table("t", {"k": "int"}, [(k,) for k in range(low, high)])
        return engine.value("SELECT ink_bloom(k, 'n=3000') FROM t")

    return made


def test_damaged_values_are_refused(engine: Engine, filter_of) -> None:
    whole = filter_of(0, 3000)
    chance = random.Random(1)
    damaged = [whole[: chance.randrange(len(whole))] for _ in range(20)] + [b"", b"x" * 200, whole + b"x"]
    for _ in range(60):
        at, bit = chance.randrange(len(whole)), chance.randrange(8)
        damaged.append(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
    for value in damaged:
        for call in ASKED:
            if "contains" in call and value[:256] == whole[:256] and len(value) == len(whole):
                continue  # that may be answered from the whole one: see below
            with pytest.raises(Refused):
                engine.rows(f"SELECT {call.format('{sketch}')}".format(**engine.words), value)


@pytest.mark.parametrize("order", ["whole first", "damaged first"])
def test_no_answer_comes_from_bytes_that_were_not_checked(engine: Engine, filter_of, order: str) -> None:
    """A payload that was flipped after a good one was asked is refused, or answered as the good one is."""
    whole = filter_of(0, 3000)
    denied = bytearray(whole)
    denied[300:-300] = bytes(len(whole) - 600)  # would deny every member
    rows = [(i, whole if (i % 2 == 0) == (order == "whole first") else bytes(denied)) for i in range(200)]
    engine.table("v", {"i": "int", "b": "stored"}, rows)
    ask = "SELECT MIN(CASE WHEN ink_contains(b, i) THEN 1 ELSE 0 END) FROM v"
    try:
        assert engine.value(ask) == 1
    except Refused as refused:
        assert "ink_contains: " in str(refused)
    with pytest.raises(Refused):
        engine.rows("SELECT ink_rate(b) FROM v")


def test_values_of_one_size_are_distinguished(engine: Engine, filter_of) -> None:
    """Filters of equal size in every other row, each asked for its own keys and for others'."""
    first, second = filter_of(0, 3000), filter_of(100_000, 103_000)
    assert len(first) == len(second)
    rows = [(i, i if i % 2 == 0 else 100_000 + i, first if i % 2 == 0 else second) for i in range(1000)]
    engine.table("v", {"i": "int", "k": "int", "b": "stored"}, rows)
    assert engine.value("SELECT MIN(CASE WHEN ink_contains(b, k) THEN 1 ELSE 0 END) FROM v") == 1
    other = "SELECT SUM(CASE WHEN ink_contains(b, k + 50000) THEN 1 ELSE 0 END) FROM v"
    assert engine.value(other) < 40


def test_a_file_of_several_is_no_sketch(engine: Engine, filter_of) -> None:
    filter_of(0, 3000)
    file = engine.value("SELECT ink_file(b, g) FROM (SELECT k % 2 AS g, ink_hll(k) AS b FROM t GROUP BY k % 2) AS x")
    with pytest.raises(Refused, match="ink_distinct: "):
        engine.rows("SELECT ink_distinct({sketch})".format(**engine.words), file)
    assert len(engine.value("SELECT ink_digest({sketch})".format(**engine.words), file)) == 32
