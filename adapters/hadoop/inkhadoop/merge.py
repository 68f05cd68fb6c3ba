"""ink-hadoop merge: files and folders of sketches, in HDFS or here, into one file, in HDFS or here."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator

from .failure import USAGE, Failure
from .inputs import is_hidden
from .locations import Location
from .session import Session

USAGE_LINE = "usage: ink-hadoop merge [options] IN... OUT"
SUFFIX = ".ink"
PIECES = ".pieces"


def run(session: Session) -> int:
    """The command."""
    operands = session.words.operands
    if "--output" in session.words.given:
        raise Failure(f"--output: the result is the last word here; {USAGE_LINE}", USAGE)
    if len(operands) < 2:
        raise Failure(
            f"found {len(operands)} words, expected sketches and a file for their union; {USAGE_LINE}", USAGE
        )
    *ins, out = operands
    if out.endswith("/"):
        raise Failure(f"{out}: a folder, expected the name of a file for the union", USAGE)
    output = session.locations.at(out)
    replace = "--force" in session.words.given
    check_output(output, replace)
    paths = [str(path) for path in sources(session, ins)]
    options = [word for typed in session.words.passed for word in typed.words]
    if output.hdfs is None:
        return merge_files(session, ["merge", *options, "-o", output.path, *paths])
    whole = session.temporary / "union.ink"
    code = merge_files(session, ["merge", *options, "-o", str(whole), *paths])
    if code == 0:
        session.store(whole, output, replace=replace)
    return code


def check_output(output: Location, replace: bool) -> None:
    """What is there already stays there, unless it is a file to be replaced."""
    if output.hdfs is None:
        return  # ink says it
    status = output.hdfs.status(output.path)
    if status is not None and status.folder:
        raise Failure(f"{output}: a folder, expected the name of a file for the union")
    if status is not None and not replace:
        raise Failure(f"{output}: exists already; --force replaces it")


def merge_files(session: Session, words: list[str]) -> int:
    """Runs `ink merge`, which says itself what there is to say; its exit code."""
    return session.program.run(
        [*words, *(["--quiet"] if session.words.quiet else [])], passed=True
    ).returncode


def sources(session: Session, words: list[str]) -> Iterator[pathlib.Path]:
    """The files to be merged, as local ones."""
    count = 0
    for word in words:
        location = session.locations.at(word)
        for file in files_in(location):
            yield session.local_copy(file, f"source-{count:05d}{SUFFIX}")
            count += 1


def files_in(location: Location) -> list[Location]:
    """A file itself, or the sketches of a folder."""
    if location.hdfs is None:
        path = pathlib.Path(location.path)
        if not path.is_dir():
            return [location]
        return chosen(location, [str(name) for name in sorted(path.iterdir()) if name.is_file()])
    status = location.hdfs.status(location.path)
    if status is None:
        raise location.missing()
    if not status.folder:
        return [location]
    entries = location.hdfs.listing(location.path)
    return chosen(location, [entry.path for entry in entries if not entry.folder])


def chosen(folder: Location, paths: list[str]) -> list[Location]:
    """Those of a folder's files that are sketches."""
    seen = [path for path in paths if not is_hidden(path.rpartition("/")[2])]
    if any(path.endswith(PIECES) for path in seen):
        raise Failure(
            f"{folder}: pieces of a build that did not end (part-*{PIECES}), "
            f"expected part-*{SUFFIX}: build it anew"
        )
    found = [folder.beside(path) for path in seen if path.endswith(SUFFIX)]
    if not found:
        raise Failure(f"{folder}: a folder without sketches, expected files *{SUFFIX}")
    return found
