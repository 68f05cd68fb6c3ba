"""Which files are meant: paths, folders and globs, as Spark takes them, of this machine or elsewhere."""

from __future__ import annotations

import errno
import functools
import glob
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow

from inkling import FileError, UsageError
from inkling.options import Format, Path

from ._results import local_path

__all__ = ["Found", "find_files", "first_line", "form_of", "listed"]

_BRACES = re.compile(r"\{([^{}]*)\}")
_COMPRESSED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_SUFFIXES: dict[str, Format] = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl"}
_LINE_BYTES = 1 << 20


@dataclass(frozen=True)
class Found:
    """A file of this machine."""

    path: str
    bytes: int

    @functools.cached_property
    def compressed(self) -> str | None:
        """What it is compressed with, by its first bytes."""
        with open(self.path, "rb") as file:
            start = file.read(4)
        return next((name for magic, name in _COMPRESSED.items() if start.startswith(magic)), None)


def listed(paths: Path | Iterable[Path]) -> list[str]:
    """The paths that a user gave: one, or several."""
    if isinstance(paths, (str, os.PathLike)):
        return [os.fsdecode(paths)]
    if isinstance(paths, (bytes, bytearray)) or not isinstance(paths, Iterable):
        raise TypeError(f"paths of type {type(paths).__name__}, expected a path or several")
    found = []
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"{type(path).__name__} among the paths, expected paths")
        found.append(os.fsdecode(path))
    if not found:
        raise UsageError("no paths, expected at least one")
    return found


# ---- Files of this machine ------------------------------------------------------------------------


def find_files(path: str) -> list[Found]:
    """The files that a path of this machine means: itself, all in a folder, or what a pattern matches."""
    local = local_path(path)
    assert local is not None
    paths = [local] if os.path.lexists(local) else sorted(set(_matches(local)))
    if not paths:
        raise FileError(f"cannot open: {os.strerror(errno.ENOENT)}", path=path, os_error=errno.ENOENT)
    found = [file for path in paths for file in _files_at(path)]
    if not found:
        raise FileError("a folder without files, expected at least one", path=path, os_error=errno.ENOENT)
    return found


def _matches(pattern: str) -> Iterator[str]:
    """What a pattern of Hadoop matches; {a,b} is one of these."""
    braces = _BRACES.search(pattern)
    if braces is None:
        yield from (path for path in glob.glob(pattern) if not _is_hidden(os.path.basename(path)))
        return
    for choice in braces[1].split(","):
        yield from _matches(pattern[: braces.start()] + choice + pattern[braces.end() :])


def _is_hidden(name: str) -> bool:
    """Whether a name is left out where it was not asked for, as Spark does: bookkeeping, such as
    _SUCCESS, but not a folder of a partition, such as _day=7."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name) or name.endswith("._COPYING_")


def _files_at(path: str) -> Iterator[Found]:
    try:
        there = os.stat(path)
    except OSError as error:
        number = error.errno or errno.EIO
        raise FileError(f"cannot open: {os.strerror(number)}", path=path, os_error=number) from None
    if stat.S_ISDIR(there.st_mode):
        for name in sorted(os.listdir(path)):
            if not _is_hidden(name):
                yield from _files_at(os.path.join(path, name))
    elif stat.S_ISREG(there.st_mode):
        yield Found(os.path.abspath(path), there.st_size)
    else:
        raise UsageError("neither a file nor a folder, expected what can be read again", path=path)


# ---- What is in them ------------------------------------------------------------------------------


def form_of(path: str) -> Format:
    """The form that the suffix of a path stands for, as the command has it."""
    stem = path.removesuffix(".gz") if path.endswith(".gz") else path.removesuffix(".zst")
    return next((form for suffix, form in _SUFFIXES.items() if stem.endswith(suffix)), "lines")


def first_line(file: Found) -> bytes:
    """The first line of a file, with its end, also of one that is compressed."""
    with pyarrow.input_stream(file.path, compression=file.compressed) as stream:
        start = bytes(stream.read(_LINE_BYTES))
    line, end, _ = start.partition(b"\n")
    return line + end
