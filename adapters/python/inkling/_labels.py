"""Groups and times as they name sketches in a file: labels of C, and what Python has for them."""

from __future__ import annotations

import ctypes
import datetime
import enum
import math
import operator
import re
from collections.abc import Callable, Iterable
from ctypes import c_char_p, c_void_p
from typing import Final, Literal, TypeAlias, TypeGuard, TypeVar

from ._errors import UsageError
from ._keys import one_key
from ._library import GROUP_BYTES, GROUP_NONE, GROUP_NULL, InkLabel

__all__ = [
    "WHOLE",
    "Group",
    "Whole",
    "group_of",
    "in_order",
    "is_number",
    "make_label",
    "microseconds",
    "one_group",
]


class Whole(enum.Enum):
    """The type of ``inkling.WHOLE``, which names a sketch that has no group."""

    WHOLE = "whole"

    def __repr__(self) -> str:
        return "inkling.WHOLE"


WHOLE: Final = Whole.WHOLE

#: What names a sketch: text (bytes if it is not UTF-8), None for the null group, WHOLE for no group at all.
Group: TypeAlias = str | bytes | None | Literal[Whole.WHOLE]


_LABELS = "expected str, bytes, int, bool, float, a date, a datetime, None or inkling.WHOLE"


def _group_bytes(group: object) -> bytes:
    """The label that a value of the column has which names the groups, as docs/keys.md says."""
    if type(group).__name__ in ("bool", "bool_"):  # NumPy's, too
        return b"true" if group else b"false"
    if isinstance(group, float) or type(group).__name__ in ("float16", "float32"):
        shortest = group if isinstance(group, float) else float(str(group))  # in digits of its own width
        return float.__repr__(shortest).removesuffix(".0").encode()
    try:
        label = None if isinstance(group, tuple) else one_key(group)
    except TypeError:
        label = None
    if label is None:
        raise TypeError(f"a group of type {type(group).__name__}, {_LABELS}")
    return b"%d" % label if isinstance(label, int) else label


def make_label(group: object, slot: int | None = None) -> InkLabel:
    """The label of a group, or of its time slot that starts `slot` microseconds after 1970; it keeps its
    bytes alive."""
    label = InkLabel()
    if slot is not None:
        label.has_slot, label.slot = True, microseconds(slot)
    if group is None:
        label.group_kind = GROUP_NULL
    elif group is not WHOLE:
        label.kept = _group_bytes(group)
        label.group_kind = GROUP_BYTES
        label.group = ctypes.cast(c_char_p(label.kept), c_void_p).value
        label.group_bytes = len(label.kept)
    return label


def group_of(label: InkLabel) -> Group:
    """The group that a label names."""
    if label.group_kind == GROUP_NONE:
        return WHOLE
    if label.group_kind == GROUP_NULL:
        return None
    text = ctypes.string_at(label.group, label.group_bytes) if label.group_bytes else b""
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text


def one_group(value: object) -> Group:
    """The group that a value names, as ``Sketches`` list it: a number by its digits, a date by its day.

    Raises TypeError for what names none.

    >>> one_group("red"), one_group(7.0), one_group(b"\\xff"), one_group(True), one_group(None)
    ('red', '7', b'\\xff', 'true', None)
    """
    return group_of(make_label(value))


def microseconds(when: object) -> int:
    """A time as C has it. A datetime without a zone counts as UTC, as in keys."""
    if isinstance(when, datetime.datetime):
        epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
        aware = when if when.tzinfo is not None else when.replace(tzinfo=datetime.timezone.utc)
        return (aware - epoch) // datetime.timedelta(microseconds=1)
    if isinstance(when, bool) or not hasattr(type(when), "__index__"):
        given = type(when).__name__
        raise TypeError(f"a time of type {given}, expected a datetime, or microseconds since 1970")
    number = operator.index(when)  # type: ignore[arg-type]
    if not -(1 << 63) <= number < 1 << 63:
        raise UsageError(f"a time of {number} microseconds, expected a signed number of 64 bits")
    return number


_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_Row = TypeVar("_Row")


def is_number(group: Group) -> TypeGuard[str]:
    """Whether a group is a number, as the tables of the command sort by."""
    return isinstance(group, str) and bool(_NUMBER.fullmatch(group)) and math.isfinite(float(group))


def in_order(rows: Iterable[_Row], group: Callable[[_Row], Group]) -> list[_Row]:
    """Rows by number, where all groups are numbers, else as they come: the order of the command's tables."""
    listed = list(rows)
    numbers = list(filter(is_number, map(group, listed)))
    if len(numbers) < len(listed):
        return listed
    return [row for _, row in sorted(zip(map(float, numbers), listed), key=lambda pair: pair[0])]
