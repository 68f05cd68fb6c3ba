"""What the library's parameters are called in Python, where messages name them.

The library marks the names of parameters in its messages; here stands what is called otherwise in Python, once.
Everything else has the same name.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["FIELDS", "WORDS", "suggestion"]

#: Keywords that the structs of C call otherwise.
FIELDS = {
    "n": "expected_keys",
    "p": "false_positive_rate",
    "eps": "epsilon",
    "counters": "counter_bits",
    "k": "top_keys",
    "memory": "memory_bytes",
}

#: Parameters of records, which messages mention as what could be given.
_OPTIONS = ("delimiter", "header", "key", "key_type", "by", "round", "weight", "time", "time_unit", "group_column",
            "groups")

#: What stands in messages for parameters of the library.
WORDS = {
    **{field: keyword for keyword, field in FIELDS.items()},
    **{name: f"{name}=" for name in _OPTIONS},
    "form": "format=",
    "skip_bad": "bad='skip'",
    "blanks": "fields=",
    "multiline": "csv_multiline=",
    "memory_bytes": "memory=",
    "overwrite": "overwrite=",
    "INK_OPEN_COPY": "copy=True",
}


def suggestion(found: str, known: Iterable[str]) -> str:
    """What was perhaps meant, as the end of a message.

    >>> suggestion("wieght", ["key", "weight"])
    '; did you mean weight?'
    """
    import difflib  # for errors alone

    close = difflib.get_close_matches(found, known, 1)
    return f"; did you mean {close[0]}?" if close else ""
