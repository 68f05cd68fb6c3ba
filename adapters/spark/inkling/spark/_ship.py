"""Shipping: the shared library and the package go to every node with the job, once for each SparkContext.

A node needs Python with pyarrow, and pandas, which Spark asks for. The library goes as a file, under a name
that says which machine it is for and what is in it. The package goes as a zip, which lists the libraries, so
that a worker that imports ``inkling`` gets the one of its machine. Every function that Spark calls in a
worker comes out of ``task``, which attaches what was not attached, and checks in the worker what arrived.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import importlib.util
import inspect
import marshal
import os
import pathlib
import platform
import shutil
import struct
import sys
import tempfile
import threading
import typing
import weakref
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyspark.cloudpickle as cloudpickle
from pyspark import SparkContext, SparkFiles
from pyspark.sql import SparkSession

import inkling
from inkling import FileError, FormatError, MismatchError, UnsupportedError, UsageError, library

from . import _arrival

# The machines of ELF files, by e_machine, bits and byte order, under the names of platform.machine().
MACHINES = {
    (62, 64, "<"): "x86_64",
    (183, 64, "<"): "aarch64",
    (22, 64, ">"): "s390x",
    (21, 64, "<"): "ppc64le",
    (243, 64, "<"): "riscv64",
    (258, 64, "<"): "loongarch64",
}
_ELF_HEAD_BYTES = 20
_ELF_SHARED = 3  # ET_DYN
# The variable that makes workers of their own for tasks that come after: none has imported another inkling.
_VARIABLE = "INKLING_SENT"
# The same zip for the same files, whenever it is made.
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)

cloudpickle.register_pickle_by_value(_arrival)  # type: ignore[no-untyped-call]


@dataclass
class Sent:
    """What went to the nodes of one SparkContext."""

    libraries: dict[str, str] = field(default_factory=dict)
    """SHA-256 of each library, by machine."""
    package: str = ""
    """The name of the zip with the package."""

    def facts(self) -> dict[str, Any]:
        """What a worker compares with."""
        return {"version": inkling.__version__, "libraries": dict(self.libraries)}


_sent: weakref.WeakKeyDictionary[SparkContext, Sent] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


# ---- For the driver -------------------------------------------------------------------------------


def attach(spark: SparkSession, libraries: Iterable[str | os.PathLike[str]] | None = None) -> None:
    """Sends the shared library and the package to every node, with the jobs of this Spark.

    Every function of ``inkling.spark`` does so itself; call it to use ``inkling`` in your own functions, or
    where nodes are of another architecture than the driver: ``libraries`` are the paths of libraries for
    those, each built there or for there. A second call sends nothing that is there already.

    >>> ink.attach(spark, libraries=["aarch64/libinkling.so"])            # doctest: +SKIP
    """
    context = context_of(spark)
    if isinstance(libraries, (str, os.PathLike)):
        raise UsageError(f"libraries is {libraries!r}, expected a list of paths")
    with _lock:
        sent = _sent.get(context)
        known = {} if sent is None else sent.libraries
        new = {} if known else {platform.machine(): own_library()}
        for path in map(pathlib.Path, libraries or ()):
            _add_library(known, new, path)
        if new:
            _sent[context] = _send(context, known, new)


def task(spark: SparkSession, function: Callable[..., Any]) -> Callable[..., Any]:
    """What Spark gets to call `function` in a worker, where it runs with what was sent.

    The function is anything that pickles; its type hints, by which Spark distinguishes functions, are kept.
    Where an InklingError ends it, ``raising_task_errors`` gives that very exception.
    """
    attach(spark)
    run = _arrival.starting(_sent[context_of(spark)].facts(), Parcel(function))
    called = function if inspect.isroutine(function) else function.__call__  # type: ignore[operator]
    hints = typing.get_type_hints(called)
    signature = inspect.signature(function)
    parameters = [
        one.replace(annotation=hints.get(name, one.empty)) for name, one in signature.parameters.items()
    ]
    signature = signature.replace(
        parameters=parameters, return_annotation=hints.get("return", inspect.Signature.empty)
    )
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = hints
    run.__name__ = getattr(function, "__name__", type(function).__name__)
    return run


class Parcel:
    """A function on its way: pickled, it is bytes, which are opened only when the package is there."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __reduce__(self) -> tuple[Any, ...]:
        return bytes, (cloudpickle.dumps(self.function),)  # type: ignore[no-untyped-call]


def context_of(spark: SparkSession) -> SparkContext:
    """The SparkContext of a session, which Spark Connect has none of."""
    if not isinstance(spark, SparkSession):
        found = f"{type(spark).__module__}.{type(spark).__name__}"
        if "connect" not in type(spark).__module__:
            raise UnsupportedError(f"found {found}, expected a SparkSession")
        raise UnsupportedError("found a session of Spark Connect, expected one with a SparkContext")
    if spark.sparkContext._jsc is None:
        raise UsageError("found a Spark session that was stopped, expected one that runs")
    return spark.sparkContext


# ---- Libraries ------------------------------------------------------------------------------------


def own_library() -> pathlib.Path:
    """The file of the library that this process has loaded."""
    path = pathlib.Path(library.path())
    if not path.is_file():
        raise FileError("the Inkling library is not there any more, expected to send it", path=str(path))
    return path.resolve()


def machine_of(path: pathlib.Path) -> str:
    """The machine that a library is for, by the head of the file; it need not load here."""
    try:
        with open(path, "rb") as file:
            head = file.read(_ELF_HEAD_BYTES)
    except OSError as error:
        number = error.errno or 0
        raise FileError(f"{os.strerror(number)}", os_error=number, path=str(path)) from None
    if len(head) < _ELF_HEAD_BYTES or head[:4] != b"\x7fELF" or not {head[4], head[5]} <= {1, 2}:
        raise FormatError("found no ELF file, expected a libinkling.so for Linux", path=str(path))
    bits, order = 32 * head[4], "<" if head[5] == 1 else ">"
    kind, number = struct.unpack_from(f"{order}HH", head, 16)
    if kind != _ELF_SHARED:
        raise FormatError(f"found an ELF file of type {kind}, expected a shared library (3)", path=str(path))
    machine = MACHINES.get((number, bits, order))
    if machine is None:
        there = ", ".join(sorted(MACHINES.values()))
        text = f"machine {number} of {bits} bits, {'little' if order == '<' else 'big'}-endian"
        raise UnsupportedError(f"found a library for {text}, expected {there}", path=str(path))
    return machine


def _add_library(known: dict[str, str], new: dict[str, pathlib.Path], path: pathlib.Path) -> None:
    """Adds a library that the user named to those that are new; there is one for each machine."""
    machine = machine_of(path)
    there = known[machine] if machine in known else _digest(new.setdefault(machine, path))
    if there != _digest(path):
        text = f"another library for {machine} than {new.get(machine, 'the one that was sent')}"
        raise MismatchError(f"{text}, expected one for each machine", path=str(path))


def _digest(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def file_name(machine: str, digest: str) -> str:
    """What a library is called on a node: another one has another name, and none replaces another."""
    return f"libinkling-{machine}-{digest[:16]}.so"


# ---- Sending --------------------------------------------------------------------------------------


def _send(context: SparkContext, known: dict[str, str], new: dict[str, pathlib.Path]) -> Sent:
    """Sends new libraries, and the package, which lists these and those that are known, by their digests."""
    folder = _folder(context)
    digests = {**known, **{machine: _digest(path) for machine, path in new.items()}}
    names = {machine: file_name(machine, digest) for machine, digest in digests.items()}
    for machine, path in new.items():
        if not was_sent(context, names[machine]):
            shutil.copyfile(path, folder / names[machine])
            context.addFile(str(folder / names[machine]))
    package = pack(folder, names)
    context.addPyFile(str(package))
    # The driver has the package: what Spark put before it would go with the session.
    added = os.path.join(SparkFiles.getRootDirectory(), package.name)
    sys.path[:] = [entry for entry in sys.path if entry != added]
    context.environment[_VARIABLE] = package.name
    return Sent(digests, package.name)


def was_sent(context: SparkContext, name: str) -> bool:
    """Whether nodes can have a file of this name, which is that of its content."""
    return any(os.path.basename(sent) == name for sent in context.listFiles)


def _folder(context: SparkContext) -> pathlib.Path:
    """A folder that lives as long as the context, for nodes that fetch files later; Spark removes its own."""
    base = getattr(context, "_temp_dir", None)
    if base is not None:
        folder = pathlib.Path(base) / "inkling"
        folder.mkdir(exist_ok=True)
        return folder
    made = tempfile.mkdtemp(prefix="inkling-")
    weakref.finalize(context, shutil.rmtree, made, ignore_errors=True)
    return pathlib.Path(made)


def package_files() -> Iterator[tuple[str, bytes]]:
    """The modules of inkling and of inkling.spark, wherever they are: in folders, or in a zip."""
    for package in ("inkling", "inkling.spark"):
        for entry in importlib.resources.files(package).iterdir():
            if entry.name == "py.typed" or entry.name.endswith(".py"):
                yield f"{package.replace('.', '/')}/{entry.name}", entry.read_bytes()


def compiled(name: str, text: bytes) -> bytes:
    """A module as Python keeps it compiled, so that no worker has to: this Python has done so, as a rule.

    It counts as long as the Python of the worker is as this one, else the text does.
    """
    module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    spec = importlib.util.find_spec(module)
    loader: Any = spec.loader if spec is not None else None
    unchecked = (1).to_bytes(4, "little")
    hashed = importlib.util.source_hash(text)
    return importlib.util.MAGIC_NUMBER + unchecked + hashed + marshal.dumps(loader.get_code(module))


def pack(folder: pathlib.Path, libraries: dict[str, str]) -> pathlib.Path:
    """The package as a zip in `folder`, named by its content, with the names of the libraries by machine."""
    listing, listed = library.listing(libraries)
    files = dict(sorted({**dict(package_files()), listing: listed}.items()))  # which replaces another list
    digest = hashlib.sha256()
    for name, text in files.items():
        digest.update(f"{name} {len(text)}\n".encode() + text)
    path = folder / f"inkling-{inkling.__version__}-{digest.hexdigest()[:16]}.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, _ZIP_TIME), text)
            if name.endswith(".py") and name != listing:
                archive.writestr(zipfile.ZipInfo(name + "c", _ZIP_TIME), compiled(name, text))
    return path
