"""Inkling: sketches of data too big to keep.

Have I seen this key, how often, which are the most frequent, how many different ones: in a few megabytes,
with a known error bound, and in one file format for every program.

>>> import inkling
>>> seen = inkling.Sketch("bloom", n=1e6, p=0.01).add(["bee", "ant"])
>>> "bee" in seen, "cow" in seen
(True, False)
>>> seen.save("seen.ink")
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import extend_path
from typing import TYPE_CHECKING, Any

from ._library import __version__

if TYPE_CHECKING:
    from ._answers import Answer, Item, Overlap, Share
    from ._build import Kind, build
    from ._dedup import DedupLevel, DedupReport, dedup
    from ._errors import (
        FileError,
        FormatError,
        InklingError,
        LimitError,
        MismatchError,
        NoGroupError,
        NotFoundError,
        OutOfMemoryError,
        PromiseError,
        PromiseWarning,
        ReadOnlyError,
        Stopped,
        UnsupportedError,
        UsageError,
    )
    from ._info import Info, KindInfo
    from ._jobs import (
        FilterReport,
        UniqReport,
        UpdateReport,
        VerifyResult,
        Verification,
        VerificationSummary,
        add,
        filter,
        generate,
        merge,
        remove,
        uniq,
        verify,
    )
    from ._plan import hashes, kind_info, kinds, plan
    from ._progress import Progress
    from ._reports import BuildReport
    from ._sketch import Sketch
    from ._sketches import WHOLE, Entry, Group, Sketches, open, save
    from ._union import Question, union

# What else is called inkling on the path, as inkling.spark, which has a folder of its own, is a part of this.
__path__ = extend_path(__path__, __name__)

__all__ = [
    "WHOLE",
    "Answer",
    "BuildReport",
    "DedupLevel",
    "DedupReport",
    "Entry",
    "FileError",
    "FilterReport",
    "FormatError",
    "Group",
    "Info",
    "InklingError",
    "Item",
    "Kind",
    "KindInfo",
    "LimitError",
    "MismatchError",
    "NoGroupError",
    "NotFoundError",
    "OutOfMemoryError",
    "Overlap",
    "Progress",
    "PromiseError",
    "PromiseWarning",
    "Question",
    "ReadOnlyError",
    "Share",
    "Sketch",
    "Sketches",
    "Stopped",
    "UniqReport",
    "UnsupportedError",
    "UpdateReport",
    "UsageError",
    "VerifyResult",
    "Verification",
    "VerificationSummary",
    "__version__",
    "add",
    "build",
    "dedup",
    "filter",
    "generate",
    "hashes",
    "kind_info",
    "kinds",
    "merge",
    "open",
    "plan",
    "remove",
    "save",
    "union",
    "uniq",
    "verify",
]

# In which module each name is; it is loaded when the name is first used.
_HOMES = {
    "_answers": "Answer Item Overlap Share",
    "_build": "Kind build",
    "_dedup": "DedupLevel DedupReport dedup",
    "_errors": (
        "FileError FormatError InklingError LimitError MismatchError NoGroupError NotFoundError "
        "OutOfMemoryError PromiseError PromiseWarning ReadOnlyError Stopped UnsupportedError "
        "UsageError"
    ),
    "_info": "Info KindInfo",
    "_jobs": (
        "FilterReport UniqReport UpdateReport VerifyResult Verification VerificationSummary add "
        "filter generate merge remove uniq verify"
    ),
    "_plan": "hashes kind_info kinds plan",
    "_progress": "Progress",
    "_reports": "BuildReport",
    "_sketch": "Sketch",
    "_sketches": "WHOLE Entry Group Sketches open save",
    "_union": "Question union",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name == "options":
        return import_module(".options", __name__)
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
