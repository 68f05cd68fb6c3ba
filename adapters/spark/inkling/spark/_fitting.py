"""Whether source, options, state and checkpoint of a stream fit together, before it starts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import inkling
from inkling import MismatchError, Sketch, UnsupportedError, UsageError

from ._build import column_named
from ._queries import refuse_still
from ._session import errors_of_file
from ._state import Label, Position, State, StateFolder, check_plan, entries_of
from ._taking import BuildSpec
from ._windows import Window

__all__ = [
    "Checkpoint",
    "checked_state",
    "column_names",
    "planned_sketches",
    "refuse_kinds",
    "refuse_source",
]

# ---- What is asked for ----------------------------------------------------------------------------


def refuse_source(train: DataFrame) -> None:
    """UsageError for what is no stream, or one whose batches cannot be read again after a crash."""
    refuse_still(train)
    leaves = train._jdf.queryExecution().analyzed().collectLeaves()
    for number in range(leaves.size()):
        leaf = leaves.apply(number)
        if "Streaming" in leaf.getClass().getSimpleName() and "socket" in leaf.sourceName().lower():
            raise UsageError(
                "a stream from a socket, whose rows are lost if the driver dies, expected a source that can "
                "be read again, as files or Kafka: let the socket's data land in files first"
            )


def column_names(frame: DataFrame, what: str, given: object) -> tuple[str, ...]:
    """The names of one column or several, as the frame has them."""
    names = (given,) if isinstance(given, (str, int)) else tuple(given) if isinstance(given, Sequence) else ()
    if not names:
        raise TypeError(f"{what} {given!r}, expected the name of a column, or several")
    return tuple(column_named(frame, what, name) for name in names)


def refuse_kinds(kinds: Sequence[str], options: Mapping[str, Any], window: Window | None) -> None:
    """UnsupportedError for kinds that take no rows once they are made; UsageError for filters whose size would
    depend on rows that are yet to come."""
    for kind in kinds:
        info = inkling.kind_info(kind)
        if info.made_whole:
            text = f"a stream of {kind}, which never changes, expected bloom, which takes keys as they come"
            raise UnsupportedError(text)
        if info.sized_by_keys and options.get("n") is None and options.get("bits") is None:
            whole = "stream" if window is None else "window"
            raise UsageError(
                f"{kind} without n, expected n, the different keys of the whole {whole}: rows yet to come "
                "cannot be counted (scalable needs no n, but cannot be built in parts)"
            )


def planned_sketches(train: DataFrame, spec: BuildSpec) -> dict[Label, Sketch]:
    """Empty sketches, as every batch will make them; what is wrong with columns or options comes out here."""
    rows, job, _ = spec.job(train, spec.by)
    job.plan(None, 1)
    columns = {option: column for option, column in rows.names.items() if option != "by"}
    sizes = {name: value for name, value in spec.options.items() if name not in (*_OF_BATCHES, *columns)}
    return entries_of(inkling.build(rows.nothing(), spec.kinds, **columns, **sizes))


# Options of groups, and of how a batch is built.
_OF_BATCHES = ("round", "piece_bytes", "slice_bytes", "threads")


# ---- The state and its checkpoint -----------------------------------------------------------------


class Checkpoint:
    """What Spark has noted of a query, in the folder that it keeps for it."""

    def __init__(self, path: str, spark: SparkSession) -> None:
        self.path = path
        self._jvm: Any = spark._jvm
        with errors_of_file(path, "read"):
            folder = self._in("metadata")
            self._files = folder.getFileSystem(spark._jsc.hadoopConfiguration())

    def query(self) -> str | None:
        """The id of the query; None if there is none yet."""
        with errors_of_file(self.path, "read"):
            metadata = self._in("metadata")
            if not self._files.exists(metadata):
                return None
            opened = self._files.open(metadata)
            try:
                text = self._jvm.org.apache.commons.io.IOUtils.toString(opened, "UTF-8")
            finally:
                opened.close()
        return str(json.loads(text)["id"])

    def planned(self) -> int:
        """The last batch that was begun; -1 if none was."""
        return self._last("offsets")

    def done(self) -> int:
        """The last batch that Spark knows is done; -1 if none is."""
        return self._last("commits")

    def _last(self, log: str) -> int:
        """The last batch in a log, which has a file for each."""
        with errors_of_file(self.path, "read"):
            folder = self._in(log)
            if not self._files.exists(folder):
                return -1
            names = [str(entry.getPath().getName()) for entry in self._files.listStatus(folder)]
        return max((int(name) for name in names if name.isascii() and name.isdigit()), default=-1)

    def _in(self, name: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(self.path, name)


def _refuse_strange(state: State, spec: BuildSpec, planned: Mapping[Label, Sketch], path: str) -> None:
    """MismatchError if the state was made with other options than those of now."""
    slot = None if spec.window is None else spec.window.slot
    for was, now in (
        (f"kinds {', '.join(state.position.kinds)}", f"kinds {', '.join(spec.kinds)}"),
        (_slots_text(state.position.slot), _slots_text(slot)),
        (_columns_text(state.position.columns), _columns_text(spec.columns)),
    ):
        if was != now:
            raise MismatchError(
                f"the state has {was}, but {now} are asked for now, expected the options that the stream was "
                "begun with, or an empty state_dir",
                path=path,
            )
    new = {kind: sketch for (kind, _, _), sketch in planned.items()}
    for entry in state.sketches.entries():
        if entry.sketch.kind in new:  # one of each: all of a kind were planned alike
            check_plan(entry.sketch, new.pop(entry.sketch.kind), path)


def _slots_text(slot: int | None) -> str:
    return "no time slots" if slot is None else f"time slots of {slot / 1e6:g} seconds"


def _columns_text(columns: Iterable[tuple[str, str]]) -> str:
    return "columns " + ", ".join(f"{option}={name}" for option, name in columns)


def _first_state(folder: StateFolder, spec: BuildSpec, planned: Mapping[Label, Sketch]) -> State:
    """The state before the first batch, which is saved so that it can be asked: nothing was seen."""
    window = spec.window
    sketches = planned if spec.by is None and window is None else {}
    slot = None if window is None else window.slot
    folder.commit(sketches, Position(kinds=spec.kinds, columns=spec.columns, slot=slot))
    state = folder.read()
    assert state is not None
    return state


def checked_state(
    folder: StateFolder, spec: BuildSpec, planned: Mapping[Label, Sketch], checkpoint: Checkpoint
) -> State:
    """The state to go on from, if it and the checkpoint fit each other and what is asked for."""
    state, query, file = folder.read(), checkpoint.query(), str(folder.file)
    position = Position() if state is None else state.position
    if query is not None:
        position.check_query(query, file)
    elif position.query is not None:
        raise MismatchError(
            f"the state of query {position.query}, but {checkpoint.path} is no checkpoint: it was removed, "
            "expected the checkpoint that the state was made with, or an empty state_dir",
            path=file,
        )
    position.check_batches(checkpoint.done(), checkpoint.planned(), file)
    if state is None or position.batch is None:  # nothing was taken in yet, so other options are fine
        return _first_state(folder, spec, planned)
    _refuse_strange(state, spec, planned, file)
    return state
