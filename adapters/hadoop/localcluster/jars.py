"""Hadoop's jars in the user's cache folder.

    jars.py [--find]

Prints the folder; it is the only line on standard output. With --find nothing is fetched. The folder is
named by the bytes of pom.xml, which names versions, so that other versions are another folder, and a second
clone finds what the first one fetched. It is filled under another name and renamed when it is whole.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

POM = pathlib.Path(__file__).resolve().parents[1] / "pom.xml"
MISSING = 'run "make hadoop-jars", or set INK_HADOOP_JARS to a folder of jars'
# What Maven says when no server answers.
UNREACHABLE = re.compile(
    r"Unknown host|Connect(ion)? .*(refused|timed out|reset)|Network is unreachable|No route to host"
)


class JarsError(Exception):
    """The jars are not there, or cannot be fetched; the text is one line."""


def cache_folder() -> pathlib.Path:
    """The user's cache folder for Inkling."""
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "inkling"


def jars_folder() -> pathlib.Path:
    """Where the jars of pom.xml are, or would be."""
    return cache_folder() / f"hadoop-{hashlib.sha256(POM.read_bytes()).hexdigest()[:12]}"


def find_jars() -> pathlib.Path:
    """The folder of jars that is there: INK_HADOOP_JARS, or the one in the cache."""
    named = os.environ.get("INK_HADOOP_JARS")
    folder = pathlib.Path(named) if named else jars_folder()
    if not any(folder.glob("hadoop-common-*.jar")):
        what = "INK_HADOOP_JARS: " if named else ""
        raise JarsError(f"{what}{folder}: found no hadoop-common jar, expected Hadoop's jars: {MISSING}")
    return folder.resolve()


def versions() -> str:
    """What pom.xml asks for, to be said."""
    found = dict(re.findall(r"<(hadoop|streaming)\.version>([^<]+)<", POM.read_text(encoding="utf-8")))
    return f"Hadoop {found['hadoop']} with Hadoop Streaming {found['streaming']}"


def why_not(said: str) -> str:
    """One line of what Maven printed."""
    if UNREACHABLE.search(said):
        return "the registry of jars is not reachable"
    errors = [
        line for line in said.splitlines() if line.startswith("[ERROR] ") and len(line) > len("[ERROR] ")
    ]
    return (errors or said.strip().splitlines() or ["no reason was given"])[0].removeprefix("[ERROR] ")


def copy_jars(folder: pathlib.Path, log: pathlib.Path) -> None:
    """Fills a folder by Maven, which keeps its own copies where it always does."""
    command = [
        "mvn", "-B", "-q", "-ntp", "-C", "-f", str(POM), "dependency:copy-dependencies",
        "-DincludeScope=runtime", f"-DoutputDirectory={folder}",
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", check=False,
        )  # fmt: skip
    except FileNotFoundError:
        raise JarsError('Maven is missing: run "make deps-hadoop" as root') from None
    if done.returncode != 0 or not any(folder.glob("hadoop-common-*.jar")):
        log.write_text(done.stdout, encoding="utf-8")
        raise JarsError(f"{why_not(done.stdout)}; all that was said: {log}")
    log.unlink(missing_ok=True)


def fetch_jars() -> pathlib.Path:
    """The folder of the jars, filled if it is not there; whole or not at all; other processes wait."""
    folder = jars_folder()
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    part = folder.with_name(folder.name + ".part")
    with open(folder.with_name(folder.name + ".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():
            return folder
        print(
            f"downloading {versions()} with Maven, about 100 MB, into {folder}", file=sys.stderr, flush=True
        )
        shutil.rmtree(part, ignore_errors=True)  # of one that was interrupted
        try:
            copy_jars(part, folder.with_name(folder.name + ".log"))
            part.rename(folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return folder


def main() -> None:
    """What `make hadoop-jars` runs."""
    if sys.argv[1:] not in ([], ["--find"]):
        sys.exit("make: expected jars.py [--find]")
    try:
        print(find_jars() if sys.argv[1:] else fetch_jars())
    except JarsError as error:
        sys.exit(f"make: Hadoop's jars: {error}")
    except OSError as error:
        sys.exit(f"make: {error.filename or jars_folder()}: {error.strerror}")


if __name__ == "__main__":
    main()
