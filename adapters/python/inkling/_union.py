"""Sketches that answer a question, merged by group: of files, and over the time slots of each."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import byref
from typing import Any, Literal, TypeAlias

from ._library import (
    ASK_COUNT,
    ASK_DISTINCT,
    ASK_TOP,
    InkInput,
    InkUnionOptions,
    lib,
    secret_bytes,
    text_bytes,
    whole,
)
from ._inputs import Run
from ._reading import chosen
from ._sketches import Sketches, listed_sketches, secret_of, union_of

__all__ = ["Question", "union"]

#: What sketches can be merged for: ``union`` chooses the kind that answers it best.
Question: TypeAlias = Literal["count", "top", "distinct"]
_QUESTIONS = {"count": ASK_COUNT, "top": ASK_TOP, "distinct": ASK_DISTINCT}


def union(
    sketches: Any,
    question: Question,
    *,
    kind: str | None = None,
    last: int | None = None,
    secret: bytes | None = None,
) -> Sketches:
    """The sketches that answer a question, of one kind, which `kind` may choose: one for each group.

    `sketches` are a path, Sketches or a Sketch, or several of them, which are merged by group; of groups with
    time slots `last` is the number of newest ones to take. Rates are not looked at. UnsupportedError if there
    is no kind that answers, UsageError if there are two that do it as well and `kind` is not given. `secret`
    is that of keyed files; the result has it, too.

    >>> import inkling
    >>> found = inkling.union(inkling.build(b"ant\\nbee\\nant\\n", "top,hll"), "count")
    >>> found.kinds, found.sketch().count("ant")
    (('top',), 2 (exactly))
    >>> inkling.union(inkling.build(b"ant\\nbee\\nant\\n", "counting,bloom"), "count").kinds
    ('counting',)
    """
    items = listed_sketches(sketches)
    key = secret_of(items) if secret is None else secret_bytes(secret)
    how = InkUnionOptions(
        question=chosen("question", question, _QUESTIONS),
        kind=None if kind is None else text_bytes("kind", kind),
        last=0 if last is None else whole("last", last),
        secret=key,
    )
    run = Run()

    def union_files(made: Any, paths: Sequence[bytes]) -> int:
        inputs = (InkInput * len(paths))(*(InkInput(path=path) for path in paths))
        return run.status(lib.ink_union_files, made, inputs, len(paths), byref(how), keep=(inputs,))

    return union_of(items, run, union_files, key)
