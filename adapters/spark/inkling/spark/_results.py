"""What a build on Spark gives: sketches in a file on the driver's disk, and how they are saved elsewhere."""

from __future__ import annotations

import errno
import os
import re
import tempfile
import uuid
from collections.abc import Iterable
from contextlib import suppress
from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark import SparkContext

from inkling._errors import FileError, UsageError
from inkling._library import call, lib, path_bytes
from inkling._pieces import Assembly, Job
from inkling._reading import Path, spoken_path
from inkling._reports import BuildReport
from inkling._sketches import Sketches, open_unnamed

from ._session import active, errors_of_file

__all__ = ["SparkReport", "SparkSketches", "local_path", "scheme_of"]

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(?=/)")
_COPY_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class SparkReport(BuildReport):
    """What was read to build sketches, and what was sent for it."""

    pieces: int
    """That tasks gave: each was one value of a row."""
    largest_piece: int
    """The bytes of the largest of these."""


# ---- Paths ----------------------------------------------------------------------------------------


def scheme_of(path: str) -> str | None:
    """The scheme of a path such as hdfs://host/x or file:/x; None of a path of this machine."""
    found = _SCHEME.match(path)
    return None if found is None else found[1].lower()


def local_path(path: Path) -> str | None:
    """The path on this machine that is meant; None if it is in another file system."""
    text = os.fsdecode(path)
    scheme = scheme_of(text)
    if scheme is None:
        return text
    if scheme != "file":
        return None
    rest = text.partition(":")[2]
    if rest.startswith("//") and not rest.startswith("///"):
        raise UsageError(f"{text}: a file of another machine, expected file:/path or file:///path")
    return "/" + rest.lstrip("/")


# ---- The sketches ---------------------------------------------------------------------------------


class _Unnamed:
    """A file that is open and has no name any more: it is deleted with its last reference."""

    def __init__(self, path: str) -> None:
        self.descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self.bytes = os.fstat(self.descriptor).st_size

    def __del__(self, close: Any = os.close) -> None:
        close(self.descriptor)


class SparkSketches(Sketches):
    """The sketches that a build on Spark made, by group: a mapping as ``inkling.open`` gives it.

    They are in a file on the driver's disk, which is mapped, not read. ``save`` takes paths of the driver's
    machine, and of every file system that Spark knows: ``hdfs://``, ``s3a://`` and so on.
    """

    __slots__ = ("_unnamed",)

    _unnamed: _Unnamed

    @classmethod
    def _of_assembly(
        cls, assembly: Assembly, job: Job, inputs: Iterable[Path], report: SparkReport
    ) -> SparkSketches:
        """The sketches of an assembly, with the input spec of a job that read such inputs, if any."""
        listed = list(inputs)
        with tempfile.TemporaryDirectory(prefix="inkling-") as folder:
            path = os.path.join(folder, "sketches.ink")
            assembly.save(path, job if listed else None, listed)
            opened = open_unnamed(path, secret=job.secret, built=report)
            unnamed = _Unnamed(path)
        made = cls._of_file(opened._opened, secret=job.secret, built=report)
        assert isinstance(made, cls)
        made._unnamed = unnamed
        return made

    def save(self, path: Path) -> None:
        """Writes all sketches, and the input spec, as a file: whole, or not at all.

        A path without a scheme, and with ``file:``, is one of the driver's machine; another, as
        ``hdfs:///ratings.ink``, is one of a file system that Spark knows."""
        self._opened  # which refuses if it was closed
        local = local_path(path)
        if local is not None:
            self._save_here(local)
            return
        with tempfile.TemporaryDirectory(prefix="inkling-") as folder:
            copy = os.path.join(folder, "sketches.ink")
            self._save_here(copy)
            _put(copy, os.fsdecode(path))

    def _save_here(self, path: str) -> None:
        if not hasattr(self, "_unnamed"):  # they came from bytes
            super().save(path)
            return
        shown_path, at = spoken_path(path), 0
        output, descriptor = c_void_p(), self._unnamed.descriptor
        call(lib.ink_output_begin, byref(output), path_bytes(path), path=shown_path)
        try:
            while part := os.pread(descriptor, _COPY_BYTES, at):
                call(lib.ink_output_write, output, part, len(part), path=shown_path)
                at += len(part)
        except BaseException:
            lib.ink_output_abandon(output)
            raise
        call(lib.ink_output_commit, output, path=shown_path)


# ---- Other file systems ---------------------------------------------------------------------------


def _put(local: str, path: str) -> None:
    """Copies a file into a file system of Hadoop: under another name, which then becomes the right one."""
    spark = active()
    jvm, settings = spark._jvm, spark._jsc.hadoopConfiguration()
    assert jvm is not None
    hadoop = jvm.org.apache.hadoop.fs
    with errors_of_file(path, "written"):
        target = hadoop.Path(path)
        folder, name = target.getParent(), target.getName()
        files = target.getFileSystem(settings)
        beside = hadoop.Path(folder, f".{name}.{uuid.uuid4().hex}.tmp")
        try:
            files.copyFromLocalFile(False, True, hadoop.Path(f"file://{local}"), beside)
            _rename(jvm, files, settings, beside, target)
        except BaseException:
            with suppress(Py4JJavaError):  # it may not have come to a file, and why not is what counts
                files.delete(beside, False)
            raise


def _rename(jvm: Any, files: Any, settings: Any, old: Any, new: Any) -> None:
    """Gives a file the name of another, which goes, at once where the file system can."""
    hadoop = jvm.org.apache.hadoop.fs
    try:
        context = hadoop.FileContext.getFileContext(files.getUri(), settings)
    except Py4JJavaError:  # it has no such thing: between the two steps there is no file
        files.delete(new, False)
        if not files.rename(old, new):
            raise FileError("cannot be renamed to", path=new.toString(), os_error=errno.EIO) from None
        return
    gateway: Any = SparkContext._gateway
    how = gateway.new_array(hadoop.Options.Rename, 1)
    how[0] = hadoop.Options.Rename.OVERWRITE
    context.rename(old, new, how)
