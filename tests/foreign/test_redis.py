"""HyperLogLog of Redis: files that redis-server gave are read, those of ours are loaded, and both hold the same
registers."""
import shutil
import socket
import subprocess
import tempfile
import time

import pytest
from conftest import records, text_keys

REGISTERS = 1 << 14


class Redis:
    """A client of a redis-server: a command, its reply."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.file = self.socket.makefile("rb")

    def __call__(self, *words):
        words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        self.socket.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%b\r\n" % (len(word), word) for word in words))
        return self.reply()

    def reply(self):
        line = self.file.readline()
        kind, text = line[:1], line[1:-2]
        assert kind in b"+:$", line
        if kind != b"$":
            return int(text) if kind == b":" else text
        return self.file.read(int(text) + 2)[:-2] if text != b"-1" else None


@pytest.fixture(scope="module")
def redis():
    """A server of our own, on a socket in a folder of our own."""
    folder = tempfile.mkdtemp(prefix="ink-redis-")
    path = folder + "/socket"
    server = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--dir", folder],
                              stdout=subprocess.DEVNULL)
    try:
        for _ in range(200):
            try:
                client = Redis(path)
                break
            except OSError:
                time.sleep(0.05)
        yield client
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(folder)


def registers(value):
    """Of a HYLL value, as Redis reads them."""
    assert value[:4] == b"HYLL" and value[5:8] == bytes(3)
    data = value[16:]
    if value[4] == 0:
        bits = int.from_bytes(data, "little")
        return [bits >> 6 * i & 63 for i in range(REGISTERS)]
    found, at = [], 0
    while at < len(data):
        if data[at] >= 128:
            found += [(data[at] >> 2 & 31) + 1] * ((data[at] & 3) + 1)
        elif data[at] >= 64:
            found += [0] * (((data[at] & 63) << 8 | data[at + 1]) + 1)
            at += 1
        else:
            found += [0] * (data[at] + 1)
        at += 1
    assert len(found) == REGISTERS
    return found


def test_values_are_those_of_redis_both_ways(rng, redis, ink, files):
    count = rng.choice([1, 2, 5, 30, 300, 1000, 3000])
    keys = text_keys(rng, count) if count <= 1000 else [b"\xff%d" % i for i in range(count)]
    half = keys[:len(keys) // 2 + 1]
    more = half[len(half) // 2:] + [b"other \xe9 %d" % i for i in range(rng.choice([0, 10, 2000]))]
    redis("FLUSHALL")
    redis("PFADD", "theirs", *half)
    redis("PFADD", "more", *more)
    theirs = redis("GET", "theirs")
    ink("build", "--as", "redis-hll", "--in", "nul", "-o", "ours", data=records(half))
    ours = files("ours")
    assert registers(ours) == registers(theirs)
    assert len(ours) <= len(theirs) and ours[8:16] == bytes(7) + b"\x80"
    redis("SET", "ours", ours)
    assert redis("PFCOUNT", "ours") == redis("PFCOUNT", "theirs")

    # What Redis gives is read, in each form, without its name.
    for name, value in ("get", theirs), ("cli", theirs + b"\n"), ("dump", redis("DUMP", "theirs")):
        files(name, value)
        ink("convert", "--from", "redis-hll", name, name + ".ink")
        ink("convert", "--to", "redis-hll", name + ".ink", name + ".back")
        assert files(name + ".back") == ours
    assert redis("RESTORE", "again", 0, files("dump"), "REPLACE") == b"OK"
    redis("PFCOUNT", "theirs")  # which is kept in the value
    files("get", redis("GET", "theirs"))
    ink("convert", "--force", "get", "get.ink")
    estimate = int(ink("distinct", "get.ink"))
    assert abs(estimate - redis("PFCOUNT", "theirs")) <= 1 + estimate // 1000

    # Their union is ours.
    files("more", redis("GET", "more"))
    ink("convert", "more", "more.ink")
    ink("merge", "get.ink", "more.ink", "-o", "all.ink")
    ink("convert", "--to", "redis-hll", "all.ink", "all")
    redis("PFMERGE", "all", "ours", "more")
    assert registers(redis("GET", "all")) == registers(files("all"))
    redis("SET", "all of ours", files("all"))
    assert redis("PFCOUNT", "all of ours") == redis("PFCOUNT", "all")


def test_a_value_that_few_keys_made_is_the_same_bytes(redis, ink, files):
    redis("FLUSHALL")
    redis("PFADD", "few", "hello", "world", "foo")
    ink("build", "--as", "redis-hll", "-o", "few", data=b"hello\nworld\nfoo\n")
    assert files("few") == redis("GET", "few")
    assert files("few").hex() == "48594c4c0100000000000000000000804ab58851fc90474a805bfe"
    redis("PFADD", "none")
    ink("build", "--as", "redis-hll", "-o", "none", data=b"")
    assert registers(files("none")) == registers(redis("GET", "none"))
    ink("convert", "none", "none.ink")
    assert int(ink("distinct", "none.ink")) == 0


def test_a_large_value_is_dense_and_a_compressed_dump_is_read(redis, ink, files):
    keys = [b"%d" % i for i in range(100000)]
    redis("FLUSHALL")
    for first in range(0, len(keys), 10000):
        redis("PFADD", "large", *keys[first:first + 10000])
    ink("build", "--as", "redis-hll", "-o", "ours", data=b"\n".join(keys))
    theirs = redis("GET", "large")
    assert files("ours")[16:] == theirs[16:] and files("ours")[4] == 0
    redis("PFADD", "sparse", *keys[:200])
    redis("CONFIG", "SET", "hll-sparse-max-bytes", 0)
    redis("PFADD", "sparse", "one more")  # which makes it dense, and most of it zeros
    redis("CONFIG", "SET", "hll-sparse-max-bytes", 3000)
    dump = redis("DUMP", "sparse")
    assert dump[1] == 0xc3 and redis("GET", "sparse")[4] == 0
    files("dump", dump)
    ink("convert", "--from", "auto", "dump", "dump.ink")
    ink("convert", "--to", "redis-hll", "dump.ink", "back")
    assert registers(files("back")) == registers(redis("GET", "sparse"))


def test_what_redis_refuses_is_refused(redis, ink, files):
    redis("FLUSHALL")
    redis("PFADD", "few", "hello", "world", "foo")
    good = redis("GET", "few")
    for damaged in good[:-1], good + b"\0", good[:5] + b"\1" + good[6:], good[:4] + b"\2" + good[5:], \
            good[:16] + b"\x80" + good[16:], good[:16] + b"\x3f" + good[17:], good + b"\n\n":
        files("bad", damaged)
        ink("convert", "--force", "--from", "redis-hll", "bad", "bad.ink", code=3)
    dump = redis("DUMP", "few")
    for at in range(len(dump)):
        files("bad", dump[:at] + bytes([dump[at] ^ 0x10]) + dump[at + 1:])
        ink("convert", "--force", "--from", "redis-hll", "bad", "bad.ink", code=3)
    ink("build", "--as", "redis-hll", "--precision", "12", "-o", "bad", data=b"", code=2)
    ink("build", "hll", "-o", "other.ink", data=b"a\n")
    ink("convert", "--force", "--to", "redis-hll", "other.ink", "bad", code=3)
