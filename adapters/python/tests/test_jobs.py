"""uniq, add, remove, merge and generate: the same results as the commands of these names."""

from __future__ import annotations

import io
import json
import os
import pathlib
from typing import Any

import pytest

import inkling
from conftest import Run

SECRET = bytes(range(16))
WORDS = b"".join(b"word%d\n" % (i * i % 997) for i in range(5000))


def write(path: pathlib.Path, content: bytes) -> pathlib.Path:
    path.write_bytes(content)
    return path


# ---- Uniq -------------------------------------------------------------------------------------------

UNIQ: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"invert": True}, ["--invert"]),
    ({"n": 2000, "p": 0.01}, ["-n", "2000", "-p", "0.01"]),
    ({"seed": 5, "memory": "1M"}, ["--seed", "5", "--memory", "1M"]),
    ({"delimiter": "d", "key": 2}, ["-d", "d", "--key", "2"]),
]


@pytest.mark.parametrize(("options", "words"), UNIQ, ids=lambda value: str(value)[:30])
def test_uniq_writes_what_the_command_prints(
    options: dict[str, Any], words: list[str], tmp_path: pathlib.Path, ink: Run
) -> None:
    data = write(tmp_path / "words.txt", WORDS)
    once = io.BytesIO()
    report = inkling.uniq(data, output=once, **options)
    assert once.getvalue().decode() == ink("uniq", "-q", *words, data).stdout
    if "invert" not in options:
        counted = json.loads(ink("uniq", "--count", "--json", *words, data).stdout)
        for name, value in counted.items():
            assert name == "seconds" or getattr(report, name) == value
    assert report.first + report.repeated == report.records == 5000 and report.bad == 0
    assert inkling.uniq(data, output=tmp_path / "once.txt", **options).first == report.first
    assert (tmp_path / "once.txt").read_bytes() == once.getvalue()
    assert inkling.uniq(data, **options).first == report.first


def test_uniq_refuses_what_the_command_refuses() -> None:
    with pytest.raises(inkling.UsageError):
        inkling.uniq(b"a,b\n", format="csv", key=1, by=2)
    with pytest.raises(inkling.LimitError):
        inkling.uniq(b"a\n", n=1e8, memory="1M")
    with pytest.raises(inkling.UsageError):
        inkling.uniq(b"a\n", p=2)
    with pytest.raises(inkling.UnsupportedError):
        inkling.uniq(pytest.importorskip("pyarrow").table({"a": ["x"]}))


# ---- Add and remove ---------------------------------------------------------------------------------


def test_adding_to_a_file_is_what_the_command_does(tmp_path: pathlib.Path, ink: Run) -> None:
    mine, other = tmp_path / "mine.ink", tmp_path / "other.ink"
    for path in (mine, other):
        inkling.build(b"a,x\nb,y\n", "bloom,count-min", format="csv", key=1, by=2, n=1000).save(path)
    more = write(tmp_path / "more.csv", b"c,x\nd,y\nd,y\n")
    report = inkling.add(mine, more)
    ink("add", other, more)
    assert mine.read_bytes() == other.read_bytes()
    assert (report.changed, report.sketches, report.made, report.records, report.stuck) == (3, 4, 0, 3, 0)
    assert "c" in inkling.open(mine)["bloom", "x"]


def test_adding_once_and_beyond_a_promise(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "words.ink"
    inkling.build(b"ant\n", "bloom", n=100).save(path)
    assert inkling.add(path, b"ant\nbee\n", once=True).changed == 1
    before = path.read_bytes()
    with pytest.raises(inkling.PromiseError) as caught:
        inkling.add(path, WORDS)
    assert caught.value.path == str(path) and path.read_bytes() == before
    assert inkling.add(path, WORDS, max_rate=0.999).changed == 5000


def test_removing_from_a_file_is_what_the_command_does(tmp_path: pathlib.Path, ink: Run) -> None:
    mine, other = tmp_path / "mine.ink", tmp_path / "other.ink"
    for path in (mine, other):
        inkling.build(b"ant\nbee\nbee\ncow\n", "counting").save(path)
    gone = write(tmp_path / "gone.txt", b"bee\ncow\n")
    assert inkling.remove(mine, gone).changed == 2
    ink("remove", other, gone)
    assert mine.read_bytes() == other.read_bytes()
    assert inkling.open(mine).sketch().query(["ant", "bee", "cow"]) == [True, True, False]


ABSENT: list[tuple[bytes, dict[str, Any], bytes]] = [
    (b"ant\n", {}, b"elk\n"),
    (b"ant\n", {}, b"ant\nelk\nfox\ngnu\nhen\nibis\njay\n"),
    (b"ant\n", {}, b"ant\nant\n"),
    (b"ant\n", {}, b"x" * 100 + b"\n"),
    (b"ant\n", {}, b"\n"),
    (b"1\n", {"key_type": "int"}, b"-7\n"),
    (b"a,b,g\n", {"format": "csv", "key": [1, 2], "by": 3}, b"a,c,g\n"),
]


@pytest.mark.parametrize(("held", "options", "gone"), ABSENT, ids=lambda value: str(value)[:20])
def test_keys_that_are_not_in_are_reported_as_the_command_does(
    held: bytes, options: dict[str, Any], gone: bytes, tmp_path: pathlib.Path, ink: Run
) -> None:
    path = tmp_path / "held.ink"
    inkling.build(held, "counting", n=100, **options).save(path)
    before = path.read_bytes()
    data = write(tmp_path / "gone", gone)
    done = ink("remove", path, data, ok=False)
    with pytest.raises(inkling.NotFoundError) as caught:
        inkling.remove(path, data)
    assert done.returncode == 1 and done.stderr == f"ink: {caught.value}\n"
    assert caught.value.location == "line" and caught.value.path == str(data)
    assert path.read_bytes() == before


def test_updates_of_what_is_no_file_fail_clean(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError):
        inkling.add(tmp_path / "none.ink", b"a\n")
    with pytest.raises(inkling.FormatError):
        inkling.add(write(tmp_path / "words.txt", WORDS), b"a\n")
    with pytest.raises(inkling.InklingError):
        inkling.add("-", b"a\n")
    with pytest.raises(TypeError):
        inkling.add(inkling.build(WORDS), b"a\n")  # type: ignore[arg-type]
    inkling.build(WORDS, "bloom", secret=SECRET).save(tmp_path / "keyed.ink")
    with pytest.raises(inkling.MismatchError):
        inkling.add(tmp_path / "keyed.ink", b"a\n")
    assert inkling.add(tmp_path / "keyed.ink", b"word1\n", secret=SECRET).changed == 1
    with pytest.raises(inkling.UnsupportedError):
        inkling.remove(tmp_path / "keyed.ink", b"word1\n", secret=SECRET)
    assert sorted(os.listdir(tmp_path)) == ["keyed.ink", "words.txt"]


# ---- Merge ------------------------------------------------------------------------------------------


def test_a_union_is_what_the_command_writes(tmp_path: pathlib.Path, ink: Run) -> None:
    paths = []
    for day, rows in (("mon", b"a,x\nb,y\n"), ("tue", b"c,x\nd,z\n")):
        paths.append(tmp_path / f"{day}.ink")
        inkling.build(rows, "bloom,hll", format="csv", key=1, by=2, n=100).save(paths[-1])
    ink("merge", "-o", tmp_path / "command.ink", *paths)
    both = inkling.merge(paths)
    both.save(tmp_path / "python.ink")
    assert (tmp_path / "python.ink").read_bytes() == (tmp_path / "command.ink").read_bytes()
    assert both.groups == ("x", "y", "z") and both.input_spec == {"format": "csv", "key": "1", "by": "2"}
    assert inkling.merge(str(paths[0])).digest == inkling.open(paths[0]).digest
    assert inkling.merge(path for path in paths).digest == both.digest


def test_a_union_keeps_its_promise(tmp_path: pathlib.Path) -> None:
    paths = [tmp_path / "a.ink", tmp_path / "b.ink"]
    for name, path in zip((b"a", b"b"), paths):
        inkling.build(WORDS.replace(b"word", name), "bloom", n=600).save(path)
    with pytest.raises(inkling.PromiseError) as caught:
        inkling.merge(paths)
    assert caught.value.path == str(paths[1])
    assert inkling.merge(paths, max_rate=0.5).sketch().info.promised_rate == 0.5


def test_what_cannot_be_merged_is_reported(tmp_path: pathlib.Path) -> None:
    inkling.build(WORDS, "bloom").save(tmp_path / "a.ink")
    inkling.build(b"1\n", "bloom", key_type="int").save(tmp_path / "b.ink")
    with pytest.raises(inkling.MismatchError) as caught:
        inkling.merge([tmp_path / "a.ink", tmp_path / "b.ink"])
    assert caught.value.path == str(tmp_path / "b.ink")
    with pytest.raises(FileNotFoundError):
        inkling.merge([tmp_path / "none.ink"])
    with pytest.raises(inkling.UsageError):
        inkling.merge([])
    wrong: Any
    for wrong in (5, b"a.ink", [5], [b"a.ink"], None, [None]):
        with pytest.raises(TypeError, match="expected paths of files of sketches, Sketches or a Sketch"):
            inkling.merge(wrong)


def test_sketches_in_memory_are_merged_as_files_are(tmp_path: pathlib.Path) -> None:
    a, b = (inkling.build(WORDS.replace(b"word", name), "bloom", n=3000) for name in (b"a", b"b"))
    a.save(tmp_path / "a.ink")
    b.save(tmp_path / "b.ink")
    expected = inkling.merge([tmp_path / "a.ink", tmp_path / "b.ink"])
    descriptors = len(os.listdir("/proc/self/fd"))
    ways: list[list[Any]] = [[a, b], [tmp_path / "a.ink", b], [inkling.open(tmp_path / "a.ink"), b]]
    for given in ways:
        assert inkling.merge(given).to_bytes() == expected.to_bytes()
    assert len(os.listdir("/proc/self/fd")) == descriptors
    assert inkling.merge(a).digest == a.digest == inkling.merge(inkling.merge(a)).digest
    assert (a | b).digest == expected.digest


def test_sketches_in_memory_keep_promises_and_are_named(tmp_path: pathlib.Path) -> None:
    a, b = (inkling.build(WORDS.replace(b"word", name), "bloom", n=600) for name in (b"a", b"b"))
    with pytest.raises(inkling.PromiseError) as caught:
        inkling.merge([a, b])
    assert str(caught.value).startswith("number 2 of the sketches: ")
    assert inkling.merge([a, b], max_rate=0.5).sketch().info.promised_rate == 0.5
    b.save(tmp_path / "b.ink")
    with pytest.raises(inkling.PromiseError) as caught:
        inkling.merge([a, inkling.open(tmp_path / "b.ink")])
    assert caught.value.path == str(tmp_path / "b.ink")
    with pytest.raises(inkling.MismatchError, match="number 3 of the sketches: "):
        inkling.merge([a, a, inkling.build(b"1\n", "bloom", key_type="int", n=600)])


# ---- Generate ---------------------------------------------------------------------------------------


def test_generate_writes_what_the_command_prints(tmp_path: pathlib.Path, ink: Run) -> None:
    for kind, options, words in [
        ("ip", {"n": 500}, ["-n", "500"]),
        ("zipf", {"n": 500.0, "seed": 3, "skew": 1.3}, ["-n", "500", "--seed", "3", "--skew", "1.3"]),
        ("log", {"n": 200}, ["-n", "200"]),
        ("u64", {"n": 100, "seed": 1}, ["-n", "100", "--seed", "1"]),
    ]:
        more: Any = options
        lines = io.BytesIO()
        inkling.generate(kind, lines, **more)
        assert lines.getvalue().decode() == ink("gen", kind, *words).stdout
        inkling.generate(kind, tmp_path / "records", **more)
        assert (tmp_path / "records").read_bytes() == lines.getvalue()


def test_a_sample_of_names_goes_elsewhere(tmp_path: pathlib.Path, ink: Run) -> None:
    sample = io.BytesIO()
    inkling.generate("names", tmp_path / "flow.txt", n=1000, sample=10, sample_output=sample)
    words = ["-n", "1000", "--sample", "10", "--sample-out", tmp_path / "set.txt"]
    assert ink("gen", "names", *words).stdout == (tmp_path / "flow.txt").read_text()
    assert (tmp_path / "set.txt").read_bytes() == sample.getvalue() and sample.getvalue().count(b"\n") == 10


def test_what_cannot_be_generated_is_reported(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(inkling.UsageError):
        inkling.generate("nothing", out)
    with pytest.raises(inkling.UsageError):
        inkling.generate("imdb", out, n=5)
    with pytest.raises(inkling.UsageError, match="go together"):
        inkling.generate("names", out, n=100, sample=5)
    with pytest.raises(inkling.UsageError):
        inkling.generate("ip", out, n=100, sample=5, sample_output=io.BytesIO())
    with pytest.raises(TypeError):
        inkling.generate("ip", None, n=100)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        inkling.generate("ip", out, n="many")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        inkling.generate(5, out)  # type: ignore[arg-type]
    assert os.listdir(tmp_path) == []
