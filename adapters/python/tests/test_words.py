"""Messages of the library in Python's words: no name of C and no option of the command is left in any."""

from __future__ import annotations

import inspect
import os
import re
from pathlib import Path

import pytest

import inkling
from inkling import Sketch, _library, _words
from inkling._words import in_python

SOURCES = sorted(Path(os.environ["INK_SOURCE"], "src").rglob("*.c"))

# A text of C, of which parts may stand one below the other.
_TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s+"(?:[^"\\\n]|\\.)*")*')


def texts() -> list[str]:
    """Every text in the sources that reads like part of a message."""
    found = []
    for path in SOURCES:
        code = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
        for match in _TEXT.finditer(code):
            parts = re.findall(r'"((?:[^"\\\n]|\\.)*)"', match[0])
            found.append("".join(parts).replace('\\"', '"'))
    return [text for text in found if " " in text]


def keywords() -> set[str]:
    """The keywords of all public functions."""
    functions = [getattr(inkling, name) for name in inkling.__all__]
    functions += [method for kind in (Sketch, inkling.Sketches) for method in vars(kind).values()]
    found: set[str] = set()
    for function in functions:
        if inspect.isroutine(function):
            found.update(inspect.signature(getattr(function, "__func__", function)).parameters)
    return found


def test_every_option_that_a_message_names_becomes_a_keyword() -> None:
    named = [text for text in texts() if re.search(r"(?<![\w-])--[a-z]", text)]
    assert len(named) > 10
    known = keywords()
    for text in named:
        said = in_python(text)
        if any(f"--{option}" in text for option in _words.FOREIGN):
            assert said == text
            continue
        assert "--" not in said, said
        options = re.findall(r"--([a-z-]+)", text)
        words = re.findall(r"(?<!\w)([a-z_]+)=", said)
        assert len(words) == len(options) and known.issuperset(words), said


def test_every_field_that_a_message_names_becomes_a_keyword() -> None:
    fields = set(_words.FIELDS.values())
    named = [text for text in texts() if fields.intersection(re.findall(r"\w+", re.sub('".*?"', "", text)))]
    assert len(named) > 10
    for text in named:
        said = re.sub('".*?"', "", in_python(text))
        assert not fields.intersection(re.findall(r"\w+", said)), said


def test_fields_are_those_of_c_and_keywords_those_of_python() -> None:
    fields = {name for struct in (_library.InkParams, _library.InkJob) for name, *_ in struct._fields_}
    assert fields.issuperset(_words.FIELDS.values())
    assert keywords().issuperset(_words.FIELDS) and keywords().issuperset(_words.OPTIONS.values())


def test_no_message_has_a_name_of_c() -> None:
    named = [text for text in texts() if "INK_" in text]
    assert named
    for text in named:
        # INK_CPU is a variable of the environment.
        assert "INK_" not in in_python(text).replace("INK_CPU", ""), text


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ('no column "--key" in "top_keys"', 'no column "--key" in "top_keys"'),
        ("expected_keys 5, expected_keys_of it", "n 5, expected_keys_of it"),
        ("expected one (--by=COL)", "expected one (by=)"),
        ("a column (--key, --by) of records", "a column (key=, by=) of records"),
        ("--in csv, tsv or jsonl", "format= csv, tsv or jsonl"),
        ("(--csv-multiline allows it)", "(csv_multiline= allows it)"),
        ("5--6 and a--b", "5--6 and a--b"),
        ('"usr", expected one of "user", "b"', '"usr", expected one of "user", "b"; did you mean user?'),
        ('"x", expected y', '"x", expected y'),
    ],
)
def test_words(message: str, said: str) -> None:
    assert in_python(message) == said


def test_what_was_meant_is_suggested() -> None:
    with pytest.raises(inkling.UsageError, match='^kind "blom", expected one of .*; did you mean bloom[?]$'):
        Sketch("blom")
    with pytest.raises(inkling.UsageError, match="did you mean count-min[?]$"):
        inkling.plan("count_min")
    with pytest.raises(inkling.UsageError, match='^kind "zzz", expected .* hll$'):
        Sketch("zzz")
    for wrong in ("wieght", "weights"):
        text = f"^add[(][)] got an unexpected keyword argument '{wrong}'; did you mean weight[?]$"
        with pytest.raises(TypeError, match=text):
            Sketch("count-min").add("a", **{wrong: 3})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^add[(][)] got an unexpected keyword argument 'colour'$"):
        Sketch("count-min").add("a", colour=3)  # type: ignore[call-arg]


def test_a_view_says_how_to_get_a_copy(tmp_path: Path) -> None:
    Sketch("hll").add("a").save(tmp_path / "a.ink")
    view = Sketch.open(tmp_path / "a.ink")
    with pytest.raises(inkling.ReadOnlyError) as caught:
        view.add("b")
    assert str(caught.value).endswith("open the file with copy=True, or copy() the sketch")
    assert view.copy().add("b").records == Sketch.open(tmp_path / "a.ink", copy=True).add("b").records == 2
