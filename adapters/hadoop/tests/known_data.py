"""Input that is hard to cut into splits, and known to everybody: records with a key, a group and a weight."""

from __future__ import annotations

import gzip
import pathlib
import random

HEADER = "id,group,often"


def records(count: int, seed: int = 1) -> list[str]:
    """Lines of very different lengths; keys return, and late ones are of groups that early splits lack."""
    chance = random.Random(seed)
    lines = []
    for number in range(count):
        key = f"k{chance.randrange(count)}" + "x" * (chance.randrange(300) if number % 50 == 0 else 0)
        group = f"late {number * 20 // count}" if number % 3 == 0 else f"g{number % 5}"
        lines.append(f"{key},{group},{chance.randrange(1, 9)}")
    return lines


def write_folder(folder: pathlib.Path, count: int) -> list[pathlib.Path]:
    """One folder: line feeds, CRLF, gzip, an empty file, one without a last line end; with headers."""
    folder.mkdir(exist_ok=True)
    lines = records(count)
    quarter = len(lines) // 4
    parts = [lines[i * quarter : (i + 1) * quarter] for i in range(4)]
    unix, dos, packed, open_end = ("\n".join([HEADER, *part]) + "\n" for part in parts)
    files = {
        "a-unix.csv": unix.encode(),
        "b-dos.csv": dos.replace("\n", "\r\n").encode(),
        "c-packed.csv.gz": gzip.compress(packed.encode()),
        "d-empty.csv": b"",
        "e-open.csv": open_end.rstrip("\n").encode(),
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return [folder / name for name in files]
