"""Bad files, bad numbers and what is closed already, as a Python program meets them: one exception of the package,
with the message of the library and its location, and sketches and files as they were before.

What the library does with every byte of a file is tested in C; here is that nothing of it is lost on the way.
"""

from __future__ import annotations

import errno
import gzip
import math
import os
import pickle
import re
import resource
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import inkling
from inkling import Sketch

SECRET = b"sixteen bytes ok"


@pytest.fixture(name="encoded", scope="module")
def fixture_encoded() -> bytes:
    return Sketch("bloom", n=100).add([f"key {number}" for number in range(100)]).to_bytes()


def refused(data: bytes, tmp_path: Path) -> str:
    """What is said of these bytes, as bytes and as a file, which is left as it is."""
    with pytest.raises(inkling.FormatError) as as_bytes:
        Sketch.from_bytes(data)
    path = tmp_path / "bad.ink"
    path.write_bytes(data)
    with pytest.raises(inkling.FormatError) as as_file:
        inkling.open(path)
    assert as_file.value.path == str(path) and as_file.value.message == as_bytes.value.message
    assert str(as_file.value).startswith(f"{path}: byte ") and "\n" not in str(as_file.value)
    assert path.read_bytes() == data and os.listdir(tmp_path) == ["bad.ink"]
    return as_bytes.value.message


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    assert refused(b"", tmp_path) == "too short: 0 bytes, the header alone needs 64"


def test_every_truncation_is_refused(encoded: bytes) -> None:
    for length in range(len(encoded)):
        with pytest.raises(inkling.FormatError):
            Sketch.from_bytes(encoded[:length])


def test_every_flipped_byte_is_refused(encoded: bytes) -> None:
    for offset in range(len(encoded)):
        damaged = bytearray(encoded)
        damaged[offset] ^= 1 << offset % 8
        with pytest.raises(inkling.FormatError):
            Sketch.from_bytes(damaged)


def test_bytes_after_the_end_are_refused(encoded: bytes, tmp_path: Path) -> None:
    assert refused(encoded + b"x", tmp_path) == "1 bytes after the end of the file's contents"


def test_two_files_in_one_are_reported_as_such(encoded: bytes, tmp_path: Path) -> None:
    assert refused(encoded + encoded, tmp_path).startswith("another .ink file begins after the end of this one")


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"user,day\n1,2\n", "text"),
        (gzip.compress(b"x"), "gzip data"),
        (bytes(5000), "zeros"),
        (b"HYLL" + bytes(60), "a Redis HyperLogLog"),
        (b"\1\7\0\0\0\x10" + b"Z" * 128, "a BloomFilter of Guava"),
        (pickle.dumps([1, 2, 3]), "something else"),
    ],
    ids=["text", "gzip", "zeros", "redis", "guava", "pickle"],
)
def test_files_of_other_programs_are_refused_by_name(data: bytes, name: str, tmp_path: Path) -> None:
    assert refused(data, tmp_path) == f"not an .ink file, but {name}"


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, "/dev/null", "/dev/zero"):
        with pytest.raises(inkling.InklingError, match="not a regular file"):
            inkling.open(path)
    with pytest.raises(FileNotFoundError):
        inkling.open(tmp_path / "none.ink")
    with open(tmp_path / "large.ink", "wb") as large:
        large.truncate(1 << 40)
    with pytest.raises(inkling.FormatError, match="not an .ink file, but zeros"):
        inkling.open(tmp_path / "large.ink")


def test_a_fifo_is_no_file_of_sketches_and_is_read_as_data(tmp_path: Path) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    with pytest.raises(inkling.FormatError, match="not a regular file"):
        inkling.open(path)  # without waiting for a writer
    writer = threading.Thread(target=lambda: path.write_bytes(b"ant\nbee\nant\n"))
    writer.start()
    assert inkling.build(path, "hll").records == 3
    writer.join()


def test_a_file_that_was_replaced_is_asked_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.ink"
    Sketch("bloom", n=1000).add("ant").save(path)
    for lazy in (False, True):
        with inkling.open(path, lazy=lazy) as file:
            Sketch("hll").add("bee").save(path)
            assert "ant" in file.sketch() and file.kinds == ("bloom",)
            assert inkling.open(path).kinds == ("hll",)
            file.save(path)
    assert "ant" in inkling.open(path).sketch()


def cut_when_mapped(path: Path, ended: threading.Event) -> None:
    while not ended.is_set():
        if str(path) in Path("/proc/self/maps").read_text():
            os.truncate(path, 4096)
            return


def message_of_a_cut(path: Path, content: bytes, job: Callable[[], object]) -> str:
    """What a job says whose data is cut while it reads; one that was faster has another try."""
    for _ in range(50):
        path.write_bytes(content)
        ended = threading.Event()
        cutter = threading.Thread(target=cut_when_mapped, args=(path, ended))
        cutter.start()
        try:
            job()
        except OSError as error:
            return str(error)
        finally:
            ended.set()
            cutter.join()
    raise AssertionError("it was never cut in time")


def test_data_that_is_cut_while_it_is_read_is_an_error(tmp_path: Path) -> None:
    """As a log is whose rotation copies it and cuts it to nothing: the interpreter does not die of SIGBUS."""
    data, output = tmp_path / "data.txt", tmp_path / "out.txt"
    output.write_text("old")
    none = inkling.build(b"", "bloom", n=10)
    lines = b"".join(b"%d\n" % number for number in range(200_000)) * 20
    for job in (
        lambda: inkling.build(data, "bloom", n=10**6),
        lambda: inkling.build(data, "scalable"),
        lambda: inkling.filter(none, data, invert=True, output=output),
        lambda: inkling.uniq(data, output=output),
    ):
        assert message_of_a_cut(data, lines, job) == f"{data}: the file was truncated while it was read"
    data.write_bytes(b"ant\nbee\n")
    assert inkling.build(data, "hll").records == 2
    assert output.read_text() == "old" and sorted(os.listdir(tmp_path)) == ["data.txt", "out.txt"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"a\nb", "a\\x0ab"),
        (b"\x1b[31m\x7f", "\\x1b[31m\\x7f"),
        (b"\xff\xfe", "\\xff\\xfe"),
        (b"\xc2\x9bm", "\\xc2\\x9bm"),
        (b"a\\b", "a\\x5cb"),
        ("größe".encode(), "größe"),
        (b"-dash", "-dash"),
    ],
    ids=["line end", "escape", "no text", "control", "backslash", "text", "dash"],
)
def test_whatever_a_file_is_called_what_is_wrong_is_reported_in_one_line(name: bytes, shown: str, tmp_path: Path) -> None:
    """As the command shows it; the attributes have the name as it is."""
    path = os.fsdecode(os.fsencode(tmp_path) + b"/" + name)
    for use in (lambda: inkling.build(path, "hll"), lambda: inkling.open(path)):
        with pytest.raises(FileNotFoundError) as caught:
            use()
        assert str(caught.value) == f"{tmp_path}/{shown}: cannot open: No such file or directory"
        assert caught.value.filename == caught.value.path == path  # type: ignore[attr-defined]
        str(caught.value).encode("utf-8")
    Path(path).write_bytes(b"ant\n")
    assert inkling.build(path, "hll").records == 1
    inkling.build(path, "hll").save(path)
    with inkling.open(path) as file:
        assert repr(file).startswith(f"<inkling {tmp_path}/{shown}: 1 sketch")
    assert os.listdir(os.fsencode(tmp_path)) == [name]


@pytest.mark.parametrize("rate", [0, 1, 2, -1, math.nan, math.inf, -math.inf, 5e-324, 1e-300])
def test_a_rate_that_is_none_is_refused(rate: float) -> None:
    with pytest.raises(ValueError, match="^p .*, expected (a number above 0|above 0 and below 1|1e-05 to 0.5)"):
        Sketch("bloom", n=1000, p=rate)


@pytest.mark.parametrize("keys", [0, -1, 2**63, 2**64, 1e30, math.nan, math.inf, 0.5, "5", "1e6"])
def test_a_number_of_keys_that_is_none_is_refused(keys: Any) -> None:
    with pytest.raises((ValueError, TypeError, OverflowError, MemoryError)):
        Sketch("bloom", n=keys)


def test_another_hash_seed_or_secret_is_not_merged_and_both_are_named() -> None:
    sketch = Sketch("bloom", n=100).add("a")
    digest = sketch.digest
    for other in (Sketch("bloom", n=100, seed=5).add("b"), Sketch("bloom", n=100, hash="xxh64").add("b"),
                  Sketch("bloom", n=100, secret=SECRET).add("b")):
        with pytest.raises(inkling.MismatchError) as caught:
            sketch.merge(other)
        assert " and " in str(caught.value) or "expected" in str(caught.value)
        assert sketch.digest == digest


def test_a_wrong_secret_is_reported_by_its_fingerprint_and_never_answers() -> None:
    encoded = Sketch("bloom", n=100, secret=SECRET).add("a").to_bytes()
    with pytest.raises(inkling.MismatchError) as caught:
        Sketch.from_bytes(encoded, secret=bytes(16))
    assert re.search("another secret: its check value is [0-9a-f]{16}, the sketch has [0-9a-f]{16}", str(caught.value))
    assert SECRET.hex() not in str(caught.value) and SECRET.decode() not in str(caught.value)


def limited(limit: int, most: int, program: str, *arguments: object) -> str:
    """What a program prints that has this limit."""
    words = [sys.executable, "-c", "import errno, inkling, os, sys\n" + textwrap.dedent(program), *map(str, arguments)]
    done = subprocess.run(
        words,
        preexec_fn=lambda: resource.setrlimit(limit, (most, most)),
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        timeout=120,
    )
    return done.stdout


@pytest.mark.skipif(bool(os.environ.get("INK_SAN")), reason="a sanitizer has memory of its own")
def test_a_limit_on_memory_is_an_error_and_the_next_call_works() -> None:
    program = """
        for make in (lambda: inkling.Sketch("bloom", n=10**9), lambda: inkling.build(b"a\\n", "bloom", n=10**9)):
            try:
                make()
            except MemoryError as error:
                print(type(error).__name__, error)
        print(inkling.Sketch("bloom", n=1000).add("a").records)
    """
    text = "OutOfMemoryError no memory for 1319108607 bytes\n"
    assert limited(resource.RLIMIT_AS, 1 << 30, program) == text + text + "1\n"


def test_a_limit_on_the_size_of_files_leaves_the_old_file(tmp_path: Path) -> None:
    """The write fails, and SIGXFSZ kills no process."""
    path = tmp_path / "x.ink"
    path.write_text("old")
    program = """
        path = sys.argv[1]
        sketch = inkling.Sketch("bloom", n=10**5).add("a")
        sketches = inkling.build(b"a,1\\nb,2\\n", "bloom", n=10**5, format="csv", key=1, by=2)
        filtered = lambda: inkling.filter(inkling.build(b"a\\n"), b"a\\n" * 10**5, output=path)
        generated = lambda: inkling.generate("u64", path, n=10**4)
        for write in (lambda: sketch.save(path), lambda: sketches.save(path), filtered, generated):
            try:
                write()
            except OSError as error:
                print(error.errno == errno.EFBIG, error.filename == path, str(error)[len(path):])
    """
    assert limited(resource.RLIMIT_FSIZE, 1000, program, path) == "True True : cannot write: File too large\n" * 4
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["x.ink"]


def test_a_device_that_is_full_is_reported() -> None:
    with open("/dev/full", "wb", buffering=0) as full, pytest.raises(OSError) as caught:
        inkling.filter(inkling.build(b"ant\n"), b"ant\n" * 1000, output=full)
    assert caught.value.errno == errno.ENOSPC


@pytest.mark.parametrize("threads", [1025, 10**9, 2**32 - 1])
def test_more_threads_than_there_can_be_are_as_many_as_there_can_be(threads: int) -> None:
    data = b"".join(b"%d\n" % number for number in range(10_000))
    assert inkling.build(data, "hll", threads=threads).digest == inkling.build(data, "hll").digest
    assert Sketch("hll").add(range(1000), threads=threads).digest == Sketch("hll").add(range(1000)).digest


@pytest.mark.parametrize("kind", ["bloom", "classic", "counting", "scalable", "hll", "fm", "theta", "count-min", "top"])
def test_of_one_key_every_question_is_answered_right(kind: str) -> None:
    sized = kind in ("bloom", "classic", "counting")
    empty, one = (Sketch(kind, n=100) if sized else Sketch(kind) for _ in range(2))
    one.add("ant")
    if kind in ("count-min", "top"):
        assert [float(one.count(key)) for key in ("ant", "bee")] == [1, 0] and float(empty.count("ant")) == 0
        assert one.count("ant").high == 1 and empty.count("ant").high == 0
    else:
        answer = one.estimate()
        assert answer.low <= 1 <= answer.high and 0.9 < float(answer) < 1.5, answer
        assert (empty.estimate().low, empty.estimate().high) == (0, 0)
    if kind in ("bloom", "classic", "counting", "scalable"):
        assert "ant" in one and "ant" not in empty and empty.rate == 0 < one.rate < 1e-9
    if kind == "count-min":
        assert (float(empty.dot(empty)), float(one.dot(empty)), float(one.dot(one))) == (0, 0, 1)
    if kind == "top":
        assert empty.top() == [] and [(item.key, item.low, item.high) for item in one.top()] == [("ant", 1, 1)]
    assert (empty.records, one.records, (empty | one).digest) == (0, 1, one.digest)


def test_numbers_as_text_are_different_keys() -> None:
    texts = ["1", "01", "1.0", "+1", " 1", "1e0"]
    for data in (texts, "\n".join(texts).encode()):
        made = Sketch("hll").add(data) if isinstance(data, list) else inkling.build(data, "hll")
        assert round(float(made.estimate())) == len(texts)
    assert float(inkling.build(b"1\n01\n+1\n", "hll", key_type="int").estimate()) == pytest.approx(1, 0.01)
    with pytest.raises(inkling.InklingError, match='"1.0", expected an integer key'):
        inkling.build(b"1\n1.0\n", "hll", key_type="int")


def test_what_is_closed_is_reported_and_no_crash(encoded: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.ink"
    path.write_bytes(encoded)
    file = inkling.open(path)
    file.close()
    file.close()
    for use in (lambda: list(file), lambda: file.save(tmp_path / "b.ink"), lambda: len(file)):
        with pytest.raises((inkling.InklingError, ValueError)):
            use()
    assert os.listdir(tmp_path) == ["a.ink"]


def test_an_empty_sketch_counts_exactly_nothing() -> None:
    for kind in ("bloom", "classic", "counting", "scalable", "hll", "fm", "theta"):
        sketch = Sketch(kind, n=100) if kind in ("bloom", "classic", "counting") else Sketch(kind)
        assert float(sketch.estimate()) == 0, kind
