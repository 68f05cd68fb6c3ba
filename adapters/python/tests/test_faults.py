"""Bad files, bad numbers and what is closed already, as a Python program meets them: one exception of the package,
with the sentence of the library and its place, and sketches and files as they were before.

What the library does with every byte of a file is tested in C; here is that nothing of it is lost on the way.
"""

from __future__ import annotations

import gzip
import math
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

import inkling
from inkling import Sketch

SECRET = b"sixteen bytes ok"


@pytest.fixture(name="encoded", scope="module")
def fixture_encoded() -> bytes:
    return Sketch("bloom", n=100).add([f"key {number}" for number in range(100)]).to_bytes()


def refused(data: bytes, tmp_path: Path) -> str:
    """What is said of these bytes, as bytes and as a file, which is left as it is."""
    with pytest.raises(inkling.FormatError) as as_bytes:
        Sketch.from_bytes(data)
    path = tmp_path / "bad.ink"
    path.write_bytes(data)
    with pytest.raises(inkling.FormatError) as as_file:
        inkling.open(path)
    assert as_file.value.path == str(path) and as_file.value.sentence == as_bytes.value.sentence
    assert str(as_file.value).startswith(f"{path}: byte ") and "\n" not in str(as_file.value)
    assert path.read_bytes() == data and os.listdir(tmp_path) == ["bad.ink"]
    return as_bytes.value.sentence


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    assert refused(b"", tmp_path) == "too short: 0 bytes, the header alone needs 64"


def test_every_truncation_is_refused(encoded: bytes) -> None:
    for length in range(len(encoded)):
        with pytest.raises(inkling.FormatError):
            Sketch.from_bytes(encoded[:length])


def test_every_flipped_byte_is_refused(encoded: bytes) -> None:
    for place in range(len(encoded)):
        damaged = bytearray(encoded)
        damaged[place] ^= 1 << place % 8
        with pytest.raises(inkling.FormatError):
            Sketch.from_bytes(damaged)


def test_bytes_behind_the_end_are_refused(encoded: bytes, tmp_path: Path) -> None:
    assert refused(encoded + b"x", tmp_path) == "1 bytes behind the end of the file's contents"


def test_two_files_in_one_are_told_as_such(encoded: bytes, tmp_path: Path) -> None:
    assert refused(encoded + encoded, tmp_path).startswith("another .ink file begins behind the end of this one")


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"user,day\n1,2\n", "text"),
        (gzip.compress(b"x"), "gzip data"),
        (bytes(5000), "zeros"),
        (b"HYLL" + bytes(60), "a Redis HyperLogLog"),
        (b"\1\7\0\0\0\x10" + b"Z" * 128, "a BloomFilter of Guava"),
        (pickle.dumps([1, 2, 3]), "something else"),
    ],
    ids=["text", "gzip", "zeros", "redis", "guava", "pickle"],
)
def test_files_of_other_programs_are_refused_by_name(data: bytes, name: str, tmp_path: Path) -> None:
    assert refused(data, tmp_path) == f"not an .ink file, but {name}"


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, "/dev/null", "/dev/zero"):
        with pytest.raises(inkling.InklingError, match="not a regular file"):
            inkling.open(path)
    with pytest.raises(FileNotFoundError):
        inkling.open(tmp_path / "none.ink")
    with open(tmp_path / "large.ink", "wb") as large:
        large.truncate(1 << 40)
    with pytest.raises(inkling.FormatError, match="not an .ink file, but zeros"):
        inkling.open(tmp_path / "large.ink")


@pytest.mark.parametrize("rate", [0, 1, 2, -1, math.nan, math.inf, -math.inf, 5e-324, 1e-300])
def test_a_rate_that_is_none_is_refused(rate: float) -> None:
    with pytest.raises(ValueError):
        Sketch("bloom", n=1000, p=rate)


@pytest.mark.parametrize("keys", [-1, 2**63, 2**64, 1e30, math.nan, math.inf, 0.5, "5", "1e6"])
def test_a_number_of_keys_that_is_none_is_refused(keys: Any) -> None:
    with pytest.raises((ValueError, TypeError, OverflowError, MemoryError)):
        Sketch("bloom", n=keys)


def test_another_hash_seed_or_secret_is_not_merged_and_both_are_named() -> None:
    sketch = Sketch("bloom", n=100).add("a")
    digest = sketch.digest
    for other in (Sketch("bloom", n=100, seed=5).add("b"), Sketch("bloom", n=100, hash="xxh64").add("b"),
                  Sketch("bloom", n=100, secret=SECRET).add("b")):
        with pytest.raises(inkling.MismatchError) as caught:
            sketch.merge(other)
        assert " and " in str(caught.value) or "expected" in str(caught.value)
        assert sketch.digest == digest


def test_a_wrong_secret_is_told_by_its_fingerprint_and_never_answers() -> None:
    encoded = Sketch("bloom", n=100, secret=SECRET).add("a").to_bytes()
    with pytest.raises(inkling.MismatchError) as caught:
        Sketch.from_bytes(encoded, secret=bytes(16))
    assert SECRET.hex() not in str(caught.value) and SECRET.decode() not in str(caught.value)


def test_what_is_closed_is_told_and_no_crash(encoded: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.ink"
    path.write_bytes(encoded)
    file = inkling.open(path)
    file.close()
    file.close()
    for use in (lambda: list(file), lambda: file.save(tmp_path / "b.ink"), lambda: len(file)):
        with pytest.raises((inkling.InklingError, ValueError)):
            use()
    assert os.listdir(tmp_path) == ["a.ink"]


def test_an_empty_sketch_counts_exactly_nothing() -> None:
    for kind in ("bloom", "classic", "counting", "scalable", "hll", "fm"):
        sketch = Sketch(kind, n=100) if kind in ("bloom", "classic", "counting") else Sketch(kind)
        assert float(sketch.estimate()) == 0, kind
