"""What data is and how it is read: keyword options as the structs that jobs take.

Names and meanings are those of the command's options; ranges are the library's business.
"""

from __future__ import annotations

import ctypes
import decimal
import functools
import inspect
import io
import operator
import os
import re
from collections.abc import Callable, Iterable, Mapping
from ctypes import POINTER, byref, c_char_p, c_void_p
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, TypeVar, get_type_hints

from ._errors import UsageError
from ._library import (
    FORM_CSV,
    FORM_DEFAULT,
    FORM_JSONL,
    FORM_LINES,
    FORM_NUL,
    FORM_TSV,
    FORM_U32,
    FORM_U64,
    KEYS_BYTES,
    KEYS_DEFAULT,
    KEYS_INT,
    OK,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    ROUND_NONE,
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

if TYPE_CHECKING:
    from ._arrow import Stream

__all__ = ["Data", "Inputs", "Options", "Path", "Reading", "Run", "chosen", "split", "spelled_out"]

Path: TypeAlias = str | os.PathLike[str] | os.PathLike[bytes]
Column: TypeAlias = str | int
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
_ROUNDS = {"half-even": ROUND_HALF_EVEN, "half-up": ROUND_HALF_UP}
#: Forms and rounding by their numbers in C.
FORM_NAMES = {number: name for name, number in _FORMS.items()}
ROUND_NAMES = {number: name for name, number in _ROUNDS.items()}
_KEYS = {"bytes": KEYS_BYTES, "int": KEYS_INT}
_BAD = {"fail": False, "skip": True}
_NULLS = {"skip": False, "refuse": True}
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?)([KMGT]?)", re.ASCII)


# ---- Options that all jobs share ------------------------------------------------------------------


class ReadingOptions(TypedDict, total=False):
    """How records are read."""

    format: Literal["lines", "csv", "tsv", "nul", "jsonl", "u32", "u64"] | None
    delimiter: str | bytes | None
    fields: bool
    header: bool
    csv_multiline: bool
    key: Column | Iterable[Column] | None
    key_type: Literal["bytes", "int"] | None
    by: Column | bool | None
    round: Literal["half-even", "half-up"] | None
    weight: Column | None
    bad: Literal["fail", "skip"]
    nulls: Literal["skip", "refuse"]


class RunOptions(TypedDict, total=False):
    """How a job runs."""

    threads: int | None
    memory: int | float | str | None
    temp: Path | None
    progress: ProgressOption


class Options(ReadingOptions, RunOptions, total=False):
    """How records are read, and how the job runs."""


_DEFAULTS: dict[str, object] = {
    "fields": False,
    "header": False,
    "csv_multiline": False,
    "bad": "fail",
    "nulls": "skip",
}

_Function = TypeVar("_Function", bound=Callable[..., Any])


def spelled_out(options: type, *without: str) -> Callable[[_Function], _Function]:
    """Lets the signature of a function name the options that its ``**options`` take, and refuses others."""

    def wrap(function: _Function) -> _Function:
        names = [name for name in get_type_hints(options) if name not in without]
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        taken = {p.name for p in own}
        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_DEFAULTS.get(name))
            for name in names
            if name not in taken
        ]
        known = taken.union(names)

        @functools.wraps(function)
        def wrapped(*arguments: Any, **given: Any) -> Any:
            for name in given:
                if name not in known:
                    raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}")
            return function(*arguments, **given)

        wrapped.__signature__ = signature.replace(parameters=own + more)  # type: ignore[attr-defined]
        return wrapped  # type: ignore[return-value]

    return wrap


def split(options: Options) -> tuple[ReadingOptions, RunOptions]:
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
        bad: object = "fail",
        nulls: object = "skip",
    ) -> None:
        how = InkReading()
        how.form = FORM_DEFAULT if format is None else chosen("format", format, _FORMS)
        if delimiter is not None:
            how.delimiter = _delimiter_byte(delimiter)
        how.blanks = flag("fields", fields)
        how.header = flag("header", header)
        how.multiline = flag("csv_multiline", csv_multiline)
        if isinstance(key, Iterable) and not isinstance(key, (str, bytes, bytearray)):
            key = list(key)
        if key is not None:
            columns = _columns(key)
            how.key = ctypes.cast((c_char_p * len(columns))(*columns), POINTER(c_char_p))
            how.key_count = len(columns)
        how.keys = KEYS_DEFAULT if key_type is None else chosen("key_type", key_type, _KEYS)
        how.by = None if by is None else column_bytes("by", by)
        how.round = ROUND_NONE if round is None else chosen("round", round, _ROUNDS)
        how.weight = None if weight is None else column_bytes("weight", weight)
        how.skip_bad = chosen("bad", bad, _BAD)
        how.refuse_nulls = chosen("nulls", nulls, _NULLS)
        self.struct = how
        #: The columns that are needed of a table, if all are known by name.
        self.column_names = _names_of(key, by, weight)


def _columns(key: object) -> list[bytes]:
    """The columns of a key: one, or several that make a tuple."""
    if isinstance(key, (str, bytes, bytearray)) or not isinstance(key, Iterable):
        return [column_bytes("key", key)]
    columns = [column_bytes("key", column) for column in key]
    if not columns:
        raise UsageError("key without a column, expected at least one")
    return columns


def _names_of(key: object, by: object, weight: object) -> list[str] | None:
    columns = [key] if isinstance(key, str) or not isinstance(key, Iterable) else list(key)
    columns += [column for column in (by, weight) if column is not None]
    names = [column for column in columns if isinstance(column, str)]
    return names if len(names) == len(columns) else None


# ---- Inputs ---------------------------------------------------------------------------------------


def is_arrow(data: object) -> bool:
    """Whether data comes in columns: it speaks Arrow, or is an array."""
    return any(hasattr(data, name) for name in ("__arrow_c_stream__", "__arrow_c_array__", "__array__"))


def _is_path(data: object) -> bool:
    return isinstance(data, (str, os.PathLike))


class Inputs:
    """The inputs of a job as C takes them; keeps alive what the structs point to."""

    def __init__(self, data: Data, reading: Reading) -> None:
        self._reading = reading
        self._streams: list[Stream] = []
        self._kept: list[Any] = []
        inputs = [self._input(item) for item in self._items(data)]
        self._kept.append(inputs)
        self.count = len(inputs)
        self.array = (InkInput * self.count)(*inputs)

    def check(self) -> None:
        """Raises what went wrong in Python while C pulled rows."""
        for stream in self._streams:
            if stream.error is not None:
                raise stream.error

    def _items(self, data: Data) -> list[Any]:
        if _is_path(data) or isinstance(data, (bytes, bytearray, memoryview)) or is_arrow(data):
            return [data]
        if isinstance(data, io.IOBase):
            given = type(data).__name__
            raise TypeError(f"data that is an open file ({given}), expected its path, or its bytes")
        if isinstance(data, Mapping) or not isinstance(data, Iterable):
            raise TypeError(f"data of type {type(data).__name__}, expected a path, paths, bytes or a table")
        items = list(data)
        if not items:
            raise UsageError("no data, expected at least one path")
        for item in items:
            if not (_is_path(item) or is_arrow(item)):
                raise TypeError(
                    f"{type(item).__name__} among the data, expected paths or tables; keys go to Sketch.add"
                )
        return items

    def _input(self, item: Any) -> InkInput:
        made = InkInput()
        if _is_path(item):
            made.path = path_bytes(item)
        elif is_arrow(item):
            from ._arrow import as_stream

            stream = as_stream(item, columns=self._reading.column_names)
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
        # has none that ctypes tells, but for bytes.
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
    with decimal.localcontext(decimal.Context(prec=10_100)):
        number = decimal.Decimal(match[1])
        if number != number.to_integral_value():
            raise UsageError(f"memory {value!r}, expected a whole number, such as 64M or 1G")
        size = int(number) << 10 * " KMGT".index(match[2] or " ")
    return whole("memory", size)


def spoken_path(path: bytes | str | None) -> str | None:
    """A path as errors tell it."""
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

    def check(self, status: int, inputs: Inputs | None = None, about: str | None = None) -> None:
        """Raises if the job failed, about an input, or if about none perhaps about the sketches."""
        if status != OK and inputs is not None:
            inputs.check()
        path = spoken_path(self.job.failed_path)
        if path is None and status in _ABOUT_SKETCHES:
            path = about
        check(status, self.error, path)


# Statuses of failures that are about the sketches, if they are about no input: INK_FORMAT, INK_MISMATCH,
# INK_UNSUPPORTED, INK_NOT_FOUND, INK_PROMISE.
_ABOUT_SKETCHES = frozenset((2, 4, 5, 6, 7))
