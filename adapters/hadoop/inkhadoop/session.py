"""What all commands share: the cluster, the program, what was typed, a folder for temporary files."""

from __future__ import annotations

import os
import pathlib
import pwd
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property

from .conf import Configuration, conf_folder
from .failure import IO, USAGE, Failure, Relayed
from .launcher import Launcher, find_launcher
from .locations import Location, Locations
from .program import Program
from .progress import Progress
from .streaming import can_ship
from .words import Words, take_apart

NAME_BYTES = 8


def user_name() -> str:
    """The name of the user for HDFS."""
    named = os.environ.get("HADOOP_USER_NAME")
    if named:
        return named
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return os.environ.get("USER") or str(os.geteuid())


class Session:
    """One run of a command, whose options are those of the command of `ink` with the same name."""

    def __init__(self, command: str, typed: Sequence[str], program: Program, temporary: pathlib.Path) -> None:
        self.command = command
        self.program = program
        self.temporary = temporary
        self.words: Words = take_apart(typed, program.options(command))
        self.user = user_name()
        if self.words.unknown is not None:
            program.ask([command, self.words.unknown])  # which says it in its own words
            raise Failure(f"{self.words.unknown}: no option of ink {command}", USAGE)
        self.settings = self.words.settings
        self.progress = Progress("--no-progress" not in self.words.given and not self.words.quiet)

    @cached_property
    def folder(self) -> pathlib.Path:
        """The folder of the cluster's configuration."""
        return conf_folder()

    @cached_property
    def conf(self) -> Configuration:
        """The cluster's configuration."""
        conf = Configuration.load(self.folder, self.settings)
        conf.check_supported()
        return conf

    @cached_property
    def locations(self) -> Locations:
        """What paths mean."""
        return Locations(self.conf, self.user)

    @cached_property
    def launcher(self) -> Launcher:
        """How Hadoop is run."""
        return find_launcher(self.folder, self.temporary)

    def program_to_ship(self) -> pathlib.Path:
        """The static program, or a copy where Hadoop cannot take it from its folder."""
        path = self.program.path
        if can_ship(str(path)):
            return path
        copy = self.temporary / "ink"
        if not copy.exists():
            shutil.copy(path, copy)
        return copy

    def options_for(self, command: str, files: Mapping[str, str] | None = None) -> list[str]:
        """The options that were typed for `ink map` or `ink reduce`; names of files as `files` has them."""
        offered = self.program.options(command)
        found: list[str] = []
        for typed in self.words.passed:
            if typed.name not in offered:
                continue
            shipped = (files or {}).get(typed.file or "")
            found += typed.words if shipped is None else [f"{typed.name}={shipped}"]
        return found

    def refuse_others(self, *known: str) -> None:
        """Refuses options of `ink` that a job cannot have."""
        offered = self.program.options("map")
        for typed in self.words.passed:
            if typed.name not in offered and typed.name not in known:
                raise Failure(f"{typed.name} cannot be had in a job; see ink-hadoop --help", USAGE)

    def shipped_files(self) -> dict[str, str]:
        """The files that options name, and what each is called on the nodes; they are copied for the job."""
        shipped: dict[str, str] = {}
        for typed in self.words.passed:
            if typed.file is not None and typed.file not in shipped:
                name = f"ink-file-{len(shipped)}"
                try:
                    shutil.copyfile(typed.file, self.temporary / name)
                except OSError as error:
                    raise Relayed(f"ink: {typed.file}: {error.strerror}", IO) from error
                shipped[typed.file] = name
        return shipped

    def local_copy(self, location: Location, name: str) -> pathlib.Path:
        """A file as a local one, which is removed with all temporary files if it came from HDFS."""
        if location.hdfs is None:
            return pathlib.Path(location.path)
        path = self.temporary / name
        try:
            with open(path, "wb") as file:
                for block in location.hdfs.read(location.path):
                    file.write(block)
        except OSError as error:
            raise Failure(
                f"{path}: {error.strerror}, expected room for {location}; TMPDIR names another folder"
            ) from error
        self.program.known_as[str(path)] = str(location)
        return path

    def store(self, path: pathlib.Path, location: Location, *, replace: bool = False) -> None:
        """Puts a local file into HDFS, whole or not at all."""
        hidden = hidden_name(location.path)
        hdfs = location.files
        try:
            with open(path, "rb") as file:
                hdfs.write(hidden, file)
            hdfs.rename(hidden, location.path, replace=replace)
        except BaseException:
            discard(location.beside(hidden))
            raise


def hidden_name(path: str) -> str:
    """Another name beside a path, which Hadoop's jobs pass over."""
    folder, _, name = path.rpartition("/")
    return f"{folder}/.{name}.{secrets.token_hex(NAME_BYTES)}"


def discard(location: Location) -> None:
    """Deletes what is of no use any more; another failure is on its way, so this one is not reported."""
    try:
        location.files.delete(location.path)
    except Failure:
        pass


def refuse_file_above(location: Location) -> None:
    """Refuses a path below a file, by the name of that."""
    path = location.path
    while path := path.rpartition("/")[0]:
        status = location.files.status(path)
        if status is not None and not status.folder:
            raise Failure(f"{location.beside(path)}: a file, expected a folder for {location}")
        if status is not None:
            return


@contextmanager
def claimed(location: Location) -> Iterator[None]:
    """A new folder, made in one step so that no other job has it too; gone again if the work in it fails."""
    hdfs = location.files
    if location.path == "/" or hdfs.status(location.path) is not None:
        raise Failure(f"{location}: exists already, expected a new folder")
    refuse_file_above(location)
    hidden = hidden_name(location.path)
    hdfs.make_folder(hidden)
    try:
        hdfs.rename(hidden, location.path)
    except BaseException:
        discard(location.beside(hidden))
        raise
    try:
        yield
    except BaseException:
        discard(location)
        raise
