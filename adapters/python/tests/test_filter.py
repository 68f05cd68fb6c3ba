"""inkling.filter: the records that `ink filter` prints, wherever they are to go."""

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
WORDS = b"".join(b"word%d\n" % i for i in range(0, 4000, 2))
MORE = b"".join(b"word%d\n" % i for i in range(4000))
ROWS = b"who,colour\nann,red\nbob,blue\ncid,red\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("filter")
    (made / "words.txt").write_bytes(WORDS)
    (made / "more.txt").write_bytes(MORE)
    (made / "rows.csv").write_bytes(ROWS)
    (made / "asked.csv").write_bytes(b"who,colour\nann,blue\nbob,blue\nzoe,red\n")
    (made / "secret").write_bytes(SECRET)
    inkling.build(made / "words.txt", "bloom").save(made / "words.ink")
    inkling.build(made / "words.txt", "bloom,classic").save(made / "both.ink")
    inkling.build(made / "rows.csv", "bloom", header=True, key="who", by="colour").save(made / "rows.ink")
    inkling.build(made / "words.txt", "bloom", secret=SECRET).save(made / "keyed.ink")
    return made


CASES: list[tuple[str, str, dict[str, Any], list[str]]] = [
    ("words.ink", "more.txt", {}, []),
    ("words.ink", "more.txt", {"invert": True}, ["--invert"]),
    ("words.ink", "more.txt", {"threads": 1}, ["--threads", "1"]),
    ("both.ink", "more.txt", {"kind": "classic"}, ["--kind", "classic"]),
    ("rows.ink", "asked.csv", {}, []),
    ("rows.ink", "asked.csv", {"by": True}, ["--by"]),
    ("rows.ink", "asked.csv", {"by": "colour", "invert": True}, ["--by=colour", "-v"]),
    ("rows.ink", "asked.csv", {"format": "csv", "key": 2}, ["--in", "csv", "--key", "2"]),
    ("rows.ink", "asked.csv", {"group_column": "in"}, ["--group-column", "in"]),
    ("rows.ink", "asked.csv", {"group_column": None}, ["--no-groups"]),
    ("rows.ink", "asked.csv", {"groups": "r?d"}, ["--groups", "r?d"]),
    ("rows.ink", "asked.csv", {"groups": "r?d", "by": True}, ["--groups", "r?d", "--by"]),
    ("keyed.ink", "more.txt", {"secret": SECRET}, ["--secret", "SECRET"]),
]


@pytest.mark.parametrize(("sketches", "data", "options", "words"), CASES, ids=lambda value: str(value)[:30])
def test_filter_writes_what_the_command_prints(
    sketches: str,
    data: str,
    options: dict[str, Any],
    words: list[str],
    folder: pathlib.Path,
    tmp_path: pathlib.Path,
    ink: Run,
) -> None:
    words = [str(folder / "secret") if word == "SECRET" else word for word in words]
    printed = ink("filter", *words, folder / sketches, folder / data, ok=False)
    asked = ink("filter", "--count", "--json", *words, folder / sketches, folder / data, ok=False)
    counted = json.loads(asked.stdout)
    found = io.BytesIO()
    report = inkling.filter(folder / sketches, folder / data, output=found, **options)
    assert found.getvalue().decode() == printed.stdout and printed.stderr == ""
    for name in ("functions", "set_records", "set_keys", "analysed", "admitted", "rejected", "groups", "false_groups"):
        assert getattr(report, name) == counted.get(name)
    assert report.passed == (report.rejected if options.get("invert") else report.admitted)
    assert report.records == report.analysed and report.bad == report.nulls == 0 and report.seconds > 0
    path = tmp_path / "found.txt"
    again = inkling.filter(folder / sketches, folder / data, output=path, **options)
    assert path.read_bytes() == found.getvalue() and again.passed == report.passed
    assert inkling.filter(folder / sketches, folder / data, **options).passed == report.passed


@pytest.mark.parametrize("pattern", ["a*", "a?", "a\\*", "\\a\\?", "\\[!a]", "[^a]", "[!a]*", "[a^]*", "[]b]", "*\\\\"])
def test_patterns_choose_the_groups_that_the_command_chooses(
    pattern: str, tmp_path: pathlib.Path, ink: Run
) -> None:
    names = [b"a", b"ab", b"a*", b"a?", b"a\\", b"b", b"]", b"^", b"[!a]", b"\xc3\xa9", b"\xff", b"a\0", b""]
    rows, keys, path = b"".join(b"k,%s\n" % name for name in names), tmp_path / "keys.txt", tmp_path / "made.ink"
    inkling.build(rows, "bloom", format="csv", key=1, by=2).save(path)
    keys.write_bytes(b"k\n")
    found = io.BytesIO()
    inkling.filter(path, keys, output=found, groups=pattern, format="lines")
    assert found.getvalue().decode() == ink("filter", "--in", "lines", "--groups", pattern, path, keys, ok=False).stdout


def test_what_is_asked_may_be_a_file_sketches_or_a_sketch(folder: pathlib.Path) -> None:
    with inkling.open(folder / "words.ink") as opened:
        expected = inkling.filter(opened, MORE).admitted
        assert inkling.filter(opened.sketch(), MORE).admitted == expected
    assert inkling.filter(inkling.build(WORDS), MORE).admitted == expected
    assert inkling.filter(str(folder / "words.ink"), MORE).admitted == expected
    rows = inkling.build(ROWS, "bloom", format="csv", header=True, key=1, by=2)
    found = io.BytesIO()
    inkling.filter(rows, ROWS, output=found)  # read as it was built
    assert found.getvalue() == b"who,colour,ink_group\nann,red,red\nbob,blue,blue\ncid,red,red\n"
    held = inkling.Sketch("bloom", n=10).add("pending")
    assert inkling.filter(held, b"pending\nother\n").admitted == 1
    keyed = inkling.open(folder / "keyed.ink", secret=SECRET)
    assert inkling.filter(keyed, MORE).admitted >= 2000  # the secret of the sketches


def test_a_sketch_that_was_built_is_read_as_its_data(folder: pathlib.Path) -> None:
    built = inkling.build(folder / "rows.csv", "bloom", header=True, key="who")
    assert inkling.filter(built, folder / "asked.csv").admitted == 2


def test_the_first_that_passes_is_enough(folder: pathlib.Path) -> None:
    found = io.BytesIO()
    report = inkling.filter(folder / "words.ink", folder / "more.txt", output=found, first=True)
    assert found.getvalue() == b"word0\n" and report.passed >= 1


def test_time_is_asked_for_as_last(folder: pathlib.Path) -> None:
    assert inkling.filter(folder / "words.ink", WORDS, last=1).admitted == 2000
    with pytest.raises(TypeError):
        inkling.filter(folder / "words.ink", WORDS, last="one")  # type: ignore[arg-type]


# ---- Outputs ----------------------------------------------------------------------------------------


def test_an_output_may_be_any_object_that_writes(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    expected = io.BytesIO()
    inkling.filter(folder / "words.ink", MORE, output=expected)
    with open(tmp_path / "buffered", "wb") as file:
        inkling.filter(folder / "words.ink", MORE, output=file)
    with open(tmp_path / "raw", "wb", buffering=0) as raw:
        inkling.filter(folder / "words.ink", MORE, output=raw)

    class Slow:
        """Takes three bytes at a time, as a socket might."""

        taken = b""

        def write(self, data: bytes) -> int:
            self.taken += data[:3]
            return min(3, len(data))

    slow = Slow()
    inkling.filter(folder / "words.ink", MORE, output=slow)
    for got in ((tmp_path / "buffered").read_bytes(), (tmp_path / "raw").read_bytes(), slow.taken):
        assert got == expected.getvalue()


def test_an_exception_of_an_output_comes_out(folder: pathlib.Path) -> None:
    class Full:
        calls = 0

        def write(self, data: bytes) -> None:
            self.calls += 1
            raise OSError(28, "no room left")

    full = Full()
    with pytest.raises(OSError, match="no room left") as caught:
        inkling.filter(folder / "words.ink", MORE, output=full)
    assert not isinstance(caught.value, inkling.InklingError) and full.calls == 1
    with pytest.raises(TypeError):
        inkling.filter(folder / "words.ink", MORE, output=io.StringIO())  # type: ignore[arg-type]


def test_an_output_file_is_there_whole_or_not_at_all(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "found.txt"
    path.write_text("old")
    with pytest.raises(FileNotFoundError):
        inkling.filter(folder / "words.ink", [folder / "more.txt", tmp_path / "none.txt"], output=path)
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["found.txt"]
    with pytest.raises(FileNotFoundError) as caught:
        inkling.filter(folder / "words.ink", MORE, output=tmp_path / "none" / "x.txt")
    assert caught.value.filename == str(tmp_path / "none" / "x.txt")


def test_an_output_that_is_an_input_is_refused_before_anything_is_read(
    folder: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, link, hard = tmp_path / "data.txt", tmp_path / "link.txt", tmp_path / "hard.txt"
    data.write_bytes(MORE)
    link.symlink_to(data)
    os.link(data, hard)
    monkeypatch.chdir(tmp_path)
    for output in (data, link, hard, "data.txt", f"{tmp_path}/./data.txt"):
        for read in (data, [folder / "more.txt", data]):
            with pytest.raises(inkling.UsageError, match="is the input .*, expected another file"):
                inkling.uniq(read, output=output)
            with pytest.raises(inkling.UsageError, match="is the input .*, expected another file"):
                inkling.filter(folder / "words.ink", read, output=output)
    with open(data, "r+b") as file, pytest.raises(inkling.UsageError, match="is the input"):
        inkling.uniq(link, output=file)
    sketches = tmp_path / "words.ink"
    sketches.write_bytes((folder / "words.ink").read_bytes())
    with pytest.raises(inkling.UsageError, match="is the input"):
        inkling.filter(sketches, MORE, output=sketches)
    assert data.read_bytes() == MORE and sketches.read_bytes() == (folder / "words.ink").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["data.txt", "hard.txt", "link.txt", "words.ink"]
    with open("/dev/null", "wb") as nowhere:  # which is no file that could be lost
        assert inkling.uniq(["/dev/null", data], output=nowhere).records == 4000


def test_records_are_not_compressed(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for suffix in (".gz", ".zst"):
        expected = f"records are written as they are, expected a name without {suffix}"
        with pytest.raises(inkling.UsageError, match=expected):
            inkling.filter(folder / "words.ink", MORE, output=tmp_path / f"found.txt{suffix}")
        with pytest.raises(inkling.UsageError, match=expected):
            inkling.uniq(MORE, output=str(tmp_path / f"found{suffix}"))
    assert os.listdir(tmp_path) == []


def test_standard_output_is_named_by_its_object(folder: pathlib.Path) -> None:
    with pytest.raises(inkling.UsageError, match="sys.stdout.buffer"):
        inkling.filter(folder / "words.ink", MORE, output="-")
    for wrong in (5, b"bytes", ["a"]):
        with pytest.raises(TypeError, match="output of type"):
            inkling.filter(folder / "words.ink", MORE, output=wrong)  # type: ignore[arg-type]


# ---- Failures ---------------------------------------------------------------------------------------


#: Options that messages name, and their names here.
NAMED = {
    "--secret": "secret",
    "--key-type": "key_type=",
    "--group-column": "group_column=",
    "--groups": "groups=",
    "--in": "format=",
    "--bad skip": "bad='skip'",
}


def test_failures_read_as_the_command_reports_them(
    folder: pathlib.Path, tmp_path: pathlib.Path, ink: Run
) -> None:
    (tmp_path / "short.csv").write_text("who,colour\nann,red\nbob\n")
    inkling.build(b"a\n", "hll").save(tmp_path / "hll.ink")
    (tmp_path / "damaged.ink").write_bytes((folder / "words.ink").read_bytes()[:-9])
    for sketches, data, options, words in [
        (folder / "rows.ink", tmp_path / "short.csv", {"key": "colour"}, ["--key", "colour"]),
        (folder / "words.ink", tmp_path / "none.txt", {}, []),
        (tmp_path / "hll.ink", folder / "more.txt", {}, []),
        (tmp_path / "damaged.ink", folder / "more.txt", {}, []),
        (folder / "keyed.ink", folder / "more.txt", {}, []),
        (folder / "words.ink", folder / "more.txt", {"key_type": "int"}, ["--key-type", "int"]),
        (tmp_path / "none.ink", folder / "more.txt", {}, []),
        (folder / "rows.ink", folder / "rows.csv", {"group_column": "who"}, ["--group-column", "who"]),
        (folder / "words.ink", folder / "more.txt", {"groups": "*"}, ["--groups", "*"]),
    ]:
        done = ink("filter", *words, sketches, data, ok=False)
        options_typed: Any = options
        with pytest.raises(inkling.InklingError) as caught:
            inkling.filter(sketches, data, output=io.BytesIO(), **options_typed)
        said = done.stderr
        for option, keyword in NAMED.items():
            said = said.replace(option, keyword)
        assert done.returncode > 1 and said == f"ink: {caught.value}\n"


def test_two_filter_kinds_need_a_choice(folder: pathlib.Path) -> None:
    with pytest.raises(inkling.UsageError, match="bloom"):
        inkling.filter(folder / "both.ink", MORE)


def test_tables_are_not_records(folder: pathlib.Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"key": ["word0", "word1"]})
    with pytest.raises(inkling.UnsupportedError, match=r"expected files or bytes \(for tables: .*query"):
        inkling.filter(folder / "words.ink", table)
    with pytest.raises(inkling.UnsupportedError, match=r"expected files or bytes \(for tables: .*add_new"):
        inkling.uniq([table, table])
    sketch = inkling.open(folder / "words.ink").sketch()
    assert table.filter(sketch.query(table["key"])).num_rows == 1  # as it says
    assert table.filter(inkling.Sketch("bloom", n=9).add_new(table["key"])).num_rows == 2


@pytest.mark.parametrize("sketches", [None, 5, b"words.ink", ["words.ink"], object()])
def test_what_cannot_be_asked_is_a_type_error(sketches: Any) -> None:
    with pytest.raises(TypeError, match="sketches of type"):
        inkling.filter(sketches, MORE)


@pytest.mark.parametrize(
    "options", [{"invert": 1}, {"first": "yes"}, {"kind": 3}, {"by": 2.5}, {"unheard": 1}, {"secret": 5}, {"group_column": 5}, {"groups": 5}]
)
def test_options_of_the_wrong_type_are_type_errors(options: dict[str, Any], folder: pathlib.Path) -> None:
    with pytest.raises(TypeError):
        inkling.filter(folder / "words.ink", MORE, **options)


def test_records_that_cannot_be_read_may_be_skipped(folder: pathlib.Path) -> None:
    report = inkling.filter(folder / "rows.ink", b"who,colour\nann\n,,,,\n", bad="skip", by=True)
    assert report.bad >= 1


@pytest.mark.parametrize("answer", [None, True, -1, 10**9, "x"])
def test_what_write_answers_counts_only_if_it_is_how_much_it_took(answer: Any) -> None:
    class Taker:
        taken: list[bytes] = []

        def write(self, data: bytes) -> Any:
            self.taken.append(bytes(data))
            return answer

    taker = Taker()
    inkling.Sketch("hll").add("a").save(taker)
    assert b"".join(taker.taken) == inkling.Sketch("hll").add("a").to_bytes()
