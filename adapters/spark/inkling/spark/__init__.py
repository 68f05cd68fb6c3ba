"""Inkling on Spark: sketches of DataFrames and of files, built and asked in C on every node.

>>> import inkling.spark as ink                                       # doctest: +SKIP
>>> filters = ink.build(df, key="tconst", by="rating", p=0.01)        # doctest: +SKIP
>>> filters.save("ratings.ink")                                       # doctest: +SKIP
>>> df.where(ink.might_contain(filters, "tconst"))                    # doctest: +SKIP
"""

from __future__ import annotations

from ._answers import counts, distinct, top
from ._asking import count, might_contain
from ._build import build
from ._join import bloom_join
from ._questions import ask
from ._ship import attach
from ._splits import build_files
from ._sql import contains, jar, register
from ._streaming import Stream, StreamStatus, state, stream
from ._taking import PromiseWarning
from ._verify import verify, verify_files

__all__ = [
    "PromiseWarning",
    "Stream",
    "StreamStatus",
    "ask",
    "attach",
    "bloom_join",
    "build",
    "build_files",
    "contains",
    "count",
    "counts",
    "distinct",
    "jar",
    "might_contain",
    "register",
    "state",
    "stream",
    "top",
    "verify",
    "verify_files",
]
