"""Where records of a job and bytes of sketches go: to a file that is there whole or not at all, or to an
object."""

from __future__ import annotations

import ctypes
import errno
import io
import os
import stat
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, cast

from ._errors import UsageError, spoken_path
from ._library import OK, InkError, InkSink, WriteFunction, call, check, lib, path_bytes

if TYPE_CHECKING:
    from ._progress import Watch
    from .options import Output, Path

__all__ = ["Target", "open_target", "path_or_writer", "refuse_overwriting", "sink_of", "write_all"]

# What names of compressed files end in.
_COMPRESSED = (".gz", ".zst")


def path_or_writer(output: Output) -> bytes | Callable[[bytes], object]:
    """The path of an output, as C takes it, or how an object takes bytes. TypeError for anything else."""
    if isinstance(output, (str, os.PathLike)):
        return path_bytes(output)
    given, write = type(output).__name__, getattr(output, "write", None)
    if isinstance(output, io.TextIOBase):
        raise TypeError(f"output that is a file of text ({given}), expected one opened in binary mode")
    if not callable(write):
        raise TypeError(f"output of type {given}, expected a path or an object with write()")
    return cast(Callable[[bytes], object], write)


def write_all(write: Callable[[bytes], object], data: bytes) -> None:
    """Writes bytes to an object that may take them in parts, as files without a buffer do."""
    while data:
        wrote = write(data)
        data = data[wrote:] if type(wrote) is int and 0 <= wrote < len(data) else b""


# ---- Refusals before anything is read -------------------------------------------------------------


def _is_path(output: object) -> bool:
    return isinstance(output, (str, os.PathLike))


def _file_of(output: object) -> tuple[int, int] | None:
    """What identifies a file under any name: of a path, or of an object with a descriptor.

    None for what is not there yet, and for what is no file on a disk."""
    try:
        if not _is_path(output):
            found = os.fstat(cast(Any, output).fileno())
        elif os.fsencode(cast("Path", output)) == b"-":
            found = os.fstat(0)
        else:
            found = os.stat(cast("Path", output))
    except (AttributeError, OSError, TypeError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def refuse_overwriting(output: Output | None, inputs: Iterable[object]) -> None:
    """Raises if an output is one of the files that are to be read, under any name."""
    written = None if output is None else _file_of(output)
    if written is None:
        return
    for read in inputs:
        if _file_of(read) == written:
            name = os.fsdecode(cast("Path", output)) if _is_path(output) else type(output).__name__
            shown = spoken_path(os.fsdecode(cast("Path", read)))
            raise UsageError(f"output {name!r} is the input {shown!r}, expected another file")


# ---- Targets --------------------------------------------------------------------------------------


class Target:
    """An output of a job while it runs."""

    def __init__(self, output: Output, watch: Watch) -> None:
        self._watch = watch
        self._error = InkError()
        self._path: str | None = None
        self._file: c_void_p | None = None
        self._lock = threading.Lock()  # an abandoned job may yet write
        self._write: Callable[[bytes], object] | None = None
        target = path_or_writer(output)
        if isinstance(target, bytes):
            self._begin(target)
        else:
            self._write = target
        self.sink = InkSink(write=WriteFunction(self._take))

    def _begin(self, encoded: bytes) -> None:
        if encoded == b"-":
            raise UsageError("output '-', expected a path, or an object with write(), as sys.stdout.buffer")
        name = os.fsdecode(encoded)
        for suffix in _COMPRESSED:
            if name.endswith(suffix):
                raise UsageError(
                    f"output {name!r}: records are written as they are, expected a name without {suffix}"
                )
        self._path = name
        self._file = c_void_p()
        call(lib.ink_output_begin, byref(self._file), encoded, path=self._path)

    def _take(self, _host: object, address: int | bytes, count: int) -> int:
        """What C calls with records: 0, or an errno."""
        if self._write is not None:
            data = ctypes.string_at(address, count)
            return self._watch.ask(lambda: self._pass_on(data), errno.EIO)
        with self._lock:
            if self._file is None:
                return errno.EIO
            if lib.ink_output_write(self._file, address, count, byref(self._error)) == OK:
                return 0
            return cast(int, self._error.os_error) or errno.EIO

    def put(self, data: bytes) -> int:
        """The same of bytes that were made here."""
        return self._take(None, data, len(data))

    def _pass_on(self, data: bytes) -> int:
        assert self._write is not None
        write_all(self._write, data)
        return 0

    def check(self) -> None:
        """Raises if writing failed."""
        check(self._error.status, self._error, self._path)

    def commit(self) -> None:
        """Renames the file to its path."""
        file, self._file = self._file, None
        if file is not None:
            call(lib.ink_output_commit, file, path=self._path)

    def abandon(self) -> None:
        """Leaves no trace of a file that was not committed."""
        with self._lock:
            file, self._file = self._file, None
        if file is not None:
            lib.ink_output_abandon(file)


@contextmanager
def open_target(output: Output | None, watch: Watch) -> Iterator[Target | None]:
    """An output; abandoned unless it is committed."""
    if output is None:
        yield None
        return
    target = Target(output, watch)
    try:
        yield target
    finally:
        target.abandon()


def sink_of(target: Target | None) -> Any:
    """Where C writes: nowhere without a target."""
    return None if target is None else byref(target.sink)
