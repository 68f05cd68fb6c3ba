"""What runs first in a worker: it makes sure that ``inkling`` is what the driver sent, then opens the task.

Everything here goes to the worker as code, not as a name to import: it runs where no package, or another
version of it, is found, and says so. So it uses the standard library alone, and no other module of ours.
"""

from __future__ import annotations

import json
import pickle
import platform
import sys
from collections.abc import Callable, Iterator
from typing import Any

# Before what a task failed with, in the text that Spark hands to the driver.
MARKER = "inkling.error: "


def starting(sent: dict[str, Any], parcel: Any) -> Callable[..., Any]:
    """The function that Spark gets: its first call in a worker opens the parcel, a pickled function, and
    every call goes to what was in it."""
    opened: list[Callable[..., Any]] = []

    def run(*arguments: Any) -> Any:
        try:
            if not opened:
                arrive(sent)
                opened.append(pickle.loads(parcel))
            results = opened[0](*arguments)
        except Exception as error:
            report(error)
            raise
        return reporting(results) if hasattr(results, "__next__") else results

    return run


def reporting(results: Iterator[Any]) -> Iterator[Any]:
    """The results, and in the driver's words why there are no more."""
    try:
        yield from results
    except Exception as error:
        report(error)
        raise


def report(error: Exception) -> None:
    """Raises what the driver makes an InklingError of again, if `error` is one."""
    package = sys.modules.get("inkling")
    if package is not None and isinstance(error, getattr(package, "InklingError", ())):
        names = ("message", "location", "at", "path", "os_error")
        raise marked(type(error).__name__, **{name: getattr(error, name, None) for name in names}) from error


def marked(kind: str, **fields: Any) -> RuntimeError:
    """The exception for a failure that `kind` of inkling names: a line for people, and one for the driver."""
    where = "" if fields.get("path") is None else f"{fields['path']}: "
    text = f"{kind}: {where}{fields['message']}"
    return RuntimeError(f"{text}\n{MARKER}{json.dumps({'kind': kind, **fields}, default=str)}")


def arrive(sent: dict[str, Any]) -> None:
    """Imports ``inkling``, which must be the driver's version with a library that the driver sent."""
    node = f"node {platform.node()}"
    machine = platform.machine()
    if machine not in sent["libraries"]:
        there = ", ".join(sorted(sent["libraries"]))
        raise marked(
            "MismatchError",
            message=f"{node} is {machine}: found a library for {there}, expected one for {machine}: "
            f'ink.attach(spark, libraries=["libinkling.so of {machine}"])',
        )
    try:
        import inkling
    except ImportError as error:
        raise marked("MismatchError", message=f"{node}: {error}") from error
    found = getattr(inkling, "__version__", "of no version")
    if found != sent["version"]:
        raise marked(
            "MismatchError",
            message=f"{node} has inkling {found} in {inkling.__path__[0]}, which hides what came with "
            f"the job: expected {sent['version']}, or none",
        )
    from inkling import library

    if library.digest() != sent["libraries"][machine]:  # read once by a process
        raise marked(
            "MismatchError",
            message=f"{node} has loaded {library.path()}, which hides the library that came with "
            "the job: expected that one, or none",
        )
