"""Where a word of the command line points to: a path in HDFS, or a local one."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from .conf import Configuration
from .failure import USAGE, Failure
from .namenode import RPC_PORT, default_authority, split_address, web_addresses
from .webhdfs import WebHdfs

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
EXPECTED = "expected hdfs:///path, hdfs://HOST:PORT/path or /path"


@dataclass(frozen=True)
class Location:
    """A path, and the HDFS that it is in; `hdfs` is None if it is local."""

    path: str
    authority: str = ""
    hdfs: WebHdfs | None = field(default=None, compare=False)
    typed: str = field(default="", compare=False)  # the word that it was named by

    def __str__(self) -> str:
        return self.path if self.hdfs is None else f"hdfs://{self.authority}{self.path}"

    def beside(self, path: str) -> Location:
        """Another path in the same file system."""
        return Location(path, self.authority, self.hdfs)

    def missing(self, *, local_will_do: bool = True) -> Failure:
        """That there is nothing of this name in HDFS, and what to do if a local file was meant."""
        here = os.path.abspath(self.typed) if self.typed and os.path.exists(self.typed) else None
        said = f"{self}: no such file or folder in HDFS"
        if here is not None:
            how = f"a local file is file:{here}"
            said += f"; {how}" if local_will_do else f"; {here} is local: hdfs dfs -put copies it"
        return Failure(said)

    @property
    def files(self) -> WebHdfs:
        """The HDFS that it is in."""
        if self.hdfs is None:
            raise Failure(f"{self.path} is local, {EXPECTED}", USAGE)
        return self.hdfs


class Locations:
    """Makes locations of words; keeps a connection for each HDFS."""

    def __init__(self, conf: Configuration, user: str) -> None:
        self.conf = conf
        self.user = user
        self.known: dict[str, WebHdfs] = {}

    def hdfs(self, authority: str) -> WebHdfs:
        """The HDFS of an authority."""
        if authority not in self.known:
            self.known[authority] = WebHdfs(web_addresses(self.conf, authority), self.user)
        return self.known[authority]

    def at(self, word: str) -> Location:
        """What a word means: hdfs: and names as Hadoop takes them are in HDFS, file: and ./name are local."""
        if word.startswith("file:"):
            return Location(local_path(word))
        if word in (".", "..") or word.startswith(("./", "../")):
            return Location(os.path.abspath(word))
        if word.startswith("hdfs:"):
            return self._in_hdfs(word)
        if SCHEME.match(word):
            raise Failure(f"{word}: {EXPECTED}, or file:PATH or ./PATH where a local one will do", USAGE)
        path = word if word.startswith("/") else f"{self.home().path}/{word}"
        authority = default_authority(self.conf)
        return Location(clean(path), authority, self.hdfs(authority), word)

    def home(self) -> Location:
        """The user's folder."""
        authority = default_authority(self.conf)
        hdfs = self.hdfs(authority)
        return Location(hdfs.home(), authority, hdfs)

    def _in_hdfs(self, word: str) -> Location:
        rest = word.removeprefix("hdfs:")
        if rest.startswith("//"):
            authority, slash, path = rest[2:].partition("/")
            path = slash + path
        else:
            authority, path = "", rest
        if not path.startswith("/"):
            raise Failure(f"{word}: no path, {EXPECTED}", USAGE)
        authority = authority or default_authority(self.conf)
        default = (
            default_authority(self.conf)
            if self.conf.text("fs.defaultFS").startswith("hdfs://")
            else authority
        )
        if split_address(default, RPC_PORT) == split_address(authority, RPC_PORT):
            authority = default
        return Location(clean(path), authority, self.hdfs(authority))


def local_path(word: str) -> str:
    """The path of file:/x or file:///x."""
    parts = urlsplit(word)
    if parts.netloc not in ("", "localhost"):
        raise Failure(f"{word}: a file of another machine, expected file:///PATH", USAGE)
    return os.path.abspath(unquote(word.removeprefix("file:").removeprefix("//" + parts.netloc)))


def clean(path: str) -> str:
    """A path without doubled slashes and one at the end."""
    return re.sub(r"/+", "/", path).rstrip("/") or "/"
