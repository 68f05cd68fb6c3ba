"""HDFS over HTTP: what a path is, what is in a folder, bytes out and in. No JVM, no TLS, no Kerberos."""

from __future__ import annotations

import http.client
import json
import socket
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from .failure import IO, USAGE, Failure, one_line
from .namenode import Address, join_address

TIMEOUT = 60.0  # seconds in which a server has to answer; it may take longer for all of a file
CONNECT = 20.0  # in which a DataNode has to be reached; there may be others
DATANODES = 3  # that are tried
BLOCK = 1 << 20
# Seconds between requests until another NameNode has taken over: as ink waits.
TAKEOVER = (0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0)
REASONS = {401: "it asks who we are (Kerberos?), expected a cluster with simple authentication"}


@dataclass(frozen=True)
class Status:
    """A file or folder."""

    path: str
    folder: bool
    length: int
    block: int = 0
    modified: int = 0

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rsplit("/", 1)[-1]


class Refused(Failure):
    """What a NameNode or DataNode answered instead of doing what was asked; `kind` is Java's name for it."""

    def __init__(self, kind: str, text: str, code: int = IO) -> None:
        super().__init__(text, code)
        self.kind = kind


class Standby(Failure):
    """No NameNode is active, and one is there that can become it."""


class Unreached(Failure):
    """A DataNode does not answer."""


def refusal(status: int, reason: str, body: bytes, where: str, path: str) -> Refused:
    """The RemoteException in an answer, or what stands for it."""
    try:
        found: dict[str, Any] = json.loads(body)["RemoteException"]
        kind, message = str(found["exception"]), str(found.get("message") or found["exception"])
    except (ValueError, KeyError, TypeError):
        why = REASONS.get(status, f"{status} {reason}, expected WebHDFS there")
        return Refused("", f"{path}: {where} answered: {why}")
    return Refused(kind, f"{path}: {one_line(message.splitlines()[0])}")


class WebHdfs:
    """The files of one HDFS, by its NameNodes' addresses; the active one is asked from then on."""

    def __init__(self, addresses: Sequence[Address], user: str) -> None:
        self.addresses = list(addresses)
        self.user = user

    # ---- Requests ----------------------------------------------------------------------------

    def _url(self, path: str, operation: str, **parameters: str) -> str:
        query = urlencode({"op": operation, "user.name": self.user, **parameters})
        return f"/webhdfs/v1{quote(path)}?{query}"

    def _connect(
        self, address: Address, method: str, url: str
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        connection = http.client.HTTPConnection(*address, timeout=TIMEOUT)
        try:
            connection.request(method, url)
            return connection, connection.getresponse()
        except BaseException:
            connection.close()
            raise

    def _ask(
        self, method: str, path: str, url: str
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        """The answer of an active NameNode, of any status below 400; of several one may be taking over."""
        for pause in (*TAKEOVER, 0.0):
            try:
                return self._ask_all(method, path, url)
            except Standby:
                if len(self.addresses) == 1 or not pause:
                    raise
                time.sleep(pause)
        raise AssertionError("the last pause is none")

    def _ask_all(
        self, method: str, path: str, url: str
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        """The same, of those that are active now."""
        why, kind = "", Failure
        for address in list(self.addresses):
            where = f"the NameNode at {join_address(address)}"
            try:
                connection, answer = self._connect(address, method, url)
            except (OSError, http.client.HTTPException) as error:
                why = why or f"{where} is not reachable: {reason_of(error)}, expected WebHDFS there"
                continue
            if answer.status < 400:
                self.addresses.remove(address)
                self.addresses.insert(0, address)
                return connection, answer
            refused = refusal(answer.status, answer.reason, answer.read(), where, path)
            connection.close()
            if refused.kind != "StandbyException" and refused.kind != "RetriableException":
                raise refused
            why, kind = f"{where} is on standby, expected an active one", Standby
        raise kind(why or "no NameNode, expected one in the configuration", IO)

    def _json(self, method: str, path: str, url: str) -> dict[str, Any]:
        """The JSON object that is answered."""
        connection, answer = self._ask(method, path, url)
        with Closing(connection):
            body = answer.read()
        try:
            found = json.loads(body or b"{}")
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise Failure(f"{path}: the NameNode did not answer with JSON, expected WebHDFS there")
        return found

    # ---- What is there -----------------------------------------------------------------------

    def status(self, path: str) -> Status | None:
        """A file or folder, or None if there is none."""
        try:
            answer = self._json("GET", path, self._url(path, "GETFILESTATUS"))
        except Refused as refused:
            if refused.kind in ("FileNotFoundException", "ParentNotDirectoryException"):
                return None
            raise
        return status_of(path, answer["FileStatus"])

    def listing(self, path: str) -> list[Status]:
        """What is in a folder, by name."""
        answer = self._json("GET", path, self._url(path, "LISTSTATUS"))
        entries = answer["FileStatuses"]["FileStatus"]
        found = [status_of(f"{path.rstrip('/')}/{entry['pathSuffix']}", entry) for entry in entries]
        return sorted(found, key=lambda status: status.path)

    def home(self) -> str:
        """The user's folder."""
        return str(self._json("GET", "/", self._url("/", "GETHOMEDIRECTORY"))["Path"])

    # ---- Folders and names -------------------------------------------------------------------

    def make_folder(self, path: str) -> None:
        """Makes a folder and those above it; one that is there is no failure."""
        self._json("PUT", path, self._url(path, "MKDIRS"))

    def delete(self, path: str) -> bool:
        """Deletes a file, or a folder with all in it; whether there was one."""
        return bool(self._json("DELETE", path, self._url(path, "DELETE", recursive="true")).get("boolean"))

    def rename(self, path: str, to: str, *, replace: bool = False) -> None:
        """Gives a file or folder another name, in one step, which has to be free without `replace`."""
        options = "OVERWRITE" if replace else "NONE"
        self._json("PUT", to, self._url(path, "RENAME", destination=to, renameoptions=options))

    # ---- Bytes -------------------------------------------------------------------------------

    def _reached(self, path: str, parts: SplitResult) -> http.client.HTTPConnection:
        """A connection to where a NameNode sends us."""
        if parts.scheme == "https":
            raise Failure(f"{path}: the DataNode is at {parts.netloc} with TLS, expected HTTP", USAGE)
        address = (parts.hostname or "", parts.port or 80)
        connection = http.client.HTTPConnection(*address, timeout=CONNECT, blocksize=BLOCK)
        try:
            connection.connect()
        except OSError as error:
            connection.close()
            raise Unreached(f"{path}: the DataNode at {parts.netloc}: {reason_of(error)}") from error
        connection.sock.settimeout(TIMEOUT)
        return connection

    def _at_datanode(
        self, method: str, path: str, operation: str, body: BinaryIO | None = None, **parameters: str
    ) -> http.client.HTTPConnection | None:
        """A connection to a DataNode, with the request sent; None if none is named.

        A NameNode notices only after minutes that one is lost: one that cannot be reached is left out.
        """
        avoided: dict[str, str] = {}
        for tried in range(DATANODES):
            location = self._redirect(method, path, operation, avoided, **parameters)
            if location is None:
                return None
            parts = urlsplit(location)
            try:
                connection = self._reached(path, parts)
                break
            except Unreached:
                if tried + 1 == DATANODES:
                    raise
                avoided = {"excludedatanodes": number_of(parts.hostname or "")}
        target = f"{parts.path}?{parts.query}"
        try:
            if body is None:
                connection.request(method, target)
            else:
                headers = {"Transfer-Encoding": "chunked", "Content-Type": "application/octet-stream"}
                connection.request(method, target, body=blocks_of(body), headers=headers, encode_chunked=True)
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise Failure(f"{path}: the DataNode at {parts.netloc}: {reason_of(error)}") from error
        except BaseException:
            connection.close()
            raise
        return connection

    def _redirect(
        self, method: str, path: str, operation: str, avoided: dict[str, str], **parameters: str
    ) -> str | None:
        """Where a NameNode sends us; not to a DataNode that is avoided, unless there is no other."""
        try:
            connection, answer = self._ask(method, path, self._url(path, operation, **parameters, **avoided))
        except Refused:
            if not avoided:
                raise
            connection, answer = self._ask(method, path, self._url(path, operation, **parameters))
        with Closing(connection):
            answer.read()
            return answer.getheader("Location")

    def read(self, path: str, length: int | None = None) -> Iterator[bytes]:
        """The bytes of a file, or the first `length`."""
        limit = {} if length is None else {"length": str(length)}
        connection = self._at_datanode("GET", path, "OPEN", None, **limit)
        if connection is None:
            return
        with Closing(connection):
            try:
                answer = connection.getresponse()
                if answer.status != 200:
                    raise refusal(answer.status, answer.reason, answer.read(), "the DataNode", path)
                while block := answer.read(BLOCK):
                    yield block
                if answer.length:  # which is no error to http.client
                    raise Failure(f"{path}: the DataNode sent {answer.length} bytes less than it said")
            except (OSError, http.client.HTTPException) as error:
                raise Failure(
                    f"{path}: the DataNode at {connection.host}:{connection.port}: {reason_of(error)}"
                ) from error

    def write(self, path: str, body: BinaryIO, *, replace: bool = False) -> None:
        """Makes a file of what is read."""
        overwrite = "true" if replace else "false"
        connection = self._at_datanode("PUT", path, "CREATE", body, overwrite=overwrite)
        if connection is None:
            raise Failure(f"{path}: the NameNode names no DataNode to write to")
        with Closing(connection):
            try:
                answer = connection.getresponse()
                found = answer.read()
            except (OSError, http.client.HTTPException) as error:
                raise Failure(
                    f"{path}: the DataNode at {connection.host}:{connection.port}: {reason_of(error)}"
                ) from error
        if answer.status != 201:
            raise refusal(answer.status, answer.reason, found, "the DataNode", path)


class Closing:
    """Closes a connection at the end of a block."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self.connection = connection

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self.connection.close()


def blocks_of(file: BinaryIO) -> Iterable[bytes]:
    """A file in pieces to be sent."""
    while block := file.read(BLOCK):
        yield block


def status_of(path: str, found: dict[str, Any]) -> Status:
    """A FileStatus of WebHDFS."""
    return Status(
        path.rstrip("/") or "/",
        found["type"] == "DIRECTORY",
        int(found.get("length", 0)),
        int(found.get("blockSize", 0)),
        int(found.get("modificationTime", 0)),
    )


def number_of(host: str) -> str:
    """The numeric address of a host, by which HDFS knows a DataNode."""
    try:
        return str(socket.getaddrinfo(host, None, socket.AF_INET)[0][4][0])
    except OSError:
        return host


def reason_of(error: Exception) -> str:
    """Why a connection failed, in a few words."""
    if isinstance(error, socket.gaierror):
        return "no such host"
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return one_line(str(error)) or type(error).__name__
