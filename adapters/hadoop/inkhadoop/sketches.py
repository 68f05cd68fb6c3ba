"""The sketches that a job asks, a file or a folder of parts: as a file here, and one for the nodes."""

from __future__ import annotations

import os
import pathlib
from dataclasses import dataclass

from .failure import Failure
from .parts import fetched, parts_of
from .places import Place
from .session import Session
from .streaming import can_ship, shipped

NAME = "sketches.ink"


@dataclass(frozen=True)
class Sketches:
    """A file of sketches."""

    local: pathlib.Path
    shipped: str  # as -files takes it


def stored(session: Session, place: Place) -> Sketches:
    """A file in HDFS; nodes get a copy from here where Hadoop cannot take it from its folder there."""
    local = session.local_copy(place, NAME)
    if not can_ship(place.path):
        return Sketches(local, shipped(local, NAME))
    return Sketches(local, f"hdfs://{place.authority}{place.path}#{NAME}")


def find_sketches(session: Session, word: str) -> Sketches:
    """What a word names; parts of a folder are united."""
    place = session.places.place(word)
    if place.hdfs is None:
        return local_sketches(session, pathlib.Path(place.path))
    status = place.hdfs.status(place.path)
    if status is None:
        raise place.missing()
    if not status.folder:
        return stored(session, place)
    parts = parts_of(place, ".ink")
    if not parts:
        raise Failure(f"{place}: no part-*.ink in it, expected the folder of a build")
    if len(parts) == 1:
        return stored(session, parts[0])
    return united(session, parts)


def local_sketches(session: Session, path: pathlib.Path) -> Sketches:
    """A file of this machine, which goes to the nodes under a name of its own."""
    if not os.access(path, os.R_OK) or path.is_dir():
        session.program.ask(["info", str(path)])  # which says why not
    link = session.temporary / NAME
    link.symlink_to(path)
    return Sketches(path, shipped(link))


def united(session: Session, parts: list[Place]) -> Sketches:
    """One file of several parts."""
    path = session.temporary / NAME
    session.program.ask(["merge", "-o", str(path), *map(str, fetched(session, parts))])
    return Sketches(path, shipped(path))
