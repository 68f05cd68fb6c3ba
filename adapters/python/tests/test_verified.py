"""A verification in pieces: what is counted range by range adds up to what inkling.verify reports."""

from __future__ import annotations

import random
from typing import Any

import pyarrow
import pytest

import inkling
from inkling.pieces import Job
from inkling.verified import add_up, count_bucket, job_for

ROWS = 3_000


@pytest.fixture(scope="module")
def table() -> pyarrow.Table:
    generator = random.Random(8)
    return pyarrow.table({
        "k": [f"t{generator.randrange(4_000)}" for _ in range(ROWS)],
        "i": [generator.randrange(-900, 900) for _ in range(ROWS)],
        "g": [generator.choice(["a", "b", None]) for _ in range(ROWS)],
    })  # fmt: skip


def pieces_of(job: Job, table: pyarrow.Table, maps: int) -> dict[int, list[bytes]]:
    """What `maps` maps give, by bucket."""
    found: dict[int, list[bytes]] = {}
    for number in range(maps):
        start, end = ROWS * number // maps, ROWS * (number + 1) // maps
        for bucket, piece in job.map(table.slice(start, end - start)):
            found.setdefault(bucket, []).append(piece)
    return found


def in_file(built: Any) -> inkling.Sketches:
    """Sketches, also of a single one."""
    return built if isinstance(built, inkling.Sketches) else inkling.Sketches.from_bytes(built.to_bytes())


@pytest.mark.parametrize("buckets", [1, 8])
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("bloom", {"key": "k", "by": "g"}),
        ("bloom", {"key": ["k", "i"], "by": "g", "secret": b"s" * 16}),
        ("bloom", {"key": "i"}),
        ("counting", {"key": "i", "by": "g", "seed": 7}),
        ("classic", {"key": "k", "by": "g", "hash": "mmh3"}),
        ("scalable", {"key": "k", "by": "g", "n": 100}),
        ("fuse", {"key": "k", "by": "g", "secret": b"s" * 16}),
        ("fuse", {"key": "i"}),
    ],
)
def test_parts_add_up(table: pyarrow.Table, kind: str, options: dict[str, Any], buckets: int) -> None:
    file = in_file(inkling.build(table, kind, **options))
    columns = {name: options[name] for name in ("key", "by") if name in options}
    tests = None if "by" in options else 20_000
    job = job_for(file, buckets=buckets, **columns)
    pieces = pieces_of(job, table, 3)
    parts = [count_bucket(file, job, at, pieces.get(at, []), tests=tests) for at in range(buckets)]
    random.Random(buckets).shuffle(parts)
    found = add_up(file, buckets, parts)
    assert found == inkling.verify(file, table, tests=tests, **columns)
    assert found.ok and file.records == ROWS


def test_bad_records_and_nulls_are_reported(table: pyarrow.Table) -> None:
    file = in_file(inkling.build(table, "bloom", key="i"))
    job = job_for(file, buckets=1, key="i")
    found = add_up(file, 1, [count_bucket(file, job, 0, [], tests=10)], bad=3, nulls=4)
    assert (found.records, found.bad, found.nulls) == (0, 3, 4)


def test_what_is_missing_or_damaged_is_an_error(table: pyarrow.Table) -> None:
    file = inkling.build(table, "bloom", key="k", by="g")
    other = inkling.build(table.slice(0, 10), "bloom", key="k", by="g")
    job = job_for(file, buckets=2, key="k", by="g")
    part = count_bucket(file, job, 0, pieces_of(job, table, 1)[0])
    with pytest.raises(inkling.NotFoundError, match="nothing for bucket 1, expected a part for each of 2"):
        add_up(file, 2, [part])
    with pytest.raises(inkling.UsageError):
        add_up(file, 2, [part, part])
    with pytest.raises(inkling.FormatError):
        add_up(file, 2, [part[:-1]])
    with pytest.raises(inkling.MismatchError):
        add_up(other, 2, [part])
    with pytest.raises(inkling.FormatError):
        count_bucket(file, job, 0, [b"no piece"])
    with pytest.raises(inkling.NotFoundError, match="no sketches, expected some to verify"):
        job_for(inkling.build(b"", "bloom", format="csv", key=1, by=2), buckets=1)
    with pytest.raises(inkling.UnsupportedError, match="hll in parts, expected filters"):
        counted = in_file(inkling.build(table, "hll", key="k"))
        count_bucket(counted, job_for(counted, buckets=1, key="k"), 0, [])
