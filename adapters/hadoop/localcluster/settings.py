"""The configuration of a cluster: of one node, everything on loopback, and in one folder; or of several.

Everything that Hadoop would otherwise open on a fixed port has one of its own here, and what it would write
to the system's temporary folder goes below the cluster's. Heartbeats are faster than Hadoop's second, so that
a short job is not mostly waiting.
"""

from __future__ import annotations

import dataclasses
import getpass
import pathlib
from collections.abc import Mapping
from xml.sax.saxutils import escape

from .ports import LOOPBACK

# Every port that the five daemons listen on.
PORTS = (
    "namenode", "namenode_web", "datanode", "datanode_web", "datanode_ipc", "resourcemanager",
    "resourcemanager_scheduler", "resourcemanager_tracker", "resourcemanager_admin", "resourcemanager_web",
    "nodemanager", "nodemanager_localizer", "nodemanager_web", "shuffle", "history", "history_web",
    "history_admin",
)  # fmt: skip
LOOPBACK_LIBRARY = "loopback.so"
NODE_MEMORY_MB = 6144
TASK_MEMORY_MB = 1024
NODE_CORES = 4
HEARTBEAT_MS = 200
# Without the second one every JVM writes a file of its own below /tmp.
TASK_OPTIONS = "-XX:+UseSerialGC -XX:-UsePerfData"

# Without these folders the servers say "webapps/hdfs not found in CLASSPATH": the jars have no web pages.
WEB_FOLDERS = ("webapps/hdfs/WEB-INF", "webapps/datanode/WEB-INF", "webapps/static")

LOGGING = """# To standard error, which is the daemon's log file.
log4j.rootLogger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{yyyy-MM-dd HH:mm:ss} %p %c{2}: %m%n
# Said by every program, and of no use: there is no native library in the jars.
log4j.logger.org.apache.hadoop.util.NativeCodeLoader=ERROR
"""

# Java 17 hides what Hadoop looks into.
JAVA_OPTIONS = (
    *(
        f"--add-opens=java.base/{package}=ALL-UNNAMED"
        for package in (
            "java.io", "java.lang", "java.lang.reflect", "java.math", "java.net", "java.text", "java.util",
            "java.util.concurrent", "java.util.zip", "sun.security.util", "sun.security.x509",
        )
    ),
    "--add-exports=java.base/sun.net.dns=ALL-UNNAMED",
    "--add-exports=java.base/sun.net.util=ALL-UNNAMED",
    "-Djava.net.preferIPv4Stack=true",
)  # fmt: skip

Properties = dict[str, str]


@dataclasses.dataclass(frozen=True)
class Places:
    """Where what there is once listens, and where what there is on every node does."""

    master: str = LOOPBACK
    node: str = LOOPBACK


ONE_NODE = Places()


def core(folder: pathlib.Path, port: Mapping[str, int], places: Places) -> Properties:
    """core-site.xml: the file system."""
    return {
        "fs.defaultFS": f"hdfs://{places.master}:{port['namenode']}",
        "hadoop.tmp.dir": str(folder / "data" / "hadoop"),
        "hadoop.http.staticuser.user": getpass.getuser(),
        "ipc.client.connect.retry.interval": "200",
        "ipc.client.connect.max.retries": "50",
    }


def hdfs(folder: pathlib.Path, port: Mapping[str, int], places: Places) -> Properties:
    """hdfs-site.xml: NameNode and DataNode."""
    return {
        "dfs.replication": "1",
        "dfs.permissions.enabled": "false",
        "dfs.namenode.name.dir": (folder / "data" / "namenode").as_uri(),
        "dfs.datanode.data.dir": (folder / "data" / "datanode").as_uri(),
        "dfs.namenode.rpc-bind-host": places.master,
        "dfs.namenode.http-address": f"{places.master}:{port['namenode_web']}",
        "dfs.namenode.safemode.extension": "0",
        "dfs.datanode.hostname": places.node,
        "dfs.datanode.address": f"{places.node}:{port['datanode']}",
        "dfs.datanode.http.address": f"{places.node}:{port['datanode_web']}",
        "dfs.datanode.ipc.address": f"{places.node}:{port['datanode_ipc']}",
    }


def yarn(folder: pathlib.Path, jars: pathlib.Path, port: Mapping[str, int], places: Places) -> Properties:
    """yarn-site.xml: ResourceManager and NodeManager."""
    manager = "yarn.resourcemanager"
    node = "yarn.nodemanager"
    return {
        f"{manager}.hostname": places.master,
        f"{manager}.bind-host": places.master,
        f"{manager}.address": f"{places.master}:{port['resourcemanager']}",
        f"{manager}.scheduler.address": f"{places.master}:{port['resourcemanager_scheduler']}",
        f"{manager}.resource-tracker.address": f"{places.master}:{port['resourcemanager_tracker']}",
        f"{manager}.admin.address": f"{places.master}:{port['resourcemanager_admin']}",
        f"{manager}.webapp.address": f"{places.master}:{port['resourcemanager_web']}",
        f"{manager}.connect.retry-interval.ms": "500",
        f"{manager}.nodemanagers.heartbeat-interval-ms": str(HEARTBEAT_MS),
        f"{node}.hostname": places.node,
        f"{node}.bind-host": places.node,
        f"{node}.address": f"{places.node}:{port['nodemanager']}",
        f"{node}.localizer.address": f"{places.node}:{port['nodemanager_localizer']}",
        f"{node}.webapp.address": f"{places.node}:{port['nodemanager_web']}",
        f"{node}.aux-services": "mapreduce_shuffle",
        f"{node}.aux-services.mapreduce_shuffle.class": "org.apache.hadoop.mapred.ShuffleHandler",
        f"{node}.resource.memory-mb": str(NODE_MEMORY_MB),
        f"{node}.resource.cpu-vcores": str(NODE_CORES),
        f"{node}.vmem-check-enabled": "false",
        # Hadoop's default, and what keeps the listeners of jobs on loopback (daemons.py).
        f"{node}.admin-env": f"MALLOC_ARENA_MAX=$MALLOC_ARENA_MAX,LD_PRELOAD={folder / LOOPBACK_LIBRARY}",
        f"{node}.local-dirs": str(folder / "data" / "containers"),
        f"{node}.log-dirs": str(folder / "logs" / "containers"),
        f"{node}.disk-health-checker.max-disk-utilization-per-disk-percentage": "99",
        "yarn.scheduler.minimum-allocation-mb": "256",
        "yarn.scheduler.maximum-allocation-mb": str(NODE_MEMORY_MB),
        "yarn.application.classpath": f"{folder}/conf:{jars}/*",
    }


def mapred(folder: pathlib.Path, jars: pathlib.Path, port: Mapping[str, int], places: Places) -> Properties:
    """mapred-site.xml: jobs and the history server."""
    return {
        "mapreduce.framework.name": "yarn",
        "mapreduce.application.classpath": f"{folder}/conf:{jars}/*",
        "mapreduce.map.memory.mb": str(TASK_MEMORY_MB),
        "mapreduce.reduce.memory.mb": str(TASK_MEMORY_MB),
        "mapreduce.map.java.opts": f"-Xmx640m {TASK_OPTIONS}",
        "mapreduce.reduce.java.opts": f"-Xmx640m {TASK_OPTIONS}",
        # A second attempt of a slow task would only make the one machine slower.
        "mapreduce.map.speculative": "false",
        "mapreduce.reduce.speculative": "false",
        "yarn.app.mapreduce.am.resource.mb": str(TASK_MEMORY_MB),
        "yarn.app.mapreduce.am.command-opts": f"-Xmx512m {TASK_OPTIONS} -XX:TieredStopAtLevel=1",
        "yarn.app.mapreduce.am.staging-dir": "/user",
        "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms": str(HEARTBEAT_MS),
        "mapreduce.shuffle.port": str(port["shuffle"]),
        "mapreduce.jobhistory.address": f"{places.master}:{port['history']}",
        "mapreduce.jobhistory.webapp.address": f"{places.master}:{port['history_web']}",
        "mapreduce.jobhistory.admin.address": f"{places.master}:{port['history_admin']}",
    }


QUEUES: Properties = {
    "yarn.scheduler.capacity.root.queues": "default",
    "yarn.scheduler.capacity.root.default.capacity": "100",
    "yarn.scheduler.capacity.maximum-am-resource-percent": "0.5",
}


def file_of(name: str) -> str:
    """The file that a property belongs into: elsewhere Hadoop's own default would stand above it."""
    for start, file in (
        ("dfs.", "hdfs-site.xml"),
        ("yarn.scheduler.capacity.", "capacity-scheduler.xml"),
        ("yarn.app.mapreduce.", "mapred-site.xml"),
        ("mapreduce.", "mapred-site.xml"),
        ("yarn.", "yarn-site.xml"),
    ):
        if name.startswith(start):
            return file
    return "core-site.xml"


def as_xml(properties: Mapping[str, str]) -> str:
    """A file of properties as Hadoop reads it."""
    lines = "".join(
        f"  <property><name>{escape(name)}</name><value>{escape(value)}</value></property>\n"
        for name, value in properties.items()
    )
    return f'<?xml version="1.0"?>\n<configuration>\n{lines}</configuration>\n'


def write_settings(
    folder: pathlib.Path,
    jars: pathlib.Path,
    ports: Mapping[str, int],
    more: Mapping[str, str],
    places: Places = ONE_NODE,
) -> pathlib.Path:
    """Writes the folder that HADOOP_CONF_DIR names; `more` stands above what is here."""
    conf = folder / "conf"
    for web in WEB_FOLDERS:
        (conf / web).mkdir(parents=True, exist_ok=True)
    files = {
        "core-site.xml": core(folder, ports, places),
        "hdfs-site.xml": hdfs(folder, ports, places),
        "yarn-site.xml": yarn(folder, jars, ports, places),
        "mapred-site.xml": mapred(folder, jars, ports, places),
        "capacity-scheduler.xml": dict(QUEUES),
    }
    for name, value in more.items():
        files[file_of(name)][name] = value
    for name, properties in files.items():
        (conf / name).write_text(as_xml(properties), encoding="utf-8")
    (conf / "log4j.properties").write_text(LOGGING, encoding="utf-8")
    return conf
