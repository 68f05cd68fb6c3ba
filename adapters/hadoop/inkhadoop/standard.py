"""The standard files: no other file takes the number of a closed one, and a failed write is reported."""

from __future__ import annotations

import contextlib
import os

from .failure import Failure, Relayed, one_line


def open_standard_files() -> None:
    """A descriptor that is closed would be given to the next file that is opened, by us or by those whom we start.
    It is replaced by one that refuses what it was for, so that using it fails as it should."""
    for descriptor, mode in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_RDONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, mode), True)


def _write(descriptor: int, text: str) -> None:
    data = text.encode("utf-8", "backslashreplace")
    while data:
        data = data[os.write(descriptor, data) :]


def put(text: str) -> None:
    """Prints a result, at once."""
    try:
        _write(1, text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Failure(f"standard output: cannot write: {error.strerror}") from None


def complain(line: str) -> None:
    """Prints a line on standard error; if that fails there is no way to report it."""
    with contextlib.suppress(OSError):
        _write(2, f"{line}\n")


def say(text: str) -> None:
    """A line of ours on standard error."""
    complain(f"ink-hadoop: {one_line(text)}")


def report(failure: Failure) -> int:
    """Prints a failure; returns its exit code."""
    if isinstance(failure, Relayed):
        complain(failure.text)
    else:
        say(failure.text)
    return failure.code
