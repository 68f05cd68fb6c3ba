"""Builds of files: cut anywhere, read in C or as lines by Spark, with the digests of ``ink build``."""

from __future__ import annotations

import gzip
import os
import pathlib
import random
import struct
from collections.abc import Callable
from typing import Any

import pyarrow
import pytest
from conftest import digest, no_jobs
from pyspark.sql import SparkSession

import inkling
import inkling.spark as ink
from inkling.pieces import Job
from inkling.spark import _exchange, _paths, _results, _splits
from inkling.spark._paths import Found
from inkling.spark._splits import shared_out

HEADER = "id\tscore\ttimes\n"


def lines(count: int, seed: int = 1) -> str:
    chance = random.Random(seed)
    return "".join(
        f"k{chance.randrange(count // 2)}\t{chance.choice(['1.5', '2.5', '3', 'x'])}\t{chance.randrange(5)}\n"
        for _ in range(count)
    )


@pytest.fixture
def small_splits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Splits of some KiB, so that small files are cut into many."""
    monkeypatch.setattr(_splits, "_SPLIT_BYTES_MIN", 1 << 12)
    monkeypatch.setattr(_splits, "_SPLIT_BYTES_MAX", 1 << 12)


@pytest.fixture(params=["here", "there"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Small data is reduced on the driver, other data by tasks; both ways must give the same."""
    monkeypatch.setattr(_exchange, "SMALL_BYTES", 1 << 40 if request.param == "here" else -1)
    name: str = request.param
    return name


# ---- The same digests -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("a.tsv", HEADER + lines(4000), {"header": True, "key": "id", "by": "score"}),
        ("a.tsv", HEADER + lines(4000), {"header": True, "key": ["id", "times"], "by": 2}),
        ("a.tsv", lines(4000), {"key": 1, "weight": 3, "kind": "count-min,hll", "eps": 0.01}),
        ("a.tsv", lines(4000).replace("x", "4"), {"key": 1, "by": 2, "round": "half-even"}),
        ("a.tsv", lines(4000), {"key": 1, "by": 2, "round": "half-up", "bad": "skip"}),
        ("a.txt", lines(4000), {"fields": True, "key": 1, "by": 3}),
        (
            "a.txt",
            lines(4000).replace("\t", ";"),
            {"delimiter": ";", "key": 1, "hash": "mmh3", "kind": "classic"},
        ),
        ("a.csv", lines(4000).replace("\t", ","), {"key": 1, "by": 2, "kind": "bloom,hll,fm"}),
        ("a.csv", '"a\nb",1\n' * 3000 + "c,2\n", {"key": 1, "by": 2, "csv_multiline": True}),
        ("a.txt", "\r\n".join(str(i % 700) for i in range(5000)), {"key_type": "int"}),
        ("a.txt", "\0".join(str(i % 700) for i in range(5000)), {"format": "nul"}),
        ("a.jsonl", "".join(f'{{"u":{{"id":"x{i % 900}"}}}}\n' for i in range(3000)), {"key": "u.id"}),
        ("a.txt", "", {}),
        ("a.tsv", HEADER, {"header": True, "key": "id"}),
    ],
    ids=lambda value: str(value)[:50].replace("\n", " ") if isinstance(value, (str, dict)) else None,
)  # fmt: skip
def test_options(
    spark: SparkSession,
    small_splits: None,
    tmp_path: pathlib.Path,
    name: str,
    text: str,
    options: dict[str, Any],
) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode())
    made, want = ink.build_files(spark, path, **options), inkling.build(path, **options)
    assert digest(made) == digest(want)
    assert (made.built.records, made.built.bad) == (want.built.records, want.built.bad)
    if isinstance(want, inkling.Sketches):
        assert made.input_spec == want.input_spec


@pytest.mark.parametrize(("form", "code"), [("u32", "<I"), ("u64", "<Q")])
def test_integers(
    spark: SparkSession, small_splits: None, tmp_path: pathlib.Path, form: str, code: str
) -> None:
    path = tmp_path / "numbers"
    path.write_bytes(b"".join(struct.pack(code, number * 7919 % 2000) for number in range(9001)))
    assert digest(ink.build_files(spark, path, format=form)) == inkling.build(path, format=form).digest


def test_same_file_as_the_command(
    spark: SparkSession, tmp_path: pathlib.Path, ink: Callable[..., Any]
) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(HEADER + lines(5000))
    inkling.spark.build_files(spark, path, "bloom,hll", header=True, key="id", by="score").save(
        tmp_path / "made.ink"
    )
    words = ["--header", "--key", "id", "--by", "score", "-o", tmp_path / "want.ink"]
    ink("build", "bloom,hll", *words, path)
    digests = [ink("info", "--digest", tmp_path / f"{name}.ink").stdout for name in ("made", "want")]
    assert digests[0] == digests[1]
    assert inkling.open(tmp_path / "made.ink").input_spec == inkling.open(tmp_path / "want.ink").input_spec
    assert ink("verify", tmp_path / "made.ink", path).returncode == 0


def test_compressed_files_and_folders(
    spark: SparkSession, small_splits: None, tmp_path: pathlib.Path
) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.tsv").write_text(HEADER + lines(500, number))
    (folder / "3.tsv.gz").write_bytes(gzip.compress((HEADER + lines(5000, 3)).encode()))
    (folder / "_SUCCESS").write_text("not a record")
    (folder / ".hidden").write_text("not a record")
    options: dict[str, Any] = {"header": True, "key": "id", "by": "score"}
    files = sorted(folder.glob("[0-9]*"))
    want = inkling.build(files, **options)
    for paths in (folder, files, f"{folder}/[0-9]*", f"{folder}/*", [f"file:{folder}"]):
        made = ink.build_files(spark, paths, **options)
        assert made.digest == want.digest
        assert made.built.records == 6500
    assert ink.build_files(spark, f"file://{folder}/{{0,2}}.tsv", **options).built.records == 1000


def test_every_split_of_a_file(tmp_path: pathlib.Path) -> None:
    """All bytes are dealt once, to about as many tasks as there are, each with about the same."""
    chance = random.Random(5)
    files = []
    for number in range(20):
        path = tmp_path / f"{number}.txt"
        path.write_bytes(b"")
        files.append(Found(str(path), chance.choice([0, 1, 5 << 20, 700 << 20])))
    dealt = shared_out(files, 4)
    cuts = sorted(cut for hand in dealt for cut in hand)
    for file in files:
        own = [cut for cut in cuts if cut[0] == file.path]
        at = 0
        for _, offset, size, whole in own:
            assert offset == at
            assert whole == file.bytes
            at = offset + size if len(own) > 1 else whole
        assert at == file.bytes
    sums = [sum(size or whole for _, _, size, whole in hand) for hand in dealt]
    assert max(sums) - min(sums) <= 128 << 20
    assert max(size for _, _, size, _ in cuts) <= 128 << 20


@pytest.mark.parametrize(
    ("mebibytes", "tasks", "most", "hands"),
    [(0, 4, 0, 1), (3, 4, 1, 3), (100, 4, 25, 4), (900, 4, 113, 8), (2048, 4, 128, 16), (2048, 1, 128, 16), (256, 1, 128, 2)],
)
def test_splits_are_as_large_as_is_worth_it(
    tmp_path: pathlib.Path, mebibytes: int, tasks: int, most: int, hands: int
) -> None:
    """One for each task, or two where there is much to read; none below a MiB, none above 128."""
    path = tmp_path / "a.txt"
    path.touch()
    dealt = shared_out([Found(str(path), mebibytes << 20)], tasks)
    assert len(dealt) == hands == sum(map(len, dealt))
    assert max(-(-size // (1 << 20)) for hand in dealt for _, _, size, _ in hand) == most
    assert shared_out([Found(str(path), mebibytes << 20)], tasks, cuttable=False) == [
        ((str(path), 0, 0, mebibytes << 20),)
    ]


# ---- Which files are meant ------------------------------------------------------------------------

TREE = ("a.txt", "b.txt", "c", "[x].txt", "day/1.txt", "day/_day=7/2.txt", "day/_logs/3", "day/.crc", "day/4._COPYING_")


@pytest.fixture
def tree(tmp_path: pathlib.Path) -> pathlib.Path:
    for name in TREE:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "empty").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a.txt", ["a.txt"]),
        ("day", ["day/1.txt", "day/_day=7/2.txt"]),
        ("day/_logs", ["day/_logs/3"]),  # which was asked for
        ("day/_logs/*", ["day/_logs/3"]),
        ("day/*", ["day/1.txt", "day/_day=7/2.txt"]),
        ("?.txt", ["a.txt", "b.txt"]),
        ("[ab].txt", ["a.txt", "b.txt"]),
        ("[x].txt", ["[x].txt"]),  # there is one of that name
        ("{a,b,none}.txt", ["a.txt", "b.txt"]),
        ("{day/{1,9},a}.txt", ["a.txt", "day/1.txt"]),
        ("{a.txt,?.txt}", ["a.txt", "b.txt"]),
    ],
)
def test_the_files_that_a_path_means(tree: pathlib.Path, path: str, found: list[str]) -> None:
    assert [file.path for file in _paths.find_files(f"{tree}/{path}")] == [f"{tree}/{name}" for name in found]
    assert [file.bytes for file in _paths.find_files(f"file:{tree}/{path}")] == list(map(len, found))


def test_what_no_file_can_be_is_refused_by_name(tree: pathlib.Path) -> None:
    os.mkfifo(tree / "pipe")
    (tree / "link").symlink_to(tree / "nowhere")
    for name, error, said in (
        ("none", FileNotFoundError, "cannot open: No such file or directory"),
        ("link", FileNotFoundError, "cannot open: No such file or directory"),
        ("day/{_none,.none}", FileNotFoundError, "cannot open: No such file or directory"),
        ("empty", FileNotFoundError, "a folder without files, expected at least one"),
        ("pipe", inkling.UsageError, "neither a file nor a folder, expected what can be read again"),
    ):
        with pytest.raises(error) as caught:
            _paths.find_files(f"{tree}/{name}")
        assert str(caught.value) == f"{tree}/{name}: {said}"


@pytest.mark.parametrize(
    ("path", "local", "scheme"),
    [
        ("a/b", "a/b", None),
        ("/a:b/c", "/a:b/c", None),
        ("a:b", "a:b", None),
        ("file:/a", "/a", "file"),
        ("FILE:///a", "/a", "file"),
        ("hdfs://nn/a", None, "hdfs"),
        ("s3a:///a", None, "s3a"),
    ],
)
def test_paths_of_this_machine(path: str, local: str | None, scheme: str | None) -> None:
    assert (_results.local_path(path), _results.scheme_of(path)) == (local, scheme)
    with pytest.raises(inkling.UsageError, match="a file of another machine, expected file:/path or file:///path"):
        _results.local_path("file://there/a")


def test_the_form_of_a_file_is_that_of_its_suffix() -> None:
    forms = {"csv": "csv", "tsv": "tsv", "jsonl": "jsonl", "ndjson": "jsonl", "json": "jsonl", "txt": "lines", "gz": "lines"}
    for suffix, form in forms.items():
        for packed in ("", ".gz", ".zst"):
            assert _paths.form_of(f"/x/a.{suffix}{packed}") == form, (suffix, packed)


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_the_first_line_of_a_file(tmp_path: pathlib.Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    for text, line in ((b"id\tname\r\n1\n", b"id\tname\r\n"), (b"no end", b"no end"), (b"x" * (1 << 21), b"x" * (1 << 20))):
        with pyarrow.output_stream(path, compression=_COMPRESSIONS[suffix]) as stream:
            stream.write(text)
        (file,) = _paths.find_files(str(path))
        assert _paths.first_line(file) == line
        assert file.compressed == _COMPRESSIONS[suffix]
    path.rename(tmp_path / "named otherwise")
    (file,) = _paths.find_files(str(tmp_path / "named otherwise"))
    assert _paths.first_line(file) == line


_COMPRESSIONS = {"": None, ".gz": "gzip", ".zst": "zstd"}


# ---- As Spark reads them --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("a.tsv", lines(3000), {"key": 1, "by": 2}),
        ("a.csv", lines(3000).replace("\t", ","), {"key": [1, 3], "kind": "hll"}),
        ("a.jsonl", "".join(f'{{"id":{i % 900}}}\n' for i in range(3000)), {"key": "id", "key_type": "int"}),
        ("a.txt", "\0".join(str(i % 700) for i in range(2000)), {"format": "nul"}),
        ("a.txt", "\xff\x00odd\r\nlines\r\n\r\n" * 9 + "end", {}),
        ("a.txt", "\xef\xbb\xbfone\n\xef\xbb\xbftwo\n" * 9, {}),
    ],
    ids=lambda value: str(value)[:20].replace("\n", " ").replace("\0", " "),
)
def test_text(
    spark: SparkSession, tmp_path: pathlib.Path, name: str, text: str, options: dict[str, Any]
) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode("latin-1"))
    made, want = ink.build_files(spark, path, read="text", **options), inkling.build(path, **options)
    assert digest(made) == digest(want)
    assert made.built.records == want.built.records


def test_headers_of_text(spark: SparkSession, way: str, tmp_path: pathlib.Path) -> None:
    """The first line of each file is no record, wherever files are cut, and other lines like it are."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.tsv").write_text(HEADER + lines(1500, number) + HEADER)
    (folder / "4.tsv.gz").write_bytes(gzip.compress((HEADER + lines(100, 4)).encode()))
    (folder / "5.tsv").write_text(HEADER)
    options: dict[str, Any] = {"header": True, "key": "id", "by": "score"}
    want = inkling.build(sorted(folder.iterdir()), **options)
    with _settings(
        spark, {"spark.sql.files.maxPartitionBytes": "20000", "spark.sql.files.openCostInBytes": "1"}
    ):
        made = ink.build_files(spark, str(folder), read="text", **options)
    assert made.digest == want.digest
    assert made.built.records == 6104


def test_another_file_system(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    """A path with a scheme that C cannot open is read by Spark."""
    (tmp_path / "a.tsv").write_text(HEADER + lines(1000))
    spark._jsc.hadoopConfiguration().set("fs.viewfs.mounttable.files.link./data", f"file://{tmp_path}")
    options: dict[str, Any] = {"header": True, "key": "id", "by": "score"}
    made = ink.build_files(spark, "viewfs://files/data/a.tsv", **options)
    want = inkling.build(tmp_path / "a.tsv", **options)
    assert made.digest == want.digest
    assert made.input_spec == want.input_spec
    with pytest.raises(inkling.UsageError, match='expected one of this machine, or read="text"'):
        ink.build_files(spark, "viewfs://files/data/a.tsv", read="splits", **options)


class _settings:
    """Settings of a session, for a while."""

    def __init__(self, spark: SparkSession, settings: dict[str, str]) -> None:
        self.conf, self.settings = spark.conf, settings

    def __enter__(self) -> None:
        self.before = {name: self.conf.get(name) for name in self.settings}
        for name, value in self.settings.items():
            self.conf.set(name, value)

    def __exit__(self, *_: object) -> None:
        for name, value in self.before.items():
            self.conf.set(name, value or "")


# ---- What cannot be -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "text", "options"),
    [
        (
            inkling.UsageError,
            'no column "ident", expected one of "id", "score"',
            {"header": True, "key": "ident"},
        ),
        (inkling.UsageError, "format", {"format": "xml"}),
        (inkling.UnsupportedError, "scalable has one writer", {"kind": "scalable"}),
        (inkling.UsageError, "read 'quickly', expected one of auto, splits, text", {"read": "quickly"}),
        (
            inkling.UsageError,
            "csv_multiline",
            {"read": "text", "csv_multiline": True, "format": "csv", "key": 1},
        ),
        (inkling.UsageError, "format u32 through Spark", {"read": "text", "format": "u32"}),
        (TypeError, "unexpected keyword argument 'colour'", {"colour": 1}),
    ],
    ids=lambda value: str(value)[:40],
)
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_refused_before_a_job(
    spark: SparkSession,
    tmp_path: pathlib.Path,
    error: type[Exception],
    text: str,
    options: dict[str, Any],
    suffix: str,
) -> None:
    path = tmp_path / f"a.tsv{suffix}"
    content = (HEADER + lines(100)).encode()
    path.write_bytes(gzip.compress(content) if suffix else content)
    with no_jobs(spark), pytest.raises(error) as caught:
        ink.build_files(spark, path, **options)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_files(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    for path in (tmp_path / "nowhere.tsv", tmp_path / "*.tsv", f"file:{tmp_path}/nowhere.tsv"):
        with pytest.raises(FileNotFoundError, match="No such file"):
            ink.build_files(spark, path)
    with pytest.raises(FileNotFoundError, match="a folder without files"):
        ink.build_files(spark, tmp_path)
    with pytest.raises(inkling.FileError, match="^file:/.*/nowhere.tsv: cannot be read: .*PATH_NOT_FOUND"):
        ink.build_files(spark, f"file:{tmp_path}/nowhere.tsv", read="text")
    with pytest.raises(inkling.FileError, match="^strange://x/a.tsv: cannot be read: [^\n]*strange[^\n]*$"):
        ink.build_files(spark, "strange://x/a.tsv")
    with pytest.raises(inkling.UsageError, match="no paths"):
        ink.build_files(spark, [])
    with pytest.raises(TypeError, match="paths of type int"):
        ink.build_files(spark, 7)  # type: ignore[arg-type]


@pytest.mark.parametrize("read", ["splits", "text"])
def test_other_headers_name_both_files(spark: SparkSession, tmp_path: pathlib.Path, read: Any) -> None:
    (tmp_path / "a.tsv").write_text("id\tscore\nx\t1\n")
    (tmp_path / "b.tsv").write_text("score\tid\n1\tx\n")
    with pytest.raises(inkling.MismatchError) as caught:
        ink.build_files(spark, tmp_path, header=True, key="id", by="score", read=read)
    assert "a.tsv" in str(caught.value)
    assert "b.tsv" in str(caught.value)


def test_a_bad_record_has_file_and_line(
    spark: SparkSession, small_splits: None, tmp_path: pathlib.Path
) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("".join(f"k{i}\t{i}\n" for i in range(3000)) + "last\tnone\n")
    with pytest.raises(inkling.InklingError) as caught:
        ink.build_files(spark, path, key=1, by=2, round="half-even")
    assert (caught.value.path, caught.value.location, caught.value.at) == (str(path), "line", 3001)
    with pytest.raises(inkling.InklingError) as caught:
        ink.build_files(spark, path, key=1, by=2, round="half-even", read="text")
    assert str(caught.value).startswith(f"{path}: ")


def test_a_node_that_does_not_see_a_file(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(lines(100))
    source, job = _splits.files_of(spark, path, Job("bloom", key=1))
    path.write_text(lines(90))
    with pytest.raises(inkling.MismatchError, match="a.tsv: node .* bytes of it, the driver"):
        source.collected(job)
    path.unlink()
    with pytest.raises(
        FileNotFoundError, match="a.tsv: node .* does not see it .*expected a path that every"
    ):
        source.collected(job)


# ---- On a cluster ---------------------------------------------------------------------------------


def test_everywhere(everywhere: SparkSession, small_splits: None, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(HEADER + lines(5000))
    options: dict[str, Any] = {"header": True, "key": "id", "by": "score", "kind": "bloom,hll"}
    assert ink.build_files(everywhere, path, **options).digest == inkling.build(path, **options).digest
