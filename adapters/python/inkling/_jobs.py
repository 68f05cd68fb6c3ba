"""Jobs over data, on every core: build, filter, verify, uniq, add, remove, merge and generate.

They do what the commands of ``ink`` do, with the same names, the same defaults and the same results.

A job reads files, records in memory or tables, and gives sketches, records or a report.
"""

from __future__ import annotations

import ctypes
import errno
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from ctypes import POINTER, byref, c_char_p, c_void_p
from typing import Any, Literal, Protocol, TypeAlias, Unpack, cast

from ._errors import NotFoundError, UsageError
from ._library import (
    ABSENT_KEY_BYTES,
    ABSENT_KEYS,
    OK,
    InkAbsentKey,
    InkBuildOptions,
    InkError,
    InkFilterOptions,
    InkFilterReport,
    InkGeneration,
    InkInput,
    InkJob,
    InkKindInfo,
    InkMergeOptions,
    InkParams,
    InkSection,
    InkSink,
    InkUniqOptions,
    InkUniqReport,
    InkUpdateOptions,
    InkUpdateReport,
    InkVerdict,
    InkVerificationSummary,
    InkVerifyOptions,
    WriteFunction,
    call,
    check,
    lib,
    path_bytes,
    real,
    secret_bytes,
    text_bytes,
    whole,
)
from ._labels import group_of
from ._plan import PARAMETERS, params_of
from ._progress import ProgressOption, Watch
from ._reading import (
    Data,
    Inputs,
    Options,
    Path,
    Reading,
    Run,
    RunOptions,
    flag,
    spelled_out,
    split,
    spoken_path,
)
from ._reports import (
    BuildReport,
    FilterReport,
    UniqReport,
    UpdateReport,
    Verdict,
    Verification,
    VerificationSummary,
)
from ._sketch import Sketch
from ._sketches import Sketches, decode_lazily, file_of_set, open_for_job

__all__ = [
    "BuildReport",
    "FilterReport",
    "UniqReport",
    "UpdateReport",
    "Verdict",
    "Verification",
    "VerificationSummary",
    "add",
    "build",
    "filter",
    "generate",
    "merge",
    "remove",
    "uniq",
    "verify",
]

_NOT_FOUND = 6  # INK_NOT_FOUND

#: What a job can ask: an open file of sketches, one sketch, or the path of a file.
Askable: TypeAlias = Sketches | Sketch | Path


class Writable(Protocol):
    """What records can be written to: a file opened in binary mode, a buffer, a socket's file."""

    def write(self, data: bytes, /) -> object: ...


Output: TypeAlias = Path | Writable


# ---- Where records go -----------------------------------------------------------------------------


class _Target:
    """An output of a job: a file that is there whole or not at all, or an object with ``write``."""

    def __init__(self, output: Output, watch: Watch) -> None:
        self._watch = watch
        self._error = InkError()
        self._path: str | None = None
        self._file: c_void_p | None = None
        self._turn = threading.Lock()  # a job that was left behind may yet write
        self._write: Callable[[bytes], object] | None = None
        if isinstance(output, (str, os.PathLike)):
            self._begin(output)
        elif callable(getattr(output, "write", None)):
            self._write = output.write
        else:
            given = type(output).__name__
            raise TypeError(f"output of type {given}, expected a path or an object with write()")
        self.sink = InkSink(write=WriteFunction(self._take))

    def _begin(self, path: Path) -> None:
        encoded = path_bytes(path)
        if encoded == b"-":
            raise UsageError("output '-', expected a path, or an object with write(), as sys.stdout.buffer")
        self._path = os.fsdecode(encoded)
        self._encoded = encoded  # the library looks at it again when it ends
        self._file = c_void_p()
        call(lib.ink_output_begin, byref(self._file), encoded, path=self._path)

    def _take(self, _host: object, address: int, count: int) -> int:
        """What C calls with records: 0, or an errno."""
        if self._write is not None:
            data = ctypes.string_at(address, count)
            return self._watch.ask(lambda: self._pass_on(data), errno.EIO)
        with self._turn:
            if self._file is None:
                return errno.EIO
            if lib.ink_output_write(self._file, address, count, byref(self._error)) == OK:
                return 0
            return cast(int, self._error.os_error) or errno.EIO

    def _pass_on(self, data: bytes) -> int:
        assert self._write is not None
        while data:
            wrote = self._write(data)
            data = data[wrote:] if type(wrote) is int and 0 <= wrote < len(data) else b""
        return 0

    def check(self) -> None:
        """Raises if writing failed."""
        check(self._error.status, self._error, self._path)

    def commit(self) -> None:
        """Puts a file in its place."""
        file, self._file = self._file, None
        if file is not None:
            call(lib.ink_output_commit, file, path=self._path)

    def abandon(self) -> None:
        """Leaves no trace of a file that was not committed."""
        with self._turn:
            file, self._file = self._file, None
        if file is not None:
            lib.ink_output_abandon(file)


@contextmanager
def _target(output: Output | None, watch: Watch) -> Iterator[_Target | None]:
    """An output; abandoned unless it is committed."""
    if output is None:
        yield None
        return
    target = _Target(output, watch)
    try:
        yield target
    finally:
        target.abandon()


def _sink_of(target: _Target | None) -> Any:
    return None if target is None else byref(target.sink)


# ---- Options --------------------------------------------------------------------------------------


def _secret(secret: object) -> bytes | None:
    return None if secret is None else secret_bytes(secret)


def _rate(name: str, value: object) -> float:
    return 0.0 if value is None else real(name, value)


def _asked_file(sketches: Askable) -> Sketches:
    """What is to be asked, as an open file."""
    if isinstance(sketches, Sketches):
        return sketches
    if isinstance(sketches, Sketch):
        return decode_lazily(sketches.to_bytes())
    if isinstance(sketches, (str, os.PathLike)):
        return open_for_job(sketches)
    raise TypeError(f"sketches of type {type(sketches).__name__}, expected Sketches, a Sketch or a path")


# ---- Build ----------------------------------------------------------------------------------------


def _read(job: InkJob) -> dict[str, int]:
    return {"records": job.records, "bad": job.bad, "nulls": job.nulls}


def _kind_names(kind: object) -> list[str]:
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
        info = InkKindInfo()
        if lib.ink_kind_describe(params.kind, byref(info), None) == OK and info.sized_by_keys:
            return
    names = ",".join(params.kind.decode() for params in kinds)
    raise UsageError(f"headroom is not for {names}, whose size does not depend on keys")


def _make_kinds(
    kind: object, sizes: dict[str, object], rule: dict[str, object]
) -> ctypes.Array[InkParams]:
    """The parameters of each kind to make: sizes are shared out, the rule of keys is the same for all."""
    names = _kind_names(kind)
    kinds = (InkParams * len(names))()
    info = InkKindInfo()
    for params, name in zip(kinds, names):
        params.kind = text_bytes("kind", name)
        call(lib.ink_kind_describe, params.kind, byref(info))
    _set_sizes(kinds, sizes)
    for kind_params in kinds:
        for name, value in rule.items():
            if value is not None:
                PARAMETERS[name](kind_params, name, value)
    return kinds


@spelled_out(Options)
def build(
    data: Data,
    kind: str | Iterable[str] = "bloom",
    *,
    n: float | None = None,
    p: float | None = None,
    bits: float | None = None,
    hashes: int | None = None,
    ratio: float | None = None,
    eps: float | None = None,
    delta: float | None = None,
    width: float | None = None,
    depth: int | None = None,
    counters: int | None = None,
    conservative: bool = False,
    k: int | None = None,
    phi: float | None = None,
    precision: int | None = None,
    headroom: float | None = None,
    hash: str | None = None,
    seed: int | None = None,
    secret: bytes | None = None,
    **options: Unpack[Options],
) -> Any:
    """Reads records and makes sketches of their keys: a Sketch, or with `by` or several kinds Sketches.

    `data` is a path, several paths, bytes (records in memory), or a table: a DataFrame of pandas or polars, a
    table of pyarrow, a relation of DuckDB. Filters are as large as their different keys need, unless `n`
    tells how many to plan for. Sizes go to those kinds that have them. The result has the digest that ``ink
    build`` gives.

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
    sizes: dict[str, object] = {
        "n": n, "p": p, "bits": bits, "hashes": hashes, "ratio": ratio, "eps": eps, "delta": delta,
        "width": width, "depth": depth, "counters": counters, "conservative": conservative, "k": k,
        "phi": phi, "precision": precision,
    }  # fmt: skip
    kinds = _make_kinds(kind, sizes, {"hash": hash, "seed": seed, "secret": secret})
    if headroom is not None:
        _check_headroom(kinds)
    how = InkBuildOptions(
        kinds=ctypes.cast(kinds, POINTER(InkParams)),
        kind_count=len(kinds),
        headroom=_rate("headroom", headroom),
    )
    reads, runs = split(options)
    reading, run = Reading(**reads), Run(**runs)
    inputs = Inputs(data, reading)
    made = c_void_p()
    try:
        status = run.status(
            lib.ink_build,
            byref(made),
            inputs.array,
            inputs.count,
            byref(reading.struct),
            byref(how),
            keep=(inputs,),
        )
        run.check(status, inputs)
        report = BuildReport(**_read(run.job))
        if len(kinds) == 1 and reading.struct.by is None:
            return _one_sketch(made, report)
        file, held = file_of_set(made)
        return Sketches._of_file(file, held=held, secret=_secret(secret), built=report)
    finally:
        lib.ink_set_free(made)


def _one_sketch(made: c_void_p, report: BuildReport) -> Sketch:
    """The only sketch of a set, taken out of it, with the recipe."""
    section, handle = InkSection(), c_void_p()
    recipe = None
    if lib.ink_set_recipe(made, byref(section), None) == OK:
        recipe = ctypes.string_at(section.bytes, section.count)
    call(lib.ink_set_take, made, 0, byref(handle))
    sketch = Sketch._from_handle(handle.value or 0, recipe=recipe)
    sketch.built = report
    return sketch


# ---- Filter ---------------------------------------------------------------------------------------


@spelled_out(Options)
def filter(
    sketches: Askable,
    data: Data,
    *,
    output: Output | None = None,
    invert: bool = False,
    first: bool = False,
    kind: str | None = None,
    last: int | None = None,
    secret: bytes | None = None,
    **options: Unpack[Options],
) -> FilterReport:
    """Writes the records whose key may be in the set to `output`, as they stand, or with `invert` the others.

    `output` is a path, of a file that is there whole or not at all, or an object with ``write(bytes)``; None
    only counts. Records are read as those that the sketches were built from, unless options say otherwise. Of
    sketches with groups those that a key may be in come behind the record; ``by=True`` asks each record's own
    group alone, named by the column that the sketches were built with, ``by="column"`` by another. `first`
    stops at the first that passes.

    >>> import inkling, io
    >>> words, found = inkling.build(b"ant\\nbee\\n", "bloom"), io.BytesIO()
    >>> inkling.filter(words, b"bee\\ncow\\n", output=found).passed
    1
    >>> found.getvalue()
    b'bee\\n'
    """
    asked = _asked_file(sketches)
    by = options.pop("by", None)
    if not isinstance(by, bool):
        options["by"] = by
    how = InkFilterOptions(
        kind=None if kind is None else text_bytes("kind", kind),
        invert=flag("invert", invert),
        first=flag("first", first),
        by=by is not None and by is not False,
        last=0 if last is None else whole("last", last),
        secret=_secret(secret) or asked._secret,
    )
    reads, runs = split(options)
    reading, run, report = Reading(**reads), Run(**runs), InkFilterReport()
    inputs = Inputs(data, reading)
    with _target(output, run.watch) as target:
        status = run.status(
            lib.ink_filter,
            asked._handle,
            inputs.array,
            inputs.count,
            byref(reading.struct),
            byref(how),
            _sink_of(target),
            byref(report),
            keep=(asked, asked._file, inputs, target),
        )
        _end(run, status, inputs, asked.path, target)
    return FilterReport(
        kind=report.kind.decode(),
        analysed=report.analysed,
        admitted=report.admitted,
        rejected=report.rejected,
        passed=report.rejected if invert else report.admitted,
        set_size=report.set_size,
        functions=report.functions or None,
        groups=report.groups or None,
        false_groups=report.false_groups if report.groups else None,
        seconds=report.seconds,
        **_read(run.job),
    )


def _end(run: Run, status: int, inputs: Inputs | None, about: str | None, *targets: _Target | None) -> None:
    """Ends a job with outputs: each is put in its place, or the failure comes out."""
    for target in targets:
        if status != OK and target is not None:
            target.check()
    run.check(status, inputs, about)
    for target in targets:
        if target is not None:
            target.commit()


# ---- Verify ---------------------------------------------------------------------------------------


@spelled_out(Options)
def verify(
    sketches: Askable,
    data: Data,
    *,
    absent: Data | None = None,
    tests: float | None = None,
    secret: bytes | None = None,
    **options: Unpack[Options],
) -> Verification:
    """Measures rates and errors of sketches against the true data, and compares them with what was promised.

    Filters are asked for keys that they do not hold: those of `absent`, else those of other groups, else
    random ones; at most `tests` (2^30). Data is read as the sketches were built, unless options say
    otherwise.

    >>> import inkling
    >>> words = b"".join(b"%d\\n" % i for i in range(1000))
    >>> found = inkling.verify(inkling.build(words, "bloom"), words)
    >>> found.ok, found.rows[0].denied
    (True, 0)
    """
    asked = _asked_file(sketches)
    how = InkVerifyOptions(
        tests_max=0 if tests is None else whole("tests", tests), secret=_secret(secret) or asked._secret
    )
    reads, runs = split(options)
    reading, run = Reading(**reads), Run(**runs)
    inputs = Inputs(data, reading)
    strangers = None if absent is None else Inputs(absent, reading)
    if strangers is not None:
        how.absent = ctypes.cast(strangers.array, POINTER(InkInput))
        how.absent_count = strangers.count
    made = c_void_p()
    try:
        status = run.status(
            lib.ink_verify,
            byref(made),
            asked._handle,
            inputs.array,
            inputs.count,
            byref(reading.struct),
            byref(how),
            keep=(asked, asked._file, inputs, strangers),
        )
        run.check(status, inputs, asked.path)
        return _verification(made, run.job)
    finally:
        lib.ink_verification_free(made)


def _verification(made: c_void_p, job: InkJob) -> Verification:
    found, all_together = InkVerdict(), InkVerificationSummary()
    rows = []
    for index in range(lib.ink_verification_count(made)):
        call(lib.ink_verification_row, made, index, byref(found))
        rows.append(_verdict(found))
    lib.ink_verification_summarise(made, byref(all_together))
    told: dict[str, Any] = {name: getattr(all_together, name) for name, *_ in InkVerificationSummary._fields_}
    beyond = sum(1 for row in rows if row.denied is None and not row.ok)
    return Verification(tuple(rows), VerificationSummary(beyond=beyond, **told), **_read(job))


def _verdict(found: InkVerdict) -> Verdict:
    always: dict[str, Any] = {
        "kind": found.kind.decode(),
        "group": group_of(found.label),
        "slot": found.label.slot if found.label.has_slot else None,
        "ok": found.ok,
        "tested": found.tested,
    }
    if not found.membership:
        return Verdict(**always, wrong=found.wrong, missed=found.missed, error=found.error, bound=found.bound)
    return Verdict(
        **always,
        false_positives=found.false_positives,
        rate=found.rate,
        low=found.low,
        high=found.high,
        asked=found.asked or None,
        promised=found.promised or None,
        present=found.present,
        denied=found.denied,
    )


# ---- Uniq -----------------------------------------------------------------------------------------


@spelled_out(Options)
def uniq(
    data: Data,
    *,
    output: Output | None = None,
    n: float | None = None,
    p: float | None = None,
    seed: int | None = None,
    secret: bytes | None = None,
    invert: bool = False,
    **options: Unpack[Options],
) -> UniqReport:
    """Writes the first record of each key to `output`, in order; with `invert` those that repeat one.

    One pass with a fixed size: at most `memory` ("1G"; "64M" for pipes), for `n` different keys, if that is
    given. A few first ones may be taken for repeats, at the rate `p` (1e-4); the report tells how many.
    `output` as in ``filter``.

    >>> import inkling, io
    >>> once = io.BytesIO()
    >>> inkling.uniq(b"ant\\nbee\\nant\\n", output=once).repeated
    1
    >>> once.getvalue()
    b'ant\\nbee\\n'
    """
    how = InkUniqOptions(
        expected_keys=0 if n is None else whole("n", n),
        rate=_rate("p", p),
        seed=0 if seed is None else whole("seed", seed),
        explicit_seed=seed is not None,
        secret=_secret(secret),
        invert=flag("invert", invert),
    )
    reads, runs = split(options)
    reading, run, found = Reading(**reads), Run(**runs), InkUniqReport()
    inputs = Inputs(data, reading)
    with _target(output, run.watch) as target:
        status = run.status(
            lib.ink_uniq,
            inputs.array,
            inputs.count,
            byref(reading.struct),
            byref(how),
            _sink_of(target),
            byref(found),
            keep=(inputs, target),
        )
        _end(run, status, inputs, None, target)
    return UniqReport(
        records=found.records,
        first=found.first,
        repeated=found.records - found.first,
        lost=found.lost,
        lost_high=found.lost_high,
        keys=found.expected_keys,
        bytes=found.bytes,
        present_rate=found.rate,
        seconds=found.seconds,
        bad=run.job.bad,
    )


# ---- Add and remove -------------------------------------------------------------------------------


def _update(path: Path, data: Data, how: InkUpdateOptions, options: Options) -> UpdateReport:
    encoded = path_bytes(path)
    reads, runs = split(options)
    reading, run, report = Reading(**reads), Run(**runs), InkUpdateReport()
    inputs = Inputs(data, reading)
    status = run.status(
        lib.ink_update,
        encoded,
        inputs.array,
        inputs.count,
        byref(reading.struct),
        byref(how),
        byref(report),
        keep=(inputs,),
    )
    if status == _NOT_FOUND and report.absent > 0:
        raise _absent(report, os.fsdecode(encoded))
    run.check(status, inputs)
    return UpdateReport(
        changed=report.changed,
        sketches=report.sketches,
        made=report.made,
        stuck=report.stuck,
        **_read(run.job),
    )


def _told_key(absent: InkAbsentKey, columns: int) -> str:
    """A key that is not in, as much of it as is known; the columns of a tuple stand as in CSV."""
    known = bytes(absent.key)[: min(absent.key_bytes, ABSENT_KEY_BYTES)]
    cut = "..." if absent.key_bytes > ABSENT_KEY_BYTES else ""
    fields = []
    while columns > 1 and len(known) >= 4:
        size = 4 + int.from_bytes(known[:4], "little")
        fields.append(known[4:size].decode("utf-8", "backslashreplace"))
        known = known[size:]
    return (",".join(fields) or known.decode("utf-8", "backslashreplace") or '""') + cut


def _absent(report: InkUpdateReport, path: str) -> NotFoundError:
    """That keys to be removed are not in, and which."""
    first = report.absent_keys[0]
    absent = report.absent_keys[: min(report.absent, ABSENT_KEYS)]
    keys = [_told_key(key, report.key_columns) for key in absent]
    where = "its group of " if report.grouped else ""
    text = f"key {keys[0]} is not in {where}{path}{' so often' if first.fewer else ''}; nothing was removed"
    if report.absent > 1:
        more = ", ..." if report.absent > ABSENT_KEYS else ""
        text += f" ({report.absent} such records: {', '.join(keys)}{more})"
    return NotFoundError(text, place="line", at=first.line, path=spoken_path(first.path))


@spelled_out(Options)
def add(
    path: Path,
    data: Data,
    *,
    once: bool = False,
    max_rate: float | None = None,
    secret: bytes | None = None,
    **options: Unpack[Options],
) -> UpdateReport:
    """Adds the keys of records to the sketches of the file at `path`, each to those of its group.

    The file changes whole or not at all; several updates at once wait for each other. A filter that would
    break its promise is a PromiseError, unless `max_rate` allows the rate. `once` adds only keys that seem to
    be new. Data is read as the file was built, unless options say otherwise.

    >>> import inkling, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "words.ink")
    ...     inkling.build(b"ant\\n", "bloom", n=100).save(path)
    ...     inkling.add(path, b"bee\\ncow\\n").changed
    2
    """
    how = InkUpdateOptions(
        once=flag("once", once), max_rate=_rate("max_rate", max_rate), secret=_secret(secret)
    )
    return _update(path, data, how, options)


@spelled_out(Options)
def remove(
    path: Path, data: Data, *, secret: bytes | None = None, **options: Unpack[Options]
) -> UpdateReport:
    """Takes the keys of records out of the counting filters of the file at `path`: all of them, or none.

    NotFoundError names the keys that are not in. Remove only what was added: a wrong key passes unnoticed at
    the filter's rate, and may take others along.

    >>> import inkling, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "words.ink")
    ...     inkling.build(b"ant\\nbee\\n", "counting").save(path)
    ...     inkling.remove(path, b"bee\\n").changed
    1
    """
    return _update(path, data, InkUpdateOptions(remove=True, secret=_secret(secret)), options)


# ---- Merge and generate ---------------------------------------------------------------------------


@spelled_out(RunOptions)
def merge(
    paths: Path | Iterable[Path], *, max_rate: float | None = None, **options: Unpack[RunOptions]
) -> Sketches:
    """Unites files of sketches by kind and group, as if one had been built from all records.

    A union whose rate would be above the promise is a PromiseError, unless `max_rate` allows it.

    >>> import inkling, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mon, tue = (os.path.join(folder, day) for day in ("mon.ink", "tue.ink"))
    ...     inkling.build(b"ant\\n", "bloom", n=100).save(mon)
    ...     inkling.build(b"bee\\n", "bloom", n=100).save(tue)
    ...     both = inkling.merge([mon, tue])
    >>> both.sketch().query(["ant", "bee", "cow"])
    [True, True, False]
    """
    encoded = _merged_paths(paths)
    how = None if max_rate is None else InkMergeOptions(max_rate=real("max_rate", max_rate))
    run, made = Run(**options), c_void_p()
    array = (c_char_p * len(encoded))(*encoded)
    try:
        status = run.status(
            lib.ink_merge_files, byref(made), array, len(encoded), None if how is None else byref(how)
        )
        run.check(status)
        file, held = file_of_set(made)
        return Sketches._of_file(file, held=held)
    finally:
        lib.ink_set_free(made)


def _merged_paths(paths: object) -> list[bytes]:
    if isinstance(paths, (str, os.PathLike)):
        return [path_bytes(paths)]
    if isinstance(paths, (bytes, Sketches)) or not isinstance(paths, Iterable):
        raise TypeError(f"paths of type {type(paths).__name__}, expected paths of files of sketches")
    encoded = []
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            given = type(path).__name__
            raise TypeError(f"{given} among the paths, expected files; sketches meet with Sketch.merge")
        encoded.append(path_bytes(path))
    if not encoded:
        raise UsageError("no files of sketches, expected at least one")
    return encoded


def generate(
    kind: Literal["ip", "names", "imdb", "zipf", "u64", "log"] | str,
    output: Output,
    *,
    n: float | None = None,
    seed: int = 0,
    skew: float | None = None,
    sample: float | None = None,
    sample_output: Output | None = None,
    progress: ProgressOption = None,
) -> None:
    """Writes records to try things with to `output`, the same for the same seed on every machine.

    `output` is a path, or an object with ``write(bytes)``.
    `n` records of `kind`, or as many as the kind has by default; `skew` is the exponent of zipf and log; of
    names `sample` go to `sample_output` too.

    >>> import inkling, io
    >>> lines = io.BytesIO()
    >>> inkling.generate("ip", lines, n=3)
    >>> lines.getvalue().count(b"\\n")
    3
    """
    if (sample is None) != (sample_output is None):
        raise UsageError("sample and sample_output go together, expected both")
    run = Run(progress=progress)
    what = InkGeneration(
        kind=text_bytes("kind", kind),
        records=0 if n is None else whole("n", n),
        seed=whole("seed", seed),
        skew=_rate("skew", skew),
        sample=0 if sample is None else whole("sample", sample),
    )
    with ExitStack() as stack:
        target = stack.enter_context(_target(output, run.watch))
        sampled = stack.enter_context(_target(sample_output, run.watch))
        if target is None:
            raise TypeError("output of type NoneType, expected a path or an object with write()")
        if sampled is not None:
            what.sample_sink = ctypes.pointer(sampled.sink)
        status = run.status(lib.ink_generate, byref(what), byref(target.sink), keep=(target, sampled))
        _end(run, status, None, None, target, sampled)
