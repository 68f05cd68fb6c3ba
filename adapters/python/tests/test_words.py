"""Messages of the library in Python's words: each parameter that one names has its keyword."""

from __future__ import annotations

import inspect
import itertools
from pathlib import Path

import pytest

import inkling
from inkling import Sketch, _library, _words

def keywords() -> set[str]:
    """The keywords of all public functions."""
    functions = [getattr(inkling, name) for name in inkling.__all__]
    functions += [method for kind in (Sketch, inkling.Sketches) for method in vars(kind).values()]
    found: set[str] = set()
    for function in functions:
        if inspect.isroutine(function):
            found.update(inspect.signature(getattr(function, "__func__", function)).parameters)
    return found


def parameters() -> list[str]:
    """The parameters that messages name, as C calls them."""
    return [name.decode() for name in iter(map(_library.lib.ink_parameter_name, itertools.count()).__next__, None)]


#: Parameters that no call of Python has: it gives the value in another way, or not at all.
NOT_HERE = {"estimator", "divisor", "slots", "INK_OPEN_COPY", "skew", "time", "time_unit", "rate"}


def test_every_parameter_has_a_keyword() -> None:
    assert len(parameters()) > 30 and set(_words.WORDS) <= set(parameters())
    known = keywords()
    for name in parameters():
        if name not in NOT_HERE:
            assert _words.WORDS.get(name, name).partition("=")[0] in known, name


def test_fields_are_those_of_c_and_keywords_those_of_python() -> None:
    fields = {name for struct in (_library.InkParams, _library.InkJob) for name, *_ in struct._fields_}
    assert fields.issuperset(_words.FIELDS.values())
    assert keywords().issuperset(_words.FIELDS)


def error_of(message: bytes, *named: tuple[str, int]) -> _library.InkError:
    """A failure whose message names parameters, each from this byte on."""
    error = _library.InkError(message=message, named_count=len(named))
    for at, (name, start) in enumerate(named):
        error.named[at] = (parameters().index(name), start, len(name))
    return error


@pytest.mark.parametrize(
    ("message", "named", "said"),
    [
        (b'no column "--key" in "top_keys"', [], 'no column "--key" in "top_keys"'),
        (b"expected_keys 5, expected_keys_of it", [("expected_keys", 0)], "n 5, expected_keys_of it"),
        (b"a column (key, by) of records", [("key", 10), ("by", 15)], "a column (key=, by=) of records"),
        (b"blanks, form csv", [("blanks", 0), ("form", 8)], "fields=, format= csv"),
        (b"bits \xff", [("bits", 0)], "bits \ufffd"),
        ("\u00e9 phi".encode(), [("phi", 3)], "\u00e9 phi"),
    ],
)
def test_names_stand_where_the_library_marks_them(message: bytes, named: list[tuple[str, int]], said: str) -> None:
    assert _library.message_of(error_of(message, *named)) == said


def test_what_was_meant_is_suggested() -> None:
    with pytest.raises(inkling.UsageError, match='^kind "blom", expected one of .*; did you mean bloom[?]$'):
        Sketch("blom")
    with pytest.raises(inkling.UsageError, match="did you mean count-min[?]$"):
        inkling.plan("count_min")
    with pytest.raises(inkling.UsageError, match='^kind "zzz", expected .* hll, theta'):
        Sketch("zzz")
    with pytest.raises(inkling.UsageError, match="^hash \"xxh4\", expected .*; did you mean xxh64[?]$"):
        Sketch("bloom", n=10, hash="xxh4")
    with pytest.raises(inkling.UsageError, match="did you mean bloom[?]$"):
        inkling.build("a.txt", "blom")
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
    assert str(caught.value).endswith("open the file with copy=True, or copy the sketch")
    assert view.copy().add("b").records == Sketch.open(tmp_path / "a.ink", copy=True).add("b").records == 2
