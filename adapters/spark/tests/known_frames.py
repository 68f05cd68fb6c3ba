"""Small DataFrames of which Spark knows how large they are, as of files; of Python's lists it does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from inkling.spark._build import arrow_schema


def known_frame(spark: SparkSession, rows: Sequence[tuple[Any, ...]], schema: str) -> DataFrame:
    """The DataFrame of these rows."""
    types = StructType.fromDDL(schema)
    fields = arrow_schema(types)
    values = list(zip(*rows)) if rows else [()] * len(fields)
    columns = [pyarrow.array(column, field.type) for column, field in zip(values, fields)]
    return spark.createDataFrame(pyarrow.Table.from_arrays(columns, schema=fields), types)
