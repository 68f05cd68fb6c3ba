"""`ink stream` as a process that tests start, read and end."""
import os
import re
import select
import signal
import socket
import subprocess
import time

FOLDER = os.path.abspath(os.environ.get("INK_BINARY_FOLDER") or os.path.dirname(os.environ["INK_LIBRARY"]))
INK = os.path.join(FOLDER, "ink")
PATIENCE = 30


class Stream:
    """A stream that is trained by the clients of its port; `with` ends it."""

    def __init__(self, *words, train="tcp://127.0.0.1:0", sketches, **settings):
        options = [word for sketch in sketches for word in ("--sketch", sketch)]
        self.process = subprocess.Popen([INK, "stream", "--train", train, "--state", "state", *options, *words],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **settings)
        self.first = self.line()
        found = re.search(r"records from tcp://([0-9.]+):(\d+);", self.first)
        self.port = (found[1], int(found[2])) if found else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.communicate(timeout=PATIENCE)
        finally:
            self.process.kill()

    def line(self):
        """The next line of standard error."""
        line, until = b"", time.monotonic() + PATIENCE
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([self.process.stderr], [], [], max(0, until - time.monotonic()))
            piece = os.read(self.process.stderr.fileno(), 1) if ready else b""
            if not piece:
                self.process.kill()
                raise AssertionError(f"no line after {line!r}, exit code {self.process.wait()}")
            line += piece
        return line.decode()

    def trained(self):
        """A connection for records."""
        return socket.create_connection(self.port, timeout=PATIENCE)

    def end(self, number=signal.SIGTERM):
        """Sends the signal; what standard error had, and the exit code."""
        self.process.send_signal(number)
        _, reported = self.process.communicate(timeout=PATIENCE)
        return reported.decode(), self.process.returncode
