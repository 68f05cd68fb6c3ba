"""What benchmarks share: running and timing programs, data, and a table."""

from __future__ import annotations

import contextlib
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import NoReturn

MEGABYTE = 1e6


def stop(message: str) -> NoReturn:
    sys.exit(f"bench: {message}")


def setting(name: str, default: int, least: int) -> int:
    text = os.environ.get(name) or str(default)
    if not re.fullmatch("[0-9]+", text) or int(text) < least:
        stop(f"{name}: found {text}, expected a whole number of at least {least}")
    return int(text)


def peak_of_own(process: int) -> int:
    """The most memory of a process that is no file's, in bytes, until it ends."""
    most = 0
    with open(f"/proc/{process}/status", encoding="ascii") as status:
        while found := re.search(r"^RssAnon:\s*([0-9]+) kB", status.read(), re.M):
            most = max(most, int(found[1]) * 1024)
            time.sleep(0.002)
            status.seek(0)
    return most


class Run:
    """A command that ran: seconds by the clock, CPU seconds, peak memory in bytes, what it printed. `watched`: its
    memory without mapped files too, looked at every two milliseconds."""

    def __init__(self, *words: object, to: pathlib.Path | None = None, given: pathlib.Path | None = None,
                 watched: bool = False) -> None:
        command = [str(word) for word in words]
        env = {**os.environ, "LC_ALL": "C"}
        with tempfile.TemporaryFile() as errors, contextlib.ExitStack() as stack:
            out = stack.enter_context(open(to, "wb")) if to else subprocess.PIPE
            source = stack.enter_context(open(given, "rb")) if given else subprocess.DEVNULL
            start = time.perf_counter()
            try:
                child = stack.enter_context(
                    subprocess.Popen(command, stdin=source, stdout=out, stderr=errors, env=env))
            except OSError as error:
                stop(f"{command[0]}: {error.strerror}")
            self.own_peak = peak_of_own(child.pid) if watched else 0
            self.text = child.stdout.read().decode() if child.stdout else ""
            _, status, usage = os.wait4(child.pid, 0)
            self.seconds = time.perf_counter() - start
            child.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip()
        self.peak = usage.ru_maxrss * 1024
        self.cpu = usage.ru_utime + usage.ru_stime
        self.errors = said
        if child.returncode != 0:
            stop(f"{' '.join(command)}: exit code {child.returncode}, expected 0: {said}")


def say_saved(path: pathlib.Path) -> None:
    print(f"\nThe same, fields separated by tabs: {os.path.relpath(path)}")


class Table:
    """Rows as they are printed, and the same as a file of fields separated by tabs."""

    NAMES = ("part", "what", "best", "worst", "unit", "target")

    def __init__(self) -> None:
        self.rows: list[tuple[str, ...]] = []
        self.part = ""

    def head(self, part: str, text: str) -> None:
        self.part = part
        print(f"\n{text}", flush=True)
        print(f"  {'':50}{'best':>9}{'worst':>9}", flush=True)

    def row(self, what: str, best: float, worst: float | None = None, unit: str = "s", at_most: float | None = None,
            at_least: float | None = None) -> None:
        digits = {"s": 3, "ms": 2, "MB": 1, "x": 2, "ns": 2, "%": 3}.get(unit, 0)
        numbers = ["" if x is None else f"{x:.{digits}f}" for x in (best, worst)]
        goal, result = "", ""
        if at_most is not None:
            goal = f"<= {at_most:g}"
            result = f"target {goal} {unit}: {'met' if best <= at_most else 'missed'}"
        if at_least is not None:
            goal = f">= {at_least:g}"
            result = f"target {goal} {unit}: {'met' if best >= at_least else 'missed'}"
        self.rows.append((self.part, what, *numbers, unit, goal))
        print(f"  {what:50}{numbers[0]:>9}{numbers[1]:>9} {unit:7}{result}".rstrip(), flush=True)

    def times(self, what: str, values: list[float], at_most: float | None = None) -> None:
        self.row(what, min(values), max(values), at_most=at_most)

    def save(self, path: pathlib.Path) -> None:
        lines = ["\t".join(row) + "\n" for row in [self.NAMES, *self.rows]]
        path.write_text("".join(lines), encoding="utf-8")


def show_targets(table: Table) -> None:
    """All rows that have a target, once more: what, how much, the target, and by how much it is met."""
    print("\nTargets: ratios of what was measured in this run (spare: how much is left of it)")
    print(f"  {'':58}{'is':>8}  {'target':10}{'spare':>7}")
    for part, what, best, _, unit, goal in table.rows:
        if goal == "":
            continue
        bound, value = float(goal.split()[1]), float(best)
        spare = value / bound - 1 if goal.startswith(">=") else bound / max(value, 1e-9) - 1
        result = "" if spare >= 0 else "  missed"
        print(f"  {part + ': ' + what.strip():58}{best:>8}  {goal + ' ' + unit:10}{spare:7.0%}{result}")


def machine_lines() -> Iterator[str]:
    """What the machine is, and a warning if it does not seem idle."""
    model = platform.machine()
    with contextlib.suppress(OSError):
        found = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
        model = found[1] if found else model
    pages = "unknown"
    with contextlib.suppress(OSError):
        mode = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled").read_text()
        chosen = re.search(r"\[(.*)\]", mode)
        pages = chosen[1] if chosen else pages
    load = os.getloadavg()[0]
    yield f"machine: {model}, {len(os.sched_getaffinity(0))} cores, huge pages: {pages}"
    yield f"Nothing else may run meanwhile. Load average: {load:.2f}"
    if load > 0.5:
        yield "WARNING: a load above 0.5: something runs, or just ran; these times mean little"


def say_machine() -> None:
    print(*machine_lines(), sep="\n", flush=True)


def make_lines(path: pathlib.Path, *command: object) -> None:
    """A file of lines that a command prints, made unless it is there; it is in the page cache, and
    nothing is left to write."""
    if not path.exists():
        part = path.with_suffix(".part")
        Run(*command, to=part)
        with open(part, "rb") as file:
            os.fsync(file.fileno())
        part.rename(path)
    with open(path, "rb", buffering=0) as file:
        buffer = bytearray(1 << 20)
        while file.readinto(buffer):
            pass


def count_lines(path: pathlib.Path) -> int:
    with open(path, "rb") as file:
        return sum(1 for _ in file)


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Children inherit it."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
