"""Shipping: what nodes get with the job, what they check, and what is said where something does not fit."""

from __future__ import annotations

import errno
import hashlib
import os
import pathlib
import platform
import struct
import subprocess
import sys
import weakref
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyspark.cloudpickle as cloudpickle
import pytest
from pyspark import SparkFiles

import inkling
from inkling import library
from inkling.spark import _arrival, _ship, attach
from inkling.spark._session import raising_task_errors
from inkling.spark._ship import Parcel, file_name, machine_of, own_library, pack, task

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE = platform.machine()
OTHER = "s390x" if HERE != "s390x" else "x86_64"
WORDS = ["bee", "ant", "cow"]
NO_ELF = "found no ELF file, expected a libinkling.so for Linux"


def elf(machine: str, kind: int = 3) -> bytes:
    """The head of a library for another machine, and something after it."""
    number, bits, order = next(key for key, name in _ship.MACHINES.items() if name == machine)
    ident = b"\x7fELF" + bytes([bits // 32, 1 if order == "<" else 2, 1]) + bytes(9)
    return ident + struct.pack(f"{order}HH", kind, number) + b"no code"


def foreign(folder: pathlib.Path, machine: str) -> pathlib.Path:
    path = folder / f"{machine}.so"
    path.write_bytes(elf(machine))
    return path


def run_python(*words: str, path: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """A new interpreter that finds packages in `path`."""
    return subprocess.run(
        [sys.executable, "-B", *words], env={**os.environ, "PYTHONPATH": str(path), **environment},
        cwd="/", text=True, capture_output=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.fixture
def sent(tmp_path: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    """The zip and the library, as they are on a node."""
    folder = tmp_path / "node"
    folder.mkdir()
    library = folder / file_name(HERE, _ship._digest(own_library()))
    library.write_bytes(own_library().read_bytes())
    return pack(folder, {HERE: library.name}), library


def content(zipped: pathlib.Path) -> dict[str, bytes]:
    """The files of a zip without what is compiled, in which Python shares constants at will."""
    with zipfile.ZipFile(zipped) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith(".pyc")}


# ---- The package as a zip -------------------------------------------------------------------------


def test_the_zip_holds_both_packages_and_nothing_else(
    sent: tuple[pathlib.Path, pathlib.Path], source: pathlib.Path
) -> None:
    expected = {"inkling/_sent.py"}
    for adapter, package in (("python", "inkling"), ("spark", "inkling/spark")):
        folder = source / "adapters" / adapter / package
        expected |= {f"{package}/{path.name}" for path in [*folder.glob("*.py"), *folder.glob("py.typed")]}
        expected |= {f"{package}/{path.name}c" for path in folder.glob("*.py")}
    with zipfile.ZipFile(sent[0]) as archive:
        assert set(archive.namelist()) == expected


def test_the_same_package_is_the_same_zip(tmp_path: pathlib.Path) -> None:
    made = []
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        made.append(pack(folder, {HERE: "x.so"}))
    other = pack(tmp_path, {HERE: "y.so"})
    assert made[0].name == made[1].name != other.name
    assert content(made[0]) == content(made[1])


def test_the_package_works_from_the_zip_with_the_library_beside_it(
    sent: tuple[pathlib.Path, pathlib.Path],
) -> None:
    zipped, library = sent
    program = (
        "import inkling.library; print(inkling.library.path(), inkling.__path__[0], "
        f'inkling.Sketch("bloom", n=100).add({WORDS}).digest)'
    )
    # -S: not even the packages of the environment are there; another library of the node is not looked at.
    done = run_python("-S", "-c", program, path=zipped, INKLING_LIBRARY="/nowhere.so")
    assert done.returncode == 0, done.stderr
    digest = inkling.Sketch("bloom", n=100).add(WORDS).digest
    assert done.stdout.split() == [str(library), f"{zipped}/inkling", str(digest)]


def test_what_came_as_a_zip_can_be_sent_on(sent: tuple[pathlib.Path, pathlib.Path]) -> None:
    zipped, library = sent
    program = (
        "import pathlib, sys; from inkling.spark import _ship; "
        "print(_ship.own_library(), _ship.pack(pathlib.Path(sys.argv[1]), {sys.argv[2]: sys.argv[3]}))"
    )
    folder = zipped.parent / "on"
    folder.mkdir()
    done = run_python("-c", program, str(folder), HERE, library.name, path=zipped)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(library), str(folder / zipped.name)]
    assert content(folder / zipped.name) == content(zipped)


# ---- Libraries ------------------------------------------------------------------------------------


def test_the_machine_of_a_library_is_read_from_its_head(tmp_path: pathlib.Path) -> None:
    assert machine_of(own_library()) == HERE
    for machine in _ship.MACHINES.values():
        assert machine_of(foreign(tmp_path, machine)) == machine


@pytest.mark.parametrize(
    ("head", "error", "said"),
    [
        (b"", inkling.FormatError, NO_ELF),
        (b"#!/bin/sh\nexit 0\n# long enough", inkling.FormatError, NO_ELF),
        (
            elf("aarch64", kind=1),
            inkling.FormatError,
            "found an ELF file of type 1, expected a shared library (3)",
        ),
        (
            b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HH", 3, 40),
            inkling.UnsupportedError,
            "found a library for machine 40 of 32 bits, little-endian, "
            "expected aarch64, loongarch64, ppc64le, riscv64, s390x, x86_64",
        ),
    ],
    ids=["empty", "script", "object", "arm32"],
)
def test_what_is_no_library_is_reported_by_its_path(
    head: bytes, error: type[inkling.InklingError], said: str, tmp_path: pathlib.Path
) -> None:
    path = tmp_path / "x.so"
    path.write_bytes(head)
    with pytest.raises(error) as caught:
        machine_of(path)
    assert str(caught.value) == f"{path}: {said}"


def test_a_library_that_is_not_there_is_reported_by_its_path(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere.so: No such file or directory") as caught:
        attach(spark, libraries=[tmp_path / "nowhere.so"])
    assert isinstance(caught.value, inkling.FileError)


def test_one_path_is_no_list(spark: SparkSession) -> None:
    with pytest.raises(inkling.UsageError, match="^libraries is 'x.so', expected a list of paths$"):
        attach(spark, libraries="x.so")


def test_two_libraries_for_one_machine_are_refused(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    said = f"another library for {HERE} than .*, expected one for each machine"
    with pytest.raises(inkling.MismatchError, match=said):
        attach(spark, libraries=[foreign(tmp_path, HERE)])
    copy = tmp_path / "copy.so"
    copy.write_bytes(own_library().read_bytes())
    attach(spark, libraries=[copy])


def test_a_library_that_has_gone_from_the_driver_is_reported_before_a_job(
    spark: SparkSession, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "path", lambda: str(tmp_path / "gone.so"))
    monkeypatch.setattr(_ship, "_sent", weakref.WeakKeyDictionary())
    with pytest.raises(inkling.FileError) as caught:
        task(spark, numbers)
    said = "the Inkling library is not there any more, expected to send it"
    assert str(caught.value) == f"{tmp_path / 'gone.so'}: {said}"


def test_what_is_no_session_with_a_context_is_refused() -> None:
    remote = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()
    said = "^found a session of Spark Connect, expected one with a SparkContext$"
    with pytest.raises(inkling.UnsupportedError, match=said):
        attach(remote)
    with pytest.raises(inkling.UnsupportedError, match="^found builtins.str, expected a SparkSession$"):
        attach("spark")  # type: ignore[arg-type]


def test_a_session_that_was_stopped_is_refused(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark.sparkContext, "_jsc", None)
    with pytest.raises(
        inkling.UsageError, match="^found a Spark session that was stopped, expected one that runs$"
    ):
        attach(spark)


# ---- On nodes -------------------------------------------------------------------------------------

SCHEMA = "machine string, library string, package string, path string, digest string"


def numbers(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches


def looking_around(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What a worker has: one row."""
    for _ in batches:
        pass
    found = {
        "machine": platform.machine(),
        "library": library.path(),
        "package": os.path.abspath(inkling.__path__[0]),
        "path": os.environ.get("PYTHONPATH", "") + os.environ.get("INKLING_LIBRARY", ""),
        "digest": str(inkling.Sketch("bloom", n=100).add(WORDS).digest),
    }
    yield pa.RecordBatch.from_pylist([found])


def test_nodes_have_what_was_sent_and_nothing_else(everywhere: SparkSession, source: pathlib.Path) -> None:
    rows = everywhere.range(0, 10, 1, 4).mapInArrow(task(everywhere, looking_around), SCHEMA).collect()
    assert len(rows) == 4
    name = file_name(HERE, hashlib.sha256(own_library().read_bytes()).hexdigest())
    for row in rows:
        assert os.path.basename(row.library) == name
        assert row.package.endswith(".zip/inkling")
        zipped = row.package.removesuffix("/inkling")
        assert os.path.dirname(row.library) == os.path.dirname(zipped)
        assert str(source) not in row.path
        assert row.digest == str(inkling.Sketch("bloom", n=100).add(WORDS).digest)


def test_functions_of_users_have_it_after_attach(spark: SparkSession) -> None:
    attach(spark)

    def mine(batches: Any) -> Any:
        import inkling as there

        for batch in batches:
            assert "bee" in there.Sketch("bloom", n=100).add(WORDS)
            yield batch

    assert spark.range(7).mapInArrow(mine, "id long").count() == 7


def files_of(spark: SparkSession) -> list[str]:
    names = [os.path.basename(path) for path in spark.sparkContext.listFiles]
    return sorted(name for name in names if name.startswith(("inkling", "libinkling")))


def test_a_second_attach_sends_nothing_and_leaves_the_driver_as_it_is(spark: SparkSession) -> None:
    path = list(sys.path)
    attach(spark)
    before = files_of(spark)
    assert len(before) >= 2
    attach(spark)
    attach(spark.newSession(), libraries=[])
    assert files_of(spark) == before
    assert sys.path == path


def test_libraries_of_other_machines_go_along_once(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    attach(spark)
    before = set(files_of(spark))
    path = foreign(tmp_path, OTHER)
    attach(spark, libraries=[path])
    added = set(files_of(spark)) - before
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert len(added) == 2 and file_name(OTHER, digest) in added
    attach(spark, libraries=[path])
    assert set(files_of(spark)) == before | added
    row = spark.range(1).coalesce(1).mapInArrow(task(spark, looking_around), SCHEMA).collect()[0]
    assert row.library.endswith(file_name(HERE, _ship._digest(own_library())))


def test_what_could_not_be_sent_whole_is_sent_next_time(
    spark: SparkSession, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is full for a while."""
    path = foreign(tmp_path, "riscv64")

    def half(source: pathlib.Path, target: pathlib.Path) -> None:
        target.write_bytes(source.read_bytes()[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(_ship.shutil, "copyfile", half)
        with pytest.raises(OSError, match="No space left"):
            attach(spark, libraries=[path])
    attach(spark, libraries=[path])
    name = file_name("riscv64", _ship._digest(path))
    assert pathlib.Path(SparkFiles.get(name)).read_bytes() == path.read_bytes()


def failing_with(spark: SparkSession, facts: dict[str, Any]) -> str:
    """What is said where workers find something else than `facts`."""
    run = _arrival.starting(facts, Parcel(numbers))
    with pytest.raises(inkling.MismatchError) as caught, raising_task_errors():
        spark.range(3).mapInArrow(run, "id long").collect()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_node_of_another_machine_says_what_there_is_and_what_to_do(spark: SparkSession) -> None:
    attach(spark)
    libraries = {"aarch64_x": "", OTHER: ""}
    facts = {**_ship._sent[spark.sparkContext].facts(), "libraries": libraries}
    assert failing_with(spark, facts) == (
        f"node {platform.node()} is {HERE}: found a library for aarch64_x, {OTHER}, expected one for {HERE}: "
        f'ink.attach(spark, libraries=["libinkling.so of {HERE}"])'
    )


def test_another_version_on_the_driver_is_reported(spark: SparkSession) -> None:
    attach(spark)
    facts = {**_ship._sent[spark.sparkContext].facts(), "version": "9.9.9"}
    said = failing_with(spark, facts)
    assert said.startswith(f"node {platform.node()} has inkling {inkling.__version__} in ")
    assert said.endswith(".zip/inkling, which hides what came with the job: expected 9.9.9, or none")


def in_worker_with(installed: pathlib.Path, facts: dict[str, Any], parcel: bytes) -> str:
    """What a task says in a process that has another inkling before what was sent."""
    file = installed / "task.pickle"
    file.write_bytes(cloudpickle.dumps(_arrival.starting(facts, parcel)))
    program = f"import pickle; run = pickle.load(open({str(file)!r}, 'rb')); print(*run(iter([1, 2])))"
    done = run_python("-c", program, path=installed, INKLING_LIBRARY=str(own_library()))
    return (done.stderr or done.stdout).strip().splitlines()[-1]


def facts_of_this_driver() -> dict[str, Any]:
    return {"version": inkling.__version__, "libraries": {HERE: _ship._digest(own_library())}}


PARCEL = cloudpickle.dumps(numbers)


def test_an_older_package_on_a_node_is_reported_before_the_task_is_opened(tmp_path: pathlib.Path) -> None:
    package = tmp_path / "inkling"
    package.mkdir()
    (package / "__init__.py").write_text('__version__ = "0.0.9"\n')
    said = in_worker_with(tmp_path, facts_of_this_driver(), PARCEL)
    assert said == (
        'inkling.error: {"kind": "MismatchError", "message": '
        f'"node {platform.node()} has inkling 0.0.9 in {package}, '
        f'which hides what came with the job: expected {inkling.__version__}, or none"}}'
    )


def test_another_library_of_the_same_version_is_reported(tmp_path: pathlib.Path, source: pathlib.Path) -> None:
    (tmp_path / "inkling").symlink_to(source / "adapters/python/inkling")
    facts = facts_of_this_driver()
    assert in_worker_with(tmp_path, facts, cloudpickle.dumps(list)) == "1 2"
    facts["libraries"] = {HERE: "0" * 64}
    said = in_worker_with(tmp_path, facts, PARCEL)
    assert f"has loaded {own_library()}, which hides the library that came with the job" in said


def test_a_package_that_does_not_load_is_reported(tmp_path: pathlib.Path) -> None:
    (tmp_path / "inkling").mkdir()
    (tmp_path / "inkling/__init__.py").write_text("raise ImportError('cannot load x.so')\n")
    said = in_worker_with(tmp_path, facts_of_this_driver(), PARCEL)
    assert f'"node {platform.node()}: cannot load x.so"' in said


# ---- Functions ------------------------------------------------------------------------------------


def test_hints_that_are_text_select_the_form_of_a_function(spark: SparkSession) -> None:
    def merge(key: tuple[pa.Scalar, ...], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        assert not isinstance(batches, pa.Table)
        rows = sum(batch.num_rows for batch in batches)
        yield pa.RecordBatch.from_pydict({"g": [key[0].as_py()], "n": [rows]})

    groups = spark.range(10).selectExpr("id % 3 as g", "id").groupBy("g")
    found = groups.applyInArrow(task(spark, merge), "g long, n long").collect()
    assert sorted((row.g, row.n) for row in found) == [(0, 4), (1, 3), (2, 3)]


def test_a_broadcast_goes_along(spark: SparkSession) -> None:
    given = spark.sparkContext.broadcast(WORDS)

    def first(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            pass
        yield pa.RecordBatch.from_pydict({"word": [given.value[0]]})

    frame = spark.range(1).coalesce(1).mapInArrow(task(spark, first), "word string")
    assert [row.word for row in frame.collect()] == ["bee"]
    assert [row.word for row in frame.collect()] == ["bee"]
