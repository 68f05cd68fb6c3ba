"""Killing drivers and executors of a stream, for the tests that do so a few times, and many."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Callable

import pyarrow
from pyarrow import csv
from streaming_driver import KINDS, OPTIONS

import inkling

#: Two tasks at a time, which are tried again, as on a cluster.
MASTER = "local[2,4]"
DRIVER = pathlib.Path(__file__).with_name("streaming_driver.py")


ROWS = 40


def write_rows(folder: pathlib.Path, files: int) -> None:
    """Writes `files` more files of rows, one for a batch each; keys come again in other files."""
    folder.mkdir(exist_ok=True)
    first = len(list(folder.iterdir()))
    for number in range(first, first + files):
        lines = [f"key {(number * ROWS + row) * 7 % 1000},{row % 3}\n" for row in range(ROWS)]
        path = folder / f"{number:04}.csv"
        path.with_suffix(".tmp").write_text("".join(lines))
        os.utime(path.with_suffix(".tmp"), (1e9 + number, 1e9 + number))  # Spark takes the oldest first
        path.with_suffix(".tmp").rename(path)


def digest_of(folder: pathlib.Path, files: int | None = None) -> str:
    """The digest of the sketches of all files, or of the first `files`, built at once."""
    types = {"key": pyarrow.string(), "group": pyarrow.int32()}
    names, convert = csv.ReadOptions(column_names=list(types)), csv.ConvertOptions(column_types=types)
    paths = sorted(folder.iterdir())[:files]
    table = pyarrow.concat_tables(csv.read_csv(path, names, convert_options=convert) for path in paths)
    made: inkling.Sketches = inkling.build(table, KINDS, **OPTIONS)  # type: ignore[call-overload]
    return made.digest


# For drivers that do not live long: their Java compiles quickly, not well.
_HASTE = {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


class Driver:
    """The program of ``streaming_driver``, in a session of its own with all that it starts."""

    def __init__(
        self,
        environment: dict[str, str],
        master: str,
        source: pathlib.Path,
        state: pathlib.Path,
        dies_after: str = "",
    ) -> None:
        self.log = state.with_suffix(".log")
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, DRIVER, master, source, state, dies_after],
                env={**environment, **_HASTE}, cwd=state.parent, start_new_session=True, text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
            )  # fmt: skip
        self.saved: list[str] = []

    def next_save(self) -> bool:
        """Waits until one more batch was saved; False if the driver has ended."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("saved "):
                self.saved.append(line.split()[1])
                return True
        return False

    def run_on(self, seconds: float) -> bool:
        """Lets it run for so long; False if it has ended."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return True
        return False

    def kill(self, whom: Callable[[str], bool], most: int | None = None) -> int:
        """Kills the processes of the session whose command `whom` picks, at most `most`; returns how many."""
        killed = 0
        for number, command in commands(self.process.pid).items():
            if whom(command) and (most is None or killed < most):
                try:
                    os.kill(number, signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:
                    pass
        return killed

    def end(self) -> int:
        """Waits for the end of all processes of the driver, whose output they share; its exit code."""
        while self.next_save():
            pass
        code = self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def failed(self) -> str:
        """What it had to say."""
        return f"{self.process.args}: exit code {self.process.returncode}: {self.log.read_text()[-4000:]}"


def commands(session: int) -> dict[int, str]:
    """The processes of a session, with their commands."""
    found = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                if os.getsid(int(entry.name)) == session:
                    line = pathlib.Path(entry.path, "cmdline").read_bytes()
                    if line:  # it is not dead already
                        found[int(entry.name)] = line.replace(b"\0", b" ").decode(errors="replace")
            except (ProcessLookupError, FileNotFoundError, PermissionError):
                pass
    return found


def everything(command: str) -> bool:
    """The driver, its Java, and all executors and workers: the machine, as it were."""
    return True


def python_driver(command: str) -> bool:
    """The driver's Python alone."""
    return DRIVER.name in command and "java" not in command.split(" ")[0]


def java_driver(command: str) -> bool:
    """The driver's Java alone."""
    return "org.apache.spark.deploy.SparkSubmit" in command


def python_workers(command: str) -> bool:
    """The Python of the executors."""
    return "pyspark.daemon" in command


def java_executors(command: str) -> bool:
    """Executors that are processes of their own."""
    return "CoarseGrainedExecutorBackend" in command
