"""How much of the cluster a job takes: memory, tasks at a time, and whether it runs within one process."""

from __future__ import annotations

import http.client
import json
import re
from dataclasses import dataclass

from .conf import Configuration
from .namenode import Address, split_address

MIB = 1 << 20
MANAGER_PORT = 8088
MANAGER_SECONDS = 5.0
DEFAULT_MB = 1024  # of a task where nobody says otherwise
HEAP_MB = 640  # of a JVM whose size nobody set: the sort buffer of 100 MB, pieces of 4 MiB on their way
OWN_MB = 64  # that a JVM needs beside its heap, which is seldom full
HEAP = re.compile(r"-Xmx(\d+)([kKmMgG]?)")
SHIFTS = {"": 0, "k": 10, "m": 20, "g": 30}


@dataclass(frozen=True)
class Task:
    """The memory of a task, and what has to be said to have it."""

    memory_mb: int
    settings: dict[str, str]


def heap_mb(options: str) -> int | None:
    """The -Xmx of a JVM's options."""
    found = HEAP.findall(options)
    return (int(found[-1][0]) << SHIFTS[found[-1][1].lower()]) // MIB if found else None


def task_memory(conf: Configuration, side: str, memory: int) -> Task:
    """A task of the side "map" or "reduce" in which `ink` takes so many bytes beside the JVM."""
    name = f"mapreduce.{side}.memory.mb"
    configured = conf.number(name)
    options = conf.find(f"mapreduce.{side}.java.opts") or conf.text("mapred.child.java.opts")
    heap = heap_mb(options)
    settings = {}
    if heap is None:
        heap = HEAP_MB
        settings[f"mapreduce.{side}.java.opts"] = f"{options} -Xmx{heap}m".strip()
    needed = heap + OWN_MB + -(-memory // MIB)
    given = configured if configured > 0 else DEFAULT_MB
    most = max(given, conf.number("yarn.scheduler.maximum-allocation-mb"))
    if name not in conf.overrides and needed > given:
        given = min(needed, most)
        settings[name] = str(given)
    return Task(given, {key: value for key, value in settings.items() if key not in conf.overrides})


def uber_settings(
    conf: Configuration, maps: int, reduces: int, bytes_in: int, block: int, task_mb: int
) -> dict[str, str]:
    """What makes a small job run within its master, one task after another; nothing if it is not small."""
    limit = conf.number("mapreduce.job.ubertask.maxbytes") or block
    if maps > conf.number("mapreduce.job.ubertask.maxmaps") or bytes_in > limit:
        return {}
    if reduces > conf.number("mapreduce.job.ubertask.maxreduces"):
        return {}
    if conf.overrides.get("mapreduce.job.ubertask.enable", "true").lower() != "true":
        return {}
    settings = {"mapreduce.job.ubertask.enable": "true"}
    if conf.number("yarn.app.mapreduce.am.resource.mb") < task_mb:
        settings["yarn.app.mapreduce.am.resource.mb"] = str(task_mb)
    return {name: value for name, value in settings.items() if name not in conf.overrides}


def manager_addresses(conf: Configuration) -> list[Address]:
    """Where the pages of the ResourceManagers are that the configuration names: one, or a pair."""
    name = "yarn.resourcemanager"
    texts = [
        conf.find(f"{name}.webapp.address{suffix}") or conf.find(f"{name}.hostname{suffix}")
        for suffix in [f".{one}" for one in conf.words(f"{name}.ha.rm-ids")] or [""]
    ]
    return [split_address(text, MANAGER_PORT) for text in texts if text]


def cluster_tasks(conf: Configuration, task_mb: int) -> int | None:
    """How many tasks run at a time, as a ResourceManager tells; None, for a worse plan, if none does."""
    for host, port in manager_addresses(conf):
        connection = http.client.HTTPConnection(host, port, timeout=MANAGER_SECONDS)
        try:
            connection.request("GET", "/ws/v1/cluster/metrics", headers={"Accept": "application/json"})
            told = json.loads(connection.getresponse().read())["clusterMetrics"]
            by_memory = int(told["totalMB"]) // max(1, task_mb)
            return max(1, min(by_memory, int(told["totalVirtualCores"])))
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
            continue
        finally:
            connection.close()
    return None
