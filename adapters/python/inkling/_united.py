"""Sketches that answer a question, united by group: of files, and over the time slots of each."""

from __future__ import annotations

from contextlib import ExitStack
from ctypes import byref, c_void_p
from typing import Any, Literal

from ._jobs import _merged_path, _several, _told
from ._library import (
    ASK_COUNT,
    ASK_DISTINCT,
    ASK_TOP,
    InkInput,
    InkUniteOptions,
    lib,
    secret_bytes,
    text_bytes,
    whole,
)
from ._reading import Run, chosen
from ._sketches import Sketches, file_of_set

__all__ = ["Question", "unite"]

Question = Literal["count", "top", "distinct"]
_QUESTIONS = {"count": ASK_COUNT, "top": ASK_TOP, "distinct": ASK_DISTINCT}


def unite(
    sketches: Any,
    question: Question,
    *,
    kind: str | None = None,
    last: int | None = None,
    secret: bytes | None = None,
) -> Sketches:
    """The sketches that answer a question, of one kind, which `kind` may choose: one for each group.

    `sketches` are a path, Sketches or a Sketch, or several of them; of groups with time slots `last` takes
    the newest so many.

    >>> import inkling
    >>> united = unite(inkling.build(b"ant\\nbee\\nant\\n", "top,hll"), "count")
    >>> united.kinds, float(united.sketch().count("ant"))
    (('top',), 2.0)
    """
    items = _several(sketches)
    known = [item._secret for item in items if isinstance(item, Sketches) and item._secret is not None]
    key = secret_bytes(secret) if secret is not None else known[0] if known else None
    how = InkUniteOptions(
        question=chosen("question", question, _QUESTIONS),
        kind=None if kind is None else text_bytes("kind", kind),
        last=0 if last is None else whole("last", last),
        secret=key,
    )
    made, run = c_void_p(), Run()
    with ExitStack() as stack:
        paths = [_merged_path(item, stack) for item in items]
        inputs = (InkInput * len(paths))(*(InkInput(path=path) for path in paths))
        stack.callback(lib.ink_set_free, made)
        status = run.status(lib.ink_unite_files, byref(made), inputs, len(paths), byref(how), keep=(inputs,))
        numbers = range(1, len(paths) + 1)
        run.check(status, names={path: _told(*told) for path, *told in zip(paths, items, numbers)})
        file, held = file_of_set(made)
    return Sketches._of_file(file, held=held, secret=key)
