"""Several nodes on this machine, for tests of clusters: each has an address, a host name, processes and mounts of
its own, and a cable to a switch that they share.

A node is a set of namespaces that one process holds, which waits for the end of its standard input. That
comes when the node is stopped, and also when the program that started it ends, in any way: then the kernel ends
all processes of the node, and its interface and its mounts are gone. Nothing of the machine itself is changed,
as the switch too is in a namespace of its own.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator
from typing import IO, Any

PREFIX = "10.77.0."
WAIT_SECONDS = 20
CLONE_NEWNET = 0x40000000
# What a node begins with, before it waits: /mnt is only a place on which the file with all names is made.
BEGIN = """
set -e
hostname "$0"
mount -t tmpfs nodes /mnt
printf '%s' "$1" > /mnt/hosts
mount --bind /mnt/hosts /etc/hosts
umount -l /mnt
ip link set lo up
echo ready
exec cat > /dev/null
"""


class NodesError(Exception):
    """There can be no nodes here, or one does not do what it should; the text is one line."""


def why_not() -> str:
    """Why there can be no nodes on this machine; "" if there can."""
    if os.geteuid() != 0:
        return "namespaces with interfaces take root"
    for tool in ("unshare", "nsenter", "ip"):
        if shutil.which(tool) is None:
            return f"there is no {tool}"
    try:
        with nodes("probe"):
            return ""
    except NodesError as error:
        return str(error)


def hold(words: list[str], begin: list[str]) -> subprocess.Popen[str]:
    """Namespaces with a process that says that it is ready, and then waits."""
    holder = subprocess.Popen(
        ["unshare", *words, *begin], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    )  # fmt: skip
    assert holder.stdout is not None
    if holder.stdout.readline() != "ready\n":
        raise NodesError(f"unshare {' '.join(words)}: {release(holder).strip() or 'is refused'}")
    return holder


def release(holder: subprocess.Popen[str]) -> str:
    """Ends namespaces and all that runs in them; what their process had to say."""
    try:
        return holder.communicate(timeout=WAIT_SECONDS)[1]
    except subprocess.TimeoutExpired:
        holder.kill()
        return holder.communicate()[1]


def done(words: list[str], given: str = "") -> str:
    """What a command printed that may not fail."""
    ran = subprocess.run(words, input=given, capture_output=True, text=True, check=False, timeout=60)
    if ran.returncode != 0:
        raise NodesError(f"{' '.join(words)}: {ran.stderr.strip()}")
    return ran.stdout


def enter(network: IO[Any]) -> None:
    """This thread uses another network from now on."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.setns(network.fileno(), CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


class Node:
    """One node, which is there until it is lost; it can be started again with the address that it had."""

    def __init__(self, switch: Switch, name: str, number: int) -> None:
        self.switch = switch
        self.name = name
        self.number = number
        self.address = f"{PREFIX}{number}"
        self.holder: subprocess.Popen[str] | None = None
        self.plugged = True

    def start(self) -> None:
        """Begins the node, with its cable in the switch."""
        begin = ["--fork", "--kill-child", "--mount-proc", "sh", "-c", BEGIN, self.name, self.switch.hosts()]
        self.holder = hold(["--net", "--mount", "--uts", "--pid"], begin)
        self.switch.add(self)
        done(self.command("ip", "-batch", "-"), f"addr add {self.address}/24 dev eth0\nlink set eth0 up\n")

    def lose(self) -> None:
        """The node loses its power: its processes are gone, and no one hears of it."""
        if self.holder is not None:
            self.switch.remove(self)  # first, or the end of the processes would close their connections
            release(self.holder)
            self.holder = None

    def process(self) -> int:
        """The process that holds the namespaces, but for that of processes, which is the one of its child."""
        assert self.holder is not None, f"{self.name} is lost"
        return self.holder.pid

    def command(self, *words: str) -> list[str]:
        """How a command is run on the node. A signal to it does not reach what runs there: see end()."""
        of = f"/proc/{self.process()}/ns"
        spaces = ["net", "mnt", "uts"]
        names = [f"--{'mount' if space == 'mnt' else space}={of}/{space}" for space in spaces]
        return ["nsenter", *names, f"--pid={of}/pid_for_children", "--wd=.", *words]

    def run(self, *words: str) -> str:
        """What a command printed that ran on the node and did not fail."""
        return done(self.command(*words))

    def end(self) -> None:
        """Kills what runs on the node; its system stays, and closes all connections, as peers notice."""
        done(self.command("sh", "-c", "kill -9 -1"))

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """This thread has the network of the node, and what it starts; files stay those of the machine."""
        with (
            open("/proc/thread-self/ns/net", "rb") as before,
            open(f"/proc/{self.process()}/ns/net", "rb") as there,
        ):
            enter(there)
            try:
                yield
            finally:
                enter(before)

    def unplug(self) -> None:
        """Pulls the cable: what is sent is lost, and no one hears of it."""
        self.switch.run(f"link set port{self.number} down")
        self.plugged = False

    def plug(self) -> None:
        """Puts the cable back."""
        self.switch.run(f"link set port{self.number} up")
        self.plugged = True

    def sent(self) -> int:
        """How many bytes went out over the cable so far."""
        with open(f"/proc/{self.process()}/net/dev", encoding="ascii") as counts:
            for line in counts:
                name, _, fields = line.partition(":")
                if name.strip() == "eth0":
                    return int(fields.split()[8])
        raise NodesError(f"{self.name}: found no eth0")


class Switch:
    """What the cables of all nodes lead to."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.nodes = {name: Node(self, name, number) for number, name in enumerate(names, 1)}
        self.holder = hold(["--net"], ["sh", "-c", "echo ready; exec cat > /dev/null"])

    def hosts(self) -> str:
        """The names of all nodes, as /etc/hosts has them."""
        lines = [f"{node.address} {node.name}" for node in self.nodes.values()]
        return "\n".join(["127.0.0.1 localhost", *lines, ""])

    def run(self, lines: str) -> None:
        """Commands of ip(8), in the switch."""
        done(["nsenter", f"--net=/proc/{self.holder.pid}/ns/net", "ip", "-batch", "-"], lines)

    def add(self, node: Node) -> None:
        """A cable between a node and the switch."""
        port = f"port{node.number}"
        self.run(
            f"link add name {port} type veth peer name eth0 netns {node.process()}\n"
            f"link set {port} master switch up\n"
        )

    def remove(self, node: Node) -> None:
        """The cable is gone, and the interface of the node with it."""
        with contextlib.suppress(NodesError):  # a node that could not be started has none
            self.run(f"link del port{node.number}")


@contextlib.contextmanager
def nodes(*names: str) -> Iterator[dict[str, Node]]:
    """Nodes with these names, on one switch; at the end all is gone that ran on them."""
    switch = Switch(names)
    try:
        switch.run("link add name switch type bridge\nlink set switch up\n")
        for node in switch.nodes.values():
            node.start()
        yield switch.nodes
    finally:
        for node in switch.nodes.values():
            node.lose()
        release(switch.holder)
