"""The options of ``inkling.build`` as types, for functions that take the same and pass them on.

Unpack is in typing from Python 3.11 on, and in typing_extensions; only type checkers need it.

>>> import inkling
>>> from inkling.options import SketchOptions, spelled_out
>>> @spelled_out(SketchOptions)
... def words_of(text: str, **options: "Unpack[SketchOptions]") -> inkling.Sketch:
...     return inkling.build(text.encode(), "bloom", fields=True, key=1, **options)
>>> "bee" in words_of("bee\\nant\\n", p=0.001)
True
>>> words_of("bee\\n", rate=0.001)
Traceback (most recent call last):
TypeError: words_of() got an unexpected keyword argument 'rate'
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterable
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, TypeVar, get_type_hints

__all__ = [
    "Column",
    "Format",
    "Output",
    "Path",
    "RecordOptions",
    "ResourceOptions",
    "Rounding",
    "SketchOptions",
    "Writable",
    "spelled_out",
]

#: What names a file, wherever the package takes one.
Path: TypeAlias = str | os.PathLike[str] | os.PathLike[bytes]


class Writable(Protocol):
    """What bytes can be written to: a file opened in binary mode, a buffer, a socket's file."""

    def write(self, data: bytes, /) -> object: ...


#: Where a job writes records, and ``save`` sketches: to a path, or to an object.
Output: TypeAlias = Path | Writable

#: What names a column of data: its name, or its number from 1.
Column: TypeAlias = str | int


#: What records are, of files and of bytes.
Format: TypeAlias = Literal["lines", "csv", "tsv", "nul", "jsonl", "u32", "u64"]

#: How a number becomes a whole one that names a group.
Rounding: TypeAlias = Literal["half-even", "half-up", "half-away"]


class RecordOptions(TypedDict, total=False):
    """How records are read, of any group."""

    format: Format | None
    delimiter: str | bytes | None
    fields: bool
    header: bool
    csv_multiline: bool
    key: Column | Iterable[Column] | None
    key_type: Literal["bytes", "int"] | None
    round: Rounding | None
    weight: Column | None
    bad: Literal["fail", "skip"] | None
    nulls: Literal["skip", "refuse"]


class ResourceOptions(TypedDict, total=False):
    """What a job may take of the machine."""

    threads: int | None
    memory: int | float | str | None
    temp: Path | None


class SketchOptions(TypedDict, total=False):
    """Sizes of sketches, and the rule of their keys."""

    n: float | None
    p: float | None
    bits: float | None
    hashes: int | None
    ratio: float | None
    eps: float | None
    delta: float | None
    width: float | None
    depth: int | None
    counters: int | None
    conservative: bool
    k: int | None
    phi: float | None
    precision: int | None
    headroom: float | None
    max_rate: float | None
    hash: str | None
    seed: int | None
    secret: bytes | None


_DEFAULTS: dict[str, object] = {
    "fields": False,
    "header": False,
    "csv_multiline": False,
    "nulls": "skip",
}

_Function = TypeVar("_Function", bound=Callable[..., Any])


def spelled_out(options: type) -> Callable[[_Function], _Function]:
    """Lets the signature of a function name the options that its ``**options`` take, and refuses others.

    `options` is a TypedDict. A name that is neither in it nor a parameter of the function is a TypeError,
    before the function is called."""

    def wrap(function: _Function) -> _Function:
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        taken = {p.name for p in own}
        more = {name: hint for name, hint in get_type_hints(options).items() if name not in taken}
        known = taken.union(more)

        @functools.wraps(function)
        def wrapped(*arguments: Any, **given: Any) -> Any:
            for name in given:
                if name not in known:
                    raise TypeError(f"{function.__qualname__}() got an unexpected keyword argument {name!r}")
            return function(*arguments, **given)

        spelled = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=_DEFAULTS.get(name), annotation=hint
            )
            for name, hint in more.items()
        ]
        wrapped.__signature__ = signature.replace(parameters=own + spelled)  # type: ignore[attr-defined]
        hints = {name: hint for name, hint in function.__annotations__.items() if name in taken}
        wrapped.__annotations__ = {**hints, **more, "return": function.__annotations__["return"]}
        return wrapped  # type: ignore[return-value]

    return wrap
