"""Theta sketches in Puffin files of Iceberg: the files are written here as its specification has them, the sketches by
DataSketches' package from PyPI, compressed by pyarrow.
"""
import json
import struct

import datasketches
import pyarrow
import pytest
from conftest import int_keys, text_keys

THETA = "apache-datasketches-theta-v1"
VECTOR = "deletion-vector-v1"


def serialized(lg_k, keys, trim=False):
    sketch = datasketches.update_theta_sketch(lg_k)
    for key in keys:
        sketch.update(key if isinstance(key, int) else key.decode())
    if trim:
        sketch.trim()
    return sketch.compact().serialize()


def compressed(data, codec):
    return data if codec is None else pyarrow.compress(data, codec, asbytes=True)


def puffin(blobs, flags=0, rng=None, **more):
    """A file of (type, fields, codec, bytes); members of `more` change what the footer says of each blob."""
    data, listed = b"PFA1", []
    for number, (kind, fields, codec, blob) in enumerate(blobs):
        stored = compressed(blob, codec)
        one = {"type": kind, "fields": fields, "snapshot-id": 3055729675574597004, "sequence-number": number + 1,
               "offset": len(data), "length": len(stored), "properties": {"ndv": "17"}}
        if codec is not None:
            one["compression-codec"] = codec
        listed.append(one | more)
        data += stored
    footer = {"blobs": listed, "properties": {"created-by": "a test, \"}]\""}}
    if rng is not None:
        for one in listed:
            rng.shuffle(keys := list(one))
            one.update({key: one.pop(key) for key in keys})
    text = json.dumps(footer, indent=rng.choice([None, 2]) if rng else None).encode()
    return data + b"PFA1" + text + struct.pack("<II", len(text), flags) + b"PFA1"


def numbers(ink, *arguments):
    """What ink distinct says of each group."""
    return {line["group"]: line["estimate"]
            for line in map(json.loads, ink("distinct", "--json", *arguments).splitlines()) if "estimate" in line}


def test_each_column_is_a_group_and_its_sketch_is_that_of_datasketches(rng, ink, files):
    fields = rng.sample(range(1, 3000), rng.randint(1, 6))
    keys = int_keys(rng, 9000) if rng.random() < 0.5 else text_keys(rng, 300)
    kind = ["--key-type", "int"] if isinstance(keys[0], int) else []
    sketches = {str(field): serialized(rng.choice([5, 9, 12]), keys[:rng.choice([0, 1, 2, 100, 9000])])
                for field in fields}
    blobs = [(THETA, [int(field)], rng.choice([None, "zstd"]), data) for field, data in sketches.items()]
    for _ in range(rng.choice([0, 0, 1, 3])):
        blobs.insert(rng.randint(0, len(blobs)), (VECTOR, [2147483545], None, rng.randbytes(rng.randint(0, 100))))
    files("stats.puffin", puffin(blobs, rng=rng))
    ink("convert", "--from", "puffin", *kind, "stats.puffin", "all.ink")
    assert numbers(ink, "all.ink") == {field: pytest.approx(estimate(data), abs=0.51) for field, data in sketches.items()}
    for field, data in sketches.items():
        ink("convert", "--force", "--from", "puffin", "--key", field, *kind, "stats.puffin", "one.ink")
        ink("convert", "--force", "--to", "datasketches-theta", "one.ink", "one.bin")
        assert files("one.bin") == data


def estimate(data):
    return datasketches.compact_theta_sketch.deserialize(data).get_estimate()


def test_a_file_is_known_by_its_first_bytes_and_columns_of_two_files_overlap(ink, files):
    for name, first in ("a", 0), ("b", 500):
        keys = [b"%d" % i for i in range(first, first + 1000)]
        files(name, puffin([(THETA, [7], "zstd", serialized(12, keys)), (THETA, [8, 9], None, serialized(12, keys[:9]))]))
    assert ink("distinct", "--key", "7", "a") == b"1000\n"
    assert numbers(ink, "a") == {"7": 1000, "8,9": 9}
    assert ink("distinct", "--key", "8,9", "a") == b"9\n"
    assert json.loads(ink("overlap", "--key", "7", "--json", "a", "b"))["intersection"] == 500
    ink("merge", "--from", "puffin", "-o", "both.ink", "a", "b")
    assert numbers(ink, "both.ink") == {"7": 1500, "8,9": 18}


GOOD = (THETA, [3], None, serialized(12, range(20)))
LARGE = serialized(12, range(4000))


@pytest.mark.parametrize("data, options, expected", [
    (puffin([GOOD, (THETA, [4, 5], None, GOOD[3])]), ["--key", "9"],
     'no theta sketch of field "9", expected one of the fields 3, 4,5 (--key)'),
    (puffin([GOOD, GOOD]), ["--key", "3"], "2 theta sketches of field 3, expected one"),
    (puffin([GOOD, GOOD]), [], 'two sketches of kind theta with the same label (group "3")'),
    (puffin([(VECTOR, [], None, b"x")]), [], "without theta sketches, expected blobs of type " + THETA),
    (puffin([]), [], "without theta sketches"),
    (puffin([GOOD], flags=1), [], "a footer compressed with lz4, expected one that is not"),
    (puffin([GOOD], flags=2), [], "flags 0x2, expected 0 or 1"),
    (puffin([GOOD], **{"compression-codec": "lz4"}), [], 'compressed with "lz4", expected zstd or none'),
    (puffin([GOOD], **{"compression-codec": "zstd"}), [], "other bytes, expected a frame of zstd"),
    (puffin([(THETA, [3], None, b"\x27\xb5\x2f\xfd" + bytes(20))], **{"compression-codec": "zstd"}), [],
     "other bytes, expected a frame of zstd"),
    (puffin([(THETA, [3], None, bytes.fromhex("28b52ffd0058010000"))], **{"compression-codec": "zstd"}), [],
     "no frame of zstd that states its content size"),
    (puffin([(THETA, [3], None, 2 * compressed(GOOD[3], "zstd"))], **{"compression-codec": "zstd"}), [],
     "a frame of zstd that is not"),
    (puffin([(THETA, [3], None, compressed(GOOD[3], "zstd")[:-1])], **{"compression-codec": "zstd"}), [],
     "a frame of zstd that is not"),
    (puffin([(THETA, [3], "zstd", bytes(10**5))]), [], "bytes in a frame of"),
    (puffin([GOOD], fields=[]), [], "a blob without a list of fields"),
    (puffin([GOOD], fields=["3"]), [], "a blob without a list of fields"),
    (puffin([GOOD], fields=list(range(40))), [], "a blob without a list of fields"),
    (puffin([GOOD], offset=-4), [], 'a blob without the number "offset"'),
    (puffin([GOOD], length="9"), [], 'a blob without the number "length"'),
    (puffin([GOOD], offset=3), [], "expected it before the footer"),
    (puffin([GOOD], length=2**63 - 1), [], "expected it before the footer"),
    (puffin([GOOD], offset=2**63 - 1), [], "expected it before the footer"),
    (puffin([GOOD], length=len(GOOD[3]) - 8), [], "field 3: 20 values of 8 bytes"),
    (puffin([(THETA, [1], None, LARGE), (THETA, [2], None, b"")], offset=4, length=len(LARGE)), [], "its blob shares bytes with others"),
    (puffin([GOOD], type=None), [], "a blob without a type"),
    (puffin([GOOD])[:-1], [], "does not end with PFA1"),
    (puffin([GOOD]) + b"\n", [], "does not end with PFA1"),
    (b"PFA1", [], "does not end with PFA1"),
    (b"PFA1" + bytes(4) + b"PFA1{}" + struct.pack("<II", 2, 0) + b"PFA1", [], "a footer without a list of blobs"),
    (b"PFA1" + bytes(4) + b"PFA1{]" + struct.pack("<II", 2, 0) + b"PFA1", [], "the footer: ']', expected"),
    (b"PFA1" + bytes(4) + b"PFA2{}" + struct.pack("<II", 2, 0) + b"PFA1", [], "before the footer, expected PFA1"),
])
def test_files_that_are_refused_say_why(sketches, data, options, expected):
    assert expected in sketches.refused("puffin", data, *options)
