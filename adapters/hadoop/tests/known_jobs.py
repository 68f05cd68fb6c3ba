"""ink-hadoop as tests run it, and what its results are compared with: files of ink on this machine."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from localcluster.client import Cluster, Job

COMMAND = pathlib.Path(__file__).resolve().parents[1] / "ink-hadoop"
SECONDS = 300


@dataclass(frozen=True)
class Ran:
    """A command that ended."""

    code: int
    out: str
    err: str

    def failed(self, code: int) -> str:
        """The one line of a failure."""
        assert self.code == code, f"exit code {self.code}: {self.out}{self.err}"
        assert self.out == "" and self.err.count("\n") == 1 and self.err.endswith("\n"), self.out + self.err
        return self.err.rstrip("\n")

    def fine(self) -> str:
        """What a success printed; nothing is said on standard error then."""
        assert (self.code, self.err) == (0, ""), f"exit code {self.code}: {self.out}{self.err}"
        return self.out


def run(words: Sequence[str], environment: Mapping[str, str], cwd: pathlib.Path | None = None) -> Ran:
    """Runs a program to its end."""
    done = subprocess.run(
        list(words),
        env=dict(environment),
        cwd=cwd,
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=SECONDS,
    )
    return Ran(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


class Jobs:
    """ink-hadoop on a cluster, and ink here."""

    def __init__(self, cluster: Cluster, ink: str, folder: pathlib.Path) -> None:
        self.cluster = cluster
        self.hdfs = cluster.hdfs
        self.ink_path = ink
        self.folder = folder

    def run(self, *words: str, **more: str) -> Ran:
        """ink-hadoop; temporary files have to be gone when it ends."""
        temporary = self.folder / "temporary"
        temporary.mkdir(exist_ok=True)
        environment = {**self.cluster.environment(), "TMPDIR": str(temporary), **more}
        done = run([str(COMMAND), *words], environment, self.folder)
        assert list(temporary.iterdir()) == [], "temporary files are left"
        return done

    def ink(self, *words: str) -> Ran:
        """The command of this build."""
        return run([self.ink_path, *words], os.environ, self.folder)

    def digest(self, path: str) -> str:
        """That of a local file."""
        return self.ink("info", "--digest", path).fine()

    def part(self, out: str, number: int = 0) -> str:
        """A part of a result as a local file."""
        path = self.folder / f"part-{number:05d}.ink"
        path.write_bytes(self.hdfs.read(f"{out}/part-{number:05d}.ink"))
        return str(path)

    def started(self, *words: str) -> subprocess.Popen[bytes]:
        """ink-hadoop, while it runs."""
        return subprocess.Popen(
            [str(COMMAND), *words], env=self.cluster.environment(), cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip

    def running_job(self, location: str, seconds: float = 120) -> str:
        """The application that has to do with a folder, when it runs."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for one in self.cluster.applications():
                if f"{location}/" in one["name"] and one["state"] == "RUNNING":
                    return str(one["id"])
            time.sleep(0.2)
        raise AssertionError("no job runs")

    def job(self, location: str) -> Job:
        """The newest job that has to do with a folder; others may use the cluster at the same time."""
        for one in self.cluster.applications():
            if f"{location}/" in one["name"]:
                return self.cluster.job(str(one["id"]).replace("application", "job"))
        raise AssertionError(f"no job of {location}")

    def started_jobs(self, location: str) -> int:
        """How many jobs have had to do with a folder."""
        return sum(f"{location}/" in one["name"] for one in self.cluster.applications())

    def states(self) -> dict[str, str]:
        """All applications, each with how it ended."""
        return {str(one["id"]): str(one["finalStatus"]) for one in self.cluster.applications()}


def end(process: subprocess.Popen[bytes], number: signal.Signals) -> Ran:
    """Sends a signal, and waits."""
    process.send_signal(number)
    out, err = process.communicate(timeout=SECONDS)
    return Ran(process.returncode, out.decode(errors="replace"), err.decode(errors="replace"))
