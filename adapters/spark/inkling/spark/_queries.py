"""A streaming query whose batches go to a function of ours, and that fails with what this failed with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from inkling import InklingError, UsageError

from ._session import raising_task_errors
from ._ship import context_of

__all__ = ["Query", "Trigger", "refuse_still"]

#: When batches are made: at an interval ("10 seconds"), or as the options of DataStreamWriter.trigger say.
Trigger: TypeAlias = str | Mapping[str, Any]


class Query:
    """A query that runs; ``query`` is Spark's own handle of it."""

    query: StreamingQuery

    def __init__(
        self,
        frame: DataFrame,
        each: Callable[[DataFrame, int], object],
        *,
        checkpoint: str | None,
        trigger: Trigger | None,
        name: str | None,
    ) -> None:
        """Starts it: `each` gets one batch after another, with its number."""
        self._each = each
        self._failure: InklingError | None = None
        writer = _triggered(frame.writeStream.foreachBatch(self._take), trigger)
        if name is not None:
            writer = writer.queryName(name)
        if checkpoint is not None:
            writer = writer.option("checkpointLocation", checkpoint)
        self.query = writer.start()

    def _take(self, batch: DataFrame, number: int) -> None:
        try:
            with raising_task_errors():
                self._each(batch, number)
        except InklingError as failure:
            self._failure = failure
            raise

    def _ended(self) -> None:
        """The query has ended; for holders of its resources."""

    @property
    def id(self) -> str:
        """The id of the query, which stays the same when it is started again from its checkpoint."""
        return str(self.query.id)

    @property
    def name(self) -> str | None:
        """The name of the query, or None."""
        return self.query.name

    @property
    def isActive(self) -> bool:
        """Whether the query runs."""
        return self.query.isActive

    def awaitTermination(self, timeout: int | None = None) -> bool | None:
        """Waits until the query ends, or for `timeout` seconds; raises what it failed with.

        With a timeout it returns whether the query has ended."""
        with self._failing():
            ended = self.query.awaitTermination(timeout)
        if timeout is None or ended:
            self._ended()
        return ended

    def processAllAvailable(self) -> None:
        """Waits until all rows that are there now have been taken; raises what the query failed with."""
        with self._failing():
            self.query.processAllAvailable()

    def exception(self) -> Exception | None:
        """What the query failed with, or None."""
        error = self.query.exception()
        return error if error is None or self._failure is None else self._failure

    def stop(self) -> None:
        """Stops the query."""
        self.query.stop()
        self._ended()

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Raises what a batch failed with, of which Spark has only the text of a traceback."""
        try:
            yield
        except Exception as error:
            self._ended()
            if self._failure is not None:
                raise self._failure from error
            raise


def _triggered(writer: DataStreamWriter, trigger: Trigger | None) -> DataStreamWriter:
    if trigger is None:
        return writer
    if isinstance(trigger, str):
        return writer.trigger(processingTime=trigger)
    if isinstance(trigger, Mapping):
        return writer.trigger(**trigger)
    given = type(trigger).__name__
    raise TypeError(f"trigger of type {given}, expected such as '10 seconds' or {{'availableNow': True}}")


def refuse_still(frame: DataFrame) -> None:
    """Refuses what is no DataFrame, one that is no stream, and one of Spark Connect."""
    if not isinstance(frame, DataFrame):
        raise TypeError(f"a stream of type {type(frame).__name__}, expected a DataFrame of spark.readStream")
    context_of(frame.sparkSession)
    if not frame.isStreaming:
        raise UsageError("a DataFrame that is no stream, expected one of spark.readStream")
