"""Runs the examples in the docstrings of the package, each docstring as a test of its own."""

from __future__ import annotations

import doctest
import importlib
import pathlib
import pkgutil

import pytest

import inkling

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def every_example() -> list[doctest.DocTest]:
    names = ["inkling", *(f"inkling.{found.name}" for found in pkgutil.iter_modules(inkling.__path__))]
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [test for name in names for test in finder.find(importlib.import_module(name))]
    return sorted((test for test in found if test.examples), key=lambda test: test.name)


EXAMPLES = every_example()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_the_example_of_a_docstring_shows_what_happens(
    example: doctest.DocTest, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    doctest.DocTestRunner(verbose=False, optionflags=FLAGS).run(example, out=said.append)
    assert not said, "".join(said)


def test_what_people_meet_first_has_an_example() -> None:
    names = {example.name for example in EXAMPLES}
    for name in ("Sketch", "Sketches"):
        owner = getattr(inkling, name)
        prefix = f"{owner.__module__}.{owner.__qualname__}"
        assert any(found.startswith(prefix) for found in names), f"{name} has no example"
