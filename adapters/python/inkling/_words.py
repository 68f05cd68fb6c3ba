"""How the library's messages read in Python: keywords for its fields and for the command's options.

The library speaks of its own structs (``expected_keys``) and of options (``--in``). Here stands what is
called otherwise in Python, once; everything else has the same name.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

__all__ = ["FIELDS", "in_python", "suggestion"]

#: Keywords that the structs of C call otherwise.
FIELDS = {
    "n": "expected_keys",
    "p": "false_positive_rate",
    "eps": "epsilon",
    "counters": "counter_bits",
    "k": "top_keys",
    "memory": "memory_bytes",
}

#: Options that are called otherwise as keywords; others have underscores for hyphens.
OPTIONS = {"in": "format"}

#: Options of other programs, which messages may name.
FOREIGN = frozenset({"long", "ultra"})

# Names of C, and what it says of its functions.
_PHRASES = {
    "INK_OPEN_COPY": "copy=True",
    "INK_OPEN_LAZY": "lazy=True",
    "INK_OPEN_TRUSTED": "unchecked",
    "INK_KEY_BYTES": "'bytes'",
    "INK_KEY_INT": "'int'",
    "INK_GROUP_BYTES": "that of a name",
    "copy the sketch": "copy() the sketch",
}

_WORDS = {**{field: keyword for keyword, field in FIELDS.items()}, **_PHRASES}
_WORD = re.compile(rf"\b(?:{'|'.join(map(re.escape, _WORDS))})\b")
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*[a-z])\b(?:=[A-Z]+\b)?")
_QUOTED = re.compile(r'("(?:[^"\\]|\\.)*")')
_CHOICE = re.compile(r'"([^"]+)", expected (?:one of )?(\S.*)$')


def in_python(message: str) -> str:
    """A message of the library in Python's words; what stands in quotes is data, and stays.

    >>> in_python('expected_keys 0 in "top_keys", expected more, or --key-type')
    'n 0 in "top_keys", expected more, or key_type='
    >>> in_python('kind "blom", expected one of bloom, classic')
    'kind "blom", expected one of bloom, classic; did you mean bloom?'
    """
    parts = _QUOTED.split(message)
    parts[::2] = [_OPTION.sub(_keyword, _WORD.sub(_said, part)) for part in parts[::2]]
    return _with_hint("".join(parts))


def suggestion(found: str, known: Iterable[str]) -> str:
    """What was perhaps meant, as the end of a message.

    >>> suggestion("wieght", ["key", "weight"])
    '; did you mean weight?'
    """
    close = difflib.get_close_matches(found, known, 1)
    return f"; did you mean {close[0]}?" if close else ""


def _said(match: re.Match[str]) -> str:
    return _WORDS[match[0]]


def _keyword(match: re.Match[str]) -> str:
    name = match[1]
    return match[0] if name in FOREIGN else f"{OPTIONS.get(name, name).replace('-', '_')}="


def _with_hint(message: str) -> str:
    """Where words are listed that were expected, and another was found, the one that is most like it."""
    match = _CHOICE.search(message)
    if match is None:
        return message
    known = [word.strip('"') for word in re.split(r", | or ", match[2])]
    return message if match[1] in known else message + suggestion(match[1], known)
