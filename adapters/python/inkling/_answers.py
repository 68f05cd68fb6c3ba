"""Answer and Item: the numbers that sketches answer, one or many, as they were asked for."""

from __future__ import annotations

import ctypes
import struct
from ctypes import byref, c_char_p, c_size_t, c_void_p
from typing import Any, NamedTuple

from ._batches import Batches
from ._errors import UnsupportedError
from ._library import KEY_INT, InkAnswer, InkItem, pylib
from ._show import answer_text

__all__ = ["Answer", "Item"]


class Answer(NamedTuple):
    """A number that a sketch answers: the true number lies from `low` to `high` with this confidence.

    >>> import inkling
    >>> answer = inkling.Sketch("hll").add(range(1000)).estimate()
    >>> answer.low <= 1000 <= answer.high
    True
    >>> float(answer) == answer.estimate, round(answer) == int(answer)
    (True, True)
    >>> inkling.Sketch("count-min").add(["a", "b", "a"]).count("a")
    2 (1.99 to 2, 99.33 %)
    """

    estimate: float
    """The best guess."""
    low: float
    """Not less than this ..."""
    high: float
    """... and not more than this ..."""
    confidence: float
    """... with this chance, 1 if it is certain."""
    saturated: bool
    """The sketch is full: the true number may lie far above."""

    def __float__(self) -> float:
        return self.estimate

    def __int__(self) -> int:
        return round(self.estimate)

    def __round__(self, digits: int | None = None) -> float:
        return round(self.estimate, digits)

    def __bool__(self) -> bool:
        return self.estimate != 0

    def __repr__(self) -> str:
        return answer_text(*self)


class Item(NamedTuple):
    """A key that was added often, and how often.

    >>> import inkling
    >>> inkling.Sketch("top").add(["a", "b", "a"]).top(1)
    [Item(key='a', estimate=2.0, low=2.0, high=2.0, confidence=1.0, cut=False)]
    """

    key: str | bytes | int
    """The key: an int, or a str; bytes if they are not UTF-8."""
    estimate: float
    """How often it was added, each time with its weight."""
    low: float
    """Not less often than this ..."""
    high: float
    """... and not more often than this."""
    confidence: float
    """With this chance."""
    cut: bool
    """Only the beginning of the key was kept: it is longer than 1 KiB."""

    @property
    def columns(self) -> tuple[str | bytes, ...]:
        """The columns of a key that was added as a tuple.

        >>> import inkling
        >>> inkling.Sketch("top").add(("a", 1)).top(1)[0].columns
        ('a', '1')
        """
        if isinstance(self.key, int):
            raise UnsupportedError("an int key, expected one of several columns")
        key = self.key.encode() if isinstance(self.key, str) else self.key
        held = c_char_p(key)
        at, left = ctypes.cast(held, c_void_p), c_size_t(len(key))
        field, count = c_void_p(), c_size_t()
        found: list[str | bytes] = []
        while pylib.ink_tuple_next(byref(at), byref(left), byref(field), byref(count)):
            found.append(_text_or_bytes(ctypes.string_at(field.value or 0, count.value)))
        if (left.value and not self.cut) or len(found) < 2:
            raise UnsupportedError("a key of one column, expected one that was added as a tuple")
        return tuple(found)


def _text_or_bytes(key: bytes) -> str | bytes:
    try:
        return key.decode()
    except UnicodeDecodeError:
        return key


def item_of(item: InkItem, key_type: int) -> Item:
    count = item.count
    if key_type == KEY_INT:
        key: str | bytes | int = item.key_int
    else:
        key = _text_or_bytes(ctypes.string_at(item.key, item.key_bytes) if item.key_bytes else b"")
    return Item(key, count.estimate, count.low, count.high, count.confidence, item.cut)


# An ink_answer in an array of them: four doubles, a bool, and what fills it up.
ANSWER_BYTES = ctypes.sizeof(InkAnswer)
_ANSWER_FORMAT = struct.Struct(f"=dddd?{ANSWER_BYTES - struct.calcsize('=dddd?')}x")


def answer_of(answer: InkAnswer, unpack: Any = _ANSWER_FORMAT.unpack) -> Answer:
    return Answer._make(unpack(answer))


def as_bools(answers: bytearray, batches: Batches) -> Any:
    """Bytes that are 0 or 1 as they were asked for: an array of bools, or a list of them."""
    numpy = _numpy() if batches.shape == "array" else None
    return list(map(bool, answers)) if numpy is None else numpy.frombuffer(answers, dtype=bool)


def as_answers(answers: bytearray, batches: Batches) -> Any:
    """Answers as they were asked for: a structured array, or a list of Answer."""
    numpy = _numpy() if batches.shape == "array" else None
    if numpy is None:
        return list(map(Answer._make, _ANSWER_FORMAT.iter_unpack(answers)))
    offsets = [getattr(InkAnswer, name).offset for name in Answer._fields]
    fields = {"names": Answer._fields, "formats": ["f8", "f8", "f8", "f8", "?"], "offsets": offsets}
    return numpy.frombuffer(answers, dtype=numpy.dtype({**fields, "itemsize": ANSWER_BYTES}))


def appended(answers: bytearray, more: bytearray) -> bytearray:
    """Answers of one batch after those of the batches before; nothing is copied if there was none."""
    if not answers:
        return more
    answers += more
    return answers


def _numpy() -> Any:
    """NumPy, or None where it is not installed."""
    try:
        import numpy
    except ImportError:
        return None
    return numpy
