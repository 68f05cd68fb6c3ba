"""Ports that are free on the loopback address.

They are taken below the range from which the system gives ports to connections: one that is free when it
is looked for would otherwise soon be an end of some connection. Between looking and using another process can
still take one; the start of a daemon then tries anew with others.
"""

from __future__ import annotations

import pathlib
import random
import socket
from collections.abc import Iterable

LOOPBACK = "127.0.0.1"
LOWEST = 10_000
TRIES = 10_000


class NoPortError(Exception):
    """There are not enough free ports; the text is one line."""


def highest() -> int:
    """The last port that the system does not give to connections."""
    try:
        text = pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii")
        first = int(text.split()[0])
    except (OSError, ValueError, IndexError):
        first = 32768
    return first - 1 if first > LOWEST + 1000 else 65535


def is_free(port: int) -> bool:
    """Whether no process listens on a port, on any address: it would be in the way."""
    for address in (LOOPBACK, ""):
        with socket.socket() as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                one.bind((address, port))
            except OSError:
                return False
    return True


def choose_ports(names: Iterable[str]) -> dict[str, int]:
    """A free port for each name, each another one."""
    chosen: dict[str, int] = {}
    dice = random.SystemRandom()
    last = highest()
    for name in names:
        for _ in range(TRIES):
            port = dice.randint(LOWEST, last)
            if port not in chosen.values() and is_free(port):
                chosen[name] = port
                break
        else:
            raise NoPortError(f"found no free port from {LOWEST} to {last} on {LOOPBACK}")
    return chosen
