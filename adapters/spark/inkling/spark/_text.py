"""Files of other file systems: Spark reads their lines, and C parses them as it parses a file.

Lines come as Arrow arrays without their ends. A task puts the ends back, and hands the text over through a
pipe, so that C reads it as a stream, and no process holds it whole. The first line of each file, where it
names columns, is left out; all files have the same, which goes first through every pipe.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow
import pyarrow.compute
from pyspark.sql import SparkSession, functions

from inkling import InklingError, MismatchError, UsageError
from inkling.options import Format
from inkling.pieces import Job

from ._exchange import give, local_job, pack, task_number
from ._frames import FrameSource, Map
from ._paths import form_of
from ._session import errors_of_file

__all__ = ["Lines", "lines_of"]

#: What ends a record, by form: those that Spark can read so.
_ENDS = {"lines": "\n", "csv": "\n", "tsv": "\n", "jsonl": "\n", "nul": "\0"}
#: The byte-order mark of UTF-8.
_MARK = b"\xef\xbb\xbf"
#: Files of which the first lines are compared before a job starts; those of others are compared by tasks.
_COMPARED_FILES = 16


def lines_of(spark: SparkSession, paths: list[str], job: Job) -> tuple[Lines, Job]:
    """The lines of files as a source, and the job that reads them."""
    form = job.options.get("format")
    if form is not None and form not in _ENDS:
        raise UsageError(
            f"format {form} through Spark, expected {', '.join(_ENDS)}, or files that every node sees"
        )
    if job.options.get("csv_multiline"):
        raise UsageError("csv_multiline through Spark, expected files that every node sees")
    end = _ENDS[form or "lines"]
    with errors_of_file(_paths_text(paths), "read"):
        df = spark.read.text(paths, lineSep=end)
        files = sorted(df.inputFiles())
    job = job.replace(format=form or _form(files))
    header = None
    if job.options.get("header"):
        header = _header(spark, files, job)
        named = functions.col("_metadata.file_path")
        start = functions.when(functions.col("_metadata.file_block_start") == 0, functions.xxhash64(named))
        df = df.select("value", start.alias("start"))
    return Lines(df, tuple(paths), end.encode(), header), job


def _form(files: list[str]) -> Format:
    """The form that the names of all files stand for."""
    forms: dict[Format, str] = {form_of(file): file for file in files} or {"lines": ""}
    if len(forms) > 1:
        (one, first), (other, second) = list(forms.items())[:2]
        raise UsageError(
            f"{first} is {one} and {second} is {other} by its name, expected format=, or one form"
        )
    return next(iter(forms))


def _paths_text(paths: Sequence[str]) -> str:
    """What errors call the files that were asked for."""
    return paths[0] if len(paths) == 1 else f"{paths[0]} and others"


def _header(spark: SparkSession, files: list[str], job: Job) -> bytes:
    """The line that names the columns; it must be the same in all files, and have the columns of the job."""
    header = _first_line(spark, files[0]) if files else b""
    for other in files[1:_COMPARED_FILES]:
        found = _first_line(spark, other)
        if found != header:
            shown = f"its first line is {_quoted(found)}, expected {_quoted(header)}, that of {files[0]}"
            raise MismatchError(shown, path=other)
    try:
        for _ in job.map(header + b"\n"):
            pass
    except InklingError as error:
        error.path = files[0] if files else None
        raise
    return header


def _first_line(spark: SparkSession, file: str) -> bytes:
    """The first line of a file that Spark knows, without its end."""
    jvm: Any = spark._jvm
    settings = spark._jsc.hadoopConfiguration()
    with errors_of_file(file, "read"):
        path = jvm.org.apache.hadoop.fs.Path(jvm.java.net.URI(file))
        stream = path.getFileSystem(settings).open(path)
        try:
            codec = jvm.org.apache.hadoop.io.compress.CompressionCodecFactory(settings).getCodec(path)
            plain = stream if codec is None else codec.createInputStream(stream)
            line = jvm.org.apache.hadoop.io.Text()
            jvm.org.apache.hadoop.util.LineReader(plain, b"\n").readLine(line)
        finally:
            stream.close()
    return bytes(line.copyBytes()).removeprefix(_MARK)


def _quoted(line: bytes) -> str:
    return repr(line.decode("utf-8", "backslashreplace"))


@dataclass(frozen=True)
class Lines(FrameSource):
    """Lines that Spark reads, and the start of each file, where that must be known."""

    paths: tuple[str, ...]
    end: bytes
    header: bytes | None

    @property
    def inputs(self) -> list[str]:
        return list(self.paths)

    def nothing(self) -> Any:
        return b"" if self.header is None else self.header + b"\n"

    def function(self, job: Job, count: bool, limit: int | None) -> Map:
        return MapLines(job, _paths_text(self.paths), self.end, self.header, count, limit)


# ---- Tasks ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MapLines:
    """The map of the lines of a partition."""

    job: Job
    shown: str
    end: bytes
    header: bytes | None
    count: bool
    limit: int | None

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        first = next(batches, None)
        if first is None:
            return
        with Pipe(self._texts(itertools.chain([first], batches))) as pipe:
            pieces = local_job(self.job).map(pipe.path, count=self.count)
            try:
                yield from pack(give(pieces, task_number(), self.limit))
            except InklingError as error:
                if error.path == pipe.path:  # whose lines are those of any file
                    raise type(error)(error.message, path=self.shown) from None
                raise

    def _texts(self, batches: Iterable[pyarrow.RecordBatch]) -> Iterator[Any]:
        """The text of lines, with their ends."""
        if self.header is not None:
            yield self.header + self.end
        elif self.end == b"\n":
            yield _MARK  # which ink drops: Spark has dropped those of files, and others are of keys
        before = pyarrow.scalar(None, pyarrow.int64())
        for batch in batches:
            lines = batch.column(0)
            if self.header is not None:
                starts = batch.column(1)
                lines = self._without_headers(lines, starts, before)
                before = starts[-1]
            yield _joined(lines, self.end)

    def _without_headers(
        self, lines: pyarrow.Array, starts: pyarrow.Array, before: pyarrow.Scalar
    ) -> pyarrow.Array:
        """Lines but for the first of each file: where a file starts that is not that of the line before."""
        compute = pyarrow.compute
        others = pyarrow.concat_arrays([pyarrow.array([before.as_py()], starts.type), starts[:-1]])
        changes = compute.fill_null(compute.not_equal(starts, others), True)
        first = compute.and_(compute.is_valid(starts), changes)
        for line in lines.filter(first):
            found = line.as_buffer().to_pybytes().removeprefix(_MARK)
            if found != self.header:
                expected = _quoted(self.header or b"")
                raise MismatchError(
                    f"a file whose first line is {_quoted(found)}, expected {expected}", path=self.shown
                )
        return lines.filter(compute.invert(first))


def _joined(lines: pyarrow.Array, end: bytes) -> Any:
    """Lines with their ends, as they stood in the file: Arrow's strings stand one after the other."""
    parts = (pyarrow.scalar(text, lines.type) for text in ("", end.decode()))
    ended = pyarrow.compute.binary_join_element_wise(lines, *parts)
    offsets = ended.buffers()[1]
    wide = pyarrow.types.is_large_string(ended.type)
    numbers = memoryview(offsets).cast("q" if wide else "i")
    text = ended.buffers()[2]
    return memoryview(b"" if text is None else text)[
        numbers[ended.offset] : numbers[ended.offset + len(ended)]
    ]


class Pipe:
    """Text on its way to the reader of `path`, which is a pipe; a thread writes it."""

    def __init__(self, texts: Iterator[Any]) -> None:
        self._reads, writes = os.pipe()
        self.path = f"/proc/self/fd/{self._reads}"
        self._failure: Exception | None = None
        self._thread = threading.Thread(
            target=self._write, args=(texts, writes), name="inkling-text", daemon=True
        )
        self._thread.start()

    def _write(self, texts: Iterator[Any], writes: int) -> None:
        try:
            with open(writes, "wb", buffering=0) as stream:
                for text in texts:
                    rest = memoryview(text)
                    while rest:
                        rest = rest[stream.write(rest) :]
        except BrokenPipeError:
            pass  # the reader is gone: the job has ended
        except Exception as failure:
            self._failure = failure

    def __enter__(self) -> Pipe:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        os.close(self._reads)
        self._thread.join()
        if self._failure is not None:
            raise self._failure
