"""BloomFilter of Spark, in both versions, and CountMinSketch."""
import math

import pytest

from conftest import int_keys, text_keys
from sketches import union

SIZE = "--bits", 128, "--hashes", 9
TEXTS, INTS = ["hello".encode(), "héllo".encode()], [42, -7]
# A filter of 10 keys and 128 bits, with "hello", "héllo", 42L and -7L.
FILTERS = [
    ("spark-v1", (), "000000010000000900000002423f910408042b0003201800e2400192"),
    ("spark-v2", (), "000000020000000900000000000000024081060478103050100e004064924ba1"),
    ("spark-v2", ("--seed", 7), "00000002000000090000000700000002008811020001982005780009f4082313"),
]
# Depth 2, width 4, seed 1; "hello" three times, 42L five times, -7L once.
COUNTS = ("0000000100000000000000090000000200000004000000005d8d6ab9000000000cdc4e6c"
          "000000000000000300000000000000050000000000000001000000000000000000000000000000000000000000000003"
          "00000000000000050000000000000001")
# spark.range(100).select(hex(count_min_sketch("id", 3.0, 0.1, 1))), of Spark's documentation.
RANGE = "0000000100000000000000640000000100000001000000005D8D6AB90000000000000064"


# ---- Vectors -------------------------------------------------------------------------------------


@pytest.mark.parametrize("system, words, expected", FILTERS)
def test_a_filter_of_several_types_is_the_union_of_ours(sketches, system, words, expected):
    expected = bytes.fromhex(expected)
    parts = [sketches.built(system, *SIZE, *words, keys=keys) for keys in (TEXTS, INTS)]
    assert union(*parts) == expected
    assert sketches.again(system, expected) == expected
    assert sketches.kept(TEXTS) == TEXTS
    assert sketches.again(system, expected, "--key-type", "int") == expected
    assert sketches.kept(INTS) == INTS


@pytest.mark.parametrize("keys, seed", [(keys, seed) for keys in (TEXTS, INTS) for seed in (0, 7, 2**32 - 1)])
def test_filters_with_and_without_a_size_given_are_equal(sketches, keys, seed):
    size = sketches.built("spark-v2", "-n", 2, "-p", "0.01", "--seed", seed, keys=keys)
    assert sketches.built("spark-v2", "-p", "0.01", "--seed", seed, keys=keys) == size


def test_counts_of_several_types_are_in_one_file(sketches):
    expected = bytes.fromhex(COUNTS)
    assert sketches.again("spark-count-min", expected) == expected
    assert sketches.counted([b"hello"]) == [3]
    assert sketches.again("spark-count-min", expected, "--key-type", "int") == expected
    assert sketches.counted([42, -7]) == [5, 1]
    built = [sketches.built("spark-count-min", "--width", 4, "--depth", 2, "--seed", 1, keys=keys)
             for keys in ([b"hello"] * 3, [42] * 5 + [-7])]
    words = [[int.from_bytes(data[at:at + 8], "big") for at in range(36, len(data), 8)] for data in (*built, expected)]
    assert [a + b for a, b in zip(*words[:2])] == words[2]
    assert {data[12:36] for data in built} == {expected[12:36]}


def test_the_sketch_of_their_documentation_is_read(sketches):
    expected = bytes.fromhex(RANGE)
    assert sketches.again("spark-count-min", expected, "--key-type", "int") == expected
    assert sketches.counted([3, 1000]) == [100, 100]
    assert sketches.built("spark-count-min", "--width", 1, "--depth", 1, "--seed", 1, keys=list(range(100))) == expected


# ---- Sizes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("n, p, bits, hashes", [
    (10, 0.03, 72, 5), (1000, 0.03, 7298, 5), (1, 0.5, 1, 1), (100, 1e-6, 2875, 20), (7, 0.99, 0, 1),
])
def test_filters_are_sized_as_spark_does(sketches, n, p, bits, hashes):
    for system, head in (("spark-v1", 12), ("spark-v2", 16)):
        data = sketches.built(system, "-n", n, "-p", p, keys=[b"a"])
        assert len(data) == head + 8 * max(1, math.ceil(bits / 64))
        assert int.from_bytes(data[4:8], "big") == hashes


@pytest.mark.parametrize("n, bits, words, hashes", [
    (10, 100, 2, 7), (10, 1, 1, 1), (50, 64, 1, 1), (1, 64, 1, 44), (2, 1024, 16, 355),
])
def test_bits_that_are_asked_for_become_words_and_their_hashes(sketches, n, bits, words, hashes):
    assert hashes == max(1, math.floor(bits / n * math.log(2) + 0.5))
    data = sketches.built("spark-v1", "-n", n, "--bits", bits, keys=[b"a"])
    assert data[:12].hex() == f"00000001{hashes:08x}{words:08x}"


@pytest.mark.parametrize("eps, delta, depth, width", [
    ("0.001", "0.01", 7, 2000), ("0.1", "0.5", 1, 20), ("0.3", "0.25", 2, 7), ("0.02", "0.125", 3, 100),
    ("0.9", "0.9", 1, 3), ("0.01", "1e-9", 30, 200), ("0.01", "1e-15", 50, 200),
])
def test_counts_are_sized_as_spark_does(sketches, eps, delta, depth, width):
    data = sketches.built("spark-count-min", "--eps", eps, "--delta", delta, keys=[b"a"])
    assert depth == math.ceil(-math.log1p(-(1 - float(delta))) / math.log(2))
    assert [int.from_bytes(data[at:at + 4], "big") for at in (12, 16)] == [depth, width]


@pytest.mark.parametrize("system, words", [
    ("spark-count-min", ["--counters", 32]), ("spark-count-min", ["--conservative"]),
    ("spark-count-min", ["--eps", "1e-10"]), ("spark-count-min", ["--seed", 2**48]),
    ("spark-v1", ["--seed", 1]), ("spark-v2", ["--seed", 2**32]),
])
def test_what_spark_does_not_have_is_refused_before_data_is_read(sketches, system, words):
    sketches.ink("build", "--as", system, *words, "-o", "x", "no-such-file", code=2)


def test_a_filter_of_version_1_above_2_to_the_31_bits_keeps_the_bits_that_it_can_have(sketches):
    words = (1 << 25) + 3
    with open(sketches.folder / "large", "wb") as out:
        out.write(bytes.fromhex("0000000100000002") + words.to_bytes(4, "big"))
        out.truncate(12 + 8 * words)
    sketches.ink("convert", "--from", "spark-v1", "large", "large.ink")
    assert b'"bits":2147483648,' in sketches.ink("info", "--json", "large.ink").replace(b" ", b"")
    with open(sketches.folder / "large", "r+b") as out:
        out.seek(-1, 2)
        out.write(b"\1")
    assert "a bit above the 2^31" in sketches.refused("spark-v1", (sketches.folder / "large").read_bytes())


# ---- Damage --------------------------------------------------------------------------------------


@pytest.mark.parametrize("system, data", [(system, bytes.fromhex(data)) for system, _, data in FILTERS] +
                         [("spark-count-min", bytes.fromhex(COUNTS))])
def test_parts_and_more_than_a_file_are_refused(sketches, system, data):
    for part in [data[:length] for length in range(len(data))] + [data + b"\0"]:
        assert "byte" in sketches.refused(system, part)


@pytest.mark.parametrize("system, at, value, text", [
    ("spark-v1", 0, 2, "version 2, expected 1"), ("spark-v2", 0, 1, "version 1, expected 2"),
    ("spark-v1", 4, 0, "0 hashes"), ("spark-v2", 4, 1025, "1025 hashes"), ("spark-v1", 4, 2**32 - 1, "hashes"),
    ("spark-v1", 8, 0, "0 words"), ("spark-v2", 12, 2**31, "2147483648 words"), ("spark-v2", 12, 2**32 - 1, "words"),
    ("spark-count-min", 0, 2, "version 2"), ("spark-count-min", 4, 2**31, "a total below 0"),
    ("spark-count-min", 12, 0, "0 rows"), ("spark-count-min", 12, 65, "65 rows"),
    ("spark-count-min", 16, 0, "counters"), ("spark-count-min", 16, 2**32 - 1, "counters"), ("spark-count-min", 20, 1, "factors"),
    ("spark-count-min", 24, 2**31 - 1, "factors"), ("spark-count-min", 36, 2**31, "a counter below 0"),
])
def test_numbers_out_of_range_are_refused_at_their_byte(sketches, system, at, value, text):
    data = bytearray.fromhex({**{name: data for name, _, data in FILTERS}, "spark-count-min": COUNTS}[system])
    data[at:at + 4] = value.to_bytes(4, "big")
    assert text in sketches.refused(system, bytes(data))


# ---- Spark's classes -----------------------------------------------------------------------------


def some_keys(rng, most):
    """Keys to add, these and others to ask for, how the class takes them, and how the command does."""
    keys, form, reading = rng.choice([(text_keys, "utf8", ()), (text_keys, "binary", ()),
                                      (int_keys, "long", ("--key-type", "int"))])
    count = rng.choice([1, 2, 10, 100, most])
    every = keys(rng, 2 * count + 6)
    return every[:count], every, form, reading


def some_size(rng, keys):
    """How many keys are planned for, and the rate."""
    return len(keys) + rng.randrange(50), math.exp(rng.uniform(math.log(1e-9), math.log(0.7)))


@pytest.mark.java
@pytest.mark.parametrize("system", ["spark-v1", "spark-v2"])
def test_filters_both_ways(java, sketches, rng, system):
    added, asked, form, reading = some_keys(rng, 400)
    n, p = some_size(rng, added)
    seed = rng.choice([0, 1, -1, rng.randrange(-2**31, 2**31)]) if system == "spark-v2" else 0
    words = ["-n", n, "-p", repr(p)] + (["--seed", seed % 2**32] if seed else [])
    sketches.both_ways(java, system, words, form=form, numbers=(n, p, seed), keys=added, asked=asked, reading=reading)


@pytest.mark.java
@pytest.mark.parametrize("system", ["spark-v1", "spark-v2"])
def test_filters_of_the_default_version_both_ways(java, old_java, sketches, rng, system):
    added, asked, form, reading = some_keys(rng, 400)
    n, p = some_size(rng, added)
    theirs, _ = (old_java if system == "spark-v1" else java).ask("spark", form, (n, p, 0), added=added)
    assert theirs[3] == int(system[-1])
    assert sketches.built(system, "-n", n, "-p", repr(p), keys=added) == theirs
    _, answers = java.ask("spark", form, sketch=theirs, asked=asked)
    assert sketches.again(system, theirs, *reading) == theirs
    assert sketches.kept(asked) == [key for key, answer in zip(asked, answers) if answer]


@pytest.mark.java
def test_counts_both_ways(java, sketches, rng):
    some, asked, form, reading = some_keys(rng, 150)
    added = rng.choices(some, k=rng.randrange(1, 400))
    eps = rng.choice([0.5, 0.1, 0.01, rng.uniform(0.01, 0.9)])
    confidence = rng.choice([0.5, 0.75, 0.99, rng.uniform(0.5, 0.999)])
    seed = rng.choice([0, 1, -1, 42, rng.randrange(-2**31, 2**31)])
    theirs, _ = java.ask("spark-count-min", form, (eps, confidence, seed), added=added)
    size = "--eps", repr(eps), "--delta", repr(1 - confidence)
    ours = sketches.built("spark-count-min", *size, "--seed", seed % 2**48, keys=added)
    assert ours == theirs
    assert sketches.again("spark-count-min", theirs, *reading) == theirs
    written, answers = java.ask("spark-count-min", form, sketch=ours, asked=asked)
    assert written == ours and sketches.counted(asked) == answers
