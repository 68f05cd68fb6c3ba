"""The input of a job: which files Hadoop will read, in how many splits, and their first lines."""

from __future__ import annotations

import bz2
import re
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from .conf import Configuration
from .failure import FORMAT, USAGE, Failure
from .locations import Location
from .webhdfs import Refused, Status

HIDDEN = ("_", ".")
SPECIAL = re.compile(r"[*?\[{\\]")
RECURSIVE = "mapreduce.input.fileinputformat.input.dir.recursive"
# Suffixes by which Hadoop decompresses; only bzip2 can be cut.
WHOLE = (".gz", ".deflate", ".zst", ".lz4", ".snappy", ".lzo")
COMPRESSED = (*WHOLE, ".bz2")
EXPANSION = 4  # bytes of text in a byte of a compressed file, about
# How compressed files begin, and the suffix by which Hadoop knows them.
MAGICS = ((b"\x1f\x8b", ".gz"), (b"\x28\xb5\x2f\xfd", ".zst"), (b"BZh", ".bz2"))
SLOP = 1.1  # a last split may be larger by this factor
LOOK = 1 << 16  # bytes of a file that are looked at
LOOK_BZ2 = 1 << 20  # of one whose first bytes come with all of a block of 900 kB
LOOKERS = 8  # files that are looked at at a time
LOOKED = 256  # files that are looked at where no header asks for all


@dataclass(frozen=True)
class File:
    """A file that will be read."""

    location: Location
    length: int
    block: int


@dataclass(frozen=True)
class First:
    """The first lines of a file, decompressed: whole ones, or all there is."""

    file: File
    lines: bytes
    readable: bool = True  # False: a form that is not decompressed here, or a very long line

    @property
    def line(self) -> bytes | None:
        """The first line; None of an empty file."""
        return self.lines.split(b"\n", 1)[0].removesuffix(b"\r") if self.lines else None


# ---- Patterns ---------------------------------------------------------------------------------


def expand_braces(pattern: str) -> list[str]:
    """The patterns that {a,b} stands for."""
    depth, start, commas = 0, -1, []
    escaped = False
    for i, c in enumerate(pattern):
        if escaped or c == "\\":
            escaped = not escaped
        elif c == "{":
            depth += 1
            if depth == 1:
                start, commas = i, [i]
        elif c == "," and depth == 1:
            commas.append(i)
        elif c == "}" and depth > 0:
            depth -= 1
            if depth == 0:
                ends = [*commas[1:], i]
                words = [pattern[a + 1 : b] for a, b in zip(commas, ends, strict=True)]
                return [p for word in words for p in expand_braces(pattern[:start] + word + pattern[i + 1 :])]
    return [pattern]


def matcher(pattern: str) -> re.Pattern[str]:
    """A part of a path with *, ?, [a-z], [^a] and \\c as an expression."""
    parts, i = [], 0
    while i < len(pattern):
        c = pattern[i]
        end = pattern.find("]", i + 2) if c == "[" else -1
        if c == "\\" and i + 1 < len(pattern):
            parts.append(re.escape(pattern[i + 1]))
            i += 1
        elif c == "*":
            parts.append(".*")
        elif c == "?":
            parts.append(".")
        elif end > 0:
            inner = pattern[i + 1 : end].replace("\\", "\\\\")
            parts.append(f"[^{inner[1:]}]" if inner[0] in "^!" else f"[{inner}]")
            i = end
        else:
            parts.append(re.escape(c))
        i += 1
    try:
        return re.compile("".join(parts), re.DOTALL)
    except re.error as error:
        raise Failure(f"{pattern}: {error}, expected a pattern as Hadoop takes it", USAGE) from error


def matches(location: Location) -> list[Status]:
    """What a path with patterns names."""
    found: list[Status] = []
    for pattern in expand_braces(location.path):
        base = [Status("/", True, 0)]
        parts = [part for part in pattern.split("/") if part]
        for number, part in enumerate(parts):
            base = list(step(location, base, part, number == len(parts) - 1))
        found += base
    return sorted({status.path: status for status in found}.values(), key=lambda status: status.path)


def step(location: Location, folders: Sequence[Status], part: str, last: bool) -> Iterator[Status]:
    """What one part of a path names in these folders."""
    for folder in folders:
        if not SPECIAL.search(part):
            path = f"{folder.path.rstrip('/')}/{part}"
            status = location.files.status(path) if last else Status(path, True, 0)
            if status is not None:
                yield status
            continue
        expression = matcher(part)
        try:
            entries = location.files.listing(folder.path)
        except Refused as refused:
            if refused.kind == "FileNotFoundException":
                continue
            raise
        yield from (entry for entry in entries if expression.fullmatch(entry.name) and (last or entry.folder))


# ---- Files ------------------------------------------------------------------------------------


def is_hidden(name: str) -> bool:
    """Whether Hadoop's jobs pass over a file of this name."""
    return name.startswith(HIDDEN)


def files_below(location: Location, folder: Status, recursive: bool) -> Iterator[File]:
    """The files of a folder that a job reads."""
    for entry in location.files.listing(folder.path):
        if is_hidden(entry.name):
            continue
        if not entry.folder:
            yield File(location.beside(entry.path), entry.length, entry.block)
        elif recursive:
            yield from files_below(location, entry, recursive)
        else:
            raise Failure(
                f"{location.beside(entry.path)}: a folder in an input folder, "
                f"expected files, or -D {RECURSIVE}=true"
            )


def files_of(location: Location, recursive: bool) -> list[File]:
    """The files that a job reads for one IN."""
    if any("," in pattern for pattern in expand_braces(location.path)):
        raise Failure(
            f"{location}: a path with a comma, expected none: Hadoop takes it for two; "
            "a pattern with ? can name it",
            USAGE,
        )
    found = matches(location)
    seen = [status for status in found if not is_hidden(status.name)]
    if found and not seen:
        raise Failure(
            f"{location}: hidden, expected names that do not begin with _ or .: Hadoop's jobs pass over these"
        )
    if not seen:
        raise location.missing(local_will_do=False)
    files: list[File] = []
    for status in seen:
        if status.folder:
            files += files_below(location, status, recursive)
        else:
            files.append(File(location.beside(status.path), status.length, status.block))
    if not files:
        raise Failure(f"{location}: a folder without files, expected some")
    return files


def text_bytes(file: File, length: int | None = None) -> int:
    """About how many bytes of text a file, or `length` bytes of it, holds."""
    known = file.length if length is None else length
    return known * (EXPANSION if file.location.path.endswith(COMPRESSED) else 1)


def splits_of(files: Sequence[File], conf: Configuration, maps: int = 0) -> Iterator[tuple[File, int]]:
    """How Hadoop's FileInputFormat cuts the files if it is asked for `maps` maps: bytes of each part."""
    goal = sum(file.length for file in files) // max(1, maps or conf.number("mapreduce.job.maps"))
    least = max(1, conf.number("mapreduce.input.fileinputformat.split.minsize"))
    for file in files:
        size = max(least, min(goal, file.block or file.length), 1)
        left = file.length
        while not file.location.path.endswith(WHOLE) and left / size > SLOP:
            left -= size
            yield file, size
        if left > 0 or file.length == 0:
            yield file, left


def split_count(files: Sequence[File], conf: Configuration, maps: int = 0) -> int:
    """In how many splits Hadoop will cut the files."""
    return sum(1 for _ in splits_of(files, conf, maps))


def largest_split(files: Sequence[File], conf: Configuration) -> int:
    """About how many bytes of text the largest split holds."""
    return max((text_bytes(file, size) for file, size in splits_of(files, conf)), default=0)


# ---- First lines ------------------------------------------------------------------------------


def decompressed(location: Location, head: bytes) -> bytes | None:
    """The beginning of what a file holds; None if that is not known here."""
    path = location.path
    if not path.endswith(COMPRESSED):
        return head
    try:
        if path.endswith(".gz"):
            return zlib.decompressobj(31).decompress(head, LOOK)
        if path.endswith(".deflate"):
            return zlib.decompressobj().decompress(head, LOOK)
        if path.endswith(".bz2"):
            return bz2.BZ2Decompressor().decompress(head, LOOK)
    except (zlib.error, OSError) as error:
        said = f"{location}: {error}, expected what its suffix says"
        raise Failure(said, FORMAT) from error
    return None


def first_of(file: File) -> First:
    """Looks at a file."""
    look = LOOK_BZ2 if file.location.path.endswith(".bz2") else LOOK
    head = b"".join(file.location.files.read(file.location.path, look)) if file.length else b""
    for magic, suffix in MAGICS:
        if head.startswith(magic) and not file.location.path.endswith(COMPRESSED):
            raise Failure(f"{file.location}: compressed, expected the suffix {suffix}, by which Hadoop knows it")
    plain = decompressed(file.location, head)
    if plain is None:
        return First(file, b"", readable=False)
    if file.length <= len(head) and len(plain) < LOOK:
        return First(file, plain)
    lines = plain[: plain.rfind(b"\n") + 1]
    return First(file, lines, readable=bool(lines))


def first_lines(files: Sequence[File]) -> list[First]:
    """Looks at files, several at a time."""
    with ThreadPoolExecutor(LOOKERS) as pool:
        return list(pool.map(first_of, files))


def shared_header(firsts: Sequence[First]) -> bytes | None:
    """The first line of all files that have one; None if all are empty."""
    before: First | None = None
    for first in firsts:
        if not first.readable:
            raise Failure(
                f"{first.file.location}: its header cannot be read here, "
                "expected at most 64 KiB, plain or as gzip or bzip2"
            )
        if first.line is None:
            continue
        if before is not None and before.line != first.line:
            raise Failure(
                f"{first.file.location}: another header than {before.file.location}, "
                "expected the same in all files",
                FORMAT,
            )
        before = before or first
    return before.line if before else None
