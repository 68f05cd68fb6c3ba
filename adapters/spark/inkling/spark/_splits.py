"""Building from files: each is cut into splits, which tasks read, and C parses.

Where every node sees the files, Spark only assigns ranges of bytes to tasks. Other file systems, such as
HDFS, are read by Spark as lines (``_text``).
"""

from __future__ import annotations

import heapq
import os
import platform
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import pyarrow
from pyspark.sql import DataFrame, SparkSession

from inkling import FileError, InklingError, Kind, MismatchError, UsageError
from inkling.options import Column, Path, spelled_out
from inkling.pieces import Job, JobOptions, Split

from ._build import build_from
from ._exchange import SCHEMA, Row, Traffic, give, local_job, pack, task_number
from ._paths import Found, find_files, first_line, form_of, listed
from ._results import SparkSketches, local_path
from ._session import parallelism, raising_task_errors
from ._ship import context_of, task
from ._text import lines_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["FileOptions", "Files", "build_files", "file_names", "files_of"]

#: How files are read: by splits, or as lines that Spark reads; by default by splits where the driver sees the
#: files.
Read: TypeAlias = Literal["auto", "splits", "text"]

_SPLIT_BYTES_MIN = 1 << 20
_SPLIT_BYTES_MAX = 128 << 20
#: The splits of less than this for each task are not worth a second round of tasks, whose sketches would
#: travel, too.
_ONE_ROUND_BYTES = 256 << 20
#: Bytes that all tasks together may send to the driver at once.
_COLLECTED_BYTES = 128 << 20
_READS = get_args(Read)


class FileOptions(JobOptions, total=False):
    """The options of ``inkling.build``, and how large what is sent may be."""

    piece_bytes: int | None
    slice_bytes: int | None


@spelled_out(FileOptions)
def build_files(
    spark: SparkSession,
    paths: Path | Iterable[Path],
    kind: Kind | str | Iterable[Kind | str] = "bloom",
    *,
    by: Column | None = None,
    read: Read = "auto",
    **options: Unpack[FileOptions],
) -> SparkSketches:
    """Makes sketches of the records of files, or with `by` of each group: those that ``ink build`` would
    make.

    `paths` is a path, or several: of files, of folders, or patterns such as ``logs/*.tsv``. Options are those
    of ``inkling.build``: `format`, `header`, `key`, `round` and so on. Tasks get ranges of bytes of the
    files are theirs, and read them in C: every node must see the files under the same path, as on a shared
    file system. Those of other file systems, as ``hdfs:///logs``, are read by Spark, line by line, and parsed
    in C. `read` can ask for either: "splits" or "text".

    >>> ink.build_files(spark, "ratings.tsv", header=True, key="tconst", by="averageRating")  # doctest: +SKIP
    """
    given: Any = options
    traffic = Traffic(given.pop("piece_bytes", None), given.pop("slice_bytes", None))
    job = Job(kind, by=by, threads=given.pop("threads", None) or 1, **given)
    source, job = files_of(spark, paths, job, read)
    return build_from(spark, source, job, traffic, source.inputs)


def files_of(
    spark: SparkSession, paths: Path | Iterable[Path], job: Job, read: str = "auto"
) -> tuple[Any, Job]:
    """The records of files as a source, and the job that reads them; what cannot be is refused here."""
    context_of(spark)
    if read not in _READS:
        raise UsageError(f"read {read!r}, expected one of {', '.join(_READS)}")
    given = listed(paths)
    strange = [path for path in given if not _is_here(path)]
    if read == "splits" and strange:
        raise UsageError(
            'not a path that C can open, expected one of this machine, or read="text"', path=strange[0]
        )
    if read == "text" or strange:
        return lines_of(spark, given, job)
    files = [file for path in given for file in find_files(path)]
    _check(files, job)
    return Files(spark, tuple(shared_out(files, parallelism(spark), cuttable=not _is_multiline(job)))), job


def file_names(paths: Path | Iterable[Path]) -> list[str]:
    """The files of this machine that paths stand for; the others as they are."""
    given = listed(paths)
    if not all(map(_is_here, given)):
        return given
    return [file.path for path in given for file in find_files(path)]


def _is_here(path: str) -> bool:
    return local_path(path) is not None


def _is_multiline(job: Job) -> bool:
    return bool(job.options.get("csv_multiline"))


# ---- Before a job starts --------------------------------------------------------------------------


def _check(files: Sequence[Found], job: Job) -> None:
    """Refuses what the first record of each file shows: columns that are not there, other headers."""
    plain = [] if _is_multiline(job) else [file for file in files if file.compressed is None]
    if plain:
        try:
            _run(job, [Split(file.path, 0, 1) for file in plain])
        except MismatchError as error:
            raise MismatchError(f"{error.message}: {plain[0].path}", path=error.path) from None
    if job.options.get("header"):
        for file in files:
            if file not in plain:
                _check_header(file, job)


def _check_header(file: Found, job: Job) -> None:
    """Looks for columns in the first line of a file that can only be read as a whole."""
    form = job.options.get("format") or form_of(file.path)
    try:
        _run(job.replace(format=form), first_line(file))
    except InklingError as error:
        error.path = file.path
        raise


def _run(job: Job, data: Any) -> None:
    for _ in job.map(data):
        pass


# ---- Splits ---------------------------------------------------------------------------------------

#: A split as it travels: path, offset, bytes (0: to the end), and how many the whole file has.
Cut: TypeAlias = tuple[str, int, int, int]


def shared_out(files: Sequence[Found], tasks: int, *, cuttable: bool = True) -> list[tuple[Cut, ...]]:
    """Files cut into splits, and these dealt to tasks, so that all have about the same to read."""
    total = sum(file.bytes for file in files)
    rounds = 1 if total < tasks * _ONE_ROUND_BYTES else 2
    share = -(-total // (rounds * tasks))
    size = max(_SPLIT_BYTES_MIN, min(_SPLIT_BYTES_MAX, share))
    cuts = [cut for file in files for cut in _cuts(file, size, cuttable)]
    hands = min(len(cuts), max(1, -(-total // size)))
    return _dealt(cuts, hands)


def _cuts(file: Found, size: int, cuttable: bool) -> Iterator[Cut]:
    if file.bytes <= size or not cuttable or file.compressed is not None:
        yield file.path, 0, 0, file.bytes
        return
    parts = -(-file.bytes // size)
    ends = [file.bytes * part // parts for part in range(parts + 1)]
    for start, end in zip(ends, ends[1:]):
        yield file.path, start, end - start, file.bytes


def _dealt(cuts: Sequence[Cut], hands: int) -> list[tuple[Cut, ...]]:
    """The largest first, each to the task that has least."""
    dealt: list[list[Cut]] = [[] for _ in range(hands)]
    heap = [(0, hand) for hand in range(hands)]
    for cut in sorted(cuts, key=_weight, reverse=True):
        has, hand = heapq.heappop(heap)
        dealt[hand].append(cut)
        heapq.heappush(heap, (has + _weight(cut), hand))
    return [tuple(sorted(hand)) for hand in dealt]


def _weight(cut: Cut) -> int:
    _, offset, size, whole = cut
    return size or whole - offset


# ---- Tasks ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MapSplits:
    """The map of some splits, by number: of tasks as Spark counts them."""

    job: Job
    dealt: tuple[tuple[Cut, ...], ...]
    count: bool = False
    limit: int | None = None

    def __call__(self, numbers: Iterator[int]) -> Iterator[Row]:
        for number in numbers:
            splits = [_seen(*cut) for cut in self.dealt[number]]
            yield from give(local_job(self.job).map(splits, count=self.count), task_number(), self.limit)


@dataclass(frozen=True)
class MapSplitsInArrow:
    """The same where numbers come, and rows go, as Arrow batches."""

    map: MapSplits

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        numbers = (number for batch in batches for number in batch.column(0).to_pylist())
        yield from pack(self.map(numbers))


def _seen(path: str, offset: int, size: int, whole: int) -> Split:
    """A split of a file that this node sees as the driver does."""
    expected = "expected a path that every node sees, or one that Spark reads, as hdfs:///"
    try:
        there = os.stat(path).st_size
    except OSError as error:
        text = f"node {platform.node()} does not see it ({error.strerror}), {expected}"
        raise FileError(text, path=path, os_error=error.errno or 0) from None
    if there != whole:
        text = f"node {platform.node()} has {there} bytes of it, the driver {whole}"
        raise MismatchError(f"{text}, {expected}; and that no program writes meanwhile", path=path)
    return Split(path, offset, size)


@dataclass(frozen=True)
class Files:
    """Splits of files that every node sees."""

    spark: SparkSession
    dealt: tuple[tuple[Cut, ...], ...]

    @property
    def inputs(self) -> list[str]:
        """The files, for an input spec."""
        return sorted({cut[0] for hand in self.dealt for cut in hand})

    @property
    def bytes(self) -> int | None:
        return sum(_weight(cut) for hand in self.dealt for cut in hand)

    @property
    def partitions(self) -> int:
        return len(self.dealt)

    def rows(self, job: Job, *, count: bool = False) -> DataFrame:
        function = MapSplitsInArrow(MapSplits(job, self.dealt, count))
        numbers = self.spark.range(0, self.partitions, 1, self.partitions)
        return numbers.mapInArrow(task(self.spark, function), SCHEMA)

    def collected(self, job: Job, *, count: bool = False) -> Iterable[Row]:
        # Without DataFrames: such a job starts in half the time, and the first of a session seconds sooner.
        tasks = self.partitions
        function = MapSplits(job, self.dealt, count, _COLLECTED_BYTES // tasks)
        with raising_task_errors():
            numbers = self.spark.sparkContext.parallelize(range(tasks), tasks)
            return numbers.mapPartitions(task(self.spark, function)).collect()

    def nothing(self) -> Any:
        raise AssertionError("a map of files gives something, also of empty ones")
