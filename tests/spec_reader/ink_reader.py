"""A strict second reader of `.ink` files.

Written from docs/format.md and docs/keys.md alone, never from the C code. `read_ink` takes bytes
and returns an `InkFile`, or raises `FormatError` for anything but the one valid form of a file.
What the sketches in it answer stands in ink_sketches.py.
"""

import struct
from dataclasses import dataclass, field
from typing import Optional, Union

import xxhash

import ink_hashes as hashes

MAGIC = bytes.fromhex("89494e4b0d0a1a0a")
HEADER_BYTES = 64
PIECE_BYTES = 1 << 20
END_SECTION = 0xFFFFFFFF
KNOWN_SECTIONS = (1, 2, 3)
NO_GROUP, NULL_GROUP_KIND, NAMED_GROUP = range(3)
COL_GROUP_KIND, COL_GROUP_END, COL_GROUP_BYTES, COL_SLOT_KIND, COL_SLOT = range(1, 6)
COL_RECORDS, COL_OFFSET, COL_BYTES = range(6, 9)
COL_PARAMETER = 16
CONSTANT, EACH, BYTES = range(3)
RATES = ("target_rate", "promised_rate")
REALS = RATES + ("ratio",)
FULL = 2**64 - 1  # counts that have reached it stop
LEVEL_BYTES, ITEM_BYTES, ITEM_KEY_BYTES = 64, 32, 1024


@dataclass(frozen=True)
class Kind:
    """What the document says of one kind of sketch."""

    name: str
    number: int
    rules: tuple
    parameters: tuple


KINDS = {kind.number: kind for kind in (
    Kind("bloom", 1, (1,), ("expected_keys", "target_rate", "promised_rate")),
    Kind("classic", 2, (2, 3, 4, 16, 17, 19, 20, 21, 22, 23, 24),
         ("expected_keys", "target_rate", "promised_rate", "bits", "hashes")),
    Kind("counting", 3, (1,), ("expected_keys", "target_rate", "promised_rate")),
    Kind("scalable", 4, (9,),
         ("expected_keys", "target_rate", "promised_rate", "ratio", "chains", "levels")),
    Kind("count-min", 5, (6, 18, 27), ("width", "depth", "counter_bits", "conservative", "total")),
    Kind("top", 6, (8,), ("capacity", "total", "missed", "kept")),
    Kind("fm", 7, (7,), ("width", "depth")),
    Kind("hll", 8, (5, 25, 26), ("precision",)),
    Kind("theta", 9, (10,), ("precision",)),
    Kind("fuse", 10, (11,), ("expected_keys", "target_rate", "promised_rate", "bits")),
)}

# The rules that kinds have for the hashes of no other system.
OWN = tuple(rule for rule in range(1, 12) if rule not in (3, 4))
BOTH, ONLY_BYTES, ONLY_INTS = (0, 1), (0,), (1,)
# hash: the position rules, the key types under them, and the seeds are below this
HASHES = {
    1: [(OWN, BOTH, 2**64)], 2: [(OWN, ONLY_INTS, 2**64)], 3: [(OWN, BOTH, 1)],
    4: [(OWN, BOTH, 2**64), ((24,), BOTH, 2**64)],
    5: [((3, 4), ONLY_BYTES, 2**32)],
    6: [(OWN, BOTH, 2**64), ((22,), ONLY_BYTES, 2**64)],
    7: [(OWN, BOTH, 2**64), ((19, 20), BOTH, 1)],
    16: [(OWN, ONLY_INTS, 2**64)], 17: [((19, 20), ONLY_INTS, 1)], 18: [((19, 20), ONLY_BYTES, 1)],
    19: [((17,), BOTH, 2**32), ((16,), BOTH, 1)],
    20: [((18,), BOTH, 2**48)],
    21: [((21,), ONLY_BYTES, 1)], 22: [((21,), ONLY_BYTES, 1)],
    23: [((23,), ONLY_BYTES, 1)],
    24: [(OWN, ONLY_BYTES, 2**64)], 25: [((26,), BOTH, 2**64)], 26: [((26,), ONLY_INTS, 2**64)],
    27: [((25,), BOTH, 2**64)], 28: [((27,), ONLY_BYTES, 1)],
}


class FormatError(Exception):
    """The bytes are not a valid file; `offset` is where that shows."""

    def __init__(self, offset, message):
        super().__init__(f"at byte {offset}: {message}")
        self.offset = offset
        self.message = message


class NullGroup:
    """The group of records whose group is null; there is one, NULL_GROUP."""

    def __repr__(self):
        return "NULL_GROUP"


NULL_GROUP = NullGroup()


@dataclass
class Header:
    """The fields of the header that a valid file may choose."""

    key_type: int
    hash: int
    seed: int
    secret_check: int
    entry_count: int
    directory_bytes: int
    payload_bytes: int

    def key_rule(self, secret=None):
        """How this file hashes keys; a wrong or needless secret is refused."""
        keyed = self.hash == hashes.SIPHASH
        if secret is not None and (not keyed or hashes.secret_check(secret) != self.secret_check):
            raise ValueError("this is not the secret of the file")
        return hashes.KeyRule(self.key_type, self.hash, self.seed, secret)


@dataclass
class Column:
    """One column: a number (form 0), a tuple of numbers (form 1) or bytes (form 2)."""

    id: int
    form: int
    width: int
    offset: int = 0
    data: Union[int, tuple, bytes] = 0

    def value(self, row):
        """The number the column gives an entry."""
        return self.data if self.form == CONSTANT else self.data[row]


@dataclass
class Table:
    """The description and columns of one kind of sketch."""

    kind: Kind
    position_rule: int
    layout: int
    entry_count: int
    offset: int
    columns: dict = field(default_factory=dict)

    def value(self, column_id, row):
        """The number a column gives an entry, 0 if it was left out."""
        column = self.columns.get(column_id)
        return column.value(row) if column else 0

    def where(self, column_id):
        """The offset to blame when a column's content is wrong."""
        column = self.columns.get(column_id)
        return column.offset if column else self.offset


@dataclass
class Entry:
    """One sketch: its label, count of records, parameters and payload."""

    kind: str
    position_rule: int
    params: dict
    payload: bytes
    records: int = 0
    group: Union[None, NullGroup, bytes] = None
    slot: Optional[int] = None
    layout: int = 1


@dataclass
class Level:
    """One filter of a scalable entry; `cells` are its bits, a payload of its kind."""

    kind: str
    keys: int
    expected_keys: int
    target_rate: float
    promised_rate: float
    bits: int
    hashes: int
    cells: bytes


@dataclass
class Item:
    """One key of a top entry: it was added `high - error` to `high` times."""

    hash: int
    high: int
    error: int
    key: Union[int, bytes]
    cut: bool = False

    def order(self):
        """What the items of a payload rise by."""
        return self.hash, self.key, self.cut


@dataclass
class Section:
    """One section after the payload area (the end section is never one of these)."""

    id: int
    content: bytes
    critical: bool = False


@dataclass
class InkFile:
    """Everything a file says."""

    header: Header
    tables: list
    entries: list
    sections: list
    digest: str


class Cursor:
    """Reads forward through data[offset:end]."""

    def __init__(self, data, offset, end):
        self.data, self.offset, self.end = data, offset, end

    def take(self, count, what):
        if count > self.end - self.offset:
            raise FormatError(self.offset, f"{what} does not fit")
        self.offset += count
        return self.data[self.offset - count:self.offset]

    def number(self, width, what):
        return int.from_bytes(self.take(width, what), "little")

    def zeros(self, count, what):
        start = self.offset
        if any(self.take(count, what)):
            raise FormatError(start, f"{what} is not zero")

    def checksum(self, start, what):
        """A checksum of everything from `start` to here."""
        at = self.offset
        if self.number(8, what) != xxhash.xxh3_64_intdigest(self.data[start:at]):
            raise FormatError(at, f"{what} is wrong")


def round_up(number, unit):
    """The next multiple of `unit`, which may be the number itself."""
    return -(-number // unit) * unit


def payload_start(end_before, size):
    """Where a payload of `size` bytes starts, after one that ended at `end_before`."""
    return round_up(end_before, 64 if size >= 4096 else 32)


def require(condition, offset, message):
    """Reject the file unless the condition holds."""
    if not condition:
        raise FormatError(offset, message)


def _unknown(what, number):
    """An id that later files may have, as the section on growth says; 0 is none."""
    return f"{what} {number} is unknown: a newer library is needed" if number else f"there is no {what} 0"


def _read_header(data):
    cursor = Cursor(data, 0, min(len(data), HEADER_BYTES))
    require(cursor.take(8, "the magic") == MAGIC, 0, "this is no .ink file")
    version = cursor.number(2, "the version")
    require(version == 1, 8, f"version {version} is not known")
    cursor.zeros(2, "the flags field")
    key_type, hash_id = cursor.number(2, "the key type"), cursor.number(2, "the hash")
    header = Header(key_type, hash_id, *(cursor.number(8, "the header") for _ in range(5)))
    cursor.checksum(0, "the header's checksum")
    require(hash_id in HASHES, 14, _unknown("hash", hash_id))
    rows = [row for row in HASHES[hash_id] if key_type in row[1]]
    require(rows, 12, f"hash {hash_id} does not take key type {key_type}")
    require(any(header.seed < row[2] for row in rows), 16, f"hash {hash_id} does not take this seed")
    require(hash_id == hashes.SIPHASH or header.secret_check == 0, 24, "a check without a secret")
    require(header.entry_count > 0 or
            (key_type, hash_id, header.seed) == (0, 1, 0x696E6B6C696E6721), 12,
            "a file without entries has another key rule than the default")
    require(header.directory_bytes >= 64, 40, "the directory is too short")
    require(header.directory_bytes % 64 == 0, 40, "the directory does not end on 64 bytes")
    require(header.payload_bytes % 32 == 0, 48, "the payload area is not a multiple of 32")
    return header


def _read_description(cursor, header):
    offset = cursor.offset
    kind, rule, layout, column_count = (cursor.number(2, "a table") for _ in range(4))
    entry_count = cursor.number(8, "a table")
    require(kind in KINDS, offset, _unknown("kind", kind))
    require(any(rule in one.rules for one in KINDS.values()), offset + 2, _unknown("position rule", rule))
    require(rule in KINDS[kind].rules, offset + 2, f"kind {kind} has no position rule {rule}")
    require(any(rule in rules and header.key_type in types and header.seed < limit
                for rules, types, limit in HASHES[header.hash]), offset + 2,
            f"position rule {rule} does not go with hash {header.hash}")
    require(layout == 1, offset + 4, _unknown("layout", layout))
    require(column_count <= 16, offset + 6, "more than 16 columns")
    require(entry_count >= 1, offset + 8, "a table without entries")
    table = Table(KINDS[kind], rule, layout, entry_count, offset)
    allowed = set(range(COL_GROUP_KIND, COL_BYTES + 1))
    allowed.update(COL_PARAMETER + i for i in range(len(table.kind.parameters)))
    last = -1
    for _ in range(column_count):
        at = cursor.offset
        column = Column(cursor.number(2, "a column"), cursor.number(1, "a column"),
                        cursor.number(1, "a column"))
        require(column.id > last, at, "columns are not in rising order")
        require(column.id in allowed, at, f"kind {kind} has no column {column.id}")
        forms = (BYTES,) if column.id == COL_GROUP_BYTES else (CONSTANT, EACH)
        require(column.form in forms, at + 2, f"form {column.form} of column {column.id}")
        widths = {CONSTANT: (8,), EACH: (1, 2, 4, 8), BYTES: (1,)}[column.form]
        require(column.width in widths, at + 3, f"width {column.width} of form {column.form}")
        table.columns[column.id] = column
        last = column.id
    cursor.zeros(-4 * column_count % 8, "the padding of a description")
    return table


def _read_column(cursor, table, column):
    column.offset = cursor.offset
    if column.form == CONSTANT:
        column.data = cursor.number(8, "a column")
        require(column.data != 0, column.offset, "a column of zeros is not left out")
    elif column.form == EACH:
        raw = cursor.take(table.entry_count * column.width, "a column")
        code = {1: "B", 2: "H", 4: "I", 8: "Q"}[column.width]
        column.data = struct.unpack(f"<{table.entry_count}{code}", raw)
        largest = max(column.data)
        require(min(column.data) != largest, column.offset, "a column of one value has form 1")
        require(column.width == 1 or largest >= 1 << 4 * column.width, column.offset,
                "a column is wider than its values")
    else:
        size = table.value(COL_GROUP_END, table.entry_count - 1)
        require(size > 0, column.offset, "empty group bytes are not left out")
        column.data = cursor.take(size, "the group bytes")
    cursor.zeros((column.offset - cursor.offset) % 8, "the padding of a column")


def _read_directory(data, header):
    end = HEADER_BYTES + header.directory_bytes
    require(end <= len(data), len(data), "the directory is cut short")
    Cursor(data, end - 8, end).checksum(HEADER_BYTES, "the directory's checksum")
    cursor = Cursor(data, HEADER_BYTES, end - 8)
    table_count = cursor.number(4, "the number of tables")
    require(table_count <= 16, HEADER_BYTES, "more than 16 tables")
    cursor.zeros(4, "the second field of the directory")
    tables = []
    for _ in range(table_count):
        table = _read_description(cursor, header)
        require(not tables or tables[-1].kind.number < table.kind.number, table.offset,
                "tables are not in rising order of kind")
        foreign = [one.position_rule if one.position_rule not in OWN else 0 for one in (*tables[:1], table)]
        require(foreign[0] == foreign[-1], table.offset + 2, "tables hash keys in different ways")
        tables.append(table)
    for table in tables:
        for column in table.columns.values():
            _read_column(cursor, table, column)
    require(sum(table.entry_count for table in tables) == header.entry_count, 32,
            "the entry count is not that of the tables")
    piece_count = -(-header.payload_bytes // PIECE_BYTES)
    pieces_at = cursor.offset
    pieces = cursor.take(8 * piece_count, "the piece checksums")
    require(end - 8 - cursor.offset <= 56, cursor.offset, "the directory is too long")
    cursor.zeros(end - 8 - cursor.offset, "the padding of the directory")
    return tables, pieces_at, pieces


def _check_pieces(data, header, pieces_at, pieces):
    start = HEADER_BYTES + header.directory_bytes
    end = start + header.payload_bytes
    require(end <= len(data), len(data), "the payload area is cut short")
    for i, at in enumerate(range(start, end, PIECE_BYTES)):
        piece = data[at:min(at + PIECE_BYTES, end)]
        require(int.from_bytes(pieces[8 * i:8 * i + 8], "little")
                == xxhash.xxh3_64_intdigest(piece), pieces_at + 8 * i,
                f"the checksum of piece {i} is wrong")


def _read_group(table, row, name_start):
    kind, end = table.value(COL_GROUP_KIND, row), table.value(COL_GROUP_END, row)
    at = table.where(COL_GROUP_END)
    require(kind <= NAMED_GROUP, table.where(COL_GROUP_KIND), f"group kind {kind} is not known")
    names = table.columns.get(COL_GROUP_BYTES)
    require(name_start <= end <= (len(names.data) if names else 0), at, "a group end is wrong")
    require(end - name_start <= 65535, at, "a group name is longer than 65535 bytes")
    require(kind == NAMED_GROUP or end == name_start, at, "a name for a group without one")
    name = names.data[name_start:end] if names else b""
    return (None, NULL_GROUP, name)[kind], (kind, name), end


def _read_slot(table, row):
    kind, bits = table.value(COL_SLOT_KIND, row), table.value(COL_SLOT, row)
    require(kind <= 1, table.where(COL_SLOT_KIND), f"slot kind {kind} is not known")
    require(kind == 1 or bits == 0, table.where(COL_SLOT), "a start without a slot")
    start = bits - 2**64 if bits >= 2**63 else bits
    return (start if kind else None), (kind, start)


def real(bits):
    """The f64 that a u64 holds."""
    return struct.unpack("<d", bits.to_bytes(8, "little"))[0]


def _check_rate(name, bits, offset):
    rate = real(bits)
    good = bits == 0 or 0 < rate < 1 or (rate == 1 and name == "promised_rate")
    require(good, offset, f"the {name} {rate} is not allowed")
    return rate


def _read_params(table, row):
    params = {}
    for i, name in enumerate(table.kind.parameters):
        bits = table.value(COL_PARAMETER + i, row)
        if name in RATES:
            params[name] = _check_rate(name, bits, table.where(COL_PARAMETER + i))
        else:
            params[name] = real(bits) if name in REALS else bits
    return params


# The rules of each kind for its payload and parameters; `offset` is where the payload starts.


def _check_bloom(payload, offset):
    require(len(payload) % 32 == 0 and 1 <= len(payload) // 32 <= 2**29, offset,
            "a bloom payload is 1 to 2^29 blocks of 32 bytes")


def _check_classic(payload, bits, offset):
    require(len(payload) == -(-bits // 8), offset, "the payload's size is not that of its bits")
    require(bits % 8 == 0 or payload[-1] >> bits % 8 == 0, offset + len(payload) - 1,
            "a bit above the last is set")


def _check_counting(payload, offset):
    require(len(payload) % 128 == 0 and 1 <= len(payload) // 128 <= 2**29, offset,
            "a counting payload is 1 to 2^29 blocks of 128 bytes")


def _read_level(payload, number, end_before, offset):
    """One level of a scalable payload, and where its bits end."""
    at = LEVEL_BYTES * number
    kind, keys, expected, target, promised, bits, hash_count, cells = struct.unpack_from(
        "<8Q", payload, at)
    blame = offset + at
    require(kind in (1, 2), blame, f"a level of kind {kind}")
    require(1 <= keys <= expected, blame + 8, f"{keys} keys in a level that expects {expected}")
    target = _check_rate("target_rate", target, blame + 24)
    promised = _check_rate("promised_rate", promised, blame + 32)
    if kind == 1:
        require(bits % 256 == 0 and 1 <= bits // 256 <= 2**29, blame + 40,
                f"a bloom of {bits} bits")
        require(hash_count == 8, blame + 48, f"a bloom with {hash_count} hashes")
    else:
        require(1 <= bits <= 2**43, blame + 40, f"a classic of {bits} bits")
        require(1 <= hash_count <= 64, blame + 48, f"a classic with {hash_count} hashes")
    start = round_up(end_before, 64)
    require(cells == start, blame + 56, f"the bits should start at {start}, not at {cells}")
    end = start + -(-bits // 8)
    require(end <= len(payload), blame + 40, "the bits of a level leave the payload")
    require(not any(payload[end_before:start]), offset + end_before, "a gap is not zero")
    found = Level(KINDS[kind].name, keys, expected, target, promised, bits, hash_count,
                  payload[start:end])
    if kind == 1:
        _check_bloom(found.cells, offset + start)
    else:
        _check_classic(found.cells, bits, offset + start)
    return found, end


def read_levels(payload, count, offset=0):
    """The levels of a scalable payload."""
    require(LEVEL_BYTES * count <= len(payload), offset, "the levels do not fit")
    levels, end = [], LEVEL_BYTES * count
    for number in range(count):
        level, end = _read_level(payload, number, end, offset)
        require(number == count - 1 or level.keys == level.expected_keys,
                offset + LEVEL_BYTES * number + 8, "a level before the last is not full")
        levels.append(level)
    require(end == len(payload), offset + end, "bytes after the last level")
    return levels


def read_items(payload, count, key_type, offset=0):
    """The keys of a top payload with their counts, in order."""
    text = ITEM_BYTES * count
    require(text <= len(payload), offset, "the keys do not fit")
    items, start = [], 0
    for at in range(0, text, ITEM_BYTES):
        key_hash, high, error, last = struct.unpack_from("<4Q", payload, at)
        if key_type == hashes.KEY_INT:
            item = Item(key_hash, high, error, last - 2**64 if last >= 2**63 else last)
        else:
            require(last < 1 << 33, offset + at + 24, "an unused bit is set")
            end, cut = last & hashes.M32, bool(last >> 32)
            require(start <= end <= len(payload) - text, offset + at + 24, "a key's end is wrong")
            require(end - start <= ITEM_KEY_BYTES, offset + at + 24, "a key is too long")
            require(not cut or end - start == ITEM_KEY_BYTES, offset + at + 24,
                    "a short key is cut")
            item = Item(key_hash, high, error, payload[text + start:text + end], cut)
            start = end
        require(not items or items[-1].order() < item.order(), offset + at,
                "keys are not in rising order")
        items.append(item)
    require(text + start == len(payload), offset + text + start, "bytes after the last key")
    return items


def _check_top(entry, header, offset):
    total, missed, kept = (entry.params[name] for name in ("total", "missed", "kept"))
    items = read_items(entry.payload, kept, header.key_type, offset)
    rule = header.key_rule()
    for i, item in enumerate(items):
        at = offset + ITEM_BYTES * i
        require(item.high > missed or item.high == FULL, at + 8,
                "a key that should have gone is kept")
        require(item.error <= missed, at + 16, "an error is above what is missed")
        require(item.cut or header.hash == hashes.SIPHASH or rule.hash64(item.key) == item.hash,
                at, "a hash is not that of its key")
    took = (entry.params["capacity"] + 1) * missed
    require(total == FULL or took + sum(item.high - missed for item in items) <= total, offset,
            "the keys need more than the total")


@dataclass(frozen=True)
class Shard:
    """A shard of a fuse: its sizes, and its slots as one number."""

    segments: int
    length: int
    attempt: int
    slots: int


def shard_bits(keys):
    """The top bits of a hash that number its shard."""
    bits = 0
    while keys >> bits >= 184000:
        bits += 1
    return bits


def read_shards(payload, keys, bits, offset=0):
    """The shards of a fuse payload."""
    count = 1 << shard_bits(keys)
    heads = len(payload) - 8 * count
    require(heads >= 0, offset, "the heads are not in the payload")
    at, shards = 0, []
    for i in range(count):
        segments, length, attempt, zero = struct.unpack_from("<IBBH", payload, heads + 8 * i)
        where = offset + heads + 8 * i
        require(segments <= 2**18 - 4 and length <= 14 and zero == 0, where, "a head is wrong")
        require(segments or not length + attempt, where, "a shard without keys has a size")
        size = ((segments + 3 << length) * bits + 7) // 8 if segments else 0
        require(size <= heads - at, where, "a shard leaves the payload")
        shards.append(Shard(segments, length, attempt,
                            int.from_bytes(payload[at:at + size], "little")))
        at += size
    require(at == heads and (at > 0) == (keys > 0), offset + at, "bytes after the last shard")
    return shards


def _check_sketch(entry, table, header, offset):
    """The rules of each kind for its parameters and payload."""
    payload, params = entry.payload, entry.params

    def limits(name, least, most):
        at = table.where(COL_PARAMETER + table.kind.parameters.index(name))
        require(least <= params[name] <= most, at, f"{params[name]} as the {name}")

    if entry.kind == "bloom":
        _check_bloom(payload, offset)
    elif entry.kind == "classic":
        most = {3: 2**32, 4: 2**32, 16: 2**31, 19: 2**31, 21: 2**31}
        limits("bits", 1, most.get(entry.position_rule, 2**43))
        limits("hashes", 1, 64 if entry.position_rule < 16 else 1024)
        _check_classic(payload, params["bits"], offset)
    elif entry.kind == "counting":
        _check_counting(payload, offset)
    elif entry.kind == "scalable":
        limits("ratio", 0.1, 0.9)
        limits("levels", 0, 1024)
        for name in ("expected_keys", "target_rate", "promised_rate", "chains"):
            require(params[name] > 0, table.offset, f"the {name} is 0")
        read_levels(payload, params["levels"], offset)
    elif entry.kind == "count-min":
        limits("width", 1, 2**32)
        limits("depth", 1, 64)
        limits("conservative", 0, 1)
        require(params["counter_bits"] in (32, 64), table.offset, "counters of another width")
        size = params["width"] * params["depth"] * params["counter_bits"] // 8
        require(len(payload) == size <= 2**40, offset, "the payload is not that of its counters")
    elif entry.kind == "top":
        limits("capacity", 1, 2**20)
        limits("kept", 0, 2 * params["capacity"])
        if params["total"] < FULL:
            limits("missed", 0, params["total"] // (params["capacity"] + 1))
        _check_top(entry, header, offset)
    elif entry.kind == "fm":
        limits("depth", 1, 255)
        limits("width", 1, 65536 // params["depth"])
        require(len(payload) == params["width"] * params["depth"], offset,
                "the payload is not one byte for each sub-sketch")
        require(max(payload) <= 65, offset, "a value is above 65")
        require(all(payload) or not any(payload), offset, "some values are 0 and some are not")
    elif entry.kind == "theta":
        limits("precision", 4, 26)
        _check_values(payload, params["precision"], offset)
    elif entry.kind == "fuse":
        limits("expected_keys", 0, 2**40)
        limits("bits", 4, 32)
        require(params["promised_rate"] == 2.0**-params["bits"], table.offset, "another rate")
        require(2.0**-params["bits"] <= params["target_rate"] < 2.0**(1 - params["bits"]),
                table.offset, "a target rate of other bits")
        read_shards(payload, params["expected_keys"], params["bits"], offset)
    else:
        limits("precision", 4, 18)
        _check_registers(payload, params["precision"], offset)


def _check_values(payload, precision, offset):
    require(len(payload) % 8 == 0 and 8 <= len(payload) <= 8 * (2**precision + 1), offset,
            "the payload is not that of at most 2^precision values and a threshold")
    words = struct.unpack(f"<{len(payload) // 8}Q", payload)
    require(1 <= words[-1] < 2**63, offset + len(payload) - 8, f"a threshold of {words[-1]}")
    for i in range(1, len(words)):
        require(words[i - 1] < words[i], offset + 8 * i, "values and threshold are not rising")


def dense_registers(payload, count):
    """The values of the registers of a dense hll payload."""
    values = []
    for i in range(0, 3 * count // 4, 3):
        four = int.from_bytes(payload[i:i + 3], "little")
        values += [four >> shift & 63 for shift in (0, 6, 12, 18)]
    return values


def _check_registers(payload, precision, offset):
    count, largest = 1 << precision, 65 - precision
    if len(payload) == 3 * count // 4:
        values = dense_registers(payload, count)
        require(max(values) <= largest, offset, f"a register is above {largest}")
        require(count - values.count(0) >= count // 4, offset, "this should be sparse")
        return
    require(len(payload) % 3 == 0, offset, "a sparse payload is not a multiple of 3 bytes")
    require(len(payload) < 3 * count // 4, offset, "the payload is larger than a dense one")
    last = -1
    for i in range(0, len(payload), 3):
        register, value = divmod(int.from_bytes(payload[i:i + 3], "little"), 64)
        require(last < register < count, offset + i, "registers are not rising or too high")
        require(1 <= value <= largest, offset + i, f"a register's value is {value}")
        last = register


def _read_entries(data, header, tables):
    area = HEADER_BYTES + header.directory_bytes
    entries, end = [], 0
    for table in tables:
        name_start, label_before = 0, None
        for row in range(table.entry_count):
            group, group_order, name_start = _read_group(table, row, name_start)
            slot, slot_order = _read_slot(table, row)
            label = group_order + slot_order
            require(label_before is None or label_before < label, table.offset,
                    "entries are not in rising order")
            label_before = label
            start, size = table.value(COL_OFFSET, row), table.value(COL_BYTES, row)
            require(start == payload_start(end, size), table.where(COL_OFFSET),
                    f"a payload should start at {payload_start(end, size)}, not at {start}")
            require(start + size <= header.payload_bytes, table.where(COL_BYTES),
                    "a payload leaves the payload area")
            Cursor(data, area + end, area + start).zeros(start - end, "a gap between payloads")
            end = start + size
            entry = Entry(table.kind.name, table.position_rule, _read_params(table, row),
                          data[area + start:area + end], table.value(COL_RECORDS, row), group,
                          slot, table.layout)
            _check_sketch(entry, table, header, area + start)
            entries.append(entry)
    require(round_up(end, 32) == header.payload_bytes, 48, "the payload area has another size")
    tail = header.payload_bytes - end
    Cursor(data, area + end, area + end + tail).zeros(tail, "the end of the payload area")
    return entries


def _read_sections(data, start):
    cursor, sections, last = Cursor(data, start, len(data)), [], -1
    while last != END_SECTION:
        at = cursor.offset
        number, flags = cursor.number(4, "a section"), cursor.number(4, "a section")
        content = cursor.take(cursor.number(8, "a section"), "a section's content")
        cursor.zeros(-len(content) % 8, "the padding of a section")
        cursor.checksum(at, "a section's checksum")
        require(number > last, at, "sections are not in rising order")
        require(flags <= 1, at + 4, "a section's flags")
        last = number
        if number == END_SECTION:
            require(flags == 1, at + 4, "the end section's flags")
            require(len(content) == 8, at + 8, "the end section's length")
            require(int.from_bytes(content, "little") == len(data), at + 16,
                    "the file has another length")
        else:
            require(not flags or number in KNOWN_SECTIONS, at,
                    f"section {number} is critical and not known")
            require(len(sections) < 64, at, "more than 64 sections")
            sections.append(Section(number, content, bool(flags)))
    require(cursor.offset == len(data), cursor.offset, "bytes after the end")
    return sections


# The names of an input spec, in their order, and what a value of each is.
INPUT_SPEC = {
    b"in": {b"lines", b"csv", b"tsv", b"nul", b"jsonl", b"u32", b"u64"}.__contains__,
    b"delimiter": lambda value: len(value) == 1,
    b"fields": lambda value: value == b"",
    b"header": lambda value: value == b"",
    b"csv-multiline": lambda value: value == b"",
    b"key": lambda value: True,
    b"by": lambda value: True,
    b"round": {b"half-even", b"half-up"}.__contains__,
    b"weight": lambda value: True,
    b"time": lambda value: True,
    b"time-unit": {b"ms", b"us", b"ns"}.__contains__,
    b"bad": {b"skip"}.__contains__,
}


def read_input_spec(content):
    """The pairs of an input spec: names and values, bytes."""
    require(content.endswith(b"\0"), len(content), "an input spec without its last NUL")
    words = content.split(b"\0")[:-1]
    require(len(words) % 2 == 0, len(content), "a name without its value")
    pairs, order, last = list(zip(words[::2], words[1::2])), list(INPUT_SPEC), -1
    for name, value in pairs:
        require(name in INPUT_SPEC and INPUT_SPEC[name](value), 0, f"{name} {value} in an input spec")
        require(order.index(name) > last or name == b"key", 0, f"{name} out of order")
        require(order.index(name) >= last, 0, f"{name} out of order")
        last = order.index(name)
    require(pairs[0][0] == b"in", 0, "an input spec that begins with no form")
    return pairs


def read_ink(data):
    """Parse a whole file strictly."""
    data = bytes(data)
    header = _read_header(data)
    tables, pieces_at, pieces = _read_directory(data, header)
    _check_pieces(data, header, pieces_at, pieces)
    entries = _read_entries(data, header, tables)
    sections_at = HEADER_BYTES + header.directory_bytes + header.payload_bytes
    sections = _read_sections(data, sections_at)
    digest = f"{xxhash.xxh3_128_intdigest(data[:sections_at]):032x}"
    return InkFile(header, tables, entries, sections, digest)
