"""How much of the cluster a job takes."""

from __future__ import annotations

from inkhadoop.conf import Configuration
from inkhadoop.resources import heap_mb, manager_addresses, task_memory, uber_settings

MIB = 1 << 20
KNOWN = {"mapreduce.map.memory.mb": "1024", "mapreduce.map.java.opts": "-Xmx640m -XX:+UseSerialGC"}
AM = {"yarn.app.mapreduce.am.resource.mb": "1024"}


def test_the_heap_of_a_jvm() -> None:
    assert heap_mb("-Xmx640m -Xss1m") == 640
    assert heap_mb("-Xmx1g -Xmx2G") == 2048
    assert heap_mb("-Xss1m") is None


def test_a_task_that_has_room_is_left_as_it_is() -> None:
    task = task_memory(Configuration(KNOWN), "map", 320 * MIB)
    assert (task.memory_mb, task.settings) == (1024, {})


def test_a_task_that_has_too_little_gets_more() -> None:
    task = task_memory(Configuration(KNOWN), "map", 1000 * MIB)
    assert task.settings == {"mapreduce.map.memory.mb": "1704"} and task.memory_mb == 1704


def test_never_more_than_the_cluster_gives() -> None:
    task = task_memory(
        Configuration({**KNOWN, "yarn.scheduler.maximum-allocation-mb": "1500"}), "map", 4000 * MIB
    )
    assert task.memory_mb == 1500


def test_what_was_said_with_d_stands() -> None:
    conf = Configuration(KNOWN, {"mapreduce.map.memory.mb": "512"})
    assert task_memory(conf, "map", 1000 * MIB).settings == {}


def test_a_heap_that_nobody_set_leaves_room_for_ink() -> None:
    task = task_memory(Configuration({}), "reduce", 320 * MIB)
    assert task.settings == {"mapreduce.reduce.java.opts": "-Xmx640m"} and task.memory_mb == 1024


def test_small_jobs_run_within_their_master() -> None:
    conf = Configuration({**KNOWN, **AM})
    assert uber_settings(conf, 1, 1, 100 * MIB, 128 * MIB, 1024) == {"mapreduce.job.ubertask.enable": "true"}
    assert uber_settings(conf, 10, 1, 100, 128 * MIB, 1024) == {}
    assert uber_settings(conf, 1, 2, 100, 128 * MIB, 1024) == {}
    assert uber_settings(conf, 1, 1, 129 * MIB, 128 * MIB, 1024) == {}
    assert uber_settings(conf, 1, 0, 100, 128 * MIB, 2000)["yarn.app.mapreduce.am.resource.mb"] == "2000"


def test_who_forbids_it_is_heard() -> None:
    conf = Configuration(AM, {"mapreduce.job.ubertask.enable": "false"})
    assert uber_settings(conf, 1, 1, 100, 128 * MIB, 1024) == {}


def test_where_the_resourcemanagers_are() -> None:
    name = "yarn.resourcemanager"
    assert manager_addresses(Configuration({})) == []
    assert manager_addresses(Configuration({f"{name}.hostname": "rm"})) == [("rm", 8088)]
    assert manager_addresses(
        Configuration({f"{name}.hostname": "rm", f"{name}.webapp.address": "web:1"})
    ) == [("web", 1)]
    pair = {f"{name}.ha.rm-ids": "a,b", f"{name}.hostname.a": "h1", f"{name}.webapp.address.b": "h2:2"}
    assert manager_addresses(Configuration(pair)) == [("h1", 8088), ("h2", 2)]
