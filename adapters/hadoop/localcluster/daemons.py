"""The five daemons: how each is started, when it is there, and why it is not."""

from __future__ import annotations

import dataclasses
import http.client
import json
import os
import pathlib
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from typing import Any

from .ports import LOOPBACK
from .settings import JAVA_OPTIONS, LOOPBACK_LIBRARY, TASK_OPTIONS
from .state import ClusterError

LEAST_JAVA = 17
PROBE_SECONDS = 5
# Of a log that may be long.
READ_BYTES = 1 << 20
# Variables of the user that the daemons must not see.
NOT_OURS = re.compile(
    r"(HADOOP|YARN|HDFS|MAPRED|INK)_.*|CLASSPATH|_JAVA_OPTIONS|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS"
)


# ---- Java ------------------------------------------------------------------------------------------


def java_number(home: pathlib.Path) -> int:
    """The number of a Java, such as 17, from the file that every one has; 0 if it is none."""
    try:
        text = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    found = re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', text, re.M)
    return int(found[1]) if found and os.access(home / "bin" / "java", os.X_OK) else 0


def find_java() -> pathlib.Path:
    """The folder of a Java: JAVA_HOME, or of the program on the PATH, or where Debian puts them."""
    on_path = shutil.which("java")
    homes = [
        *([pathlib.Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []),
        *([pathlib.Path(on_path).resolve().parents[1]] if on_path else []),
        *sorted(pathlib.Path("/usr/lib/jvm").glob("*")),
    ]
    for home in homes:
        if java_number(home) >= LEAST_JAVA:
            return home
    raise ClusterError(
        f'found no Java {LEAST_JAVA} or later: run "make deps-hadoop" as root, or set JAVA_HOME'
    )


# ---- Asking ----------------------------------------------------------------------------------------


def ask(port: int, path: str, host: str = LOOPBACK) -> Any:
    """The JSON that a daemon answers; None while it does not."""
    connection = http.client.HTTPConnection(host, port, timeout=PROBE_SECONDS)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return json.loads(answer.read()) if answer.status == http.client.OK else None
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()


def bean(port: int, name: str, host: str = LOOPBACK) -> dict[str, Any]:
    """The values of one bean of a daemon of HDFS; none while it does not answer."""
    found = ask(port, f"/jmx?qry=Hadoop:service=NameNode,name={name}", host)
    beans = found.get("beans", []) if isinstance(found, dict) else []
    return beans[0] if beans else {}


def namenode_is_there(ports: Mapping[str, int]) -> bool:
    """It answers."""
    return bool(bean(ports["namenode_web"], "NameNodeInfo"))


def datanode_is_there(ports: Mapping[str, int]) -> bool:
    """The NameNode knows it, and lets files be written."""
    alive = int(bean(ports["namenode_web"], "FSNamesystemState").get("NumLiveDataNodes", 0))
    return alive >= 1 and bean(ports["namenode_web"], "NameNodeInfo").get("Safemode", "on") == ""


def resourcemanager_is_there(ports: Mapping[str, int]) -> bool:
    """It answers."""
    return ask(ports["resourcemanager_web"], "/ws/v1/cluster/metrics") is not None


def nodemanager_is_there(ports: Mapping[str, int]) -> bool:
    """The ResourceManager gives it work."""
    found = ask(ports["resourcemanager_web"], "/ws/v1/cluster/metrics")
    return bool(found) and found["clusterMetrics"]["activeNodes"] >= 1


def history_is_there(ports: Mapping[str, int]) -> bool:
    """It answers."""
    return ask(ports["history_web"], "/ws/v1/history/info") is not None


# ---- The five --------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Daemon:
    """One daemon: its class, its memory, the port of its web pages, how to see that it is there."""

    name: str
    main: str
    heap_mb: int
    web: str
    is_there: Callable[[Mapping[str, int]], bool]


# In the order in which they are started: one that waits for another comes after it.
DAEMONS = (
    Daemon("NameNode", "org.apache.hadoop.hdfs.server.namenode.NameNode", 512, "namenode_web",
           namenode_is_there),
    Daemon("ResourceManager", "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager", 512,
           "resourcemanager_web", resourcemanager_is_there),
    Daemon("DataNode", "org.apache.hadoop.hdfs.server.datanode.DataNode", 512, "datanode_web",
           datanode_is_there),
    Daemon("JobHistoryServer", "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer", 256, "history_web",
           history_is_there),
    Daemon("NodeManager", "org.apache.hadoop.yarn.server.nodemanager.NodeManager", 512, "nodemanager_web",
           nodemanager_is_there),
)  # fmt: skip


def make_loopback(folder: pathlib.Path) -> None:
    """Compiles what keeps those listeners on loopback that no setting of Hadoop keeps there."""
    made = folder / LOOPBACK_LIBRARY
    if made.exists():
        return
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        raise ClusterError('found no C compiler: run "make deps" as root')
    source, part = pathlib.Path(__file__).with_name("loopback.c"), made.with_suffix(".part")
    command = [compiler, "-std=c11", "-O2", "-shared", "-fPIC", "-o", str(part), str(source), "-ldl"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise ClusterError(
            f"{source}: cannot be compiled: {(done.stdout.splitlines() or ['no reason was given'])[0]}"
        )
    part.replace(made)


def environment(folder: pathlib.Path, java: str) -> dict[str, str]:
    """That of the daemons. Tasks get theirs from the NodeManager."""
    kept = {name: value for name, value in os.environ.items() if not NOT_OURS.fullmatch(name)}
    return {**kept, "JAVA_HOME": java, "LD_PRELOAD": str(folder / LOOPBACK_LIBRARY)}


def command_of(folder: pathlib.Path, java: str, jars: str, main: str, heap_mb: int) -> list[str]:
    """How a class of Hadoop is run: it compiles quickly, not well, as daemons have little to do."""
    return [
        f"{java}/bin/java", f"-Xmx{heap_mb}m", *TASK_OPTIONS.split(), "-XX:TieredStopAtLevel=1",
        f"-Djava.io.tmpdir={folder}/tmp", *JAVA_OPTIONS, "-cp", f"{folder}/conf:{jars}/*", main,
    ]  # fmt: skip


def log_of(folder: pathlib.Path, name: str) -> pathlib.Path:
    """Where a daemon's log is."""
    return folder / "logs" / f"{name}.log"


def start(folder: pathlib.Path, java: str, jars: str, daemon: Daemon) -> subprocess.Popen[bytes]:
    """Starts one in a session of its own, so that its starter can end."""
    with open(log_of(folder, daemon.name), "wb") as log:
        return subprocess.Popen(
            command_of(folder, java, jars, daemon.main, daemon.heap_mb), cwd=folder / "tmp",
            env=environment(folder, java), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip


def format_namenode(folder: pathlib.Path, java: str, jars: str) -> None:
    """An empty file system, unless there is one."""
    data = folder / "data"
    if (data / "namenode" / "current" / "VERSION").exists():
        return
    shutil.rmtree(data / "namenode", ignore_errors=True)  # of one that was interrupted
    shutil.rmtree(data / "datanode", ignore_errors=True)
    main = DAEMONS[0].main
    command = [*command_of(folder, java, jars, main, 256), "-format", "-nonInteractive"]
    with open(log_of(folder, "format"), "wb") as log:
        done = subprocess.run(
            command, cwd=folder / "tmp", env=environment(folder, java), stdin=subprocess.DEVNULL, stdout=log,
            stderr=log, check=False,
        )  # fmt: skip
    if done.returncode != 0:
        raise ClusterError(f"the file system cannot be made: {why_it_ended(folder, 'format')}")


# ---- Why not ---------------------------------------------------------------------------------------


def last_words(text: str) -> str:
    """The line of a log that says why a daemon ended."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    reasons = [found[1] for line in lines if (found := re.search(r"Exiting with status \d+: (.+)", line))]
    if reasons:
        return reasons[-1]
    errors = [number for number, line in enumerate(lines) if re.search(r" (ERROR|FATAL) ", line)]
    if errors:
        after = lines[errors[-1] + 1 : errors[-1] + 2]
        thrown = after[0] if after and re.match(r"[\w.$]+(Exception|Error)\b", after[0]) else ""
        return thrown or re.sub(r"^.* (ERROR|FATAL) ", "", lines[errors[-1]])
    said = [line for line in lines if not re.match(r"at |\.\.\. \d+ more|[/*]+$|SHUTDOWN_MSG", line)]
    return said[-1] if said else "nothing is in its log"


def why_it_ended(folder: pathlib.Path, name: str) -> str:
    """That line of a daemon's log, and where all of it is."""
    path = log_of(folder, name)
    with open(path, "rb") as log:
        log.seek(max(0, path.stat().st_size - READ_BYTES))
        text = log.read().decode(errors="replace")
    return f"{last_words(text)}; all of it: {path}"


def port_was_taken(reason: str) -> bool:
    """Whether a daemon ended because another process had taken its port meanwhile."""
    return "BindException" in reason or "Address already in use" in reason or "Port in use" in reason
