"""The text of programs with mmh3: lists of indexes, or of bits, as Python and Spark print them."""
import math

import mmh3
import pytest

from conftest import text_keys

# 100 bits and 7 hashes, unsigned and signed, of two titles.
TITLES = {
    b"tt0111161": ([37, 74, 52, 66, 95, 40, 32], [37, 78, 52, 70, 95, 40, 32]),
    b"tt0068646": ([80, 54, 78, 24, 46, 89, 62], [80, 54, 82, 24, 46, 89, 66]),
}
SIZE = "--bits", 100, "--hashes", 7


def positions(key, bits, hashes, signed):
    return [mmh3.hash(key, seed, signed=signed) % bits for seed in range(hashes)]


def bits_of(indexes, bits):
    listed = [0] * bits
    for index in indexes:
        listed[index] = 1
    return listed


def text_of(indexes):
    return f"{sorted(set(indexes))}\n".encode()


@pytest.mark.parametrize("signed, hash_name", [(False, "mmh3"), (True, "mmh3-signed")])
def test_filters_are_the_published_ones(sketches, signed, hash_name):
    lists = [lists[signed] for lists in TITLES.values()]
    assert [positions(key, 100, 7, signed) for key in TITLES] == lists
    together = [index for indexes in lists for index in indexes]
    assert sketches.built("index-list", *SIZE, "--hash", hash_name, keys=list(TITLES)) == text_of(together)
    for text in (f"{together}", f"{together}\r\n", " ".join(map(str, together)), "\n".join(map(str, together)) + "\n",
                 ",".join(map(str, together)), f"[8, {together}]\n", f"(8, {together})\n", f"('8.0',{together})",
                 f"8\t{together}\n", f"{bits_of(together, 100)}", f"[8, {bits_of(together, 100)}]\n",
                 " ".join(map(str, bits_of(together, 100)))):
        assert sketches.again("index-list", text.encode(), *SIZE, "--hash", hash_name) == text_of(together)
        assert sketches.kept(list(TITLES)) == list(TITLES)
    words = *SIZE, "--hash", hash_name
    assert sketches.asked([*TITLES, b"another"], "index-list", text_of(together), *words) == list(TITLES)


def test_lists_of_bits_say_their_size_and_may_be_of_several_groups(sketches):
    sizes = {1: 100, 2: 37, 10: 1000}
    lists = {group: bits_of(positions(b"a", bits, 7, False), bits) for group, bits in sizes.items()}
    text = "".join(f"[{group}, {bits}]\n" for group, bits in lists.items())  # as saveAsTextFile writes lists of Python
    (sketches.folder / "part-00000").write_text(text)
    sketches.ink("convert", "--from", "index-list", "--hashes", 7, "part-00000", "groups.ink")
    shown = [line.split() for line in sketches.ink("info", "groups.ink").decode().splitlines()]
    assert [(int(words[1]), int(words[2])) for words in shown if words[:1] == ["classic"]] == list(sizes.items())
    sketches.ink("convert", "--to", "index-list", "groups.ink", "all", code=2)


def test_an_empty_list_is_an_empty_filter(sketches):
    assert sketches.again("index-list", b"[]", *SIZE) == b"[]\n"
    assert sketches.kept(list(TITLES)) == []
    assert sketches.built("index-list", *SIZE, keys=[]) == b"[]\n"


def test_many_numbers_are_written_in_full(sketches):
    every = list(range(100000))
    assert sketches.again("index-list", str(every).encode(), "--bits", 100000, "--hashes", 1) == text_of(every)


@pytest.mark.parametrize("text, words, why", [
    ("[1, 2]", (), "--hashes is not in a list"), ("[1, 2]", ("--hashes", 7), "--bits is not in a list"),
    ("[1, 100]", SIZE, "index 100, expected at most 99"), ("[4294967296]", SIZE, "expected a number below 2^32"),
    ("[99999999999999999999]", SIZE, "expected a number below 2^32"), ("[-1]", SIZE, '"-", expected a number'),
    ("[1.5]", SIZE, '".", expected a comma or ]'), ("[1 2]", SIZE, '"2", expected a comma or ]'),
    ("[1, 2", SIZE, "the text ends"), ("[1, 2]]", SIZE, '"]", expected the end of the line'),
    ("[1, [1, 2]", SIZE, "the text ends, expected ]"), ("(1, [1, 2]]", SIZE, "expected )"), ("", SIZE, "the text ends"),
    ("\n\n", SIZE, "the text ends"), ("hello\nworld\n", SIZE, '"h", expected a number'),
    ("1 2x", SIZE, '"x", expected'),
    ("1,,2", SIZE, '",", expected a number'), ("\0\1", SIZE, '"\\x00", expected a number'),
    ("[0, 1, 0]", SIZE, "3 bits, expected 100"), ("[[1, 2]]", SIZE, '"[", expected a number'),
    ("[1]\n[2]", SIZE, "several lists of indexes"), ("[a, [1]]\n[b, [2]]\n", SIZE, "several lists of indexes"),
    ("[0, 1, 1]\n[7]\n", ("--hashes", 2), "--bits is not in a list"), ("[1]\n1 2", SIZE, "several lists of indexes"),
    ("[" + "a" * 32 + ", [1, 2]]", SIZE, '"a", expected a number'),
    ("[1, 2]", ("--bits", 2**33, "--hashes", 1), "at most 2^32"),
    ("[1, 2]", ("--bits", 100, "--hashes", 65), "--hashes 65"),
])
def test_other_texts_are_refused_with_what_was_expected(sketches, text, words, why):
    assert why in sketches.refused("index-list", text.encode(), *words)


def test_no_text_is_taken_for_a_list_without_its_name(sketches):
    for text in ("1 2 3\n", "[1, 2]", "[1, [0, 1, 1]]"):
        assert "fits no format" in sketches.refused("auto", text.encode())
    (sketches.folder / "list").write_text("[1, 2]")
    sketches.ink("convert", "--from", "auto", *SIZE, "list", "found.ink")


def test_filters_with_another_seed_are_not_written(sketches):
    sketches.ink("build", "--as", "index-list", *SIZE, "--seed", 5, "-o", "x", "-", data=b"a\n", code=2)
    sketches.ink("build", "classic", *SIZE, "--hash", "mmh3", "--seed", 5, "-o", "x.ink", "-", data=b"a\n")
    sketches.ink("convert", "--to", "index-list", "x.ink", "x", code=3)


def test_filters_are_those_of_mmh3(sketches, rng):
    signed = rng.random() < 0.5
    hash_name = "mmh3-signed" if signed else "mmh3"
    count = rng.choice([1, 10, 100])
    every = text_keys(rng, 2 * count + 6)
    keys, p = every[:count], math.exp(rng.uniform(math.log(1e-6), math.log(0.5)))
    bits = max(1, round(-len(keys) * math.log(p) / math.log(2) ** 2))
    hashes = max(1, round(bits / len(keys) * math.log(2)))
    indexes = [index for key in keys for index in positions(key, bits, hashes, signed)]
    assert sketches.built("index-list", "-p", repr(p), "--hash", hash_name, keys=keys) == text_of(indexes)
    listed = bits_of(indexes, bits)
    text = str([8, listed] if bits > 2 else [8, indexes]).encode()
    sketches.again("index-list", text, "--bits", bits, "--hashes", hashes, "--hash", hash_name)
    assert sketches.kept(every) == [key for key in every
                                 if all(listed[index] for index in positions(key, bits, hashes, signed))]
