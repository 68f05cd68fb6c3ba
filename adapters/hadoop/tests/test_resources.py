"""How much of the cluster a job takes."""

from __future__ import annotations

import pytest
from fake_webhdfs import served
from inkhadoop.conf import Configuration
from inkhadoop.resources import (
    ADMIN,
    Task,
    cluster_tasks,
    heap_mb,
    light,
    manager_addresses,
    master_settings,
    task_memory,
    uber_settings,
)

MIB = 1 << 20
KNOWN = {"mapreduce.map.memory.mb": "1024", "mapreduce.map.java.opts": "-Xmx640m -XX:+UseSerialGC"}
OPTIONS = "mapreduce.map.java.opts"
SERIAL = "-XX:+UseSerialGC"
LIGHT = f"-XX:+IgnoreUnrecognizedVMOptions {SERIAL} -XX:-UsePerfData -XX:TieredStopAtLevel=1"
WITHOUT = LIGHT.replace(f"{SERIAL} ", "")  # where the user has it already
AM = {"yarn.app.mapreduce.am.resource.mb": "1024"}


def test_the_heap_of_a_jvm() -> None:
    assert heap_mb("-Xmx640m -Xss1m") == 640
    assert heap_mb("-Xmx1g -Xmx2G") == 2048
    assert heap_mb("-Xmx655360k") == heap_mb("-Xmx671088640") == 640
    assert heap_mb("-Xss1m") is None


def test_a_task_that_has_room_is_left_as_it_is() -> None:
    task = task_memory(Configuration(KNOWN), "map", 320 * MIB)
    assert (task.memory_mb, task.ink_mb) == (1024, 320)
    assert task.settings == {OPTIONS: f"-Xmx640m {SERIAL} {WITHOUT}"}


def test_a_task_that_has_too_little_gets_more() -> None:
    task = task_memory(Configuration(KNOWN), "map", 1000 * MIB)
    assert task.settings["mapreduce.map.memory.mb"] == "1704" and task.memory_mb == 1704


def test_never_more_than_the_cluster_gives() -> None:
    task = task_memory(
        Configuration({**KNOWN, "yarn.scheduler.maximum-allocation-mb": "1500"}), "map", 4000 * MIB
    )
    assert task.memory_mb == 1500
    assert task_memory(Configuration(KNOWN), "map", 8000 * MIB).memory_mb == 8192, "as much as by default"


def test_what_was_said_with_d_stands() -> None:
    conf = Configuration(KNOWN, {"mapreduce.map.memory.mb": "512", OPTIONS: "-Xmx100m"})
    assert task_memory(conf, "map", 1000 * MIB).settings == {}


def test_a_heap_of_default_size_leaves_room_for_ink() -> None:
    task = task_memory(Configuration({}), "reduce", 320 * MIB)
    assert task.settings == {"mapreduce.reduce.java.opts": f"-Xmx640m {LIGHT}"} and task.memory_mb == 1024


def test_a_jvm_is_made_cheap_but_for_what_the_user_chose() -> None:
    assert light("", "") == LIGHT
    for chosen in ("-XX:+UseG1GC", "-XX:+UseParallelGC", "-XX:-UseSerialGC"):
        assert light(chosen, "") == f"{chosen} {WITHOUT}" and light("", chosen) == WITHOUT
    assert "TieredStopAtLevel=1" not in light("-XX:-TieredCompilation", "")
    assert "TieredStopAtLevel=1" not in light("", "", quick=False)
    assert "-XX:-UsePerfData" not in light("-XX:+UsePerfData", "")
    assert "TieredStopAtLevel=1" not in task_memory(Configuration({}), "map", 0, quick=False).settings[OPTIONS]


@pytest.mark.parametrize("side", ["map", "reduce"])
def test_what_the_administrator_chose_for_a_side_is_left_out_there(side: str) -> None:
    options = f"mapreduce.{side}.java.opts"
    for other in ("map", "reduce"):
        conf = Configuration({ADMIN[other]: SERIAL, options: "-Xmx1m"})
        light = WITHOUT if other == side else LIGHT
        assert task_memory(conf, side, 0).settings == {options: f"-Xmx1m {light}"}, other
    assert ADMIN[side] == f"mapreduce.admin.{side}.child.java.opts"


def test_so_is_the_master() -> None:
    name = "yarn.app.mapreduce.am.command-opts"
    assert master_settings(Configuration({})) == {name: f"-Xmx1024m {LIGHT}"}
    assert master_settings(Configuration({"yarn.app.mapreduce.am.admin-command-opts": SERIAL})) == {
        name: f"-Xmx1024m {WITHOUT}"
    }
    assert master_settings(Configuration({}, {name: "-Xmx1g"})) == {}


CORES = ("yarn.app.mapreduce.am.resource.cpu-vcores", "mapreduce.map.cpu.vcores", "mapreduce.reduce.cpu.vcores")
UBER = {
    "mapreduce.job.ubertask.enable": "true",
    "mapreduce.job.ubertask.maxbytes": str(256 * MIB),
    **dict.fromkeys(CORES, "2"),
}
TASKS = [Task(1024, 320, {}), Task(1024, 400, {})]


def test_small_jobs_run_within_their_master() -> None:
    conf = Configuration({**KNOWN, **AM, "yarn.app.mapreduce.am.command-opts": "-Xmx512m"})
    assert uber_settings(conf, 9, 1, 256 * MIB, TASKS) == UBER
    assert uber_settings(conf, 10, 1, 100, TASKS) == {}
    assert uber_settings(conf, 1, 2, 100, TASKS) == {}
    assert uber_settings(conf, 1, 1, 256 * MIB + 1, TASKS) == {}


def test_a_master_has_room_for_itself_and_ink() -> None:
    name = "yarn.app.mapreduce.am.resource.mb"
    conf = Configuration({**AM, "yarn.app.mapreduce.am.command-opts": "-Xmx900m"})
    assert uber_settings(conf, 1, 1, 100, TASKS)[name] == str(900 + 64 + 400)
    assert uber_settings(conf, 1, 0, 100, [Task(2000, 320, {})])[name] == "2000"
    conf = Configuration({**AM, "yarn.app.mapreduce.am.command-opts": "-Xss1m"})
    assert uber_settings(conf, 1, 1, 100, TASKS)[name] == str(640 + 64 + 400), "a heap of default size"
    conf = Configuration({**AM, "yarn.scheduler.maximum-allocation-mb": "1300"})
    assert uber_settings(conf, 1, 1, 100, TASKS) == {}, "1024 and 64 and 400 MB cannot be had"


def test_a_master_whose_heap_is_too_small_for_a_map_runs_none() -> None:
    for sort, fits in ((512, True), (513, False)):
        conf = Configuration({**AM, "mapreduce.task.io.sort.mb": str(sort)})
        assert bool(uber_settings(conf, 1, 1, 100, TASKS)) == fits


def test_a_small_job_has_two_cores_unless_the_user_sets_them() -> None:
    def cores(conf: Configuration, *tasks: Task) -> list[str]:
        return [name for name in CORES if uber_settings(conf, 1, 1, 100, tasks).get(name) == "2"]

    assert cores(Configuration(AM), *TASKS) == list(CORES)
    assert cores(Configuration(AM), TASKS[0]) == list(CORES[:2]), "there are no reducers"
    assert cores(Configuration({**AM, "yarn.scheduler.maximum-allocation-vcores": "1"}), *TASKS) == []
    for name in CORES:
        assert cores(Configuration(AM, {name: "1"}), *TASKS) == []
        assert cores(Configuration({**AM, name: "1"}), *TASKS) == []


def test_who_has_a_limit_or_forbids_it_is_heard() -> None:
    conf = Configuration({**AM, "mapreduce.job.ubertask.maxbytes": "1000"})
    assert uber_settings(conf, 1, 1, 1001, TASKS) == {} != uber_settings(conf, 1, 1, 1000, TASKS)
    conf = Configuration(AM, {"mapreduce.job.ubertask.enable": "false"})
    assert uber_settings(conf, 1, 1, 100, TASKS) == {}


def test_where_the_resourcemanagers_are() -> None:
    name = "yarn.resourcemanager"
    assert manager_addresses(Configuration({})) == []
    assert manager_addresses(Configuration({f"{name}.hostname": "rm"})) == [("rm", 8088)]
    assert manager_addresses(
        Configuration({f"{name}.hostname": "rm", f"{name}.webapp.address": "web:1"})
    ) == [("web", 1)]
    pair = {f"{name}.ha.rm-ids": "a,b", f"{name}.hostname.a": "h1", f"{name}.webapp.address.b": "h2:2"}
    assert manager_addresses(Configuration(pair)) == [("h1", 8088), ("h2", 2)]


@pytest.mark.parametrize(
    ("metrics", "tasks"),
    [
        ({"totalMB": 8192, "totalVirtualCores": 16}, 5),  # by memory
        ({"totalMB": 8192, "totalVirtualCores": 3}, 3),  # by cores
        ({"totalMB": 1000, "totalVirtualCores": 1}, 1),
        ({"totalMB": 8192}, None),
    ],
)
def test_how_many_tasks_the_cluster_runs_at_a_time(metrics: dict[str, int], tasks: int | None) -> None:
    """As that of two ResourceManagers says that answers so."""
    name = "yarn.resourcemanager"
    with served() as other, served() as manager:
        other.plain_status = 404
        manager.pages["/ws/v1/cluster/metrics"] = {"clusterMetrics": metrics}
        pair = {f"{name}.webapp.address.a": other.name, f"{name}.webapp.address.b": manager.name}
        conf = Configuration({f"{name}.ha.rm-ids": "a,b", **pair})
        assert cluster_tasks(conf, 1500) == tasks
    assert cluster_tasks(conf, 1500) is None, "none is there"
