"""The contestant of Redis: PFADD to a server of its own, over a Unix socket, many elements in a command and
many commands before an answer is waited for. Its documentation names all three as what makes it fast.

    redis.py REDIS-SERVER
"""

from __future__ import annotations

import pathlib
import socket
import subprocess
import sys
import tempfile
import time

from contest import Keys, Question, Sketch, Way, serve

ELEMENTS, COMMANDS = 100, 16  # in a command; before an answer is read
MOST = 1_000_000


def command(*words: bytes) -> bytes:
    """As the protocol of Redis has it."""
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%b\r\n" % (len(word), word) for word in words)


class Server:
    """A server that lives as long as this process, in a folder of its own."""

    def __init__(self, program: str, folder: pathlib.Path) -> None:
        path = folder / "redis.sock"
        options = [
            "--port",
            "0",
            "--unixsocket",
            str(path),
            "--save",
            "",
            "--appendonly",
            "no",
            "--dir",
            str(folder),
        ]
        self.process = subprocess.Popen(
            [program, *options], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        self.socket = socket.socket(socket.AF_UNIX)
        until = time.monotonic() + 10
        while self.socket.connect_ex(str(path)) != 0:
            if time.monotonic() > until or self.process.poll() is not None:
                sys.exit("redis-server does not listen")
            time.sleep(0.01)

    def ask(self, request: bytes, answers: int) -> list[bytes]:
        """Sends all, and reads this number of answers, each a line."""
        self.socket.sendall(request)
        said = b""
        while said.count(b"\r\n") < answers:
            said += self.socket.recv(1 << 16)
        return said.split(b"\r\n")[:-1]

    def stop(self) -> None:
        self.socket.close()
        self.process.terminate()
        self.process.wait()


class Distinct(Sketch):
    """The key "sketch" of the server, emptied; requests are made before the clock runs."""

    server: Server

    def __init__(self, asked: Question) -> None:
        self.server.ask(command(b"DEL", b"sketch"), 1)
        keys = [str(key).encode() for key in asked.keys[0]]
        commands = [
            command(b"PFADD", b"sketch", *keys[at : at + ELEMENTS]) for at in range(0, len(keys), ELEMENTS)
        ]
        self.requests = [commands[at : at + COMMANDS] for at in range(0, len(commands), COMMANDS)]

    def add(self, _: Keys) -> None:
        for commands in self.requests:
            self.server.ask(b"".join(commands), len(commands))

    def answer(self) -> float:
        return float(self.server.ask(command(b"PFCOUNT", b"sketch"), 1)[0].lstrip(b":"))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Distinct.server = Server(sys.argv[1], pathlib.Path(folder))
        try:
            how = f"PFADD, {ELEMENTS} elements a command, {COMMANDS} commands at a time"
            serve([Way("redis", "distinct", "u64,str16", MOST, how, Distinct)])
        finally:
            Distinct.server.stop()


if __name__ == "__main__":
    main()
