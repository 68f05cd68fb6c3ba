"""The list of functions is what engines register, and what the document shows."""

from __future__ import annotations

import pathlib
import re

import pytest
from engines import Engine, Refused

ROOT = pathlib.Path(__file__).resolve().parents[3]
LIST = (ROOT / "adapters/sql/function_list.h").read_text(encoding="utf-8")
FUNCTION = re.compile(r'^FUNCTION\(\w+, "(\w+)", (\w+), "([^"]*)", (\w+), (?:NULL|"[\w-]+"),\s*"([^"]*)"\)', re.MULTILINE)
FUNCTIONS = FUNCTION.findall(LIST)
# A value for each argument, by its letter: names of parameters or SQL.
VALUES = {"K": "5", "W": "5", "O": "''", "L": "'x'", "R": "0.5", "N": "5", "P": "'no/such'", "S": "{sketch}"}


def test_the_list_is_read() -> None:
    assert len(FUNCTIONS) == LIST.count("\nFUNCTION(") > 30


@pytest.mark.parametrize(("name", "shape", "forms", "gives", "text"), FUNCTIONS, ids=[row[0] for row in FUNCTIONS])
def test_every_form_is_registered(engine: Engine, name, shape, forms, gives, text) -> None:
    """Each form is called: it answers, or says with its own name what is wrong."""
    sketch = engine.value("SELECT ink_top(5)" if name == "ink_top_keys" else "SELECT ink_bloom(5)")
    for form in forms.split():
        letters = form.replace("-", "").replace("+", "K")
        call = f"{name}({', '.join(VALUES[letter] for letter in letters)})"
        sql = f"SELECT * FROM {call}" if shape == "TABLE" else f"SELECT {call}"
        try:
            engine.rows(sql.format(**engine.words), *[sketch] * letters.count("S"))
        except Refused as refused:
            assert f"{name}: " in str(refused), (call, str(refused))


def test_no_other_form_is_registered(engine: Engine) -> None:
    for call in ("ink_bloom()", "ink_bloom(1, 'n=1', 2, 3)", "ink_contains('a')", "ink_distinct()", "ink_version(1)"):
        with pytest.raises(Refused):
            engine.rows(f"SELECT {call}")


def arguments(forms: str) -> str:
    """The arguments as documents show them: key [, weight] [, options]."""
    names = {"K": "key", "W": "weight", "O": "options", "S": "sketch", "L": "label", "P": "path", "R": "rate", "N": "k"}
    first, last = forms.split()[0], forms.split()[-1]
    if last in ("-", "SS", "K+"):
        return {"-": "", "SS": "a, b", "K+": "key, ..."}[last]
    return ", ".join(names[letter] for letter in first) + "".join(f" [, {names[letter]}]" for letter in last[len(first) :])


def table() -> str:
    """The table of all functions, as it stands in the document."""
    given = {"WHOLE": "integer", "REAL": "number", "BOOLEAN": "boolean", "ROWS": "table"}
    lines = ["| function | gives | |", "|---|---|---|"]
    for name, shape, forms, gives, text in FUNCTIONS:
        what = given.get(gives, gives.lower()) + (" (aggregate)" if shape == "AGGREGATE" else "")
        lines.append(f"| `{name}({arguments(forms)})` | {what} | {text} |")
    return "\n".join(lines) + "\n"


def test_the_document_has_every_function() -> None:
    document = (ROOT / "docs/sql.md").read_text(encoding="utf-8")
    assert table() in document, table()
    named = set(re.findall(r"\b(ink_[a-z_]+)\(", document))
    assert named <= {row[0] for row in FUNCTIONS}, named
