"""Sketches on every node: a file is sent once a session, and opened once by each worker process, which maps
it.

What travels with a task is the file's name, never its bytes. The name is that of the content (its digest), so
that the same sketches are sent once for all queries, and others never replace them.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from pyspark import SparkFiles
from pyspark.sql import SparkSession

import inkling
from inkling.options import Path

from ._results import local_path
from ._session import errors_of_file
from ._ship import context_of, was_sent

__all__ = ["Askable", "NodeFile", "OnNodes", "held", "send"]

#: What can be asked: sketches, one sketch, or the path of a file of them, here or on another file system.
Askable: TypeAlias = inkling.Sketches | inkling.Sketch | Path


class OnNodes(Protocol):
    """Sketches that every node has; this says to a task where; it is small and can be pickled."""

    def sketches(self) -> inkling.Sketches:
        """The sketches, in a task."""


@dataclass(frozen=True)
class NodeFile:
    """A file of sketches that every node has, by its name there; the secret never shows."""

    name: str
    secret: bytes | None = field(default=None, repr=False)

    def sketches(self) -> inkling.Sketches:
        """The sketches that were sent, opened by this process once; the driver has checked their bytes."""
        opened = _opened.get(self)
        if opened is None:
            opened = _opened[self] = inkling.open(SparkFiles.get(self.name), lazy=True, secret=self.secret)
        return opened


_opened: dict[NodeFile, inkling.Sketches] = {}


def held(spark: SparkSession, sketches: Askable, secret: bytes | None = None) -> inkling.Sketches:
    """What is to be asked, as sketches that the driver has open."""
    if isinstance(sketches, inkling.Sketches) and secret is None:
        return sketches
    if isinstance(sketches, (inkling.Sketches, inkling.Sketch)):
        return inkling.Sketches.from_bytes(sketches.to_bytes(), secret=secret)
    if not isinstance(sketches, (str, os.PathLike)):
        given = type(sketches).__name__
        raise TypeError(f"sketches of type {given}, expected what build gave, Sketches, a Sketch or a path")
    path = os.fsdecode(sketches)
    with _local_copy(spark, path) as here:
        try:
            return inkling.open(here, secret=secret)
        except inkling.InklingError as error:
            error.path = path
            raise


def send(spark: SparkSession, sketches: inkling.Sketches) -> NodeFile:
    """Sends sketches to all nodes, or does nothing if these were sent before."""
    context = context_of(spark)
    name = f"inkling-{sketches.digest}.ink"
    if not was_sent(context, name):
        # Nodes fetch it from there, and it goes with the session.
        path = os.path.join(context._temp_dir, name)
        sketches.save(path)
        context.addFile(path)
    return NodeFile(name, sketches.secret)


@contextmanager
def _local_copy(spark: SparkSession, path: str) -> Iterator[str]:
    """A file where this process can open it; one of another file system (hdfs:, s3a:) is fetched first."""
    here = local_path(path)
    if here is not None:
        yield here
        return
    with tempfile.TemporaryDirectory(prefix="inkling-") as folder:
        target = os.path.join(folder, "fetched.ink")
        _fetch(spark, path, target)
        yield target


def _fetch(spark: SparkSession, path: str, target: str) -> None:
    context = context_of(spark)
    java: Any = context._jvm
    hadoop = java.org.apache.hadoop.fs
    with errors_of_file(path, "read"):
        source = hadoop.Path(path)
        system = source.getFileSystem(context._jsc.hadoopConfiguration())
        system.copyToLocalFile(False, source, hadoop.Path(target), True)
