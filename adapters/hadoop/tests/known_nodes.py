"""A Hadoop on several nodes: two NameNodes, of which one takes over from the other, and two workers.

The NameNodes share a log of changes, as on a file system that both have mounted. Which of them is active is
decided as in a real cluster: a failover controller beside each holds a lock of ZooKeeper while its NameNode
is well, and makes it active.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from localcluster.client import Hdfs, several
from localcluster.daemons import DAEMONS, NOT_OURS, ask, bean, command_of, find_java, last_words
from localcluster.jars import find_jars
from localcluster.settings import PORTS, Places, write_settings
from localcluster.state import State
from nodes import Node, nodes

# Every node has an address of its own, so that all can have the same ports.
PORT = {name: number for number, name in enumerate(PORTS, 10_000)}
NAMENODES = ("first", "second")
WORKERS = ("east", "west")
SERVICE = "town"
START_SECONDS = 180
ELECTION_PORT = 2181
CONTROLLER = "org.apache.hadoop.hdfs.tools.DFSZKFailoverController"
# The class and the memory of each.
MAIN = {
    **{daemon.name: (daemon.main, daemon.heap_mb) for daemon in DAEMONS},
    "ZooKeeper": ("org.apache.zookeeper.server.ZooKeeperServerMain", 128),
    "FailoverController": (CONTROLLER, 128),
}


def wait(seconds: float, what: str, there: Callable[[], bool], pause: float = 0.1) -> None:
    """Until something is there."""
    until = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < until, f"{what}: not after {seconds} s"
        time.sleep(pause)


class Town:
    """The cluster: its nodes, and what runs on them."""

    def __init__(self, there: dict[str, Node], folder: pathlib.Path) -> None:
        self.nodes = there
        self.folder = folder
        self.state = State(folder, str(find_jars()), str(find_java()), dict(PORT))
        self.user = there["user"]
        for name in ("conf", "tmp", "logs", "data", "shared"):
            (folder / name).mkdir()
        places = Places(there["manager"].address, "${env.NODE}")
        write_settings(folder, pathlib.Path(self.state.jars), PORT, self.settings(), places)

    def settings(self) -> dict[str, str]:
        """What is other than on one node."""
        of_both = {}
        for name in NAMENODES:
            address = self.nodes[name].address
            of_both[f"dfs.namenode.rpc-address.{SERVICE}.{name}"] = f"{address}:{PORT['namenode']}"
            of_both[f"dfs.namenode.http-address.{SERVICE}.{name}"] = f"{address}:{PORT['namenode_web']}"
        return {
            **of_both,
            "fs.defaultFS": f"hdfs://{SERVICE}",
            "dfs.nameservices": SERVICE,
            f"dfs.ha.namenodes.{SERVICE}": ",".join(NAMENODES),
            f"dfs.client.failover.proxy.provider.{SERVICE}":
                "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider",
            "dfs.ha.fencing.methods": "shell(/bin/true)",
            "dfs.ha.automatic-failover.enabled": "true",
            "ha.zookeeper.quorum": f"{self.nodes['manager'].address}:{ELECTION_PORT}",
            "ha.zookeeper.session-timeout.ms": "2000",
            "dfs.namenode.shared.edits.dir": (self.folder / "shared").as_uri(),
            "dfs.namenode.rpc-bind-host": "0.0.0.0",
            # Until the one on standby has read what the active one wrote, it is of no use.
            "dfs.ha.tail-edits.period": "1",
            "dfs.ha.log-roll.period": "1",
            "dfs.replication": str(len(WORKERS)),
            "dfs.heartbeat.interval": "1",
            "yarn.nodemanager.admin-env": "MALLOC_ARENA_MAX=$MALLOC_ARENA_MAX",
            # Hadoop's own programs wait for minutes for one that does not answer.
            "ipc.client.connect.timeout": "2000",
            "ipc.client.connect.max.retries.on.timeouts": "2",
            "mapreduce.reduce.shuffle.connect.timeout": "5000",
            "yarn.client.nodemanager-connect.max-wait-ms": "10000",
            "yarn.nm.liveness-monitor.expiry-interval-ms": "10000",
            "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "500",
        }  # fmt: skip

    # ---- Nodes and daemons -------------------------------------------------------------------

    def furnish(self, node: Node) -> None:
        """A node has data of its own at the place where each has it."""
        own = self.folder / "nodes" / node.name
        own.mkdir(parents=True, exist_ok=True)
        node.run("mount", "--bind", str(own), str(self.folder / "data"))

    def java(self, node: Node, main: str, heap_mb: int, *words: str) -> list[str]:
        """How a class of Hadoop is run on a node."""
        java = command_of(self.folder, self.state.java, self.state.jars, main, heap_mb)
        return node.command("env", f"NODE={node.address}", *java, *words)

    def environment(self) -> dict[str, str]:
        """For programs on the nodes."""
        kept = {name: value for name, value in os.environ.items() if not NOT_OURS.fullmatch(name)}
        return {
            **kept, "JAVA_HOME": self.state.java, "HADOOP_CONF_DIR": str(self.folder / "conf"),
            "INK_HADOOP_JARS": self.state.jars,
        }  # fmt: skip

    def start(self, name: str, daemon: str, *words: str) -> subprocess.Popen[bytes]:
        """Starts a daemon on a node."""
        path = self.folder / "logs" / f"{daemon}-{name}.log"
        command = self.java(self.nodes[name], *MAIN[daemon], *words)
        with open(path, "wb") as log:
            return subprocess.Popen(
                command, cwd=self.folder / "tmp", env=self.environment(), stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True,
            )  # fmt: skip

    def run(self, name: str, main: str, *words: str) -> None:
        """Runs a class of Hadoop on a node to its end, which has to be a good one."""
        done = subprocess.run(
            self.java(self.nodes[name], main, 256, *words), cwd=self.folder / "tmp", env=self.environment(),
            stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{main} {' '.join(words)}: {last_words(done.stderr)}"

    def up(self) -> None:
        """Starts all."""
        for node in self.nodes.values():
            self.furnish(node)
        self.start("manager", "ZooKeeper", str(ELECTION_PORT), str(self.folder / "data" / "zookeeper"), "500")
        self.run("first", MAIN["NameNode"][0], "-format", "-nonInteractive")
        own = self.folder / "nodes"
        shutil.copytree(own / "first" / "namenode", own / "second" / "namenode")
        wait(START_SECONDS, "ZooKeeper", self.elects)
        self.run("first", CONTROLLER, "-formatZK", "-nonInteractive")
        for name in NAMENODES:
            self.start(name, "NameNode")
            self.start(name, "FailoverController")
        for name in WORKERS:
            self.start(name, "DataNode")
            self.start(name, "NodeManager")
        for daemon in ("ResourceManager", "JobHistoryServer"):
            self.start("manager", daemon)
        wait(START_SECONDS, "an active NameNode", lambda: len(self.all_active()) == 1)
        self.wait_for_workers()

    def wait_for_workers(self) -> None:
        """Until both workers can be used, by both NameNodes."""

        def known(name: str) -> bool:
            alive = self.says(name, "FSNamesystemState").get("NumLiveDataNodes", 0)
            return bool(alive == len(WORKERS)) and self.says(name, "NameNodeInfo").get("Safemode") == ""

        def working() -> bool:
            found = self.asked("manager", "resourcemanager_web", "/ws/v1/cluster/metrics")
            return bool(found and found["clusterMetrics"]["activeNodes"] == len(WORKERS))

        def there(name: str) -> bool:
            info = "/jmx?qry=Hadoop:service=DataNode,name=DataNodeInfo"
            pages = ("datanode_web", info), ("nodemanager_web", "/ws/v1/node/info")
            return all(self.asked(name, *page) is not None for page in pages)

        wait(START_SECONDS, "two workers", lambda: all(map(there, WORKERS)))
        wait(START_SECONDS, "two DataNodes", lambda: all(map(known, NAMENODES)))
        wait(START_SECONDS, "two NodeManagers", working)

    @contextmanager
    def small_disk(self, name: str, size: str) -> Iterator[None]:
        """A worker whose containers have no more room than that."""
        containers = str(self.folder / "data" / "containers")
        self.nodes[name].end()
        self.nodes[name].run("mount", "-t", "tmpfs", "-o", f"size={size}", "small", containers)
        self.bring_back(name)
        try:
            yield
        finally:
            self.nodes[name].end()
            self.nodes[name].run("umount", "--lazy", containers)
            self.bring_back(name)

    # ---- Jobs --------------------------------------------------------------------------------

    def asked(self, name: str, port: str, path: str) -> Any:
        """What a daemon on a node answers."""
        with self.user.inside():
            return ask(PORT[port], path, self.nodes[name].address)

    def newest(self) -> dict[str, Any]:
        """The application that was submitted last."""
        answer = self.asked("manager", "resourcemanager_web", "/ws/v1/cluster/apps") or {}
        found = several((answer.get("apps") or {}).get("app"))
        return max(found, key=lambda one: str(one["id"]), default={})

    def at_work(self) -> str:
        """Waits until a job has tasks, and gives a worker that has some, and not the job's master."""

        def there() -> bool:
            job = self.newest()
            return job.get("state") == "RUNNING" and job["runningContainers"] > 2 * len(WORKERS)

        wait(120, "a job that runs", there)
        master = str(self.newest()["amHostHttpAddress"]).partition(":")[0]
        return next(name for name in WORKERS if self.nodes[name].address != master and name != master)

    def failed_maps(self) -> int:
        """How many attempts of maps failed in the newest job."""
        number = str(self.newest()["id"]).replace("application", "job")
        path = f"/ws/v1/history/mapreduce/jobs/{number}"
        wait(60, "history", lambda: self.asked("manager", "history_web", path) is not None)
        return int(self.asked("manager", "history_web", path)["job"]["failedMapAttempts"])

    # ---- NameNodes ---------------------------------------------------------------------------

    def says(self, name: str, what: str) -> dict[str, Any]:
        """A bean of a NameNode."""
        with self.user.inside():
            return bean(PORT["namenode_web"], what, self.nodes[name].address)

    def elects(self) -> bool:
        """Whether ZooKeeper takes connections."""
        try:
            with self.user.inside(), socket.create_connection((self.nodes["manager"].address, ELECTION_PORT), 1):
                return True
        except OSError:
            return False

    def all_active(self) -> list[str]:
        """The NameNodes that say that they are active: one, or none while one takes over."""
        return [name for name in NAMENODES if self.says(name, "NameNodeStatus").get("State") == "active"]

    def active(self) -> str:
        """The one that is active."""
        found: list[str] = []

        def there() -> bool:
            found[:] = self.all_active()
            return len(found) == 1

        wait(60, "one active NameNode", there)
        return found[0]

    def other(self, name: str) -> str:
        """The other NameNode, or the other worker."""
        pair = NAMENODES if name in NAMENODES else WORKERS
        return pair[1 - pair.index(name)]

    def bring_back(self, name: str) -> None:
        """Starts what is gone of a node, and waits for it."""
        node = self.nodes[name]
        if not node.plugged:
            node.plug()
        else:
            if node.holder is None:
                node.start()
                self.furnish(node)
            ours = ("NameNode", "FailoverController") if name in NAMENODES else ("DataNode", "NodeManager")
            for daemon in ours:
                self.start(name, daemon)
        self.wait_for_workers()

    @contextmanager
    def lost(self, name: str, how: Callable[[Node], None]) -> Iterator[None]:
        """A node is lost for a while. If it had the active NameNode, the other one takes over in seconds."""
        how(self.nodes[name])
        try:
            yield
            if name in NAMENODES:
                assert self.active() == self.other(name)
        finally:
            self.bring_back(name)

    # ---- What users have ---------------------------------------------------------------------

    def hdfs(self) -> Hdfs:
        """Files, by the NameNode that is active now; to be used inside a node."""
        return Hdfs(PORT["namenode"], PORT["namenode_web"], self.nodes[self.active()].address)

    def address(self, path: str) -> str:
        """A file as `ink` names it, with both NameNodes."""
        both = ",".join(f"{self.nodes[name].address}:{PORT['namenode_web']}" for name in NAMENODES)
        return f"webhdfs://{both}{path}?user.name=root"


@contextmanager
def town(folder: pathlib.Path) -> Iterator[Town]:
    """The cluster, which works; all of it is gone at the end."""
    with nodes("user", "manager", *NAMENODES, *WORKERS) as there:
        made = Town(there, folder)
        made.up()
        yield made
