"""Installs what is compared with into folders of the user's cache, each named by what is pinned.

What is there already is not installed again; what cannot be installed is left out, with a line that says so.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence

Steps = Callable[[str, pathlib.Path], Iterable[Sequence[object]]]

# Where the installers of cargo and Go put them, which may not be on the PATH.
USUAL = ("~/.cargo/bin", "/usr/local/go/bin")


def cache_folder() -> pathlib.Path:
    """Where all of it is."""
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "inkling/bench"


def program(name: str) -> str | None:
    """Its path, if it is there."""
    places = [os.environ.get("PATH", os.defpath), *map(os.path.expanduser, USUAL)]
    return shutil.which(name, path=os.pathsep.join(places))


def run_all(commands: Iterable[Sequence[object]]) -> str | None:
    """Why the first one that fails does, by the last line that it printed; else nothing."""
    for command in commands:
        words = [str(word) for word in command]
        try:
            done = subprocess.run(
                words,
                stdin=subprocess.DEVNULL,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
        except OSError as error:
            return f"{words[0]}: {error.strerror}"
        if done.returncode != 0:
            return (done.stdout.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return None


def maven(pom: pathlib.Path, folder: pathlib.Path) -> Sequence[object]:
    """The command that fetches the jars that a pom lists into jars/ of the folder, or below it as the pom says."""
    return "mvn", "-B", "-q", "-ntp", "-C", "-f", pom, "dependency:copy", f"-DoutputDirectory={folder}/jars"


def pinned(*contents: bytes) -> str:
    """The version of what these bytes pin."""
    return hashlib.sha256(b"".join(contents)).hexdigest()[:12]


def maven_jars(name: str, pom: pathlib.Path) -> pathlib.Path:
    """The folder of the jars that a pom lists, fetched once; exits with one line if they cannot be."""
    folder = installed(name, pinned(pom.read_bytes()), lambda _, folder: [maven(pom, folder)])
    if folder is None:
        sys.exit(f"make: the jars of {pom} cannot be fetched, expected Maven and a registry")
    return folder / "jars"


def installed(name: str, version: str, steps: Steps) -> pathlib.Path | None:
    """The folder that it is in, or nothing if it cannot be installed."""
    folder = cache_folder() / f"{name}-{version}"
    whole = folder / "installed"
    if whole.exists():
        return folder
    print(f"installing {name} {version} into {folder}", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    why = run_all(steps(name, folder))
    if why is None:
        whole.touch()
        return folder
    shutil.rmtree(folder)
    print(f"left out: {name} {version} cannot be installed: {why}", flush=True)
    return None
