"""Dedup: files of a corpus without what repeats, or which of many texts would be removed."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import re
from collections.abc import Iterable
from contextlib import nullcontext
from ctypes import byref, c_char_p, c_uint8, c_void_p
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ._answers import as_bools
from ._bulk import Rows
from ._errors import UsageError
from ._library import (
    InkDedupCount,
    InkDedupOptions,
    InkDedupReport,
    InkDedupRow,
    InkDedupSink,
    DedupFunction,
    call,
    lib,
    path_bytes,
    real,
    text_bytes,
    whole,
)
from ._inputs import Run, RunOptions
from ._jobs import _end
from ._outputs import Target, open_target, refuse_overwriting
from ._reading import _FORMS, Reading, chosen, flag
from ._show import FieldsTable
from .options import Column, Path, spelled_out

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["DedupLevel", "DedupReport", "dedup"]

_BAD = {"fail": 0, "skip": 1, "keep": 2}
_TIME = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d)", re.ASCII)
_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400}


@dataclass(frozen=True, slots=True)
class DedupLevel(FieldsTable):
    """What ``inkling.dedup`` found at a level."""

    level: str
    """``exact``, ``paragraphs``, ``ngrams`` or ``near``."""
    texts: int
    """Documents, paragraphs, or different n-grams of documents ..."""
    first: int
    """... of which this many were new."""
    removed: int
    """Documents; or paragraphs, of documents that no other level removed."""
    wrong: float
    """Removed although no earlier text was equal, or the share was below ``overlap``: the expected number ..."""
    wrong_high: int
    """... and the number that is not exceeded, with a chance of 1 - 1e-6."""
    table: bool
    """All hashes were kept; else a filter."""
    keys: int | None
    """Different texts that the filter was planned for."""
    current_rate: float | None
    """Of the filter."""
    passes: int | None
    """It was made in this many parts, as it was larger than the memory."""
    bytes: int
    """Of memory for what was seen."""


@dataclass(frozen=True, slots=True)
class DedupReport(FieldsTable):
    """What ``inkling.dedup`` did with files."""

    files: int
    documents: int
    bytes: int
    """Read, decompressed."""
    kept: int
    kept_bytes: int
    changed: int
    """Documents that lost paragraphs and stayed ..."""
    emptied: int
    """... and those that lost all and went."""
    bad: int
    done_before: bool
    """The same run had finished: nothing was done."""
    levels: tuple[DedupLevel, ...]
    seconds: float


def _level(number: int, found: InkDedupCount) -> DedupLevel:
    return DedupLevel(
        level=lib.ink_dedup_level_name(number).decode(),
        texts=found.texts,
        first=found.first,
        removed=found.removed,
        wrong=found.wrong,
        wrong_high=found.wrong_high,
        table=found.table,
        keys=found.expected_keys or None,
        current_rate=found.rate if found.expected_keys else None,
        passes=found.passes or None,
        bytes=found.bytes,
    )


def _report(found: InkDedupReport) -> DedupReport:
    names = ("files", "documents", "bytes", "kept", "kept_bytes", "changed", "emptied", "bad", "done_before", "seconds")
    levels = tuple(_level(number, count) for number, count in enumerate(found.levels) if count.used)
    return DedupReport(levels=levels, **{name: getattr(found, name) for name in names})


# ---- Files ----------------------------------------------------------------------------------------


class _Rows:
    """Rows that explain, as lines of JSON."""

    def __init__(self, target: Target) -> None:
        self.failed: BaseException | None = None
        self._target = target
        self.sink = InkDedupSink(DedupFunction(self._write), None)

    def _write(self, _host: object, found: Any) -> int:
        try:
            row: InkDedupRow = found[0]
            line: dict[str, Any] = {"file": os.fsdecode(row.path), "line": row.line}
            if row.id:
                line["id"] = ctypes.string_at(row.id, row.id_bytes).decode(errors="surrogateescape")
            line |= {
                "level": lib.ink_dedup_level_name(row.level).decode(),
                "whole": row.whole,
                "texts": row.texts,
                "removed": row.removed,
                "share": row.removed / row.texts,
            }
            if row.earlier_path:
                line |= {"earlier_file": os.fsdecode(row.earlier_path), "earlier_line": row.earlier_line}
            text = json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"
            return self._target.put(text.encode(errors="surrogateescape"))
        except BaseException as error:  # nothing may leave a callback
            self.failed = error
            return errno.EIO


def _of_files(
    data: Path | Iterable[Path], how: InkDedupOptions, format: str | None, explain: Path | None, run: Run
) -> DedupReport:
    paths = [data] if isinstance(data, (str, os.PathLike)) else list(data)
    reading, found = Reading(format=format), InkDedupReport()
    array = (c_char_p * len(paths))(*map(path_bytes, paths))
    refuse_overwriting(explain, paths)
    with open_target(explain, run.watch) as target:
        rows = None if target is None else _Rows(target)
        if rows is not None:
            how.rows = ctypes.pointer(rows.sink)
        status = run.status(
            lib.ink_dedup, array, len(paths), byref(reading.struct), byref(how), byref(found), keep=(array, how, found, rows)
        )
        if rows is not None and rows.failed is not None:
            raise rows.failed
        _end(run, status, None, None, target)
    return _report(found)


# ---- Texts ----------------------------------------------------------------------------------------


def _of_texts(data: Any, how: InkDedupOptions, key: Column | None, run: Run) -> Any:
    """Whether each text stays, in the shape in which they came. Nulls stay."""
    handle, found = c_void_p(), InkDedupReport()
    rows = Rows(data, key, None, "skip")
    call(lib.ink_dedup_texts_open, byref(handle), byref(how), byref(run.job))
    try:
        answers = rows.ask(lib.ink_arrow_dedup, lambda _: nullcontext(handle.value or 0), lambda: True)
        kept = (c_uint8 * lib.ink_dedup_texts_count(handle))()
        call(lib.ink_dedup_texts_finish, handle, kept, byref(found))
    finally:
        lib.ink_dedup_texts_free(handle)
    if len(kept) == len(answers):
        return as_bools(bytearray(kept), rows.batches)
    of_texts = iter(kept)
    return as_bools(bytearray(next(of_texts) if is_text else 1 for is_text in answers), rows.batches)


# ---- Both -----------------------------------------------------------------------------------------


def _microseconds(every: str | float | None) -> int:
    if every is None:
        return 0
    found = _TIME.fullmatch(every) if isinstance(every, str) else None
    seconds = 0.0
    if found is not None:
        seconds = float(found[1]) * _SECONDS[found[2]]
    elif not isinstance(every, str):
        seconds = real("every", every)
    if not _SECONDS["ms"] <= seconds <= 3650 * _SECONDS["d"]:
        raise UsageError(f"every {every!r}, expected seconds, or a time from 1ms to 3650d, as 10m")
    return round(seconds * 1_000_000)


def _optional(name: str, path: Path | str | None) -> bytes | None:
    return None if path is None else path_bytes(path) if name in ("output", "seen", "against") else text_bytes(name, path)


@spelled_out(RunOptions)
def dedup(
    data: Any,
    output: Path | None = None,
    *,
    exact: bool = False,
    paragraphs: bool = False,
    ngrams: int | None = None,
    of_bytes: bool = False,
    overlap: float | None = None,
    near: float | None = None,
    lower: bool = False,
    strip_punctuation: bool = False,
    n: float | None = None,
    p: float | None = None,
    max_rate: float | None = None,
    seen: Path | None = None,
    against: Path | None = None,
    key: Column | None = None,
    bad: Literal["fail", "skip", "keep"] = "fail",
    format: Literal["jsonl", "lines", "nul"] | None = None,
    text: str | None = None,
    id: str | None = None,
    mark: bool = False,
    explain: Path | None = None,
    dry_run: bool = False,
    overwrite: bool = False,
    every: str | float | None = None,
    **options: Unpack[RunOptions],
) -> Any:
    """Removes what repeats from a corpus: of equal texts, and with other levels of texts that are alike, the first one stays.

    With `output`, or ``dry_run=True``, `data` is a path or several: files, folders and patterns, which are written to the folder
    `output` without what repeats, and a report comes back. Else `data` is texts: an iterable, a column of anything that speaks
    Arrow, or a table with a column `key`; and a mask comes back, False for a text that goes (nulls stay).

    Levels: `exact` (whole texts, the default), `paragraphs` (of texts in memory: whether any is left), `ngrams` words (with
    ``of_bytes=True`` bytes) of which the share `overlap` (0.8) was seen before, and `near`, the Jaccard similarity with an
    earlier text. Options are those of ``ink dedup``. Of texts in memory every hash is kept, unless `n`, or `seen`, asks for
    a filter.

    >>> import inkling
    >>> inkling.dedup(["the same", "the same", "another"])
    [True, False, True]
    """
    how = InkDedupOptions(
        exact=flag("exact", exact),
        paragraphs=flag("paragraphs", paragraphs),
        ngrams=0 if ngrams is None else whole("ngrams", ngrams, bits=32),
        ngrams_of_bytes=flag("of_bytes", of_bytes),
        overlap=0.0 if overlap is None else real("overlap", overlap),
        near=0.0 if near is None else real("near", near),
        lower=flag("lower", lower),
        strip_punctuation=flag("strip_punctuation", strip_punctuation),
        expected_keys=0 if n is None else whole("n", n),
        rate=0.0 if p is None else real("p", p),
        max_rate=0.0 if max_rate is None else real("max_rate", max_rate),
        bad=chosen("bad", bad, _BAD),
        mark=flag("mark", mark),
        overwrite=flag("overwrite", overwrite),
        every=_microseconds(every),
        folder=None if flag("dry_run", dry_run) else _optional("output", output),
        seen=_optional("seen", seen),
        against=_optional("against", against),
        text=_optional("text", text),
        id=_optional("id", id),
    )
    run = Run(**options)
    if output is not None or dry_run:
        if key is not None:
            raise UsageError("key= with files, expected text=")
        return _of_files(data, how, format, explain, run)
    for name, value in {"format": format, "text": text, "explain": explain, "every": every}.items():
        if value is not None:
            raise UsageError(f"{name}= with texts, expected files, which need output= or dry_run=True")
    if isinstance(data, (str, os.PathLike)):
        raise UsageError("files without output=, expected the folder of results, or dry_run=True")
    return _of_texts(data, how, key, run)
