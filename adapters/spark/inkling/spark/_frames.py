"""DataFrames as what maps read: every partition of one is a task."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow
from pyspark.sql import DataFrame

from inkling.pieces import Job

from ._exchange import LIMIT_BYTES, SCHEMA, Row, collect
from ._session import size_estimate
from ._ship import task

__all__ = ["FrameSource", "Map"]

#: What a task does with the batches of its partition.
Map: TypeAlias = Callable[[Iterator[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]


@dataclass(frozen=True)
class FrameSource(ABC):
    """A ``Source`` whose data is a DataFrame; what its rows mean is up to the map."""

    df: DataFrame

    @abstractmethod
    def function(self, job: Job, count: bool, limit: int | None) -> Map:
        """The map of a partition, which sends at most `limit` bytes, if there is one."""

    @property
    def bytes(self) -> int | None:
        return size_estimate(self.df)

    @property
    def partitions(self) -> int:
        return _partitions_of(self.df)

    def rows(self, job: Job, *, count: bool = False) -> DataFrame:
        return self._mapped(self.function(job, count, None))

    def collected(self, job: Job, *, count: bool = False) -> Iterable[Row]:
        return collect(self._mapped(self.function(job, count, LIMIT_BYTES)))

    def _mapped(self, function: Map) -> DataFrame:
        return self.df.mapInArrow(task(self.df.sparkSession, function), SCHEMA)


def _partitions_of(df: DataFrame) -> int:
    """How many partitions a DataFrame has, or, where Spark decides that on the way, will have at most."""
    spark = df.sparkSession
    plan = df._jdf.queryExecution().executedPlan()
    if plan.getClass().getSimpleName() == "AdaptiveSparkPlanExec":
        return int(spark.conf.get("spark.sql.shuffle.partitions") or 1)
    return int(plan.execute().getNumPartitions())
