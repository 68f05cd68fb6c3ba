"""dedup: of files what the command does, and of texts what it would remove."""

from __future__ import annotations

import json
import pathlib
import random
from typing import Any

import pytest

import inkling
from conftest import Run
from inkling._dedup import _microseconds

LEVELS: list[dict[str, Any]] = [
    {},
    {"paragraphs": True},
    {"ngrams": 3, "overlap": 0.5, "lower": True},
    {"ngrams": 5, "of_bytes": True},
    {"near": 0.7, "exact": True},
    {"exact": True, "paragraphs": True, "ngrams": 2, "near": 0.9},
]


def words_of(options: dict[str, Any]) -> list[str]:
    """The options of the command."""
    words = []
    for name, value in options.items():
        if name == "ngrams" and options.get("of_bytes"):
            words += ["--bytes", str(value)]
        elif name != "of_bytes":
            words += [f"--{name}"] + ([] if value is True else [str(value)])
    return words


def draw_texts(count: int) -> list[str]:
    source = random.Random(3)
    texts: list[str] = []
    for _ in range(count):
        text = "\n".join(" ".join(source.choices("abcdefghij", k=source.randrange(1, 9))) for _ in range(source.randrange(1, 6)))
        texts.append(source.choice(texts) if texts and source.random() < 0.3 else text)
    return texts


@pytest.fixture
def corpus(tmp_path: pathlib.Path) -> list[str]:
    texts = draw_texts(1500)
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(3):
        lines = [json.dumps({"text": text}) + "\n" for text in texts[500 * number : 500 * (number + 1)]]
        (folder / f"{number}.jsonl").write_text("".join(lines))
    return texts


def files_of(folder: pathlib.Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix == ".jsonl"}


@pytest.mark.parametrize("options", LEVELS, ids=str)
def test_files_are_those_of_the_command_and_texts_the_same(
    options: dict[str, Any], corpus: list[str], tmp_path: pathlib.Path, ink: Run
) -> None:
    report = inkling.dedup(tmp_path / "in", tmp_path / "ours", explain=tmp_path / "why", **options)
    printed = ink("dedup", "--json", *words_of(options), "--explain", tmp_path / "other", "-o", tmp_path / "theirs", tmp_path / "in")
    assert files_of(tmp_path / "ours") == files_of(tmp_path / "theirs")
    ours, theirs = (list(map(json.loads, (tmp_path / name).read_text().splitlines())) for name in ("why", "other"))
    assert [row.keys() for row in ours] == [row.keys() for row in theirs]
    assert [{**row, "share": None} for row in ours] == [{**row, "share": None} for row in theirs]
    assert all(abs(row["share"] - other["share"]) < 1e-9 for row, other in zip(ours, theirs, strict=True))
    rows = [json.loads(line) for line in printed.stdout.splitlines()]
    assert (report.kept, report.changed, report.emptied) == tuple(rows[-1][name] for name in ("kept", "changed", "emptied"))
    assert [(level.level, level.first, level.removed) for level in report.levels] == [
        (row["level"], row["first"], row["removed"]) for row in rows[:-1]
    ]
    assert inkling.dedup([tmp_path / "in"], dry_run=True, **options).kept == report.kept
    mask = inkling.dedup(corpus, **options)
    removed = {(row["file"][-7], row["line"]) for row in ours if row["whole"]}
    assert [(str(at // 500), at % 500 + 1) not in removed for at in range(1500)] == mask
    assert inkling.dedup((text.encode() for text in corpus), **options) == mask
    if "near" not in options:
        assert inkling.dedup(corpus, n=100_000, p=1e-6, **options) == mask


ODD = [
    {"body": "a, b c.", "name": "x"}, {"body": "A b c", "name": ""}, {"body": "one\ntwo\none", "name": "é"}, {"body": "two"},
    {"other": 1}, {"body": "a, b c.", "name": None},
]  # fmt: skip
OPTIONS: list[tuple[dict[str, Any], list[str]]] = [
    ({"bad": "keep", "mark": True, "exact": True, "paragraphs": True}, ["--bad", "keep", "--mark", "--exact", "--paragraphs"]),
    ({"bad": "skip", "id": "name"}, ["--bad", "skip", "--id", "name"]),
    ({"format": "lines"}, ["--in", "lines"]),
    ({"bad": "skip", "ngrams": 2, "strip_punctuation": True, "lower": True, "overlap": 0.9, "id": "name"},
     ["--bad", "skip", "--ngrams", "2", "--strip-punctuation", "--lower", "--overlap", "0.9", "--id", "name"]),
    ({"bad": "skip", "n": 2, "p": 0.01, "max_rate": 0.5}, ["--bad", "skip", "-n", "2", "-p", "0.01", "--max-rate", "0.5"]),
    ({"bad": "skip", "n": 10**7, "memory": "4M"}, ["--bad", "skip", "-n", "1e7", "--memory", "4M"]),
]  # fmt: skip
# What the report and its levels call what the command calls otherwise, or leaves out.
NAMES = {"texts": "documents", "memory": "bytes"}


@pytest.mark.parametrize(("options", "words"), OPTIONS, ids=str)
def test_options_and_reports_are_those_of_the_command(
    options: dict[str, Any], words: list[str], tmp_path: pathlib.Path, ink: Run
) -> None:
    data = tmp_path / "odd.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in ODD))
    if "format" not in options:
        options, words = {**options, "text": "body"}, [*words, "--text", "body"]
    report = inkling.dedup(data, tmp_path / "ours", explain=tmp_path / "why", **options)
    printed = ink("dedup", "--json", *words, "--explain", tmp_path / "other", "-o", tmp_path / "theirs", data)
    assert files_of(tmp_path / "ours") == files_of(tmp_path / "theirs") != {}
    ours, theirs = ((tmp_path / name).read_text().splitlines() for name in ("why", "other"))
    assert list(map(json.loads, ours)) == list(map(json.loads, theirs))
    *levels, whole = map(json.loads, printed.stdout.splitlines())
    assert report.seconds > 0 and whole.pop("seconds") > 0 and not report.done_before
    assert whole.pop("level") == "all" and whole.pop("removed") >= 0
    assert whole == {name: getattr(report, NAMES.get(name, name)) for name in whole}
    for row, level in zip(levels, report.levels, strict=True):
        row = {name: value for name, value in row.items() if name not in ("removed_bytes", "promised_rate")}
        assert row == {name: getattr(level, {"memory": "bytes"}.get(name, name)) for name in row}
        assert (level.keys is None) == (level.current_rate is None) == ("keys" not in row)


def test_a_finished_run_is_not_done_again_nor_written_over(tmp_path: pathlib.Path) -> None:
    data, out, seen = tmp_path / "x.txt", tmp_path / "out", tmp_path / "s.ink"
    data.write_text("a\na\nb\n")
    assert inkling.dedup(data, out, n=100, seen=seen).kept == 2
    assert inkling.dedup(data, out, n=100, seen=seen).done_before
    with pytest.raises(inkling.UsageError):
        inkling.dedup(data, out, paragraphs=True)
    assert not inkling.dedup(data, out, paragraphs=True, overwrite=True).done_before
    assert inkling.dedup(data, dry_run=True, against=seen).kept == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "s.ink", "x.txt"]


@pytest.mark.parametrize(
    ("every", "seconds"),
    [(None, 0), (1, 1), (0.5, 0.5), ("1ms", 0.001), ("2s", 2), ("1.5m", 90), ("3h", 10_800), ("3650d", 3650 * 86_400)],
)
def test_how_often_the_place_is_saved_may_be_said_as_to_the_command(every: Any, seconds: float) -> None:
    assert _microseconds(every) == round(seconds * 1_000_000)


@pytest.mark.parametrize("every", [0, -1, float("nan"), float("inf"), 1e9, "m", "-1m", "1 m", "1e3s", "nanh", "10", "0s", "3651d", ""])
def test_what_is_no_time_is_refused(every: Any, tmp_path: pathlib.Path) -> None:
    (tmp_path / "x.txt").touch()
    with pytest.raises(inkling.UsageError, match="^every .*, expected seconds, or a time from 1ms to 3650d, as 10m$"):
        inkling.dedup(tmp_path / "x.txt", tmp_path / "out", every=every)


def test_rows_that_explain_are_there_whole_or_not_at_all(tmp_path: pathlib.Path) -> None:
    data, why = tmp_path / "x.txt", tmp_path / "why"
    data.write_text("a\na\n")
    why.write_text("old")
    with pytest.raises(inkling.FormatError):
        inkling.dedup(data, dry_run=True, explain=why, format="jsonl")
    assert why.read_text() == "old"
    with pytest.raises(inkling.FileError) as failed:
        inkling.dedup(data, dry_run=True, explain=tmp_path / "none" / "why")
    assert failed.value.path == str(tmp_path / "none" / "why")
    with pytest.raises(inkling.UsageError, match="is the input"):
        inkling.dedup(data, dry_run=True, explain=data)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["why", "x.txt"] and data.read_text() == "a\na\n"


def test_columns_of_arrow_give_masks(corpus: list[str]) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    expected = inkling.dedup(corpus)
    array = pyarrow.array(corpus)
    for column in (array, array.cast("large_string"), pyarrow.chunked_array([corpus[:7], [], corpus[7:]]), array.dictionary_encode()):
        assert inkling.dedup(column).tolist() == expected
    assert inkling.dedup(pyarrow.table({"a": array, "b": range(1500)}), key="a").tolist() == expected
    assert inkling.dedup(["x", None, "x", None, "y"]) == [True, True, False, True, True]
    with pytest.raises(inkling.UnsupportedError, match="integers, expected texts"):
        inkling.dedup(range(3))


def test_what_was_seen_is_kept_and_compared_with(tmp_path: pathlib.Path) -> None:
    seen = tmp_path / "seen.ink"
    assert inkling.dedup(["a", "b", "a"], seen=seen, n=1000) == [True, True, False]
    assert inkling.dedup(["b", "c"], seen=seen) == [False, True]
    assert inkling.dedup(["c", "d", "d"], against=seen) == [False, True, True]
    assert inkling.dedup([], seen=seen) == []


def test_what_cannot_be_done_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(inkling.UsageError, match="files without output="):
        inkling.dedup(tmp_path)
    with pytest.raises(inkling.UsageError, match="text= with texts"):
        inkling.dedup(["a"], text="x")
    with pytest.raises(inkling.FormatError, match="not UTF-8") as failed:
        inkling.dedup([b"a", b"\xff"])
    assert failed.value.at == 1
    assert inkling.dedup([b"a", b"\xff", b"\xff"], bad="keep") == [True, True, True]
    assert inkling.dedup([b"a", b"\xff"], bad="skip") == [True, False]
    with pytest.raises(inkling.PromiseError, match="more than the 100 different texts that its filter was planned for, expected a larger n"):
        inkling.dedup(map(str, range(500)), seen=tmp_path / "s.ink", n=100)
    with pytest.raises(inkling.FileError):
        inkling.dedup([tmp_path / "none"], tmp_path / "out")
