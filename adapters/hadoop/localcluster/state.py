"""What is known of a cluster between two commands: one file in its folder, cluster.json."""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import json
import os
import pathlib
import re
from collections.abc import Iterator

from .jars import cache_folder
from .processes import Process

FILE = "cluster.json"
LOCK = "lock"
VERSION = 1


class ClusterError(Exception):
    """Something cannot be done; the text is one line."""


@dataclasses.dataclass
class State:
    """A cluster in a folder: its ports, and the processes that were started."""

    folder: pathlib.Path
    jars: str = ""
    java: str = ""
    ports: dict[str, int] = dataclasses.field(default_factory=dict)
    settings: dict[str, str] = dataclasses.field(default_factory=dict)
    daemons: dict[str, Process] = dataclasses.field(default_factory=dict)

    def save(self) -> None:
        """Replaces the file as a whole."""
        held = {
            "version": VERSION, "jars": self.jars, "java": self.java, "ports": self.ports,
            "settings": self.settings,
            "daemons": {name: dataclasses.asdict(process) for name, process in self.daemons.items()},
        }  # fmt: skip
        part = self.folder / f"{FILE}.part"
        part.write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")
        part.replace(self.folder / FILE)

    def running(self) -> dict[str, Process]:
        """The daemons that are still there."""
        return {name: process for name, process in self.daemons.items() if process.runs()}


def default_folder() -> pathlib.Path:
    """Where a cluster is by default."""
    return cache_folder() / "hadoop-cluster"


def load(folder: pathlib.Path) -> State | None:
    """The cluster of a folder; None if there is none."""
    path = folder / FILE
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        if held["version"] != VERSION:
            raise ClusterError(f"{path}: found version {held['version']}, expected {VERSION}")
        daemons = {name: Process(**fields) for name, fields in held["daemons"].items()}
        return State(folder, held["jars"], held["java"], held["ports"], held["settings"], daemons)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, KeyError, TypeError):
        raise ClusterError(f"{path}: found something else, expected what cluster up wrote") from None


def check_path(path: str) -> None:
    """Refuses what lists of paths in Hadoop's settings cannot hold."""
    odd = re.search(r"[^A-Za-z0-9_./+@=~-]", path)
    if odd:
        raise ClusterError(
            f"{path}: found {odd[0]!r} in it, expected a path of letters, digits and _ . / + @ = ~ -"
        )


def check_folder(folder: pathlib.Path) -> None:
    """Refuses a folder that holds something else."""
    if folder.exists() and not folder.is_dir():
        raise ClusterError(f"{folder}: found a file, expected a folder")
    if folder.is_dir() and not (folder / FILE).exists():
        others = sorted({entry.name for entry in folder.iterdir()} - {LOCK})
        if others:
            raise ClusterError(
                f"{folder}: found a folder with {others[0]} in it, expected a cluster's or an empty one"
            )


@contextlib.contextmanager
def locked(folder: pathlib.Path) -> Iterator[None]:
    """One command at a time works on a cluster; the others wait."""
    descriptor = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
