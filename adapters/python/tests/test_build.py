"""inkling.build: the same bytes as `ink build`, for any data and any way to read it."""

from __future__ import annotations

import errno
import gzip
import inspect
import json
import pathlib
import re
import pickle
import struct
import subprocess
import sys
import typing
from typing import Any

import pytest

import inkling
from conftest import Run
from inkling import WHOLE, Sketch, Sketches
from inkling._inputs import Run as JobRun, matching

SECRET = bytes(range(16))
ROWS = [(f"user{i % 700}", f"shop{i % 7}", (i * 37 % 101) / 10, i % 9 + 1) for i in range(3000)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The same rows in every form."""
    made = tmp_path_factory.mktemp("data")
    words = [f"word{i % 1900}" for i in range(5000)]
    lines = "".join(word + "\n" for word in words).encode()
    (made / "words.txt").write_bytes(lines)
    (made / "words.txt.gz").write_bytes(gzip.compress(lines))
    (made / "words.nul").write_bytes(lines.replace(b"\n", b"\0"))
    (made / "numbers.txt").write_text("".join(f"{i * 7919 % 4001 - 1000}\n" for i in range(5000)))
    (made / "u64.bin").write_bytes(b"".join(struct.pack("<Q", i * 7919 % 4001) for i in range(5000)))
    (made / "u32.bin").write_bytes(b"".join(struct.pack("<I", i * 7919 % 4001) for i in range(5000)))
    head = ("user", "shop", "rating", "count")
    for name, between in (("rows.csv", ","), ("rows.tsv", "\t")):
        rows = ((user, shop, f"{rating:g}", str(count)) for user, shop, rating, count in ROWS)
        (made / name).write_text("".join(between.join(row) + "\n" for row in (head, *rows)))
    (made / "rows.blank").write_text("".join("  ".join(map(str, row)) + "\n" for row in ROWS))
    (made / "rows.semi").write_text("".join(";".join(map(str, row)) + "\n" for row in ROWS))
    (made / "rows.jsonl").write_text("".join(json.dumps(dict(zip(head, row))) + "\n" for row in ROWS))
    (made / "rows.multi").write_text('user,shop\n"a\nb",s\n"c",s\n')
    (made / "secret").write_bytes(SECRET)
    return made


def words_of(options: dict[str, Any], folder: pathlib.Path) -> list[str]:
    """Options of Python as words of a command line."""
    names = {"format": "in", "k": "top", "p": "rate", "n": "keys"}
    words: list[str] = []
    for name, value in options.items():
        option = "--" + names.get(name, name).replace("_", "-")
        if name == "secret":
            words += [option, str(folder / "secret")]
        elif value is True:
            words.append(option)
        elif isinstance(value, list):
            words += [option, ",".join(map(str, value))]
        else:
            words += [option, str(value)]
    return words


CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("words.txt", "bloom", {}),
    ("words.txt", "bloom", {"n": 10_000, "p": 0.001}),
    ("words.txt", "bloom", {"headroom": 2.5}),
    ("words.txt", "bloom", {"bits": 65536}),
    ("words.txt", "bloom", {"seed": 0}),
    ("words.txt", "bloom", {"secret": SECRET}),
    ("words.txt", "classic", {"hash": "mmh3", "n": 3000}),
    ("words.txt", "classic", {"bits": 1 << 16, "hashes": 5, "hash": "mmh3-signed"}),
    ("words.txt", "counting", {"p": 0.02}),
    ("words.txt", "scalable", {"n": 1000}),
    ("words.txt", "count-min", {"eps": 0.001, "delta": 0.05, "conservative": True}),
    ("words.txt", "count-min", {"width": 512, "depth": 4, "counters": 64}),
    ("words.txt", "top", {"k": 50}),
    ("words.txt", "top", {"phi": 0.005}),
    ("words.txt", "hll", {"precision": 12}),
    ("words.txt", "fm", {}),
    ("words.txt", "bloom,hll,top", {"p": 0.05, "precision": 11}),
    ("words.txt", "fuse", {"p": 0.001, "secret": SECRET}),
    ("words.txt.gz", "bloom", {}),
    ("words.nul", "bloom", {"format": "nul"}),
    ("numbers.txt", "bloom", {"key_type": "int"}),
    ("u64.bin", "bloom,hll", {"format": "u64"}),
    ("u32.bin", "bloom", {"format": "u32", "threads": 1}),
    ("rows.csv", "bloom", {"header": True, "key": "user"}),
    ("rows.csv", "bloom", {"header": True, "key": "user", "by": "shop"}),
    ("rows.csv", "bloom,hll", {"header": True, "key": ["user", "shop"], "by": 3, "round": "half-even"}),
    ("rows.tsv", "bloom", {"header": True, "key": 1, "by": 3, "round": "half-up"}),
    ("rows.tsv", "count-min", {"header": True, "key": "user", "weight": "count"}),
    ("rows.tsv", "top", {"header": True, "key": "user", "weight": "count", "by": "shop"}),
    ("rows.jsonl", "bloom", {"key": "user", "by": "shop"}),
    ("rows.csv", "bloom,fuse", {"header": True, "key": "user", "by": "shop"}),
    ("rows.blank", "hll", {"fields": True, "key": [1, 2]}),
    ("rows.semi", "bloom", {"delimiter": ";", "key": 2}),
    ("rows.multi", "bloom", {"format": "csv", "csv_multiline": True, "header": True, "key": "user"}),
]


@pytest.mark.parametrize(("name", "kind", "options"), CASES, ids=lambda value: str(value).replace(" ", ""))
def test_build_gives_the_very_file_of_the_command(
    name: str, kind: str, options: dict[str, Any], folder: pathlib.Path, tmp_path: pathlib.Path, ink: Run
) -> None:
    ink("build", kind, *words_of(options, folder), "-o", tmp_path / "command.ink", folder / name)
    built = inkling.build(folder / name, kind, **options)
    built.save(tmp_path / "python.ink")
    assert built.digest == ink("info", "--digest", tmp_path / "command.ink").stdout.strip()
    assert (tmp_path / "python.ink").read_bytes() == (tmp_path / "command.ink").read_bytes()
    assert built.to_bytes() == (tmp_path / "command.ink").read_bytes()


def test_a_table_gives_the_digest_of_the_command_and_no_input_spec(tmp_path: pathlib.Path, ink: Run) -> None:
    table = pytest.importorskip("pyarrow").table({"id": range(100), "name": [f"n{i}" for i in range(100)]})
    (tmp_path / "rows.csv").write_text("id,name\n" + "".join(f"{i},n{i}\n" for i in range(100)))
    for key, options in (("name", []), ("id", ["--key-type", "int"])):
        words = ("build", "bloom,hll", "--header", "--key", key, *options, "-o", tmp_path / f"{key}.ink")
        ink(*words, tmp_path / "rows.csv")
        built, saved = inkling.build(table, "bloom,hll", key=key), inkling.open(tmp_path / f"{key}.ink")
        assert isinstance(built, Sketches) and built == saved and built.input_spec is None and saved.input_spec
    text = inkling.build(tmp_path / "rows.csv", "bloom,hll", header=True, key="id")
    for refused in (lambda: inkling.merge([built, text]), lambda: built["hll", WHOLE].copy().merge(text["hll", WHOLE])):
        with pytest.raises(inkling.MismatchError, match="build both with the same key_type=$"):
            refused()
    saved_text = tmp_path / "text.ink"
    text.save(saved_text)
    refusal = ink("merge", "-o", tmp_path / "x.ink", tmp_path / "id.ink", saved_text, ok=False)
    assert refusal.returncode == 3 and refusal.stderr.endswith("; build both with the same --key-type\n")
    assert not (tmp_path / "x.ink").exists()


def test_one_kind_without_groups_is_a_sketch_and_else_there_are_sketches() -> None:
    data = b"a,x\nb,y\n"
    assert isinstance(inkling.build(data), Sketch)
    assert isinstance(inkling.build(data, ["hll"]), Sketch)
    assert isinstance(inkling.build(data, "bloom", format="csv", key=1, by=2), Sketches)
    assert isinstance(inkling.build(data, "bloom,hll"), Sketches)
    both = inkling.build(data, ["bloom", "hll"])
    assert isinstance(both, Sketches) and both.kinds == ("bloom", "hll")


def test_a_sketch_that_was_built_can_be_changed() -> None:
    words = inkling.build(b"ant\n", "bloom", n=100)
    words.add("bee")
    assert "bee" in words and words.records == 2 and not words.read_only


def test_a_fuse_answers_and_is_never_changed(folder: pathlib.Path) -> None:
    made = inkling.build(folder / "words.txt", "fuse")
    assert isinstance(made, Sketch) and "word7" in made and made.records == 5000 and made.info.keys == 1900
    assert made.estimate() == 1900 and made.rate == 2**-7 and pickle.loads(pickle.dumps(made)) == made
    assert inkling.filter(made, folder / "words.txt").passed == 5000
    assert str(inkling.verify(made, folder / "words.txt").summary).startswith("kept: all 1900 members found")
    assert made.query(["word7", "none of them"]) == [True, False] and not made.overfull
    before = made.digest
    for change in (
        lambda: made.add("new"), lambda: made.add(["new"]), lambda: made.add("new", weight=2),
        lambda: made.add(["new"], threads=2), lambda: made.add_new("new"), lambda: made.add_new(["new"]),
        lambda: made | made.copy(), lambda: made & made.copy(), lambda: made - made.copy(),
        lambda: made.merge(made), lambda: made.merge(made.copy(), made.copy()),
        lambda: made.fold(), lambda: made.share(), lambda: Sketch.from_bytes(made.to_bytes()).add("new"),
    ):
        with pytest.raises(inkling.UnsupportedError, match="a fuse never changes: build one of all keys, from several"):
            change()
    with pytest.raises(inkling.UnsupportedError, match="fuse cannot take keys out again"):
        made.remove("word7")
    assert made.digest == before and made.records == 5000


def test_a_fuse_of_several_inputs_is_that_of_all_their_keys(folder: pathlib.Path) -> None:
    lines = (folder / "words.txt").read_bytes().splitlines(keepends=True)
    parts = [folder / "part 1.txt", folder / "part 2.txt"]
    for path, some in zip(parts, (lines[:2000], lines[1000:])):
        path.write_bytes(b"".join(some))
    whole = inkling.build(folder / "words.txt", "fuse")
    for inputs in (parts, parts[::-1], folder / "part *.txt"):
        made = inkling.build(inputs, "fuse")
        assert (made.records, made.info.keys) == (6000, whole.info.keys)
        assert made.query([line.strip() for line in lines]) == [True] * len(lines)


def test_data_may_be_one_path_several_or_bytes(folder: pathlib.Path) -> None:
    path = folder / "words.txt"
    whole = inkling.build(path, "bloom", n=5000).digest
    content = path.read_bytes()
    half = content.index(b"\n", len(content) // 2) + 1
    parts = [folder / "first.txt", folder / "second.txt"]
    parts[0].write_bytes(content[:half])
    parts[1].write_bytes(content[half:])
    assert inkling.build(str(path), n=5000).digest == whole
    assert inkling.build(parts, n=5000).digest == whole
    assert inkling.build((str(part) for part in parts), n=5000).digest == whole
    assert inkling.build(content, n=5000).digest == whole
    assert inkling.build(bytearray(content), n=5000).digest == whole
    assert inkling.build(memoryview(content), n=5000).digest == whole
    assert inkling.build(memoryview(bytearray(content)), n=5000).digest == whole
    assert inkling.build(memoryview(bytearray(b"one\ntwo\n")).cast("I"), "hll").records == 2
    with pytest.raises(TypeError, match="a memoryview with gaps, expected bytes that stand together"):
        inkling.build(memoryview(content)[::2])


def test_no_bytes_are_no_records() -> None:
    for nothing in (b"", bytearray(), memoryview(b"")):
        assert inkling.build(nothing, "hll").built == inkling.BuildReport(records=0, bad=0, nulls=0)


def test_standard_input_is_a_dash(folder: pathlib.Path) -> None:
    program = "import inkling; print(inkling.build('-', 'bloom').digest)"
    with open(folder / "words.txt", "rb") as words:
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, stdin=words, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == inkling.build(folder / "words.txt").digest
    program = "import inkling; inkling.build(['-'], format='csv', header=True, key='c')"
    done = subprocess.run([sys.executable, "-c", program], input="a,b\n1,2\n", text=True, capture_output=True, check=False)
    said = done.stderr.strip().splitlines()[-1]
    assert said.endswith('UsageError: standard input: no column "c", expected one of "a", "b"')


def test_what_was_read_is_reported(folder: pathlib.Path) -> None:
    built = inkling.build(b'{"a": 1}\nnonsense\n{"a": 2}\n', "hll", format="jsonl", key="a", bad="skip").built
    assert (built.records, built.bad, built.nulls) == (2, 1, 0)
    assert Sketch("hll").built is None
    built = inkling.build(folder / "rows.csv", "hll,bloom", header=True, key="user").built
    assert built is not None and built.records == len(ROWS)


def test_bytes_in_hex_and_byte_order_marks() -> None:
    lines = inkling.build(b"\xef\xbb\xbf\xe9\n\xc3\xa9\n", "top")
    rows = b'\xef\xbb\xbf{"key_hex": "e9"}\n{"key": "\xc3\xa9"}\n'
    assert lines.digest == inkling.build(rows, "top", format="jsonl", key="key").digest
    assert [item.key for item in lines.top()] == ["é", b"\xe9"]
    with pytest.raises(inkling.FormatError, match="UTF-16 text, expected records in UTF-8"):
        inkling.build("one\n".encode("utf-16"), "top")
    with pytest.raises(inkling.FormatError, match="expected two hexadecimal digits"):
        inkling.build(b'{"key_hex": "e"}\n', "top", format="jsonl", key="key")


@pytest.mark.parametrize("options", [{"threads": 1}, {"threads": 3}, {"memory": "1M"}, {"memory": 1e6}])
def test_the_result_does_not_depend_on_how_the_job_runs(
    options: dict[str, Any], folder: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    plain = inkling.build(folder / "rows.tsv", "bloom", header=True, key="user", by="shop")
    other = inkling.build(
        folder / "rows.tsv", "bloom", header=True, key="user", by="shop", temp=tmp_path, **options
    )
    assert other.digest == plain.digest
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("memory", "found"),
    [("1", 1), (1e6, 10**6), ("2K", 2 << 10), ("3.0M", 3 << 20), ("3G", 3 << 30), ("1T", 1 << 40), ("25e2K", 2500 << 10)],
)
def test_memory_is_written_as_people_write_it(memory: Any, found: int) -> None:
    assert JobRun(memory=memory).job.memory_bytes == found


# ---- Sizes that are shared out ----------------------------------------------------------------------


def test_sizes_go_to_the_kinds_that_have_them() -> None:
    kinds = ["bloom", "hll", "count-min"]
    both: Any = inkling.build(b"a\nb\n", kinds, n=500, p=0.03, precision=10, width=64, depth=2)
    assert both.sketch("bloom").info.target_rate == 0.03
    assert both.sketch("hll").info.precision == 10
    assert both.sketch("count-min").info.width == 64
    roomy: Any = inkling.build(b"a\nb\n", "hll,bloom", headroom=100)
    assert roomy.sketch("bloom").info.keys == 200
    assert inkling.build(b"a\n", "hll", conservative=False).records == 1  # which is as if it were left out


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("bloom", {"precision": 12}, "precision is not for bloom"),
        ("bloom,hll", {"eps": 0.1}, "eps is for none of bloom,hll"),
        ("hll", {"headroom": 2}, "headroom is not for hll"),
        ("bloom", {"n": 0}, "n 0, expected"),
        ("fuse", {"n": 10}, "n 10 for fuse, whose size follows from its keys"),
        ("fuse", {"p": 1e-12}, "p 1e-12, expected 2.32831e-10 to less than 0.125 for fuse"),
        ("bloom", {"p": 2}, "p 2"),
        ("bloom,bloom", {}, "twice"),
        ("blom", {}, "blom"),
        ("", {}, "kind"),
        ([], {}, "no kind"),
        ("bloom", {"hash": "md5"}, "md5"),
        ("bloom", {"format": "parquet"}, "format 'parquet', expected one of lines, csv"),
        ("bloom", {"round": "up"}, "round 'up', expected one of half-even, half-up, half-away"),
        ("bloom", {"bad": "ignore"}, "bad 'ignore', expected one of fail, skip"),
        ("bloom", {"key": []}, "key without a column"),
        ("bloom", {"delimiter": "ab", "key": 1}, "delimiter 'ab', expected one byte"),
        ("bloom", {"delimiter": "é", "key": 1}, "expected one byte"),
        ("bloom", {"memory": "64X"}, "memory '64X'"),
        ("bloom", {"memory": "0.3K"}, "memory '0.3K'"),
        ("bloom", {"memory": "1e9999T"}, "memory"),
        ("bloom", {"memory": 2**64}, "memory 18446744073709551616"),
        ("bloom", {"threads": -1}, "threads -1"),
        ("bloom", {"threads": 2**32}, "threads 4294967296"),
        ("hll,fm", {"headroom": 2}, "headroom is not for hll,fm"),
        ("bloom", {"weight": 1, "format": "csv"}, "weights for bloom"),
        ("bloom", {"round": "half-up"}, "rounding without a column"),
    ],
)
def test_what_cannot_be_is_a_usage_error(kind: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(inkling.UsageError) as caught:
        inkling.build(b"a\n", kind, **options)
    assert message in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "options",
    [
        {"key": True},
        {"key": 1.5},
        {"key": b"a"},
        {"key": [None]},
        {"by": 2.5},
        {"by": True},
        {"header": 1},
        {"fields": "yes"},
        {"format": 3},
        {"delimiter": 44},
        {"n": "many"},
        {"p": "0.1"},
        {"conservative": 1},
        {"secret": "0123456789abcdef"},
        {"threads": "two"},
        {"memory": None, "threads": 1.5j},
        {"temp": 3},
        {"progress": 3},
        {"no_such_option": 1},
        {"nulls": None},
    ],
)
def test_what_is_of_the_wrong_type_is_a_type_error(options: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        inkling.build(b"a\n", "bloom", **options)


@pytest.mark.parametrize("data", [None, 5, 1.5, object(), {"a": 1}, [b"a"], [1, 2], ["a", 3]])
def test_what_is_no_data_is_a_type_error(data: Any) -> None:
    with pytest.raises(TypeError):
        inkling.build(data)


def test_an_open_file_is_refused_with_a_hint(folder: pathlib.Path) -> None:
    with open(folder / "words.txt", "rb") as file, pytest.raises(TypeError, match="expected its path"):
        inkling.build(file)


def test_no_paths_are_an_error() -> None:
    with pytest.raises(inkling.UsageError, match="no data"):
        inkling.build([])


def test_a_nul_in_a_name_is_an_error() -> None:
    with pytest.raises(ValueError, match="NUL"):
        inkling.build("a\0b")
    with pytest.raises(ValueError, match="NUL"):
        inkling.build(b"a,b\n", format="csv", key="a\0b")


def test_an_unknown_option_is_named() -> None:
    with pytest.raises(TypeError, match=r"build\(\) got an unexpected keyword argument 'formt'"):
        inkling.build(b"a\n", formt="csv")  # type: ignore[call-overload]


# ---- Failures ---------------------------------------------------------------------------------------


def test_a_file_that_is_not_there_is_a_file_not_found_error(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        inkling.build(tmp_path / "none.txt")
    assert caught.value.errno == 2 and caught.value.filename == str(tmp_path / "none.txt")
    assert isinstance(caught.value, inkling.FileError)


BROKEN: list[tuple[str, str, dict[str, Any]]] = [
    ("bad.jsonl", '{"a": 1}\n{"a": 2}\n{"a" 3}\n', {"key": "a"}),
    ("bad.csv", 'a,b\n1,"2\n', {"header": True, "key": "a"}),
    ("short.csv", "a,b\n1,2\n1\n", {"header": True, "key": "b"}),
    ("names.csv", "a,b\n1,2\n", {"header": True, "key": "c"}),
    ("numbers.txt", "1\n2\nthree\n", {"key_type": "int"}),
    ("round.csv", "a,1.5\nb,x\n", {"key": 1, "by": 2, "round": "half-up"}),
    ("half.bin", "123456789", {"format": "u64"}),
    ("none.txt", "", {}),
]


@pytest.mark.parametrize(("name", "content", "options"), BROKEN, ids=lambda value: str(value)[:12])
def test_a_failure_reads_as_the_command_reports_it(
    name: str, content: str, options: dict[str, Any], tmp_path: pathlib.Path, ink: Run
) -> None:
    path = tmp_path / name
    if content:
        path.write_text(content)
    done = ink("build", "bloom", *words_of(options, tmp_path), "-o", tmp_path / "x.ink", path, ok=False)
    with pytest.raises(inkling.InklingError) as caught:
        inkling.build(path, **options)
    assert done.returncode != 0
    names = {"--in": "format=", "--rate": "p", "--keys": "n", "--hash": "hash", "--bad skip": "bad='skip'"}
    said = re.sub(r"--(bad skip|[a-z-]+)", lambda found: names.get(found[0], f"{found[0][2:].replace('-', '_')}="), done.stderr)
    assert said == f"ink: {caught.value}\n"


def test_the_place_of_a_failure_can_be_asked_for() -> None:
    with pytest.raises(inkling.InklingError) as caught:
        inkling.build(b"1\n2\nthree\n", key_type="int")
    assert (caught.value.location, caught.value.at, caught.value.path) == ("line", 3, None)


def test_a_secret_is_never_in_a_message() -> None:
    with pytest.raises(ValueError) as caught:
        inkling.build(b"a\n", secret=b"fifteen bytes!!")
    assert "fifteen" not in str(caught.value)


def test_the_signature_names_all_options() -> None:
    signature = inspect.signature(inkling.build)
    some = {"format", "delimiter", "key", "by", "round", "threads", "memory", "temp", "progress", "n", "k"}
    assert some < set(signature.parameters)
    assert signature.parameters["nulls"].default == "skip" and signature.parameters["bad"].default is None


def test_every_parameter_of_a_job_is_annotated_at_run_time() -> None:
    jobs: list[Any] = [inkling.build, inkling.filter, inkling.verify, inkling.uniq, inkling.add]
    for job in (*jobs, inkling.remove, inkling.merge, inkling.generate, inkling.open):
        signature, hints = inspect.signature(job), typing.get_type_hints(job)
        assert set(hints) == {*signature.parameters, "return"}, job
        for parameter in signature.parameters.values():
            assert parameter.annotation is not parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
    assert typing.get_type_hints(inkling.build)["nulls"] == typing.Literal["skip", "refuse"]


def test_a_kind_says_what_it_answers_and_needs() -> None:
    found = {kind: inkling.kind_info(kind) for kind in inkling.kinds()}
    filters = {"bloom", "classic", "counting", "scalable", "fuse"}
    assert {kind for kind, info in found.items() if info.contains} == filters
    assert {kind for kind, info in found.items() if info.made_whole} == {"fuse"}
    for kind, info in found.items():
        assert info.contains == (info.ranks["member"] > 0), kind
        assert info.distinct == (info.ranks["distinct"] > 0) and info.dot == (info.ranks["dot"] > 0), kind
    with pytest.raises(inkling.UsageError, match='kind "blom", expected .*; did you mean bloom?'):
        inkling.kind_info("blom")
    with pytest.raises(TypeError, match="kind of type int, expected str"):
        inkling.kind_info(7)  # type: ignore[arg-type]


def test_kinds_are_named_for_type_checkers() -> None:
    assert typing.get_args(inkling.Kind) == inkling.kinds()


# ---- Tables -----------------------------------------------------------------------------------------

COLUMNS = {
    "user": [row[0] for row in ROWS],
    "shop": [row[1] for row in ROWS],
    "rating": [row[2] for row in ROWS],
    "count": [row[3] for row in ROWS],
}


def pandas_frame() -> Any:
    return pytest.importorskip("pandas").DataFrame(COLUMNS)


def polars_frame() -> Any:
    return pytest.importorskip("polars").DataFrame(COLUMNS)


def arrow_table() -> Any:
    return pytest.importorskip("pyarrow").table(COLUMNS)


def arrow_reader() -> Any:
    """Rows that come by and by."""
    return arrow_table().to_reader(max_chunksize=700)


def arrow_batches() -> Any:
    """Several tables at once."""
    return arrow_table().to_batches(max_chunksize=1000)


def duckdb_relation() -> Any:
    duckdb = pytest.importorskip("duckdb")
    table = arrow_table()
    return duckdb.from_arrow(table)


TABLES = [pandas_frame, polars_frame, arrow_table, arrow_reader, arrow_batches, duckdb_relation]

TABLE_CASES: list[tuple[str, dict[str, Any]]] = [
    ("bloom", {"key": "user"}),
    ("bloom", {"key": 1, "n": 5000, "p": 0.001}),
    ("bloom,hll", {"key": "user", "by": "shop"}),
    ("bloom", {"key": ["user", "shop"], "by": "rating"}),
    ("bloom", {"key": "user", "by": "rating", "round": "half-even"}),
    ("bloom", {"key": "user", "by": "rating", "round": "half-up", "threads": 2, "memory": "1M"}),
    ("bloom", {"key": "user", "by": "count"}),
    ("count-min,top", {"key": "user", "weight": "count", "by": "shop"}),
    ("bloom", {"key": "user", "secret": SECRET}),
    ("classic", {"key": "user", "hash": "mmh3"}),
]


@pytest.mark.parametrize(("kind", "options"), TABLE_CASES, ids=lambda value: str(value).replace(" ", ""))
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_a_table_gives_what_its_csv_gives(
    table: Any, kind: str, options: dict[str, Any], folder: pathlib.Path, tmp_path: pathlib.Path, ink: Run
) -> None:
    words = words_of({"header": True, **options}, folder)
    ink("build", kind, *words, "-o", tmp_path / "command.ink", folder / "rows.csv")
    built = inkling.build(table(), kind, **options)
    assert built.digest == ink("info", "--digest", tmp_path / "command.ink").stdout.strip()
    assert built.built.records == len(ROWS)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_integers_of_a_table_are_those_of_a_file(table: Any, folder: pathlib.Path) -> None:
    options: dict[str, Any] = {"key": "count", "by": "shop"}
    from_file = inkling.build(folder / "rows.csv", "bloom", header=True, key_type="int", **options)
    assert inkling.build(table(), "bloom", **options).digest == from_file.digest


def test_nulls_of_a_table_are_counted_or_refused() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"key": ["a", None, "b"], "shop": ["x", "y", None]})
    built = inkling.build(table, "bloom", key="key", by="shop")
    assert built.built == inkling.BuildReport(records=2, bad=0, nulls=1)
    assert list(built) == [None, "x"]
    with pytest.raises(inkling.MismatchError):
        inkling.build(table, "bloom", key="key", nulls="refuse")


def test_an_array_is_a_column_of_keys() -> None:
    numpy = pytest.importorskip("numpy")
    keys = numpy.arange(5000)
    expected = inkling.build(b"".join(b"%d\n" % i for i in range(5000)), "bloom", key_type="int")
    assert inkling.build(keys, "bloom").digest == expected.digest


def test_what_a_table_cannot_do_is_refused() -> None:
    table = arrow_table()
    with pytest.raises(inkling.UsageError):
        inkling.build(table)  # which column?
    with pytest.raises(inkling.UsageError, match="nobody"):
        inkling.build(table, key="nobody")
    with pytest.raises(inkling.UnsupportedError):
        inkling.build(table, key="rating")  # floats are no keys
    with pytest.raises(inkling.UsageError):
        inkling.build(table, key="user", bad="skip")
    with pytest.raises(TypeError):
        inkling.build([table, b"a\n"])


@pytest.mark.parametrize("data", [5, None, {"a": 1}, object])
def test_what_is_no_data_at_all_is_refused_with_what_is(data: Any) -> None:
    with pytest.raises(TypeError, match=rf"^data of type {type(data).__name__}, expected a path, paths, bytes or a table$"):
        inkling.build(data, "hll")


def test_a_frame_without_rows_yet_is_asked_to_collect() -> None:
    lazy = pytest.importorskip("polars").LazyFrame({"a": ["x"]})
    jobs: list[Any] = [inkling.build, inkling.uniq, lambda data: inkling.verify(inkling.Sketch("hll"), data)]
    for job in jobs:
        with pytest.raises(TypeError, match=r"LazyFrame, which has no rows yet, expected what its collect\(\)"):
            job(lazy)


def test_datasets_scanners_and_parquet_files_are_read_batch_by_batch(tmp_path: pathlib.Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import dataset, parquet  # type: ignore[import-untyped,unused-ignore]

    folder = tmp_path / "all.pq"
    folder.mkdir()
    rows = range(1000)
    table = pyarrow.table({"n": rows, "who": [f"w{i}" for i in rows], "g": [i % 3 for i in rows]})
    for name, part in (("a", table[:600]), ("b", table[600:]), ("none", table[:0])):
        parquet.write_table(part, folder / f"{name}.parquet", row_group_size=100)
    options: Any = {"key": "who", "by": "g"}
    expected = inkling.build(table, "bloom,hll", **options).digest
    whole = dataset.dataset([folder / "a.parquet", folder / "b.parquet"])
    files = [parquet.ParquetFile(folder / f"{name}.parquet") for name in ("a", "b", "none")]
    assert inkling.build(whole, "bloom,hll", **options).digest == expected
    assert inkling.build(whole.scanner(), "bloom,hll", **options).digest == expected
    assert inkling.build(files, "bloom,hll", **options).digest == expected
    (tmp_path / "A.PQ").symlink_to(folder / "a.parquet")
    assert inkling.build(tmp_path / "A.PQ", "hll", key="who").records == 600
    paths: list[Any] = [folder, str(folder / "*.parquet"), [folder / "a.parquet", folder / "b.parquet"]]
    for path in paths:
        assert inkling.build(path, "bloom,hll", **options).digest == expected
    assert inkling.build(files[0], "hll", key=2).digest == inkling.build(table[:600], "hll", key="who").digest
    assert inkling.build(files[2], "hll", key="who").records == 0
    assert inkling.verify(inkling.build(whole, "bloom", key="n"), whole, key="n", tests=1000).ok
    for wrong in (whole, files[0]):
        with pytest.raises(inkling.UsageError, match="nobody"):
            inkling.build(wrong, key="nobody")
    for file in files:
        file.close()


def test_parquet_that_cannot_be_read(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "a.parquet").write_bytes(b"a\nb\n")
    with pytest.raises(inkling.FormatError, match=r"a\.parquet: no Parquet file: ") as caught:
        inkling.build(tmp_path / "a.parquet")
    assert "\n" not in str(caught.value)
    assert inkling.build(tmp_path / "a.parquet", format="lines").built.records == 2  # what was asked for
    with pytest.raises(FileNotFoundError, match=r"b\.parquet: cannot open: No such file or directory$"):
        inkling.build(tmp_path / "b.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(inkling.UnsupportedError, match=r"a\.parquet: a Parquet file, and pyarrow, which reads it, is not"):
        inkling.build(tmp_path / "a.parquet", key="k")


def test_a_path_with_a_pattern_is_all_files_that_match(tmp_path: pathlib.Path) -> None:
    for name in ("b.txt", "a.txt", "a.csv"):
        (tmp_path / name).write_text(f"{name}\n")
    (tmp_path / "[a].txt").write_text("brackets\n")
    for pattern, names in (("*.txt", ["[a].txt", "a.txt", "b.txt"]), ("?.csv", ["a.csv"]), ("[a].txt", ["[a].txt"])):
        assert matching(tmp_path / pattern) == [str(tmp_path / name) for name in names] or pattern == names[0]
        expected = inkling.build([tmp_path / name for name in names], "bloom,top")
        for path in (tmp_path / pattern, str(tmp_path / pattern), [tmp_path / pattern]):
            assert inkling.build(path, "bloom,top").to_bytes() == expected.to_bytes()
    for nothing in (tmp_path / "x*.txt", [tmp_path / "a.txt", tmp_path / "x*.txt"]):
        with pytest.raises(FileNotFoundError, match=r"x\*\.txt: cannot open: No such file"):
            inkling.build(nothing)


def test_keys_where_paths_are_expected_are_refused_with_where_to_go(folder: pathlib.Path) -> None:
    for keys in (["bee", "cat"], ("bee",), iter(["bee"]), ["bee", "cat.csv"]):
        with pytest.raises(FileNotFoundError) as caught:
            inkling.build(keys)
        assert str(caught.value) == "bee: cannot open: No such file or directory; keys go to Sketch.add"
        assert (caught.value.errno, caught.value.filename) == (errno.ENOENT, "bee")
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    for paths in (
        "bee", pathlib.Path("bee"), [pathlib.Path("bee")], [str(folder / "words.txt"), "bee"], ["none://bee", "cat"]
    ):  # fmt: skip
        with pytest.raises(FileNotFoundError, match="No such file or directory$"):
            inkling.build(paths)


def test_paths_and_tables_do_not_go_together(folder: pathlib.Path) -> None:
    for mixed in ([folder / "words.txt", arrow_table()], [arrow_table(), folder / "words.txt"]):
        with pytest.raises(inkling.UsageError):
            inkling.build(mixed, key="user")


def test_what_a_generator_of_batches_raises_comes_out() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    schema = arrow_table().schema

    def batches() -> Any:
        yield arrow_batches()[0]
        raise RuntimeError("the source is gone")

    reader = pyarrow.RecordBatchReader.from_batches(schema, batches())
    with pytest.raises((RuntimeError, inkling.InklingError), match="the source is gone"):
        inkling.build(reader, key="user")


@pytest.mark.parametrize("kind", ["bloom", "classic", "counting", "bloom,hll"])
def test_a_filter_that_got_more_keys_than_planned_is_refused(kind: str, tmp_path: pathlib.Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    words = tmp_path / "words.txt"
    words.write_text("".join(f"{number}\n" for number in range(1000)))
    sources: list[Any] = [str(words), pyarrow.table({"key": list(range(1000))})]
    for data in sources:
        key = "key" if isinstance(data, pyarrow.Table) else None
        with pytest.raises(inkling.PromiseError, match="n 1000, or max_rate to allow it"):
            inkling.build(data, kind, n=500, key=key)
        made = inkling.build(data, kind, n=500, key=key, max_rate=0.5)
        assert made is not None
    for allowed in "scalable", "hll":
        with pytest.raises(inkling.UsageError, match="max_rate is not for"):
            inkling.build([1], allowed, max_rate=0.5)


def test_of_groups_above_their_promise_the_worst_three_are_named() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    rows = pyarrow.table({"key": list(range(1000)), "by": [f"g{min(number // 100, 5)}" for number in range(1000)]})
    with pytest.raises(inkling.PromiseError) as caught:
        inkling.build(rows, "bloom", key="key", by="by", n=50)
    message = str(caught.value)
    assert "6 of 6 filters would be above the promised rate 0.01: g5 (" in message
    assert " and 3 more; expected n " in message
    assert "or none (then each group is sized by its keys), or max_rate" in message
    assert len(inkling.build(rows, "bloom", key="key", by="by")) == 6
