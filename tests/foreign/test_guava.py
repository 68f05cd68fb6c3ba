"""BloomFilter of Guava, with both strategies and the funnels of texts and numbers."""
import math

import pytest

from conftest import int_keys, text_keys

# A filter of 10 keys and the rate 0.03, by funnel.
FILTERS = [
    ("utf8", ["hello".encode(), "héllo".encode()], "010500000002001000004a1084040000004000002000"),
    ("long", [42, -7], "01050000000200000080000001100100002000000040"),
    ("int", [42], "01050000000200000080000200000800002000008000"),
    ("chars", [b"hello"], "01050000000200000000008080800000000000080800"),
]


@pytest.mark.parametrize("funnel, keys, expected", FILTERS)
def test_filters_are_those_of_guava(sketches, funnel, keys, expected):
    expected = bytes.fromhex(expected)
    assert sketches.built("guava", "-n", 10, "-p", "0.03", "--funnel", funnel, keys=keys) == expected
    assert sketches.again("guava", expected, "--funnel", funnel) == expected
    assert sketches.kept(keys) == keys
    texts = [str(key).encode() if funnel in ("long", "int") else key for key in keys]
    assert sketches.asked(texts, "guava", expected, "--funnel", funnel) == texts


@pytest.mark.parametrize("strategy, plain", [(0, "guava-32"), (1, "guava")])
@pytest.mark.parametrize("funnel, suffix, keys", [("utf8", "", [b"a"]), ("chars", "-chars", [b"a"]), ("long", "", [1]),
                                                  ("int", "-int", [1])])
def test_the_strategy_of_the_file_and_the_funnel_name_the_hash(sketches, strategy, plain, funnel, suffix, keys):
    data = sketches.built("guava", "-n", 10, "--hash", plain, "--funnel", funnel, keys=keys)
    assert data[0] == strategy
    assert sketches.again("guava", data, "--funnel", funnel) == data
    assert f"hash {plain}{suffix}," in sketches.ink("info", "again.ink").decode()
    assert sketches.built("guava", "-n", 10, "--hash", plain + suffix, keys=keys) == data
    other = "guava" if strategy == 0 else "guava-32"
    why = sketches.refused("guava", data, "--hash", other + suffix)
    assert f"--hash {other}{suffix}, but the file has {plain}" in why


def test_a_funnel_says_of_which_type_keys_are(sketches, ink):
    data = sketches.built("guava", "-n", 10, "--funnel", "int", keys=[5])
    assert sketches.again("guava", data, "--funnel", "int") == data  # and no --key-type
    assert sketches.kept([5]) == [5]
    assert b"not kept: the funnel" in ink("convert", "--to", "guava", "again.ink", "x", error=True)
    assert "utf8 takes bytes keys" in sketches.refused("guava", data, "--funnel", "utf8", "--key-type", "int")
    ink("build", "--as", "guava", "--funnel", "chars", "--key-type", "int", "-o", "x", "-", data=b"1\n", code=2)
    ink("build", "--as", "guava", "--funnel", "int", "--key-type", "bytes", "-o", "x", "-", data=b"1\n", code=2)
    ink("build", "--as", "guava", "--funnel", "int", "--hash", "guava-chars", "-o", "x", "-", data=b"1\n", code=2)
    ink("build", "--as", "spark-v1", "--funnel", "int", "-o", "x", "-", data=b"1\n", code=2)
    ink("build", "classic", "--funnel", "int", "-o", "x", "-", data=b"1\n", code=2)


def test_more_hashes_than_a_byte_counts_are_not_written(sketches, ink):
    ink("build", "--as", "guava", "--bits", 64, "--hashes", 256, "-o", "x", "-", data=b"a\n", code=2)
    assert sketches.built("guava", "--bits", 60, "--hashes", 255, keys=[b"a"])[:6] == bytes.fromhex("01ff00000001")


# ---- Damage --------------------------------------------------------------------------------------


def test_parts_and_more_than_a_file_are_refused(sketches):
    data = bytes.fromhex(FILTERS[0][2])
    for part in [data[:length] for length in range(len(data))] + [data + b"\0"]:
        assert "byte" in sketches.refused("guava", part)


@pytest.mark.parametrize("at, value, text", [
    (0, "02", "strategy 2"), (0, "ff", "strategy 255"), (1, "00", "0 hashes"), (2, "00000000", "0 words"),
    (2, "80000000", "2147483648 words"), (2, "ffffffff", "4294967295 words"),
    (2, "00000001", "1 words of 8 bytes, but 16"),
])
def test_numbers_out_of_range_are_refused_at_their_byte(sketches, at, value, text):
    data = bytearray.fromhex(FILTERS[0][2])
    data[at:at + len(value) // 2] = bytes.fromhex(value)
    assert text in sketches.refused("guava", bytes(data))


# ---- Guava's class -------------------------------------------------------------------------------


def small_ints(rng, count):
    keys = {0, -1, 2**31 - 1, -(2**31)}
    while len(keys) < count:
        keys.add(rng.randrange(-2**31, 2**31))
    return rng.sample(sorted(keys), count)


def some_filter(rng):
    """A funnel, keys to add, these and others to ask for, how many keys are planned for, and the rate."""
    keys, funnel = rng.choice([(text_keys, "utf8"), (text_keys, "chars"), (int_keys, "long"), (small_ints, "int")])
    count = rng.choice([1, 2, 10, 100, 400])
    every = keys(rng, 2 * count + 6)
    return funnel, every[:count], every, count + rng.randrange(50), math.exp(rng.uniform(math.log(1e-9), math.log(0.7)))


@pytest.mark.java
def test_filters_both_ways(java, sketches, rng):
    funnel, added, asked, n, p = some_filter(rng)
    strategy = rng.randrange(2)
    words = "-n", n, "-p", repr(p), "--funnel", funnel, "--hash", ("guava-32", "guava")[strategy]
    sketches.both_ways(java, "guava", words, form=funnel, numbers=(n, p, strategy), keys=added, asked=asked,
                    reading=("--funnel", funnel))


@pytest.mark.java
def test_filters_of_guava_33_3_both_ways(old_java, sketches, rng):
    funnel, added, asked, n, p = some_filter(rng)
    theirs, _ = old_java.ask("guava", funnel, (n, p, 1), added=added)
    assert theirs[1] == max(1, math.floor(int(-n * math.log(p) / math.log(2)**2) / n * math.log(2) + 0.5))
    words = "--bits", 8 * (len(theirs) - 6), "--hashes", theirs[1], "--funnel", funnel
    sketches.both_ways(old_java, "guava", words, form=funnel, numbers=(n, p, 1), keys=added, asked=asked,
                    reading=("--funnel", funnel))
