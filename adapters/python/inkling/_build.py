"""Building: sketches of one kind or several, of all records or of each group, in one pass."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping
from ctypes import POINTER, byref, c_void_p
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from ._errors import UsageError
from ._files import file_of_set
from ._library import (
    OK,
    InkBuildOptions,
    InkParams,
    InkSection,
    call,
    lib,
    real,
    secret_bytes,
)
from ._plan import PARAMETERS, kind_bytes, kind_info, params_of
from ._inputs import Data, Inputs, PlainOptions, Run, split
from ._reading import Reading
from ._reports import BuildReport
from ._sketch import Sketch
from ._sketches import Sketches
from .options import Column, SketchOptions, spelled_out

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["BuildOptions", "Kind", "Making", "build", "kind_names"]

#: The kinds of sketches, by name.
Kind: TypeAlias = Literal[
    "bloom", "classic", "counting", "scalable", "count-min", "top", "fm", "hll", "theta", "fuse"
]


class BuildOptions(PlainOptions, SketchOptions, total=False):
    """How records are read, how the job runs, and sizes of sketches."""


_SIZES = (
    "n", "p", "bits", "hashes", "ratio", "eps", "delta", "width", "depth", "counters", "conservative", "k",
    "phi", "precision", "max_rate",
)  # fmt: skip
_RULE = ("hash", "seed", "secret")


# ---- Kinds and their sizes ------------------------------------------------------------------------


def kind_names(kind: object) -> list[str]:
    """The kinds that `kind` names: a name, several in one text, or an iterable of names."""
    if isinstance(kind, str):
        return kind.split(",")
    if not isinstance(kind, Iterable):
        raise TypeError(f"kind of type {type(kind).__name__}, expected a name or several")
    names = list(kind)
    if not names:
        raise UsageError("no kind, expected one such as bloom")
    return names


def _set_sizes(kinds: ctypes.Array[InkParams], sizes: dict[str, object]) -> None:
    """Gives each size to those kinds that have it; one that none has is an error."""
    names = ",".join(params.kind.decode() for params in kinds)
    for name, value in sizes.items():
        if value is None or value is False:
            continue
        takers = [kind for kind in kinds if _takes(kind, name, value)]
        if not takers:
            what = f"is not for {names}" if len(kinds) == 1 else f"is for none of {names}"
            raise UsageError(f"{name} {what}")
        for kind in takers:
            PARAMETERS[name](kind, name, value)


def _takes(kind: InkParams, name: str, value: object) -> bool:
    """Whether a kind has this parameter."""
    alone = params_of(kind.kind.decode(), {name: value})
    return bool(lib.ink_kind_takes(byref(alone), None) == OK)


def _check_headroom(kinds: Iterable[InkParams]) -> None:
    for params in kinds:
        if kind_info(params.kind.decode()).sized_by_keys:
            return
    names = ",".join(params.kind.decode() for params in kinds)
    raise UsageError(f"headroom is not for {names}, whose size does not depend on keys")


def _make_kinds(
    kind: object, sizes: dict[str, object], rule: dict[str, object]
) -> ctypes.Array[InkParams]:
    """The parameters of each kind to make: sizes are shared out, the rule of keys is the same for all."""
    names = kind_names(kind)
    kinds = (InkParams * len(names))()
    for params, name in zip(kinds, names):
        params.kind = kind_bytes(name)
    _set_sizes(kinds, sizes)
    for kind_params in kinds:
        for name, value in rule.items():
            if value is not None:
                PARAMETERS[name](kind_params, name, value)
    return kinds


class Making:
    """What to make and how records are read, as C takes it: the options of ``build``, less `running`."""

    def __init__(self, kind: object, by: Column | None, options: Mapping[str, Any]) -> None:
        given: Any = dict(options)
        sizes = {name: given.pop(name, None) for name in _SIZES}
        rule = {name: given.pop(name, None) for name in _RULE}
        headroom = given.pop("headroom", None)
        self.kinds = _make_kinds(kind, sizes, rule)
        if headroom is not None:
            _check_headroom(self.kinds)
        self.struct = InkBuildOptions(
            kinds=ctypes.cast(self.kinds, POINTER(InkParams)),
            kind_count=len(self.kinds),
            headroom=0.0 if headroom is None else real("headroom", headroom),
        )
        secret = rule["secret"]
        self.secret = None if secret is None else secret_bytes(secret)
        reads, self.running = split(given)
        self.reading = Reading(**reads, by=by)


# ---- The job --------------------------------------------------------------------------------------


@overload
def build(
    data: Data, kind: Kind = "bloom", *, by: None = None, **options: Unpack[BuildOptions]
) -> Sketch: ...
@overload
def build(
    data: Data,
    kind: Kind | str | Iterable[Kind | str] = "bloom",
    *,
    by: Column,
    **options: Unpack[BuildOptions],
) -> Sketches: ...
@overload
def build(
    data: Data,
    kind: Kind | str | Iterable[Kind | str] = "bloom",
    *,
    by: Column | None = None,
    **options: Unpack[BuildOptions],
) -> Sketch | Sketches: ...
@spelled_out(BuildOptions)
def build(
    data: Data,
    kind: Kind | str | Iterable[Kind | str] = "bloom",
    *,
    by: Column | None = None,
    **options: Unpack[BuildOptions],
) -> Sketch | Sketches:
    """Reads records and makes sketches of their keys: a Sketch, or with `by` or several kinds Sketches.

    `data` is a path, several paths, bytes (records in memory), or a table: a DataFrame of pandas or polars, a
    table of pyarrow, a relation of DuckDB. A path with ``*``, ``?`` or ``[...]`` is all files that match, in
    order of their names; one that ends in ``.parquet`` or ``.pq`` is a table that pyarrow reads. Filters are as
    large as their different keys need, unless `n` is how many to plan for. Sizes go to those kinds that have
    them. Of files the result has the bytes that ``ink build`` writes; of tables its digest, with
    ``--key-type int`` for integer columns, and no input spec.

    How records are read: `format` (by the name of the file, else lines), `delimiter`, `fields` (runs of
    blanks, as awk), `header`, `csv_multiline`, `key` (a column by name or number from 1, several for a
    tuple), `key_type`, `by` (a sketch for each value of this column) with `round`, `weight`, `bad` and
    `nulls`. How the job runs: `threads`, `memory` ("64M"), `temp` and `progress`.

    >>> import inkling
    >>> words = inkling.build(b"ant\\nbee\\nbee\\n", "bloom", p=0.001)
    >>> "bee" in words, "cow" in words
    (True, False)
    >>> words.built.records
    3
    """
    making = Making(kind, by, options)
    reading, run = making.reading, Run(**making.running)
    inputs = Inputs(data, reading)
    made = c_void_p()
    try:
        status = run.status(
            lib.ink_build,
            byref(made),
            inputs.array,
            inputs.count,
            byref(reading.struct),
            byref(making.struct),
            keep=(inputs, making),
        )
        run.check(status, inputs)
        report = BuildReport(records=run.job.records, bad=run.job.bad, nulls=run.job.nulls)
        if len(making.kinds) == 1 and reading.struct.by is None:
            return _one_sketch(made, report)
        file, held = file_of_set(made)
        return Sketches._of_file(file, held=held, secret=making.secret, built=report)
    finally:
        lib.ink_set_free(made)


def _one_sketch(made: c_void_p, report: BuildReport) -> Sketch:
    """The only sketch of a set, taken out of it, with its input spec."""
    section, handle = InkSection(), c_void_p()
    input_spec = None
    if lib.ink_set_input_spec(made, byref(section), None) == OK:
        input_spec = ctypes.string_at(section.data, section.bytes)
    call(lib.ink_set_take, made, 0, byref(handle))
    sketch = Sketch._from_handle(handle.value or 0, input_spec=input_spec)
    sketch.built = report
    return sketch
