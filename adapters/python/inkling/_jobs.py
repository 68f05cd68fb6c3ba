"""Jobs with sketches, on every core: filter, verify, uniq, add, remove, merge and generate.

They do what the commands of ``ink`` do, with the same names, the same defaults and the same results.

A job reads files, records in memory or tables, and gives sketches, records or a report.
"""

from __future__ import annotations

import ctypes
import fnmatch
import os
import re
from collections.abc import Iterable
from contextlib import ExitStack
from ctypes import POINTER, byref, c_void_p
from typing import TYPE_CHECKING, Any, Literal

from ._build import Kind
from ._errors import NotFoundError, UnsupportedError, UsageError, spoken_path
from ._labels import group_of
from ._library import (
    ABSENT_KEY_BYTES,
    ABSENT_KEYS,
    NOT_FOUND,
    OK,
    GroupFunction,
    InkAbsentKey,
    InkFilterOptions,
    InkFilterReport,
    InkGeneration,
    InkGroupChoice,
    InkInput,
    InkJob,
    InkMergeOptions,
    InkUniqOptions,
    InkUniqReport,
    InkUpdateOptions,
    InkUpdateReport,
    InkVerifyResult,
    InkVerificationSummary,
    InkVerifyOptions,
    call,
    fields_of,
    lib,
    path_bytes,
    real,
    secret_bytes,
    text_bytes,
    whole,
)
from ._outputs import Target, open_target, refuse_overwriting, sink_of
from ._progress import ProgressOption
from ._inputs import Data, Inputs, Options, PlainOptions, Run, RunOptions, matching, split
from ._reading import Reading, flag
from ._reports import (
    FilterReport,
    UniqReport,
    UpdateReport,
    VerifyResult,
    Verification,
    VerificationSummary,
)
from ._sketch import Sketch
from ._sketches import Askable, Sketches, decode_lazily, listed_sketches, merge_files, open_for_job
from ._sketches import open as open_sketches
from .options import Column, Output, Path, spelled_out

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "FilterReport",
    "UniqReport",
    "UpdateReport",
    "VerifyResult",
    "Verification",
    "VerificationSummary",
    "add",
    "filter",
    "generate",
    "merge",
    "remove",
    "uniq",
    "verify",
]


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
        paths = matching(sketches)
        return open_for_job(paths[0]) if len(paths) == 1 else open_sketches(paths)
    raise TypeError(f"sketches of type {type(sketches).__name__}, expected Sketches, a Sketch or a path")


def _paths_of(sketches: Askable) -> list[Any]:
    """The paths that sketches stand at, if they were given by them."""
    return matching(sketches) if isinstance(sketches, (str, os.PathLike)) else []


def _refuse_tables(inputs: Inputs, instead: str) -> None:
    if inputs.tables:
        raise UnsupportedError(f"a table, expected files or bytes (for tables: {instead})")


def _read(job: InkJob) -> dict[str, int]:
    return {"records": job.records, "bad": job.bad, "nulls": job.nulls}


# ---- Filter ---------------------------------------------------------------------------------------


# What patterns of the shell have, and those of fnmatch write in another way: \* and [^a].
_OF_THE_SHELL = re.compile(rb"\\(.)|\[\^", re.DOTALL)


def _in_other_words(found: re.Match[bytes]) -> bytes:
    escaped: bytes | None = found[1]
    if escaped is None:
        return b"[!"
    return b"[" + escaped + b"]" if escaped in b"*?[" else escaped


def _choice(pattern: str) -> InkGroupChoice:
    """The groups whose name matches a pattern, as ``--groups`` chooses them."""
    text = _OF_THE_SHELL.sub(_in_other_words, text_bytes("groups", pattern))

    def wanted(_host: object, label: Any) -> bool:
        group = group_of(label[0])
        name = group.encode() if isinstance(group, str) else group
        return isinstance(name, bytes) and b"\0" not in name and fnmatch.fnmatchcase(name, text)

    return InkGroupChoice(wanted=GroupFunction(wanted))


@spelled_out(PlainOptions)
def filter(
    sketches: Askable,
    data: Data,
    *,
    output: Output | None = None,
    invert: bool = False,
    first: bool = False,
    by: Column | bool | None = None,
    kind: Kind | str | None = None,
    last: int | None = None,
    secret: bytes | None = None,
    group_column: str | None = "ink_group",
    groups: str | None = None,
    **options: Unpack[PlainOptions],
) -> FilterReport:
    """Writes the records whose key may be in the set to `output`, as they stand, or with `invert` the others.

    `output` is a path, of a file that is there whole or not at all, or an object with ``write(bytes)``; None
    only counts. Records are read as those that the sketches were built from, unless options say otherwise. Of
    sketches with groups those that a key may be in are written with the record, in a column or JSON member
    `group_column` (records without fields: after a tab); None leaves them out. ``by=True`` asks each
    record's own group alone, named by the column that the sketches were built with, ``by="column"`` by another;
    `groups` asks only those whose name matches a pattern, such as ``"10.*"``. `first` stops at the first that
    passes.

    >>> import inkling, io
    >>> words, found = inkling.build(b"ant\\nbee\\n", "bloom"), io.BytesIO()
    >>> inkling.filter(words, b"bee\\ncow\\n", output=found).passed
    1
    >>> found.getvalue()
    b'bee\\n'
    """
    asked = _asked_file(sketches)
    how = InkFilterOptions(
        kind=None if kind is None else text_bytes("kind", kind),
        invert=flag("invert", invert),
        first=flag("first", first),
        by=by is not None and by is not False,
        last=0 if last is None else whole("last", last),
        secret=_secret(secret) or asked._secret,
        group_column=b"" if group_column is None else text_bytes("group_column", group_column),
    )
    if groups is not None:
        how.groups = ctypes.pointer(_choice(groups))
    reads, runs = split(options)
    reading = Reading(**reads, by=None if isinstance(by, bool) else by)
    run, report = Run(**runs), InkFilterReport()
    inputs = Inputs(data, reading)
    _refuse_tables(inputs, "table.filter(sketch.query(table[\"key\"]))")
    refuse_overwriting(output, [*inputs.paths, *_paths_of(sketches)])
    with open_target(output, run.watch) as target:
        status = run.status(
            lib.ink_filter,
            asked._opened,
            inputs.array,
            inputs.count,
            byref(reading.struct),
            byref(how),
            sink_of(target),
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
        set_records=report.set_records,
        set_keys=report.set_keys,
        functions=report.functions or None,
        groups=report.groups or None,
        false_groups=report.false_groups if report.groups else None,
        seconds=report.seconds,
        **_read(run.job),
    )


def _end(run: Run, status: int, inputs: Inputs | None, about: str | None, *targets: Target | None) -> None:
    """Ends a job with outputs: each is renamed to its path, or the failure is raised."""
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
    inputs = Inputs(data, reading, lambda: asked.input_spec)
    non_members = None
    if absent is not None:
        non_members = Inputs(absent, reading, lambda: asked.input_spec, grouped=False)
    if non_members is not None:
        how.absent = ctypes.cast(non_members.array, POINTER(InkInput))
        how.absent_count = non_members.count
    made = c_void_p()
    try:
        status = run.status(
            lib.ink_verify,
            byref(made),
            asked._opened,
            inputs.array,
            inputs.count,
            byref(reading.struct),
            byref(how),
            keep=(asked, asked._file, inputs, non_members),
        )
        run.check(status, inputs, asked.path)
        return _verification(made, run.job)
    finally:
        lib.ink_verification_free(made)


def _verification(made: c_void_p, job: InkJob) -> Verification:
    found, all_together = InkVerifyResult(), InkVerificationSummary()
    rows = []
    for index in range(lib.ink_verification_count(made)):
        call(lib.ink_verification_row, made, index, byref(found))
        rows.append(_verify_result(found))
    lib.ink_verification_summarise(made, byref(all_together))
    beyond = sum(1 for row in rows if row.denied is None and not row.ok)
    return Verification(tuple(rows), VerificationSummary(beyond=beyond, **fields_of(all_together)), **_read(job))


def _verify_result(found: InkVerifyResult) -> VerifyResult:
    always: dict[str, Any] = {
        "kind": found.kind.decode(),
        "group": group_of(found.label),
        "slot": found.label.slot if found.label.has_slot else None,
        "ok": found.ok,
        "tested": found.tested,
    }
    if not found.membership:
        return VerifyResult(**always, wrong=found.wrong, missed=found.missed, error=found.error, bound=found.bound)
    return VerifyResult(
        **always,
        false_positives=found.false_positives,
        rate=found.rate,
        low=found.low,
        high=found.high,
        target=found.target or None,
        promised=found.promised or None,
        current=found.current,
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
    given. A few first ones may be taken for repeats, at the rate `p` (1e-4); the report has their number.
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
        has_seed=seed is not None,
        secret=_secret(secret),
        invert=flag("invert", invert),
    )
    reads, runs = split(options)
    reading, run, found = Reading(**reads), Run(**runs), InkUniqReport()
    inputs = Inputs(data, reading)
    _refuse_tables(inputs, "table.filter(sketch.add_new(table[\"key\"]))")
    refuse_overwriting(output, inputs.paths)
    with open_target(output, run.watch) as target:
        status = run.status(
            lib.ink_uniq,
            inputs.array,
            inputs.count,
            byref(reading.struct),
            byref(how),
            sink_of(target),
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
        current_rate=found.rate,
        seconds=found.seconds,
        bad=run.job.bad,
    )


# ---- Add and remove -------------------------------------------------------------------------------


def _input_spec_at(path: Path) -> dict[str, Any] | None:
    """How the data of a file of sketches was read; None also for what is no file, which the job refuses."""
    if not os.path.isfile(path):
        return None
    with Sketches._at(path, lazy=True, copy=False, secret=None) as file:
        return file.input_spec


def _update(path: Path, data: Data, how: InkUpdateOptions, options: Options) -> UpdateReport:
    encoded = path_bytes(path)
    reads, runs = split(options)
    reading, run, report = Reading(**reads), Run(**runs), InkUpdateReport()
    inputs = Inputs(data, reading, lambda: _input_spec_at(path))
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
    if status == NOT_FOUND and report.absent > 0:
        raise _absent(report, os.fsdecode(encoded))
    run.check(status, inputs)
    return UpdateReport(
        changed=report.changed,
        sketches=report.sketches,
        made=report.made,
        stuck=report.stuck,
        **_read(run.job),
    )


def _key_text(absent: InkAbsentKey, columns: int) -> str:
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
    keys = [_key_text(key, report.key_columns) for key in absent]
    where = "its group of " if report.grouped else ""
    text = f"key {keys[0]} is not in {where}{path}{' that often' if first.fewer else ''}; nothing was removed"
    if report.absent > 1:
        more = ", ..." if report.absent > ABSENT_KEYS else ""
        text += f" ({report.absent} such records: {', '.join(keys)}{more})"
    return NotFoundError(text, location="line", at=first.line, path=spoken_path(first.path))


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
    sketches: Askable | Iterable[Askable], *, max_rate: float | None = None, **options: Unpack[RunOptions]
) -> Sketches:
    """Merges sketches by kind and group, as if one file had been built from all records.

    `sketches` are several of: paths of files, also with ``*``, Sketches, and a Sketch, which is one without a
    group. A union
    whose rate would be above the promise is a PromiseError, unless `max_rate` allows it. ``a | b`` is the
    union of two Sketches.

    >>> import inkling
    >>> mon, tue = (inkling.build(word, "bloom", n=100) for word in (b"ant\\n", b"bee\\n"))
    >>> both = inkling.merge([mon, tue])
    >>> both.sketch().query(["ant", "bee", "cow"])
    [True, True, False]
    """
    how = None if max_rate is None else InkMergeOptions(max_rate=real("max_rate", max_rate))
    return merge_files(listed_sketches(sketches), Run(**options), how)


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
        target = stack.enter_context(open_target(output, run.watch))
        sampled = stack.enter_context(open_target(sample_output, run.watch))
        if target is None:
            raise TypeError("output of type NoneType, expected a path or an object with write()")
        if sampled is not None:
            what.sample_sink = ctypes.pointer(sampled.sink)
        status = run.status(lib.ink_generate, byref(what), byref(target.sink), keep=(target, sampled))
        _end(run, status, None, None, target, sampled)
