"""Splits that `ink` reads by itself: which parts of files each map gets, and the list that says so."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from .conf import Configuration
from .inputs import COMPRESSED, SPECIAL, File, text_bytes
from .locations import Location
from .session import discard, hidden_name

MAPS = "mapreduce.job.maps"
LEAST = "mapreduce.input.fileinputformat.split.minsize"
FORMAT = "org.apache.hadoop.mapred.lib.NLineInputFormat"
SETTINGS = {
    "mapreduce.input.lineinputformat.linespermap": "1",
    "stream.map.input.ignoreKey": "true",
}
OURS = (".gz", ".zst")  # that `ink` looks through
UNLISTED = ("\t", "\n", "\r")  # that a path in the list cannot have
MUCH = 1 << 30  # bytes of text for a map where there is enough for all that run at a time ...
LITTLE = 1 << 27  # ... and where there is not, since a map takes seconds to start


@dataclass(frozen=True)
class Part:
    """Some bytes of a file; 0 of them: up to its end."""

    file: File
    offset: int
    length: int

    @property
    def text(self) -> int:
        """About how many bytes of text it holds."""
        return text_bytes(self.file, self.length or self.file.length)

    def fields(self) -> list[str]:
        """Its line in the list."""
        return [str(self.offset), str(self.length), str(self.file.location)]


def can_list(files: Sequence[File], output: Location) -> bool:
    """Whether `ink` can read all these files by itself: they are where its results go, in forms it knows."""
    return all(
        file.location.hdfs is output.hdfs
        and file.location.path.endswith(OURS) == file.location.path.endswith(COMPRESSED)
        and not any(c in str(file.location) for c in UNLISTED)
        for file in files
    ) and not re.search(rf"{SPECIAL.pattern}|[,}}]", output.path)  # beside which the list is put


def map_count(conf: Configuration, text: int, at_a_time: int) -> int:
    """How many maps are worth it for `text` bytes of text, where `at_a_time` run at a time."""
    asked = conf.number(MAPS) if MAPS in conf.overrides else 0
    return asked or max(1, -(-text // MUCH), min(at_a_time, -(-text // LITTLE)))


def shares(files: Sequence[File], conf: Configuration, maps: int) -> list[list[Part]]:
    """What each of about `maps` maps reads, in the order of the files; none of them nothing.

    No part goes beyond a block, so that each is asked for where it lies. Compressed files are not cut: one goes
    to the share in which its middle lies.
    """
    goal = max(1, -(-sum(map(text_bytes, files)) // max(1, maps)), conf.number(LEAST))
    found: list[list[Part]] = [[]]
    room = goal
    for file in files:
        whole = file.location.path.endswith(COMPRESSED)
        at = 0
        while at < file.length:
            if found[-1] and room < (text_bytes(file) / 2 if whole else 1):
                found.append([])
                room = goal
            block = file.block or file.length
            length = file.length if whole else min(file.length - at, room, block - at % block)
            part = Part(file, at, 0 if whole else length)
            found[-1].append(part)
            room -= part.text
            at += length
    return found if found[0] else [[Part(files[0], 0, 0)]]


def list_text(shared: Sequence[Sequence[Part]]) -> str:
    """The list: a line for each map."""
    return "".join("\t".join(field for part in parts for field in part.fields()) + "\n" for parts in shared)


@contextmanager
def listed(shared: Sequence[Sequence[Part]], output: Location) -> Iterator[Location]:
    """The list as a file in HDFS, in a folder beside the output that is gone at the end."""
    folder = output.beside(hidden_name(output.path))
    location = output.beside(f"{folder.path}/maps")  # jobs pass over names that are hidden themselves
    try:
        output.files.write(location.path, io.BytesIO(list_text(shared).encode("utf-8", "surrogateescape")))
        yield location
    finally:
        discard(folder)
