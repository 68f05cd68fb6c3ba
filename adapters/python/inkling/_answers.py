"""Answer and Item: the numbers that sketches answer, one or many, as they were asked for."""

from __future__ import annotations

import ctypes
import math
import struct
from ctypes import byref, c_char_p, c_size_t, c_void_p
from typing import TYPE_CHECKING, Any, NamedTuple

from ._batches import Batches
from ._errors import UnsupportedError
from ._library import KEY_INT, InkAnswer, InkItem, InkOverlap, pylib
from ._show import answer_text, html_table

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Answer", "Item", "Overlap", "Share"]


class Answer(int):
    """A number that a sketch answers, with bounds: the true one lies from `low` to `high` with a confidence.

    It is an int, the estimate rounded to the nearest whole number, and compares, computes, formats and is
    stored as one; what is computed from it is a plain number. Bounds are rounded away from it, as in the
    command. Only ``repr`` shows them.

    >>> import inkling
    >>> answer = inkling.Sketch("hll").add(range(1000)).estimate()
    >>> answer.low <= 1000 <= answer.high
    True
    >>> clicks = inkling.Sketch("count-min").add("a", weight=2500).count("a")
    >>> clicks
    2,500 (2,499 to 2,500, 99.33 %)
    >>> clicks * 2, f"{clicks:,}", str(clicks), clicks == 2500
    (5000, '2,500', '2500', True)
    """

    _found: tuple[float, float, float, float, bool]

    def __new__(
        cls, estimate: float, low: float, high: float, confidence: float = 1.0, saturated: bool = False
    ) -> Self:
        made = super().__new__(cls, math.floor(estimate + 0.5 if estimate < 1 << 52 else estimate))
        made._found = (estimate, low, high, confidence, saturated)
        return made

    @property
    def estimate(self) -> int:
        """The number alone, a plain int."""
        return int(self)

    @property
    def low(self) -> int:
        """Not less than this ..."""
        return math.floor(self._found[1])

    @property
    def high(self) -> float:
        """... and not more than this, an int, or ``math.inf`` if nothing is known ..."""
        high = self._found[2]
        return math.ceil(high) if high < math.inf else high

    @property
    def confidence(self) -> float:
        """... with this chance, 1 if it is certain."""
        return self._found[3]

    @property
    def saturated(self) -> bool:
        """The sketch is full: the true number may lie far above."""
        return self._found[4]

    def __repr__(self) -> str:
        return answer_text(int(self), self.low, self.high, self.confidence, self.saturated)

    def __str__(self) -> str:
        return int.__repr__(self)

    def _repr_html_(self) -> str:
        number, _, bounds = repr(self).partition(" ")
        return f"<b>{number}</b> {bounds}"

    def __reduce__(self) -> tuple[Any, ...]:
        return Answer, self._found


class Share(float):
    """A share, 0 to 1, with bounds: the true one lies from `low` to `high` with a confidence.

    It is a float, the estimate.

    >>> import inkling
    >>> a, b = inkling.Sketch("hll").add(range(100)), inkling.Sketch("hll").add(range(50, 100))
    >>> share = b.overlap(a).a_in_b
    >>> share.low <= 1 <= share.high, round(share, 1)
    (True, 1.0)
    """

    _found: tuple[float, float, float, float, bool]

    def __new__(
        cls, estimate: float, low: float, high: float, confidence: float = 1.0, saturated: bool = False
    ) -> Self:
        made = super().__new__(cls, estimate)
        made._found = (estimate, low, high, confidence, saturated)
        return made

    @property
    def estimate(self) -> float:
        """The number alone, a plain float."""
        return float(self)

    @property
    def low(self) -> float:
        """Not less than this ..."""
        return self._found[1]

    @property
    def high(self) -> float:
        """... and not more than this ..."""
        return self._found[2]

    @property
    def confidence(self) -> float:
        """... with this chance, 1 if it is certain."""
        return self._found[3]

    def __repr__(self) -> str:
        if self.low == self.high and self.confidence == 1:
            return f"{float(self):.4g} (exactly)"
        return f"{float(self):.4g} ({self.low:.4g} to {self.high:.4g}, {100 * self.confidence:.4g} %)"

    def __str__(self) -> str:
        return float.__repr__(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return Share, self._found


class Overlap(NamedTuple):
    """What two sets have in common: ``a.overlap(b)``.

    >>> import inkling
    >>> a, b = inkling.Sketch("hll").add(range(100)), inkling.Sketch("hll").add(range(50, 100))
    >>> found = a.overlap(b)
    >>> found.intersection.low <= 50 <= found.intersection.high
    True
    """

    a: Answer
    """The number of different keys of the one ..."""
    b: Answer
    """... and of the other."""
    union: Answer
    """Of keys that are in one or both."""
    intersection: Answer
    """Of keys that are in both."""
    only_a: Answer
    """Of keys that are in the one and not in the other ..."""
    only_b: Answer
    """... and the other way round."""
    jaccard: Share
    """intersection / union; 1 of two empty sets."""
    a_in_b: Share
    """intersection / a; 1 of an empty set ..."""
    b_in_a: Share
    """... and intersection / b."""
    method: str
    """``"sampled"``, or ``"inclusion-exclusion"``, whose bounds are wide."""


def overlap_of(found: InkOverlap) -> Overlap:
    return Overlap(
        answer_of(found.a),
        answer_of(found.b),
        answer_of(found.in_union),
        answer_of(found.intersection),
        answer_of(found.only_a),
        answer_of(found.only_b),
        _share_of(found.jaccard),
        _share_of(found.a_in_b),
        _share_of(found.b_in_a),
        found.method.decode(),
    )


def _share_of(answer: InkAnswer) -> Share:
    return Share(answer.estimate, answer.low, answer.high, answer.confidence, answer.saturated)


class Item(NamedTuple):
    """A key that was added often, and how often.

    >>> import inkling
    >>> inkling.Sketch("top").add(["a", "b", "a"]).top(1)
    [Item(key='a', estimate=2, low=2, high=2, confidence=1.0, cut=False)]
    """

    key: str | bytes | int
    """The key: an int, or a str; bytes if they are not UTF-8."""
    estimate: int
    """How often it was added, each time with its weight."""
    low: int
    """Not less often than this ..."""
    high: float
    """... and not more often than this."""
    confidence: float
    """With this chance."""
    cut: bool = False
    """Only the beginning of the key was kept: it is longer than 1 KiB."""

    @classmethod
    def of(cls, key: str | bytes | int, count: Answer, cut: bool = False) -> Self:
        """A key, and the answer how often it was added."""
        return cls(key, int(count), count.low, count.high, count.confidence, cut)

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


class Items(list[Item]):
    """A list of keys with their counts, which a notebook shows as a table."""

    def _repr_html_(self) -> str:
        rows = [[str(item.key), *(f"{n:,}" for n in (item.estimate, item.low, item.high))] for item in self]
        return html_table(("key", "count", "at least", "at most"), rows)


def _text_or_bytes(key: bytes) -> str | bytes:
    try:
        return key.decode()
    except UnicodeDecodeError:
        return key


def item_of(item: InkItem, key_type: int) -> Item:
    if key_type == KEY_INT:
        key: str | bytes | int = item.key_int
    else:
        key = _text_or_bytes(ctypes.string_at(item.key, item.key_bytes) if item.key_bytes else b"")
    return Item.of(key, answer_of(item.count), item.cut)


# An ink_answer in an array of them: four doubles, a bool, and what fills it up.
ANSWER_BYTES = ctypes.sizeof(InkAnswer)
_ANSWER_FORMAT = struct.Struct(f"=dddd?{ANSWER_BYTES - struct.calcsize('=dddd?')}x")


def answer_of(answer: InkAnswer, unpack: Any = _ANSWER_FORMAT.unpack) -> Answer:
    return Answer(*unpack(answer))


def as_bools(answers: bytearray, batches: Batches) -> Any:
    """Bytes that are 0 or 1 as they were asked for: an array of bools, or a list of them."""
    numpy = _numpy() if batches.shape == "array" else None
    return list(map(bool, answers)) if numpy is None else numpy.frombuffer(answers, dtype=bool)


def as_answers(answers: bytearray, batches: Batches) -> Any:
    """Answers as they were asked for: a structured array, or a list of Answer."""
    numpy = _numpy() if batches.shape == "array" else None
    if numpy is None:
        return [Answer(*found) for found in _ANSWER_FORMAT.iter_unpack(answers)]
    names = [name for name, *_ in InkAnswer._fields_]
    offsets = [getattr(InkAnswer, name).offset for name in names]
    fields = {"names": names, "formats": ["f8", "f8", "f8", "f8", "?"], "offsets": offsets}
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
