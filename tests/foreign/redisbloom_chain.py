"""A model of the Bloom filters of RedisBloom: a chain for each key, and what BF.SCANDUMP and DUMP give of it."""
import math
import struct

MASK = 2**64 - 1


def murmur64a(key, seed):
    factor, value = 0xc6a4a7935bd1e995, seed ^ len(key) * 0xc6a4a7935bd1e995 & MASK
    whole = len(key) // 8 * 8
    for at in range(0, whole, 8):
        word = int.from_bytes(key[at:at + 8], "little") * factor & MASK
        value = (value ^ (word ^ word >> 47) * factor & MASK) * factor & MASK
    if len(key) > whole:
        value = (value ^ int.from_bytes(key[whole:], "little")) * factor & MASK
    value = (value ^ value >> 47) * factor & MASK
    return value ^ value >> 47


def murmur2(key, seed):
    factor, value, whole = 0x5bd1e995, seed ^ len(key), len(key) // 4 * 4
    for at in range(0, whole, 4):
        word = int.from_bytes(key[at:at + 4], "little") * factor % 2**32
        value = value * factor % 2**32 ^ (word ^ word >> 24) * factor % 2**32
    if len(key) > whole:
        value = (value ^ int.from_bytes(key[whole:], "little")) * factor % 2**32
    value = (value ^ value >> 13) * factor % 2**32
    return value ^ value >> 15


def number(value):
    return b"\x81" + struct.pack(">Q", value)


def fields(*values):
    return b"".join(b"\4" + struct.pack("<d", value) if isinstance(value, float) else b"\2" + number(value)
                    for value in values)


def text_field(data):
    return b"\5" + number(len(data)) + bytes(data)


def dumped(kind, body):
    """What DUMP gives of a value of a module."""
    data = b"\7" + number(kind) + body + b"\0" + b"\x0a\0"
    value = 0
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x95ac9329ac4bc9b5 if value & 1 else 0)
    return data + struct.pack("<Q", value)


NOROUND, FORCE64, FIXED = 1, 4, 8


BF, CMS = 0x3016e5a289bef804, 0x08c4a4f9360f1000


class Chain:
    """What BF.RESERVE, BF.ADD and BF.EXISTS do."""

    def __init__(self, rate, capacity, growth=2, options=FORCE64 | NOROUND):
        self.growth, self.options, self.filters, self.size = growth, options, [], 0
        self.open(capacity, rate if options & FIXED else rate * 0.5)

    def open(self, capacity, rate):
        each, power = -math.log(rate) / 0.480453013918201, 0
        bits = int(capacity * each)
        if not self.options & NOROUND:
            power = math.floor(math.log2(capacity * each)) + 1
            bits = 1 << power
            capacity += int((bits - int(capacity * each)) / each)
        self.filters.append({"bytes": bytearray((bits + 63) // 64 * 8), "rate": rate, "each": each, "power": power,
                             "hashes": math.ceil(0.693147180559945 * each), "capacity": capacity, "size": 0})

    @staticmethod
    def positions(one, key):
        first = murmur64a(key, 0xc6a4a7935bd1e995)
        step = murmur64a(key, first)
        bits = 1 << one["power"] if one["power"] else 8 * len(one["bytes"])
        return [(first + i * step & MASK) % bits for i in range(one["hashes"])]

    def __contains__(self, key):
        return any(all(one["bytes"][at // 8] >> at % 8 & 1 for at in self.positions(one, key)) for one in self.filters)

    def add(self, key):
        if key in self:
            return
        last = self.filters[-1]
        if last["size"] >= last["capacity"]:
            self.open(last["capacity"] * self.growth, last["rate"] * 0.5)
            last = self.filters[-1]
        for at in self.positions(last, key):
            last["bytes"][at // 8] |= 1 << at % 8
        last["size"] += 1
        self.size += 1

    def scandump(self):
        head = struct.pack("<QIII", self.size, len(self.filters), self.options, self.growth)
        for one in self.filters:
            head += struct.pack("<QQQddIQB", len(one["bytes"]), 8 * len(one["bytes"]), one["size"], one["rate"],
                                one["each"], one["hashes"], one["capacity"], one["power"])
        return head + b"".join(one["bytes"] for one in self.filters)

    def dump(self):
        data = fields(self.size, len(self.filters), self.options, self.growth)
        for one in self.filters:
            data += fields(one["capacity"], one["rate"], one["hashes"], one["each"], 8 * len(one["bytes"]), one["power"])
            data += text_field(one["bytes"]) + fields(one["size"])
        return dumped(BF, data)
