"""Sketch: every question to every kind, single keys and many, and what hostile arguments get."""

from __future__ import annotations

import copy
import datetime
import json
import math
import pickle
import sys
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pandas
import pytest

import inkling
from conftest import Run
from inkling import Sketch

SECRET = b"sixteen bytes ok"
FILTERS = ("bloom", "classic", "counting", "scalable")
SIZES: dict[str, dict[str, Any]] = {
    "bloom": {"n": 10_000},
    "classic": {"n": 10_000},
    "counting": {"n": 10_000},
    "scalable": {"n": 1_000},
    "count-min": {"eps": 0.001},
    "top": {"k": 10},
    "fm": {},
    "hll": {},
    "theta": {},
}


def make(kind: str, **more: Any) -> Sketch:
    return Sketch(kind, **SIZES[kind], **more)


def test_every_kind_that_takes_keys_has_a_size_here() -> None:
    assert tuple(SIZES) == tuple(kind for kind in inkling.kinds() if not inkling.kind_info(kind).made_whole)


# ---- Keys in -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SIZES)
@pytest.mark.parametrize("key_type", ["bytes", "int"])
def test_one_by_one_is_the_same_as_all_at_once(kind: str, key_type: str) -> None:
    numbers = [number % 700 - 300 for number in range(2 * 4096 + 5)]
    keys: list[Any] = numbers if key_type == "int" else [f"key {number}" for number in numbers]
    single, many = make(kind), make(kind)
    for key in keys:
        single.add(key)
    assert many.add(keys) is many
    assert single.key_type == many.key_type == key_type
    assert single.records == many.records == len(keys)
    assert single.digest == many.digest
    assert single.to_bytes() == many.to_bytes()


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(lambda keys: keys, id="list"),
        pytest.param(lambda keys: (key for key in keys), id="generator"),
        pytest.param(dict.fromkeys, id="dict"),
        pytest.param(lambda keys: array("q", keys), id="array"),
        pytest.param(lambda keys: numpy.array(keys), id="numpy"),
        pytest.param(lambda keys: numpy.array(keys, dtype=numpy.int16), id="int16"),
    ],
)
def test_many_keys_come_in_any_form(form: Any) -> None:
    keys = [5, -3, 12, 9]
    expected = Sketch("bloom", n=100).add(keys).digest
    assert Sketch("bloom", n=100).add(form(keys)).digest == expected


def test_a_tuple_is_one_key() -> None:
    sketch = Sketch("bloom", n=100).add((5, -3))
    assert sketch.records == 1 and (5, -3) in sketch and sketch.key_type == "bytes"
    assert sketch.add([(5, -3), ("a", "b")]).records == 3 and ("a", "b") in sketch


def test_one_key_of_every_type() -> None:
    day, moment = datetime.date(2024, 5, 1), datetime.datetime(2024, 5, 1, 12, 30)
    aware = moment.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
    text = Sketch("bloom", n=100)
    for key in ("é", b"bytes", bytearray(b"array"), memoryview(b"view"), ("a", 1), "", numpy.str_("scalar")):
        assert key not in text
        assert text.add(key) is text
        assert key in text and text.query(key) is True
    assert "é".encode() in text and "array" in text and "view" in text and b"\1\0\0\0a\1\0\0\0001" in text
    ints = Sketch("bloom", n=100)
    for number in (7, -1, -(2**63), 2**64 - 1, numpy.int32(12), day, moment, aware, True.__index__() + 8):
        assert ints.add(number) is ints
        assert number in ints
    assert 2**64 - 1 in ints and -1 in ints  # the same bits
    assert (day - datetime.date(1970, 1, 1)).days in ints
    assert text.records == 7 and ints.records == 9


def test_the_wide_ints_are_the_negative_ones_of_the_same_bits() -> None:
    wide = Sketch("counting", n=100, key_type="int").add(5)
    wide.add(2**64 - 3).add([2**64 - 3]).add(-3)
    assert float(wide.count(-3)) == float(wide.count(2**64 - 3)) == 3


@pytest.mark.parametrize(
    ("key", "name"),
    [(True, "bool"), (2.0, "float"), (None, "None"), (object(), "object"), (1j, "complex"), (len, "builtin")],
)
def test_what_is_no_key_is_refused_by_its_type(key: Any, name: str) -> None:
    for kind, first in (("bloom", "a"), ("bloom", 1), ("bloom", None)):
        sketch = make(kind)
        if first is not None:
            sketch.add(first)
        before = sketch.digest
        calls = (sketch.add, sketch.add_new, sketch.query, sketch.count, sketch.remove)
        for call in (*calls, sketch.__contains__):
            if key is None and call in (sketch.query, sketch.count):
                continue
            with pytest.raises(TypeError, match=name):
                call(key)
            if key is not None and call != sketch.__contains__:
                with pytest.raises(TypeError, match=name):
                    call([key])
        assert sketch.digest == before


@pytest.mark.parametrize("null", [None, pandas.NA, pandas.NaT, numpy.datetime64("NaT")], ids=str)
def test_a_null_is_in_no_sketch(null: Any) -> None:
    for first in ("a", 1, []):
        filled, counted = make("bloom").add(first), make("count-min").add(first)
        assert filled.query(null) is False and filled.query([null]) == [False]
        assert counted.count(null) == counted.count([null])[0] == 0 and repr(counted.count(null)) == "0 (exactly)"
        for ask in (filled.query, counted.count):
            with pytest.raises(inkling.MismatchError, match="is null, expected no nulls$"):
                ask(null, nulls="refuse")
            with pytest.raises(inkling.UsageError, match="key= beside a single key"):
                ask(null, key="a")
        with pytest.raises(TypeError, match="^[A-Za-z0-9.]+ cannot be a key, expected str, bytes, int, "):
            null in filled


def test_many_keys_are_asked_by_query() -> None:
    with pytest.raises(TypeError, match="^list may be many keys, expected one; query[(][)] asks about many$"):
        ["a"] in make("bloom")


@pytest.mark.parametrize("many", [False, True])
def test_a_lone_surrogate_is_no_text(many: bool) -> None:
    sketch = make("bloom").add("fine")
    key: Any = ["ok", "bad \ud800"] if many else "bad \ud800"
    for call in (sketch.add, sketch.add_new, sketch.query):
        with pytest.raises(inkling.UsageError, match="surrogate"):
            call(key)
    with pytest.raises(inkling.UsageError, match="surrogate"):
        "bad \ud800" in sketch
    assert sketch.records == 1


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1, 10**1000])
def test_an_int_beyond_64_bits_is_no_key(number: int) -> None:
    sketch = Sketch("bloom", n=100).add(1).add(2)
    for call in (sketch.add, sketch.query, sketch.__contains__, sketch.add_new):
        with pytest.raises(OverflowError, match="expected -2\\^63 to 2\\^64 - 1"):
            call(number)
    with pytest.raises(OverflowError):
        sketch.add([3, number])
    assert sketch.records == 2


def test_the_first_keys_decide_the_key_type() -> None:
    sketch = make("bloom")
    assert sketch.key_type is None and sketch.info.key_type is None
    assert 5 not in sketch and "a" not in sketch  # a question decides nothing
    assert sketch.query([1, 2]) == [False, False] and sketch.query(["a"]) == [False]
    assert sketch.key_type is None
    sketch.add([1, 2])
    assert sketch.key_type == "int"
    for call in (sketch.add, sketch.add_new, sketch.query):
        for keys in ("a", ["a"], numpy.array(["a"])):
            with pytest.raises(inkling.MismatchError, match="key_type"):
                call(keys)
    with pytest.raises(inkling.MismatchError, match="key_type"):
        "a" in sketch
    assert sketch.records == 2 and 1 in sketch


def test_a_key_type_that_is_given_stays() -> None:
    sketch = make("bloom", key_type="int")
    assert sketch.key_type == "int"
    with pytest.raises(inkling.MismatchError):
        sketch.add("a")
    with pytest.raises(inkling.MismatchError):
        "a" in sketch


def test_a_hash_that_takes_ints_alone_decides() -> None:
    assert make("bloom", hash="mix64").key_type == "int"
    with pytest.raises(inkling.UsageError, match="mmh3 takes bytes keys"):
        make("classic", hash="mmh3").add(1)


def test_nothing_decides_nothing() -> None:
    sketch = make("bloom").add([]).add(numpy.array([], dtype="i8")).add(iter(()))
    assert sketch.key_type is None and sketch.records == 0
    assert sketch.query([]) == [] and sketch.add_new([]) == [] and make("count-min").count([]) == []


def test_nulls_decide_nothing_and_are_in_nothing() -> None:
    for first in (1, "a"):
        sketch = make("bloom").add([None, None])
        assert sketch.records == 0 and sketch.query([None]) == [False] and sketch.key_type is None
        sketch.add([first, None])
        assert sketch.records == 1 and sketch.query([None, first]) == [False, True]
        sketch.add([None])
        with pytest.raises(inkling.MismatchError, match="null"):
            sketch.add([None], nulls="refuse")
        assert sketch.records == 1


def test_add_new_returns_what_was_new() -> None:
    sketch = make("bloom")
    assert sketch.add_new("a") is True and sketch.add_new("a") is False
    assert sketch.add_new(["a", "b", "b"]) == [False, True, False]
    found = sketch.add_new(numpy.array(["c", "a"]))
    assert found.dtype == bool and found.tolist() == [True, False]
    assert sketch.records == 3
    with pytest.raises(inkling.UnsupportedError):
        make("hll").add_new("a")


def test_weights() -> None:
    sketch = make("count-min").add("a", weight=5).add(["a", "b"], weight=[2, 3])
    sketch.add(numpy.array(["b", "c"]), weight=numpy.array([10, 20]))
    assert [answer.estimate for answer in sketch.count(["a", "b", "c", "d"])] == [7, 13, 20, 0]
    assert sketch.info.total == 40
    with pytest.raises(inkling.UsageError, match="threads 4294967296, expected"):
        sketch.add(["a"], threads=2**32)
    for weights in (-1, 2**64, 1.5, "x", None.__class__, [1]):
        with pytest.raises((TypeError, ValueError)):
            sketch.add("a", weight=weights)
    for weights in ([1], [1, 2, 3], -7, 2**63, True, 1.5, [1, -2], [1, 2.5]):
        with pytest.raises((TypeError, ValueError)):
            sketch.add(["a", "b"], weight=weights)
    with pytest.raises(inkling.UnsupportedError):
        make("hll").add("a", weight=2)
    assert sketch.info.total == 40


@pytest.mark.parametrize(
    "keys",
    [["a", "b", None], iter(["a", "b"]), numpy.array(["a", "b"]), pandas.DataFrame({"key": ["a", "b"]})],
    ids=lambda keys: type(keys).__name__,
)
def test_one_weight_for_all_keys(keys: Any) -> None:
    sketch = make("count-min").add(keys, weight=3).add([], weight=5)
    assert [answer.estimate for answer in sketch.count(["a", "b", "c"])] == [3, 3, 0]
    assert sketch.info.total == 6
    held = make("counting").add(["a", "a", "b", "b"]).remove(["a", "b"], weight=numpy.int8(2))
    assert held.query(["a", "b"]) == [False, False]


def test_remove() -> None:
    sketch = make("counting").add(["a", "b", "b"])
    assert sketch.remove("a") is sketch and "a" not in sketch
    sketch.remove(["b"]).remove("b", weight=1)
    assert "b" not in sketch and sketch.records == 0
    ints = make("counting").add([7, 7, 7, -3, -3])
    assert ints.remove(7, weight=2).remove(2**64 - 3, weight=2).count([7, -3]) == [1, 0]
    with pytest.raises(inkling.NotFoundError):
        sketch.remove("c")
    with pytest.raises(LookupError):
        sketch.add("d").remove(["d", "c"])
    assert "d" in sketch  # nothing of the batch was removed
    with pytest.raises(inkling.UnsupportedError):
        make("bloom").add("a").remove("a")


def test_a_table_needs_the_name_of_its_key() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"user": ["a", "b", None], "country": ["x", "y", "z"], "clicks": [1, 2, 3]})
    sketch = make("count-min").add(table, key="user", weight="clicks")
    assert [answer.estimate for answer in sketch.count(["a", "b"])] == [1, 2]
    assert sketch.count(table, key="user")["estimate"].tolist() == [1, 2, 0]
    seen, held = make("bloom"), make("counting").add(table, key="user", weight="clicks")
    assert seen.add_new(table, key="user").tolist() == seen.query(table, key="user").tolist() == [True, True, False]
    assert held.remove(table, key="user", weight="clicks").records == 0
    uses: list[Callable[..., Any]] = [make("count-min").add, seen.add_new, seen.query, sketch.count, held.remove]
    for use in uses:
        with pytest.raises(inkling.MismatchError, match="null"):
            use(table, key="user", nulls="refuse")
    tuples = make("bloom").add(table, key=["user", "country"])
    assert ("a", "x") in tuples and ("a", "y") not in tuples
    with pytest.raises(inkling.InklingError):
        make("bloom").add(table)
    with pytest.raises(inkling.InklingError):
        make("bloom").add(table, key="nobody")


def test_an_error_in_a_later_batch_names_the_row_among_all() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    column = pyarrow.chunked_array([["a", "b"], ["c", None]])
    with pytest.raises(inkling.MismatchError) as caught:
        make("bloom").add(column, nulls="refuse")
    assert (caught.value.location, caught.value.at) == ("key", 3)


def test_a_column_is_no_name_of_one() -> None:
    table = pandas.DataFrame({"a": [1, 2], "b": [1, 1]})
    for column in (table.a, numpy.array([1, 2])):
        with pytest.raises(inkling.UsageError, match="^key= is a .*, expected names or numbers of columns"):
            make("hll").add(table, key=column)
    number: Any = numpy.int64(1)
    assert make("hll").add(table, key=number).digest == make("hll").add(table, key="a").digest


def test_options_beside_one_key() -> None:
    sketch = make("bloom").add("a")
    for call in (sketch.add, sketch.query, sketch.add_new, sketch.remove):
        with pytest.raises(inkling.UsageError, match="key= beside a single key"):
            call("a", key="user")
        with pytest.raises(inkling.UsageError, match="nulls 'never', expected one of skip, refuse"):
            call("a", nulls="never")
        with pytest.raises(inkling.UsageError, match="nulls 'never'"):
            call(["a"], nulls="never")
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        sketch.add("a", color="red")
    assert sketch.add("a", nulls="skip", key=None, weight=None).records == 2


# ---- Questions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FILTERS)
def test_a_filter_denies_nothing_that_was_added(kind: str) -> None:
    sketch = make(kind)
    for number in range(1000):
        sketch.add(f"key {number}")
        assert f"key {number}" in sketch
    assert all(sketch.query([f"key {number}" for number in range(1000)]))
    non_members = sketch.query([f"non-member {number}" for number in range(10_000)])
    assert sum(non_members) <= 10_000 * sketch.info.promised_rate * 1.5  # type: ignore[operator]
    assert 0 < sketch.rate <= 0.011


def test_answers_come_as_they_were_asked() -> None:
    sketch = make("bloom").add([1, 2])
    assert sketch.query(1) is True
    assert sketch.query([1, 9]) == [True, False] and type(sketch.query([1])) is list
    assert sketch.query({1}) == [True] and sketch.query(iter([9, 2])) == [False, True]
    found = sketch.query(numpy.array([1, 9]))
    assert isinstance(found, numpy.ndarray) and found.dtype == bool and found.tolist() == [True, False]
    found[1] = True  # an array of one's own
    empty = sketch.query(numpy.array([], dtype="i8"))
    assert isinstance(empty, numpy.ndarray) and empty.dtype == bool and len(empty) == 0
    counts = make("count-min").add([1, 1, 2])
    assert isinstance(counts.count(1), inkling.Answer)
    assert [type(answer) for answer in counts.count([1, 2])] == [inkling.Answer] * 2
    answers = counts.count(numpy.array([1, 3]))
    assert answers.dtype.names == ("estimate", "low", "high", "confidence", "saturated")
    assert answers["estimate"].tolist() == [2, 0] and answers["saturated"].tolist() == [False, False]
    assert repr(counts.count([1])[0]) == repr(inkling.Answer(*answers[0].item()))


def test_without_numpy_answers_are_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    from inkling import _answers

    monkeypatch.setattr(_answers, "_numpy", lambda: None)
    assert make("bloom").add([1]).query(array("q", [1, 2])) == [True, False]
    assert make("count-min").add([1]).count(array("q", [1]))[0].estimate == 1


def test_what_is_asked_of_a_kind_that_cannot_is_unsupported() -> None:
    hll, bloom, top = make("hll").add("a"), make("bloom").add("a"), make("top").add("a")
    for call in (
        lambda: "a" in hll,
        lambda: hll.query(["a"]),
        lambda: hll.count("a"),
        lambda: hll.rate,
        lambda: bloom.count("a"),
        lambda: bloom.top(),
        lambda: bloom.over(3),
        lambda: bloom.dot(bloom),
        lambda: top.estimate(),
        lambda: top.fold(2),
        lambda: top & top.copy(),
        lambda: hll.convert("bloom"),
    ):
        with pytest.raises(TypeError) as caught:
            call()
        assert isinstance(caught.value, inkling.UnsupportedError)


def test_top_and_over() -> None:
    sketch = make("top").add(["a"] * 5 + ["b"] * 3 + ["c"])
    found = [(item.key, item.estimate, item.cut) for item in sketch.top(2)]
    assert found == [("a", 5, False), ("b", 3, False)]
    assert len(make("top").add(range(12)).top()) == 10 and len(Sketch("top").add(range(30)).over(50)) == 30
    assert len(sketch.top()) == 3 and sketch.top(0) == [] and len(sketch.top(10**15)) == 3
    assert [item.key for item in sketch.over(2)] == ["a"]
    ints = make("top").add([-5, -5, 2**64 - 1])
    assert [item.key for item in ints.top()] == [-5, -1]
    odd = make("top").add([b"\xff", "", "x" * 5000])
    assert {item.key for item in odd.top() if not item.cut} == {b"\xff", ""}
    assert [item.cut for item in odd.top() if item.key not in (b"\xff", "")] == [True]
    for k in (-1, 2**64, 1.5, math.nan, "x", None):
        with pytest.raises((TypeError, ValueError)):
            sketch.top(k)  # type: ignore[arg-type]
        with pytest.raises((TypeError, ValueError)):
            sketch.over(k)  # type: ignore[arg-type]


def test_the_columns_of_a_key() -> None:
    items = make("top").add([("a", 1), ("a", 1), (b"\xff", "")]).top()
    assert [item.columns for item in items] == [("a", "1"), (b"\xff", "")]
    for key in ("plain", 5):
        with pytest.raises(inkling.UnsupportedError, match="expected one"):
            make("top").add([key]).top()[0].columns


def test_estimate() -> None:
    for kind in ("hll", "fm", "bloom", "classic"):
        answer = make(kind).add(range(1000)).estimate()
        assert answer.low <= answer.estimate <= answer.high and 600 < float(answer) < 1500
        empty = make(kind).estimate()
        assert (empty, empty.low, empty.high) == (0, 0, 0)
    sketch = make("fm").add(range(1000))
    assert sketch.estimate(0.99).confidence == 0.99
    assert sketch.estimate(estimator="seed").estimate != sketch.estimate().estimate
    for confidence in (0, 1, -1, 2, math.nan, "x", None, True):
        with pytest.raises((TypeError, ValueError)):
            sketch.estimate(confidence)  # type: ignore[arg-type]
    for estimator in ("default", 5, ""):
        with pytest.raises(inkling.UsageError, match="estimator"):
            sketch.estimate(estimator=estimator)  # type: ignore[arg-type]


def test_there_are_no_more_different_keys_than_records() -> None:
    sketch = inkling.Sketch("hll").add(map(str, range(1, 20001)))
    said, alone = sketch.estimate(), sketch.estimate(estimator="unlimited")
    assert (said, said.low, said.high, said.confidence) == (20000, alone.low, 20000, 0.95)  # as ink distinct answers of the same lines
    assert (round(alone), round(alone.high)) == (20059, 20382)
    twice = sketch | sketch
    assert twice.estimate() == alone  # of 40,000 records


def test_dot() -> None:
    a, b = make("count-min").add(["x", "x", "y"]), make("count-min").add(["x", "z"])
    assert float(a.dot(b)) == 2 and float(a.dot(a)) == 5
    with pytest.raises(inkling.MismatchError):
        a.dot(Sketch("count-min", eps=0.1).add("x"))
    with pytest.raises(TypeError, match="dot with str, expected a Sketch"):
        a.dot("b")  # type: ignore[arg-type]


# ---- Combine -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SIZES)
def test_merging_is_adding(kind: str) -> None:
    a, b = make(kind).add(["a", "b"]), make(kind).add(["b", "c"])
    union = a | b
    assert union.records == 4 and a.records == b.records == 2
    a |= b
    assert a.digest == union.digest
    if kind in FILTERS:
        assert union.query(["a", "b", "c"]) == [True] * 3


def test_equal_sketches_are_the_same_bytes_and_have_no_hash() -> None:
    def bees(kind: str = "bloom", **options: Any) -> Sketch:
        return Sketch(kind, **{"n": 100, **options}).add("bee")

    one = bees()
    assert one == one == bees() == one.copy() == Sketch.from_bytes(one.to_bytes()) and not one != bees()
    assert one == inkling.build(b"bee\n", "bloom", n=100)  # however it was read
    others = (bees(n=200), bees(p=0.1), bees(seed=1), bees("counting"), bees().add("cow"), bees().add("bee"))
    assert all(one != other for other in (*others, Sketch("bloom", n=100).add(7), one.digest, None))
    assert one in [others[0], bees()] and [bees()] == [one]
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


def test_merging_several_is_all_or_nothing() -> None:
    a, b, c, odd = (make("bloom").add(key) for key in "abcd")
    odd = make("bloom", seed=7).add("d")
    before = a.digest
    with pytest.raises(inkling.MismatchError):
        a.merge(b, c, odd)
    assert a.digest == before
    assert a.merge(b, c) is a
    assert a.query(["a", "b", "c"]) == [True] * 3 and a.records == 3
    assert a.merge() is a and a.records == 3
    a.add("e").add("f")
    assert "e" in a and "f" in a and a.records == 5


def test_a_sketch_and_itself() -> None:
    sketch = make("bloom").add(["a", "b"])
    assert (sketch | sketch).query(["a", "b"]) == [True, True]
    assert (sketch & sketch).records == 2
    with pytest.raises(inkling.UsageError):
        sketch.merge(sketch)
    with pytest.raises(inkling.UsageError):
        sketch |= sketch
    assert sketch.records == 2


def test_intersecting() -> None:
    a, b = make("bloom").add(["a", "b"]), make("bloom").add(["b", "c"])
    assert (a & b).query(["a", "b", "c"]) == [False, True, False]
    a &= b
    assert "b" in a and "a" not in a


def test_subtracting() -> None:
    a, b = inkling.Sketch("theta").add(range(100)), inkling.Sketch("theta").add(range(90, 300))
    found = [(a - b).estimate(), (b - a).estimate(), (a & b).estimate(), (a | b).estimate()]
    assert found == [90, 200, 10, 300] and all(answer.confidence == 1 for answer in found)
    a -= b
    assert a.estimate() == 90
    with pytest.raises(inkling.UnsupportedError, match="hll"):
        make("hll") - make("hll")


@pytest.mark.parametrize("kind", [kind for kind in inkling.kinds() if inkling.kind_info(kind).ranks["overlap"]])
def test_overlaps_have_bounds_that_hold(kind: str) -> None:
    a, b = inkling.Sketch(kind).add(range(20_000)), inkling.Sketch(kind).add(range(15_000, 25_000))
    found = a.overlap(b, confidence=0.999)
    true = (20_000, 10_000, 25_000, 5_000, 15_000, 5_000, 0.2, 0.25, 0.5)
    for name, answer, size in zip(found._fields, found, true):
        assert answer.low <= size <= answer.high, (name, answer)
        assert answer.low <= answer.estimate <= answer.high and answer.confidence in (0.999, 1), name
    assert found.method == ("inclusion-exclusion" if kind == "hll" else "sampled")
    assert a.jaccard(b, confidence=0.999) == found.jaccard and repr(found.jaccard).endswith("%)")
    assert pickle.loads(pickle.dumps(found)) == found
    assert repr(a.overlap(b)) == repr(a.overlap(b, confidence=0.95)) != repr(found)
    assert repr(a.jaccard(b)) == repr(a.overlap(b).jaccard)
    turned = b.overlap(a, confidence=0.999)
    assert (turned.only_a, turned.b_in_a.low) == (found.only_b, found.a_in_b.low)


def test_overlaps_that_are_refused() -> None:
    hll = inkling.Sketch("hll").add(range(10))
    with pytest.raises(inkling.MismatchError, match="kinds differ"):
        hll.overlap(make("fm").add(range(10)))
    with pytest.raises(inkling.UnsupportedError, match="bloom cannot tell what two sets have in common"):
        make("bloom").overlap(make("bloom"))
    with pytest.raises(inkling.MismatchError, match="key types differ"):
        hll.overlap(inkling.Sketch("hll").add("a"))
    with pytest.raises(inkling.UsageError, match="confidence 0"):
        hll.overlap(hll, confidence=0)
    with pytest.raises(TypeError, match="expected a Sketch"):
        hll.jaccard(5)  # type: ignore[arg-type]


def test_operators_with_something_else() -> None:
    sketch = make("bloom")
    for other in (None, 5, "a", {"a"}):
        for operation in ("__or__", "__and__", "__sub__", "__ior__", "__iand__", "__isub__"):
            assert getattr(sketch, operation)(other) is NotImplemented
        with pytest.raises(TypeError):
            sketch | other  # type: ignore[operator]
        with pytest.raises(TypeError, match="expected a Sketch"):
            sketch.merge(other)  # type: ignore[arg-type]


def test_an_undecided_sketch_meets_any() -> None:
    ints = make("bloom").add(5)
    assert (make("bloom") | ints).query(5) and (ints | make("bloom")).query(5)
    empty = make("bloom")
    ints |= empty
    assert empty.key_type is None and ints.records == 1
    both = make("bloom") | make("bloom")
    assert both.key_type is None and both.add(1).key_type == "int"
    empty.merge(make("bloom").add("a"))
    assert empty.key_type == "bytes" and "a" in empty


def test_what_is_asked_or_refused_decides_no_key_type() -> None:
    undecided = make("count-min")
    undecided.dot(make("count-min").add(5))
    with pytest.raises(inkling.MismatchError):
        undecided.merge(make("hll").add(5))
    with pytest.raises(inkling.MismatchError):
        undecided.merge(make("count-min").add(5), make("count-min").add("a"))
    assert undecided.key_type is None and not undecided.records


def test_many_are_merged_whichever_of_them_is_decided() -> None:
    undecided = make("hll")
    undecided.merge(make("hll"), make("hll").add(5), make("hll"), undecided)
    assert undecided.key_type == "int" and undecided.records == 1


def test_a_weight_of_nothing_lets_no_key_be_lost() -> None:
    held = make("counting").add("a", weight=0).add("b")
    with pytest.raises(inkling.MismatchError):
        held.add(7)
    assert "b" in held and held.records == 1


def test_parts_of_one_set_merge_into_what_all_of_it_makes() -> None:
    parts = [Sketch("bloom", n=100, p=0.01).add(range(start, start + 100)) for start in (0, 100, 200)]
    with pytest.warns(inkling.PromiseWarning):
        whole = Sketch("bloom", n=100, p=0.01).add(range(300))
    assert parts[0].copy().merge(*parts[1:], parts=True).digest == whole.digest
    with pytest.raises(inkling.UsageError):
        parts[0].merge(parts[1], parts=True, max_rate=0.5)
    with pytest.raises(TypeError, match="parts of type int, expected True or False"):
        parts[0].merge(parts[1], parts=1)  # type: ignore[arg-type]


def test_the_promise_is_kept_unless_a_rate_is_allowed() -> None:
    a = Sketch("bloom", n=100, p=0.001).add([f"a{i}" for i in range(100)])
    b = Sketch("bloom", n=100, p=0.001).add([f"b{i}" for i in range(100)])
    with pytest.raises(inkling.PromiseError):
        a.merge(b)
    assert a.records == 100
    assert a.merge(b, max_rate=0.5).info.promised_rate == 0.5
    for rate in (0, -1, 2, math.nan, "x"):
        with pytest.raises((TypeError, ValueError)):
            a.merge(b, max_rate=rate)  # type: ignore[arg-type]


def test_the_promise_of_a_classic_of_few_keys_is_above_its_target(ink: Run, tmp_path: Path) -> None:
    sketch = Sketch("classic", n=10, p=0.01)
    sketch.save(tmp_path / "few.ink")
    info = sketch.info
    shown = json.loads(ink("info", "--json", tmp_path / "few.ink").stdout)
    assert info.target_rate == shown["target_rate"] == 0.01
    assert info.promised_rate == shown["promised_rate"] == pytest.approx(0.0216, abs=1e-4)


def test_folding() -> None:
    big, small = Sketch("bloom", bits=1 << 16), Sketch("bloom", bits=1 << 14)
    big.add(["a", "b"])
    small.add("a").add("b")
    assert big.fold(4) is big
    assert big.info.bits == 1 << 14 and big.query(["a", "b"]) == [True, True]
    assert small.fold(p=0.01).info.bits < 1 << 14
    planned = Sketch("bloom", bits=1 << 16, n=5000).add("a")
    promised = planned.info.promised_rate
    assert planned.fold().info.bits < 1 << 16 and planned.rate <= promised == planned.info.promised_rate
    with pytest.raises(inkling.UsageError, match="p 0"):
        planned.fold(p=0)
    with pytest.raises(inkling.UsageError, match="divisor 0|by 0"):
        planned.fold(0)
    with pytest.raises(inkling.UsageError, match="no target rate"):
        big.fold()
    for arguments in ({"by": 2, "p": 0.1}, {"by": 0}, {"by": -1}, {"by": 7}, {"p": 2}, {"p": math.nan}):
        with pytest.raises(ValueError):
            big.fold(**arguments)  # type: ignore[arg-type]
    for arguments in ({"by": "x"}, {"p": "x"}):
        with pytest.raises(TypeError):
            big.fold(**arguments)  # type: ignore[arg-type]


def test_copying_and_converting() -> None:
    sketch = make("counting").add(["a", "b"])
    for copied in (sketch.copy(), copy.copy(sketch), copy.deepcopy([sketch])[0]):
        assert copied.digest == sketch.digest
        copied.add("c")
        assert "c" not in sketch
    bloom = sketch.remove("a").convert("bloom")
    assert bloom.kind == "bloom" and "b" in bloom and "a" not in bloom
    for kind in ("nothing", "hll", "a\0b", "\ud800"):
        with pytest.raises((TypeError, ValueError)):
            sketch.convert(kind)
    with pytest.raises(TypeError, match="kind of type int, expected str"):
        sketch.convert(5)  # type: ignore[arg-type]
    undecided = make("bloom").copy()
    assert undecided.key_type is None and undecided.add(3).key_type == "int"


def test_an_undecided_sketch_stays_undecided_when_it_is_converted_and_folded() -> None:
    keyed: dict[str, Any] = {"n": 5000, "p": 0.02, "secret": b"sixteen bytes ok"}
    for keys in (5, "a", [7, 8], [b"x"]):
        made = Sketch("counting", **keyed).convert("bloom")
        assert made.key_type is None and made.query(keys) in (False, [False, False], [False])
        again = pickle.loads(pickle.dumps(made)).unlock(b"sixteen bytes ok")
        expected = Sketch("counting", **keyed).add(keys).convert("bloom")
        for one in (made.copy(), again, made):
            assert one.add(keys).digest == expected.digest and one.key_type == expected.key_type
        assert Sketch("bloom", bits=1 << 16).fold(4).add(keys).digest == Sketch("bloom", bits=1 << 14).add(keys).digest
        shared = Sketch("bloom", bits=1 << 16).fold(4).share().add(keys)
        assert shared.info.concurrent and shared.info.bits == 1 << 14 and keys if isinstance(keys, list) else keys in shared


# ---- What is added one by one is always seen ------------------------------------------------------


def waiting(kind: str = "bloom", key: Any = "waits") -> Sketch:
    """A sketch with a key that was added after the first one, which decided the type."""
    return make(kind).add("first" if isinstance(key, (str, bytes)) else 1).add(key)


@pytest.mark.parametrize("key", ["waits", b"waits", "wäits", 12345])
def test_single_keys_are_seen_by_everything(key: Any, tmp_path: Path) -> None:
    first: Any = 1 if isinstance(key, int) else "first"
    expected = make("bloom").add([first, key])
    digest, encoded = expected.digest, expected.to_bytes()
    assert key in waiting(key=key)
    assert waiting(key=key).query(key) is True
    assert waiting(key=key).query([key]) == [True]
    assert waiting(key=key).add_new(key) is False
    assert waiting(key=key).add_new([key]) == [False]
    assert waiting(key=key).records == 2
    assert waiting(key=key).info.records == 2
    assert waiting(key=key).digest == digest
    assert waiting(key=key).to_bytes() == encoded
    assert waiting(key=key).rate == expected.rate
    assert waiting(key=key).estimate() == expected.estimate()
    assert "2 records" in repr(waiting(key=key))
    assert "<td>2</td>" in waiting(key=key)._repr_html_()
    assert waiting(key=key).copy().digest == digest
    assert waiting(key=key).convert("bloom").digest == digest
    assert waiting(key=key).fold(1).digest == digest
    assert (waiting(key=key) | make("bloom")).records == 2
    other = make("bloom")
    other.merge(waiting(key=key))  # as the other operand
    assert other.digest == digest
    other = make("bloom").add(first)
    other |= waiting(key=key)
    assert key in other
    assert key in (expected & waiting(key=key))
    assert make("bloom").merge(waiting(key=key), waiting(key=key)).records == 4
    waiting(key=key).save(tmp_path / "waits.ink")
    assert (tmp_path / "waits.ink").read_bytes() == encoded
    assert waiting(key=key)._handle


def test_single_keys_are_counted_in_every_kind() -> None:
    assert float(waiting("count-min").count("waits")) == 1
    assert float(waiting("count-min").count(["waits"])[0]) == 1
    assert waiting("count-min").info.total == 2
    assert float(waiting("count-min").dot(waiting("count-min"))) == 2
    assert float(make("count-min").add("waits").dot(waiting("count-min"))) == 1
    assert len(waiting("top").top()) == len(waiting("top").over(3)) == 2
    assert "waits" not in waiting("counting").remove("waits")
    assert waiting("counting").remove(["waits"]).records == 1
    assert waiting("bloom").add(["more"]).records == 3
    assert waiting("count-min").add("waits", weight=3).info.total == 5


def test_texts_and_bytes_go_together() -> None:
    sketch = make("bloom").add("first")
    for number in range(50):
        sketch.add(f"a{number}").add(f"b{number}".encode()).add(f"é{number}").add("x" * 300)
    assert sketch.records == 201
    assert all(sketch.query([f"{letter}{number}" for letter in "abé" for number in range(50)]))
    assert "x" * 300 in sketch and "x" * 299 not in sketch


def test_who_asks_after_every_key_finds_it() -> None:
    ints = list(range(500))
    for keys in ([f"é {number}" for number in ints], ints, [b"%d" % number for number in ints]):
        sketch = make("counting")
        for key in keys:
            assert sketch.add(key) is sketch and key in sketch
        assert sketch.records == 500
        for key in keys:
            sketch.add(key)
        assert sketch.records == 1000
        with pytest.raises((TypeError, ValueError)):
            sketch.add("text" if isinstance(keys[0], int) else 5)
        assert sketch.add(keys[0]).add(keys[1]).records == 1002


# ---- Files and secrets ------------------------------------------------------------------------------


def test_saving_and_opening(tmp_path: Path) -> None:
    sketch = make("bloom").add(["a", "b"])
    path = tmp_path / "some.ink"
    assert sketch.save(path) is None  # type: ignore[func-returns-value]
    sketch.save(str(path))
    view = Sketch.open(path)
    assert view.read_only and "a" in view and view.digest == sketch.digest
    for change in (
        lambda: view.add("c"),
        lambda: view.add(["c"]),
        lambda: view.add_new("c"),
        lambda: view.merge(sketch),
        lambda: view.merge(sketch, sketch),
        lambda: view.fold(2),
    ):
        with pytest.raises(inkling.ReadOnlyError):
            change()
    writable = view.copy()
    assert not writable.read_only and "c" in writable.add("c")
    copied = Sketch.open(path, copy=True)
    assert not copied.read_only and copied.add("c").records == 3
    assert Sketch.open(path, lazy=True, kind="bloom").query("a") is True
    path.unlink()
    assert "a" in view  # which keeps its file
    assert (view | sketch).records == 4


def test_paths_that_cannot_be(tmp_path: Path) -> None:
    sketch = make("bloom")
    with pytest.raises(OSError) as caught:
        sketch.save(tmp_path / "nowhere" / "a.ink")
    assert caught.value.filename == str(tmp_path / "nowhere" / "a.ink") and caught.value.errno
    with pytest.raises(ValueError, match="NUL"):
        sketch.save("a\0b")
    for path in (None, 5, 1.5, object()):
        with pytest.raises(TypeError):
            sketch.save(path)  # type: ignore[arg-type]


@pytest.mark.parametrize("data", [b"", b"x", b"\0" * 1000])
def test_bytes_that_are_no_file(data: bytes) -> None:
    with pytest.raises(inkling.FormatError):
        Sketch.from_bytes(data)


def test_bytes_of_any_type_and_damaged() -> None:
    encoded = make("bloom").add("a").to_bytes()
    for data in (encoded, bytearray(encoded), memoryview(encoded)):
        assert "a" in Sketch.from_bytes(data)
    for damaged in (encoded[:-1], encoded + b"x", encoded[:50] + bytes([encoded[50] ^ 1]) + encoded[51:]):
        with pytest.raises(inkling.FormatError):
            Sketch.from_bytes(damaged)
    for other in (None, "text", 5, [1]):
        with pytest.raises(TypeError, match="expected the bytes of a file"):
            Sketch.from_bytes(other)  # type: ignore[arg-type]


def test_a_secret_is_needed_and_never_shown() -> None:
    sketch = make("bloom", secret=SECRET).add(["a", "b"])
    assert "a" in sketch and sketch.info.keyed and sketch.info.seed is None
    for text in (repr(sketch), sketch._repr_html_(), repr(sketch.info), sketch.info._repr_html_()):
        assert SECRET.decode() not in text and SECRET.hex() not in text
    encoded = sketch.to_bytes()
    assert SECRET not in encoded
    locked = Sketch.from_bytes(encoded)
    asks = (lambda: "a" in locked, lambda: locked.query(["a"]))
    for ask in (*asks, lambda: locked.add("c"), lambda: locked.add(["c"])):
        with pytest.raises(inkling.MismatchError, match="secret"):
            ask()
    assert locked.records == 2 and locked.copy().digest == sketch.digest
    with pytest.raises(inkling.MismatchError):
        locked.unlock(bytes(16))
    assert locked.unlock(SECRET) is locked and "a" in locked and "c" in locked.add("c").add("d")
    assert "a" in Sketch.from_bytes(encoded, secret=bytearray(SECRET))  # type: ignore[arg-type]
    with pytest.raises(inkling.MismatchError):
        make("bloom").unlock(SECRET)


def test_secrets_of_the_wrong_length_or_type() -> None:
    for secret in (b"", b"x", b"x" * 15, b"x" * 17):
        count = "1 byte" if len(secret) == 1 else f"{len(secret)} bytes"
        for use in (lambda: make("bloom", secret=secret), lambda: make("bloom").unlock(secret)):
            with pytest.raises(inkling.UsageError, match=f"a secret of {count}, expected 16") as caught:
                use()
            assert not secret or "xxxx" not in str(caught.value)
    for other in ("sixteen bytes ok", 5, 1.5):
        with pytest.raises(TypeError, match="expected 16 bytes"):
            make("bloom", secret=other)


# ---- Parameters -----------------------------------------------------------------------------------


def test_sizes_are_ints_or_whole_floats() -> None:
    assert Sketch("bloom", n=1e4).digest == Sketch("bloom", n=10_000).digest
    assert Sketch("bloom", n=numpy.int64(10_000)).digest == Sketch("bloom", n=10_000).digest
    assert Sketch("bloom", n=10_000, p=numpy.float64(0.01)).digest == Sketch("bloom", n=10_000).digest


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "bloom needs n, or its size in bits"),
        ({"n": 0}, "n 0, expected a whole number from 1 to 18446744073709551615"),
        ({"n": -1}, "n -1, expected a whole number from 1 to 18446744073709551615"),
        ({"n": 1.5}, "n 1.5, expected a whole number"),
        ({"n": math.nan}, "n nan, expected a whole number"),
        ({"n": math.inf}, "n inf, expected a whole number"),
        ({"n": 2**64}, "n 18446744073709551616, expected a whole number"),
        ({"n": 10**500}, "n of 1661 bits, expected a whole number"),
        ({"n": 10, "p": 0}, "p 0, expected a number above 0"),
        ({"n": 10, "p": -1}, "p -1, expected above 0 and below 1"),
        ({"n": 10, "p": math.nan}, "p nan, expected above 0 and below 1"),
        ({"n": 10, "p": 10**400}, "p of 1329 bits, expected a number that a float can hold"),
        ({"n": 10, "hashes": 2**32}, "hashes 4294967296, expected a whole number from 1 to 4294967295"),
        ({"n": 10, "precision": 12}, "bloom has no precision"),
        ({"n": 10, "conservative": True}, "bloom has no conservative"),
        ({"n": 10, "hash": "nothing"}, 'hash "nothing", expected xxh3, mix64, '),
        ({"n": 10, "hash": ""}, 'hash "", expected xxh3, '),
        ({"n": 10, "hash": "a\0b"}, "a NUL in hash"),
        ({"n": 10, "seed": -1}, "seed -1, expected a whole number from 0"),
        ({"n": 10, "key_type": "text"}, "key_type 'text', expected 'bytes' or 'int'"),
    ],
)
def test_parameters_out_of_range(options: dict[str, Any], message: str) -> None:
    for use in (lambda: Sketch("bloom", **options), lambda: inkling.plan("bloom", **options)):
        with pytest.raises(ValueError) as caught:
            use()
        assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("kind", "option"),
    [("classic", "hashes"), ("count-min", "depth"), ("count-min", "counters"), ("top", "k"), ("hll", "precision")],
)
def test_numbers_of_32_bits_are_not_cut(kind: str, option: str) -> None:
    with pytest.raises(inkling.UsageError, match=f"^{option} 4294967301, expected .* from 1 to 4294967295$"):
        inkling.plan(kind, **{option: 2**32 + 5})


def test_numbers_of_64_bits_and_a_seed_of_0_stay() -> None:
    assert inkling.plan("count-min", width=2**32, depth=1).width == 2**32
    assert inkling.plan("bloom", bits=2**37).bits == 2**37 and inkling.plan("bloom", n=1e10).keys == 10**10
    assert inkling.plan("bloom", n=9, seed=0).seed == 0


@pytest.mark.parametrize(
    "option", ["n", "p", "bits", "hashes", "ratio", "hash", "seed", "conservative", "key_type"]
)
def test_parameters_of_the_wrong_type(option: str) -> None:
    for value in (object(), [], b"x", True if option not in ("conservative",) else 1):
        with pytest.raises(TypeError, match=f"{option} of type"):
            Sketch("bloom", **{"n": 10, option: value})


def test_kinds_that_cannot_be() -> None:
    with pytest.raises(inkling.UsageError, match='kind "blom", expected one of bloom, '):
        Sketch("blom")
    with pytest.raises(inkling.UnsupportedError, match="an empty fuse, .* or a build"):
        Sketch("fuse")
    for kind in (None, 5, b"bloom", ["bloom"]):
        with pytest.raises(TypeError, match="kind of type"):
            Sketch(kind)  # type: ignore[arg-type]
    for kind in ("\ud800", "bloom\0"):
        with pytest.raises(ValueError):
            Sketch(kind)
    with pytest.raises(TypeError):
        Sketch("bloom", m=5)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Sketch("bloom", 10)  # type: ignore[misc]


def test_more_memory_than_there_is() -> None:
    with pytest.raises((MemoryError, OverflowError, ValueError)):
        Sketch("classic", n=2**63, p=0.0001)


# ---- What it is -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SIZES)
def test_info_has_what_applies(kind: str) -> None:
    info = make(kind, key_type="int").info
    assert info == inkling.plan(kind, key_type="int", **SIZES[kind])
    assert info.kind == kind and info.key_type == "int" and info.records == 0 and not info.keyed
    assert (info.promised_rate is not None) == (kind in FILTERS)
    assert (info.keys is not None) == (kind in FILTERS)
    assert (info.total is not None) == (kind in ("count-min", "top"))
    assert (info.levels is not None) == (kind == "scalable")
    assert (info.precision is not None) == (kind in ("hll", "theta"))
    assert (info.conservative is not None) == (kind == "count-min")
    assert (info.missed is not None) == (kind == "top")
    assert (info.standard_error is not None) == (kind in ("fm", "hll", "theta"))
    with pytest.raises(AttributeError):
        info.kind = "other"  # type: ignore[misc]


def test_plans_of_kinds_that_grow() -> None:
    small, large = inkling.plan("scalable"), inkling.plan("scalable", filled=1e7)
    assert small.bytes < large.bytes and small.levels == 0 and large.levels > 1  # type: ignore[operator]
    for filled in (-1, math.nan, "x", 2**64):
        with pytest.raises((TypeError, ValueError)):
            inkling.plan("scalable", filled=filled)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        inkling.plan("bloom", m=5)  # type: ignore[call-arg]


def test_attributes_are_what_they_are() -> None:
    sketch = make("bloom")
    for name in ("kind", "records", "digest", "info", "rate", "key_type", "read_only"):
        with pytest.raises(AttributeError):
            setattr(sketch, name, 5)
        with pytest.raises(AttributeError):
            delattr(sketch, name)
    with pytest.raises(AttributeError):
        sketch.other = 5  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        iter(sketch)  # type: ignore[call-overload]


def test_a_sketch_that_was_never_made_or_lost_its_parts_raises() -> None:
    empty = Sketch.__new__(Sketch)
    for call in (lambda: "a" in empty, lambda: empty.add("a"), lambda: empty.records, lambda: repr(empty)):
        with pytest.raises(AttributeError):
            call()
    sketch = make("bloom").add("a").add("b")
    del sketch._lock
    for call in (lambda: "a" in sketch, lambda: sketch.add("a"), lambda: sketch.records):
        with pytest.raises(AttributeError):
            call()


def test_add_says_what_it_takes() -> None:
    import inspect

    assert str(inspect.signature(Sketch.add)).replace("/, ", "").startswith("(self, keys")
    assert list(inspect.signature(Sketch.add).parameters) == ["self", "keys", "key", "weight", "nulls", "threads"]


def _one_by_one(sketch: Sketch) -> None:
    for number in range(3000):
        sketch.add(f"{number}")
    assert "0" in sketch  # what waits is added


def _asked_between(sketch: Sketch) -> None:
    for number in range(3000):
        sketch.add(number)
        assert number in sketch


def test_what_stands_beside_a_single_key_is_looked_at() -> None:
    counts, filter = Sketch("count-min").add("a"), Sketch("bloom", n=100).add("a")
    counts.add("a", threads=5).add("a", nulls="skip", weight=3)
    assert counts.count("a") == 5 and counts.count("a", nulls="skip") == 5
    calls: list[Callable[[], Any]] = [
        lambda: counts.add("a", weight=2, key="k"),
        lambda: counts.add("a", nulls="never"),  # type: ignore[arg-type]
        lambda: counts.add("a", "b"),  # type: ignore[misc]
        lambda: counts.add("a", weight=2, wait=3),  # type: ignore[call-arg]
        lambda: counts.count("a", key="k"),
        lambda: counts.count("a", "b"),  # type: ignore[call-overload]
        lambda: filter.add_new("b", key="k"),
        lambda: filter.add_new("b", nulls="never"),  # type: ignore[call-overload]
        lambda: filter.add_new("b", "c"),  # type: ignore[call-overload]
    ]
    for call in calls:
        with pytest.raises((TypeError, inkling.UsageError)):
            call()
    assert counts.count("a") == 5 and filter.records == 1


@pytest.mark.parametrize("key", ["a", 7])
def test_a_full_counter_is_reported_of_a_single_key_too(key: str | int) -> None:
    counts = Sketch("counting", n=100)
    for times in range(1, 21):
        counts.add(key)
        assert counts.count(key).saturated == counts.count([key])[0].saturated == (times >= 15), times


def test_a_warning_is_about_the_line_that_added_too_many_keys() -> None:
    def by_key(sketch: Sketch) -> int:
        for key in range(500):
            sketch.add(key)
        return sys._getframe().f_lineno - 1

    def in_bulk(sketch: Sketch) -> int:
        sketch.add(range(500))
        return sys._getframe().f_lineno - 1

    def by_answer(sketch: Sketch) -> int:
        sketch.add_new(list(range(500)))
        return sys._getframe().f_lineno - 1

    for fill in (by_key, in_bulk, by_answer):
        with pytest.warns(inkling.PromiseWarning) as said:
            line = fill(Sketch("bloom", n=10))
        assert (said[0].filename, said[0].lineno) == (__file__, line), fill.__name__


@pytest.mark.parametrize(
    "fill",
    [
        lambda sketch: sketch.add(range(3000)),
        lambda sketch: sketch.add(list(range(3000)), threads=2),
        lambda sketch: [sketch.add(range(start, start + 300)) for start in range(0, 3000, 300)],
        lambda sketch: sketch.add_new(list(range(3000))),
        _one_by_one,
        _asked_between,
    ],
)
@pytest.mark.parametrize("kind", ["bloom", "classic", "counting"])
def test_a_filter_that_gets_more_keys_than_planned_warns_once(kind: str, fill: Any) -> None:
    full = Sketch(kind, n=1000)
    with pytest.warns(inkling.PromiseWarning, match="above the 0.01.* promised for 1,000 keys") as said:
        fill(full)
        full.add(range(3000, 9000)) if full.info.key_type == "int" else full.add(map(str, range(3000, 9000)))
    assert len(said) == 1 and said[0].filename == __file__
    assert full.overfull
    by_hand = Sketch(kind, bits=8192, hashes=3 if kind == "classic" else None)
    for other in Sketch(kind, n=3000), Sketch(kind, n=1000, max_rate=1), by_hand:
        fill(other)  # warnings are errors here
        assert not other.overfull


def test_a_filter_with_the_planned_keys_does_not_warn_however_often_they_come() -> None:
    for start in range(0, 20_000, 100):
        sketch = Sketch("bloom", n=100)
        for _ in range(5):
            sketch.add(range(start, start + 100))
        assert not sketch.overfull
    assert not Sketch("scalable", n=10).add(range(10_000)).overfull
    assert not Sketch("hll").add(range(10_000)).overfull


def test_keys_that_ask_the_sketch_they_are_added_to() -> None:
    sketch = Sketch("bloom", n=50_000).add("a")

    def keys() -> Any:
        for number in range(40_000):
            if number % 10_000 == 0:
                sketch.add(f"inner {number}")
                assert f"inner {number}" in sketch and sketch.records > 0
            yield f"{number}"

    sketch.add(keys())
    assert sketch.records == 40_005 and sketch.query(["0", "39999", "inner 10000"]) == [True] * 3


def test_a_generator_that_fails_keeps_its_error() -> None:
    sketch = make("bloom").add("a")

    def keys() -> Any:
        yield "b"
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        sketch.add(keys())
    assert sketch.records == 1
