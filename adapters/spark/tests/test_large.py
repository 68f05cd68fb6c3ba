"""Sketches too large to travel whole, made in ranges and slices; and tasks that fail, are repeated, or lose
their node: the digest is the same, and every row is counted once."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow
import pytest
from conftest import digest, masters
from pyspark.sql import DataFrame, SparkSession

import inkling
import inkling.spark as ink
from inkling.pieces import Plan
from inkling.spark import _exchange

ROWS = 20_000
#: Sketches of more bytes travel in slices, and pieces have at most this many bytes.
SLICE = PIECE = 4096
KINDS = ["bloom", "counting", "count-min", "hll"]
#: Options with which each kind is larger than a slice.
SIZES: dict[str, dict[str, Any]] = {
    "bloom": {"n": ROWS},
    "counting,classic": {"n": ROWS},
    "count-min": {"width": 5000, "depth": 3},
}


def rows(spark: SparkSession) -> DataFrame:
    return spark.range(0, ROWS, 1, 5).selectExpr("id % 15000 as id", "id % 3 as g")


@pytest.fixture(scope="module")
def table() -> pyarrow.Table:
    return pyarrow.table({"id": [i % 15000 for i in range(ROWS)], "g": [i % 3 for i in range(ROWS)]})


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[Plan]:
    """How builds were done, of data that seems to be large enough for four ranges."""
    monkeypatch.setattr("inkling.spark._frames.size_estimate", lambda df: 8 * SLICE)
    made: list[Plan] = []
    real = _exchange._finished_there

    def noting(spark: Any, source: Any, job: Any, plan: Plan, traffic: Any) -> Iterator[Any]:
        made.append(plan)
        return real(spark, source, job, plan, traffic)

    monkeypatch.setattr(_exchange, "_finished_there", noting)
    return made


# ---- Ranges and slices ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SIZES)
@pytest.mark.parametrize("by", [None, "g"])
def test_large_sketches(
    spark: SparkSession,
    table: pyarrow.Table,
    plans: list[Plan],
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    by: Any,
) -> None:
    monkeypatch.setattr(_exchange, "SMALL_BYTES", -1)
    options = SIZES[kind]
    made = ink.build(rows(spark), kind, key="id", by=by, slice_bytes=SLICE, piece_bytes=PIECE, **options)
    assert digest(made) == digest(inkling.build(table, kind, key="id", by=by, **options))
    assert made.built.records == ROWS
    assert made.built.largest_piece <= PIECE
    assert made.built.pieces > 10
    assert [(plan.ranged, plan.buckets) for plan in plans] == [
        (False, 2) if kind == "count-min" else (True, 4)
    ]


@pytest.mark.parametrize("by", [None, "g"])
def test_a_fuse_is_made_by_one_task_and_sent_whole(
    spark: SparkSession, table: pyarrow.Table, plans: list[Plan], monkeypatch: pytest.MonkeyPatch, by: Any
) -> None:
    monkeypatch.setattr(_exchange, "SMALL_BYTES", -1)
    made = ink.build(rows(spark), "fuse", key="id", by=by, p=0.001, slice_bytes=SLICE, piece_bytes=PIECE)
    assert digest(made) == digest(inkling.build(table, "fuse", key="id", by=by, p=0.001))
    assert made.built.records == ROWS and made.built.largest_piece > PIECE
    assert not any(plan.ranged or plan.measure for plan in plans)


@pytest.mark.parametrize(("kind", "by"), [("bloom", None), ("bloom", "g"), ("counting", None)])
def test_large_sketches_without_a_size(
    spark: SparkSession, table: pyarrow.Table, plans: list[Plan], kind: str, by: Any
) -> None:
    """How many keys there are is measured first, of pieces that wait meanwhile; groups that may be large are
    counted before, which is done for more data only."""
    small = SLICE if by is None else SLICE // 8
    made = ink.build(rows(spark), kind, key="id", by=by, slice_bytes=small, piece_bytes=PIECE)
    assert [(plan.measure, plan.ranged) for plan in plans] == [(True, True)]
    assert digest(made) == digest(inkling.build(table, kind, key="id", by=by))
    assert made.built.records == ROWS
    assert made.built.largest_piece <= PIECE


def test_several_large_kinds(spark: SparkSession, table: pyarrow.Table, plans: list[Plan]) -> None:
    made = ink.build(rows(spark), KINDS, key="id", width=5000, depth=3, slice_bytes=SLICE, piece_bytes=PIECE)
    assert [plan.measure for plan in plans] == [True]
    assert made.digest == inkling.build(table, KINDS, key="id", width=5000, depth=3).digest


def test_empty_and_large(spark: SparkSession, plans: list[Plan]) -> None:
    made = ink.build(spark.range(0), "bloom", key="id", n=ROWS, slice_bytes=SLICE, piece_bytes=PIECE)
    nothing = pyarrow.table({"id": pyarrow.array([], pyarrow.int64())})
    assert digest(made) == inkling.build(nothing, key="id", n=ROWS).digest


def test_few_keys_in_many_ranges(spark: SparkSession, plans: list[Plan]) -> None:
    made = ink.build(spark.range(3), "bloom", key="id", n=ROWS, slice_bytes=SLICE, piece_bytes=PIECE)
    assert digest(made) == inkling.build(pyarrow.table({"id": [0, 1, 2]}), key="id", n=ROWS).digest


def test_large_sketches_of_files(spark: SparkSession, plans: list[Plan], tmp_path: pathlib.Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("".join(f"word-{number % 15000}\n" for number in range(ROWS)))
    made = ink.build_files(spark, path, "bloom", slice_bytes=4 * SLICE, piece_bytes=PIECE)
    assert [(plan.measure, plan.ranged) for plan in plans] == [(True, True)]
    want = inkling.build(path, "bloom")
    assert digest(made) == want.digest
    made.save(tmp_path / "made.ink")
    assert inkling.open(tmp_path / "made.ink").sketch().digest == want.digest


@pytest.mark.parametrize("name", ["slice_bytes", "piece_bytes"])
def test_sizes_that_cannot_be(spark: SparkSession, name: str) -> None:
    for size in (0, -1, 1.5, "much"):
        with pytest.raises((inkling.UsageError, TypeError, OverflowError), match=name):
            ink.build(spark.range(3), "bloom", key="id", **{name: size})


# ---- Tasks that do not go well --------------------------------------------------------------------


@pytest.fixture
def once(tmp_path: pathlib.Path) -> Callable[[str], Callable[[], bool]]:
    """Something that is true once, wherever it is asked first."""

    def make(name: str) -> Callable[[], bool]:
        path = str(tmp_path / name)

        def first() -> bool:
            import os

            try:
                os.close(os.open(path, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return False
            return True

        return first

    return make


def troubled(spark: SparkSession, trouble: Callable[[], None]) -> DataFrame:
    """The rows, with trouble in the middle of one partition."""

    def passing(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            yield batch
            if ROWS // 2 in batch.column("id").to_pylist():
                trouble()

    return rows(spark).mapInArrow(passing, "id long, g long")


def lose_node() -> None:
    """Kills the executor that this worker belongs to."""
    import os
    import signal

    with open(f"/proc/{os.getppid()}/stat") as file:  # of the daemon that workers come from
        executor = int(file.read().rpartition(")")[2].split()[1])
    os.kill(executor, signal.SIGKILL)


def checked(made: inkling.spark.SparkSketches, table: pyarrow.Table, **options: Any) -> None:
    assert made.digest == inkling.build(table, ["bloom", "hll"], key="id", by="g", **options).digest
    assert (made.built.records, made.built.nulls) == (ROWS, 0)


@pytest.fixture
def by_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_exchange, "SMALL_BYTES", -1)


def test_a_task_that_fails_at_first(
    cluster: SparkSession, by_tasks: None, table: pyarrow.Table, once: Callable[[str], Callable[[], bool]]
) -> None:
    first = once("failed")

    def fail() -> None:
        if first():
            raise RuntimeError("at first")

    checked(ink.build(troubled(cluster, fail), ["bloom", "hll"], key="id", by="g"), table)
    assert not first()


def test_a_node_that_is_lost_while_it_maps(
    cluster: SparkSession, by_tasks: None, table: pyarrow.Table, once: Callable[[str], Callable[[], bool]]
) -> None:
    first, lose = once("lost"), lose_node

    def die() -> None:
        if first():
            lose()

    checked(ink.build(troubled(cluster, die), ["bloom", "hll"], key="id", by="g"), table)
    assert not first()


def test_a_node_that_is_lost_while_it_reduces(
    cluster: SparkSession,
    by_tasks: None,
    table: pyarrow.Table,
    once: Callable[[str], Callable[[], bool]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What its maps had given is lost, too, and is made again."""
    first, lose, real = once("lost"), lose_node, _exchange._reduced

    def reduced(spark: SparkSession, pieces: DataFrame, job: Any, step: Any) -> DataFrame:
        def dying(reducer: Any) -> Any:
            if first():
                lose()
            return step(reducer)

        return real(spark, pieces, job, dying)

    monkeypatch.setattr(_exchange, "_reduced", reduced)
    checked(ink.build(rows(cluster), ["bloom", "hll"], key="id", by="g"), table)
    assert not first()


@pytest.fixture
def two_hosts(spark_home: pathlib.Path, tmp_path: pathlib.Path) -> Iterator[str]:
    """A master whose workers have addresses of their own: Spark starts no copy of a task on the same."""
    with masters(spark_home, tmp_path, "127.0.0.2", "127.0.0.3") as address:
        yield address


@pytest.mark.long
def test_a_task_that_runs_twice_at_a_time(
    two_hosts: str,
    start: Callable[..., SparkSession],
    by_tasks: None,
    table: pyarrow.Table,
    tmp_path: pathlib.Path,
) -> None:
    """Spark starts a copy of a task that is slow, and takes what comes first."""
    settings = {
        "spark.speculation": "true",
        "spark.speculation.interval": "20ms",
        "spark.speculation.multiplier": "1",
        "spark.speculation.quantile": "0.5",
        "spark.speculation.efficiency.enabled": "false",
    }
    spark = start(two_hosts, settings)
    begun, copied = str(tmp_path / "begun"), str(tmp_path / "copied")

    def wait_for_copy() -> None:
        import os
        import time

        try:
            os.mkdir(begun)
        except FileExistsError:  # this is the copy
            os.mkdir(copied)
        for _ in range(6000):
            if os.path.exists(copied):
                return
            time.sleep(0.01)

    checked(ink.build(troubled(spark, wait_for_copy), ["bloom", "hll"], key="id", by="g"), table)
    assert (tmp_path / "copied").exists()
    spark.stop()
