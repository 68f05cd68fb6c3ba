"""Pickling: to another process and back, with equal digests, and never with the secret."""

from __future__ import annotations

import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

import inkling
from inkling import Sketch

SECRET = b"sixteen bytes ok"


def fill(sketch: Sketch) -> tuple[Sketch, str]:
    """What a worker does: adds keys, and returns the digest as it sees it."""
    for number in range(10):
        sketch.add(number)
    return sketch, sketch.digest


def test_workers_get_sketches_and_give_them_back() -> None:
    empty = [Sketch("bloom", n=1000), Sketch("hll"), Sketch("top"), Sketch("count-min", eps=0.01)]
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        filled = list(pool.map(fill, empty, timeout=60))
    for sketch, (again, digest) in zip(empty, filled, strict=True):
        assert again.digest == digest == sketch.add(list(range(10))).digest
        assert again.key_type == "int" and again.records == 10


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol(protocol: int) -> None:
    sketch = Sketch("bloom", n=1000).add("a").add("b")  # which waits
    again = pickle.loads(pickle.dumps(sketch, protocol))
    assert again.digest == sketch.digest and again.to_bytes() == sketch.to_bytes()
    assert "b" in again and "b" in again.add("c").add("d") and again.records == 4


def test_a_key_type_that_is_not_decided_stays_so() -> None:
    for key in (5, "a"):
        again = pickle.loads(pickle.dumps(Sketch("bloom", n=1000, seed=7)))
        assert again.key_type is None
        assert again.add(key).digest == Sketch("bloom", n=1000, seed=7).add(key).digest


def test_the_secret_stays_at_home() -> None:
    for sketch in (Sketch("bloom", n=1000, secret=SECRET).add("a"), Sketch("bloom", n=1000, secret=SECRET)):
        encoded = pickle.dumps(sketch)
        assert SECRET not in encoded
        again = pickle.loads(encoded)
        with pytest.raises(inkling.MismatchError, match="secret"):
            again.add("b")
        assert "b" in again.unlock(SECRET).add("b")
    locked = pickle.loads(pickle.dumps(Sketch("bloom", n=1000, secret=SECRET)))
    for call in (locked.add, locked.query, locked.add_new):
        for keys in (5, "a", [5, 6], ["a"]):
            with pytest.raises(inkling.MismatchError, match="unlock the sketch with it first"):
                call(keys)
    assert locked.info.keyed and locked.key_type is None
    undecided = locked.unlock(SECRET)
    assert undecided.add(5).key_type == "int" and 5 in undecided


def test_a_view_becomes_a_sketch_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "a.ink"
    Sketch("bloom", n=1000).add("a").save(path)
    view = Sketch.open(path)
    again = pickle.loads(pickle.dumps(view))
    assert again.digest == view.digest and not again.read_only and again.add("b").records == 2


def test_the_input_spec_goes_along(tmp_path: Path) -> None:
    data = tmp_path / "words.txt"
    data.write_text("a\nb\n")
    built = inkling.build(data, "bloom", n=100, progress=False)
    assert isinstance(built, Sketch) and built._input_spec
    again = pickle.loads(pickle.dumps(built))
    assert again._input_spec == built._input_spec and again.to_bytes() == built.to_bytes()
    assert built.copy().to_bytes() == built.to_bytes() and built.copy().built == built.built
    counted = inkling.build(data, "counting", n=100)
    assert counted.built.records == 2 and counted.convert("bloom")._input_spec == counted._input_spec
    built.save(tmp_path / "words.ink")
    assert (tmp_path / "words.ink").read_bytes() == built.to_bytes()


def test_answers_and_infos_are_pickled() -> None:
    sketch = Sketch("count-min").add(["a"])
    for value in (sketch.count("a"), sketch.info, Sketch("top").add("a").top()[0]):
        assert pickle.loads(pickle.dumps(value)) == value
