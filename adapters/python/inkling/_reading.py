"""How records are read: keyword options as the struct that jobs take.

Names and meanings are those of the command's options; ranges are the library's business.
"""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Iterable, Mapping
from ctypes import POINTER, c_char_p
from typing import Any, TypeVar

from ._errors import UsageError
from ._library import (
    FORM_CSV,
    FORM_DEFAULT,
    FORM_JSONL,
    FORM_LINES,
    FORM_NUL,
    FORM_TSV,
    FORM_U32,
    FORM_U64,
    KEYS_BYTES,
    KEYS_DEFAULT,
    KEYS_INT,
    ROUND_HALF_AWAY,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    ROUND_NONE,
    InkReading,
    text_bytes,
)

__all__ = ["Reading", "chosen", "flag", "is_arrow", "options_of"]

_FORMS = {
    "lines": FORM_LINES,
    "csv": FORM_CSV,
    "tsv": FORM_TSV,
    "nul": FORM_NUL,
    "jsonl": FORM_JSONL,
    "u32": FORM_U32,
    "u64": FORM_U64,
}
_ROUNDS = {"half-even": ROUND_HALF_EVEN, "half-up": ROUND_HALF_UP, "half-away": ROUND_HALF_AWAY}
#: Forms and rounding by their numbers in C.
_FORM_NAMES = {number: name for name, number in _FORMS.items()}
_ROUND_NAMES = {number: name for name, number in _ROUNDS.items()}
_KEYS = {"bytes": KEYS_BYTES, "int": KEYS_INT}
_BAD = {"fail": False, "skip": True}
_NULLS = {"skip": False, "refuse": True}
_WITHOUT_COLUMNS = (FORM_LINES, FORM_NUL, FORM_U32, FORM_U64)


_Chosen = TypeVar("_Chosen")


def chosen(name: str, value: object, choices: dict[str, _Chosen]) -> _Chosen:
    """What the word `value` stands for among `choices`."""
    if not isinstance(value, str):
        raise TypeError(f"{name} of type {type(value).__name__}, expected one of {', '.join(choices)}")
    if value not in choices:
        raise UsageError(f"{name} {value!r}, expected one of {', '.join(choices)}")
    return choices[value]


def flag(name: str, value: object) -> bool:
    """An option that is on or off."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} of type {type(value).__name__}, expected True or False")
    return value


def column_bytes(name: str, value: object) -> bytes:
    """A column, by its name or its number from 1, as C wants it."""
    if isinstance(value, bool) or not (isinstance(value, str) or hasattr(type(value), "__index__")):
        raise TypeError(f"{name} of type {type(value).__name__}, expected the name or number of a column")
    text = value if isinstance(value, str) else str(operator.index(value))  # type: ignore[arg-type]
    return text_bytes(name, text)


def _delimiter_byte(value: object) -> bytes:
    if not isinstance(value, (str, bytes)):
        raise TypeError(f"delimiter of type {type(value).__name__}, expected str or bytes")
    encoded = value.encode("utf-8") if isinstance(value, str) else value
    if len(encoded) != 1 or encoded in b'\0\n\r"':
        raise UsageError(f"delimiter {value!r}, expected one byte, no NUL, no line end and no quote")
    return encoded


class Reading:
    """How records are read, as C takes it; keeps alive what the struct points to."""

    def __init__(
        self,
        *,
        format: object = None,
        delimiter: object = None,
        fields: object = False,
        header: object = False,
        csv_multiline: object = False,
        key: object = None,
        key_type: object = None,
        by: object = None,
        round: object = None,
        weight: object = None,
        bad: object = None,
        nulls: object = "skip",
    ) -> None:
        how = InkReading()
        how.form = FORM_DEFAULT if format is None else chosen("format", format, _FORMS)
        if delimiter is not None:
            how.delimiter = _delimiter_byte(delimiter)
        how.blanks = flag("fields", fields)
        how.header = flag("header", header)
        how.multiline = flag("csv_multiline", csv_multiline)
        columns = [] if key is None else _columns(key)
        if columns:
            how.key = ctypes.cast((c_char_p * len(columns))(*columns), POINTER(c_char_p))
            how.key_count = len(columns)
        how.keys = KEYS_DEFAULT if key_type is None else chosen("key_type", key_type, _KEYS)
        how.by = None if by is None else column_bytes("by", by)
        how.round = ROUND_NONE if round is None else chosen("round", round, _ROUNDS)
        how.weight = None if weight is None else column_bytes("weight", weight)
        how.skip_bad = bad is not None and chosen("bad", bad, _BAD)
        how.fail_bad = bad is not None and not how.skip_bad
        how.refuse_nulls = chosen("nulls", nulls, _NULLS)
        self.struct = how
        #: The columns that make the key, name the group, have the weight, and all that are needed of a table.
        self.key_names = [column.decode("utf-8", "surrogateescape") for column in columns]
        self.by_names = [] if by is None else [str(by)]
        self.weight_names = [] if weight is None else [str(weight)]
        self.column_names = [*self.key_names, *self.by_names, *self.weight_names]

    def needed(self, spec: Mapping[str, Any] | None, grouped: bool) -> tuple[list[str], list[str]]:
        """The columns that make the key, and all that are needed of a table, of which the library takes those
        that no option names from the input spec of the sketches, as ink_reading_complete has it: without
        groups if the job does not look at them."""
        how, spec = self.struct, spec or {}
        plain = how.form in _WITHOUT_COLUMNS and how.delimiter == b"\0" and not how.blanks
        stored = Reading(
            key=None if plain else spec.get("key"),
            by=spec.get("by"),
            weight=None if plain else spec.get("weight"),
        )
        key = self.key_names or stored.key_names
        by = (self.by_names or stored.by_names) if grouped else []
        return key, [*key, *by, *(self.weight_names or stored.weight_names)]


def _columns(key: object) -> list[bytes]:
    """The columns of a key: one, or several that make a tuple."""
    if isinstance(key, (str, bytes, bytearray)) or not isinstance(key, Iterable):
        return [column_bytes("key", key)]
    columns = [column_bytes("key", column) for column in key]
    if not columns:
        raise UsageError("key without a column, expected at least one")
    return columns


def options_of(reading: InkReading) -> dict[str, Any]:
    """What an input spec says, as options of build."""
    columns = [reading.key[i].decode("utf-8", "surrogateescape") for i in range(reading.key_count)]
    options: dict[str, Any] = {"format": _FORM_NAMES.get(reading.form)}
    if reading.delimiter != b"\0":
        options["delimiter"] = reading.delimiter.decode("latin-1")
    flags = {"fields": reading.blanks, "header": reading.header, "csv_multiline": reading.multiline}
    options.update((name, True) for name, given in flags.items() if given)
    if columns:
        options["key"] = columns[0] if len(columns) == 1 else columns
    if reading.by is not None:
        options["by"] = reading.by.decode("utf-8", "surrogateescape")
    if reading.round:
        options["round"] = _ROUND_NAMES[reading.round]
    if reading.weight is not None:
        options["weight"] = reading.weight.decode("utf-8", "surrogateescape")
    if reading.skip_bad:
        options["bad"] = "skip"
    return {name: value for name, value in options.items() if value is not None}


# ---- Data in columns ------------------------------------------------------------------------------


def is_arrow(data: object) -> bool:
    """Whether data comes in columns: it speaks Arrow, or is an array."""
    return any(hasattr(data, name) for name in ("__arrow_c_stream__", "__arrow_c_array__", "__array__"))
