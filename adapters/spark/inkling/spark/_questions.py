"""Questions about a stream: a second stream, answered from the state that the first one keeps.

A batch of questions is answered from one state, the last that was committed when the batch began. It goes to
the nodes as a broadcast, and is given up when a newer one replaces it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from pyspark import Broadcast
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from inkling import NotFoundError, Sketches, UsageError, kind_info

from ._asking import frequency_column, membership_column
from ._fitting import column_names
from ._queries import Query, Trigger, refuse_still
from ._state import State, folder_path, read_state

__all__ = ["Sink", "ask"]

#: Takes the answers to one batch of questions, and the number of the batch.
Sink: TypeAlias = Callable[[DataFrame, int], object]

# No value that Spark carries is larger.
_PIECE_BYTES = 64 << 20


# ---- A state on every node ------------------------------------------------------------------------


@dataclass(frozen=True)
class Shipped:
    """A state that the nodes have: what a task gets, to open it."""

    digest: str
    pieces: tuple[Broadcast[bytes], ...]
    secret: bytes | None = field(default=None, repr=False)

    def sketches(self) -> Sketches:
        """The sketches, opened once by this process, which keeps them until it is asked for others."""
        if self.digest not in _opened:
            whole = b"".join(piece.value for piece in self.pieces)
            _opened.clear()
            _opened[self.digest] = Sketches.from_bytes(whole, secret=self.secret)
        return _opened[self.digest]


_opened: dict[str, Sketches] = {}


class _Shipping:
    """Sends states to the nodes, one at a time: the one before is given up when the next goes."""

    def __init__(self) -> None:
        self._sent: Shipped | None = None

    def send(self, spark: SparkSession, sketches: Sketches) -> Shipped:
        digest = sketches.digest
        if self._sent is None or self._sent.digest != digest:
            self.give_up()
            whole = memoryview(sketches.to_bytes())
            starts = range(0, len(whole), _PIECE_BYTES)
            pieces = [spark.sparkContext.broadcast(bytes(whole[at : at + _PIECE_BYTES])) for at in starts]
            self._sent = Shipped(digest, tuple(pieces), sketches.secret)
        return self._sent

    def give_up(self) -> None:
        """Frees what the nodes hold, when no query asks it any more."""
        if self._sent is not None:
            for piece in self._sent.pieces:
                piece.destroy()
            self._sent = None


# ---- The question ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Question:
    """What is asked of each row, for any state at the time."""

    folder: Path
    key: tuple[str, ...]
    by: str | None
    kind: str | None
    last: int | None
    answer: str | None
    secret: bytes | None = field(repr=False)

    def state(self) -> State:
        """The last state that was committed."""
        state = read_state(self.folder, secret=self.secret)
        if state is None:
            raise NotFoundError("no state.ink, expected the state_dir of a stream", path=str(self.folder))
        return state

    def kind_in(self, state: State) -> str:
        """The kind of sketches that is asked: the one that was chosen, or the one that answers best."""
        kinds, where = state.position.kinds, str(self.folder)
        if self.kind is not None and self.kind not in kinds:
            raise UsageError(f"kind {self.kind}, expected one of {', '.join(kinds)}", path=where)
        asked = kinds if self.kind is None else (self.kind,)
        for question in ("member", "count"):
            ranks = {kind: kind_info(kind).ranks[question] for kind in asked}
            best = [kind for kind in asked if ranks[kind] == max(ranks.values()) > 0]
            if len(best) > 1:
                raise UsageError(f"a state of {', '.join(best)}, expected kind=, one of these", path=where)
            if best:
                return best[0]
        raise UsageError(
            f"a state of {', '.join(asked)}, expected a filter or a kind that counts; ink.state has what "
            "these answer",
            path=where,
        )

    def column(self, spark: SparkSession, state: State, shipping: _Shipping) -> Column:
        """The answer for each row, from this state; before the first batch nothing was seen."""
        kind = self.kind_in(state)
        member = kind_info(kind).contains
        if not len(state.sketches):
            none = F.struct(*(F.lit(0.0).alias(name) for name in ("estimate", "low", "high")))
            return (F.lit(False) if member else none).alias(self.name_for(kind))
        asked = membership_column if member else frequency_column
        column = asked(
            spark, state.sketches, list(self.key), by=self.by, kind=kind, last=self.last, send=shipping.send
        )
        return column.alias(self.name_for(kind))

    def name_for(self, kind: str) -> str:
        """What the column of answers is called."""
        return self.answer or ("maybe" if kind_info(kind).contains else "count")


class _Questions(Query):
    """A query that answers questions; ``ask`` starts one. ``query`` is Spark's own handle of it."""

    def __init__(
        self,
        frame: DataFrame,
        question: _Question,
        sink: Sink,
        *,
        checkpoint: str | None,
        trigger: Trigger | None,
        name: str | None,
    ) -> None:
        self._question = question
        self._sink = sink
        self._shipping = _Shipping()
        super().__init__(frame, self._answer, checkpoint=checkpoint, trigger=trigger, name=name)

    def _answer(self, batch: DataFrame, number: int) -> None:
        column = self._question.column(batch.sparkSession, self._question.state(), self._shipping)
        self._sink(batch.select("*", column), number)

    def _ended(self) -> None:
        self._shipping.give_up()


def ask(
    questions: DataFrame,
    state_dir: str | os.PathLike[str],
    *,
    key: str | Sequence[str],
    sink: Sink,
    by: str | None = None,
    kind: str | None = None,
    last: int | None = None,
    answer: str | None = None,
    secret: bytes | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    trigger: Trigger | None = None,
    name: str | None = None,
) -> Query:
    """Answers a stream of questions from the state that ``stream`` keeps: starts a query, and gives its
    handle.

    For each batch of questions `sink` is called with a DataFrame, the questions with a column of answers
    more, and the number of the batch. All of its rows are answered from one state, the last that was
    committed when the batch began; the DataFrame is good during the call. The answer to a filter is a
    boolean, `maybe`: false is certain. Kinds that count (count-min, top) answer with a struct `count` of
    estimate, low and high. `answer` gives the column another name.

    `key` names the column of keys, or several that make a tuple; a key may be in any group, or with `by`, a
    column, in the row's own. `kind` chooses where the state has several, and of a window `last` is
    how many of the newest slots to ask. As always with foreachBatch, a batch comes again if the driver died
    in the middle of it, under the same number. Without `checkpoint` a new query begins with the first question.

    >>> ink.ask(ips, "state", key="ip", sink=lambda df, batch: df.where("maybe").show())     # doctest: +SKIP
    """
    refuse_still(questions)
    if not callable(sink):
        raise TypeError(
            f"sink of type {type(sink).__name__}, expected a function of a DataFrame and a number"
        )
    names = column_names(questions, "key", key)
    group = None if by is None else column_names(questions, "by", by)[0]
    question = _Question(folder_path(state_dir), names, group, kind, last, answer, secret)
    called = question.name_for(question.kind_in(question.state()))
    if called in questions.columns:
        raise UsageError(f"the questions have a column {called!r} already, expected answer=, another name")
    where = None if checkpoint is None else os.fspath(checkpoint)
    return _Questions(questions, question, sink, checkpoint=where, trigger=trigger, name=name)
