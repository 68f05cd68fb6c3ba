"""Hadoop's jars in the cache: whole or not at all, fetched once, and one line if they cannot be."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

JARS = pathlib.Path(__file__).resolve().parents[1] / "localcluster" / "jars.py"

# Stands for Maven: writes a jar, says what it was asked, and counts how often that was.
GOOD = """#!/bin/sh
echo "$@" >> "$CALLS"
for word; do case $word in -DoutputDirectory=*) to=${word#*=};; esac; done
mkdir -p "$to" && echo jar > "$to/hadoop-common-3.5.0.jar"
"""
HALF = GOOD + 'echo "[ERROR] Failed to execute goal: no such thing" ; exit 1\n'
AWAY = 'echo "[ERROR] Could not transfer artifact: Connection refused"; exit 1\n'


class Maven:
    """A program `mvn` in front of all others, and a cache of its own."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.cache, self.calls, self.program = folder / "cache", folder / "calls", folder / "bin" / "mvn"
        self.program.parent.mkdir()
        self.is_now(GOOD)

    def is_now(self, text: str) -> None:
        self.program.write_text(text if text.startswith("#!") else f"#!/bin/sh\n{text}")
        self.program.chmod(0o755)

    def start(self, *words: str) -> subprocess.Popen[str]:
        kept = {name: value for name, value in os.environ.items() if name != "INK_HADOOP_JARS"}
        path = f"{self.program.parent}:{os.environ['PATH']}"
        return subprocess.Popen(
            [sys.executable, "-B", str(JARS), *words],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**kept, "PATH": path, "XDG_CACHE_HOME": str(self.cache), "CALLS": str(self.calls)},
        )  # fmt: skip

    def run(self, *words: str) -> tuple[int, str, str]:
        with self.start(*words) as one:
            said, errors = one.communicate(timeout=60)
        return one.returncode, said.strip(), errors

    def folders(self) -> list[str]:
        return [path.name for path in (self.cache / "inkling").iterdir() if path.is_dir()]


@pytest.fixture
def maven(tmp_path: pathlib.Path) -> Maven:
    return Maven(tmp_path)


def test_they_are_fetched_once_and_it_is_said_what(maven: Maven) -> None:
    code, folder, said = maven.run()
    assert code == 0 and pathlib.Path(folder, "hadoop-common-3.5.0.jar").exists()
    assert said.startswith("downloading Hadoop 3.5.0 with Hadoop Streaming 3.4.2 ") and folder in said
    assert maven.run() == (0, folder, "") == maven.run("--find")
    asked = maven.calls.read_text().splitlines()
    assert len(asked) == 1 and "-DincludeScope=runtime" in asked[0].split()
    assert maven.folders() == [pathlib.Path(folder).name]


def test_who_comes_second_waits_for_the_first(maven: Maven) -> None:
    maven.is_now(GOOD.replace("mkdir", "sleep 0.5; mkdir"))
    with maven.start() as one, maven.start() as other:
        found = {one.communicate(timeout=60)[0], other.communicate(timeout=60)[0]}
    assert (one.returncode, other.returncode) == (0, 0)
    assert len(found) == 1 and len(maven.calls.read_text().splitlines()) == 1


def test_half_of_them_are_none(maven: Maven) -> None:
    maven.is_now(HALF)
    code, folder, said = maven.run()
    line = said.splitlines()[-1]
    assert (code, folder) == (1, "")
    assert line.startswith("make: Hadoop's jars: Failed to execute goal: no such thing; all that was said: ")
    assert maven.folders() == []
    assert maven.run("--find")[0] == 1
    maven.is_now(GOOD)
    assert maven.run()[0] == 0


def test_a_registry_that_is_not_there_and_a_missing_maven_are_one_line(maven: Maven) -> None:
    maven.is_now(AWAY)
    assert "make: Hadoop's jars: the registry of jars is not reachable; " in maven.run()[2]
    maven.program.unlink()
    maven.program.parent.joinpath("mvn").symlink_to("/nonexistent")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", "/nonexistent")
        assert maven.run()[2].splitlines()[-1] == (
            'make: Hadoop\'s jars: Maven is missing: run "make deps-hadoop" as root'
        )
