"""Tasks of a job, as --stats=tasks lists them, replayed on virtual cores that share nothing.

A phase begins when the one before has ended. Workers take tasks in their order. Exclusive parts are done one at a
time, in the order in which they are asked for, ordered parts in the order of the tasks. What a worker does once comes
first. Serial phases, and CPU time that is in no phase, are one worker's.
"""

from __future__ import annotations

import heapq

NANO = 1e-9


def phase_seconds(phase: dict, cores: int) -> float:
    """The time of a phase on a number of cores."""
    if "list" not in phase:
        return phase["cpu_seconds"]
    once = [time * NANO for time in phase["once"]]
    workers = max(1, min(cores, len(once)))
    free = [0.0] * workers
    for number, time in enumerate(once):  # of more workers than cores the rest is shared out
        free[number % workers] += time
    heapq.heapify(free)
    reading = ordered = 0.0
    for task in phase["list"]:
        start = max(heapq.heappop(free), reading) if task["exclusive"] else heapq.heappop(free)
        now = start + task["exclusive"] * NANO
        if task["exclusive"]:
            reading = now
        now += task["parallel"] * NANO
        if task["ordered"]:
            now = ordered = max(now, ordered) + task["ordered"] * NANO
        heapq.heappush(free, now)
    return max(free)


def seconds(stats: dict, cores: int) -> float:
    """The time of a job that was run with that many threads."""
    return stats["other_seconds"] + sum(phase_seconds(phase, cores) for phase in stats["phases"])


def serial_seconds(stats: dict) -> float:
    """CPU time that no other task can overlap: of serial phases, of phases with one task, and of parts that are done one
    at a time."""
    total = stats["other_seconds"]
    for phase in stats["phases"]:
        if phase.get("tasks", 1) <= 1:
            total += phase["cpu_seconds"]
        else:
            total += phase["exclusive_seconds"] + phase["ordered_seconds"]
    return total
