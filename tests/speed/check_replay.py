#!/usr/bin/env python3
"""The replay of tasks on virtual cores (bench/replay.py), against times that can be worked out by hand.

Prints a TAP line for each test and exits with the number that failed.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests/cli")]
import replay  # noqa: E402
import tap  # noqa: E402

SECOND = 10**9


def phase(tasks, once=(0,) * 4):
    """Tasks as (exclusive, parallel, ordered), in seconds, and perhaps a step and a lane."""
    listed = [dict(zip(("exclusive", "parallel", "ordered"), (part * SECOND for part in task))) |
              dict(zip(("step", "lane"), task[3:])) for task in tasks]
    parts = [sum(task[name] for task in listed) / SECOND for name in ("exclusive", "parallel", "ordered")]
    return {"name": "reading", "cpu_seconds": sum(parts) + sum(once), "tasks": len(tasks), "exclusive_seconds": parts[0],
            "ordered_seconds": parts[2], "list": listed, "once": [time * SECOND for time in once]}


def serial(seconds):
    return {"name": "serial", "cpu_seconds": seconds}


# Phases, cores, and how long they take.
CASES = [
    ([serial(3)], 4, 3),
    ([phase([(0, 1, 0)] * 8)], 1, 8),
    ([phase([(0, 1, 0)] * 8)], 4, 2),
    ([phase([(0, 1, 0)] * 8)], 64, 2),  # there were four workers
    ([phase([(0, 1, 0)] * 9)], 4, 3),
    ([phase([(0, 1, 0)] * 3 + [(0, 7, 0)])], 4, 7),
    ([phase([(1, 3, 0)] * 4)], 4, 7),  # the last one reads after three others
    ([phase([(1, 0, 0)] * 8)], 4, 8),
    ([phase([(0, 1, 2)] * 4)], 4, 9),  # commits in order
    ([phase([(0, 5, 1), (0, 1, 1), (0, 1, 1), (0, 1, 1)])], 4, 9),  # they wait for the first
    ([phase([(0, 1, 0)] * 4, once=(2, 2, 2, 2))], 4, 3),
    ([serial(1), phase([(0, 1, 0)] * 4), serial(2), phase([(0, 2, 0)] * 4)], 4, 6),
    ([phase([])], 4, 0),
    ([phase([(0, 1, 0, 0), (0, 3, 0, 0), (0, 1, 0, 1), (0, 1, 0, 1)])], 4, 4),  # a step waits for all of the one before
    ([phase([(0, 1, 2, 0, lane) for lane in (0, 1) for _ in range(4)])], 4, 9),  # two lanes beside each other
    ([phase([(1, 1, 2, 0, 0), (1, 1, 2, 0, 1)])], 4, 5),  # which read one at a time
    ([phase([(0, 0, 1, 0, lane) for lane in range(8) for _ in range(2)])], 4, 4),
]


def every_case_takes_as_long_as_by_hand():
    for phases, cores, expected in CASES:
        found = replay.seconds({"phases": phases, "other_seconds": 0.5}, cores) - 0.5
        assert abs(found - expected) < 1e-6, (phases, cores, found, expected)


def one_core_takes_all_the_cpu_time():
    for phases, _, _ in CASES:
        stats = {"phases": phases, "other_seconds": 0}
        assert abs(replay.seconds(stats, 1) - sum(one["cpu_seconds"] for one in phases)) < 1e-6, phases


def what_nothing_overlaps_is_serial():
    phases = [serial(1), phase([(1, 5, 2)] * 4), phase([(0, 3, 0)])]
    assert replay.serial_seconds({"phases": phases, "other_seconds": 0.5}) == 0.5 + 1 + 4 * (1 + 2) + 3


if __name__ == "__main__":
    sys.exit(tap.run(tap.tests_of(globals()), "ink-replay-"))
