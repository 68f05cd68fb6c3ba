"""The folder of a stream: one file of sketches, as of the last batch, and the process that may write it.

``state.ink`` is at all times a whole file of sketches. A batch is taken in by one rename, which brings the
sketches and their position in the stream together: no reader ever sees one without the other, and a batch
that comes again, as after a crash, is known by its number.

The position is the file's section 2: pairs of a name and a value, each text ended by a NUL byte, in this
order; a name without a value is left out.

| name | value |
|---|---|
| ``source`` | ``spark``: what numbers the batches |
| ``query`` | the id of the query, as its checkpoint's ``metadata`` has it; none before the first batch |
| ``batch`` | the number of the last batch in the sketches, decimal; none before the first |
| ``kind`` | of the sketches; several times if there are several |
| ``key`` | the column of the key; several times for a tuple |
| ``by``, ``round``, ``weight``, ``time`` | the other columns that rows are taken by; how groups are rounded |
| ``slot`` | how long a time slot is, in microseconds; none without a window |
| ``newest`` | the latest time of a row so far, in microseconds since 1970 UTC |
| ``records`` | rows taken in so far, in all batches |
| ``nulls`` | rows left out because their key, weight or time is null |
| ``late`` | rows left out because they came too late |
"""

from __future__ import annotations

import errno
import fcntl
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import IO, TypeAlias

import inkling
from inkling import WHOLE, FileError, FormatError, Group, MismatchError, Sketch, Sketches, UsageError

from ._results import local_path

__all__ = [
    "COLUMNS",
    "Counted",
    "Label",
    "Position",
    "State",
    "StateFolder",
    "check_plan",
    "entries_of",
    "folder_path",
    "read_state",
    "merge_states",
]

#: What names a sketch in the state: its kind, its group, and the start of its time slot, if it has one.
Label: TypeAlias = tuple[str, Group, int | None]

_SOURCE = "spark"
_FILE = "state.ink"
_LOCK = "lock"


# ---- How far the stream has been read -------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Counted:
    """What was counted in one batch."""

    records: int
    """Rows taken in."""
    nulls: int = 0
    """Rows left out because their key, weight or time is null."""
    late: int = 0
    """Rows left out because they come too late."""
    newest: int | None = None
    """The latest time of a row, in microseconds since 1970 UTC, if times are looked at."""


@dataclass(frozen=True, kw_only=True)
class Position:
    """How far a stream has been read: up to and with one batch of one query."""

    query: str | None = None
    """The id of the query; None before the first batch."""
    batch: int | None = None
    """The last batch in the sketches; None before the first."""
    kinds: tuple[str, ...] = ()
    """Of the sketches."""
    columns: tuple[tuple[str, str], ...] = ()
    """What rows are taken by: ``key``, for a tuple several times, and ``by``, ``round``, ``weight``,
    ``time``, each with the name that was given."""
    slot: int | None = None
    """How long a time slot is, in microseconds; None without a window."""
    newest: int | None = None
    """The latest time of a row so far, in microseconds since 1970 UTC."""
    records: int = 0
    """Rows taken in so far."""
    nulls: int = 0
    """Rows left out because their key, weight or time is null."""
    late: int = 0
    """Rows left out because they came too late."""

    def to_bytes(self) -> bytes:
        """The content of the section, as the module describes it."""
        pairs = [("source", _SOURCE), ("query", self.query), ("batch", self.batch)]
        pairs += [("kind", kind) for kind in self.kinds]
        pairs += self.columns
        pairs += [(name, getattr(self, name)) for name in ("slot", "newest", "records", "nulls", "late")]
        return b"".join(f"{name}\0{value}\0".encode() for name, value in pairs if value is not None)

    @classmethod
    def from_bytes(cls, content: bytes, path: str | None = None) -> Position:
        """Reads what ``to_bytes`` wrote; FormatError, with `path`, if it is anything else."""
        try:
            texts = content.decode("utf-8").split("\0")
            pairs = list(zip(texts[:-1:2], texts[1:-1:2], strict=True))
            position = cls._of_pairs(pairs)
        except ValueError:
            pairs, position = [], cls()
        if position.to_bytes() != content:  # one form, as everywhere in a file
            source = dict(pairs).get("source", "nothing that is known")
            raise FormatError(f"the position of a stream of {source}, expected one of {_SOURCE}", path=path)
        return position

    @classmethod
    def _of_pairs(cls, pairs: list[tuple[str, str]]) -> Position:
        values = dict(pairs)
        numbers = {name: int(values[name]) for name in _NUMBERS if name in values}
        kinds = tuple(value for name, value in pairs if name == "kind")
        columns = tuple(pair for pair in pairs if pair[0] in COLUMNS)
        return cls(query=values.get("query"), kinds=kinds, columns=columns, **numbers)

    def moved(self, query: str, batch: int, counted: Counted) -> Position:
        """The position after one more batch."""
        times = [time for time in (self.newest, counted.newest) if time is not None]
        return replace(
            self,
            query=query,
            batch=batch,
            newest=max(times, default=None),
            records=self.records + counted.records,
            nulls=self.nulls + counted.nulls,
            late=self.late + counted.late,
        )

    def check_query(self, query: str, path: str | None = None) -> None:
        """MismatchError if the state is of another query."""
        if self.query not in (None, query):
            raise MismatchError(
                f"the state of query {self.query}, but the checkpoint is of query {query}: it was replaced, "
                "expected the checkpoint that the state was made with, or an empty state_dir",
                path=path,
            )

    def is_next(self, query: str, batch: int, path: str | None = None) -> bool:
        """Whether this batch comes next; False if it is the last one in the sketches, which may come again.

        MismatchError if the state is of another query, or if any other batch comes."""
        self.check_query(query, path)
        self.check_batches(batch - 1, batch, path)
        return batch != self.batch

    def check_batches(self, done: int, planned: int, path: str | None = None) -> None:
        """MismatchError if a checkpoint that ends with these batches, -1 for none, is of another time.

        Spark plans a batch, hands it over, and notes that it is done: the state ends between the two."""
        last = -1 if self.batch is None else self.batch
        if last < done:
            other, why = done, "rows between are lost"
        elif last > planned:
            other, why = planned, "other rows may come as a batch that is in the state"
        else:
            return
        ends = [f"batch {one}" if one >= 0 else "no batch" for one in (last, other)]
        raise MismatchError(
            f"the state ends with {ends[0]}, but the checkpoint with {ends[1]}: {why}, expected a state and "
            "a checkpoint of one time, or an empty state_dir",
            path=path,
        )


#: The options in ``Position.columns``, in order.
COLUMNS = ("key", "by", "round", "weight", "time")
_NUMBERS = [field.name for field in fields(Position) if field.name not in ("query", "kinds", "columns")]


# ---- The sketches at that position ----------------------------------------------------------------


@dataclass(frozen=True)
class State:
    """The sketches of a stream as they were when its last batch had been taken in."""

    position: Position
    sketches: Sketches
    """The file, which stays good when a newer one replaces it."""


def entries_of(sketches: Sketches | Sketch) -> dict[Label, Sketch]:
    """Every sketch by kind, group and slot."""
    if isinstance(sketches, Sketch):
        return {(sketches.kind, WHOLE, None): sketches}
    return {(sketch.kind, group, slot): sketch for group, slot, sketch in sketches.entries()}


def merge_states(state: Mapping[Label, Sketch], batch: Mapping[Label, Sketch]) -> dict[Label, Sketch]:
    """The sketches of the state and of one more batch: parts of one set that was planned as a whole.

    What both have is a new sketch; the rest stays as it is. MismatchError if the two were planned
    differently, as when options change between two runs."""
    merged = dict(state)
    for label, part in batch.items():
        before = state.get(label)
        if before is None:
            merged[label] = part
        else:
            check_plan(before, part)
            merged[label] = before.copy().merge(part, parts=True)
    return merged


#: What two sketches of one plan have in common, in the words of the options.
_PLANNED = (
    ("key_type", "key_type"), ("hash", "hash"), ("seed", "seed"), ("keyed", "secret"),
    ("secret_check", "a secret of the check value"), ("keys", "n"), ("target_rate", "p"), ("bits", "bits"),
    ("hashes", "hashes"), ("width", "width"), ("depth", "depth"), ("counter_bits", "counters"),
    ("conservative", "conservative"), ("capacity", "k or phi"), ("precision", "precision"),
)  # fmt: skip


def check_plan(before: Sketch, now: Sketch, path: str | None = None) -> None:
    """MismatchError, naming the option, if sketches of one kind were planned differently."""
    old, new = before.info, now.info
    for field, option in _PLANNED:
        if getattr(old, field) != getattr(new, field):
            raise MismatchError(
                f"the state's {old.kind} has {option} {getattr(old, field)}, but {getattr(new, field)} is "
                "asked for now, expected the options that the stream was begun with",
                path=path,
            )


# ---- The folder -----------------------------------------------------------------------------------


class StateFolder:
    """A folder with the state of one stream, held by one query at a time until it is closed.

    It must be on a file system of the driver's machine, or mounted there."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = folder_path(path)
        self.file = self.path / _FILE
        with _named_errors(self.path, "cannot be made"):
            _make_folder(self.path)
        self._lock: IO[str] | None = _locked(self.path)
        for left in self.path.glob(f"{_FILE}.tmp.*"):  # by a process that was killed: no other writes here
            left.unlink(missing_ok=True)

    def read(self) -> State | None:
        """The state of the last batch that was taken in; None if there is none yet."""
        return read_state(self.path)

    def commit(self, sketches: Mapping[Label, Sketch], position: Position) -> None:
        """Replaces the old state by a new one, whole, and on the disk before it returns."""
        if self._lock is None:
            raise ValueError("the state folder is closed")
        entries = [(group, slot, sketch) for (_, group, slot), sketch in sketches.items()]
        inkling.save(self.file, entries, position=position.to_bytes())

    def close(self) -> None:
        """Lets another query have the folder."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def folder_path(path: str | os.PathLike[str]) -> Path:
    """The folder's path; UsageError if it is not on a file system that is mounted here."""
    local = local_path(path)
    if local is None:
        raise UsageError(
            f"state_dir {os.fspath(path)}, expected a folder on a disk of the driver, or mounted there: only "
            "these can be locked and replace a file at once (checkpoint= may be elsewhere)"
        )
    return Path(local).absolute()


def read_state(folder: Path, *, secret: bytes | None = None) -> State | None:
    """The state in a folder, which no process needs to hold; None if there is none.

    Sketches and position are of one moment: they are read from one open file."""
    file = folder / _FILE
    try:
        sketches = inkling.open(file, secret=secret)
    except FileNotFoundError:
        return None
    content = sketches.position
    if content is None:
        raise FormatError("sketches without a position, expected the state of a stream", path=str(file))
    return State(Position.from_bytes(content, str(file)), sketches)


@contextmanager
def _named_errors(path: Path, what: str) -> Iterator[None]:
    """What the system says of a path, in one line."""
    try:
        yield
    except OSError as error:
        number = error.errno or errno.EIO
        raise FileError(f"{what}: {os.strerror(number)}", os_error=number, path=str(path)) from None


def _make_folder(folder: Path) -> None:
    """A state survives a loss of power only if its folder does, and those above that are made for it.

    One that is there may have been left by a driver that was killed right after it had made it. If another
    user made it, we may not be allowed to sync: then that user was to."""
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in made or [folder]:
        try:
            holder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        except PermissionError:
            if made:
                raise
            continue
        try:
            os.fsync(holder)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems cannot sync folders
                raise
        finally:
            os.close(holder)


def _locked(folder: Path) -> IO[str]:
    """The lock file of a folder, locked for as long as it is open, that is, while this process lives."""
    with _named_errors(folder, "cannot be locked"):
        file = open(folder / _LOCK, "a+", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "another process"
            file.close()
            raise UsageError(
                f"in use by {holder}, expected a state_dir that no other query writes", path=str(folder)
            ) from None
        except OSError:
            file.close()
            raise
    file.truncate(0)
    file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
    file.flush()
    return file
