"""A go-between for WebHDFS that kills the process which writes a result, in the middle, once."""

from __future__ import annotations

import os
import pathlib
import re
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SOME_BYTES = 1 << 16  # of a part that pass before the kill
HEAD_END = b"\r\n\r\n"


class Proxy:
    """Stands before a NameNode and its DataNode; `killed` lists what it killed."""

    def __init__(self, namenode: str) -> None:
        self.namenode = address_of(namenode)
        self.datanode = self.namenode
        self.killed: list[int] = []
        self.lock = threading.Lock()
        self.server = socket.create_server(("127.0.0.1", 0))
        self.name = f"127.0.0.1:{self.server.getsockname()[1]}"

    def serve(self) -> None:
        """Takes connections until the socket is closed."""
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self.handle, args=(client,), daemon=True).start()

    def handle(self, client: socket.socket) -> None:
        """One connection: its request goes on, its answer comes back."""
        with client:
            head = read_head(client)
            if not head:
                return
            at_datanode = b"namenoderpcaddress=" in head
            with socket.create_connection(self.datanode if at_datanode else self.namenode) as upstream:
                upstream.sendall(head)
                if at_datanode and head.startswith(b"PUT") and b"/_temporary/" in head and self.first():
                    pass_on(client, upstream, SOME_BYTES)
                    self.kill(client)
                    return
                threading.Thread(target=pass_on, args=(client, upstream), daemon=True).start()
                client.sendall(self.rewritten(read_head(upstream)))
                pass_on(upstream, client)

    def first(self) -> bool:
        """Whether no process was killed yet."""
        with self.lock:
            self.killed += [0] if not self.killed else []
            return self.killed == [0]

    def rewritten(self, head: bytes) -> bytes:
        """An answer whose redirection leads here."""
        found = re.search(rb"\r\nLocation: http://([^/]+)/", head)
        if found is None:
            return head
        self.datanode = address_of(found[1].decode())
        return head.replace(b"http://" + found[1] + b"/", b"http://" + self.name.encode() + b"/")

    def kill(self, client: socket.socket) -> None:
        """Kills the process at the other end."""
        owner = owner_of(client.getpeername()[1], client.getsockname()[1])
        self.killed[0] = owner
        os.kill(owner, signal.SIGKILL)


def address_of(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    return host, int(port)


def read_head(one: socket.socket) -> bytes:
    """A request or an answer up to its empty line, and what came with it."""
    data = b""
    while HEAD_END not in data and (block := one.recv(4096)):
        data += block
    return data


def pass_on(one: socket.socket, other: socket.socket, most: int | None = None) -> None:
    """Bytes from one to the other, up to the end or a limit."""
    passed = 0
    try:
        while (most is None or passed < most) and (block := one.recv(4096)):
            other.sendall(block)
            passed += len(block)
        if most is None:
            other.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # the other end is gone


def owner_of(port: int, peer: int) -> int:
    """The process that has a connection of this machine from a port to another."""
    for line in pathlib.Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
        fields = line.split()
        ports = [int(field.rpartition(":")[2], 16) for field in fields[1:3]]
        if ports == [port, peer]:
            wanted = f"socket:[{fields[9]}]"
            for link in pathlib.Path("/proc").glob("[0-9]*/fd/*"):
                try:
                    if os.readlink(link) == wanted:
                        return int(link.parts[2])
                except OSError:
                    continue
    raise AssertionError(f"no process has the connection from port {port} to {peer}")


@contextmanager
def proxied(namenode: str) -> Iterator[Proxy]:
    """A proxy that runs during a test."""
    proxy = Proxy(namenode)
    thread = threading.Thread(target=proxy.serve)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.server.shutdown(socket.SHUT_RDWR)
        proxy.server.close()
        thread.join()
