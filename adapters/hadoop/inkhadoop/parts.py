"""The files that reducers leave in a folder: found, and fetched."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence

from .locations import Location
from .session import Session


def parts_of(folder: Location, suffix: str) -> list[Location]:
    """The files part-*SUFFIX of a folder, in order."""
    return [
        folder.beside(status.path)
        for status in folder.files.listing(folder.path)
        if not status.folder and status.name.startswith("part-") and status.name.endswith(suffix)
    ]


def fetched(session: Session, parts: Sequence[Location]) -> list[pathlib.Path]:
    """Parts as local files."""
    return [session.local_copy(part, part.path.rpartition("/")[2]) for part in parts]
