"""Which files a job reads, in how many splits, and their first lines: as Hadoop takes them."""

from __future__ import annotations

import bz2
import gzip
import zlib
from collections.abc import Iterator

import pytest
from fake_webhdfs import FOLDER, Fake, served
from inkhadoop.conf import Configuration
from inkhadoop.failure import FORMAT, Failure
from inkhadoop.inputs import (
    File,
    expand_braces,
    files_of,
    first_lines,
    first_of,
    largest_split,
    matcher,
    shared_header,
    split_count,
    text_bytes,
)
from inkhadoop.locations import Location
from inkhadoop.webhdfs import WebHdfs

MIB = 1 << 20


@pytest.fixture
def fake() -> Iterator[Fake]:
    with served() as fake:
        for path in (
            "/in/a.csv",
            "/in/b.csv",
            "/in/_SUCCESS",
            "/in/.hidden",
            "/logs/1/x",
            "/logs/2/x",
            "/logs/2/y",
        ):
            fake.put(path, path.encode())
        fake.put("/empty", FOLDER)
        yield fake


def location(fake: Fake, path: str) -> Location:
    return Location(path, "nn", WebHdfs([fake.address], "ann"))


def named(fake: Fake, path: str, recursive: bool = False) -> list[str]:
    return [file.location.path for file in files_of(location(fake, path), recursive)]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/in", ["/in/a.csv", "/in/b.csv"]),
        ("/in/a.csv", ["/in/a.csv"]),
        ("/in/*.csv", ["/in/a.csv", "/in/b.csv"]),
        ("/in/[b-z].csv", ["/in/b.csv"]),
        ("/in/[^b].csv", ["/in/a.csv"]),
        ("/in/[!b].csv", ["/in/a.csv"]),
        ("/in/?.csv", ["/in/a.csv", "/in/b.csv"]),
        ("/logs/*/x", ["/logs/1/x", "/logs/2/x"]),
        ("/logs/{1/x,2/y}", ["/logs/1/x", "/logs/2/y"]),
        ("/{in/a.csv,logs/[13]}", ["/in/a.csv", "/logs/1/x"]),
        ("/in/{a,a}.csv", ["/in/a.csv"]),
    ],
)
def test_patterns_and_folders_are_as_hadoop_takes_them(fake: Fake, path: str, found: list[str]) -> None:
    assert named(fake, path) == found


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/nothing", "hdfs://nn/nothing: no such file or folder in HDFS"),
        ("/in/*.tsv", "no such file or folder"),
        ("/nothing/*/x", "no such file or folder"),
        ("/in/_SUCCESS", "hidden, expected names that do not begin with _ or ."),
        ("/empty", "a folder without files, expected some"),
        ("/logs", "hdfs://nn/logs/1: a folder in an input folder, expected files, or -D .*recursive=true"),
        ("/in/a,b", "a path with a comma, expected none"),
        ("/in/[z-a]", "expected a pattern as Hadoop takes it"),
    ],
)
def test_what_is_no_input_is_one_line(fake: Fake, path: str, said: str) -> None:
    with pytest.raises(Failure, match=said):
        named(fake, path)


def test_folders_in_folders_where_hadoop_is_set_to(fake: Fake) -> None:
    assert named(fake, "/logs", recursive=True) == ["/logs/1/x", "/logs/2/x", "/logs/2/y"]


def test_a_local_file_that_was_meant_is_reported(fake: Fake, tmp_path: object) -> None:
    meant = Location(str(tmp_path), "nn", WebHdfs([fake.address], "ann"), str(tmp_path))
    with pytest.raises(Failure, match=f"in HDFS; {tmp_path} is local: hdfs dfs -put copies it"):
        files_of(meant, False)


def test_braces_and_escapes() -> None:
    assert expand_braces("/a{b,c{d,e}}f") == ["/abf", "/acdf", "/acef"]
    assert expand_braces(r"/a\{b,c\}") == [r"/a\{b,c\}"]
    assert matcher(r"a\*b").fullmatch("a*b") and not matcher(r"a\*b").fullmatch("axb")
    assert matcher("[a.]x").fullmatch(".x") and not matcher("a.c").fullmatch("abc")


# ---- Splits: what Hadoop's FileInputFormat would say ------------------------------------------------


def files(fake: Fake, *sizes: tuple[str, int]) -> list[File]:
    return [File(location(fake, f"/{name}"), size, 128 * MIB) for name, size in sizes]


@pytest.mark.parametrize(
    ("sizes", "settings", "count"),
    [
        ([("a", 1000)], {}, 2),
        ([("a", 1000)], {"mapreduce.job.maps": "1"}, 1),
        ([("a", 0)], {}, 1),
        ([("a", 1000), ("b", 1000)], {"mapreduce.job.maps": "1"}, 2),
        ([("a", 1280 * MIB)], {}, 10),
        ([("a", 140 * MIB)], {"mapreduce.job.maps": "1"}, 1),  # the last split may be a tenth larger
        ([("a", 142 * MIB)], {"mapreduce.job.maps": "1"}, 2),
        *(([(f"a{suffix}", 1280 * MIB)], {}, 1) for suffix in (".gz", ".deflate", ".zst", ".lz4", ".snappy", ".lzo")),
        ([("a.bz2", 1280 * MIB)], {}, 10),
        ([("a", 1280 * MIB)], {"mapreduce.input.fileinputformat.split.minsize": str(640 * MIB)}, 2),
        ([("a", 1000)], {"mapreduce.job.maps": "10"}, 10),
    ],
)
def test_splits(fake: Fake, sizes: list[tuple[str, int]], settings: dict[str, str], count: int) -> None:
    assert split_count(files(fake, *sizes), Configuration(settings)) == count


def test_how_much_text_a_task_has(fake: Fake) -> None:
    conf = Configuration({"mapreduce.job.maps": "1"})
    assert largest_split(files(fake, ("a", 300 * MIB)), conf) == 128 * MIB
    assert largest_split(files(fake, ("a.gz", 300 * MIB), ("b", 1)), conf) == 1200 * MIB
    assert largest_split([], conf) == 0
    assert [text_bytes(file) for file in files(fake, ("a", 10), ("b.bz2", 10))] == [10, 40]
    assert text_bytes(files(fake, ("a.lzo", 10))[0], 3) == 12


# ---- First lines -------------------------------------------------------------------------------


def test_first_lines_are_whole(fake: Fake) -> None:
    long = b"".join(b"%d\n" % number for number in range(100_000))
    for path, data in (
        ("/a", long),
        ("/b.gz", gzip.compress(long)),
        ("/c.bz2", bz2.compress(long)),
        ("/d", b"x\r\ny"),
        ("/e.deflate", zlib.compress(long)),
    ):
        fake.put(path, data)
    a, b, c, d, e = first_lines(
        [files_of(location(fake, path), False)[0] for path in ("/a", "/b.gz", "/c.bz2", "/d", "/e.deflate")]
    )
    for first in (a, b, c, e):
        assert first.line == b"0" and first.lines.endswith(b"\n") and long.startswith(first.lines)
        assert len(first.lines) > 10_000
    assert d.lines == b"x\r\ny" and d.line == b"x"


def look(fake: Fake, path: str, data: bytes) -> File:
    fake.put(path, data)
    return files_of(location(fake, path), False)[0]


def test_headers_have_to_be_the_same(fake: Fake) -> None:
    same = [
        first_of(look(fake, "/h1", b"id,name\n1,2\n")),
        first_of(look(fake, "/h2", b"id,name\r\n")),
        first_of(look(fake, "/h3", b"")),
    ]
    assert shared_header(same) == b"id,name"
    assert shared_header([same[2]]) is None
    with pytest.raises(
        Failure, match="hdfs://nn/h4: another header than hdfs://nn/h1, expected the same"
    ) as caught:
        shared_header([*same, first_of(look(fake, "/h4", b"name,id\n"))])
    assert caught.value.code == 3


def test_a_header_that_cannot_be_read_is_said(fake: Fake) -> None:
    for path, data in (
        ("/x.snappy", b"?"),
        ("/long", b"x" * (1 << 17)),
        ("/long.gz", gzip.compress(b"x" * (1 << 16))),
    ):
        with pytest.raises(Failure, match="its header cannot be read here"):
            shared_header([first_of(look(fake, path, data))])


def test_compressed_files_need_their_suffix(fake: Fake) -> None:
    for suffix, data in ((".gz", gzip.compress(b"x")), (".bz2", bz2.compress(b"x")), (".zst", b"\x28\xb5\x2f\xfd?")):
        with pytest.raises(Failure, match=rf"compressed, expected the suffix \{suffix}, by"):
            first_of(look(fake, "/plain", data))


def test_a_suffix_that_lies_is_said(fake: Fake) -> None:
    with pytest.raises(Failure, match="^hdfs://nn/a.gz: .*expected what its suffix says") as raised:
        first_of(look(fake, "/a.gz", b"plain text"))
    assert raised.value.code == FORMAT
