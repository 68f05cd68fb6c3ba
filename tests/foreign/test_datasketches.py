"""Sketches of Apache DataSketches, beside its package from PyPI: theta and HLL in every form it writes, and the other
way round. The package has no Bloom filter: a model of it in Python, with XXH64 of PyPI, and a file that C++ wrote.
"""
import hashlib
import math
import os
import struct
import subprocess

import datasketches
import pytest
import xxhash
from conftest import int_keys, records, text_keys

TYPES = {4: datasketches.tgt_hll_type.HLL_4, 6: datasketches.tgt_hll_type.HLL_6, 8: datasketches.tgt_hll_type.HLL_8}


def updated(sketch, keys):
    for key in keys:
        sketch.update(key if isinstance(key, int) else key.decode())
    return sketch


def some_keys(rng, most):
    """Of any number up to `most`, small ones more often; ints, or text with the empty string in it."""
    count = rng.choice([0, 1, 2, rng.randint(3, 40), rng.randint(1, most), most])
    if rng.random() < 0.5:
        return int_keys(rng, max(count, 6))[:count]
    few = text_keys(rng, min(count, 300))
    return few + [b"%d-\xc3\xa9" % i for i in range(count - len(few))]


def type_of(keys):
    return ["--key-type", "int"] if keys and isinstance(keys[0], int) else []


def refused(ink, tmp_path, data, *options, code=3):
    (tmp_path / "bad").write_bytes(data)
    ink("convert", "--force", *options, "bad", "bad.ink", code=code)


# ---- theta ------------------------------------------------------------------------------------------------------

SEED_HASH = bytes.fromhex("cc93")
THETA = {  # of the integers from 0 on: how many, k, the SHA-256 of the trimmed compact form
    (0, 12): "ecb24cbedb0f1b3507115e185e038545b5146a51c45e760129831196279d409f",
    (1, 12): "67e741e79d6b30a80347bca907ceed14dc611a2571ed8405f0f3c48337136405",
    (2, 12): "d6ae977466f1fdd206eeb0dfb09fc0a2b30c7d304e2063628bfb8917a33e48b3",
    (10, 12): "f8a1ef24486887cd7eed7f7d3d7597adec302b84978c76bc234df4e95d65c1a3",
    (4096, 12): "ee6f6aaaecbd7c5f0facd61e5241cf142e8bdf66d6e7b164dcd35030ed3e0cb5",
    (4097, 12): "cf625b9e69876bea2fd9f6fe712020524e657145097d40fe02b3f85cc8da1fdb",
    (100000, 12): "ab1a7346c6724d653f05387a3d38281e9c0669409d5e8b5b133e776dd1f6b2f0",
    (33, 5): "53b5f3a0e063de47035280dec733c509b5054cf8ea7bc5e66e8391c193ad44f2",
}


def trimmed(lg_k, keys):
    sketch = updated(datasketches.update_theta_sketch(lg_k), keys)
    sketch.trim()
    return sketch.compact().serialize()


@pytest.mark.parametrize("count, lg_k", THETA)
def test_a_theta_that_we_build_has_the_bytes_that_were_published(ink, tmp_path, count, lg_k):
    ink("build", "--as", "datasketches-theta", "--precision", lg_k, "--key-type", "int", "--in", "nul", "-o", "ours",
        data=records(range(count)))
    assert hashlib.sha256((tmp_path / "ours").read_bytes()).hexdigest() == THETA[count, lg_k]


@pytest.mark.parametrize("keys, values", [
    ([b"a"], "17c11d528507017b"), ([b"bee"], "055219eeee37f31b"), ([-1], "6cb2f30dc6cf7b0e"),
    ([b"a", b"", b"b", b"c"], "b70c6ee5a8af4008 857f40b689c7e534 17c11d528507017b"), ([b""], "")])
def test_a_few_keys_have_the_values_that_were_published(ink, tmp_path, keys, values):
    values = bytes.fromhex(values)
    head = {0: "01030300001ecc93", 8: "01030300001acc93"}.get(len(values), "02030300001acc930300000000000000")
    ink("build", "--as", "datasketches-theta", *type_of(keys), "--in", "nul", "-o", "ours", data=records(keys))
    assert (tmp_path / "ours").read_bytes() == bytes.fromhex(head) + values


def test_every_form_of_a_theta_is_read_and_written_again(ink, tmp_path, rng):
    lg_k = rng.randint(5, 13)
    keys = some_keys(rng, min(5 << lg_k, 20000))
    theirs = updated(datasketches.update_theta_sketch(lg_k, rng.choice([1.0, 1.0, 0.3])), keys)
    if rng.random() < 0.5:
        theirs.trim()
    (tmp_path / "theirs").write_bytes(theirs.compact(rng.random() < 0.5).serialize())
    ink("convert", "--from", "auto", *type_of(keys), "theirs", "theirs.ink")
    ink("convert", "--to", "datasketches-theta", "theirs.ink", "again")
    assert (tmp_path / "again").read_bytes() == theirs.compact().serialize()
    assert int(ink("distinct", "theirs.ink")) == pytest.approx(theirs.get_estimate(), abs=0.51)


def test_a_theta_that_we_build_is_the_trimmed_one(ink, tmp_path, rng):
    lg_k = rng.randint(5, 13)
    keys = some_keys(rng, min(5 << lg_k, 20000))
    ink("build", "--as", "datasketches-theta", "--precision", lg_k, *type_of(keys), "--in", "nul", "-o", "ours",
        data=records(keys))
    assert (tmp_path / "ours").read_bytes() == trimmed(lg_k, keys)


def test_the_empty_key_is_left_out_where_a_threshold_hangs_on_it(ink, tmp_path):
    keys = [b""] + [b"%d" % i for i in range(100)]
    for count in range(30, 70):
        ink("build", "--as", "datasketches-theta", "--precision", 5, "--in", "nul", "-o", "ours", "--force",
            data=records(keys[:count]))
        assert (tmp_path / "ours").read_bytes() == trimmed(5, keys[:count])


def test_a_precision_cuts_a_theta_as_trim_does(ink, tmp_path):
    theirs = updated(datasketches.update_theta_sketch(12), range(7000))
    (tmp_path / "theirs").write_bytes(theirs.compact(False).serialize())
    for name, options in (("all", []), ("cut", ["--precision", 12])):
        ink("convert", "--from", "datasketches-theta", "--key-type", "int", *options, "theirs", f"{name}.ink")
        ink("convert", "--to", "datasketches-theta", f"{name}.ink", name)
    assert (tmp_path / "all").read_bytes() == theirs.compact().serialize()
    theirs.trim()
    assert (tmp_path / "cut").read_bytes() == theirs.compact().serialize()


def test_results_of_set_operations_are_read_and_a_merge_is_their_union(ink, tmp_path, rng):
    lg_k = rng.randint(5, 11)
    starts = [0, rng.randint(0, 4 << lg_k)]
    sets = [[str(i) for i in range(first, first + rng.randint(0, 6 << lg_k))] for first in starts]
    sketches = []
    for name, keys in zip("ab", sets):
        sketch = datasketches.update_theta_sketch(lg_k)
        for key in keys:
            sketch.update(key)
        sketch.trim()
        sketches.append(sketch)
        (tmp_path / name).write_bytes(sketch.compact().serialize())
        ink("convert", "--from", "auto", "--precision", lg_k, name, name + ".ink")
    union, intersection = datasketches.theta_union(lg_k), datasketches.theta_intersection()
    for sketch in sketches:
        union.update(sketch)
        intersection.update(sketch)
    results = {"both": union.get_result(), "common": intersection.get_result(),
               "rest": datasketches.theta_a_not_b().compute(*sketches)}
    ink("merge", "-o", "both.ink", "a.ink", "b.ink")
    for name, result in results.items():
        (tmp_path / name).write_bytes(result.serialize())
        if name != "both":
            ink("convert", "--from", "auto", name, name + ".ink")
        ink("convert", "--to", "datasketches-theta", name + ".ink", name + ".again")
        assert (tmp_path / (name + ".again")).read_bytes() == result.serialize()


def test_older_versions_of_theta_are_read(ink, tmp_path):
    for keys in (range(0), range(1), range(3), range(5000)):
        theirs = updated(datasketches.update_theta_sketch(12), keys)
        theirs.trim()
        whole = theirs.compact().serialize()
        values = struct.pack(f"<{theirs.num_retained}Q", *sorted(theirs))
        count, theta = struct.pack("<Q", theirs.num_retained), struct.pack("<Q", theirs.theta64)
        forms = [b"\3\1\3\0\0\0\0\0" + count + theta + values, b"\3\2\3\0\0\0" + SEED_HASH + count + theta + values]
        if theirs.theta64 == 2**63 - 1:
            forms.append(b"\2\2\3\0\0\0" + SEED_HASH + count + values)
        if not values:
            forms += [b"\1\2\3\0\0\0" + SEED_HASH, bytes.fromhex("01030300001e0000")]  # the second is Java's
        for form in forms:
            if form[6:8] == SEED_HASH or form[1] == 1:
                assert datasketches.compact_theta_sketch.deserialize(form).get_estimate() == theirs.get_estimate()
            (tmp_path / "theirs").write_bytes(form)
            ink("convert", "--force", "--from", "datasketches-theta", "--key-type", "int", "theirs", "theirs.ink")
            ink("convert", "--force", "--to", "datasketches-theta", "theirs.ink", "again")
            assert (tmp_path / "again").read_bytes() == whole


def test_a_theta_that_cannot_be_is_refused(ink, tmp_path):
    head = "01030300001acc93"
    two = "02030300001acc93 0200000000000000 15f97dcbbd86a105 e56b61eec8804420"
    bad = {
        "another seed": "01030300001ab605 64347bf08ad17b73",
        "version 4": "0104033f011acc93 e56b61eec8804420",
        "version 5": head.replace("0103", "0105") + "e56b61eec8804420",
        "big endian": "01030300001bcc93 e56b61eec8804420",
        "not compact": "010303000012cc93 e56b61eec8804420",
        "a value in an empty one": "01030300001ecc93 e56b61eec8804420",
        "no value": head,
        "two of one": head + "15f97dcbbd86a105 e56b61eec8804420",
        "value 0": head + "0000000000000000",
        "value 2^63 - 1": head + "ffffffffffffff7f",
        "a count of 3": two.replace("0200000000000000", "0300000000000000"),
        "a count of 2^32 - 1": two.replace("0200000000000000", "ffffffff00000000"),
        "falling": "02030300001acc93 0200000000000000 e56b61eec8804420 15f97dcbbd86a105",
        "twice, unordered": "02030300000acc93 0200000000000000 15f97dcbbd86a105 15f97dcbbd86a105",
        "threshold 0": "03030300001acc93 0000000000000000 0000000000000000",
        "threshold 2^63": "03030300001acc93 0000000000000000 0000000000000080",
        "a value at the threshold": "03030300001acc93 0100000000000000 e56b61eec8804420 e56b61eec8804420",
        "a preamble of 4": two.replace("0203", "0403"),
    }
    for text in bad.values():
        refused(ink, tmp_path, bytes.fromhex(text), "--from", "datasketches-theta")
        refused(ink, tmp_path, bytes.fromhex(text), "--from", "auto")
    with open(tmp_path / "bad", "wb") as file:
        file.write(bytes.fromhex(two))
    ink("convert", "--from", "auto", "--precision", 27, "bad", "bad.ink", code=2)


def test_a_theta_of_another_hash_is_not_written(ink, tmp_path):
    for options in ([], ["--hash", "xxh64"], ["--hash", "murmur3-128"], ["--hash", "murmur3-128", "--seed", "7"]):
        ink("build", "theta", *options, "--in", "nul", "-o", "ours.ink", "--force", data=b"a\0b\0")
        ink("convert", "--to", "datasketches-theta", "ours.ink", "ours", code=3)
    ink("build", "theta", "--hash", "murmur3-128", "--seed", 9001, "--in", "nul", "-o", "ours.ink", "--force",
        data=b"a\0b\0c\0")
    ink("convert", "--to", "datasketches-theta", "ours.ink", "ours")
    assert (tmp_path / "ours").read_bytes() == trimmed(12, [b"a", b"b", b"c"])
    ink("build", "--as", "datasketches-theta", "--seed", 7, "--in", "nul", "-o", "no", data=b"a\0", code=2)
    ink("build", "--as", "datasketches-theta", "--hash", "xxh3", "--in", "nul", "-o", "no", data=b"a\0", code=2)


def unmixed(number):
    for factor in (0x9cb4b2f8129337db, 0x4f74430c22a54005):
        number = (number ^ number >> 33) * factor % 2**64
    return number ^ number >> 33


def turned_back(number, by):
    return (number >> by | number << (64 - by)) % 2**64


def key_of_hash(first, second):
    """The key of 16 bytes with this MurmurHash3 x64-128, seed 9001: all its steps can be undone."""
    one, two, seed = 0x87c37b91114253d5, 0x4cf5ad432745937f, 9001
    second = second - first
    first, second = unmixed((first - second) % 2**64), unmixed(second % 2**64)
    second = second - first
    first = (first - second) % 2**64 ^ 16
    second = second % 2**64 ^ 16
    high = turned_back(((second - 0x38495ab5) * pow(5, -1, 2**64) - first) % 2**64, 31) ^ seed
    low = turned_back(((first - 0x52dce729) * pow(5, -1, 2**64) - seed) % 2**64, 27) ^ seed
    high = turned_back(high * pow(one, -1, 2**64) % 2**64, 33) * pow(two, -1, 2**64)
    low = turned_back(low * pow(two, -1, 2**64) % 2**64, 31) * pow(one, -1, 2**64)
    return struct.pack("<QQ", low % 2**64, high % 2**64)


def is_text(key):
    try:
        return b"\0" not in key and key.decode() != ""
    except UnicodeDecodeError:
        return False


def test_a_key_whose_value_is_0_is_left_out(ink, tmp_path):
    key = next(filter(is_text, (key_of_hash(i % 2, i) for i in range(10**7))))  # theirs takes text
    keys = [key, b"a"]
    assert trimmed(12, keys) == trimmed(12, [b"a"])
    ink("build", "--as", "datasketches-theta", "--in", "nul", "-o", "ours", data=records(keys))
    assert (tmp_path / "ours").read_bytes() == trimmed(12, keys)
    ink("build", "theta", "--hash", "murmur3-128", "--seed", 9001, "--in", "nul", "-o", "ours.ink", data=records(keys))
    ink("convert", "--to", "datasketches-theta", "--force", "ours.ink", "ours")
    assert (tmp_path / "ours").read_bytes() == trimmed(12, keys)


# ---- HLL --------------------------------------------------------------------------------------------------------

def registers_of(theirs):
    """Of a sketch of theirs, by what it holds; coupons as the specification of the format has them."""
    image = theirs.serialize_updatable()
    lg_k, mode = image[3], image[7] & 3
    registers = [0] * (1 << lg_k)
    if image[7] == 10:
        return list(image[40:])
    if mode == 2:
        union = datasketches.hll_union(lg_k)
        union.update(theirs)
        return registers_of(union.get_result(TYPES[8]))
    for (coupon,) in struct.iter_unpack("<I", image[8 if mode == 0 else 12:]):
        slot = coupon & (len(registers) - 1)
        registers[slot] = max(registers[slot], min(coupon >> 26, 65 - lg_k))
    return registers


def check_hll(data, lg_k, registers):
    """That these are the bytes of these registers, as a union would have them."""
    theirs = datasketches.hll_sketch.deserialize(data)
    assert theirs.lg_config_k == lg_k
    if not any(registers):
        assert data == datasketches.hll_sketch(lg_k, TYPES[8]).serialize_compact()
        return
    small, large = (sum(2.0**-value for value in registers if (value >= 32) == big) for big in (False, True))
    head = [10, 1, 7, lg_k, 0, 8 | 16, 0, 10, 0.0, small, large, registers.count(0), 0]
    assert data[:40] == struct.pack("<8BdddII", *head)
    assert list(data[40:]) == registers


@pytest.mark.parametrize("name, keys, hex_", [
    ("list", ["hello", "world", 42], "0201070c03080308aac135046c3615071abcd005"),
    ("registers", range(100), "0a0107040008000a15eb1dc787f15440000000000000fb3f0000000000000000000000000000000004020307"
                              "030403060304050202030704")])
def test_the_vectors_of_an_hll(ink, tmp_path, name, keys, hex_):
    data = bytes.fromhex(hex_)
    theirs = datasketches.hll_sketch.deserialize(data)
    (tmp_path / name).write_bytes(data)
    ink("convert", "--from", "auto", name, name + ".ink")
    ink("convert", "--to", "datasketches-hll", name + ".ink", name + ".again")
    check_hll((tmp_path / (name + ".again")).read_bytes(), data[3], registers_of(theirs))
    assert int(ink("distinct", name + ".ink")) == pytest.approx(len(keys), rel=0.6)


def test_every_form_of_an_hll_is_read_and_written(ink, tmp_path, rng):
    lg_k = rng.choice([4, 5, 7, 8, 10, 12, 14, 18])
    keys = some_keys(rng, rng.choice([100, 5000, 20000]))
    theirs = updated(datasketches.hll_sketch(lg_k, TYPES[rng.choice([4, 6, 8])]), keys)
    registers = registers_of(theirs)
    for name, data in (("compact", theirs.serialize_compact()), ("updatable", theirs.serialize_updatable())):
        (tmp_path / name).write_bytes(data)
        ink("convert", "--from", "auto", *type_of(keys), name, name + ".ink")
        ink("convert", "--to", "datasketches-hll", name + ".ink", name + ".again")
        ours = (tmp_path / (name + ".again")).read_bytes()
        check_hll(ours, lg_k, registers)
        if theirs.serialize_compact()[7] & 3 == 2:
            union = datasketches.hll_union(lg_k)
            union.update(theirs)
            union.update(theirs)  # now it is out of order, too
            loaded = datasketches.hll_sketch.deserialize(ours)
            assert loaded.get_estimate() == union.get_estimate()
            assert loaded.get_upper_bound(2) == union.get_upper_bound(2)


def test_an_hll_that_we_build_has_their_registers_and_theirs_can_go_on(ink, tmp_path, rng):
    lg_k = rng.randint(4, 14)
    keys = some_keys(rng, 10000)
    ink("build", "--as", "datasketches-hll", "--precision", lg_k, *type_of(keys), "--in", "nul", "-o", "ours",
        data=records(keys))
    theirs = updated(datasketches.hll_sketch(lg_k, TYPES[8]), keys)
    ours = (tmp_path / "ours").read_bytes()
    check_hll(ours, lg_k, registers_of(theirs))
    loaded = datasketches.hll_sketch.deserialize(ours)
    for sketch in (theirs, loaded):
        updated(sketch, range(1000))
    assert registers_of(loaded) == registers_of(theirs)


def test_a_merge_of_two_precisions_is_their_union(ink, tmp_path, rng):
    sizes = [rng.randint(4, 12), rng.randint(4, 12)]
    registers, union = [0] * (1 << min(sizes)), datasketches.hll_union(min(sizes))
    for name, lg_k in zip("ab", sizes):
        theirs = datasketches.hll_sketch(lg_k, TYPES[rng.choice([4, 6, 8])])
        updated(theirs, int_keys(rng, rng.choice([10, 3000])))
        union.update(theirs)
        for slot, value in enumerate(registers_of(theirs)):
            slot &= len(registers) - 1
            registers[slot] = max(registers[slot], value)
        (tmp_path / name).write_bytes(theirs.serialize_compact())
        ink("convert", "--from", "auto", "--key-type", "int", name, name + ".ink")
    ink("merge", "-o", "both.ink", "a.ink", "b.ink")
    ink("convert", "--to", "datasketches-hll", "both.ink", "both")
    check_hll((tmp_path / "both").read_bytes(), min(sizes), registers)
    if sizes[0] == min(sizes):  # 5.2.0 takes what it reduced for empty, and drops it
        assert registers_of(union.get_result(TYPES[8])) == registers


def test_an_hll_4_with_values_beside_its_registers(ink, tmp_path):
    for values in ({0: 15, 9: 63, 15: 40}, {slot: 20 + slot for slot in range(16)}):
        registers = [values.get(slot, 0) for slot in range(16)]
        least = min(registers)
        nibbles = [min(value - least, 15) for value in registers]
        packed = bytes(nibbles[i] | nibbles[i + 1] << 4 for i in range(0, 16, 2))
        beside = [struct.pack("<I", value << 26 | slot) for slot, value in values.items() if value - least >= 15]
        table = [beside[0], bytes(4), *beside[1:], *[bytes(4)] * (3 - len(beside))]

        def image(beside, flags, count=len(beside), packed=packed, least=least):
            head = [10, 1, 7, 4, 2, flags, least, 2, 0, 1, 1, 1, count]
            return struct.pack("<8BdddII", *head) + packed + b"".join(beside)
        for data in (image(beside, 16 | 8), image(table, 16)):
            (tmp_path / "good").write_bytes(data)
            ink("convert", "--force", "--from", "auto", "good", "good.ink")
            ink("convert", "--force", "--to", "datasketches-hll", "good.ink", "again")
            check_hll((tmp_path / "again").read_bytes(), 4, [min(value, 61) for value in registers])
        other = struct.pack("<I", 50 << 26 | 1)
        for data in (image(beside[:-1], 16 | 8), image(beside[:-1], 16 | 8, len(beside) - 1), image(table[:-1], 16),
                     image([*beside[1:], other], 16 | 8), image([*beside[1:], bytes(4)], 16 | 8),
                     image(beside[:-1] + beside[:1], 16 | 8, len(beside) + (len(beside) == 1)),
                     image(beside, 16 | 8, least=49)):
            refused(ink, tmp_path, data, "--from", "auto")


def test_an_hll_that_cannot_be_is_refused(ink, tmp_path):
    good = bytes.fromhex("0201070c03080308aac135046c3615071abcd005")

    def changed(at, value, data=good):
        return data[:at] + bytes([value]) + data[at + 1:]
    registers = updated(datasketches.hll_sketch(5, TYPES[8]), range(100)).serialize_compact()
    bad = [changed(0, 3), changed(1, 2), changed(2, 9), changed(3, 3), changed(3, 19), changed(3, 22), changed(5, 0),
           changed(5, 12), changed(6, 2), changed(6, 4), changed(7, 11), changed(7, 3), changed(7, 12), changed(7, 24),
           changed(11, 0), good[:7], good[:-1], good + b"\0", good + bytes(4), b"",
           changed(45, 64, registers), registers[:-1], registers + b"\0", registers[:39], changed(36, 1, registers)]
    for data in bad:
        refused(ink, tmp_path, data, "--from", "datasketches-hll")
        refused(ink, tmp_path, data, "--from", "auto")
    ink("build", "hll", "--precision", 12, "--in", "nul", "-o", "ours.ink", data=b"a\0")
    ink("convert", "--to", "datasketches-hll", "ours.ink", "ours", code=3)
    ink("build", "--as", "datasketches-hll", "--seed", 7, "--in", "nul", "-o", "no", data=b"a\0", code=2)


def test_the_default_of_an_hll_is_theirs(ink, tmp_path):
    ink("build", "--as", "datasketches-hll", "--in", "nul", "-o", "ours", data=b"a\0")
    assert datasketches.hll_sketch.deserialize((tmp_path / "ours").read_bytes()).lg_config_k == 12


# ---- Bloom filters ----------------------------------------------------------------------------------------------

VECTOR = bytes.fromhex("04011500030000007b000000000000000200000000000000ffffffffffffffff"
                       "04000080000410000000100000080000")


def positions(key, hashes, seed, bits):
    data = struct.pack("<q", key) if isinstance(key, int) else key
    first = xxhash.xxh64_intdigest(data, seed)
    second = xxhash.xxh64_intdigest(data, first)
    return [((first + i * second) % 2**64 >> 1) % bits for i in range(1, hashes + 1)]


def filter_bytes(keys, hashes, seed, bits):
    field = bytearray(bits // 8)
    for key in keys:
        for position in positions(key, hashes, seed, bits):
            field[position // 8] |= 1 << position % 8
    if not keys:
        return struct.pack("<BBBBHHQII", 3, 1, 21, 4, hashes, 0, seed, bits // 64, 0)
    return struct.pack("<BBBBHHQIIQ", 4, 1, 21, 0, hashes, 0, seed, bits // 64, 0, 2**64 - 1) + bytes(field)


def test_the_vector_of_a_bloom_filter(ink, tmp_path):
    assert filter_bytes([b"hello", 42], 3, 123, 128) == VECTOR
    (tmp_path / "theirs").write_bytes(VECTOR)
    ink("convert", "--from", "auto", "theirs", "theirs.ink")
    assert ink("filter", "theirs.ink", data=b"hello\nhallo\nhi\n") == b"hello\n"
    ink("convert", "--from", "auto", "--key-type", "int", "theirs", "ints.ink")
    assert ink("filter", "ints.ink", data=b"41\n42\n43\n") == b"42\n"
    ink("convert", "--to", "datasketches-bloom", "theirs.ink", "again")
    assert (tmp_path / "again").read_bytes() == VECTOR


def test_a_bloom_filter_answers_as_its_model(ink, tmp_path, rng):
    keys = rng.choice([int_keys, text_keys])(rng, rng.choice([10, 200]))
    members, hashes, seed = keys[:len(keys) // 2], rng.randint(1, 20), rng.getrandbits(64)
    bits = 64 * rng.randint(1, 40)
    theirs = filter_bytes(members, hashes, seed, bits)
    if rng.random() < 0.3:  # Java's preamble, and a filter whose bits were counted
        theirs = b"\3" + theirs[1:24] + struct.pack("<Q", sum(byte.bit_count() for byte in theirs[32:])) + theirs[32:]
    (tmp_path / "theirs").write_bytes(theirs)
    ink("convert", "--from", "auto", *type_of(keys), "theirs", "theirs.ink")
    field = theirs[32:]
    said = [key for key in keys
            if all(field[p // 8] >> p % 8 & 1 for p in positions(key, hashes, seed, bits))]
    assert ink("filter", "--in", "nul", "theirs.ink", data=records(keys)) == records(said)
    ink("convert", "--to", "datasketches-bloom", "theirs.ink", "again")
    assert (tmp_path / "again").read_bytes() == filter_bytes(members, hashes, seed, bits)


def test_a_bloom_filter_that_we_build_has_their_size_and_bits(ink, tmp_path, rng):
    keys = rng.choice([int_keys, text_keys])(rng, 100)[:rng.choice([0, 3, 100])]
    count, rate, seed = rng.randint(1, 1000), rng.choice([0.5, 0.1, 0.03, 0.01, 1e-4]), rng.getrandbits(64)
    bits = math.ceil(-count * math.log(rate) / math.log(2)**2)
    hashes = math.ceil(-math.log(rate) / math.log(2))
    ink("build", "--as", "datasketches-bloom", "-n", count, "-p", rate, "--seed", seed, "--max-rate", 1, "-q",
        *type_of(keys), "--in", "nul", "-o", "ours", data=records(keys))
    assert (tmp_path / "ours").read_bytes() == filter_bytes(keys, hashes, seed, -(-bits // 64) * 64)


def test_a_bloom_filter_that_cannot_be_is_refused(ink, tmp_path):
    def changed(at, text, data=VECTOR):
        value = bytes.fromhex(text)
        return data[:at] + value + data[at + len(value):]
    empty = filter_bytes([], 3, 1, 128)
    bad = [changed(0, "02"), changed(0, "05"), changed(1, "02"), changed(3, "04"), changed(4, "0000"),
           changed(4, "ffff"), changed(16, "01"), changed(16, "00"), changed(16, "ffffffff"),
           changed(24, "81" + "00" * 7), VECTOR[:-1], VECTOR + b"\0", VECTOR[:31], empty + b"\0", empty[:23],
           changed(16, "ffffff7f", empty), changed(3, "00", empty)]
    for data in bad:
        (tmp_path / "bad").write_bytes(data)
        for name in ("datasketches-bloom", "auto"):
            ink("convert", "--from", name, "bad", "bad.ink", code=2 if data[4:6] == b"\xff\xff" else 3)
    ink("build", "classic", "--hash", "datasketches-bloom", "--bits", 100, "--hashes", 3, "-o", "ours.ink", data=b"a\n")
    ink("convert", "--to", "datasketches-bloom", "ours.ink", "ours", code=3)


# ---- Others -----------------------------------------------------------------------------------------------------

def others():
    made = {"CPC": datasketches.cpc_sketch(11), "KLL": datasketches.kll_floats_sketch(200),
            "REQ": datasketches.req_floats_sketch(12), "quantiles": datasketches.quantiles_floats_sketch(128),
            "frequent items": datasketches.frequent_strings_sketch(5), "CountMin": datasketches.count_min_sketch(3, 32)}
    for name, sketch in made.items():
        for _ in range(20):
            sketch.update("hello" if name in ("CPC", "frequent items", "CountMin") else 1.5)
        yield name, sketch.serialize()
    yield "CPC", bytes.fromhex("0801100b000ecc9301000000010000000000000000fe9f40000000000000f03faa060000")
    yield "VarOpt", bytes.fromhex("c4020d0020000000")
    yield "theta sketch that takes keys", bytes.fromhex("c303020c0408cc93") + bytes(300)


@pytest.mark.parametrize("name, data", list(others()))
def test_other_families_are_named_and_refused(tmp_path, name, data):
    (tmp_path / "other").write_bytes(data)
    for given in ("auto", "datasketches-theta", "datasketches-hll", "datasketches-bloom"):
        done = subprocess.run([os.environ["INK_COMMAND"], "convert", "--from", given, "other", "other.ink"],
                              cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == 3 and name.encode() in done.stderr, done.stderr
