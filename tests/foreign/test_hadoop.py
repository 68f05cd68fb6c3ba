"""BloomFilter of Hadoop's util.bloom, with both hashes, and CountingBloomFilter."""
import pytest

from conftest import text_keys

KEYS = ["hello".encode(), "hé".encode(), "é".encode()]
SIZE = "--bits", 100, "--hashes", 3
# 100 bits and 3 hashes, by hash, with KEYS.
FILTERS = {"hadoop-jenkins": "ffffffff00000003000000006402000000008a00000241080008",
           "hadoop": "ffffffff0000000301000000640000000002020440080090c000"}
HASHES = pytest.mark.parametrize("hash_name", FILTERS)


def counting(data, m):
    """A CountingBloomFilter, in our words: the indexes of the buckets above 0."""
    words = [int.from_bytes(data[at:at + 8], "big") for at in range(13, len(data), 8)]
    return [i for i in range(m) if words[i // 16] >> 4 * (i % 16) & 15]


def bits_of(data, m):
    return [i for i in range(m) if data[13 + i // 8] >> i % 8 & 1]


@HASHES
def test_filters_are_those_of_hadoop(sketches, hash_name):
    expected = bytes.fromhex(FILTERS[hash_name])
    assert sketches.built("hadoop", *SIZE, "--hash", hash_name, keys=KEYS) == expected
    assert sketches.again("hadoop", expected) == expected
    assert sketches.kept(KEYS) == KEYS


def test_a_head_of_old_is_read_and_the_new_one_written(sketches):
    new = bytes.fromhex(FILTERS["hadoop-jenkins"])
    assert sketches.again("hadoop", new[4:8] + new[9:]) == new
    assert sketches.kept(KEYS) == KEYS


def test_the_file_says_which_hash_it_has(sketches):
    assert "--hash hadoop, but the file has hadoop-jenkins" in sketches.refused(
        "hadoop", bytes.fromhex(FILTERS["hadoop-jenkins"]), "--hash", "hadoop")


@HASHES
def test_the_empty_key_which_hadoop_refuses_is_a_key_here(sketches, hash_name):
    empty = sketches.built("hadoop", *SIZE, "--hash", hash_name, keys=[b""])
    assert any(empty[13:])
    assert sketches.again("hadoop", sketches.built("hadoop", *SIZE, "--hash", hash_name, keys=[b"", *KEYS]))
    assert sketches.kept([b""]) == [b""]


def test_the_buckets_of_a_counting_filter_become_bits(sketches):
    words = [0x1000000000000f01, 0x0000000000000020, 0]
    head = bytes.fromhex("ffffffff000000030100000025")
    data = head + b"".join(word.to_bytes(8, "big") for word in words)
    (sketches.folder / "counting").write_bytes(data)
    said = sketches.ink("convert", "--from", "hadoop-counting", "counting", "counting.ink", error=True)
    assert b"not kept: how often" in said
    sketches.ink("convert", "--to", "hadoop", "counting.ink", "plain")
    plain = (sketches.folder / "plain").read_bytes()
    assert plain[:13] == head and bits_of(plain, 37) == [0, 2, 15, 17] == counting(data, 37)
    sketches.ink("build", "--as", "hadoop-counting", *SIZE, "-o", "x", "-", data=b"a\n", code=2)
    assert "a bucket after the last one" in sketches.refused("hadoop-counting", data[:-6] + b"\0\1" + data[-4:])


# ---- Damage --------------------------------------------------------------------------------------


@HASHES
def test_parts_and_more_than_a_file_are_refused(sketches, hash_name):
    data = bytes.fromhex(FILTERS[hash_name])
    for part in [data[:length] for length in range(len(data))] + [data + b"\0"]:
        assert "byte" in sketches.refused("hadoop", part)
        assert "byte" in sketches.refused("hadoop-counting", part)


@pytest.mark.parametrize("at, value, text", [
    (0, "fffffffe", "version -2"), (0, "80000000", "version -2147483648"), (0, "00000000", "0 hashes"),
    (4, "00000000", "0 hashes"), (4, "00000401", "1025 hashes"), (4, "ffffffff", "hashes"), (8, "02", "hash 2"),
    (9, "00000000", "size 0"), (9, "80000000", "size 2147483648"), (9, "7fffffff", "expected 268435456"),
    (25, "18", "bits 0x1 set above the last one"),
])
def test_numbers_out_of_range_are_refused_at_their_byte(sketches, at, value, text):
    data = bytearray.fromhex(FILTERS["hadoop"])
    data[at:at + len(value) // 2] = bytes.fromhex(value)
    assert text in sketches.refused("hadoop", bytes(data))


# ---- Hadoop's classes ----------------------------------------------------------------------------


def some_filter(rng):
    """Keys to add, these and others to ask for, and bits, hashes and the hash; Hadoop takes no empty key."""
    count = rng.choice([1, 2, 10, 100, 400])
    every = [key for key in text_keys(rng, 2 * count + 6) if key]
    bits = rng.choice([1, 2, 7, 8, 9, 64, 1000, rng.randrange(1, 10000)])
    return every[:count], every, (bits, rng.randrange(1, 20), rng.randrange(2))


@pytest.mark.java
def test_filters_both_ways(java, sketches, rng):
    added, asked, numbers = some_filter(rng)
    words = "--bits", numbers[0], "--hashes", numbers[1], "--hash", ("hadoop-jenkins", "hadoop")[numbers[2]]
    sketches.both_ways(java, "hadoop", words, form="binary", numbers=numbers, keys=added, asked=asked)


@pytest.mark.java
def test_counting_filters_answer_as_hadoop_does(java, sketches, rng):
    added, asked, numbers = some_filter(rng)
    theirs, answers = java.ask("hadoop-counting", "binary", numbers, added=added, asked=asked)
    (sketches.folder / "counting").write_bytes(theirs)
    sketches.ink("convert", "-q", "--from", "hadoop-counting", "counting", "again.ink")
    assert sketches.kept(asked) == [key for key, answer in zip(asked, answers) if answer]


@pytest.mark.java
def test_hadoop_refuses_the_empty_key(java):
    with pytest.raises(ValueError, match="key length must be > 0"):
        java.ask("hadoop", "binary", (100, 3, 1), added=[b""])
