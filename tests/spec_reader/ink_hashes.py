"""What a key becomes: the hashes of docs/keys.md and the position rules of docs/format.md.

Written from those two pages alone. XXH3 and XXH64 come from the `xxhash` module; every other hash
is spelled out here, slowly and plainly.
"""

import struct
from dataclasses import dataclass
from typing import Optional

import xxhash

M32 = 0xFFFFFFFF
M64 = 0xFFFFFFFFFFFFFFFF

KEY_BYTES, KEY_INT = 0, 1
XXH3, MIX64, SIPHASH, XXH64, MMH3, MURMUR64A, MURMUR128 = range(1, 8)
(XXH64_INT32, MURMUR128_INT32, MURMUR128_UTF16, SPARK, SPARK_ROWS, HADOOP_MURMUR, HADOOP_JENKINS, DCSO, REDIS_HLL,
 POSTGRESQL, POSTGRESQL_INT4, COUPON, MURMUR2) = range(16, 29)
SPLIT_BLOCK, MIXED, SEEDED, SEEDED_SIGNED, REGISTER, ROWS, TAILS, KEPT, CHAIN = range(1, 10)
(RULE_SPARK_V1, RULE_SPARK_V2, RULE_SPARK_ROWS, RULE_GUAVA_32, RULE_GUAVA_64, RULE_HADOOP, RULE_REDISBLOOM, RULE_DCSO,
 RULE_DATASKETCHES, RULE_COUPON, RULE_POSTGRESQL, RULE_REDISBLOOM_ROWS) = range(16, 28)

DEFAULT_SEED = int.from_bytes(b"inkling!", "big")
SECRET_QUESTION = b"inkling: is this the secret?"
GOLDEN_GAMMA = 0x9E3779B97F4A7C15
SALT = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D,
        0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)


def _rotl32(x, r):
    return ((x << r) | (x >> (32 - r))) & M32


def _rotl64(x, r):
    return ((x << r) | (x >> (64 - r))) & M64


def mix64(x):
    """The finaliser of Murmur3 x64, a bijection of 64-bit numbers."""
    x &= M64
    x ^= x >> 33
    x = x * 0xFF51AFD7ED558CCD & M64
    x ^= x >> 33
    x = x * 0xC4CEB9FE1A85EC53 & M64
    return x ^ (x >> 33)


def _sip_round(v0, v1, v2, v3):
    v0 = (v0 + v1) & M64
    v1 = _rotl64(v1, 13) ^ v0
    v0 = _rotl64(v0, 32)
    v2 = (v2 + v3) & M64
    v3 = _rotl64(v3, 16) ^ v2
    v0 = (v0 + v3) & M64
    v3 = _rotl64(v3, 21) ^ v0
    v2 = (v2 + v1) & M64
    v1 = _rotl64(v1, 17) ^ v2
    v2 = _rotl64(v2, 32)
    return v0, v1, v2, v3


def siphash24(secret, data):
    """SipHash-2-4 of `data` under a secret of 16 bytes, as a number."""
    if len(secret) != 16:
        raise ValueError("a secret has 16 bytes")
    k0 = int.from_bytes(secret[:8], "little")
    k1 = int.from_bytes(secret[8:], "little")
    v = (k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D,
         k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573)
    whole = len(data) // 8 * 8
    words = [int.from_bytes(data[i:i + 8], "little") for i in range(0, whole, 8)]
    words.append(int.from_bytes(data[whole:], "little") | (len(data) & 0xFF) << 56)
    for word in words:
        v = (v[0], v[1], v[2], v[3] ^ word)
        v = _sip_round(*_sip_round(*v))
        v = (v[0] ^ word, v[1], v[2], v[3])
    v = (v[0], v[1], v[2] ^ 0xFF, v[3])
    for _ in range(4):
        v = _sip_round(*v)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def murmur3_x86_32(data, seed):
    """Murmur3 x86-32 as an unsigned number."""
    def scramble(k):
        return _rotl32(k * 0xCC9E2D51 & M32, 15) * 0x1B873593 & M32

    h = seed & M32
    whole = len(data) // 4 * 4
    for i in range(0, whole, 4):
        h ^= scramble(int.from_bytes(data[i:i + 4], "little"))
        h = (_rotl32(h, 13) * 5 + 0xE6546B64) & M32
    if whole < len(data):
        h ^= scramble(int.from_bytes(data[whole:], "little"))
    h ^= len(data) & M32
    h = (h ^ (h >> 16)) * 0x85EBCA6B & M32
    h = (h ^ (h >> 13)) * 0xC2B2AE35 & M32
    return h ^ (h >> 16)


def murmur3_x64_128(data, seed):
    """Murmur3 x64-128 as two numbers, the first 64 bits first; both halves start as `seed`."""
    c1, c2 = 0x87C37B91114253D5, 0x4CF5AD432745937F
    h1 = h2 = seed & M64
    whole = len(data) // 16 * 16
    for i in range(0, whole, 16):
        k1 = int.from_bytes(data[i:i + 8], "little")
        k2 = int.from_bytes(data[i + 8:i + 16], "little")
        h1 ^= _rotl64(k1 * c1 & M64, 31) * c2 & M64
        h1 = ((_rotl64(h1, 27) + h2) * 5 + 0x52DCE729) & M64
        h2 ^= _rotl64(k2 * c2 & M64, 33) * c1 & M64
        h2 = ((_rotl64(h2, 31) + h1) * 5 + 0x38495AB5) & M64
    k1 = int.from_bytes(data[whole:whole + 8], "little")
    k2 = int.from_bytes(data[whole + 8:], "little")
    h2 ^= _rotl64(k2 * c2 & M64, 33) * c1 & M64
    h1 ^= _rotl64(k1 * c1 & M64, 31) * c2 & M64
    h1 ^= len(data)
    h2 ^= len(data)
    h1 = (h1 + h2) & M64
    h2 = (h2 + h1) & M64
    h1, h2 = mix64(h1), mix64(h2)
    h1 = (h1 + h2) & M64
    return h1, (h2 + h1) & M64


def murmur64a(data, seed):
    """MurmurHash64A, reading its words as little-endian."""
    m = 0xC6A4A7935BD1E995
    h = (seed ^ (len(data) * m)) & M64
    whole = len(data) // 8 * 8
    for i in range(0, whole, 8):
        k = int.from_bytes(data[i:i + 8], "little") * m & M64
        k = (k ^ (k >> 47)) * m & M64
        h = (h ^ k) * m & M64
    if whole < len(data):
        h = (h ^ int.from_bytes(data[whole:], "little")) * m & M64
    h = (h ^ (h >> 47)) * m & M64
    return h ^ (h >> 47)


def signed32(x):
    """The lower 32 bits as a number with a sign."""
    return (x & M32) - ((x & 2**31) << 1)


def signed64(x):
    return (x & M64) - ((x & 2**63) << 1)


def signed8(byte):
    return byte - (byte & 128) * 2


def positive(x):
    """The number, or if it is negative all of its bits inverted."""
    return ~x if x < 0 else x


def truncated(x, size):
    """The distance from 0 of what is left of x by a division that rounds towards 0."""
    return abs(x) % size


def reversed64(x):
    """The 64 bits in the opposite order."""
    return int(f"{x:064b}"[::-1], 2)


def utf16(data):
    """Text in UTF-8 as little-endian UTF-16; a byte that begins no character of UTF-8 is U+FFFD."""
    out, at = b"", 0
    while at < len(data):
        for count in (1, 2, 3, 4):
            try:
                out += data[at:at + count].decode().encode("utf-16-le")
                break
            except UnicodeDecodeError:
                continue
        else:
            out, count = out + b"\xfd\xff", 1
        at += count
    return out


def spark32(data, seed):
    """Murmur3 x86-32, but that each byte after the last whole word is, with its sign, a word of its own."""
    h = seed & M32
    whole = len(data) // 4 * 4
    words = [int.from_bytes(data[i:i + 4], "little") for i in range(0, whole, 4)]
    for word in words + [signed8(byte) & M32 for byte in data[whole:]]:
        h ^= _rotl32(word * 0xCC9E2D51 & M32, 15) * 0x1B873593 & M32
        h = (_rotl32(h, 13) * 5 + 0xE6546B64) & M32
    h ^= len(data) & M32
    h = (h ^ (h >> 16)) * 0x85EBCA6B & M32
    h = (h ^ (h >> 13)) * 0xC2B2AE35 & M32
    return h ^ (h >> 16)


def spark_pair(data, seed):
    first = spark32(data, seed)
    return first, spark32(data, first)


def murmur2(data, seed, tail=lambda left: int.from_bytes(left, "little")):
    """MurmurHash2 of 32 bits; `tail` makes a number of the bytes after the last whole word."""
    m, h = 0x5BD1E995, (seed ^ len(data)) & M32
    whole = len(data) // 4 * 4
    for i in range(0, whole, 4):
        word = int.from_bytes(data[i:i + 4], "little") * m & M32
        h = h * m & M32 ^ (word ^ word >> 24) * m & M32
    if whole < len(data):
        h = (h ^ tail(data[whole:])) * m & M32
    h = (h ^ h >> 13) * m & M32
    return h ^ h >> 15


def hadoop_murmur(data, seed):
    """MurmurHash2 with the bytes after the last whole word in reverse order, each with its sign."""
    def tail(left):
        number = 0
        for i, byte in enumerate(reversed(left)):
            number ^= signed8(byte) << 8 * i & M32
        return number
    return murmur2(data, seed, tail)


def lookup3(data, seed):
    """hashlittle of lookup3 [Jenkins 2006]."""
    a = b = c = (0xDEADBEEF + len(data) + seed) & M32
    while len(data) > 12:
        words, data = struct.unpack("<3I", data[:12]), data[12:]
        a, b, c = (a + words[0]) & M32, (b + words[1]) & M32, (c + words[2]) & M32
        a, c = (a - c) & M32 ^ _rotl32(c, 4), (c + b) & M32
        b, a = (b - a) & M32 ^ _rotl32(a, 6), (a + c) & M32
        c, b = (c - b) & M32 ^ _rotl32(b, 8), (b + a) & M32
        a, c = (a - c) & M32 ^ _rotl32(c, 16), (c + b) & M32
        b, a = (b - a) & M32 ^ _rotl32(a, 19), (a + c) & M32
        c, b = (c - b) & M32 ^ _rotl32(b, 4), (b + a) & M32
    if not data:
        return c
    words = struct.unpack("<3I", data.ljust(12, b"\0"))
    a, b, c = (a + words[0]) & M32, (b + words[1]) & M32, (c + words[2]) & M32
    c = ((c ^ b) - _rotl32(b, 14)) & M32
    a = ((a ^ c) - _rotl32(c, 11)) & M32
    b = ((b ^ a) - _rotl32(a, 25)) & M32
    c = ((c ^ b) - _rotl32(b, 16)) & M32
    a = ((a ^ c) - _rotl32(c, 4)) & M32
    b = ((b ^ a) - _rotl32(a, 14)) & M32
    return ((c ^ b) - _rotl32(b, 24)) & M32


DCSO_PRIME = 2**64 - 59


def fnv1(data):
    """FNV-1 of 64 bits, modulo the prime of DCSO."""
    h = 0xCBF29CE484222325
    for byte in data:
        h = h * 0x100000001B3 & M64 ^ byte
    return h % DCSO_PRIME


def coupon(words):
    """The hash with the register and value of two words of 64 bits."""
    first, second = words
    return reversed64(first) >> 38 << 38 | min(64 - second.bit_length(), 62) + 1


def java_numbers(seed, count):
    """The first numbers below 2^31 - 1 of java.util.Random with a seed."""
    state, found = (seed ^ 0x5DEECE66D) % 2**48, []
    while len(found) < count:
        state = (state * 0x5DEECE66D + 0xB) % 2**48
        if state >> 17 != 2**31 - 1:
            found.append(state >> 17)
    return found


def tuple_key(columns):
    """The bytes key of a tuple of columns."""
    return b"".join(len(c).to_bytes(4, "little") + c for c in columns)


def secret_check(secret):
    """The header's check value of a secret."""
    return siphash24(secret, SECRET_QUESTION)


@dataclass(frozen=True)
class KeyRule:
    """The key type, hash and seed that a file names, with the secret it does not hold."""

    key_type: int
    hash: int
    seed: int
    secret: Optional[bytes] = None

    def key_bytes(self, key):
        """The bytes of a key that are hashed (by every hash but mix64)."""
        if self.key_type == KEY_INT:
            if not isinstance(key, int) or not -2**63 <= key < 2**64:
                raise TypeError(f"{key!r} is no int key")
            narrow = self.hash in (XXH64_INT32, MURMUR128_INT32, POSTGRESQL_INT4)
            least, most = -2**31, 2**32 - 1 if self.hash == XXH64_INT32 else 2**31 - 1
            bits = 32 if narrow and least <= signed64(key) <= most else 64
            return (key & (1 << bits) - 1).to_bytes(bits // 8, "little")
        if not isinstance(key, (bytes, bytearray)):
            raise TypeError(f"{key!r} is no bytes key")
        return utf16(bytes(key)) if self.hash == MURMUR128_UTF16 else bytes(key)

    def pair(self, key):
        """The two words of a key from which rules 20, 22 and 24 derive all positions."""
        data = self.key_bytes(key)
        if self.hash == MURMUR64A:
            first = murmur64a(data, self.seed)
            return first, murmur64a(data, first)
        if self.hash == XXH64:
            first = xxhash.xxh64_intdigest(data, self.seed)
            return first, xxhash.xxh64_intdigest(data, first)
        return murmur3_x64_128(data, self.seed)

    def hash64(self, key):
        """The 64-bit hash h of a key."""
        data = self.key_bytes(key)
        if self.hash in (SPARK, SPARK_ROWS):
            if self.hash == SPARK_ROWS and self.key_type == KEY_INT:
                return mix64(key)
            first, second = spark_pair(data, self.seed if self.hash == SPARK else 0)
            return first << 32 | second
        if self.hash == DCSO:
            return mix64(fnv1(data))
        if self.hash == REDIS_HLL:
            return reversed64(murmur64a(data, self.seed))
        if self.hash in (POSTGRESQL, POSTGRESQL_INT4):
            return reversed64(murmur3_x64_128(data, self.seed)[0])
        if self.hash == COUPON:
            return coupon(murmur3_x64_128(data, self.seed)) if data else 0
        if self.hash == XXH64_INT32:
            return xxhash.xxh64_intdigest(data, self.seed)
        if self.hash in (MURMUR128_INT32, MURMUR128_UTF16):
            return murmur3_x64_128(data, self.seed)[0]
        if self.hash == XXH3:
            return xxhash.xxh3_64_intdigest(data, self.seed)
        if self.hash == MIX64 and self.key_type == KEY_INT:
            return mix64(int.from_bytes(data, "little") ^ mix64(self.seed))
        if self.hash == SIPHASH:
            if self.secret is None:
                raise ValueError("this file is keyed: its secret is needed")
            return siphash24(self.secret, data)
        if self.hash == XXH64:
            return xxhash.xxh64_intdigest(data, self.seed)
        if self.hash == MURMUR64A:
            return murmur64a(data, self.seed)
        if self.hash == MURMUR128:
            return murmur3_x64_128(data, self.seed)[0]
        raise ValueError(f"hash {self.hash} gives no 64 bits for key type {self.key_type}")


def split_block_bits(rule, key, blocks):
    """Rule 1: the block of a key, and its bit in each of the block's eight words."""
    h = rule.hash64(key)
    return (h >> 32) * blocks >> 32, [((h & M32) * salt & M32) >> 27 for salt in SALT]


def chained_positions(rule, key, bits, hashes):
    """Rule 21: each hash is the seed of the next."""
    hash32 = lookup3 if rule.hash == HADOOP_JENKINS else hadoop_murmur
    seed, found = 0, []
    for _ in range(hashes):
        seed = hash32(rule.key_bytes(key), seed)
        found.append(truncated(signed32(seed), bits))
    return found


def dcso_positions(rule, key, bits, hashes):
    """Rule 23."""
    number, found = fnv1(rule.key_bytes(key)), []
    for _ in range(hashes):
        number = (number * 18446744073709550147 & M64) % DCSO_PRIME
        found.append(number % bits)
    return found


def foreign_positions(rule, position_rule, key, bits, hashes):
    """The rules from 16 on that classic filters have."""
    if position_rule == RULE_HADOOP:
        return chained_positions(rule, key, bits, hashes)
    if position_rule == RULE_DCSO:
        return dcso_positions(rule, key, bits, hashes)
    if position_rule in (RULE_GUAVA_64, RULE_REDISBLOOM, RULE_DATASKETCHES):
        a, b = rule.pair(key)
        return {RULE_GUAVA_64: [(a + i * b) % 2**63 % bits for i in range(hashes)],
                RULE_REDISBLOOM: [(a + i * b) % 2**64 % bits for i in range(hashes)],
                RULE_DATASKETCHES: [(a + i * b) % 2**64 // 2 % bits for i in range(1, hashes + 1)]}[position_rule]
    high, low = divmod(rule.hash64(key), 2**32)
    if position_rule == RULE_SPARK_V1:
        numbers = [signed32(high + i * low) for i in range(1, hashes + 1)]
    elif position_rule == RULE_GUAVA_32:
        numbers = [signed32(low + i * high) for i in range(1, hashes + 1)]
    else:
        numbers = [signed64(signed32(high) * (2**31 - 1) + i * signed32(low)) for i in range(1, hashes + 1)]
    return [positive(number) % bits for number in numbers]


def classic_positions(rule, position_rule, key, bits, hashes):
    """Rules 2 to 4, and those of other systems: the positions of a key in a classic filter."""
    if position_rule == MIXED:
        h = rule.hash64(key)
        return [mix64(h + i * GOLDEN_GAMMA) % bits for i in range(hashes)]
    if position_rule >= RULE_SPARK_V1:
        return foreign_positions(rule, position_rule, key, bits, hashes)
    data = rule.key_bytes(key)
    found = [murmur3_x86_32(data, (rule.seed + i) & M32) for i in range(hashes)]
    if position_rule == SEEDED_SIGNED:
        found = [h - 2**32 if h >= 2**31 else h for h in found]
    return [h % bits for h in found]  # Python's remainder is never negative here


def register_value(rule, key, precision):
    """Rules 5, 25 (of coupons) and 26 (of PostgreSQL): the register of a key, and the value the key raises it to."""
    h = rule.hash64(key)
    rest_bits = 64 - precision
    if rule.hash == COUPON:
        return h >> rest_bits, min(h % 64, 1 + rest_bits)
    rest = h & ((1 << rest_bits) - 1)
    if rest == 0 and rule.hash in (POSTGRESQL, POSTGRESQL_INT4):
        return h >> rest_bits, 0
    return h >> rest_bits, 1 + rest_bits - rest.bit_length()


def halved_value(rule, key):
    """Rule 10: the value of a key."""
    return rule.hash64(key) >> 1


def row_columns(rule, key, width, depth):
    """Rule 6, and of other systems rules 18 and 27: the column of a key in each row of a count-min."""
    if rule.hash == MURMUR2:
        return [murmur2(rule.key_bytes(key), i) % width for i in range(depth)]
    if rule.hash == SPARK_ROWS and rule.key_type == KEY_INT:
        products = [signed64(factor * key) for factor in java_numbers(rule.seed, depth)]
        return [(product + product // 2**32) % 2**31 % width for product in products]
    h = rule.hash64(key)
    if rule.hash == SPARK_ROWS:
        high, low = divmod(h, 2**32)
        return [truncated(signed32(high + i * low), width) for i in range(depth)]
    return [mix64(h + i * GOLDEN_GAMMA) * width >> 64 for i in range(depth)]


def tail_values(rule, key, count):
    """Rule 7: the value of a key for each of `count` sub-sketches."""
    h = rule.hash64(key)
    found = []
    for s in range(count):
        mixed = mix64(h ^ ((s + 1) * GOLDEN_GAMMA & M64))
        found.append((mixed & -mixed).bit_length() if mixed else 65)
    return found
