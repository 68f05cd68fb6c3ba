"""The static program `ink`, which goes to the nodes with a job, and is asked here for all that it needs."""

from __future__ import annotations

import json
import os
import pathlib
import platform
import re
import struct
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .failure import USAGE, Failure, Relayed, one_line

HERE = pathlib.Path(__file__).resolve().parents[1]
# Beside the installed ink-hadoop, or where `make static` leaves it in the source.
CANDIDATES = (HERE / "ink", HERE.parents[1] / "build" / "static" / "ink")
MACHINES = {62: "x86_64", 183: "aarch64", 22: "s390x", 21: "ppc64le", 243: "riscv64", 258: "loongarch64"}
NAMES = {"amd64": "x86_64", "arm64": "aarch64"}
INTERPRETER = 3  # the type of the part that names the loader of shared libraries


@dataclass(frozen=True)
class Option:
    """An option of `ink` as its manual lists it."""

    names: tuple[str, ...]
    value: str  # what its value is called; empty if it takes none
    bare: bool = False  # the value may be left out, and only stands after =


def options_in(manual: str) -> dict[str, Option]:
    """The options of a manual page of `ink`, by each of their names."""
    found: dict[str, Option] = {}
    for line in re.findall(r"^\.TP\n(\\fB\\-.*)$", manual, re.MULTILINE):
        names = tuple(name.replace("\\-", "-") for name in re.findall(r"\\fB(\\-.*?)\\fR", line))
        rest = line.rpartition(r"\fB")[2].partition(r"\fR")[2]
        value = re.sub(r"\\f[IR]", "", rest).replace("\\-", "-").strip(" []=")
        option = Option(names, value, bare=rest.startswith("[="))
        found.update(dict.fromkeys(names, option))
    return found


class Program:
    """The static program at a path."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.known_as: dict[str, str] = {}  # local copies, by the names that people gave
        self._options: dict[str, dict[str, Option]] = {}

    def run(
        self,
        words: Sequence[str],
        *,
        given: bytes = b"",
        environment: Mapping[str, str] | None = None,
        passed: bool = False,
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs it; with `passed` its output and errors go where ours go."""
        pipe = None if passed else subprocess.PIPE
        try:
            return subprocess.run(
                [str(self.path), *words],
                input=given,
                stdout=pipe,
                stderr=pipe,
                env={**os.environ, **(environment or {})},
                check=False,
            )
        except OSError as error:
            raise Failure(f"{self.path}: {error.strerror}, expected the static program ink") from error

    def ask(
        self, words: Sequence[str], *, given: bytes = b"", environment: Mapping[str, str] | None = None
    ) -> str:
        """What it prints; its failure is ours."""
        done = self.run(words, given=given, environment=environment)
        if done.returncode != 0:
            failure = relayed(done)
            for path, name in self.known_as.items():
                failure.text = failure.text.replace(path, name)
            raise failure
        return done.stdout.decode("utf-8", "replace")

    def options(self, command: str) -> dict[str, Option]:
        """The options of one of its commands."""
        if command not in self._options:
            self._options[command] = options_in(self.ask(["help", "--man", command]))
        return self._options[command]

    def planned(self, words: Sequence[str], environment: Mapping[str, str] | None = None) -> dict[str, Any]:
        """The one JSON object that it prints."""
        text = self.ask(words, environment=environment)
        try:
            value = json.loads(text)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise Failure(
                f"{self.path} {words[0]}: printed {one_line(text, 80)}, "
                "expected a JSON object: another version of ink?"
            )
        return value


def relayed(done: subprocess.CompletedProcess[bytes]) -> Failure:
    """The failure that `ink` ended with."""
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode < 0:
        return Failure(f"{done.args[0]} {done.args[1]}: killed by signal {-done.returncode}")
    return Relayed(said or f"{done.args[0]} {done.args[1]}: exit code {done.returncode}", done.returncode)


# ---- Whether nodes can run it -----------------------------------------------------------------


def machine_of(path: pathlib.Path) -> tuple[str, bool]:
    """The machine that a program is for, and whether it needs no shared library."""
    with open(path, "rb") as file:
        head = file.read(64)
        if len(head) < 64 or head[:4] != b"\x7fELF" or head[4] != 2:
            raise Failure(f"{path}: no 64-bit ELF program, expected the static ink of make static", USAGE)
        order = "<" if head[5] == 1 else ">"
        (machine,) = struct.unpack_from(order + "H", head, 18)
        (start,) = struct.unpack_from(order + "Q", head, 32)
        size, count = struct.unpack_from(order + "HH", head, 54)
        file.seek(start)
        table = file.read(size * count)
    types = [
        struct.unpack_from(order + "I", table, i * size)[0]
        for i in range(count)
        if (i + 1) * size <= len(table)
    ]
    return MACHINES.get(machine, f"machine {machine}"), INTERPRETER not in types


def find_program(named: str | None) -> Program:
    """The static program: that of --ink, of INK_STATIC, or the one that belongs to this ink-hadoop."""
    named = named or os.environ.get("INK_STATIC")
    candidates = [pathlib.Path(named)] if named else list(CANDIDATES)
    path = next((path for path in candidates if path.is_file()), None)
    if path is None:
        if named:
            raise Failure(f"{named}: no such file, expected the static program ink", USAGE)
        raise Failure("no static program ink, expected --ink PATH, or one that make static made", USAGE)
    try:
        machine, static = machine_of(path)
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from error
    here = platform.machine()
    here = NAMES.get(here, here)
    if machine != here:
        raise Failure(f"{path}: a program for {machine}, expected {here}, as this machine is", USAGE)
    if not static:
        raise Failure(
            f"{path}: needs shared libraries, which nodes may lack; "
            "expected the static program that make static makes",
            USAGE,
        )
    return Program(path.resolve())
