"""Filters of DCSO's bloom, beside the command of Debian's golang-github-dcso-bloom-cli."""
import gzip
import shutil
import struct
import subprocess

import pytest
from conftest import int_keys, text_keys

BLOOM = shutil.which("bloom")
VECTOR = bytes.fromhex("01000000000000000a000000000000007b14ae47e17a843f0700000000000000"
                       "5f00000000000000030000000000000020852020402b01004605080000000000")


@pytest.fixture
def bloom(tmp_path):
    def run(*arguments, keys=()):
        return subprocess.run([BLOOM, *map(str, arguments)], input=b"".join(key + b"\n" for key in keys), cwd=tmp_path,
                              capture_output=True, check=True).stdout
    return run


def some_keys(rng, count):
    """Lines: empty, short and long, some that are no text."""
    keys = {b"", *text_keys(rng, count // 2)}
    while len(keys) < count:
        key = rng.randbytes(rng.randint(1, 40))
        if not set(key) & set(b"\0\n\r"):
            keys.add(key)
    return rng.sample(sorted(keys), count)


def test_the_vector(ink, bloom, tmp_path):
    ink("build", "--as", "dcso", "-n", 10, "-p", 0.01, "--in", "nul", "-q", "-o", "ours", data=b"hello\0world\0foo\0")
    bloom("create", "-n", 10, "-p", 0.01, "theirs", keys=[b"hello", b"world", b"foo"])
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes() == VECTOR


def test_theirs_is_read_and_written_again(ink, bloom, tmp_path, rng):
    keys = some_keys(rng, 200)
    members = keys[:rng.choice([0, 1, 20, 100])]
    count, rate = rng.randint(1, 300), rng.choice([0.3, 0.1, 0.01, 1e-5])
    bloom("create", "-n", count, "-p", rate, "theirs", keys=members)
    theirs = (tmp_path / "theirs").read_bytes()
    ink("convert", "-q", "--from", "auto", "theirs", "theirs.ink")
    asked = b"".join(key + b"\n" for key in keys)
    said = bloom("check", "theirs", keys=keys)
    assert ink("filter", "theirs.ink", data=asked, code=0 if said else 1) == said
    ink("convert", "-q", "--to", "dcso", "theirs.ink", "again")
    again = (tmp_path / "again").read_bytes()
    assert again[:40] + again[48:] == theirs[:40] + theirs[48:]


def test_ours_is_theirs(ink, bloom, tmp_path, rng):
    keys = some_keys(rng, 200)
    members = keys[:rng.choice([0, 1, 20, 100])]
    count, rate = rng.randint(100, 1000), rng.choice([0.3, 0.1, 0.01, 1e-5])
    ink("build", "--as", "dcso", "-n", count, "-p", rate, "-q", "--in", "nul", "-o", "ours",
        data=b"".join(key + b"\0" for key in members * 2))
    bloom("create", "-n", count, "-p", rate, "theirs", keys=members)
    ours, theirs = (tmp_path / "ours").read_bytes(), (tmp_path / "theirs").read_bytes()
    assert ours[:40] + ours[48:] == theirs[:40] + theirs[48:]
    inserted, records = struct.unpack("<Q", ours[40:48])[0], len(members)
    assert 0.6 * records <= inserted <= 1.6 * records + 5
    assert bloom("check", "ours", keys=keys) == bloom("check", "theirs", keys=keys)
    bloom("join", "ours", "theirs")
    assert (tmp_path / "ours").read_bytes()[48:] == theirs[48:]


def test_each_different_record_is_an_insert(ink, bloom, tmp_path):
    members = [b"%d" % i for i in range(5000)]
    ink("build", "--as", "dcso", "-n", 5000, "-p", 1e-6, "-q", "-o", "ours", data=b"\n".join(members) + b"\n")
    bloom("create", "-n", 5000, "-p", 1e-6, "theirs", keys=members)
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


def test_free_data_is_dropped_by_name_and_hides_a_filter_without(ink, bloom, tmp_path):
    bloom("create", "-n", 10, "-p", 0.01, "theirs", keys=[b"hello", b"world", b"foo"])
    bloom("set-data", "theirs", keys=[b"what it is for"])
    ink("convert", "-q", "--from", "auto", "theirs", "theirs.ink", code=3)
    ink("convert", "-q", "--from", "dcso", "theirs", "theirs.ink")
    assert ink("filter", "theirs.ink", data=b"hello\nhallo\n") == b"hello\n"


def test_what_cannot_be_is_refused(ink, tmp_path):
    def changed(at, value):
        return VECTOR[:at] + value + VECTOR[at + len(value):]
    bad = [VECTOR[:-1], VECTOR[:47], b"", gzip.compress(VECTOR), changed(0, b"\2"), changed(1, b"\1"),
           changed(16, bytes(8)), changed(16, struct.pack("<d", 1.0)), changed(16, struct.pack("<d", -0.5)),
           changed(16, struct.pack("<d", float("nan"))), changed(24, bytes(8)), changed(24, b"\xff" * 8),
           changed(32, bytes(8)), changed(32, b"\x81"), changed(32, b"\xff" * 8), changed(32, b"\xff" * 7 + b"\x7f"),
           changed(63, b"\x80"), changed(32, b"\x50")]
    for data in bad:
        (tmp_path / "bad").write_bytes(data)
        for name in ("dcso", "auto"):
            ink("convert", "--from", name, "bad", "bad.ink", code=3)
    ink("build", "classic", "--hash", "dcso", "--bits", 100, "--hashes", 3, "-o", "ours.ink", data=b"a\n")
    ink("convert", "--to", "dcso", "ours.ink", "ours", code=3)
    ink("build", "--as", "dcso", "--key-type", "int", "-n", 10, "-o", "ours", data=b"1\n", code=2)


def test_ints_are_hashed_as_their_text(ink, bloom, tmp_path, rng):
    numbers = [b"%d" % key for key in int_keys(rng, 20)]
    ink("build", "--as", "dcso", "-n", 100, "-q", "-o", "ours", data=b"\n".join(numbers) + b"\n")
    assert bloom("check", "ours", keys=numbers).split() == numbers
