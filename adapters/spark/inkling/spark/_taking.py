"""One batch of a stream after another, taken into the state: built, merged, saved."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame

from inkling import WHOLE, BuildReport, Group, PromiseWarning, Sketch
from inkling.pieces import Job

from ._build import Rows, build_from, chosen_rows
from ._exchange import SMALL_BYTES, Traffic
from ._results import SparkSketches
from ._state import COLUMNS, Counted, Label, Position, State, StateFolder, entries_of, merge_states
from ._windows import SLOT_COLUMN, Window, quoted, rows_in, slot_and_group

__all__ = ["Keeper", "PromiseWarning", "BuildSpec"]


# ---- What is built of a batch ---------------------------------------------------------------------


class _BatchRows(Rows):
    """The rows of a batch: few, where Spark has no idea how many. If they are not, the build notices."""

    @property
    def bytes(self) -> int:
        known = super().bytes
        return SMALL_BYTES if known is None else known


@dataclass(frozen=True)
class BuildSpec:
    """What is built of every batch."""

    kinds: tuple[str, ...]
    key: tuple[str, ...]
    by: str | None
    window: Window | None
    options: Mapping[str, Any]
    """Of ``build``."""

    @property
    def columns(self) -> tuple[tuple[str, str], ...]:
        """What rows are taken by, as a state keeps it."""
        given = {
            "by": self.by,
            **self.options,
            "time": None if self.window is None else self.window.time,
        }
        others = [(name, str(given[name])) for name in COLUMNS if given.get(name) is not None]
        return (*(("key", name) for name in self.key), *others)

    def build(self, batch: DataFrame, before: int | None) -> tuple[dict[Label, Sketch], Counted]:
        """The sketches of a batch, where `before` was the latest time of a row until now."""
        if self.window is None:
            made, report = self._made(batch, self.by)
            return entries_of(made), Counted(records=report.records, nulls=report.nulls)
        held = batch.select(*self._columns(self.window)).persist()  # which is looked at several times
        try:
            return self._build_slots(held, self.window, before)
        finally:
            held.unpersist()

    def job(self, frame: DataFrame, by: str | None) -> tuple[Rows, Job, Traffic]:
        """What is read of rows and made of it, with groups of this column; raises what is wrong with that."""
        options = dict(self.options)
        traffic = Traffic(options.pop("piece_bytes", None), options.pop("slice_bytes", None))
        rows = chosen_rows(frame, list(self.key), by, options.pop("weight", None))
        job = Job(self.kinds, **rows.names, threads=options.pop("threads", None) or 1, **options)
        return rows, job.for_rows(rows.schema), traffic

    def _made(self, frame: DataFrame, by: str | None) -> tuple[SparkSketches, BuildReport]:
        rows, job, traffic = self.job(frame, by)
        made = build_from(frame.sparkSession, _BatchRows(rows.df, rows.names), job, traffic, part=True)
        assert made.built is not None
        return made, made.built

    def _columns(self, window: Window) -> list[str]:
        others = (window.time, self.by, self.options.get("weight"))
        names = [*self.key, *(name for name in others if name is not None)]
        return [quoted(name) for name in dict.fromkeys(names)]

    def _build_slots(
        self, batch: DataFrame, window: Window, before: int | None
    ) -> tuple[dict[Label, Sketch], Counted]:
        rows = rows_in(window, batch, self.by, before)
        made, report = self._made(rows.frame, SLOT_COLUMN)
        group_type = None if self.by is None else batch.schema[self.by].dataType
        sketches: dict[Label, Sketch] = {}
        for (kind, label, _), sketch in entries_of(made).items():
            slot, group = slot_and_group(label, group_type)
            sketches[kind, group, slot] = sketch
        nulls = report.nulls + rows.untimed
        return sketches, Counted(records=report.records, nulls=nulls, late=rows.late, newest=rows.newest)


# ---- Filters with more keys than planned ----------------------------------------------------------


def _overfull(sketches: Mapping[Label, Sketch], changed: Iterable[Label]) -> Iterator[tuple[str, Group, str]]:
    """Of the groups that changed, the filters whose rate is above their promise, and a line about each.

    The slots of a group are looked at together, as questions do. Only filters with more records than keys
    that they were planned for are measured: those with fewer keep what they promise."""
    groups: dict[tuple[str, Group], list[Sketch]] = {(kind, group): [] for kind, group, _ in changed}
    for (kind, group, _), sketch in sketches.items():
        if (kind, group) in groups:
            groups[kind, group].append(sketch)
    for (kind, group), slots in groups.items():
        about = [sketch.info for sketch in slots]
        if not about or not about[0].promised_rate:
            continue
        planned, promised = about[0].keys or 0, about[0].promised_rate
        if sum(one.records for one in about) > planned and (union := _union(slots)).overfull:
            rate = union.rate
            whose = "" if group is WHOLE else f" of group {group!r}"
            yield kind, group, (
                f"the {kind}{whose} is wrong at a rate of {rate:.3g} now, above the {promised:.3g} promised "
                f"for {planned:,} keys: expected n as large as the different keys of the stream, or of the "
                "window"
            )


def _union(slots: list[Sketch]) -> Sketch:
    if len(slots) == 1:
        return slots[0]
    union = slots[0].copy()
    for slot in slots[1:]:
        union.merge(slot, parts=True)
    return union


# ---- Taking batches -------------------------------------------------------------------------------


class Keeper:
    """Takes batches into the state of a folder, which it holds until it is closed."""

    def __init__(
        self, folder: StateFolder, state: State, spec: BuildSpec, query_id: Callable[[], str]
    ) -> None:
        #: What is built of a batch.
        self.spec = spec
        self._held = folder
        self._state = state
        self._query_id = query_id
        self._turn = threading.Lock()
        #: A line about every filter that is above its promise, by kind and group.
        self.overfull: dict[tuple[str, Group], str] = {}

    @property
    def position(self) -> Position:
        """How far the stream has been taken in."""
        return self._state.position

    @property
    def folder(self) -> Path:
        """Where the state is."""
        return self._held.path

    def take(self, batch: DataFrame, number: int) -> None:
        """Takes a batch in, unless it is in the state already; what Spark calls for each."""
        query = self._query_id()
        if self.position.is_next(query, number, str(self._held.file)):
            self._take_next(batch, number, query)

    def _take_next(self, batch: DataFrame, number: int, query: str) -> None:
        built, counted = self.spec.build(batch, self.position.newest)
        position = self.position.moved(query, number, counted)
        sketches = merge_states(entries_of(self._state.sketches), built)
        if self.spec.window is not None:
            sketches = self.spec.window.kept(sketches, position.newest)
        with self._turn:  # the folder must not be released meanwhile
            self._held.commit(sketches, position)
            self._state = self._held.read() or self._state
        self._warn(sketches, built)

    def _warn(self, sketches: Mapping[Label, Sketch], changed: Iterable[Label]) -> None:
        found = {(kind, group): line for kind, group, line in _overfull(sketches, changed)}
        new = [line for which, line in found.items() if which not in self.overfull]
        self.overfull.update(found)
        if new:
            others = f" (and {len(new) - 1} more)" if len(new) > 1 else ""
            warnings.warn(new[0] + others, PromiseWarning, stacklevel=2)

    def close(self) -> None:
        """Lets the folder go: nothing is taken in any more."""
        with self._turn:
            self._held.close()
