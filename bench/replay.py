"""Tasks of a job, as --stats=tasks lists them, replayed on virtual cores that share nothing.

A phase begins when the one before has ended. Workers take tasks in their order. Exclusive parts are done one at a
time, in the order in which they are asked for, ordered parts in the order of the tasks of their lane. A step begins when
the one before has ended. What a worker does once comes first. Serial phases, and CPU time that is in no phase, are one worker's.
"""

from __future__ import annotations

import collections
import heapq
import itertools

NANO = 1e-9


class Lanes:
    """Which task a worker takes next: of its lane, of one that none has begun, else of that with the fewest workers."""

    def __init__(self, tasks: list[dict]) -> None:
        self.left: dict[int, collections.deque] = {}
        for task in tasks:
            self.left.setdefault(task.get("lane", 0), collections.deque()).append(task)
        self.ordered = dict.fromkeys(self.left, 0.0)
        self.workers = dict.fromkeys(self.left, 0)
        self.new = collections.deque(self.left)
        self.of: dict[int, int] = {}

    def choose(self, worker: int) -> int | None:
        lane = self.of.get(worker)
        if lane is not None and self.left[lane]:
            return lane
        if lane is not None:
            self.workers[lane] -= 1
        having = [lane for lane, tasks in self.left.items() if tasks]
        lane = self.new.popleft() if self.new else min(having, key=self.workers.get) if having else None
        if lane is not None:
            self.of[worker] = lane
            self.workers[lane] += 1
        else:
            self.of.pop(worker, None)
        return lane


def step_seconds(tasks: list[dict], free: list[float]) -> list[float]:
    """When each worker is free, after tasks that need not wait for all of others."""
    lanes, reading = Lanes(tasks), 0.0
    events, done = [(time, worker) for worker, time in enumerate(free)], list(free)
    heapq.heapify(events)
    while events:
        now, worker = heapq.heappop(events)
        done[worker] = now
        lane = lanes.choose(worker)
        if lane is None:
            continue
        task = lanes.left[lane].popleft()
        if task["exclusive"]:
            reading = now = max(now, reading) + task["exclusive"] * NANO
        now += task["parallel"] * NANO
        if task["ordered"]:
            lanes.ordered[lane] = now = max(now, lanes.ordered[lane]) + task["ordered"] * NANO
        heapq.heappush(events, (now, worker))
    return done


def phase_seconds(phase: dict, cores: int) -> float:
    """The time of a phase on a number of cores."""
    if "list" not in phase:
        return phase["cpu_seconds"]
    once = [time * NANO for time in phase["once"]]
    free = [0.0] * max(1, min(cores, len(once)))
    for number, time in enumerate(once):  # of more workers than cores the rest is shared out
        free[number % len(free)] += time
    for _, tasks in itertools.groupby(phase["list"], key=lambda task: task.get("step", 0)):
        free = [max(step_seconds(list(tasks), free))] * len(free)
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
