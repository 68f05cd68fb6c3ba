"""The plan of a run: which keys go to whom, how many rounds, how long.

A case is a workload with a form of keys, a number of them and of threads. Every contestant that offers it is
asked once in each round, one after another, first with one thread, then with two; so what is compared was
measured within the same seconds.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from measure import stop


@dataclass(frozen=True)
class Case:
    """What is asked of everybody at once."""

    workload: str
    form: str
    count: int
    threads: int

    def __str__(self) -> str:
        return f"{self.workload} {self.form} {self.count} {self.threads}"


@dataclass(frozen=True)
class Mode:
    """How thorough a run is; README.md says how long each takes."""

    name: str
    counts: tuple[int, ...]  # keys, for everybody
    far: tuple[int, ...]  # keys, for the filter that is measured and its limit alone
    rounds: int  # that the machine was fast in; else up to twice as many
    far_rounds: int  # with APART_FROM keys or more
    seconds: float  # a contestant that took so long for a case is asked no more ...
    least: int  # ... after this number of rounds
    text_bytes: int  # of the large file; the small one has at most 100 MB
    text_rounds: int


MODES = {
    "quick": Mode("quick", (10_000, 100_000), (), 2, 1, 0.5, 1, 4_000_000, 1),
    "usual": Mode("usual", (10_000, 1_000_000, 10_000_000), (100_000_000,), 9, 5, 2.5, 1, 1 << 28, 5),
    "full": Mode(
        "full",
        (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000),
        (400_000_000,),
        9,
        5,
        12,
        2,
        1 << 30,
        5,
    ),
}
WORKLOADS = ("filter", "static", "count16", "count22", "distinct", "union", "union-equal", "frequent")
FORMS = ("u64", "str16")
FAR = {"lines", "keys+lines", "bloom"}  # who is asked for a number of keys in Mode.far
APART_FROM = 100_000_000  # from this number on, the keys of all peers do not fit in memory: peers come one by one
STATIC = (1_000_000, 10_000_000, 50_000_000, 100_000_000)  # keys of filters that never change
COUNTED = {
    "count16": (1, 10_000_000),
    "count22": (100_000, 10_000_000),
    "distinct": (1, 10_000_000),
    "union": (10_000_000, 10_000_000),
    "union-equal": (10_000_000, 10_000_000),
    "frequent": (1, 10_000_000),
}  # what counts has one size for all data: the least and the most keys
WORDS = (*WORKLOADS, *FORMS, "text", "limits", "ours")


def mode() -> Mode:
    """The one that BENCH names."""
    name = os.environ.get("BENCH") or "usual"
    if name not in MODES:
        stop(f"BENCH: found {name}, expected quick, usual or full")
    return MODES[name]


def chosen() -> frozenset[str]:
    """The words of BENCH_ONLY: workloads, forms of keys, "text"; "limits" and "ours": who. None: all."""
    words = frozenset((os.environ.get("BENCH_ONLY") or "").replace(",", " ").split())
    if words - set(WORDS):
        stop(f"BENCH_ONLY: found {' '.join(sorted(words - set(WORDS)))}, expected some of {' '.join(WORDS)}")
    return words


def wanted(only: frozenset[str], words: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the words that were chosen; all if none of them was."""
    return tuple(word for word in words if word in only) or words


def counts_of(how: Mode, workload: str) -> tuple[int, ...]:
    """The numbers of keys of a workload."""
    if workload == "static":
        return how.counts if how.name == "quick" else STATIC
    return how.counts + (how.far if workload == "filter" else ())


def cases(how: Mode, only: frozenset[str]) -> list[tuple[Case, ...]]:
    """All that is measured, in order: cases that differ in the number of threads alone go together."""
    if only == {"text"}:
        return []
    plan = []
    for workload in wanted(only, WORKLOADS):
        for form in wanted(only, FORMS):
            for count in counts_of(how, workload):
                least, most = COUNTED.get(workload, (1, count))
                if least <= count <= most and (form == "u64" or count in how.counts):
                    plan.append(tuple(Case(workload, form, count, threads) for threads in (1, 2)))
    return plan
