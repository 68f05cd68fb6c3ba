"""What a build on Spark gives: sketches in a file on the driver's disk, and how they are saved elsewhere."""

from __future__ import annotations

import errno
import os
import re
import tempfile
import uuid
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark import SparkContext

from inkling import BuildReport, FileError, Sketches, UsageError
from inkling.options import Output, Path

from ._session import active, errors_of_file

__all__ = ["SparkReport", "SparkSketches", "local_path", "scheme_of"]

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(?=/)")


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


class SparkSketches(Sketches):
    """The sketches that a build on Spark made, by group: a mapping as ``inkling.open`` gives it.

    They are in a file on the driver's disk, which is mapped, not read. ``save`` takes paths of the driver's
    machine, and of every file system that Spark knows: ``hdfs://``, ``s3a://`` and so on.
    """

    __slots__ = ()

    def save(self, path: Output, *, overwrite: bool = True) -> None:
        """Writes all sketches, and the input spec, as a file: whole, or not at all; an object with
        ``write(bytes)`` gets the bytes.

        A path without a scheme, and with ``file:``, is one of the driver's machine; another, as
        ``hdfs:///ratings.ink``, is one of a file system that Spark knows. `overwrite` is that of
        ``Sketch.save``."""
        local = local_path(path) if isinstance(path, (str, os.PathLike)) else path
        if local is not None:
            super().save(local, overwrite=overwrite)
            return
        assert isinstance(path, (str, os.PathLike))
        with tempfile.TemporaryDirectory(prefix="inkling-") as folder:
            copy = os.path.join(folder, "sketches.ink")
            super().save(copy)
            _put(copy, os.fsdecode(path), overwrite)


# ---- Other file systems ---------------------------------------------------------------------------


def _put(local: str, path: str, overwrite: bool) -> None:
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
            _rename(jvm, files, settings, beside, target, overwrite)
        except BaseException:
            with suppress(Py4JJavaError):  # it may not have come to a file, and why not is what counts
                files.delete(beside, False)
            raise


def _rename(jvm: Any, files: Any, settings: Any, old: Any, new: Any, overwrite: bool) -> None:
    """Gives a file the name of another, which goes, at once where the file system can, or is refused."""
    hadoop = jvm.org.apache.hadoop.fs
    if not overwrite and files.exists(new):
        raise UsageError(f"{new.toString()}: already exists, expected a new name or overwrite=")
    try:
        context = hadoop.FileContext.getFileContext(files.getUri(), settings)
    except Py4JJavaError:  # it has no such thing: between the two steps there is no file
        if overwrite:
            files.delete(new, False)
        if not files.rename(old, new):
            raise FileError("cannot be renamed to", path=new.toString(), os_error=errno.EIO) from None
        return
    gateway: Any = SparkContext._gateway
    how = gateway.new_array(hadoop.Options.Rename, 1)
    how[0] = hadoop.Options.Rename.OVERWRITE if overwrite else hadoop.Options.Rename.NONE
    context.rename(old, new, how)
