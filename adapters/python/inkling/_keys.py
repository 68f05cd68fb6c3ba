"""What one Python key is, and how many of them are packed into the buffers of an Arrow column.

A key is bytes (str as UTF-8, anything bytes-like, a tuple of columns) or an int (also a date, as days, and a
datetime, as microseconds, both since 1970), as docs/keys.md has it. Everything here is about single Python
objects; what already stands in columns goes through ``_arrow``.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta, timezone
from itertools import accumulate, islice, repeat
from operator import index, is_not, itemgetter, sub
from types import NoneType
from typing import Any, NamedTuple, NoReturn

from ._errors import InklingError, LimitError, MismatchError, UnsupportedError, UsageError
from ._single import pack as pack_plain

CHUNK_KEYS = 1 << 14
"""Keys of an iterable that are looked at in one go: they stay in the cache, and the work is in C loops."""

_INT_MIN, _INT_MAX, _INT_MASK = -(1 << 63), (1 << 64) - 1, (1 << 64) - 1
_DAY_0 = date(1970, 1, 1).toordinal()
_NAIVE_0 = datetime(1970, 1, 1)
_AWARE_0 = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECOND = timedelta(microseconds=1)
_NULLS = frozenset({"NAType", "NaTType", "MaskedConstant"})
_ONE_BYTE = frozenset({"B", "b", "c"})
_EXPECTED = "expected str, bytes, int, date, datetime or a tuple of these"


def name_of(value: object) -> str:
    """How a type is called in a message: as Python does, with its package where that is not Python's own."""
    kind = type(value)
    package = kind.__module__.partition(".")[0]
    own = package in ("builtins", "datetime", "__main__")
    return kind.__qualname__ if own else f"{package}.{kind.__qualname__}"


# ---- One key --------------------------------------------------------------------------------------------


def one_key(value: object) -> bytes | int | None:
    """A single key as bytes or int; None if `value` is no single key, but perhaps many.

    Raises UnsupportedError, a TypeError, for what looks like a key and cannot be one: bool, float, a missing
    value, a tuple of something else; and LimitError, an OverflowError, for an int of more than 64 bits. One
    above 2^63 - 1 stands for the same 64 bits as a negative one.

    >>> one_key("é"), one_key(7), one_key(("a", 1)), one_key(["a"])
    (b'\\xc3\\xa9', 7, b'\\x01\\x00\\x00\\x00a\\x01\\x00\\x00\\x001', None)
    """
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bytes):
        return bytes(value)
    if isinstance(value, bool):
        refuse(value)
    if isinstance(value, int):
        return _int64(value)
    if isinstance(value, tuple):
        return _tuple_key(value)
    if isinstance(value, (bytearray, memoryview)):
        return _buffer_key(value)
    if isinstance(value, date):
        return _date_key(value)
    return _foreign_key(value)


def refuse(value: object, what: str = "cannot be a key") -> NoReturn:
    """Says that this can be no key, by the name of its type."""
    missing = isinstance(value, float) and value != value
    way_out = ", or None for a missing one" if missing else ""
    error = UnsupportedError(f"{'the float NaN' if missing else name_of(value)} {what}, {_EXPECTED}{way_out}")
    error.found = name_of(value)  # for those who expect something else
    raise error


def refuse_many(value: object) -> NoReturn:
    """Says that this is not one key, where one was to be asked for."""
    if is_null(value) or not isinstance(value, Iterable):
        refuse(value)
    raise UnsupportedError(f"{name_of(value)} may be many keys, expected one; query() asks about many")


def is_null(value: object) -> bool:
    """Whether this is a missing value: None, or what pandas and NumPy have for it (NA, NaT, masked)."""
    kind = type(value)
    if kind is str or kind is int:
        return False
    name = kind.__name__
    return value is None or name in _NULLS or (name == "datetime64" and bool(value != value))


def _text(value: str) -> bytes:
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        at = f"character {error.start} is half of a surrogate pair"
        raise UsageError(f"a str that is no Unicode text: {at}, expected one that UTF-8 can hold") from None


def _int64(value: int) -> int:
    if _INT_MIN <= value <= _INT_MAX:
        return int(value)
    raise LimitError(f"the int {_short(value)} as a key, expected -2^63 to 2^64 - 1")


def _short(value: int) -> str:
    return str(value) if value.bit_length() < 128 else f"of {value.bit_length()} bits"


def _tuple_key(fields: tuple[object, ...]) -> bytes | int:
    """A key of several columns: of each its length, u32 little-endian, and its bytes; ints as decimal text.
    That of one column is the column's."""
    if not fields:
        raise UnsupportedError("an empty tuple as a key, expected a field for each column")
    if len(fields) == 1:
        return _field(fields[0])
    key = b""
    for value in fields:
        if type(value) is str:
            text = _text(value)
        else:
            field = _field(value)
            text = b"%d" % field if isinstance(field, int) else field
        key += len(text).to_bytes(4, "little") + text
    return key


def _field(value: object) -> bytes | int:
    field = None if isinstance(value, tuple) else one_key(value)
    if field is None:
        found = f"{name_of(value)} in a tuple that is a key"
        raise UnsupportedError(f"{found}, expected str, bytes, int, date or datetime")
    return field


def _buffer_key(value: bytearray | memoryview) -> bytes | None:
    if isinstance(value, bytearray):
        return bytes(value)
    return value.tobytes() if value.ndim == 1 and value.format in _ONE_BYTE else None


def _date_key(value: date) -> int:
    if is_null(value):
        refuse(value)
    if not isinstance(value, datetime):
        return value.toordinal() - _DAY_0
    if getattr(value, "nanosecond", 0):
        raise MismatchError(f"the time {value} has nanoseconds, expected whole microseconds")
    if hasattr(value, "to_pydatetime"):
        value = value.to_pydatetime()
        assert isinstance(value, datetime)
    return (value - (_NAIVE_0 if value.utcoffset() is None else _AWARE_0)) // _MICROSECOND


def _foreign_key(value: object) -> bytes | int | None:
    """Keys of types that only other packages know, none of which is imported here."""
    package = type(value).__module__.partition(".")[0]
    if isinstance(value, (float, complex)):
        refuse(value)
    if package == "numpy" and not getattr(value, "ndim", 1):
        return _numpy_key(value)
    if package == "pyarrow" and hasattr(value, "as_py"):
        plain = value.as_py()
        if isinstance(plain, dict):
            refuse(value)
        return None if plain is None else one_key(plain)
    if package == "pandas" and is_null(value):
        refuse(value)
    if hasattr(type(value), "__index__") and not getattr(value, "ndim", 0):
        try:
            return _int64(index(value))  # type: ignore[arg-type]
        except TypeError:
            return None
    return None


def _numpy_key(value: Any) -> bytes | int | None:
    """A NumPy scalar, or an array without dimensions, which is one."""
    numpy = sys.modules["numpy"]
    if is_null(value):
        refuse(value)
    if isinstance(value, numpy.ndarray):
        return one_key(value[()])
    if isinstance(value, numpy.datetime64):
        days = numpy.datetime_data(value.dtype)[0] in ("Y", "M", "W", "D")
        whole = value.astype("M8[D]" if days else "M8[us]")
        if whole != value:
            raise MismatchError(f"the time {value} is finer than that, expected whole microseconds")
        return int(whole.astype("i8"))
    if value.dtype.kind in "iu":
        return int(value)
    refuse(value)


# ---- Many keys of one type ------------------------------------------------------------------------------

_PREFIXES = [length.to_bytes(4, "little") for length in range(256)]


def _many_dates(dates: list[date]) -> list[int]:
    return [day - _DAY_0 for day in map(date.toordinal, dates)]


def _many_times(times: list[datetime]) -> list[int] | None:
    origin = _NAIVE_0 if times[0].utcoffset() is None else _AWARE_0
    try:
        return [
            (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
            for since in map(sub, times, repeat(origin))
        ]
    except TypeError:  # some have a zone and others none
        return None


def _many_tuples(rows: list[tuple[object, ...]]) -> list[bytes] | None:
    """Keys of several columns, column by column, so that the work is in C loops; None if not all rows have as
    many, or a column holds anything but one plain type."""
    if len(set(map(len, rows))) != 1 or len(rows[0]) < 2:
        return None
    parts: list[Iterable[bytes]] = []
    for column in range(len(rows[0])):
        texts = _many_fields(list(map(itemgetter(column), rows)))
        if texts is None:
            return None
        lengths = list(map(len, texts))
        if max(lengths) < len(_PREFIXES):
            parts.append(map(_PREFIXES.__getitem__, lengths))
        else:
            parts.append([length.to_bytes(4, "little") for length in lengths])
        parts.append(texts)
    return list(map(b"".join, zip(*parts)))


def _many_fields(column: list[Any]) -> list[bytes] | None:
    """The texts of a column; None if one by one must be looked at."""
    types = set(map(type, column))
    kind = types.pop()
    if types:
        return None
    if kind is str:
        try:
            return list(map(str.encode, column))
        except UnicodeEncodeError:
            return None
    if kind is bytes:
        return column
    if kind not in (int, date, datetime):
        return None
    return _many_texts(column if kind is int else many_keys(kind, column))


def _many_texts(numbers: list[int] | None) -> list[bytes] | None:
    """Ints as decimal texts; None if one is too large, or there is none."""
    if numbers is None or not _INT_MIN <= min(numbers) <= max(numbers) <= _INT_MAX:
        return None
    return (b"%d " * len(numbers) % tuple(numbers)).split()


def many_keys(kind: type, values: list[Any]) -> list[Any] | None:
    """Values of one type as keys, much faster than one by one; None if that is the only way."""
    if kind is datetime:
        return _many_times(values)
    if kind is date:
        return _many_dates(values)
    return _many_tuples(values) if issubclass(kind, tuple) else None


# ---- Many keys ------------------------------------------------------------------------------------------


class Packed(NamedTuple):
    """A column in buffers as Arrow has them: of format "l" and "g" the values; of "Z" offsets and bytes; "n"
    is nothing but nulls."""

    format: str
    rows: int
    nulls: int
    validity: bytes | None
    values: bytearray | array[int] | None
    data: bytearray | None


_FORMATS: dict[type, str] = {str: "Z", bytes: "Z", int: "l", float: "g"}
_FILLERS: dict[str, object] = {"Z": b"", "l": 0, "g": 0.0}


class Packer:
    """Packs keys, chunk by chunk, into one column; `finish` gives it and begins the next one.

    All keys must be of one type; the first one that is not null decides.
    """

    plain: frozenset[type] = frozenset({str, bytes, int})
    takes = "ZL"  # of these, as pack_plain() has it

    def __init__(self) -> None:
        self.position = 0  # of the first row of the column that is being made
        self.format = ""  # "l", "Z" or "g", as soon as it is known
        self._begin()

    def _begin(self) -> None:
        self._rows = 0
        self._valid: bytearray | None = None  # one byte for each row, if any is null
        self._values = bytearray()
        self._data = bytearray()

    def add(self, chunk: list[Any]) -> None:
        """Packs more keys. After a failure there is nothing to finish."""
        if not (self.format or not self._rows) or not self._pack(chunk, 0, len(chunk)):
            found = set(map(type, chunk))
            if not found - {NoneType} <= self.plain or len(found - {NoneType}) > 1:
                chunk = self._alike(chunk, found - {NoneType}) or self._plain(chunk)
                found = set(map(type, chunk))
            self._decide({_FORMATS[kind] for kind in found - {NoneType}}, chunk)
            if NoneType in found:
                self._mark_nulls(chunk)
                chunk = [_FILLERS.get(self.format) if key is None else key for key in chunk]
            if self.format and not self._pack(chunk, 0, len(chunk)):
                self._refuse(chunk)
        if self._valid is not None:
            self._valid += b"\1" * (self._rows + len(chunk) - len(self._valid))
        self._rows += len(chunk)

    def take(self, keys: list[Any]) -> int:
        """Packs the first keys of a list, as many as need no second look; returns how many."""
        start = 0
        while start < len(keys):
            stop = min(start + CHUNK_KEYS, len(keys))
            if not self._pack(keys, start, stop):
                break
            self._rows += stop - start
            start = stop
        return start

    def _pack(self, keys: list[Any], start: int, stop: int) -> bool:
        """Packs keys that are all of one plain type, if they are, and of the format that is known."""
        if self.format == "g":
            floats = keys[start:stop]
            if set(map(type, floats)) == {float}:
                self._values += array("d", floats).tobytes()
            return set(map(type, floats)) == {float}
        kept = {"": "ZLl", "Z": "Z", "l": "Ll"}[self.format]
        takes = "".join(one for one in self.takes if one in kept)
        found = pack_plain(keys, start, stop, self._values, self._data, takes)
        self.format = self.format or found
        return found != ""

    def finish(self) -> Packed:
        """The column of all keys since the last one."""
        rows, valid, values, data = self._rows, self._valid, self._values, self._data
        self.position += rows
        self._begin()
        if not self.format:
            return Packed("n", rows, rows, None, None, None)
        nulls = 0 if valid is None else valid.count(0)
        bits = None if valid is None else _bits(valid)
        return Packed(self.format, rows, nulls, bits, values, data if self.format == "Z" else None)

    def _alike(self, chunk: list[Any], types: set[type]) -> list[Any] | None:
        """Keys that are all of one type, or null, as bytes, ints and None; None if they are not."""
        if len(types) != 1:
            return None
        present = [value for value in chunk if value is not None]
        keys = self._many(next(iter(types)), present)
        if keys is None or len(present) == len(chunk):
            return keys
        rest = iter(keys)
        return [None if value is None else next(rest) for value in chunk]

    def _many(self, kind: type, values: list[Any]) -> list[Any] | None:
        return many_keys(kind, values)

    def _plain(self, chunk: list[Any]) -> list[Any]:
        """Keys one by one, of any type, as bytes, ints and None; fails at the first that is no key."""
        keys: list[Any] = []
        for row, value in enumerate(chunk):
            try:
                keys.append(self._one(value))
            except InklingError as error:
                self._fail(row, error)
        return keys

    def _one(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return None if any(map(is_null, value)) else _tuple_key(value)
        if is_null(value):
            return None
        key = one_key(value)
        if key is None and not (hasattr(value, "as_py") and value.as_py() is None):
            refuse(value)
        return key

    def _mark_nulls(self, chunk: list[Any]) -> None:
        if self._valid is None:
            self._valid = bytearray(b"\1") * self._rows
        self._valid += bytes(map(is_not, chunk, repeat(None)))

    def _decide(self, formats: set[str], chunk: list[Any]) -> None:
        """A chunk is of these formats: so is the column, if it is the first of it, otherwise it must be."""
        if len(formats | {self.format} - {""}) > 1:
            self._fail_mixed(chunk)
        if formats and not self.format:
            self.format = formats.pop()
            if self._rows:  # something must stand where keys are null
                self._values += bytes(8 * (self._rows + (self.format == "Z")))

    def _refuse(self, keys: list[Any]) -> None:
        """Says which key cannot be packed: a text that is none, or an int that is too large."""
        self._plain(keys)

    def _fail(self, row: int, error: InklingError) -> NoReturn:
        raise type(error)(error.message, location="key", at=self.position + self._rows + row) from None

    def _fail_mixed(self, chunk: list[Any]) -> NoReturn:
        """Names the first of a chunk that is not of the type of the keys before it."""
        found = [None if key is None else "int" if isinstance(key, int) else "bytes" for key in chunk]
        before = {"l": "int", "Z": "bytes"}.get(self.format) or next(filter(None, found))
        row = next(row for row, name in enumerate(found) if name not in (None, before))
        message = f"{found[row]} key among {before} keys, expected keys of one type (key_type=)"
        self._fail(row, UsageError(message))


class GroupPacker(Packer):
    """Packs the groups that keys are asked of: text, and numbers as text; floats, if all are, as such."""

    plain = frozenset({str, bytes, float})
    takes = "Z"

    def _many(self, kind: type, values: list[Any]) -> list[Any] | None:
        keys = values if kind is int else super()._many(kind, values)
        return _many_texts(keys) if keys is not None and isinstance(keys[0], int) else keys

    def _one(self, value: Any) -> Any:
        if isinstance(value, bool):
            return b"true" if value else b"false"
        group = super()._one(value)
        return b"%d" % group if isinstance(group, int) else group

    def _fail(self, row: int, error: InklingError) -> NoReturn:
        super()._fail(row, type(error)(f"by=: {error.message}"))


class WeightPacker(Packer):
    """Packs weights: ints, of which the library says the rest."""

    plain = frozenset({int})
    takes = "l"

    def _many(self, kind: type, values: list[Any]) -> None:
        return None

    def _one(self, value: Any) -> Any:
        weight = None if isinstance(value, (str, bytes, tuple, date)) else super()._one(value)
        if not isinstance(weight, int) and not is_null(value):
            refuse(value)
        return weight

    def _refuse(self, keys: list[int]) -> NoReturn:
        row = next(row for row, key in enumerate(keys) if not -(1 << 63) <= key < 1 << 63)
        self._fail(row, LimitError(f"{_short(keys[row])}, expected less than 2^63"))

    def _fail(self, row: int, error: InklingError) -> NoReturn:
        found = getattr(error, "found", None)
        message = error.message if found is None else f"{found}, expected ints"
        super()._fail(row, type(error)(f"weight=: {message}"))


def _bits(flags: bytearray) -> bytes:
    """Bytes that are 0 or 1 as bits, the first one lowest."""
    bits = 0
    for shift in range(8):
        bits |= int.from_bytes(flags[shift::8], "little") << shift
    return bits.to_bytes((len(flags) + 7) // 8, "little")


def chunks(values: Iterable[object]) -> Iterator[list[Any]]:
    """An iterable as lists of CHUNK_KEYS."""
    rest = iter(values)
    while chunk := list(islice(rest, CHUNK_KEYS)):
        yield chunk


def pack(lists: Iterable[list[Any]], packer: Packer) -> Packed:
    """All of some lists as one column, so that a failure at any key comes before anything is done."""
    for chunk in lists:
        packer.add(chunk)
    return packer.finish()


def pack_by_and_by(lists: Iterable[list[Any]], packer: Packer) -> Iterator[Packed]:
    """Lists of which more may come forever as one column after another, all of the same format."""
    waiting = False
    for chunk in lists:
        packer.add(chunk)
        waiting = not packer.format
        if not waiting:
            yield packer.finish()
    if waiting:
        yield packer.finish()
