"""Processes that are known again: a number alone is not enough, since the system gives it to others later.

A process is known by its number, by when it started, and by which boot that was. Signals go to a descriptor
of the process (pidfd), which is opened before the start is compared: between looking and ending no other
process can get its number.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pathlib
import select
import signal
import time
from collections.abc import Iterator


def boot_id() -> str:
    """Names the time since the machine was started."""
    return pathlib.Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def stat_fields(number: int) -> list[str] | None:
    """The fields of /proc/NUMBER/stat after the name, from the state on; None where there is no process."""
    try:
        text = pathlib.Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return text.rpartition(")")[2].split()


def start_of(number: int) -> int | None:
    """When a process started, in ticks since boot; None if it is not there, or is a zombie."""
    fields = stat_fields(number)
    return None if fields is None or fields[0] in "ZX" else int(fields[19])


@dataclasses.dataclass(frozen=True)
class Process:
    """A process, distinct from a later one with the same number."""

    number: int
    start: int
    boot: str

    @classmethod
    def of(cls, number: int) -> Process | None:
        """The process that has this number now."""
        start = start_of(number)
        return None if start is None else cls(number, start, boot_id())

    def runs(self) -> bool:
        """Whether it is still there."""
        return self.boot == boot_id() and start_of(self.number) == self.start

    @contextlib.contextmanager
    def held(self) -> Iterator[int | None]:
        """A descriptor of this very process; None if it is gone."""
        try:
            descriptor = os.pidfd_open(self.number)
        except ProcessLookupError:
            yield None
            return
        try:
            yield descriptor if self.runs() else None
        finally:
            os.close(descriptor)

    def stop(self, grace_seconds: float) -> None:
        """Asks it to end, and ends it if it did not within the grace time. Gone is gone: no error."""
        with self.held() as descriptor:
            if descriptor is None:
                return
            with contextlib.suppress(ProcessLookupError):
                if grace_seconds > 0:
                    signal.pidfd_send_signal(descriptor, signal.SIGTERM)
                    if wait_for(descriptor, grace_seconds):
                        return
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
                wait_for(descriptor, 10)


def wait_for(descriptor: int, seconds: float) -> bool:
    """Whether the process of a descriptor ended within that time."""
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    return bool(poller.poll(seconds * 1000))


def processes_in(folder: pathlib.Path) -> list[Process]:
    """Those whose working folder is this one or below it, also if it was removed meanwhile."""
    top = str(folder.resolve())
    found = []
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            at = os.readlink(f"{entry.path}/cwd")
        except OSError:
            continue  # it ended, or is another user's
        if at == top or at.startswith(top + "/"):
            process = Process.of(int(entry.name))
            if process is not None:
                found.append(process)
    return found


def stop_all_in(folder: pathlib.Path, seconds: float = 10) -> int:
    """Ends all that works in a folder, and what these start meanwhile; how many they were."""
    ended: set[Process] = set()
    until = time.monotonic() + seconds
    while (found := processes_in(folder)) and time.monotonic() < until:
        for process in found:
            process.stop(0)
        ended.update(found)
    return len(ended)
