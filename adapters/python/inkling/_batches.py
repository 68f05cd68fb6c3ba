"""Rows, batch by batch: columns of ours, what others lend or let us pull, and columns put side by side."""

from __future__ import annotations

import ctypes
import errno
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from ctypes import addressof
from typing import Any, Literal

from . import _keys
from ._abi import (
    RELEASE_ARRAY,
    RELEASE_SCHEMA,
    ArrowArray,
    ArrowArrayStream,
    ArrowSchema,
    Pull,
    Release,
    GetText,
    buffer_address,
    capsule_pointer,
    make_array,
    make_schema,
    pointed,
)
from ._errors import FileError, FormatError, InklingError, OutOfMemoryError, UnsupportedError, UsageError
from ._keys import Packed, Packer, name_of

Shape = Literal["array", "iterable"]


class Batch:
    """Some rows: an ArrowSchema and an ArrowArray that live as long as this does."""

    __slots__ = ("_keep", "array_address", "rows", "schema_address", "start")

    def __init__(self, schema: int, array: int, keep: object) -> None:
        self.schema_address = schema
        self.array_address = array
        self.rows = ArrowArray.from_address(array).length
        self.start = 0
        """How many rows came in batches before this one."""
        self._keep = keep


class Batches(Iterator[Batch]):
    """Rows, batch by batch; to be read once."""

    def __init__(self, source: Iterable[Batch], shape: Shape, rows: int | None = None) -> None:
        self.shape: Shape = shape
        """What was handed in, so how answers should look: "array" (also columns, tables) or "iterable"."""
        self.rows = rows
        """How many rows there will be, if that is known."""
        self.key: str | None = None
        """The key column, where a column was put beside keys that need no name."""
        self.weight: str | None = None
        """The column that weight= became."""
        self.by: str | None = None
        """The column that by= became."""
        self._source = iter(source)
        self._start = 0

    def __next__(self) -> Batch:
        batch = next(self._source)
        batch.start = self._start
        self._start += batch.rows
        return batch


_schemas: dict[str, ArrowSchema] = {}


def plain_schema(format: str) -> ArrowSchema:
    """The schema of a column of ours, made once."""
    schema = _schemas.get(format)
    if schema is None:
        schema = _schemas.setdefault(format, make_schema(format))
    return schema


def column_batch(format: str, rows: int, nulls: int, buffers: Sequence[int | None], keep: object) -> Batch:
    schema = plain_schema(format)
    made = make_array(rows, nulls, buffers, (), keep)
    return Batch(addressof(schema), addressof(made), (schema, made))


def null_batch(rows: int) -> Batch:
    """Nothing but nulls."""
    return column_batch("n", rows, rows, (), None)


def packed_batch(packed: Packed) -> Batch:
    if packed.format == "n":
        return null_batch(packed.rows)
    validity = None if packed.validity is None else buffer_address(packed.validity)
    assert packed.values is not None
    buffers = [validity, buffer_address(packed.values)]
    if packed.data is not None:
        buffers.append(buffer_address(packed.data))
    return column_batch(packed.format, packed.rows, packed.nulls, buffers, packed)


def listed(lists: Iterable[list[Any]], packer: Packer, shape: Shape) -> Batches:
    packed = _keys.pack(lists, packer)
    return Batches([packed_batch(packed)], shape, packed.rows)


def same_for_all(keys: Batches, value: int) -> tuple[Batches, Batches]:
    """Keys, and beside each of them the same number."""
    counts: deque[int] = deque()

    def counted() -> Iterator[Batch]:
        for batch in keys:
            counts.append(batch.rows)
            yield batch

    def beside() -> Iterator[Batch]:
        while counts:
            rows = counts.popleft()
            yield packed_batch(Packed("l", rows, 0, None, array("q", [value]) * rows, None))

    return Batches(counted(), keys.shape, keys.rows), Batches(beside(), keys.shape, keys.rows)


# ---- What others lend -----------------------------------------------------------------------------------


def given(data: Any, ask: Callable[[], Any]) -> Any:
    """What `data` is asked for; an exception that it raises is reported as its own."""
    try:
        return ask()
    except (InklingError, MemoryError):
        raise
    except Exception as error:
        why = " ".join(str(error).split()) or "no reason given"
        raise UnsupportedError(
            f"{name_of(data)} does not give its values ({type(error).__name__}: {why}), "
            "expected a column or a table"
        ) from error


def stream_of(data: Any) -> tuple[object, int]:
    """The capsule of a stream of arrays, and where the stream is."""

    def ask() -> tuple[object, int]:
        capsule = data.__arrow_c_stream__()
        return capsule, capsule_pointer(capsule, b"arrow_array_stream")

    found: tuple[object, int] = given(data, ask)
    return found


def borrowed(data: Any) -> Batch:
    """An array that its owner describes; the capsules release it when they go."""

    def ask() -> Batch:
        schema, values = capsules = data.__arrow_c_array__()
        addresses = capsule_pointer(schema, b"arrow_schema"), capsule_pointer(values, b"arrow_array")
        return Batch(*addresses, capsules)

    batch: Batch = given(data, ask)
    structs = ArrowSchema.from_address(batch.schema_address), ArrowArray.from_address(batch.array_address)
    if not all(struct.release for struct in structs):  # what they held is gone
        raise UsageError("an Arrow array that was released, expected one to read")
    return batch


class _PulledSchema(ArrowSchema):
    def __del__(self, release: Any = Release, address: Any = addressof) -> None:
        if self.release:
            release(self.release)(address(self))


class _PulledArray(ArrowArray):
    def __del__(self, release: Any = Release, address: Any = addressof) -> None:
        if self.release:
            release(self.release)(address(self))


# How many buffers an array has, by how its format begins: else two.
_BUFFERS = {"n": 0, "+r": 0, "+s": 1, "+w": 1, "+us": 1, "u": 3, "z": 3, "U": 3, "Z": 3, "vu": 3, "vz": 3}


def _nothing(schema: ArrowSchema) -> ArrowArray:
    """An array of no rows."""
    format = ctypes.string_at(schema.format or 0).decode()
    buffers = _BUFFERS.get(format, _BUFFERS.get(format.partition(":")[0], 2))
    columns = map(ArrowSchema.from_address, pointed(schema.children, schema.n_children))
    made = make_array(0, 0, [None] * buffers, list(map(_nothing, columns)))
    if schema.dictionary is not None:
        words = _nothing(ArrowSchema.from_address(schema.dictionary))
        made.dictionary = addressof(words)
        made.__dict__["words"] = words
    return made


class Reader(Iterator[Batch]):
    """The arrays of a stream; each is released with the last reference to its Batch.

    A stream that has none gives one of no rows, so that what is said of its columns is looked at.
    """

    def __init__(self, data: Any) -> None:
        self._capsule, self._address = stream_of(data)
        self._stream = ArrowArrayStream.from_address(self._address)
        if not self._stream.release:
            raise UsageError("a stream of Arrow arrays that was released, expected one to read")
        self._schema = _PulledSchema()
        self._begun = False
        what = "cannot ask a stream of Arrow arrays for its schema"
        self._pull(self._stream.get_schema, self._schema, what)

    def __next__(self) -> Batch:
        pulled: ArrowArray = _PulledArray()
        self._pull(self._stream.get_next, pulled, "cannot read a stream of Arrow arrays")
        if not pulled.release:
            if self._begun:
                raise StopIteration
            pulled = _nothing(self._schema)
        self._begun = True
        return Batch(addressof(self._schema), addressof(pulled), (self._schema, pulled))

    def _pull(self, function: Any, target: ArrowSchema | ArrowArray, what: str) -> None:
        code = Pull(function)(self._address, addressof(target))
        if not code:
            return
        target.release = None
        text = GetText(self._stream.get_last_error)(self._address) if self._stream.get_last_error else None
        why = ctypes.string_at(text).decode(errors="replace") if text else f"error {code}"
        kind: type[InklingError] = OutOfMemoryError if code == errno.ENOMEM else FileError
        raise kind(f"{what}: {why}", os_error=code)


# ---- Columns side by side -------------------------------------------------------------------------------


class Side:
    """Batches of which rows are taken as they go together with those of others."""

    def __init__(self, name: str, batches: Batches, spread: bool = False) -> None:
        self.name = name
        self.batches = batches
        self.spread = spread  # a table's columns stay columns
        self.batch: Batch | None = None
        self.seen = True
        self.left = 0
        self.rows = 0  # that came so far
        self.ended = False

    def more(self) -> None:
        """Has rows left, if there are any, or the first batch, also if that has none."""
        if not self.left and not self.ended and self.seen:
            self.look()
        self.seen = True

    def look(self) -> None:
        """Has the next batch."""
        self.seen = False
        self.batch = next(self.batches, None)
        self.ended = self.batch is None
        self.left = 0 if self.batch is None else self.batch.rows
        self.rows += self.left

    def types(self) -> list[ArrowSchema]:
        """The schemas of the columns, by the name of this side or their own."""
        assert self.batch is not None
        schema = ArrowSchema.from_address(self.batch.schema_address)
        children = pointed(schema.children, schema.n_children)
        if not _is_struct(schema):
            return [_renamed(schema, self.name)]
        if self.spread:
            return [ArrowSchema.from_address(child) for child in children]
        if len(children) != 1:
            raise UsageError(f"{self.name} is a table of {len(children)} columns, expected one column")
        return [_renamed(ArrowSchema.from_address(children[0]), self.name)]

    def take(self, rows: int) -> list[ArrowArray]:
        """The columns of the next rows."""
        assert self.batch is not None
        first = self.batch.rows - self.left
        self.left -= rows
        whole = ArrowArray.from_address(self.batch.array_address)
        if not _is_struct(ArrowSchema.from_address(self.batch.schema_address)):
            return [_slice(whole, first, rows)]
        columns = list(map(ArrowArray.from_address, pointed(whole.children, whole.n_children)))
        expected = whole.offset + whole.length
        for number, column in enumerate(columns, 1):
            if column.length < expected:
                raise FormatError(f"column {number} has {column.length} rows, expected {expected}")
        return [_slice(column, whole.offset + first, rows) for column in columns]

    def nulls(self, rows: int) -> bytes | None:
        """Which of the next rows of a table are there, as bits, if not all are."""
        assert self.batch is not None
        whole = ArrowArray.from_address(self.batch.array_address)
        schema = ArrowSchema.from_address(self.batch.schema_address)
        if not _is_struct(schema) or not whole.null_count:
            return None
        bitmap = next(iter(pointed(whole.buffers, whole.n_buffers)), None)
        if not bitmap:
            return None
        first = whole.offset + self.batch.rows - self.left
        bits = int.from_bytes(ctypes.string_at(bitmap, (first + rows + 7) // 8), "little") >> first
        return bits.to_bytes((rows + 7) // 8 + 1, "little")


def _is_struct(schema: ArrowSchema) -> bool:
    return schema.format is not None and ctypes.string_at(schema.format) == b"+s"


def _renamed(schema: ArrowSchema, name: str) -> ArrowSchema:
    text = ctypes.create_string_buffer(name.encode())
    copy = ArrowSchema.from_buffer_copy(schema)
    copy.name = addressof(text)
    copy.release, copy.private_data = RELEASE_SCHEMA, None
    copy.__dict__["keep"] = (text, schema)
    return copy


def _slice(whole: ArrowArray, first: int, rows: int) -> ArrowArray:
    """Some rows of an array, in its memory."""
    part = ArrowArray.from_buffer_copy(whole)
    part.offset += first
    part.length = rows
    part.null_count = 0 if not whole.null_count else -1
    part.release, part.private_data = RELEASE_ARRAY, None
    return part


def zipped(sides: list[Side]) -> Iterator[Batch]:
    """Structs of the columns of all sides, as many rows at a time as all have without a break."""
    sources: list[int] = []
    schema: tuple[ArrowSchema, object] | None = None
    while sides:
        for side in sides:
            side.more()
        if any(side.ended for side in sides):
            _check_ends(sides)
            return
        batches = [side.batch for side in sides]
        addresses = [batch.schema_address for batch in batches if batch is not None]
        if schema is None or addresses != sources:
            types = [column for side in sides for column in side.types()]
            schema = make_schema("+s", "", types), batches
            sources = addresses
        rows = min(side.left for side in sides)
        present = sides[0].nulls(rows)
        columns = [column for side in sides for column in side.take(rows)]
        validity = None if present is None else buffer_address(present)
        made = make_array(rows, -1 if validity else 0, (validity,), columns, (present, batches))
        yield Batch(addressof(schema[0]), addressof(made), (schema, made))


def _check_ends(sides: list[Side]) -> None:
    """All must end where one does."""
    for side in sides:
        while not side.ended and not side.left:
            side.more()
    longest = max(sides, key=lambda side: side.rows)
    for side in sides:
        if side.rows != longest.rows:
            fail_lengths(sides[0], side if side is not sides[0] else longest)


def fail_lengths(keys: Side, other: Side) -> None:
    def rows(side: Side) -> str:
        known = side.batches.rows
        return f"{side.rows} or more" if known is None and not side.ended else str(known or side.rows)

    raise UsageError(f"{other.name} has {rows(other)} rows, expected {rows(keys)}, one for each key")
