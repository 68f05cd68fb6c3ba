"""Up, down and status of a cluster in a folder."""

from __future__ import annotations

import pathlib
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import FrameType

from .daemons import (
    DAEMONS,
    Daemon,
    find_java,
    format_namenode,
    make_loopback,
    port_was_taken,
    start,
    why_it_ended,
)
from .jars import find_jars
from .ports import choose_ports, is_free
from .processes import Process, stop_all_in
from .settings import PORTS, write_settings
from .state import ClusterError, State, check_folder, check_path, load, locked

ATTEMPTS = 3
START_SECONDS = 180
POLL_SECONDS = 0.2
GRACE_SECONDS = 15.0

Say = Callable[[str], None]


class PortTakenError(ClusterError):
    """Another process took a port between looking for it and using it."""


# ---- Up --------------------------------------------------------------------------------------------


def up(
    folder: pathlib.Path, settings: Mapping[str, str] | None = None, say: Say = lambda text: None
) -> State:
    """A cluster that runs in the folder: what does not run is started. It is whole, or nothing of it runs."""
    folder = folder.resolve()
    check_path(str(folder))
    check_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        state = load(folder) or State(folder)
        running = state.running()
        if running and settings is not None and dict(settings) != state.settings:
            raise ClusterError(
                f"{folder}: found a cluster that runs with other settings, expected none: take it down first"
            )
        if len(running) == len(DAEMONS):
            return state
        prepare(state, settings)
        before = signal.signal(signal.SIGTERM, end_by_signal)
        try:
            bring_up(state, say)
        except BaseException:
            stop_daemons(state, 0)
            raise
        finally:
            signal.signal(signal.SIGTERM, before)
        return state


def end_by_signal(number: int, frame: FrameType | None) -> None:
    """Ends this program as Ctrl-C does, so that what was started is stopped."""
    raise KeyboardInterrupt


def prepare(state: State, settings: Mapping[str, str] | None) -> None:
    """Folders, and what the daemons are run with."""
    state.java, state.jars = str(find_java()), str(find_jars())
    check_path(state.jars)
    if settings is not None:
        state.settings = dict(settings)
    for name in ("tmp", "logs", "data"):
        (state.folder / name).mkdir(exist_ok=True)
    make_loopback(state.folder)


def still_free(ports: Mapping[str, int]) -> bool:
    """Whether those of the last time can be had again, so that addresses of files stay."""
    return ports.keys() == set(PORTS) and all(map(is_free, ports.values()))


def bring_up(state: State, say: Say) -> None:
    """Starts all that does not run; a port that was taken meanwhile is replaced by another one."""
    for attempt in range(1, ATTEMPTS + 1):
        if not state.running() and not still_free(state.ports):
            state.ports = choose_ports(PORTS)
        write_settings(state.folder, pathlib.Path(state.jars), state.ports, state.settings)
        state.save()
        try:
            start_daemons(state, say)
            return
        except PortTakenError:
            if attempt == ATTEMPTS:
                raise
            say("a port was taken meanwhile: once more with others")
            stop_daemons(state, 0)
            state.ports = {}


def start_daemons(state: State, say: Say) -> None:
    """Starts those that do not run and waits until they work."""
    format_namenode(state.folder, state.java, state.jars)
    running = state.running()
    started: dict[str, subprocess.Popen[bytes]] = {}
    for daemon in DAEMONS:
        if daemon.name in running:
            continue
        say(f"starting {daemon.name}")
        started[daemon.name] = child = start(state.folder, state.java, state.jars, daemon)
        process = Process.of(child.pid)
        if process is not None:
            state.daemons[daemon.name] = process
            state.save()
    wait_until_there(state, started)


def wait_until_there(state: State, started: Mapping[str, subprocess.Popen[bytes]]) -> None:
    """Until all work, or one has ended, or it takes too long."""
    until = time.monotonic() + START_SECONDS
    waiting = list(DAEMONS)
    while waiting:
        for name, child in started.items():
            code = child.poll()
            if code is not None:
                reason = why_it_ended(state.folder, name)
                kind = PortTakenError if port_was_taken(reason) else ClusterError
                raise kind(f"{name} ended at the start, exit code {code}: {reason}")
        if time.monotonic() > until:
            late: Daemon = waiting[0]
            raise ClusterError(
                f"{late.name}: not there after {START_SECONDS} s: {why_it_ended(state.folder, late.name)}"
            )
        waiting = [daemon for daemon in waiting if not daemon.is_there(state.ports)]
        if waiting:
            time.sleep(POLL_SECONDS)


# ---- Down ------------------------------------------------------------------------------------------


def containers_folder(folder: pathlib.Path) -> pathlib.Path:
    """Every task works in a folder below this one."""
    return folder / "data" / "containers"


def stop_daemons(state: State, grace_seconds: float) -> int:
    """Stops what runs, the NodeManager first; then tasks that it left. How many processes these were."""
    running = state.running()
    others = [process for name, process in running.items() if name != "NodeManager"]
    if "NodeManager" in running:
        running["NodeManager"].stop(grace_seconds)
    left = stop_all_in(containers_folder(state.folder))
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda process: process.stop(grace_seconds), others))
    state.daemons = {}
    state.save()
    return len(running) + left


def down(folder: pathlib.Path, delete: bool = False) -> int:
    """Stops the cluster of a folder, and removes the folder if asked to; how many processes it stopped."""
    folder = folder.resolve()
    state = load(folder)
    if state is None:
        check_folder(folder)
        return 0
    with locked(folder):
        state = load(folder)
        if state is None:
            return 0
        stopped = stop_daemons(state, 0 if delete else GRACE_SECONDS)
        if delete:
            shutil.rmtree(folder)
    return stopped


# ---- Status ----------------------------------------------------------------------------------------


def status(folder: pathlib.Path) -> tuple[State | None, dict[str, str]]:
    """The cluster of a folder, and in a word or two what each of its daemons does."""
    state = load(folder.resolve())
    if state is None:
        return None, {}
    running = state.running()
    said = {}
    for daemon in DAEMONS:
        process = running.get(daemon.name)
        if process is None:
            said[daemon.name] = "ended" if daemon.name in state.daemons else "not started"
        else:
            works = "works" if daemon.is_there(state.ports) else "does not answer"
            said[daemon.name] = (
                f"{works}, process {process.number}, http://127.0.0.1:{state.ports[daemon.web]}"
            )
    return state, said
