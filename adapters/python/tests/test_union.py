"""Sketches that answer a question, merged: one kind, a sketch for each group, from any source."""

from __future__ import annotations

import pathlib

import pytest

import inkling

PAGES = b"ann,a\nbob,a\nann,b\nann,a\n"


def pages(kind: str = "top,hll,count-min") -> inkling.Sketches:
    return inkling.build(PAGES, kind, format="csv", key=1, by=2)


@pytest.mark.parametrize(
    ("question", "kinds"), [("count", ("count-min",)), ("top", ("top",)), ("distinct", ("hll",))]
)
def test_the_kind_that_answers(question: str, kinds: tuple[str, ...]) -> None:
    union = inkling.union(pages(), question)  # type: ignore[arg-type]
    assert union.kinds == kinds and list(union) == ["a", "b"]


def test_files_are_merged_by_group(tmp_path: pathlib.Path) -> None:
    pages("top").save(tmp_path / "pages.ink")
    more = inkling.build(b"ann,b\neve,c\n", "top", format="csv", key=1, by=2)
    union = inkling.union([tmp_path / "pages.ink", more], "count")
    assert {group: float(union[group].count("ann")) for group in union} == {"a": 2.0, "b": 2.0, "c": 0.0}


def test_one_sketch_and_a_choice() -> None:
    one = inkling.Sketch("count-min").add(["ann", "ann"])
    assert float(inkling.union(one, "count").sketch().count("ann")) == 2.0
    assert inkling.union(pages(), "count", kind="top").kinds == ("top",)


def test_a_secret_goes_along() -> None:
    secret = b"sixteen bytes ok"
    keyed = inkling.build(b"ann\n", "top", secret=secret).to_bytes()
    for union in (
        inkling.union(inkling.Sketches.from_bytes(keyed, secret=secret), "count"),
        inkling.union(inkling.Sketches.from_bytes(keyed), "count", secret=secret),
    ):
        assert float(union.sketch().count("ann")) == 1.0


def test_errors(tmp_path: pathlib.Path) -> None:
    with pytest.raises(inkling.UnsupportedError, match="number 1 .*: the file holds bloom, expected top"):
        inkling.union(pages("bloom"), "top")
    with pytest.raises(inkling.UsageError, match="bloom cannot count keys, expected count-min, top or counting"):
        inkling.union(pages(), "count", kind="bloom")
    with pytest.raises(FileNotFoundError, match="nowhere.ink"):
        inkling.union(tmp_path / "nowhere.ink", "count")
