"""How much of the cluster a job takes: memory, tasks at a time, and whether it runs within one process."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from .conf import Configuration
from .namenode import Address, split_address

MIB = 1 << 20
MANAGER_PORT = 8088
MANAGER_SECONDS = 5.0
DEFAULT_MB = 1024  # of a task, by default
HEAP_MB = 640  # of a JVM of default size: the sort buffer of 100 MB, pieces of 4 MiB on their way
OWN_MB = 64  # that a JVM needs beside its heap, which is seldom full
HEAP = re.compile(r"-Xmx(\d+)([kKmMgG]?)")
SHIFTS = {"": 0, "k": 10, "m": 20, "g": 30}
# What a JVM that copies bytes for seconds does best with: little time to start, one thread for garbage. Each
# goes with a pattern for settings that exclude it.
LIGHT = (
    ("-XX:+IgnoreUnrecognizedVMOptions", re.compile(r"IgnoreUnrecognizedVMOptions")),
    ("-XX:+UseSerialGC", re.compile(r"-XX:[+-]Use\w*GC\b")),
    ("-XX:-UsePerfData", re.compile(r"UsePerfData")),
)
QUICK = ("-XX:TieredStopAtLevel=1", re.compile(r"Tiered|-Xint|-Xcomp|-XX:[+-]UseJVMCICompiler"))
QUICK_BYTES = 1 << 30  # of text in a task, above which better code is worth its time
# What is read one task after another in the time that containers would take to start: of lines from Hadoop, and
# of files that ink reads itself.
UBER_BYTES, UBER_BYTES_ALONE = 1 << 28, 1 << 30
UBER = "mapreduce.job.ubertask"
UBER_CORES = 2
SIDES = ("map", "reduce")
MASTER = "yarn.app.mapreduce.am"
ADMIN = {
    "map": "mapreduce.admin.map.child.java.opts",
    "reduce": "mapreduce.admin.reduce.child.java.opts",
    "master": f"{MASTER}.admin-command-opts",
}


@dataclass(frozen=True)
class Task:
    """The memory of a task, and what has to be said to have it."""

    memory_mb: int
    ink_mb: int  # of it
    settings: dict[str, str]


def heap_mb(options: str) -> int | None:
    """The -Xmx of a JVM's options."""
    found = HEAP.findall(options)
    return (int(found[-1][0]) << SHIFTS[found[-1][1].lower()]) // MIB if found else None


def light(options: str, also: str, *, quick: bool = True) -> str:
    """Options of a JVM with those added that make it cheap, but for what they, or `also`, have chosen."""
    said = f"{also} {options}"
    more = [option for option, other in (*LIGHT, *([QUICK] if quick else [])) if not other.search(said)]
    return " ".join([options, *more]).strip()


def task_memory(conf: Configuration, side: str, memory: int, *, quick: bool = True) -> Task:
    """A task of the side "map" or "reduce" in which `ink` takes `memory` bytes beside the JVM."""
    name = f"mapreduce.{side}.memory.mb"
    configured = conf.number(name)
    options = conf.find(f"mapreduce.{side}.java.opts") or conf.text("mapred.child.java.opts")
    heap = heap_mb(options)
    if heap is None:
        heap = HEAP_MB
        options = f"{options} -Xmx{heap}m".strip()
    settings = {f"mapreduce.{side}.java.opts": light(options, conf.text(ADMIN[side]), quick=quick)}
    ink_mb = -(-memory // MIB)
    needed = heap + OWN_MB + ink_mb
    given = configured if configured > 0 else DEFAULT_MB
    most = max(given, conf.number("yarn.scheduler.maximum-allocation-mb"))
    if needed > given and name not in conf.overrides:
        given = min(needed, most)
        settings[name] = str(given)
    return Task(given, ink_mb, conf.not_given(settings))


def master_settings(conf: Configuration) -> dict[str, str]:
    """What makes a job's master cheap to start."""
    options = light(conf.text(f"{MASTER}.command-opts"), conf.text(ADMIN["master"]))
    return conf.not_given({f"{MASTER}.command-opts": options})


def uber_settings(
    conf: Configuration, maps: int, reduces: int, bytes_in: int, tasks: Sequence[Task], most: int = UBER_BYTES
) -> dict[str, str]:
    """What makes a small job run within its master, one task after another; nothing if it is not small."""
    limit = conf.number(f"{UBER}.maxbytes") or most
    if maps > conf.number(f"{UBER}.maxmaps") or bytes_in > limit:
        return {}
    if reduces > conf.number(f"{UBER}.maxreduces"):
        return {}
    if conf.overrides.get(f"{UBER}.enable", "true").lower() != "true":
        return {}
    settings = {f"{UBER}.enable": "true", f"{UBER}.maxbytes": str(limit)}
    heap = heap_mb(conf.text(f"{MASTER}.command-opts")) or HEAP_MB
    needed = max(heap + OWN_MB + max(task.ink_mb for task in tasks), *(task.memory_mb for task in tasks))
    if needed > conf.number("yarn.scheduler.maximum-allocation-mb"):
        return {}
    if 2 * conf.number("mapreduce.task.io.sort.mb") > heap:  # maps would have their buffer in the master's heap
        return {}
    if conf.number(f"{MASTER}.resource.mb") < needed:
        settings[f"{MASTER}.resource.mb"] = str(needed)
    return conf.not_given(settings) | uber_cores(conf, len(tasks))


def uber_cores(conf: Configuration, sides: int) -> dict[str, str]:
    """One task at a time has all that the master has: two cores, of which `ink` makes use."""
    names = [f"{MASTER}.resource.cpu-vcores", *(f"mapreduce.{side}.cpu.vcores" for side in SIDES[:sides])]
    if conf.number("yarn.scheduler.maximum-allocation-vcores") < UBER_CORES or any(conf.find(name) for name in names):
        return {}
    return dict.fromkeys(names, str(UBER_CORES))


def manager_addresses(conf: Configuration) -> list[Address]:
    """Where the pages of the ResourceManagers are that the configuration names: one, or a pair."""
    name = "yarn.resourcemanager"
    texts = [
        conf.find(f"{name}.webapp.address{suffix}") or conf.find(f"{name}.hostname{suffix}")
        for suffix in [f".{one}" for one in conf.words(f"{name}.ha.rm-ids")] or [""]
    ]
    return [split_address(text, MANAGER_PORT) for text in texts if text]


def cluster_tasks(conf: Configuration, task_mb: int) -> int | None:
    """How many tasks run at a time, as a ResourceManager reports; None, for a worse plan, if none does."""
    for host, port in manager_addresses(conf):
        connection = http.client.HTTPConnection(host, port, timeout=MANAGER_SECONDS)
        try:
            connection.request("GET", "/ws/v1/cluster/metrics", headers={"Accept": "application/json"})
            answer = json.loads(connection.getresponse().read())["clusterMetrics"]
            by_memory = int(answer["totalMB"]) // max(1, task_mb)
            return max(1, min(by_memory, int(answer["totalVirtualCores"])))
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
            continue
        finally:
            connection.close()
    return None
