"""What tasks do, called as Spark calls them, without a Spark: rows on their way, reducers, the text of lines."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

import inkling
from inkling.pieces import Assembly, Job, Reducer
from inkling.spark import _exchange, _text
from inkling.spark._exchange import Overflow, Reduce, Row, Tally, all_rows, give, local_job, pack, unpack

DATA = b"".join(b"k%d,g%d\n" % (number, number % 3) for number in range(300))
READING: dict[str, Any] = {"format": "csv", "key": 1, "by": 2}


# ---- Rows on their way ----------------------------------------------------------------------------


def test_reports_add_up_but_for_the_largest_piece() -> None:
    one, two = Tally(1, 2, 3, 4, 50, 0), Tally(10, 20, 30, 40, 5, 1)
    assert one + two == two + one == Tally(11, 22, 33, 44, 50, 1) == Tally.from_bytes((one + two).to_bytes())
    assert one.with_piece(60) == replace(one, pieces=5, largest=60)
    assert one.with_piece(7) == replace(one, pieces=5)


JSON = b'{"k": "a", "g": 1}\n{"k": "b", "g": 2}\nnothing\n'
TABLE = pa.table({"k": ["a", "b", None, None], "g": ["1", "2", "2", "2"]})


@pytest.mark.parametrize(("data", "bad", "nulls"), [(JSON, 1, 0), (TABLE, 0, 2)], ids=["bad", "nulls"])
def test_a_task_gives_its_pieces_and_then_what_it_read(data: Any, bad: int, nulls: int) -> None:
    job = Job("bloom", threads=1, key="k", by="g", **({"bad": "skip", "format": "jsonl"} if bad else {}))
    job = job if bad else job.for_rows(TABLE.schema)
    rows = list(give(job.map(data), 7))
    sizes = [len(piece) for _, _, piece, _ in rows[:-1]]
    assert {(source, tally) for _, source, _, tally in rows[:-1]} == {(7, None)} and rows[-1][2] is None
    said = Tally(records=2, bad=bad, nulls=nulls, pieces=len(sizes), largest=max(sizes))
    assert Tally.from_bytes(rows[-1][3]) == said
    assert len(list(give(job.map(data), 7, sum(sizes)))) == len(rows)  # as many bytes as it may
    more = list(give(job.map(data), 7, sum(sizes) - 1))
    assert Tally.from_bytes(more[-1][3]) == Tally(overflows=1)
    for some in (more, [*rows, *more], [*more, *rows]):
        with pytest.raises(Overflow):
            all_rows(some)
    assert all_rows(rows) == rows


def test_small_pieces_travel_together_and_large_ones_end_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_exchange, "_TOGETHER_BYTES", 10)
    rows: list[Row] = [
        (0, 1, b"12345", None), (2, 1, b"12345", None), (3, 9, b"x" * 50, None), (4, 1, None, b"tally"), (5, 1, b"", None)
    ]  # fmt: skip
    batches = list(pack(rows))
    assert [batch.num_rows for batch in batches] == [2, 1, 2]
    assert [(*row[:2], None if row[2] is None else bytes(row[2]), row[3]) for row in unpack(batches)] == rows
    assert list(pack([])) == []


def test_a_task_puts_what_memory_does_not_hold_where_spark_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_LOCAL_DIRS", "/a,/b")
    assert {**local_job(Job("hll")).options} == {**Job("hll", memory="256M", temp="/a").options}
    asked = Job("hll", memory="1G", temp="/c")
    assert local_job(asked).options == asked.options
    for nothing in ("", None):
        monkeypatch.setenv("SPARK_LOCAL_DIRS", nothing) if nothing is not None else monkeypatch.delenv("SPARK_LOCAL_DIRS")
        assert "temp" not in local_job(Job("hll")).options


def test_a_partition_with_several_buckets_reduces_each() -> None:
    job = Job("bloom,hll", threads=1, **READING).with_pieces(buckets=4)
    half = DATA.index(b"\n", len(DATA) // 2) + 1
    rows = [*give(job.map(DATA[:half]), 0), *give(job.map(DATA[half:]), 1)]
    assert len({bucket for bucket, _, piece, _ in rows if piece is not None}) > 1
    *finished, last = Reduce(job, Reducer.finish).rows(rows)
    with Assembly() as assembly:
        for _, _, piece, _ in finished:
            if piece is not None:
                assembly.add(piece)
        assert assembly.open(job).digest == inkling.build(DATA, "bloom,hll", **READING).digest
    read = Tally.from_bytes(last[3])
    assert (read.records, read.pieces) == (300, sum(piece is not None for _, _, piece, _ in rows))


def test_reducers_are_closed_whatever_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job("bloom", threads=1, **READING).with_pieces(buckets=4)
    rows = list(give(job.map(DATA), 0))
    made, real = [], Job.reducer
    monkeypatch.setattr(Job, "reducer", lambda self: made.append(real(self)) or made[-1])

    def lost() -> Iterator[Row]:
        yield from rows
        raise KeyError("lost")

    with pytest.raises(KeyError, match="lost"):
        list(Reduce(job, Reducer.finish).rows(lost()))
    assert len(made) > 1
    for reducer in made:
        with pytest.raises(ValueError, match="closed"):
            reducer.add(rows[0][2])


# ---- The text of lines ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
def test_lines_get_their_ends_back(kind: pa.DataType) -> None:
    lines = pa.array(["a", "", "bc", "é"], kind)
    for start, stop in ((0, 4), (1, 4), (1, 2), (2, 2), (3, 4)):
        for end in (b"\n", b"\0"):
            text = bytes(_text._joined(lines[start:stop], end))
            assert text == b"".join(line.encode() + end for line in lines[start:stop].to_pylist())


def lines_of(*batches: list[tuple[str, int | None]], header: bytes | None = b"id", end: bytes = b"\n") -> bytes:
    """The text of the lines of a partition, of which each has the file that it may be the start of."""
    task = _text.MapLines(Job("hll"), "the files", end, header, False, None)
    columns = [
        pa.record_batch([pa.array([line for line, _ in batch]), pa.array([file for _, file in batch], pa.int64())], ["value", "start"])
        for batch in batches
    ]
    return b"".join(map(bytes, task._texts(iter(columns))))


def test_the_first_line_of_every_file_is_left_out() -> None:
    text = lines_of([("id", 5), ("x", 5)], [("y", 5), ("\ufeffid", 9)], [("z", 9), ("id", None), ("id", 5), ("w", 5)])
    assert text == b"id\nx\ny\nz\nid\nw\n"
    assert lines_of([("in the middle", None)]) == b"id\nin the middle\n"
    with pytest.raises(inkling.MismatchError) as caught:
        lines_of([("id", 5), ("other", 9)])
    assert str(caught.value) == "the files: a file whose first line is 'other', expected 'id'"
    assert lines_of([("a", None)], header=None) == b"\xef\xbb\xbfa\n"
    assert lines_of([("a", None)], header=None, end=b"\0") == b"a\0"


def test_a_pipe_brings_all_and_what_went_wrong() -> None:
    before = len(os.listdir("/proc/self/fd")), threading.active_count()
    large = bytes(range(256)) * 1000  # more than a pipe holds
    with _text.Pipe(iter([b"abc", b"", large])) as pipe, open(pipe.path, "rb") as read:
        assert read.read() == b"abc" + large
    with _text.Pipe(iter([large, large])):
        pass  # no one reads, and no one waits

    def fails() -> Iterator[bytes]:
        yield b"abc"
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"), _text.Pipe(fails()) as pipe, open(pipe.path, "rb") as read:
        assert read.read() == b"abc"
    assert (len(os.listdir("/proc/self/fd")), threading.active_count()) == before
