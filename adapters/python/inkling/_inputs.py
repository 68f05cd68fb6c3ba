"""What a job reads, and one run of it: the data, and the options of running, as the structs that jobs take."""

from __future__ import annotations

import ctypes
import errno
import glob
import io
import os
import re
from collections.abc import Callable, Iterable, Mapping
from ctypes import byref, c_char_p, c_void_p
from dataclasses import dataclass
from typing import Any, TypeAlias

from ._arrow import Stream, as_stream, parquet_table, reads_batches
from ._errors import MissingFileError, UsageError, spoken_path
from ._library import (
    FORM_DEFAULT,
    FORMAT,
    MISMATCH,
    NOT_FOUND,
    OK,
    PROMISE,
    UNSUPPORTED,
    InkError,
    InkInput,
    InkJob,
    check,
    path_bytes,
    whole,
)
from ._progress import ProgressOption, Watch
from ._reading import Reading, is_arrow
from .options import Column, Path, RecordOptions, ResourceOptions

__all__ = [
    "Data",
    "Inputs",
    "Options",
    "PlainOptions",
    "Run",
    "RunOptions",
    "Split",
    "matching",
    "split",
]

#: A path, several, records in memory, or a table of any library that speaks Arrow.
Data: TypeAlias = Path | bytes | bytearray | memoryview | Iterable[Path] | Any

_PARQUET = (".parquet", ".pq")
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?)([KMGT]?)", re.ASCII)


# ---- Options that all jobs share ------------------------------------------------------------------


class RunOptions(ResourceOptions, total=False):
    """How a job runs."""

    progress: ProgressOption


class PlainOptions(RecordOptions, RunOptions, total=False):
    """How records are read, and how the job runs, but for groups."""


class Options(PlainOptions, total=False):
    """How records are read, and how the job runs."""

    by: Column | None


def split(options: PlainOptions) -> tuple[RecordOptions, RunOptions]:
    """The options of reading, and those of running."""
    running = RunOptions.__annotations__
    reads: Any = {name: value for name, value in options.items() if name not in running}
    runs: Any = {name: value for name, value in options.items() if name in running}
    return reads, runs


# ---- Inputs ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Split:
    """A part of a file: the records that start at byte `offset` or later, and before `bytes` bytes more."""

    path: Path
    offset: int = 0
    bytes: int = 0
    """0: up to the end of the file."""


def _is_path(data: object) -> bool:
    return isinstance(data, (str, os.PathLike))


def _is_file(data: object) -> bool:
    """Whether data is a file that the library opens by itself, or a part of one."""
    return _is_path(data) or isinstance(data, Split)


def matching(path: Any) -> list[Any]:
    """The files that a path names: itself, or if it has ``*``, ``?`` or ``[...]`` and is no file, all that
    match, in order of their names. What matches none, or is no path, stands for itself.

    >>> matching("a.txt"), matching("hdfs://name/a*")
    (['a.txt'], ['hdfs://name/a*'])
    """
    text = os.fsdecode(path) if _is_path(path) else ""
    if not glob.has_magic(text) or "://" in text or os.path.lexists(text):
        return [path]
    return sorted(glob.glob(text)) or [path]


class Inputs:
    """The inputs of a job as C takes them; keeps alive what the structs point to.

    `stored` gives the input spec of the sketches, for jobs that read with it: tables then need its columns too.
    `grouped`: the job looks at groups.
    """

    def __init__(
        self,
        data: Data,
        reading: Reading,
        stored: Callable[[], Mapping[str, Any] | None] = lambda: None,
        grouped: bool = True,
    ) -> None:
        self._reading = reading
        self._streams: list[Stream] = []
        self._kept: list[Any] = []
        items = [self._table_or(one) for item in self._items(data) for one in matching(item)]
        #: The files among them ...
        self.paths: list[Path] = [
            item.path if isinstance(item, Split) else item for item in items if _is_file(item)
        ]
        #: ... and whether there are rows of tables.
        self.tables = any(is_arrow(item) or reads_batches(item) for item in items)
        #: The first of several that may have been meant as keys.
        self.like_a_key = items[0] if not _is_path(data) and isinstance(items[0], str) else None
        self._key, self._columns = reading.needed(stored() if self.tables else None, grouped)
        inputs = [self._input(item) for item in items]
        self._kept.append(inputs)
        self.count = len(inputs)
        self.array = (InkInput * self.count)(*inputs)

    def check(self) -> None:
        """Raises what went wrong in Python while C pulled rows."""
        for stream in self._streams:
            if stream.error is not None:
                raise stream.error

    def _items(self, data: Data) -> list[Any]:
        tabular = is_arrow(data) or reads_batches(data)
        if _is_file(data) or isinstance(data, (bytes, bytearray, memoryview)) or tabular:
            return [data]
        given = type(data).__name__
        if isinstance(data, io.IOBase):
            raise TypeError(f"data that is an open file ({given}), expected its path, or its bytes")
        if hasattr(data, "collect"):
            raise TypeError(f"data of type {given}, which has no rows yet, expected what its collect() gives")
        if isinstance(data, Mapping) or not isinstance(data, Iterable):
            raise TypeError(f"data of type {given}, expected a path, paths, bytes or a table")
        items = list(data)
        if not items:
            raise UsageError("no data, expected at least one path")
        for item in items:
            if not (_is_file(item) or is_arrow(item) or reads_batches(item)):
                raise TypeError(
                    f"{type(item).__name__} among the data, expected paths or tables; keys go to Sketch.add"
                )
        return items

    def _table_or(self, item: Any) -> Any:
        """The table of a Parquet file, by its name; or `item`."""
        by_name = self._reading.struct.form == FORM_DEFAULT and _is_path(item)
        return parquet_table(item) if by_name and os.fsdecode(item).lower().endswith(_PARQUET) else item

    def _input(self, item: Any) -> InkInput:
        made = InkInput()
        if _is_path(item):
            made.path = path_bytes(item)
        elif isinstance(item, Split):
            made.path = path_bytes(item.path)
            made.offset = whole("offset", item.offset)
            made.bytes = whole("bytes", item.bytes)
        elif is_arrow(item) or reads_batches(item):
            stream = as_stream(item, columns=self._columns, key=self._key)
            self._streams.append(stream)
            made.arrow = stream.address
        else:
            self._set_memory(made, item)
        return made

    def _set_memory(self, made: InkInput, item: bytes | bytearray | memoryview) -> None:
        view = memoryview(item)
        if not view.contiguous:
            raise TypeError("a memoryview with gaps, expected bytes that stand together")
        view = view.cast("B")
        # An empty one has no address, which would be no memory at all; and what may not be written
        # has none that ctypes knows, but for bytes.
        held: Any
        if len(view) == 0 or view.readonly:
            held = c_char_p(item if isinstance(item, bytes) else view.tobytes())
            made.memory = ctypes.cast(held, c_void_p).value
        else:
            held = (ctypes.c_uint8 * len(view)).from_buffer(view)
            made.memory = ctypes.addressof(held)
        made.memory_bytes = len(view)
        self._kept.append((held, view))


# ---- Running --------------------------------------------------------------------------------------


def _memory_bytes(value: object) -> int:
    """Memory as people write it: a number of bytes, or text such as "64M" (powers of 1024)."""
    if not isinstance(value, str):
        return whole("memory", value)
    match = _SIZE.fullmatch(value)
    if match is None:
        raise UsageError(f"memory {value!r}, expected a number of bytes such as 64M or 1G")
    import decimal  # for numbers of this form alone

    with decimal.localcontext(decimal.Context(prec=10_100)):
        number = decimal.Decimal(match[1])
        if number != number.to_integral_value():
            raise UsageError(f"memory {value!r}, expected a whole number, such as 64M or 1G")
        size = int(number) << 10 * " KMGT".index(match[2] or " ")
    return whole("memory", size)


class Run:
    """One run of a job: its struct, its watch, and how its failure comes out."""

    def __init__(
        self,
        *,
        threads: object = None,
        memory: object = None,
        temp: Path | None = None,
        progress: ProgressOption = None,
    ) -> None:
        self.job = InkJob()
        if threads is not None:
            self.job.threads = whole("threads", threads, bits=32)
        if memory is not None:
            self.job.memory_bytes = _memory_bytes(memory)
        if temp is not None:
            self.job.temp_folder = path_bytes(temp)
        self.watch = Watch(progress)
        self.error = InkError()
        self._kept: tuple[object, ...] = ()

    def status(self, function: Callable[..., int], *arguments: Any, keep: tuple[object, ...] = ()) -> int:
        """Calls a job, whose last arguments are the job and the error; `keep` is what the others point to."""
        self._kept = keep
        return self.watch.run(self.job, lambda: function(*arguments, byref(self.job), byref(self.error)))

    def check(
        self,
        status: int,
        inputs: Inputs | None = None,
        about: str | None = None,
        *,
        names: Mapping[bytes, str | None] = {},
    ) -> None:
        """Raises if the job failed, about an input, or if about none perhaps about the sketches.

        `names` has other names for some paths."""
        if status != OK and inputs is not None:
            inputs.check()
        failed = self.job.failed_path
        path = names.get(failed) or spoken_path(failed)
        if path is None and status in _ABOUT_SKETCHES:
            path = about
        try:
            check(status, self.error, path)
        except (MissingFileError, UsageError):
            like_a_key = None if inputs is None else inputs.like_a_key
            if like_a_key is None or like_a_key == "-" or "://" in like_a_key or os.path.lexists(like_a_key):
                raise
            text = f"cannot open: {os.strerror(errno.ENOENT)}; keys go to Sketch.add"
            raise MissingFileError(text, path=like_a_key, os_error=errno.ENOENT) from None


# Statuses of failures that are about the sketches, if they are about no input.
_ABOUT_SKETCHES = frozenset((FORMAT, MISMATCH, UNSUPPORTED, NOT_FOUND, PROMISE))
