"""A job of Hadoop Streaming: what it is made of, how it is run and watched, and how it is ended."""

from __future__ import annotations

import os
import pathlib
import re
import shlex
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .client import Client
from .failure import USAGE, Failure
from .launcher import Launcher
from .progress import Progress
from .standard import say

KILL_SECONDS = 60
SHIPPED = re.compile(r"[\w/.~+=@-]+", re.ASCII)


@dataclass
class Job:
    """A job to be run; settings that were given with -D stand above those here."""

    name: str
    inputs: Sequence[str]
    output: str
    mapper: Sequence[str]  # the words of a command
    reducer: Sequence[str] | None
    settings: dict[str, str]
    environment: dict[str, str]
    input_format: str | None = None  # the class that reads inputs; None: lines
    files: list[str] = field(default_factory=list)  # that go to the nodes: paths, or URIs with #name

    def arguments(self, folder: pathlib.Path, overrides: Mapping[str, str]) -> list[str]:
        """The words for HadoopStreaming. Commands go as scripts in `folder`: it cannot quote all words."""
        files = [*self.files, script(folder, "ink-map", self.mapper)]
        if self.reducer is not None:
            files.append(script(folder, "ink-reduce", self.reducer))
        settings = {"mapreduce.job.name": self.name, **self.settings, **overrides}
        words = [word for name, value in settings.items() for word in ("-D", f"{name}={value}")]
        words += ["-files", ",".join(files)]
        words += [word for path in self.inputs for word in ("-input", path)]
        if self.input_format is not None:
            words += ["-inputformat", self.input_format]
        words += ["-output", self.output, "-mapper", "./ink-map"]
        words += ["-reducer", "NONE" if self.reducer is None else "./ink-reduce"]
        if self.reducer is not None:
            words += ["-outputformat", "org.apache.hadoop.mapred.lib.NullOutputFormat"]
        return [
            *words,
            *(word for name, value in self.environment.items() for word in ("-cmdenv", f"{name}={value}")),
        ]


def can_ship(path: str) -> bool:
    """Whether -files takes a path: Hadoop decodes it, and takes it for an address once more."""
    return SHIPPED.fullmatch(path) is not None


def shipped(path: pathlib.Path, name: str | None = None) -> str:
    """A local file as -files takes it, perhaps with another name on the nodes."""
    if not can_ship(str(path)):
        raise Failure(
            f"{path}: Hadoop cannot take files from there, expected letters, digits and -_.~+=@ in names; "
            "TMPDIR names another folder",
            USAGE,
        )
    return f"file://{path}" + (f"#{name}" if name else "")


def script(folder: pathlib.Path, name: str, words: Sequence[str]) -> str:
    """A file that runs a command; its address."""
    path = folder / name
    path.write_bytes(b"#!/bin/sh\nexec " + os.fsencode(shlex.join(words)) + b"\n")
    path.chmod(0o755)
    return shipped(path)


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process that was started in a session of its own, and its children: a script's JVM."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


class Run:
    """A job that runs."""

    def __init__(
        self,
        launcher: Launcher,
        job: Job,
        folder: pathlib.Path,
        overrides: Mapping[str, str],
        progress: Progress,
    ) -> None:
        self.launcher = launcher
        self.client = Client()
        self.progress = progress
        self.map_only = job.reducer is None
        self.words = [*launcher.streaming, *job.arguments(folder, overrides)]
        self.folder = folder

    def _start(self, words: Sequence[str]) -> subprocess.Popen[bytes]:
        """A process that the terminal's signals do not reach: this process ends the job."""
        return subprocess.Popen(
            words,
            cwd=self.folder,
            env={**os.environ, **self.launcher.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def watch(self) -> bool:
        """Runs the job to its end; whether it succeeded."""
        self.progress.show("starting")
        process = self._start(self.words)
        try:
            assert process.stdout is not None
            for line in process.stdout:
                self.client.take(line.decode("utf-8", "replace"))
                self._show()
            return process.wait() == 0 and self.client.state == "SUCCEEDED"
        except BaseException:
            end(process)
            self.progress.show("ending the job")
            self.kill()
            raise
        finally:
            self.progress.clear()

    def _show(self) -> None:
        client = self.client
        if client.job is None:
            self.progress.show("starting")
        else:
            self.progress.percents(client.maps, None if self.map_only else client.reduces)

    def kill(self) -> None:
        """Ends the job on the cluster, if it may be there."""
        if self.client.job is None or self.client.state is not None:
            return
        process = self._start([*self.launcher.jobs, "-kill", self.client.job])
        try:
            said, _ = process.communicate(timeout=KILL_SECONDS)
        except subprocess.TimeoutExpired:
            end(process)
            said = b""
        if process.returncode != 0 and b"Unknown job" not in said and b"Could not find job" not in said:
            say(f"{self.client.job} may still run: mapred job -kill {self.client.job} ends it")
