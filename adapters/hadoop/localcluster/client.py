"""What tests and benchmarks ask of a cluster that runs: its files over WebHDFS, its jobs and their counters.

WebHDFS answers in milliseconds, where Hadoop's own commands start a JVM each time.
"""

from __future__ import annotations

import dataclasses
import getpass
import http.client
import json
import os
import pathlib
import subprocess
import time
import urllib.parse
from collections.abc import Iterable, Mapping
from typing import Any

from .daemons import ask
from .ports import LOOPBACK
from .settings import JAVA_OPTIONS, TASK_OPTIONS
from .state import State

ANSWER_SECONDS = 60


class HdfsError(Exception):
    """The NameNode or a DataNode refused; the text is its own."""


class Hdfs:
    """Files of the cluster. Paths are absolute, without a scheme."""

    def __init__(self, port: int, web_port: int, host: str = LOOPBACK) -> None:
        self.address = f"{host}:{web_port}"
        self.uri = f"hdfs://{host}:{port}"
        self.user = getpass.getuser()

    def url(self, path: str, operation: str, **options: object) -> str:
        """The path and query of a call."""
        words = {"op": operation, "user.name": self.user, **options}
        return f"/webhdfs/v1{urllib.parse.quote(path)}?{urllib.parse.urlencode(words)}"

    def call(self, method: str, path: str, operation: str, **options: object) -> Any:
        """What the NameNode answers, as JSON."""
        return json.loads(self.send(method, self.address, self.url(path, operation, **options)) or b"null")

    def send(self, method: str, address: str, url: str, body: Any = None) -> bytes:
        """One call, redirections followed; the body goes with the last request."""
        connection = http.client.HTTPConnection(address, timeout=ANSWER_SECONDS)
        try:
            connection.request(method, url, body=body)
            answer = connection.getresponse()
            text = answer.read()
            location = answer.getheader("Location")
            status = answer.status
        finally:
            connection.close()
        if status == http.client.TEMPORARY_REDIRECT and location is not None:
            parts = urllib.parse.urlsplit(location)
            return self.send(method, parts.netloc, f"{parts.path}?{parts.query}", body)
        if status >= 400:
            raise HdfsError(refusal(status, text))
        return text

    def write(self, path: str, data: bytes | pathlib.Path) -> str:
        """A file with these bytes, or those of a local file; gives its hdfs: path."""
        location = self.call("PUT", path, "CREATE", overwrite="true", noredirect="true")["Location"]
        parts = urllib.parse.urlsplit(location)
        url = f"{parts.path}?{parts.query}"
        if isinstance(data, bytes):
            self.send("PUT", parts.netloc, url, data)
        else:
            with open(data, "rb") as file:
                self.send("PUT", parts.netloc, url, file)
        return self.uri + path

    def read(self, path: str) -> bytes:
        """All bytes of a file."""
        return self.send("GET", self.address, self.url(path, "OPEN"))

    def list(self, path: str) -> dict[str, int]:
        """Names in a folder, each with its bytes; folders end in a slash."""
        found = self.call("GET", path, "LISTSTATUS")["FileStatuses"]["FileStatus"]
        return {
            one["pathSuffix"] + ("/" if one["type"] == "DIRECTORY" else ""): one["length"]
            for one in sorted(found, key=lambda one: str(one["pathSuffix"]))
        }

    def exists(self, path: str) -> bool:
        """Whether there is such a file or folder."""
        try:
            self.call("GET", path, "GETFILESTATUS")
        except HdfsError as error:
            if "FileNotFoundException" in str(error):
                return False
            raise
        return True

    def make_folder(self, path: str) -> str:
        """A folder and those above it; gives its hdfs: path."""
        self.call("PUT", path, "MKDIRS")
        return self.uri + path

    def remove(self, path: str) -> None:
        """A file or a folder with all that is in it; nothing happens if it is not there."""
        self.call("DELETE", path, "DELETE", recursive="true")

    def limit_bytes(self, path: str, limit: int | None) -> None:
        """At most this many bytes may be below a folder, as on a disk that is full then; None: no limit."""
        self.call("PUT", path, "SETQUOTA", storagespacequota=-1 if limit is None else limit)


def refusal(status: int, text: bytes) -> str:
    """What Hadoop says in its JSON."""
    try:
        said = json.loads(text)["RemoteException"]
        return f"{said['exception']}: {said['message']}"
    except (ValueError, KeyError, TypeError):
        return f"status {status}: {text[:200].decode(errors='replace')}"


def several(found: Any) -> list[Any]:
    """A list: where there is one thing only, the servers' JSON has no list around it."""
    return found if isinstance(found, list) else [] if found is None else [found]


@dataclasses.dataclass(frozen=True)
class Job:
    """A job that ended, as the history server reports it."""

    number: str
    state: str
    uber: bool
    counters: Mapping[str, Mapping[str, int]]
    attempts: int

    def counter(self, group: str, name: str) -> int:
        """A counter over all tasks; 0 if no task counted."""
        return self.counters.get(group, {}).get(name, 0)

    def cpu_seconds(self) -> float:
        """Of all tasks, by Hadoop's counter."""
        return self.counter("org.apache.hadoop.mapreduce.TaskCounter", "CPU_MILLISECONDS") / 1000


class Cluster:
    """A cluster that runs, and what its users have: settings, jars, files, jobs."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.folder = state.folder
        self.conf = state.folder / "conf"
        self.jars = pathlib.Path(state.jars)
        self.java = pathlib.Path(state.java) / "bin" / "java"
        self.hdfs = Hdfs(state.ports["namenode"], state.ports["namenode_web"])

    def environment(self) -> dict[str, str]:
        """For programs that use the cluster."""
        return {
            **os.environ, "HADOOP_CONF_DIR": str(self.conf), "INK_HADOOP_JARS": str(self.jars),
            "JAVA_HOME": self.state.java,
        }  # fmt: skip

    def command(self, main: str, *words: str, more_jars: Iterable[str] = ()) -> list[str]:
        """How a class of Hadoop, or one that uses it, is run here as a client."""
        path = ":".join([str(self.conf), *more_jars, f"{self.jars}/*"])
        return [
            str(self.java), "-Xmx512m", *TASK_OPTIONS.split(), f"-Djava.io.tmpdir={self.folder}/tmp",
            *JAVA_OPTIONS, "-cp", path, main, *words,
        ]  # fmt: skip

    def run(self, main: str, *words: str, seconds: float = 300) -> subprocess.CompletedProcess[str]:
        """Runs such a class to its end; what it said is in stderr."""
        return subprocess.run(
            self.command(main, *words), env=self.environment(), text=True, errors="replace", check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=seconds,
        )  # fmt: skip

    def stream(self, *words: str, seconds: float = 300) -> subprocess.CompletedProcess[str]:
        """Runs a job of Hadoop Streaming: generic options (-D, -files) come first."""
        return self.run("org.apache.hadoop.streaming.HadoopStreaming", *words, seconds=seconds)

    def applications(self) -> list[dict[str, Any]]:
        """All that was submitted since the cluster was started, the newest first."""
        found = ask(self.state.ports["resourcemanager_web"], "/ws/v1/cluster/apps") or {}
        listed = several((found.get("apps") or {}).get("app"))
        return sorted(listed, key=lambda one: str(one["id"]), reverse=True)

    def newest_job(self) -> str:
        """The number of the job that was submitted last, as job_1_0001."""
        listed = self.applications()
        assert listed, "no job was submitted"
        return str(listed[0]["id"]).replace("application", "job")

    def job(self, number: str | None = None, seconds: float = 60) -> Job:
        """A job that ended; the newest if none is named. The history server learns of it a moment later."""
        number = number or self.newest_job()
        port, path = self.state.ports["history_web"], f"/ws/v1/history/mapreduce/jobs/{number}"
        until = time.monotonic() + seconds
        while (answer := ask(port, path)) is None:
            assert time.monotonic() < until, f"{number}: not in the history after {seconds} s"
            time.sleep(0.1)
        job = answer["job"]
        groups = (ask(port, f"{path}/counters") or {"jobCounters": {}})["jobCounters"].get("counterGroup")
        counters = {
            group["counterGroupName"]: {
                one["name"]: int(one["totalCounterValue"]) for one in several(group["counter"])
            }
            for group in several(groups)
        }
        kinds = "successful", "failed", "killed"
        attempts = sum(int(job[f"{kind}{what}Attempts"]) for kind in kinds for what in ("Map", "Reduce"))
        return Job(number, str(job["state"]), bool(job["uberized"]), counters, attempts)
