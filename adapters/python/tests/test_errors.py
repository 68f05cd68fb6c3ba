"""Exceptions: the status of C, its message and location, and the builtin that people catch."""

from __future__ import annotations

import ctypes
import errno
import os
import pickle
from pathlib import Path

import pytest

import inkling
from inkling import _library
from inkling._errors import from_status

BUILTINS: dict[type[inkling.InklingError], type[BaseException]] = {
    inkling.UsageError: ValueError,
    inkling.UnsupportedError: TypeError,
    inkling.ReadOnlyError: TypeError,
    inkling.FormatError: ValueError,
    inkling.MismatchError: ValueError,
    inkling.NotFoundError: LookupError,
    inkling.PromiseError: ValueError,
    inkling.FileError: OSError,
    inkling.OutOfMemoryError: MemoryError,
    inkling.LimitError: OverflowError,
    inkling.Stopped: Exception,
}


@pytest.mark.parametrize("number", range(1, 12))
def test_every_status_is_an_exception_of_its_own(number: int) -> None:
    name = _library.lib.ink_status_name(number).decode()
    error = from_status(number, "what was found, expected something else")
    assert error.status == name
    assert type(error) is not inkling.InklingError and isinstance(error, inkling.InklingError)
    assert isinstance(error, BUILTINS[type(error)])
    assert str(error) == "what was found, expected something else" == error.args[0]


def test_a_status_of_another_version_is_no_crash() -> None:
    error = from_status(99, "news", 17, 5)
    assert type(error) is inkling.InklingError and str(error) == "news" and error.location is None


def test_the_text_is_what_the_command_prints() -> None:
    error = from_status(4, "found this, expected that", location=1, at=40, path="words.ink")
    assert str(error) == "words.ink: byte 40: found this, expected that"
    assert (error.location, error.at, error.path, error.message) == (
        "byte",
        40,
        "words.ink",
        "found this, expected that",
    )
    assert str(from_status(1, "bad", location=2, at=7)) == "line 7: bad"
    assert str(from_status(1, "bad", location=3, at=0)) == "key 0: bad"
    assert from_status(1, "bad", at=7).at is None
    struct = _library.InkError(status=4, location=1, at=40, message=b"found this, expected that")
    room = ctypes.create_string_buffer(300)
    _library.lib.ink_error_text(ctypes.byref(struct), room, len(room))
    assert room.value.decode() == str(error).removeprefix("words.ink: ")


def test_a_system_s_refusal_has_its_errno(tmp_path: Path) -> None:
    missing = tmp_path / "nowhere.ink"
    with pytest.raises(OSError) as caught:
        inkling.open(missing)
    error = caught.value
    assert isinstance(error, inkling.FileError) and isinstance(error, inkling.InklingError)
    assert error.errno == error.os_error == errno.ENOENT
    assert error.strerror == os.strerror(errno.ENOENT) and error.filename == str(missing)
    assert str(error).startswith(f"{missing}: ") and "\n" not in str(error)
    assert os.strerror(errno.ENOENT) in str(error)


@pytest.mark.parametrize(
    ("number", "builtin"),
    [
        (errno.ENOENT, FileNotFoundError),
        (errno.EACCES, PermissionError),
        (errno.EISDIR, IsADirectoryError),
        (errno.ENOTDIR, NotADirectoryError),
        (errno.EEXIST, FileExistsError),
        (errno.EPIPE, BrokenPipeError),
        (errno.EIO, OSError),
        (0, OSError),
    ],
)
def test_a_refusal_is_the_builtin_of_its_errno_in_any_call(number: int, builtin: type[OSError]) -> None:
    for error in (
        inkling.FileError(f"error {number}", path="a.ink", os_error=number),
        from_status(8, f"error {number}", path="a.ink", os_error=number),
    ):
        assert isinstance(error, inkling.FileError) and isinstance(error, builtin)
        assert error.message == f"error {number}" and error.args == (error.message,)
        assert (type(error) is inkling.FileError) == (builtin is OSError)
        assert error.errno == (number or None) and error.filename == "a.ink"


def test_a_damaged_file_names_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "damaged.ink"
    encoded = bytearray(inkling.Sketch("bloom", n=100).add("a").to_bytes())
    encoded[len(encoded) // 2] ^= 1
    path.write_bytes(encoded)
    with pytest.raises(inkling.FormatError) as caught:
        inkling.Sketch.open(path)
    assert inkling.Sketch.open(path, lazy=True).kind == "bloom"  # whose bytes were not looked at
    assert caught.value.location == "byte" and caught.value.at is not None
    assert str(caught.value) == f"{path}: byte {caught.value.at}: {caught.value.message}"
    with pytest.raises(inkling.FormatError) as caught:
        inkling.Sketch.from_bytes(encoded)
    assert caught.value.path is None


@pytest.mark.parametrize("number", range(1, 12))
def test_exceptions_are_pickled_whole(number: int) -> None:
    error = from_status(number, "bad", location=1, at=3, os_error=errno.ENOENT, path="a.ink")
    vars(error)["__notes__"] = ["a note"]  # as add_note of Python 3.11 does
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error) and vars(again)["__notes__"] == ["a note"]
    for name in ("status", "message", "location", "at", "path", "os_error"):
        assert getattr(again, name) == getattr(error, name)
    if isinstance(error, OSError):
        assert again.errno == errno.ENOENT and again.filename == "a.ink"


def test_a_message_that_is_cut_within_a_character_can_be_read() -> None:
    error = _library.InkError(status=1, message="naïve".encode()[:3])
    with pytest.raises(inkling.UsageError) as caught:
        _library.check(1, error)
    assert str(caught.value) == "na\N{REPLACEMENT CHARACTER}"


def test_ok_raises_nothing() -> None:
    _library.check(0, _library.InkError())


def test_an_error_is_one_line_whatever_it_repeats() -> None:
    error = inkling.UsageError('no column "a\nb\x1b\x7f\x9b\udcff\ud800", expected "\\x0a" or "größe"', path="c\td")
    assert str(error) == (
        r'c\x09d: no column "a\x0ab\x1b\x7f\xc2\x9b\xff\xed\xa0\x80", expected "\x0a" or "größe"'
    )
    assert error.message.startswith('no column "a\n') and error.path == "c\td"
