#!/usr/bin/env python3
"""Drafts by a second writer: their bytes, made from docs/format.md alone, are those of the library, which reads them.

The library is called by ctypes. Prints a TAP line for each draft and exits with the number that failed. Run it with Debian's
/usr/bin/python3 and python3-xxhash.
"""
import collections
import ctypes
import os
import struct
import sys

import xxhash

import ink_hashes as hashes
from samples import BYTES_RULE, INT_RULE, MMH3_RULE, SECRET, SPARK_RULE

MAGIC = bytes.fromhex("89494e4b44524654")
KINDS = {"bloom": (1, 1), "classic": (2, 2), "counting": (3, 1)}  # kind and position rule under a hash of 64 bits
KEYED_RULE = hashes.KeyRule(hashes.KEY_BYTES, hashes.SIPHASH, 0, SECRET)
NAMES = {hashes.XXH3: b"xxh3", hashes.MIX64: b"mix64", hashes.SIPHASH: b"siphash", hashes.MMH3: b"mmh3",
         hashes.SPARK: b"spark-v2", hashes.MURMUR128: b"guava", hashes.DCSO: b"dcso"}
# The rules that need the keys themselves; of ints these are known from 64 bits.
OF_KEYS = (3, 4, 20, 21, 22, 24)


def draft_bytes(kind, rate, rule, keys, position_rule=None):
    """A draft of keys, which may repeat."""
    number, position = KINDS[kind]
    check = hashes.secret_check(rule.secret) if rule.secret else 0
    if position_rule in OF_KEYS and rule.key_type == hashes.KEY_BYTES:
        distinct = sorted(set(keys))
        ends = [sum(map(len, distinct[:i + 1])) for i in range(len(distinct))]
        elements = struct.pack(f"<{len(ends)}Q", *ends) + b"".join(distinct)
        key_bytes = ends[-1] if ends else 0
    else:
        often = collections.Counter(map(hashes.mix64 if position_rule in OF_KEYS else rule.hash64, keys))
        distinct, key_bytes = sorted(often), 0
        elements = struct.pack(f"<{len(distinct)}Q", *distinct)
        if kind == "counting":
            elements += struct.pack(f"<{len(distinct)}Q", *(often[one] for one in distinct))
    head = MAGIC + struct.pack("<HHHHQQHHHHdQQQ", 1, 0, rule.key_type, rule.hash, rule.seed, check, number,
                               position_rule or position, 1, 0, rate, len(keys), len(distinct), key_bytes)
    return head + elements + struct.pack("<Q", xxhash.xxh3_64_intdigest(head + elements))


def params_of(kind, rate, rule):
    """ink_params, by the offsets of its fields."""
    room = ctypes.create_string_buffer(512)
    secret = ctypes.create_string_buffer(rule.secret, 16) if rule.secret else None
    name, hash_name = ctypes.create_string_buffer(kind.encode()), ctypes.create_string_buffer(NAMES[rule.hash])
    # kind, expected_keys, rate, bits, hashes, ratio, epsilon, delta, width, depth, counter_bits, conservative, top_keys, phi,
    # precision, key_type, hash, seed, has_seed, secret
    struct.pack_into("@PQdQIdddQII?IdIiPQ?P", room, 0, ctypes.addressof(name), 0, rate, 0, 0, 0, 0, 0, 0, 0, 0, False, 0, 0, 0,
                     rule.key_type, ctypes.addressof(hash_name), rule.seed, rule.hash != hashes.SIPHASH,
                     ctypes.addressof(secret) if secret else 0)
    return room, name, hash_name, secret


def batch_of(rule, keys):
    """ink_batch: count, hashes, ints, data, offsets, then what is 0."""
    count = len(keys)
    room = ctypes.create_string_buffer(256)
    if rule.key_type == hashes.KEY_INT:
        ints = (ctypes.c_int64 * count)(*keys)
        struct.pack_into("@NPPPP", room, 0, count, 0, ctypes.addressof(ints), 0, 0)
        return room, ints
    data = ctypes.create_string_buffer(b"".join(keys))
    offsets = (ctypes.c_uint64 * (count + 1))(*(sum(map(len, keys[:i])) for i in range(count + 1)))
    struct.pack_into("@NPPPP", room, 0, count, 0, 0, ctypes.addressof(data), ctypes.addressof(offsets))
    return room, data, offsets


def called(lib, name, *arguments):
    error = ctypes.create_string_buffer(1024)
    status = getattr(lib, name)(*arguments, error)
    assert status == 0, f"{name}: status {status}"


def encoded(lib, draft):
    size = ctypes.c_size_t()
    called(lib, "ink_draft_encoded_bytes", draft, ctypes.byref(size))
    room = ctypes.create_string_buffer(size.value)
    called(lib, "ink_draft_encode_to", draft, room, size, ctypes.byref(size))
    lib.ink_draft_free(draft)
    return room.raw


def check(lib, kind, rate, rule, keys, position_rule=None):
    wanted = draft_bytes(kind, rate, rule, keys, position_rule)
    params, batch, draft = params_of(kind, rate, rule), batch_of(rule, keys), ctypes.c_void_p()
    called(lib, "ink_draft_create", ctypes.byref(draft), params[0], ctypes.c_uint64(0), None)
    called(lib, "ink_draft_add_batch", draft, batch[0])
    found = encoded(lib, draft)
    assert found == wanted, f"found {found.hex()}\nwanted {wanted.hex()}"
    called(lib, "ink_draft_decode", ctypes.byref(draft), wanted, ctypes.c_size_t(len(wanted)), ctypes.c_uint64(0), None)
    assert encoded(lib, draft) == wanted, "read and written again"


def main():
    lib = ctypes.CDLL(os.environ["INK_LIBRARY"])
    lib.ink_draft_free.argtypes = [ctypes.c_void_p]
    words = [b"key %d" % (i * i % 41) for i in range(100)] + [b"", b"k", b"key", b"key 1", b"\xff\x00"]
    ints = [i * i % 37 - 5 for i in range(100)] + [-2**63, 2**63 - 1, 0]
    cases = [(f"{kind} of {name}", kind, rate, rule, keys) for kind, rate in (("bloom", 0.01), ("classic", 0.001), ("counting", 0.05))
             for name, rule, keys in (("bytes", BYTES_RULE, words), ("integers", INT_RULE, ints), ("keyed bytes", KEYED_RULE, words),
                                      ("nothing", BYTES_RULE, []), ("one key", BYTES_RULE, [b"x"]))]
    cases += [("classic of keys that are kept", "classic", 0.01, MMH3_RULE, words, 3),
              ("classic of Spark", "classic", 0.01, SPARK_RULE, words, 17),
              ("classic of DCSO", "classic", 0.01, hashes.KeyRule(hashes.KEY_BYTES, hashes.DCSO, 0), words, 23),
              ("classic of Guava, keys kept", "classic", 0.01, hashes.KeyRule(hashes.KEY_BYTES, hashes.MURMUR128, 0), words, 20),
              ("classic of Guava, integers", "classic", 0.01, hashes.KeyRule(hashes.KEY_INT, hashes.MURMUR128, 0), ints, 20)]
    failed = 0
    print(f"1..{len(cases)}")
    for number, (name, *case) in enumerate(cases, 1):
        try:
            check(lib, *case)
            print(f"ok {number} - a draft for {name}")
        except AssertionError as why:
            failed += 1
            print(f"not ok {number} - a draft for {name}\n# " + str(why).replace("\n", "\n# "))
    return failed


if __name__ == "__main__":
    sys.exit(main())
