"""What each map reads where ink reads by itself: every byte once, near its block, and about as much as the others."""

from __future__ import annotations

import pytest
from inkhadoop.conf import Configuration
from inkhadoop.inputs import File
from inkhadoop.locations import Location
from inkhadoop.splits import Part, can_list, list_text, map_count, shares
from inkhadoop.webhdfs import WebHdfs

MIB = 1 << 20
GIB = 1 << 30
HDFS = WebHdfs([("nn", 9870)], "ann")
CONF = Configuration({})


def file(path: str, length: int, block: int = 128 * MIB) -> File:
    return File(Location(path, "nn:8020", HDFS), length, block)


def spans(shared: list[list[Part]]) -> list[list[tuple[str, int, int]]]:
    return [[(part.file.location.path, part.offset, part.length) for part in parts] for parts in shared]


@pytest.mark.parametrize("maps", [1, 2, 3, 7, 50])
@pytest.mark.parametrize("lengths", [(1000,), (10, 1, 999), (5, 0, 5), (300, 300, 300, 300)])
def test_every_byte_is_read_once(maps: int, lengths: tuple[int, ...]) -> None:
    files = [file(f"/{number}", length, block=128) for number, length in enumerate(lengths)]
    shared = shares(files, CONF, maps)
    wanted = -(-sum(lengths) // -(-sum(lengths) // maps))  # some numbers of maps cannot share so few bytes
    assert len(shared) == min(maps, wanted) and all(shared)
    at = {one.location.path: 0 for one in files}
    for part in (part for parts in shared for part in parts):
        path = part.file.location.path
        assert part.offset == at[path] and part.length > 0
        assert part.offset // 128 == (part.offset + part.length - 1) // 128, "no part is of two blocks"
        at[path] += part.length
    assert list(at.values()) == list(lengths)
    loads = [sum(part.length for part in parts) for parts in shared]
    assert max(loads) - min(loads[:-1] or loads) <= 1


def test_compressed_files_are_not_cut() -> None:
    files = [file("/a.gz", 100), file("/b.zst", 100), file("/c", 400), file("/d.gz", 900)]
    assert spans(shares(files, CONF, 4)) == [
        [("/a.gz", 0, 0), ("/b.zst", 0, 0), ("/c", 0, 400)],
        [("/d.gz", 0, 0)],
    ]
    for maps in (1, 5, 50):
        assert spans(shares([file("/a.gz", 1000, block=128)], CONF, maps)) == [[("/a.gz", 0, 0)]]
    assert spans(shares(files[:2], CONF, 1)) == [[("/a.gz", 0, 0), ("/b.zst", 0, 0)]]


def test_empty_files_are_read_only_where_there_is_nothing_else() -> None:
    assert spans(shares([file("/a", 0), file("/b", 0)], CONF, 3)) == [[("/a", 0, 0)]]
    assert spans(shares([file("/a", 0), file("/b", 1)], CONF, 3)) == [[("/b", 0, 1)]]


def test_a_least_size_is_heard() -> None:
    conf = Configuration({}, {"mapreduce.input.fileinputformat.split.minsize": "600"})
    assert len(shares([file("/a", 1000)], conf, 10)) == 2


@pytest.mark.parametrize(
    ("text", "at_a_time", "count"),
    [(0, 9, 1), (MIB, 9, 1), (GIB, 1, 1), (GIB, 4, 4), (GIB, 100, 8), (100 * GIB, 4, 100), (100 * GIB, 500, 500)],
)
def test_there_are_as_many_maps_as_are_worth_it(text: int, at_a_time: int, count: int) -> None:
    assert map_count(CONF, text, at_a_time) == count
    assert map_count(Configuration({}, {"mapreduce.job.maps": "3"}), text, at_a_time) == 3


def test_the_list() -> None:
    a, b = file("/a b", 9), file("/b.gz", 5)
    assert list_text([[Part(a, 0, 4), Part(a, 4, 5)], [Part(b, 0, 0)]]) == (
        "0\t4\thdfs://nn:8020/a b\t4\t5\thdfs://nn:8020/a b\n0\t0\thdfs://nn:8020/b.gz\n"
    )


def test_what_ink_can_read_by_itself() -> None:
    out = Location("/out", "nn:8020", HDFS)
    assert can_list([file("/a", 1), file("/b.gz", 1), file("/c.zst", 1)], out)
    for other in ("/x.bz2", "/x.snappy", "/x.deflate", "/a\tb", "/a\nb", "/a\rb"):
        assert not can_list([file("/a", 1), file(other, 1)], out), other
    elsewhere = File(Location("/a", "other:8020", WebHdfs([("other", 9870)], "ann")), 1, 1)
    assert not can_list([elsewhere], out)
    for odd in ("/a,b", "/a*", "/a{b}", "/a[b]", "/a\\b", "/a?"):
        assert not can_list([file("/a", 1)], Location(odd, "nn:8020", HDFS)), odd
