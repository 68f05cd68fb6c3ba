"""What can go wrong: one exception for each status of the library, each also the builtin people expect.

The message is the library's own, which the command prints too, with Python's names of parameters (``_words``).
"""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "FileError",
    "FormatError",
    "InklingError",
    "LimitError",
    "MismatchError",
    "NoGroupError",
    "NotFoundError",
    "OutOfMemoryError",
    "PromiseError",
    "ReadOnlyError",
    "Stopped",
    "UnsupportedError",
    "UsageError",
]


def shown(path: str) -> str:
    """A path in one line, as the command shows it: what is no text, backslashes and control characters are
    ``\\xNN``."""
    return "".join(letter if _is_plain(letter) and letter != "\\" else _as_bytes(letter) for letter in path)


def spoken_path(path: bytes | str | None) -> str | None:
    """A path as errors show it."""
    if path is None:
        return None
    text = os.fsdecode(path)
    return "standard input" if text == "-" else text


def _one_line(message: str) -> str:
    """A message in one line. It may repeat a name of the user; backslashes stand for themselves."""
    return "".join(letter if _is_plain(letter) else _as_bytes(letter) for letter in message)


def _is_plain(letter: str) -> bool:
    return "\x20" <= letter < "\x7f" or "\xa0" <= letter < "\ud800" or "\ue000" <= letter


def _as_bytes(letter: str) -> str:
    """Half of a surrogate pair is either a byte that was no text, or just that."""
    how = "surrogateescape" if "\udc80" <= letter <= "\udcff" else "surrogatepass"
    return "".join(f"\\x{byte:02x}" for byte in letter.encode("utf-8", how))


class InklingError(Exception):
    """A call of the library failed; the text is one line that says what was found and what was expected.

    >>> import inkling
    >>> try:
    ...     inkling.Sketch("bloom")
    ... except inkling.InklingError as error:
    ...     error.status
    'INK_USAGE'
    """

    status: str = "INK_USAGE"
    """The library's name of the failure, such as ``"INK_FORMAT"``."""
    message: str
    """What was found and what was expected, without the location."""
    location: str | None
    """What ``at`` counts: ``"byte"``, ``"line"``, ``"key"``, or None."""
    at: int | None
    """The byte offset, line number or number of a key, or None."""
    path: str | None
    """The file that it is about, if it is about one."""
    os_error: int
    """The errno where the system gave one, else 0."""

    def __init__(
        self,
        message: str = "",
        *,
        location: str | None = None,
        at: int | None = None,
        path: str | None = None,
        os_error: int = 0,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.at = at if location is not None else None
        self.path = path
        self.os_error = os_error

    def __str__(self) -> str:
        text = _one_line(self.message)
        if self.location is not None:
            text = f"{self.location} {self.at}: {text}"
        return text if self.path is None else f"{shown(self.path)}: {text}"

    def __reduce__(self) -> tuple[Any, ...]:
        fields = (self.message, self.location, self.at, self.path, self.os_error)
        return _again, (type(self), *fields), self.__dict__


class UsageError(InklingError, ValueError):
    """A parameter is out of range, or parameters do not go together.

    >>> import inkling
    >>> try:
    ...     inkling.Sketch("bloom", n=1000, p=2)
    ... except inkling.UsageError as error:
    ...     print(error)
    p 2, expected above 0 and below 1
    """

    status = "INK_USAGE"


class UnsupportedError(InklingError, TypeError):
    """This kind of sketch cannot do this.

    >>> import inkling
    >>> try:
    ...     inkling.Sketch("hll").add(2.5)
    ... except inkling.UnsupportedError as error:
    ...     print(error)
    float cannot be a key, expected str, bytes, int, ...
    """

    status = "INK_UNSUPPORTED"
    found: str | None = None
    """The type of a value that can be no key."""


class ReadOnlyError(InklingError, TypeError):
    """The sketch is a view of a mapped file; ``copy()`` makes one that can be changed.

    >>> import inkling
    >>> inkling.Sketch("hll").save("users.ink")
    >>> try:
    ...     inkling.Sketch.open("users.ink").add("bee")
    ... except inkling.ReadOnlyError as error:
    ...     print(error)
    this hll is a view of a file: open the file with copy=True, or copy the sketch
    """

    status = "INK_READ_ONLY"


class FormatError(InklingError, ValueError):
    """The bytes are not a whole, valid file.

    >>> import inkling
    >>> try:
    ...     inkling.Sketch.from_bytes(b"something")
    ... except inkling.FormatError as error:
    ...     print(error)
    byte 0: ...
    """

    status = "INK_FORMAT"


class MismatchError(InklingError, ValueError):
    """Two sketches, or a sketch and a key or a secret, do not fit together.

    >>> import inkling
    >>> try:
    ...     inkling.Sketch("bloom", n=1000).add([1, 2]).add("three")
    ... except inkling.MismatchError as error:
    ...     print(error)
    bytes keys for a sketch of int keys (key_type=)
    """

    status = "INK_MISMATCH"


class NotFoundError(InklingError, LookupError):
    """There is no such entry, slot, or key to remove.

    >>> import inkling
    >>> try:
    ...     inkling.Sketch("counting", n=1000).add("bee").remove("ant")
    ... except inkling.NotFoundError as error:
    ...     print(error)
    key 0: ...
    """

    status = "INK_NOT_FOUND"


class NoGroupError(NotFoundError, KeyError):
    """A file has no sketch of this group."""


class PromiseError(InklingError, ValueError):
    """The result would break the promised false-positive rate.

    >>> import inkling
    >>> try:
    ...     full = inkling.Sketch("bloom", n=100).add(range(100))
    ...     full |= inkling.Sketch("bloom", n=100).add(range(100, 200))
    ... except inkling.PromiseError as error:
    ...     print(error)
    the result would have false-positive rate ...
    """

    status = "INK_PROMISE"


class PromiseWarning(UserWarning):
    """A filter got more keys than it was planned for: it says yes more often than promised.

    >>> import inkling, warnings
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     full = inkling.Sketch("bloom", n=100).add(range(200))
    >>> said[0].category.__name__
    'PromiseWarning'
    """


def warn(message: str, category: type[Warning]) -> None:
    """Warns about the line of the caller: the first that is neither of this package nor of contextlib."""
    ours, level, frame = (os.path.dirname(__file__), contextlib.__file__), 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(ours):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


class FileError(InklingError, OSError):
    """The operating system refused; ``errno`` says why. One that is made with `os_error` is also the builtin
    that Python has for it, as ``OSError`` does.

    >>> import inkling
    >>> try:
    ...     inkling.open("nowhere.ink")
    ... except inkling.FileError as error:
    ...     print(error)
    nowhere.ink: ...
    """

    status = "INK_IO"

    def __new__(cls, message: str = "", *, os_error: int = 0, **_others: Any) -> Self:
        kind = _FILE_ERRORS.get(type(OSError(os_error, "")), cls) if cls is FileError else cls
        return super().__new__(kind, message)  # type: ignore[return-value]

    def __init__(
        self,
        message: str = "",
        *,
        location: str | None = None,
        at: int | None = None,
        path: str | None = None,
        os_error: int = 0,
    ) -> None:
        super().__init__(message, location=location, at=at, path=path, os_error=os_error)
        self.errno = os_error or None
        self.strerror = os.strerror(os_error) if os_error else None
        self.filename = path


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file or folder."""


class ForbiddenFileError(FileError, PermissionError):
    """The file may not be read, or written."""


class FolderError(FileError, IsADirectoryError):
    """A folder is where a file was expected."""


class NoFolderError(FileError, NotADirectoryError):
    """A file is where a folder was expected."""


class PresentFileError(FileError, FileExistsError):
    """There is such a file already."""


class ClosedPipeError(FileError, BrokenPipeError):
    """The reader of the pipe is gone."""


class OutOfMemoryError(InklingError, MemoryError):
    """There is not enough memory."""

    status = "INK_MEMORY"


class LimitError(InklingError, OverflowError):
    """Larger than the format, this machine or the given memory can hold."""

    status = "INK_LIMIT"


class Stopped(InklingError):
    """The progress function asked the job to stop."""

    status = "INK_STOPPED"


# By the numbers of ink_status; 0 is INK_OK.
_CLASSES: tuple[type[InklingError], ...] = (
    InklingError,
    UsageError,
    UnsupportedError,
    ReadOnlyError,
    FormatError,
    MismatchError,
    NotFoundError,
    PromiseError,
    FileError,
    OutOfMemoryError,
    LimitError,
    Stopped,
)

# Failures of the system, by the exception that Python has for their errno.
_FILE_ERRORS: dict[type[OSError], type[FileError]] = {
    FileNotFoundError: MissingFileError,
    PermissionError: ForbiddenFileError,
    IsADirectoryError: FolderError,
    NotADirectoryError: NoFolderError,
    FileExistsError: PresentFileError,
    BrokenPipeError: ClosedPipeError,
}

# By the numbers of ink_location.
_LOCATIONS = (None, "byte", "line", "key")


def from_status(
    status: int, message: str, location: int = 0, at: int = 0, os_error: int = 0, path: str | None = None
) -> InklingError:
    """The exception for a status of the library and what its ink_error says."""
    kind = _CLASSES[status] if 0 < status < len(_CLASSES) else InklingError
    where = _LOCATIONS[location] if 0 <= location < len(_LOCATIONS) else None
    return kind(message, location=where, at=at, path=path, os_error=os_error)


def _again(
    kind: type[InklingError],
    message: str,
    location: str | None,
    at: int | None,
    path: str | None,
    os_error: int,
) -> InklingError:
    """Makes an exception that was pickled."""
    return kind(message, location=location, at=at, path=path, os_error=os_error)
