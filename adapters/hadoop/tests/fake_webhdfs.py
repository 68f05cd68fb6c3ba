"""A NameNode and DataNode of one process that keep files in memory, for tests that need no cluster."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs, unquote, urlsplit

FOLDER = None  # the content of a folder
BLOCK = 128 << 20


class Fake:
    """The files, and how the server misbehaves."""

    def __init__(self) -> None:
        self.files: dict[str, bytes | None] = {"/": FOLDER}
        self.times: dict[str, int] = {}  # which was written when
        self.closed: set[str] = set()  # folders that no user may look into
        self.standby = False
        self.plain_status = 0  # answer everything with this status, and no JSON
        self.lost = ""  # a DataNode that is named first, and is not there
        self.alone = False  # ... and no other is known at first
        self.full = False  # no DataNode takes bytes
        self.missing = False  # no DataNode gives any
        self.scheme = "http"  # of the addresses of DataNodes
        self.cut = False  # the DataNode closes the connection in the middle of a file
        self.asked: list[tuple[str, str]] = []  # operation and path
        self.written: dict[str, bytes] = {}  # what was ever written, also if it was removed again
        self.pages: dict[str, Any] = {}  # of other servers, which this one stands for: JSON by its path
        self.address = ("127.0.0.1", 0)

    @property
    def name(self) -> str:
        """HOST:PORT."""
        return f"{self.address[0]}:{self.address[1]}"

    def put(self, path: str, data: bytes | None) -> None:
        """A file, or a folder, with those above it."""
        parts = path.strip("/").split("/")
        for i in range(1, len(parts)):
            self.files.setdefault("/" + "/".join(parts[:i]), FOLDER)
        self.files[path] = data
        self.times[path] = len(self.times) + 1

    def below(self, path: str) -> list[str]:
        """What is in a folder."""
        prefix = path.rstrip("/") + "/"
        return sorted(
            p for p in self.files if p.startswith(prefix) and p != "/" and "/" not in p[len(prefix) :]
        )


class Handler(BaseHTTPRequestHandler):
    """One request."""

    fake: ClassVar[Fake]
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def answer(self, status: int, body: Any = None, **headers: str) -> None:
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = True

    def refuse(self, kind: str, message: str, status: int = 403) -> None:
        self.answer(
            status, {"RemoteException": {"exception": kind, "javaClassName": f"x.{kind}", "message": message}}
        )

    def body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        data = io.BytesIO()
        while size := int(self.rfile.readline(), 16):
            data.write(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return data.getvalue()

    def handle_any(self) -> None:
        fake, parts = self.fake, urlsplit(self.path)
        if parts.path in fake.pages:
            self.answer(200, fake.pages[parts.path])
            return
        query = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        path = unquote(parts.path.removeprefix("/webhdfs/v1")).rstrip("/") or "/"
        operation = query["op"]
        fake.asked.append((operation, path))
        if any(f"{path}/".startswith(f"{folder}/") for folder in fake.closed):
            self.refuse("AccessControlException", f'Permission denied: user=ann, access=EXECUTE, inode="{path}"')
            return
        if fake.plain_status:
            self.answer(fake.plain_status, b"<html>no</html>")
        elif fake.standby:
            self.refuse("StandbyException", "Operation category READ is not supported in state standby")
        elif operation == "GETHOMEDIRECTORY":
            self.answer(200, {"Path": f"/user/{query['user.name']}"})
        elif operation == "MKDIRS":
            fake.put(path, FOLDER)
            self.answer(200, {"boolean": True})
        elif operation == "CREATE":
            self.create(path, query)
        elif operation == "DELETE":
            gone = [p for p in fake.files if p == path or p.startswith(path + "/")]
            for p in gone:
                del fake.files[p]
            self.answer(200, {"boolean": bool(gone)})
        elif path not in fake.files:
            self.refuse("FileNotFoundException", f"File does not exist: {path}", 404)
        elif operation == "GETFILESTATUS":
            self.answer(200, {"FileStatus": self.status(path, "")})
        elif operation == "LISTSTATUS":
            entries = [self.status(p, p.rpartition("/")[2]) for p in fake.below(path)]
            self.answer(200, {"FileStatuses": {"FileStatus": entries}})
        elif operation == "OPEN":
            self.open(path, query)
        elif operation == "RENAME":
            self.rename(path, query)

    do_GET = do_PUT = do_DELETE = handle_any

    def status(self, path: str, suffix: str) -> dict[str, Any]:
        data = self.fake.files[path]
        kind = "DIRECTORY" if data is FOLDER else "FILE"
        return {
            "pathSuffix": suffix,
            "type": kind,
            "length": len(data or b""),
            "blockSize": BLOCK,
            "modificationTime": self.fake.times.get(path, 0),
        }

    def send_on(self, query: dict[str, str]) -> None:
        """To the DataNode that is lost, as long as it is not excluded."""
        fake, excluded = self.fake, query.get("excludedatanodes") == "127.0.0.1"
        if fake.lost and not excluded:
            self.answer(307, Location=f"http://{fake.lost}{self.path}&datanode=true")
        elif fake.alone and excluded:
            fake.lost = ""  # it comes back
            self.refuse("IOException", "No active and not excluded nodes contain this block")
        else:
            self.answer(307, Location=f"{fake.scheme}://{fake.name}{self.path}&datanode=true")

    def create(self, path: str, query: dict[str, str]) -> None:
        fake = self.fake
        if "datanode" not in query:
            if fake.files.get(path) is not None and query.get("overwrite") != "true":
                self.refuse("FileAlreadyExistsException", f"{path} already exists")
            else:
                self.send_on(query)
            return
        self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")  # as a DataNode does, unasked
        data = self.body()
        if fake.full:
            self.refuse(
                "DSQuotaExceededException", "The DiskSpace quota of /q is exceeded: quota = 1 B = 1 B\nmore"
            )
        else:
            fake.put(path, data)
            fake.written[path] = data
            self.answer(201, Location=f"hdfs://{fake.name}{path}")

    def open(self, path: str, query: dict[str, str]) -> None:
        data = self.fake.files[path]
        assert data is not None
        if "datanode" not in query:
            self.send_on(query)
        elif self.fake.missing:
            self.refuse("BlockMissingException", f"Could not obtain block: {path}")
        elif self.fake.cut:
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2])
            self.close_connection = True
        else:
            self.answer(200, data[: int(query.get("length", len(data)))])

    def rename(self, path: str, query: dict[str, str]) -> None:
        fake, to = self.fake, query["destination"]
        if to in fake.files and query.get("renameoptions") != "OVERWRITE":
            self.refuse("FileAlreadyExistsException", f"rename destination {to} already exists")
            return
        for p in [p for p in fake.files if p == path or p.startswith(path + "/")]:
            fake.put(to + p[len(path) :], fake.files.pop(p))
        self.answer(200)


@contextmanager
def served() -> Iterator[Fake]:
    """A server that runs during a test."""
    fake = Fake()
    handler = type("OwnHandler", (Handler,), {"fake": fake})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    fake.address = ("127.0.0.1", int(server.server_address[1]))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
