"""What a run found: rows of numbers, printed on the terminal and kept as a file of fields separated by tabs."""

from __future__ import annotations

import pathlib
from dataclasses import astuple, dataclass, field, fields

from cases import Case
from targets import USUAL_MIX, Spot, Target

OPERATIONS = ("add", "hit", "miss", "ask")
MEASURED = "bloom", "count-min", "hll", "top"  # of a workload the kind that others are compared with


@dataclass
class Row:
    """One line of results.tsv; README.md says what the columns are."""

    part: str
    what: str
    keys: str = ""
    n: str = ""
    threads: str = ""
    operation: str = ""
    contestant: str = ""
    best: str = ""
    worst: str = ""
    unit: str = ""
    rounds: str = ""
    per_limit: str = ""
    per_ours: str = ""
    target: str = ""
    met: str = ""
    note: str = ""


@dataclass
class Series:
    """What one contestant took for one operation of a case, round by round."""

    group: str
    times: list[float] = field(default_factory=list)
    note: str = ""

    @property
    def best(self) -> float:
        return min(self.times)


def digits(value: float) -> str:
    """Three that count, or all before the point."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


class Results:
    """All measurements of a run by case and operation, and the rows of other parts."""

    def __init__(self) -> None:
        self.found: dict[tuple[Case, str], dict[str, Series]] = {}
        self.mixes: list[float] = []
        self.machine: dict[str, list[float]] = {}
        self.text: list[Row] = []
        self.left_out: list[tuple[str, str]] = []

    def put(self, case: Case, operation: str, name: str, group: str, value: float, note: str) -> None:
        """A measurement of one round."""
        series = self.found.setdefault((case, operation), {}).setdefault(name, Series(group))
        series.times.append(value)
        series.note = note

    def limit_of(self, case: Case, operation: str) -> Series | None:
        return next((s for s in self.found[case, operation].values() if s.group == "limits"), None)

    def ours_of(self, case: Case, operation: str) -> Series | None:
        found = self.found[case, operation]
        return next((found[name] for name in MEASURED if name in found), None)

    def measured_rows(self) -> list[Row]:
        """A row for each contestant, case and operation."""
        rows = []
        for (case, operation), contestants in self.found.items():
            limit, ours = self.limit_of(case, operation), self.ours_of(case, operation)
            for name, series in contestants.items():
                per = [digits(series.best / other.best) if other else "" for other in (limit, ours)]
                rows.append(
                    Row(
                        "core",
                        case.workload,
                        case.form,
                        str(case.count),
                        str(case.threads),
                        operation,
                        name,
                        digits(series.best),
                        digits(max(series.times)),
                        "ns",
                        str(len(series.times)),
                        per[0],
                        per[1],
                        note=series.note,
                    )
                )
        return rows

    def machine_rows(self) -> list[Row]:
        """What the machine can do, and how far it changed its speed meanwhile."""
        rows = [
            Row(
                "machine",
                "memory, 64 bytes after 64",
                operation=name,
                contestant="limits",
                best=digits(min(times)),
                worst=digits(max(times)),
                unit="ns",
                rounds=str(len(times)),
            )
            for name, times in self.machine.items()
        ]
        if self.mixes:
            first, last = self.mixes[0], self.mixes[-1]
            rows.append(
                Row(
                    "machine",
                    "fmix64 in L1, before every round",
                    operation="mix",
                    contestant="limits",
                    best=digits(min(self.mixes)),
                    worst=digits(max(self.mixes)),
                    unit="ns",
                    rounds=str(len(self.mixes)),
                    note=f"{digits(first)} at the beginning, {digits(last)} at the end",
                )
            )
        return rows

    def value(self, spot: Spot) -> tuple[str, float] | None:
        """Who was the fastest of those named, and how fast."""
        found = self.found.get((spot.case, spot.operation), {})
        there = [(found[name].best, name) for name in spot.names if name in found]
        return (min(there)[1], min(there)[0]) if there else None

    def reported_beside(self, target: Target) -> str:
        """What others gain where the target is one of gaining."""
        words = ""
        for name, slow, fast in target.beside:
            one, other = self.value(slow), self.value(fast)
            if one and other:
                words += f"; {name} {digits(one[1] / other[1])}x"
        return words

    def target_row(self, target: Target) -> Row | None:
        """Nothing if a part of it was not measured."""
        ours = self.value(target.ours)
        if ours is None:
            return None
        bound = target.at_most if target.at_most is not None else target.at_least
        assert bound is not None
        note, unit = "", "x"
        if target.other is None:
            unit, ratio = "ns", ours[1]
            scale = max(1.0, min(self.mixes) / USUAL_MIX)
            note = f"for {bound:g} where fmix64 takes {USUAL_MIX}; here {digits(min(self.mixes))}"
            bound *= scale
        else:
            other = self.value(target.other)
            if other is None:
                return None
            ratio = other[1] / ours[1] if target.at_most is None else ours[1] / other[1]
            note = f"{digits(ours[1])} ns; {other[0]} {digits(other[1])} ns" + self.reported_beside(target)
        good = ratio >= bound if target.at_most is None else ratio <= bound
        return Row(
            "target",
            target.what,
            best=digits(ratio),
            unit=unit,
            note=note,
            target=f"{'>=' if target.at_most is None else '<='} {digits(bound)}",
            met="yes" if good else "no",
        )

    def target_rows(self, targets: list[Target]) -> list[Row]:
        return [row for row in map(self.target_row, targets) if row is not None]

    def rows(self, targets: list[Target]) -> list[Row]:
        """Everything, in the order of the file."""
        missing = [Row("left out", who, note=why) for who, why in self.left_out]
        return [*self.machine_rows(), *self.measured_rows(), *self.text, *self.target_rows(targets), *missing]

    def save(self, path: pathlib.Path, targets: list[Target]) -> None:
        lines = [[f.name for f in fields(Row)], *map(astuple, self.rows(targets))]
        path.write_text("".join("\t".join(line) + "\n" for line in lines), encoding="utf-8")


def text_rows(rows: list[tuple[str, ...]]) -> list[Row]:
    """Those of a measure.Table."""
    made = []
    for part, what, best, worst, unit, goal in rows:
        bound = float(goal.split()[1]) if goal else 0
        good = goal and (float(best) <= bound if goal.startswith("<=") else float(best) >= bound)
        made.append(
            Row(
                "text",
                f"{part}: {what.strip()}",
                best=best,
                worst=worst,
                unit=unit,
                target=goal,
                met="" if not goal else "yes" if good else "no",
            )
        )
    return made
