"""Holds the C code's golden files against the second reader, and the second reader against itself.

Prints TAP and exits with the number of failures (at most 99). Run it with Debian's /usr/bin/python3
and python3-xxhash. It takes ../golden from its own place.
"""

import itertools
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import xxhash

import ink_hashes as hashes
from ink_reader import KINDS, NULL_GROUP, FormatError, Section, read_ink, read_input_spec
from ink_sketches import SKETCHES, contains, fold_blocks, hll_estimate, hll_registers
from ink_writer import (add_to_registers, bloom_payload, build_file, classic_payload, hll_payload,
                        reseal)
from kind_checks import check_kind_rules, check_kinds, kind_files
from samples import (BYTES_RULE, COUPON_RULE, GUAVA_RULE, HADOOP_RULE, INT_RULE, INTS, KEYED, MMH3, MMH3_RULE,
                     REDIS_ROWS_RULE, ROWS_RULE, SECRET, SPARK_RULE, bloom, classic, count_min, hll, options_of, words)

GOLDEN = Path(__file__).resolve().parent.parent / "golden"


class Tap:
    """Counts and prints results."""

    def __init__(self):
        self.count = self.failures = 0

    def ok(self, good, message, detail=""):
        self.count += 1
        self.failures += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {message}")
        if not good and detail:
            print("\n".join(f"# {line}" for line in str(detail).splitlines()))

    def equal(self, got, wanted, message):
        self.ok(got == wanted, message, f"got    {got!r:.400}\nwanted {wanted!r:.400}")

    def rejected(self, data, message):
        error = rejection(data)
        self.ok(error is not None, message, "the reader accepted it")

    def finish(self):
        print(f"1..{self.count}")
        return min(self.failures, 99)


def rejection(data):
    """The FormatError that reading raises, or None if the file is accepted."""
    try:
        read_ink(data)
    except FormatError as error:
        return error
    return None


def smhasher_verification(function, width):
    """SMHasher's published fingerprint of a hash: 256 keys, then the hash of their hashes."""
    key = bytes(range(256))
    found = b"".join(function(key[:i], 256 - i).to_bytes(width, "little") for i in range(256))
    return function(found, 0) & 0xFFFFFFFF


def murmur128_number(data, seed):
    first, second = hashes.murmur3_x64_128(data, seed)
    return first | second << 64


def check_hashes(tap):
    secret = bytes(range(16))
    sip = {0: "310e0edd47db6f72", 1: "fd67dc93c539f874", 8: "6224939a79f5f593",
           15: "e545be4961ca29a1"}
    tap.equal({n: hashes.siphash24(secret, bytes(range(n))).to_bytes(8, "little").hex()
               for n in sip}, sip, "SipHash-2-4 gives the vectors of its reference code")
    murmur = [(b"hello", 0, 613153351), (b"hello", 1, 3142237357), (b"", 0, 0),
              (b"", 1, 0x514E28B7), (b"", 0xFFFFFFFF, 0x81F16F39), (b"\xff" * 4, 0, 0x76293B50),
              (bytes.fromhex("21436587"), 0x5082EDEE, 0x2362F9DE),
              (bytes.fromhex("214365"), 0, 0x7E4A8634), (bytes.fromhex("2143"), 0, 0xA0F7B07A),
              (b"!", 0, 0x72661CF4), (b"Hello, world!", 0x9747B28C, 0x24884CBA)]
    tap.equal([hashes.murmur3_x86_32(data, seed) for data, seed, _ in murmur],
              [wanted for _, _, wanted in murmur], "Murmur3 x86-32 gives its published vectors")
    tap.equal(smhasher_verification(hashes.murmur3_x86_32, 4), 0xB0F57EE3,
              "Murmur3 x86-32 passes the verification of SMHasher")
    tap.equal(hashes.murmur3_x64_128(b"hello", 0), (0xCBD8A7B341BD9B02, 0x5B1E906A48AE1D19),
              "Murmur3 x64-128 gives the published hash of hello")
    tap.equal(smhasher_verification(murmur128_number, 16), 0x6384BA69,
              "Murmur3 x64-128 passes the verification of SMHasher")
    tap.equal(smhasher_verification(hashes.murmur64a, 8), 0x1F0D3804,
              "MurmurHash64A passes the verification of SMHasher")
    tap.equal(smhasher_verification(hashes.murmur2, 4), 0x27864C1E, "MurmurHash2 passes the verification of SMHasher")
    tap.equal([hashes.mix64(x) for x in (0, 1, 2)],
              [0, 0xB456BCFC34C2CB2C, 0x3ABF2A20650683E7], "mix64 gives known values")
    unmix = 0xB456BCFC34C2CB2C
    for factor in (0xC4CEB9FE1A85EC53, 0xFF51AFD7ED558CCD):
        unmix = (unmix ^ unmix >> 33) * pow(factor, -1, 2**64) % 2**64
    tap.equal(unmix ^ unmix >> 33, 1, "mix64 run backwards leads back to its input")
    tap.equal((xxhash.xxh64_intdigest(b"a"), xxhash.xxh3_64_intdigest(b""),
               xxhash.xxh3_128_hexdigest(b"")),
              (0xD24EC4F1A98C6E5B, 0x2D06800538D394C2, "99aa06d3014798d86001c324468d497f"),
              "the xxhash module gives published values of XXH64, XXH3-64 and XXH3-128")
    tap.equal(hashes.DEFAULT_SEED, 0x696E6B6C696E6721, "the default seed is the text inkling!")
    tap.ok(hashes.tuple_key([b"a", b"bc"]) != hashes.tuple_key([b"ab", b"c"]),
           "a tuple is not the tuple with its columns cut elsewhere")
    tap.equal(INT_RULE.hash64(-1), INT_RULE.hash64(2**64 - 1),
              "an int key above 2^63 - 1 shares its bits with a negative one")


def filter_words(rule, position_rule, bits, hash_count, keys):
    """The bits of a classic filter as words of 8 bytes with the highest byte first, as Java writes them."""
    payload = bytearray(-(-bits // 64) * 8)
    for key in keys:
        of_key = replace(rule, key_type=hashes.KEY_INT if isinstance(key, int) else hashes.KEY_BYTES)
        for j in hashes.classic_positions(of_key, position_rule, key, bits, hash_count):
            payload[j // 8] |= 1 << j % 8
    return b"".join(payload[at:at + 8][::-1] for at in range(0, len(payload), 8)).hex()


def check_foreign(tap):
    """Keys in other systems: numbers that these computed."""
    s32 = hashes.signed32
    tap.equal([s32(hashes.spark32(key, 0)) for key in (b"", b"a", b"ab", b"abc", b"abcd", b"hello")],
              [0, 721651713, 1142947817, -849139816, 1139631978, -1306563072], "Spark's hashes of bytes")
    tap.equal([s32(hashes.hadoop_murmur(key.encode(), 0)) for key in ("hello", "hé", "é")],
              [-446617141, 997863694, -384040333], "Hadoop's MurmurHash")
    tap.equal(s32(hashes.lookup3(b"hello", 0)), 885767278, "lookup3")
    tap.equal(hashes.lookup3(b"Four score and seven years ago", 0), 0x17770551, "lookup3 of its own text")
    tap.equal(hashes.java_numbers(1, 2), [0x5D8D6AB9, 0x0CDC4E6C], "java.util.Random with seed 1")
    tap.equal([hashes.signed64(hashes.reversed64(hashes.KeyRule(*rule).hash64(key))) for rule, key in (
        ((0, 25, 0), b"hello"), ((1, 26, 0), 42), ((1, 25, 0), 42))],
        [-3758069500696749310, 2913627637088662735, -5283633198602748424], "hashes of postgresql-hll")
    tap.equal(hashes.KeyRule(0, 27, 9001).hash64(b"hello"),
              hashes.reversed64(0x0435C1AA & 0x3FFFFFF) | 0x0435C1AA >> 26, "a coupon of DataSketches")
    tap.equal(hashes.utf16("aé€😀".encode() + b"\xff\xe2\x82b\xed\xa0\x80").hex(),
              "6100e900ac203dd800de" + "fdff" * 3 + "6200" + "fdff" * 3, "UTF-8 as UTF-16")
    both, accents = [b"hello", "héllo".encode(), 42, -7], [b"hello", "hé".encode(), "é".encode()]
    some = [b"hello", b"world", b"foo"]
    for name, rule, wanted in (
            ("spark-v1", ((0, 19, 0), 16, 128, 9, both), "423f910408042b0003201800e2400192"),
            ("spark-v2", ((0, 19, 0), 17, 128, 9, both), "4081060478103050100e004064924ba1"),
            ("spark-v2 with seed 7", ((0, 19, 7), 17, 128, 9, both), "008811020001982005780009f4082313"),
            ("guava", ((0, 7, 0), 20, 128, 5, both[:2]), "001000004a1084040000004000002000"),
            ("guava of longs", ((1, 7, 0), 20, 128, 5, both[2:]), "00000080000001100100002000000040"),
            ("guava of ints", ((1, 17, 0), 20, 128, 5, [42]), "00000080000200000800002000008000"),
            ("guava of characters", ((0, 18, 0), 20, 128, 5, [b"hello"]), "00000000008080800000000000080800")):
        tap.equal(filter_words(hashes.KeyRule(*rule[0]), *rule[1:]), wanted, f"a filter of {name}")
    for name, rule, wanted in (
            ("hadoop-jenkins", ((0, 22, 0), 21, 100, 3, accents), "02000000008a00000241080008"),
            ("hadoop", ((0, 21, 0), 21, 100, 3, accents), "0000000002020440080090c000"),
            ("redisbloom", ((0, 6, 0xC6A4A7935BD1E995), 22, 128, 8, some), "242022024046002000a0cc0802000244"),
            ("dcso", ((0, 23, 0), 23, 95, 7, some), "20852020402b010046050800")):
        of_file = (hashes.KeyRule(*rule[0]), rule[1], rule[2], rule[3], rule[4])
        tap.equal(classic_payload(*of_file).hex(), wanted, f"a filter of {name}")
    tap.equal([hashes.row_columns(hashes.KeyRule(key != b"hello", 20, 1), key, 4, 2) for key in (b"hello", 42, -7)],
              [[0, 1], [1, 2], [2, 3]], "columns of Spark's CountMinSketch")


def own_files():
    """Hand-made files: name, entries in file order, sections, and the options of build_file."""
    labels = [{}, {"slot": -(2**63)}, {"slot": -1}, {"slot": 0}, {"slot": 2**63 - 1},
              {"group": NULL_GROUP}, {"group": NULL_GROUP, "slot": 5}, {"group": b""},
              {"group": b"8"}, {"group": b"8", "slot": -7}, {"group": b"80"},
              {"group": b"\xff" * 300, "slot": 1}]
    many = [bloom(words(i), 1 + i % 3, **label) for i, label in enumerate(labels)]
    return kind_files() + [
        ("an empty file", [], [], {}),
        ("one bloom", [bloom(words(10))], [], {}),
        ("an empty bloom", [bloom([])], [], {}),
        ("one classic with mixed positions", [classic(words(4))], [], {}),
        ("one classic with seeded positions", [classic(words(4), 75, 5, 3, MMH3_RULE)], [], MMH3),
        ("one classic with signed positions", [classic(words(4), 75, 5, 4, MMH3_RULE)], [], MMH3),
        ("an empty hll", [hll([])], [], {}),
        ("a sparse hll", [hll(words(3))], [], {}),
        ("a dense hll", [hll(words(40))], [], {}),
        ("an hll of ints", [hll(range(-500, 500), 12, INT_RULE)], [], INTS),
        ("every sort of label", many, [], {}),
        ("three kinds", [bloom(words(5)), classic(words(5)), hll(words(5), slot=3)], [], {}),
        ("payloads of several sizes",
         [bloom(words(9), size, slot=i) for i, size in enumerate((1, 127, 1, 128, 33000, 1))]
         + [hll([], 10), hll([], 10, group=b"")], [], {}),
        ("sections", [bloom(words(1))],
         [Section(1, b"recipe", True), Section(3, b""), Section(77, b"12345678")], {}),
        ("a classic with the rule of Spark", [classic(words(4), 64, 100, 17, SPARK_RULE)], [], options_of(SPARK_RULE)),
        ("a classic with the rule of Guava", [classic(range(9), 128, 3, 20, GUAVA_RULE)], [], options_of(GUAVA_RULE)),
        ("a classic with the rule of Hadoop", [classic(words(4), 75, 5, 21, HADOOP_RULE)], [], options_of(HADOOP_RULE)),
        ("a count-min with Spark's rows", [count_min([(7, 3), -8], rule=ROWS_RULE, counter_bits=64)], [],
         options_of(ROWS_RULE)),
        ("a count-min with RedisBloom's rows", [count_min([(b"seven", 3), b"eight"], rule=REDIS_ROWS_RULE)], [],
         options_of(REDIS_ROWS_RULE)),
        ("an hll of coupons", [hll(words(9), rule=COUPON_RULE)], [], options_of(COUPON_RULE)),
        ("a keyed file", [bloom(words(9), 2, hashes.KeyRule(0, 3, 0, SECRET))], [],
         KEYED),
    ]


def check_own_files(tap):
    for name, entries, sections, options in own_files():
        data = build_file(entries, sections, **options)
        try:
            ink = read_ink(data)
        except FormatError as error:
            tap.ok(False, f"{name} is read", error)
            continue
        tap.equal((ink.entries, ink.sections), (entries, sections),
                  f"{name} comes back from writer and reader as it was")
        backwards = build_file(entries[::-1], sections[::-1], **options)
        tap.equal(backwards, data, f"{name} is the same file whatever the order of its parts")
        check_hostile(tap, data, name, limit=4000)
    check_semantics(tap)
    check_kinds(tap)
    check_secret(tap)
    check_resealed(tap)
    check_rules(tap)
    check_kind_rules(tap, rejection)


def check_input_specs(tap):
    """What the command writes of how it read records is what the document says."""
    folder = os.environ.get("INK_BINARY_FOLDER", GOLDEN.parents[1] / "build")
    odd = '"last, first","say ""hi"""'
    cases = [
        (["--in", "tsv", "--key", "1"], b"a\tb\n", [(b"in", b"tsv"), (b"key", b"1")]),
        (["--in", "csv", "--header", "--bad", "skip", "--by", '"last, first"', "--key", odd],
         b'"last, first","say ""hi""",n\na,b,1\nbroken\n',
         [(b"in", b"csv"), (b"header", b""), (b"key", b"last, first"), (b"key", b'say "hi"'),
          (b"by", b"last, first"), (b"bad", b"skip")]),
    ]
    for options, data, wanted in cases:
        with tempfile.TemporaryDirectory() as made:
            path = Path(made, "made.ink")
            subprocess.run([Path(folder, "ink"), "build", "hll", "-q", *options, "-o", path], input=data,
                           check=True, stderr=subprocess.DEVNULL)
            section, = (one for one in read_ink(path.read_bytes()).sections if one.id == 1)
        tap.equal(read_input_spec(section.content), wanted, f"an input spec of {' '.join(options)}")
    for wrong in (b"", b"in\0csv", b"in\0csv\0bad\0fail\0", b"in\0csv\0bad\0skip\0key\0a\0", b"key\0a\0"):
        try:
            read_input_spec(wrong)
            tap.ok(False, f"{wrong} is no input spec", "the reader accepted it")
        except FormatError:
            tap.ok(True, f"{wrong} is no input spec")


def check_shards(tap):
    """A fuse of several shards, which no golden file has, is read as the document says."""
    folder = os.environ.get("INK_BINARY_FOLDER", GOLDEN.parents[1] / "build")
    with tempfile.TemporaryDirectory() as made:
        path = Path(made, "made.ink")
        subprocess.run([Path(folder, "ink"), "build", "fuse", "-q", "-p", "0.1", "-o", path],
                       input=b"".join(b"%d\n" % i for i in range(400000)), check=True)
        ink = read_ink(path.read_bytes())
    entry, rule = ink.entries[0], ink.header.key_rule()
    sketch = SKETCHES["fuse"].read(entry, rule)
    tap.equal((len(sketch.shards), entry.params["expected_keys"]), (4, 400000), "400,000 keys have 4 shards")
    tap.ok(all(sketch.contains(b"%d" % i) for i in range(0, 400000, 2000)), "shards hold their keys")
    others = sum(sketch.contains(b"other %d" % i) for i in range(500))
    tap.ok(10 < others < 60, "shards of 4 bits hold a sixteenth of other keys", others)


def check_semantics(tap):
    keys = words(50)
    for entry, rule in ((bloom(keys, 12), BYTES_RULE), (classic(keys, 997, 7), BYTES_RULE),
                        (classic(keys, 997, 7, 4, MMH3_RULE), MMH3_RULE)):
        held = sum(contains(entry, key, rule) for key in keys)
        others = sum(contains(entry, b"other" + key, rule) for key in keys)
        tap.ok(held == 50 and others < 15, f"a {entry.kind} with rule {entry.position_rule} holds "
               "its keys and few others", f"{held} held, {others} false")
    folded = fold_blocks(bloom(keys, 12).payload, 3)
    tap.equal(folded, bloom(keys, 4).payload,
              "a bloom folded by 3 is the smaller bloom of its keys")
    for count in (0, 3, 1000, 20000):
        entry = hll(range(count), 12, INT_RULE)
        estimate = hll_estimate(entry)
        tap.ok(abs(estimate - count) <= 0.06 * count, f"an hll of {count} keys estimates that many",
               estimate)
        tap.equal(hll_payload(hll_registers(entry)), entry.payload,
                  f"the registers of an hll of {count} keys give its payload again")


def check_secret(tap):
    name, entries, sections, options = own_files()[-1]
    ink = read_ink(build_file(entries, sections, **options))
    rule = ink.header.key_rule(SECRET)
    tap.ok(all(contains(ink.entries[0], key, rule) for key in words(9)),
           f"{name} holds its keys under its secret")
    try:
        ink.header.key_rule(bytes(16))
        refused = False
    except ValueError:
        refused = True
    tap.ok(refused, f"{name} refuses another secret")


def check_hostile(tap, data, name, limit=1 << 20):
    """Every truncation and every single-bit flip is rejected."""
    if len(data) > limit:
        return
    survivors = [size for size in range(len(data)) if rejection(data[:size]) is None]
    tap.equal(survivors, [], f"{name} cut short anywhere is rejected")
    survivors = []
    for bit in range(8 * len(data)):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        if rejection(changed) is None:
            survivors.append(bit)
    tap.equal(survivors, [], f"{name} with any one bit flipped is rejected")
    tap.rejected(data + b"\0", f"{name} with a byte after it is rejected")
    tap.rejected(data + data, f"{name} twice in one file is rejected")


def rewritten(entry, rule):
    """The entry with its parameters and payload made anew from what they mean."""
    if entry.kind == "hll":
        return replace(entry, payload=hll_payload(hll_registers(entry)))
    if entry.kind in SKETCHES:
        sketch = SKETCHES[entry.kind].read(entry, rule)
        return replace(entry, params=sketch.params(), payload=sketch.payload())
    return entry


def rebuild(ink):
    """The file that the independent writer makes of what the reader found."""
    rule = ink.header.key_rule()
    return build_file([rewritten(entry, rule) for entry in ink.entries], ink.sections,
                      key_type=ink.header.key_type, hash_id=ink.header.hash, seed=ink.header.seed,
                      secret_check=ink.header.secret_check)


def check_payload_mutants(tap, data, name):
    """Flip each bit of the payloads under mended checksums: what is accepted is canonical."""
    ink = read_ink(data)
    options = {"key_type": ink.header.key_type, "hash_id": ink.header.hash,
               "seed": ink.header.seed, "secret_check": ink.header.secret_check}
    accepted, wrong = 0, []
    for i, entry in enumerate(ink.entries):
        for bit in range(8 * len(entry.payload)):
            changed = bytearray(entry.payload)
            changed[bit // 8] ^= 1 << bit % 8
            entries = [*ink.entries[:i], replace(entry, payload=bytes(changed)),
                       *ink.entries[i + 1:]]
            new = build_file(entries, ink.sections, **options)
            if rejection(new) is None:
                accepted += 1
                if rebuild(read_ink(new)) != new:
                    wrong.append((i, bit))
    tap.equal(wrong, [], f"{name} with a payload bit flipped and mended checksums is rejected or "
              f"canonical ({accepted} accepted)")


def check_canonical_mutants(tap, data, name):
    """Flip each bit outside the payload and mend the checksums: what is accepted is canonical."""
    directory_bytes, payload_bytes = struct.unpack_from("<QQ", data, 40)
    area = 64 + directory_bytes
    accepted, wrong = 0, []
    for byte in [*range(area), *range(area + payload_bytes, len(data))]:
        for bit in range(8):
            changed = bytearray(data)
            changed[byte] ^= 1 << bit
            changed = reseal(bytes(changed))
            if changed != data and rejection(changed) is None:
                accepted += 1
                if rebuild(read_ink(changed)) != changed:
                    wrong.append((byte, bit))
    tap.equal(wrong, [], f"{name} with a bit flipped and mended checksums is rejected or canonical "
              f"({accepted} accepted)")


def check_resealed(tap):
    for name, entries, sections, options in own_files():
        data = build_file(entries, sections, **options)
        if len(data) < 3000:
            check_canonical_mutants(tap, data, name)
        if len(data) < 700:
            check_payload_mutants(tap, data, name)


def check_rules(tap):
    """Rules that the writer can break on request, one at a time."""
    def params(entry, **changes):
        return [replace(entry, params={**entry.params, **changes})]

    one, old, few, full = bloom(words(3)), classic(words(3)), hll(words(3)), hll(words(40))
    for rate in (float("nan"), float("inf"), -0.5, -0.0, 1.5):
        for name in ("target_rate", "promised_rate"):
            tap.rejected(build_file(params(one, **{name: rate})), f"{name} {rate} is rejected")
    tap.rejected(build_file(params(one, target_rate=1.0)), "a target rate of 1 is rejected")
    tap.equal(rejection(build_file(params(one, target_rate=0.0, promised_rate=1.0))), None,
              "no target rate and a promised rate of 1 are accepted")
    bad = [
        ("a bloom without blocks", [replace(one, payload=b"")]),
        ("a bloom of half a block", [replace(one, payload=bytes(16))]),
        ("a classic of no bits", [replace(params(old, bits=0)[0], payload=b"")]),
        ("a classic of more bits than its payload", params(old, bits=81)),
        ("a classic of fewer bits than its payload", params(old, bits=72)),
        ("a classic with a bit above its last", [replace(old, payload=b"\xff" * 10)]),
        ("a classic of no hashes", params(old, hashes=0)),
        ("a classic of 65 hashes", params(old, hashes=65)),
        ("a classic with a rule of Spark and another hash", [replace(old, position_rule=16)]),
        ("an hll with the rule of coupons and another hash", [replace(few, position_rule=25)]),
        ("a seeded classic without hash 5", [replace(old, position_rule=3)]),
        ("a bloom with another position rule", [replace(one, position_rule=2)]),
        ("a bloom with another layout", [replace(one, layout=2)]),
        ("an hll of precision 3", [replace(params(few, precision=3)[0], payload=b"")]),
        ("an hll of precision 19", [replace(params(few, precision=19)[0], payload=b"")]),
        ("a sparse hll of two bytes", [replace(few, payload=b"\1\0")]),
        ("a sparse hll with a zero register", [replace(few, payload=b"\0\0\0")]),
        ("a sparse hll with a register twice", [replace(few, payload=b"\1\0\0\1\0\0")]),
        ("a sparse hll with registers falling", [replace(few, payload=b"\x41\0\0\1\0\0")]),
        ("a sparse hll with a register too many", [replace(few, payload=b"\1\4\0")]),
        ("a sparse hll with a value too high", [replace(few, payload=b"\x3e\0\0")]),
        ("a dense hll that should be sparse", [replace(few, payload=b"\1" + bytes(11))]),
        ("a dense hll with a value too high", [replace(full, payload=b"\xff" * 12)]),
        ("an hll larger than a dense one", [replace(full, payload=full.payload + bytes(3))]),
        ("a label twice", [one, one]),
        ("a group name of 65536 bytes", [replace(one, group=bytes(65536))]),
    ]
    for name, entries in bad:
        tap.rejected(build_file(entries), f"{name} is rejected")
    long_name = build_file([replace(one, group=bytes(65535))])
    tap.equal(rejection(long_name), None, "a group name of 65535 bytes is accepted")
    for name, options in (
            ("mix64 for bytes", {"hash_id": 2}), ("siphash with a seed", {"hash_id": 3}),
            ("Murmur3 x86-32 for ints", {"hash_id": 5, "key_type": 1, "seed": 0}),
            ("Murmur3 x86-32 with a long seed", {"hash_id": 5}), ("hash 0", {"hash_id": 0}),
            ("hash 8", {"hash_id": 8}), ("hash 15", {"hash_id": 15}), ("hash 29", {"hash_id": 29}),
            ("hash 99", {"hash_id": 99}), ("key type 2", {"key_type": 2}),
            ("a secret check without siphash", {"secret_check": 1})):
        tap.rejected(build_file([], **options), f"{name} is rejected")
    for name, data in (("hash 99", build_file([], hash_id=99)),
                       ("position rule 99", build_file([replace(one, position_rule=99)])),
                       ("layout 99", build_file([replace(one, layout=99)]))):
        tap.ok(f"{name} is unknown: a newer library is needed" in str(rejection(data)),
               f"{name} is said to be newer", str(rejection(data)))
    tap.rejected(build_file([one], hash_id=5, seed=0), "a bloom with Murmur3 x86-32 is rejected")
    check_foreign_rules(tap)
    tap.rejected(build_file([], [Section(4, b"", True)]), "an unknown critical section is rejected")
    tap.rejected(build_file([], [Section(4, b""), Section(4, b"")]), "a section twice is rejected")
    check_gaps(tap)


def check_foreign_rules(tap):
    """What goes with the hashes and rules of other systems, and what does not."""
    def of(rule, position_rule, bits=64, count=5):
        return [classic([1] if rule.key_type else [b"a"], bits, count, position_rule, rule)], options_of(rule)

    def rule(hash_id, key_type=hashes.KEY_BYTES, seed=0):
        return hashes.KeyRule(key_type, hash_id, seed)

    def beside(position_rule):
        return [bloom([b"a"], 1, rule(7)), classic([b"a"], 64, 5, position_rule, rule(7))], options_of(rule(7))

    for name, (entries, options) in (
            ("rule 17 with seed 2^32", of(rule(19, 0, 2**32), 17)), ("rule 16 with a seed", of(rule(19, 0, 1), 16)),
            ("rule 20 with a seed", of(rule(7, 0, 1), 20)), ("rule 22 with ints", of(rule(6, 1), 22)),
            ("rule 24 and hash 7", of(rule(7), 24)), ("rule 20 and hash 4", of(rule(4), 20)),
            ("rule 2 and hash 19", of(rule(19), 2)), ("rule 23 and hash 21", of(rule(21), 23)),
            ("rule 19 with bytes and hash 17", of(rule(17), 19)),
            ("rule 19 with ints and hash 18", of(rule(18, 1), 19)),
            ("rule 21 with ints", of(rule(21, 1), 21)), ("rule 17 with 1025 hashes", of(rule(19), 17, count=1025)),
            ("rule 3 with 65 hashes", of(rule(5), 3, count=65)),
            ("hash 24 with ints", ([bloom([1], 1, INT_RULE)], {"hash_id": 24, "key_type": 1, "seed": 0})),
            ("hash 16 with bytes", ([bloom([b"a"], 1)], {"hash_id": 16, "seed": 0})),
            ("hash 20 with seed 2^48", ([count_min([1], rule=rule(20, 1, 2**48))], options_of(rule(20, 1, 2**48)))),
            ("hash 20 and rule 6", ([count_min([1], rule=rule(20, 1))], options_of(rule(20, 1)))),
            ("own rules beside another", beside(20))):
        entries = [replace(entry, position_rule=6) if name == "hash 20 and rule 6" else entry for entry in entries]
        tap.rejected(build_file(entries, **options), f"{name} is rejected")
    large = classic([], 64, 5, 16, rule(19))
    large = replace(large, params={**large.params, "bits": 2**31 + 64})
    tap.rejected(build_file([large], **options_of(rule(19))), "rule 16 with more than 2^31 bits is rejected")
    for name, (entries, options) in (("rule 17 with seed 2^32 - 1", of(rule(19, 0, 2**32 - 1), 17)),
                                     ("rule 17 with 1024 hashes", of(rule(19), 17, count=1024)),
                                     ("rule 24 with any seed", of(rule(4, 1, 2**64 - 1), 24)),
                                     ("own rules alone", beside(2))):
        tap.equal(rejection(build_file(entries, **options)), None, f"{name} is accepted")


def check_gaps(tap):
    """A byte that is not zero between or after payloads, its checksums mended."""
    entries = [hll(words(3)), hll(words(3), slot=1)]
    data = build_file(entries)
    area = 64 + struct.unpack_from("<Q", data, 40)[0]
    payload = data[area:area + 64]
    for name, at in (("between", 31), ("after", 63)):
        changed = bytearray(payload)
        changed[at] = 1
        new = data[:area] + bytes(changed) + data[area + 64:]
        old_sum, new_sum = (struct.pack("<Q", xxhash.xxh3_64_intdigest(area_bytes))
                            for area_bytes in (payload, bytes(changed)))
        error = rejection(reseal(new.replace(old_sum, new_sum)))
        tap.ok(error and "not zero" in error.message, f"a byte {name} payloads is rejected", error)


# The golden files


def wanted_group(group):
    if group is None:
        return None
    return NULL_GROUP if group.get("null") else bytes.fromhex(group["hex"])


def wanted_key(key):
    return key if isinstance(key, int) else bytes.fromhex(key)


def knows(entry, key, rule):
    """Whether the sketch may have seen a key."""
    if entry.kind in ("count-min", "top"):
        return SKETCHES[entry.kind].read(entry, rule).count(key)[2] > 0
    if entry.kind == "theta":
        return SKETCHES[entry.kind].read(entry, rule).has(key)
    if entry.kind == "fm":
        values = hashes.tail_values(rule, key, len(entry.payload))
        return all(value <= most for value, most in zip(values, entry.payload))
    if entry.kind != "hll":
        return contains(entry, key, rule)
    register, value = hashes.register_value(rule, key, entry.params["precision"])
    return hll_registers(entry)[register] >= value


def payload_of_keys(entry, keys, rule):
    """The payload of a sketch of the same parameters with these keys alone."""
    if entry.kind == "bloom":
        return bloom_payload(rule, len(entry.payload) // 32, keys)
    if entry.kind == "classic":
        return classic_payload(rule, entry.position_rule, entry.params["bits"],
                               entry.params["hashes"], keys)
    return hll_payload(add_to_registers(rule, entry.params["precision"], keys))


def keys_of(wanted, *fields):
    return [wanted_key(key) for name in fields for key in wanted.get(name, [])]


def close(got, wanted):
    """Whether numbers, alone or in lists of lists, are equal but for their last digits."""
    if isinstance(wanted, (list, tuple)):
        return len(got) == len(wanted) and all(map(close, got, wanted))
    if isinstance(wanted, float) or isinstance(got, float):
        return math.isclose(got, wanted, rel_tol=1e-9)
    return got == wanted


def sketch_of_keys(entry, wanted, rule):
    """A sketch made of the keys of a description in the way that it says."""
    def fill(sketch, keys, rounds=1):
        weights = itertools.cycle(wanted.get("weights", [1]))
        for key in keys * rounds:
            sketch.add(key, next(weights))
        return sketch

    make = SKETCHES[entry.kind]
    sketch = fill(make.like(entry, rule), keys_of(wanted, "present"), wanted.get("rounds", 1))
    for key in keys_of(wanted, "removed"):
        sketch.remove(key)
    if "joined" in wanted:
        sketch.join(fill(make.like(entry, rule), keys_of(wanted, "joined")))
    fill(sketch, keys_of(wanted, "later"))
    if "met" in wanted:
        sketch.meet(fill(make.like(entry, rule), keys_of(wanted, "met")))
    if "less" in wanted:
        sketch.subtract(fill(make.like(entry, rule), keys_of(wanted, "less")))
    return sketch


def check_from_keys(tap, name, entry, wanted, rule):
    """The sketch made anew from the keys alone is the one in the file."""
    if entry.kind not in SKETCHES:
        present = keys_of(wanted, "present")
        tap.equal(payload_of_keys(entry, present, rule).hex(), entry.payload.hex(),
                  f"{name} has the payload that its {len(present)} keys make, and no other")
        return
    sketch = sketch_of_keys(entry, wanted, rule)
    tap.equal((sketch.params(), sketch.payload().hex()), (entry.params, entry.payload.hex()),
              f"{name} has the parameters and payload that its keys make, and no other")


def check_answers(tap, name, entry, wanted, rule):
    """What the sketch in the file answers is what the C code answered."""
    sketch = SKETCHES[entry.kind].read(entry, rule) if entry.kind in SKETCHES else None
    if entry.kind == "hll":
        got = {"estimate": hll_estimate(entry)}
    elif entry.kind == "theta":
        got = {"estimate": sketch.estimate()}
    elif entry.kind == "fm":
        got = {"estimate": sketch.estimate(), "mean_of_powers": sketch.mean_of_powers()}
    elif entry.kind in ("counting", "scalable", "fuse"):
        got = {"rate": sketch.rate(), "estimate": sketch.estimate()}
    elif entry.kind in ("count-min", "top"):
        keys = keys_of(wanted, "present", "joined", "later", "others")
        got = {"counts": [sketch.count(key) for key in keys]}
        if entry.kind == "top":
            got["top"] = [list(item) for item in sketch.top()]
            for item in wanted["top"]:
                item[0] = wanted_key(item[0])
    else:
        got = {}
    for field, value in got.items():
        tap.ok(close(value, wanted[field]), f"{name} answers with its {field}",
               f"got    {value!r:.400}\nwanted {wanted[field]!r:.400}")


def check_entry(tap, name, entry, wanted, rule):
    known = {"kind", "group", "slot", "records", "payload_hex", "payload_xxh3", "params",
             "present", "absent", "estimate", "mean_of_powers", "rate", "counts", "others", "top",
             "rounds", "weights", "removed", "joined", "later", "met", "less"}
    tap.equal(set(wanted) - known, set(), f"{name} is described by known fields only")
    tap.equal((entry.kind, entry.group, entry.slot, entry.records),
              (wanted["kind"], wanted_group(wanted["group"]), wanted["slot"], wanted["records"]),
              f"{name} has the kind, label and records that it should have")
    if len(entry.payload) <= 64:
        tap.equal(entry.payload.hex(), wanted.get("payload_hex"), f"{name} has its payload")
    else:
        tap.equal(f"{xxhash.xxh3_64_intdigest(entry.payload):016x}", wanted.get("payload_xxh3"),
                  f"{name} has its payload by XXH3")
    # The oldest descriptions call the target rate the asked one.
    params = {field.replace("asked", "target"): value for field, value in wanted["params"].items()}
    tap.equal({field: entry.params.get(field) for field in params}, params,
              f"{name} has its parameters")
    untold = {"scalable": {"chains", "levels"}, "top": {"kept"}}.get(entry.kind, set())
    tap.equal(set(entry.params) - set(params), untold,
              f"{name} has its parameters described")
    check_answers(tap, name, entry, wanted, rule)
    gone, met = keys_of(wanted, "removed", "less"), keys_of(wanted, "met")
    present = [key for key in keys_of(wanted, "present", "joined", "later")
               if key not in gone and ("met" not in wanted or key in met)]
    absent = keys_of(wanted, "absent")
    missing = [key for key in present if not knows(entry, key, rule)]
    tap.equal(missing, [], f"{name} holds the {len(present)} keys it should hold")
    extra = [key for key in absent if knows(entry, key, rule)]
    tap.equal(extra, [], f"{name} holds none of the {len(absent)} keys it should not hold")
    check_from_keys(tap, name, entry, wanted, rule)


def check_golden_file(tap, path):
    """Compares one file with its description; gives back what it holds, or None."""
    name, data = path.name, path.read_bytes()
    try:
        ink = read_ink(data)
        wanted = json.loads(path.with_suffix(".json").read_text())
    except (FormatError, OSError, ValueError) as error:
        tap.ok(False, f"{name} and its description are read", error)
        return None
    tap.ok(True, f"{name} and its description are read")
    tap.equal(set(wanted) - {"digest", "entries", "sections", "secret_hex"}, set(),
              f"{name} is described by known fields only")
    tap.equal(ink.digest, wanted["digest"], f"{name} has its digest")
    tap.equal([(s.id, s.critical, s.content.hex()) for s in ink.sections],
              [(s["id"], s["critical"], s["hex"]) for s in wanted["sections"]],
              f"{name} has its sections")
    tap.equal(rebuild(ink), data, f"{name} is written by the second writer byte for byte")
    keyed = ink.header.hash == hashes.SIPHASH
    tap.equal("secret_hex" in wanted, keyed, f"{name} has a secret only if it is keyed")
    secret = bytes.fromhex(wanted["secret_hex"]) if "secret_hex" in wanted else None
    try:
        rule = ink.header.key_rule(secret)
    except ValueError as error:
        tap.ok(False, f"{name} takes its secret", error)
        return ink
    tap.equal(len(ink.entries), len(wanted["entries"]), f"{name} has as many entries as it should")
    for i, (entry, description) in enumerate(zip(ink.entries, wanted["entries"])):
        check_entry(tap, f"{name} entry {i}", entry, description, rule)
    return ink


def check_golden(tap):
    paths = sorted(GOLDEN.glob("*.ink"), key=lambda path: (path.stat().st_size, path.name))
    tap.ok(paths, "there are golden files", f"none in {GOLDEN}")
    smallest = {}
    for path in paths:
        try:
            ink = check_golden_file(tap, path)
        except (KeyError, TypeError) as error:
            tap.ok(False, f"{path.name} is described in full", repr(error))
            continue
        for entry in ink.entries if ink else []:
            smallest.setdefault(entry.kind, path)
    if paths:
        tap.equal(set(smallest), {kind.name for kind in KINDS.values()},
                  "every kind has a golden file")
    for path in sorted(set(smallest.values())):
        check_hostile(tap, path.read_bytes(), path.name)
        check_canonical_mutants(tap, path.read_bytes(), path.name)
        check_payload_mutants(tap, path.read_bytes(), path.name)


def main():
    tap = Tap()
    check_hashes(tap)
    check_foreign(tap)
    check_own_files(tap)
    check_input_specs(tap)
    check_shards(tap)
    check_golden(tap)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
