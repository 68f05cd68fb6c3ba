"""What data is and how it is read: keyword options as the structs that jobs take.

Names and meanings are those of the command's options; ranges are the library's business.
"""

from __future__ import annotations

import ctypes
import errno
import glob
import io
import operator
import os
import re
from collections.abc import Callable, Iterable, Mapping
from ctypes import POINTER, byref, c_char_p, c_void_p
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from ._arrow import Stream, as_stream, parquet_table, reads_batches
from ._errors import MissingFileError, UsageError
from ._library import (
    FORM_CSV,
    FORM_DEFAULT,
    FORM_JSONL,
    FORM_LINES,
    FORM_NUL,
    FORM_TSV,
    FORM_U32,
    FORM_U64,
    FORMAT,
    KEYS_BYTES,
    KEYS_DEFAULT,
    KEYS_INT,
    MISMATCH,
    NOT_FOUND,
    OK,
    PROMISE,
    ROUND_HALF_AWAY,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    ROUND_NONE,
    UNSUPPORTED,
    InkError,
    InkInput,
    InkJob,
    InkReading,
    check,
    path_bytes,
    text_bytes,
    whole,
)
from ._progress import ProgressOption, Watch
from .options import Column, Path, RecordOptions, ResourceOptions

__all__ = [
    "Data",
    "Inputs",
    "Options",
    "PlainOptions",
    "Reading",
    "Run",
    "RunOptions",
    "Split",
    "chosen",
    "flag",
    "matching",
    "options_of",
    "split",
    "spoken_path",
]

#: A path, several, records in memory, or a table of any library that speaks Arrow.
Data: TypeAlias = Path | bytes | bytearray | memoryview | Iterable[Path] | Any

_FORMS = {
    "lines": FORM_LINES,
    "csv": FORM_CSV,
    "tsv": FORM_TSV,
    "nul": FORM_NUL,
    "jsonl": FORM_JSONL,
    "u32": FORM_U32,
    "u64": FORM_U64,
}
_ROUNDS = {"half-even": ROUND_HALF_EVEN, "half-up": ROUND_HALF_UP, "half-away": ROUND_HALF_AWAY}
#: Forms and rounding by their numbers in C.
_FORM_NAMES = {number: name for name, number in _FORMS.items()}
_ROUND_NAMES = {number: name for name, number in _ROUNDS.items()}
_KEYS = {"bytes": KEYS_BYTES, "int": KEYS_INT}
_BAD = {"fail": False, "skip": True}
_NULLS = {"skip": False, "refuse": True}
_PARQUET = (".parquet", ".pq")
_WITHOUT_COLUMNS = (FORM_LINES, FORM_NUL, FORM_U32, FORM_U64)
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


_Chosen = TypeVar("_Chosen")


def chosen(name: str, value: object, choices: dict[str, _Chosen]) -> _Chosen:
    """What the word `value` stands for among `choices`."""
    if not isinstance(value, str):
        raise TypeError(f"{name} of type {type(value).__name__}, expected one of {', '.join(choices)}")
    if value not in choices:
        raise UsageError(f"{name} {value!r}, expected one of {', '.join(choices)}")
    return choices[value]


def flag(name: str, value: object) -> bool:
    """An option that is on or off."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} of type {type(value).__name__}, expected True or False")
    return value


def column_bytes(name: str, value: object) -> bytes:
    """A column, by its name or its number from 1, as C wants it."""
    if isinstance(value, bool) or not (isinstance(value, str) or hasattr(type(value), "__index__")):
        raise TypeError(f"{name} of type {type(value).__name__}, expected the name or number of a column")
    text = value if isinstance(value, str) else str(operator.index(value))  # type: ignore[arg-type]
    return text_bytes(name, text)


def _delimiter_byte(value: object) -> bytes:
    if not isinstance(value, (str, bytes)):
        raise TypeError(f"delimiter of type {type(value).__name__}, expected str or bytes")
    encoded = value.encode("utf-8") if isinstance(value, str) else value
    if len(encoded) != 1 or encoded in b'\0\n\r"':
        raise UsageError(f"delimiter {value!r}, expected one byte, no NUL, no line end and no quote")
    return encoded


class Reading:
    """How records are read, as C takes it; keeps alive what the struct points to."""

    def __init__(
        self,
        *,
        format: object = None,
        delimiter: object = None,
        fields: object = False,
        header: object = False,
        csv_multiline: object = False,
        key: object = None,
        key_type: object = None,
        by: object = None,
        round: object = None,
        weight: object = None,
        bad: object = None,
        nulls: object = "skip",
    ) -> None:
        how = InkReading()
        how.form = FORM_DEFAULT if format is None else chosen("format", format, _FORMS)
        if delimiter is not None:
            how.delimiter = _delimiter_byte(delimiter)
        how.blanks = flag("fields", fields)
        how.header = flag("header", header)
        how.multiline = flag("csv_multiline", csv_multiline)
        columns = [] if key is None else _columns(key)
        if columns:
            how.key = ctypes.cast((c_char_p * len(columns))(*columns), POINTER(c_char_p))
            how.key_count = len(columns)
        how.keys = KEYS_DEFAULT if key_type is None else chosen("key_type", key_type, _KEYS)
        how.by = None if by is None else column_bytes("by", by)
        how.round = ROUND_NONE if round is None else chosen("round", round, _ROUNDS)
        how.weight = None if weight is None else column_bytes("weight", weight)
        how.skip_bad = bad is not None and chosen("bad", bad, _BAD)
        how.fail_bad = bad is not None and not how.skip_bad
        how.refuse_nulls = chosen("nulls", nulls, _NULLS)
        self.struct = how
        #: The columns that make the key, name the group, have the weight, and all that are needed of a table.
        self.key_names = [column.decode("utf-8", "surrogateescape") for column in columns]
        self.by_names = [] if by is None else [str(by)]
        self.weight_names = [] if weight is None else [str(weight)]
        self.column_names = [*self.key_names, *self.by_names, *self.weight_names]

    def needed(self, spec: Mapping[str, Any] | None, grouped: bool) -> tuple[list[str], list[str]]:
        """The columns that make the key, and all that are needed of a table, of which the library takes those
        that no option names from the input spec of the sketches, as ink_reading_complete has it: without
        groups if the job does not look at them."""
        how, spec = self.struct, spec or {}
        plain = how.form in _WITHOUT_COLUMNS and how.delimiter == b"\0" and not how.blanks
        stored = Reading(
            key=None if plain else spec.get("key"),
            by=spec.get("by"),
            weight=None if plain else spec.get("weight"),
        )
        key = self.key_names or stored.key_names
        by = (self.by_names or stored.by_names) if grouped else []
        return key, [*key, *by, *(self.weight_names or stored.weight_names)]


def _columns(key: object) -> list[bytes]:
    """The columns of a key: one, or several that make a tuple."""
    if isinstance(key, (str, bytes, bytearray)) or not isinstance(key, Iterable):
        return [column_bytes("key", key)]
    columns = [column_bytes("key", column) for column in key]
    if not columns:
        raise UsageError("key without a column, expected at least one")
    return columns


def options_of(reading: InkReading) -> dict[str, Any]:
    """What an input spec says, as options of build."""
    columns = [reading.key[i].decode("utf-8", "surrogateescape") for i in range(reading.key_count)]
    options: dict[str, Any] = {"format": _FORM_NAMES.get(reading.form)}
    if reading.delimiter != b"\0":
        options["delimiter"] = reading.delimiter.decode("latin-1")
    flags = {"fields": reading.blanks, "header": reading.header, "csv_multiline": reading.multiline}
    options.update((name, True) for name, given in flags.items() if given)
    if columns:
        options["key"] = columns[0] if len(columns) == 1 else columns
    if reading.by is not None:
        options["by"] = reading.by.decode("utf-8", "surrogateescape")
    if reading.round:
        options["round"] = _ROUND_NAMES[reading.round]
    if reading.weight is not None:
        options["weight"] = reading.weight.decode("utf-8", "surrogateescape")
    if reading.skip_bad:
        options["bad"] = "skip"
    return {name: value for name, value in options.items() if value is not None}


# ---- Inputs ---------------------------------------------------------------------------------------


def is_arrow(data: object) -> bool:
    """Whether data comes in columns: it speaks Arrow, or is an array."""
    return any(hasattr(data, name) for name in ("__arrow_c_stream__", "__arrow_c_array__", "__array__"))


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


def spoken_path(path: bytes | str | None) -> str | None:
    """A path as errors show it."""
    if path is None:
        return None
    text = os.fsdecode(path)
    return "standard input" if text == "-" else text


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
