"""An independent writer of `.ink` files: canonical bytes from plain values.

Written from docs/format.md alone. `build_file` lays out a file; the `*_payload` functions build the
payloads of sketches from keys or registers. It checks nothing that the reader checks.
"""

import struct

import xxhash

import ink_hashes as hashes
from ink_reader import (END_SECTION, HEADER_BYTES, KINDS, LEVEL_BYTES, MAGIC, NULL_GROUP,
                        PIECE_BYTES, REALS, payload_start, round_up)

M64 = hashes.M64


def _padded(data, unit=8):
    return data + bytes(-len(data) % unit)


def _xxh3(data):
    return struct.pack("<Q", xxhash.xxh3_64_intdigest(data))


def _label(entry):
    """The label as the four fields that entries are ordered by."""
    if entry.group is None:
        group = (0, b"")
    elif entry.group is NULL_GROUP:
        group = (1, b"")
    else:
        group = (2, bytes(entry.group))
    return group + ((0, 0) if entry.slot is None else (1, entry.slot))


def _parameter(name, value):
    """The u64 that holds a parameter."""
    return struct.unpack("<Q", struct.pack("<d", value))[0] if name in REALS else value


def _column(number, values):
    """A column of numbers as (id, form, width, data), or nothing if it is left out."""
    if not any(values):
        return []
    if min(values) == max(values):
        return [(number, 0, 8, struct.pack("<Q", values[0]))]
    width = next(width for width in (1, 2, 4, 8) if max(values) < 1 << 8 * width)
    return [(number, 1, width, b"".join(v.to_bytes(width, "little") for v in values))]


def _table_columns(kind, entries, starts):
    labels = [_label(entry) for entry in entries]
    ends, names = [], b""
    for label in labels:
        names += label[1]
        ends.append(len(names))
    columns = _column(1, [label[0] for label in labels])
    columns += _column(2, ends)
    columns += [(3, 2, 1, names)] if names else []
    columns += _column(4, [label[2] for label in labels])
    columns += _column(5, [label[3] & M64 for label in labels])
    columns += _column(6, [entry.records for entry in entries])
    columns += _column(7, starts)
    columns += _column(8, [len(entry.payload) for entry in entries])
    for i, name in enumerate(kind.parameters):
        columns += _column(16 + i, [_parameter(name, entry.params.get(name, 0))
                                    for entry in entries])
    return columns


def _table(kind, entries, starts):
    """The description of a table and the data of its columns."""
    columns = _table_columns(kind, entries, starts)
    description = struct.pack("<HHHHQ", kind.number, entries[0].position_rule, entries[0].layout,
                              len(columns), len(entries))
    for number, form, width, _ in columns:
        description += struct.pack("<HBB", number, form, width)
    return _padded(description), b"".join(_padded(column[3]) for column in columns)


def _section(number, flags, content):
    body = _padded(struct.pack("<IIQ", number, flags, len(content)) + content)
    return body + _xxh3(body)


def build_file(entries, sections=(), *, key_type=hashes.KEY_BYTES, hash_id=hashes.XXH3,
               seed=hashes.DEFAULT_SEED, secret_check=0):
    """The one valid file that holds these entries and sections, given in any order."""
    by_kind = {kind: [] for kind in sorted(KINDS)}
    for entry in sorted(entries, key=_label):
        number = next(kind.number for kind in KINDS.values() if kind.name == entry.kind)
        by_kind[number].append(entry)
    area, descriptions, data = bytearray(), b"", b""
    kinds = [kind for kind in by_kind if by_kind[kind]]
    for kind in kinds:
        starts = []
        for entry in by_kind[kind]:
            start = payload_start(len(area), len(entry.payload))
            area += bytes(start - len(area)) + entry.payload
            starts.append(start)
        description, columns = _table(KINDS[kind], by_kind[kind], starts)
        descriptions += description
        data += columns
    area = _padded(bytes(area), 32)
    directory = struct.pack("<II", len(kinds), 0) + descriptions + data
    for i in range(0, len(area), PIECE_BYTES):
        directory += _xxh3(area[i:i + PIECE_BYTES])
    directory += bytes(-(len(directory) + 8) % 64)
    directory += _xxh3(directory)
    header = MAGIC + struct.pack("<HHHHQQQQQ", 1, 0, key_type, hash_id, seed, secret_check,
                                 len(entries), len(directory), len(area))
    out = header + _xxh3(header) + directory + area
    for section in sorted(sections, key=lambda section: section.id):
        out += _section(section.id, int(section.critical), bytes(section.content))
    end_section_bytes = 4 + 4 + 8 + 8 + 8
    return out + _section(END_SECTION, 1, struct.pack("<Q", len(out) + end_section_bytes))


def reseal(data):
    """The file with the checksums of header, directory and sections computed anew.

    For tests: a file changed by hand gets past the checksums to the rule that it breaks. Those of
    the payload's pieces stay, and so does what lies outside the file by its own account.
    """
    out = bytearray(data)
    directory_bytes, payload_bytes = struct.unpack_from("<QQ", data, 40)
    out[56:64] = _xxh3(bytes(out[:56]))
    area = HEADER_BYTES + directory_bytes
    at = area + payload_bytes
    if directory_bytes < 64 or at > len(data):
        return bytes(out)
    out[area - 8:area] = _xxh3(bytes(out[HEADER_BYTES:area - 8]))
    while at + 24 <= len(data):
        length = struct.unpack_from("<Q", out, at + 8)[0]
        end = at + 16 + length + -length % 8
        if end + 8 > len(data):
            break
        out[end:end + 8] = _xxh3(bytes(out[at:end]))
        at = end + 8
    return bytes(out)


def bloom_payload(rule, blocks, keys):
    """A split-block filter of `blocks` blocks that holds the keys."""
    words = [0] * (8 * blocks)
    for key in keys:
        block, bits = hashes.split_block_bits(rule, key, blocks)
        for j, bit in enumerate(bits):
            words[8 * block + j] |= 1 << bit
    return struct.pack(f"<{len(words)}I", *words)


def classic_payload(rule, position_rule, bits, hash_count, keys):
    """A classic filter that holds the keys."""
    payload = bytearray(-(-bits // 8))
    for key in keys:
        for j in hashes.classic_positions(rule, position_rule, key, bits, hash_count):
            payload[j // 8] |= 1 << j % 8
    return bytes(payload)


def chain_payload(levels):
    """The payload of a scalable sketch: its levels, then their bits."""
    records, bits, start = b"", b"", LEVEL_BYTES * len(levels)
    for level in levels:
        bits += bytes(round_up(start + len(bits), 64) - start - len(bits))
        kind = next(kind.number for kind in KINDS.values() if kind.name == level.kind)
        records += struct.pack("<3Q2d3Q", kind, level.keys, level.expected_keys, level.target_rate,
                               level.promised_rate, level.bits, level.hashes, start + len(bits))
        bits += level.cells
    return records + bits


def top_payload(items):
    """The payload of a top sketch: its keys with their counts, given in any order."""
    records, text = b"", b""
    for item in sorted(items, key=lambda item: item.order()):
        last = item.key
        if not isinstance(item.key, int):
            text += item.key
            last = len(text) | item.cut << 32
        records += struct.pack("<4Q", item.hash, item.high, item.error, last & M64)
    return records + text


def add_to_registers(rule, precision, keys):
    """The registers of an hll sketch of the keys."""
    registers = [0] * (1 << precision)
    for key in keys:
        register, value = hashes.register_value(rule, key, precision)
        registers[register] = max(registers[register], value)
    return registers


def hll_payload(registers):
    """The payload of an hll sketch, sparse or dense as its registers decide."""
    used = [(j, value) for j, value in enumerate(registers) if value]
    if len(used) < len(registers) / 4:
        return b"".join((64 * j + value).to_bytes(3, "little") for j, value in used)
    fours = (registers[j:j + 4] for j in range(0, len(registers), 4))
    return b"".join((a | b << 6 | c << 12 | d << 18).to_bytes(3, "little") for a, b, c, d in fours)
