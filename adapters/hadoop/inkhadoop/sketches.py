"""The sketches that a job asks, a file or a folder of parts: as a file here, and one for the nodes."""

from __future__ import annotations

import os
import pathlib
from dataclasses import dataclass

from .failure import Failure
from .parts import fetched, parts_of
from .locations import Location
from .session import Session
from .streaming import can_ship, shipped

NAME = "sketches.ink"


@dataclass(frozen=True)
class Sketches:
    """A file of sketches."""

    local: pathlib.Path
    shipped: str  # as -files takes it


def stored(session: Session, location: Location) -> Sketches:
    """A file in HDFS; nodes get a copy from here where Hadoop cannot take it from its folder there."""
    local = session.local_copy(location, NAME)
    if not can_ship(location.path):
        return Sketches(local, shipped(local, NAME))
    return Sketches(local, f"hdfs://{location.authority}{location.path}#{NAME}")


def find_sketches(session: Session, word: str) -> Sketches:
    """What a word names; parts of a folder are merged."""
    location = session.locations.at(word)
    if location.hdfs is None:
        return local_sketches(session, pathlib.Path(location.path))
    status = location.hdfs.status(location.path)
    if status is None:
        raise location.missing()
    if not status.folder:
        return stored(session, location)
    parts = parts_of(location, ".ink")
    if not parts:
        raise Failure(f"{location}: no part-*.ink in it, expected the folder of a build")
    if len(parts) == 1:
        return stored(session, parts[0])
    return merged(session, parts)


def local_sketches(session: Session, path: pathlib.Path) -> Sketches:
    """A file of this machine, which goes to the nodes under a name of its own."""
    if not os.access(path, os.R_OK) or path.is_dir():
        session.program.ask(["info", str(path)])  # which says why not
    link = session.temporary / NAME
    link.symlink_to(path)
    return Sketches(path, shipped(link))


def merged(session: Session, parts: list[Location]) -> Sketches:
    """One file of several parts."""
    path = session.temporary / NAME
    session.program.ask(["merge", "-o", str(path), *map(str, fetched(session, parts))])
    return Sketches(path, shipped(path))
