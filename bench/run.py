#!/usr/bin/env python3
"""Measures limits, ours and peers in one run: what `make bench` prints, and writes as a table and a page.

    run.py OUT

Runs the contestants (OUT/bench/limits, ours and libbloom, and those that are installed), then the command on
text (OUT/ink, OUT/bench/text_tool). Writes OUT/bench/results.tsv and OUT/bench/results.html. BENCH is quick,
usual or full; BENCH_ONLY names parts; README.md says what of, how to read it, and how each peer is called.
"""

from __future__ import annotations

import os
import pathlib
import sys
import time
from collections.abc import Iterator

from cases import APART_FROM, FAR, Case, Mode, cases, chosen, mode
from measure import Table, machine_lines, stop
from page import write_page
from results import OPERATIONS, Results, digits, text_rows
from servers import LEFT_OUT, Offer, Server, running
from targets import targets
from text import time_text

SEQUENTIAL_BYTES = 1 << 28  # of memory, for what is read and written one line after another
# Instruction sets other than the best one are measured for these alone.
WITH_INSTRUCTIONS = {"bloom", "count-min", "hll", "theta"}
SLOW = 1.2  # a core that takes more than this times its best is shared now
DISTINCT_OFF = 0.25  # an estimate that is further off is none
HEAVIEST_SHARE, HEAVIEST_OFF = 1 / 20, 0.1


def check(name: str, case: Case, reported: dict[str, float], sums: dict[Case, float]) -> str:
    """Stops at an answer that is not true; else what there is to say about it."""
    whose = f"{name} {case}"
    if "sum" in reported and sums.setdefault(case, reported["sum"]) != reported["sum"]:
        stop(f"{whose}: keys with the sum {reported['sum']:.0f}, expected {sums[case]:.0f} as all others have")
    notes = []
    if "found" in reported:
        if reported["found"] != case.count:
            stop(f"{whose}: found {reported['found']:.0f} of {case.count} keys that were added, expected all")
        notes.append(f"{reported['wrong'] / case.count:.2%} of others found")
    if "answer" in reported:
        answer = reported["answer"]
        if case.workload.startswith("count") and answer < case.count:
            stop(f"{whose}: counts sum up to {answer:.0f}, expected {case.count} at least")
        if case.workload in ("distinct", "union"):
            if abs(answer / case.count - 1) > DISTINCT_OFF:
                stop(f"{whose}: {answer:.0f} different keys, expected about {case.count}")
            notes.append(f"{answer / case.count - 1:+.2%} off")
        if case.workload == "frequent" and abs(answer / case.count / HEAVIEST_SHARE - 1) > HEAVIEST_OFF:
            stop(
                f"{whose}: counted {answer:.0f} of the heaviest key, expected about"
                f" {case.count * HEAVIEST_SHARE:.0f}"
            )
    if reported.get("bytes"):
        notes.append(f"{reported['bytes'] / 1e6:.3g} MB")
        if case.workload == "static":
            notes.append(f"{8 * reported['bytes'] / case.count:.3f} bits a key")
    return ", ".join(notes)


class Entrant:
    """A contestant in a case: asked once a round, until it took its time."""

    def __init__(self, server: Server, offer: Offer, case: Case) -> None:
        self.server, self.offer, self.case = server, offer, case
        self.name = offer.name + server.suffix
        self.asked, self.seconds, self.out = 0, 0.0, False

    def turn(self, how: Mode, results: Results, sums: dict[Case, float]) -> None:
        """One round."""
        long = self.asked >= how.least and self.seconds > how.seconds
        if self.out or (long and not (self.offer.name in FAR and self.case.count >= APART_FROM)):
            return
        start = time.perf_counter()
        reported = self.server.ask(self.offer.name, self.case)
        self.seconds += time.perf_counter() - start
        self.asked += 1
        if isinstance(reported, str):
            self.out = True
            LEFT_OUT.append((f"{self.name} {self.case}", reported))
            return
        note = check(self.name, self.case, reported, sums)
        for operation in OPERATIONS:
            if operation in reported:
                results.put(self.case, operation, self.name, self.server.group, reported[operation], note)


def takes_part(server: Server, offer: Offer, case: Case, how: Mode) -> bool:
    """Whether a contestant is measured in a case."""
    far = case.workload == "filter" and case.count in how.far and offer.name not in FAR
    idle = server.suffix and (
        offer.name not in WITH_INSTRUCTIONS
        or case.form != "u64"
        or case.threads != 1
        or case.count in how.far
    )
    return offer.covers(case) and not far and not idle


def entrants(servers: list[Server], together: tuple[Case, ...], how: Mode) -> list[Entrant]:
    """Who takes part in cases that are measured together, in turn: one with two threads follows itself with one."""
    return [
        Entrant(server, offer, case)
        for server in servers
        for offer in server.offers
        for case in together
        if takes_part(server, offer, case, how)
    ]


def heats(servers: list[Server], together: tuple[Case, ...], how: Mode) -> Iterator[list[Entrant]]:
    """Who is measured side by side: all; with very many keys first all that are no peers, then each peer by itself."""
    if together[0].count < APART_FROM:
        yield entrants(servers, together, how)
        return
    hosts = [server for server in servers if server.group != "peer"]
    yield entrants(hosts, together, how)
    for peer in servers:
        if peer.group == "peer" and (alone := entrants([peer], together, how)):
            beside = [one for one in entrants(hosts, together[:1], how) if one.name in FAR]
            yield beside + alone


def let_go(servers: list[Server], taking_part: list[Entrant]) -> None:
    """Those that have very many keys and do not take part free them."""
    for server in servers:
        if server.most_asked >= APART_FROM and all(one.server is not server for one in taking_part):
            server.let_go()


def say_case(case: Case, results: Results) -> None:
    """A line for each contestant, the fastest first."""
    print(
        f"\n{case.workload}, {case.form}, {case.count:,} keys,"
        f" {case.threads} thread{'s'[: case.threads - 1]}",
        flush=True,
    )
    there = [name for name in OPERATIONS if (case, name) in results.found]
    print(f"  {'ns a key: best (worst)':26}" + "".join(f"{name:>19}" for name in there) + "   x ours")
    names = dict.fromkeys(name for one in there for name in results.found[case, one])
    for name in names:
        shown, ratio, note = "", "", ""
        for one in there:
            series = results.found[case, one].get(name)
            shown += f"{'' if series is None else f'{series.best:.2f} ({max(series.times):.2f})':>19}"
            ours = results.ours_of(case, one)
            if series is not None:
                note = series.note
                ratio += f"{digits(series.best / ours.best) if ours else '-':>6}"
        print(f"  {name:26}{shown} {ratio}  {note}".rstrip())


def ask_machine(server: Server, results: Results, count: int, core: int = 0) -> float:
    """The cost of an fmix64 now; with a number of bytes, that of memory too."""
    reported = server.ask("machine", Case("machine", "-", count, 1), core)
    assert isinstance(reported, dict)
    results.mixes.append(reported.pop("mix"))
    for name, value in reported.items():
        results.machine.setdefault(name, []).append(value)
    return results.mixes[-1]


def is_fast(server: Server, results: Results) -> bool:
    """Whether two cores, where there are as many, have the speed that they had at best so far."""
    cores = min(2, len(os.sched_getaffinity(0)))
    return max(ask_machine(server, results, 0, core) for core in range(cores)) < SLOW * min(results.mixes)


def rounds(how: Mode, count: int, server: Server, results: Results) -> Iterator[int]:
    """As many as the mode says; up to twice as many where the machine is slow in some and they are short."""
    fast = 0
    for number in range(how.far_rounds if count >= APART_FROM else 2 * how.rounds):
        if fast == how.rounds:
            return
        fast += is_fast(server, results)
        yield number


def measure_core(folder: pathlib.Path, how: Mode, only: frozenset[str], results: Results) -> None:
    """Every case, every contestant; nothing runs beside what is measured."""
    plan = cases(how, only)
    if not plan:
        return
    with running(folder, only) as servers:
        limits = servers[0]
        sums: dict[Case, float] = {}
        ask_machine(limits, results, SEQUENTIAL_BYTES)
        for together in plan:
            reported: set[Case] = set()
            for taking_part in heats(servers, together, how):
                if all(one.server.group == "limits" for one in taking_part) and only != {"limits"}:
                    continue
                let_go(servers, taking_part)
                for _ in rounds(how, together[0].count, limits, results):
                    for one in taking_part:
                        one.turn(how, results, sums)
                reported |= {one.case for one in taking_part if one.server.group != "limits"}
            for case in together:
                if case in reported:
                    say_case(case, results)
        ask_machine(limits, results, SEQUENTIAL_BYTES)
    results.left_out = list(LEFT_OUT)


def say_end(results: Results, files: list[pathlib.Path]) -> None:
    """Targets, the noise, and where it all is."""
    rows = [row for row in results.rows(targets()) if row.target]
    if rows:
        print(f"\n{'Targets':66}{'found':>8}  {'target':10}met")
    for row in rows:
        print(f"  {row.what:64}{row.best:>8}{row.unit:2}{row.target:10}{row.met:5}{row.note}".rstrip())
    if results.mixes:
        least, most = min(results.mixes), max(results.mixes)
        print(
            f"\nNoise: an fmix64 took {least:.2f} to {most:.2f} ns ({results.mixes[0]:.2f} at the beginning,"
            f" {results.mixes[-1]:.2f} at the end), {most / least:.2f}x."
        )
        if most > 1.15 * least:
            print(
                "The machine changed its speed: only ratios within a case count, and none closer than 1.15x."
            )
    print(f"\nWritten: {' and '.join(os.path.relpath(path) for path in files)}")


def main() -> None:
    if len(sys.argv) != 2:
        stop("expected one folder: run.py OUT")
    out = pathlib.Path(sys.argv[1]).resolve()
    folder = out / "bench"
    how, only, began = mode(), chosen(), time.monotonic()
    about = list(machine_lines())
    print(*about, sep="\n", flush=True)
    results = Results()
    files = [folder / "results.tsv", folder / "results.html"]
    try:
        measure_core(folder, how, only, results)
        if not only or "text" in only:
            table = Table()
            time_text(out, table, how.text_bytes, how.text_rounds)
            results.text = text_rows(table.rows)
    finally:
        results.save(files[0], targets())
        about.append(
            f"BENCH={how.name}, {(time.monotonic() - began) / 60:.1f} minutes, "
            f"{time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime())}"
        )
        write_page(files[1], results, about)
    say_end(results, files)


if __name__ == "__main__":
    main()
