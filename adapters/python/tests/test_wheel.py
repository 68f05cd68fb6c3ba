"""The wheel: one file that installs without a network, brings its library, and needs nothing else."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
import zipfile

import pytest

import inkling

ROUND_TRIP = """
import inkling, sys
folder, path = sys.argv[1:]
assert inkling.__file__.startswith(folder), inkling.__file__
sketch = inkling.Sketch("bloom", n=1000, p=0.01).add(["bee", "cat"])
sketch.save(path)
again = inkling.Sketch.open(path)
assert again.query(["bee", "cat"]) == [True, True] and "bee" in again
assert again.digest == sketch.digest and inkling._single.native is not None
print(inkling.__version__, inkling._library.library_path)
"""
BUILT = ("libinkling.so", "_native.abi3.so")
FOREIGN = 'const char *ink_version(void) { return "9.9.9"; }\n'
NAMELESS = "int nothing(void) { return 0; }\n"


def run(
    *words: object, env: dict[str, str], cwd: pathlib.Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in words],
        env=env,
        cwd=cwd,
        text=True,
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.fixture(scope="session")
def installed(
    tmp_path_factory: pytest.TempPathFactory, wheel: pathlib.Path, plain_environment: dict[str, str]
) -> pathlib.Path:
    """A folder that pip installed the wheel into, without a network or any other package."""
    folder = tmp_path_factory.mktemp("installed")
    done = run(
        sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
        "--disable-pip-version-check", "--target", folder, wheel, env=plain_environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


def loading(plain: dict[str, str], **more: object) -> dict[str, str]:
    """An environment in which a library with a sanitizer can be loaded too."""
    kept = {name: os.environ[name] for name in ("LD_PRELOAD", "PYTHONMALLOC") if name in os.environ}
    return {**plain, **kept, **{name: str(value) for name, value in more.items()}}


def compile_library(tmp_path: pathlib.Path, text: str, plain: dict[str, str]) -> pathlib.Path:
    code, made = tmp_path / "other.c", tmp_path / "libinkling.so"
    code.write_text(text)
    compiler = os.environ.get("CC") or "cc"
    done = run(*compiler.split(), "-shared", "-fPIC", code, "-o", made, env=plain)
    assert done.returncode == 0, done.stderr
    return made


def test_the_name_of_the_wheel_says_that_any_python_3_on_this_machine_will_do(wheel: pathlib.Path) -> None:
    machine = os.uname().machine
    assert wheel.name == f"libinkling-{inkling.__version__}-py3-none-linux_{machine}.whl"


ELF = b"\x7fELF\x02"


@pytest.mark.parametrize(
    ("head", "said"),
    [
        *((ELF + b"\1" + bytes(12) + bytes([number, 0]), name) for number, name in (
            (62, "x86_64"), (183, "aarch64"), (21, "ppc64le"), (243, "riscv64"))),
        (ELF + b"\2" + bytes(12) + b"\0\x16", "s390x"),
        (ELF + b"\1" + bytes(12) + b"\1\0", "found machine 1, expected one of "),
        (ELF + b"\1" + bytes(12) + b"\x3e", "found no ELF file"),
        (b"\xcf\xfa\xed\xfe" + bytes(16), "found no ELF file, expected a shared library for Linux"),
    ],
)  # fmt: skip
def test_the_machine_of_a_wheel_is_that_of_its_library(
    tmp_path: pathlib.Path, source: pathlib.Path, head: bytes, said: str
) -> None:
    library = tmp_path / "libinkling.so"
    library.write_bytes(head)
    program = "import sys, hatch_build; sys.exit(hatch_build.machine_of(sys.argv[1]))"
    env = {**os.environ, "PYTHONPATH": str(source / "adapters/python")}
    done = run(sys.executable, "-B", "-c", program, library, env=env)
    assert said in done.stderr.splitlines()[-1]


def test_the_wheel_holds_the_whole_package_its_library_and_nothing_else(
    wheel: pathlib.Path, source: pathlib.Path
) -> None:
    expected = {f"inkling/{path.name}" for path in (source / "adapters/python/inkling").glob("*.py")}
    expected |= {f"inkling/spark/{path.name}" for path in (source / "adapters/spark/inkling/spark").glob("*.py")}
    assert {"inkling/__init__.py", "inkling/spark/__init__.py"} <= expected
    expected |= {f"inkling/{name}" for name in ("py.typed", "LICENSE", *BUILT)}
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
        metadata = file.read(f"libinkling-{inkling.__version__}.dist-info/METADATA").decode()
    assert {name for name in names if ".dist-info/" not in name} == expected
    assert not re.findall(r"^Requires-Dist: (?!.*; extra ==).*$", metadata, re.M)


def test_an_installed_wheel_finds_its_library_and_makes_a_round_trip(
    installed: pathlib.Path, tmp_path: pathlib.Path, plain_environment: dict[str, str]
) -> None:
    # -S: not even the packages of the environment are there.
    done = run(
        sys.executable, "-S", "-B", "-W", "error", "-c", ROUND_TRIP, installed, tmp_path / "seen.ink",
        env=loading(plain_environment, PYTHONPATH=installed), cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [inkling.__version__, str(installed / "inkling/libinkling.so")]


def test_the_wheel_works_in_a_fresh_environment_without_a_compiler(
    tmp_path: pathlib.Path, wheel: pathlib.Path, plain_environment: dict[str, str]
) -> None:
    done = run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "fresh", env=plain_environment)
    assert done.returncode == 0, done.stderr
    python, nothing = tmp_path / "fresh/bin/python", {**plain_environment, "PATH": "/nowhere"}
    done = run(
        sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index",
        "--disable-pip-version-check", wheel, env=nothing,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    done = run(python, "-W", "error", "-c", ROUND_TRIP, tmp_path / "fresh", "seen.ink", env=loading(nothing), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] == inkling.__version__


@pytest.mark.parametrize("name", BUILT)
def test_the_library_and_the_module_in_the_wheel_need_libc_alone(
    name: str, installed: pathlib.Path, plain_environment: dict[str, str], sanitized: bool
) -> None:
    if sanitized:
        pytest.skip("a sanitizer is a library of its own")
    done = run("readelf", "-d", installed / "inkling" / name, env={**plain_environment, "LC_ALL": "C"})
    assert done.returncode == 0, done.stderr
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", done.stdout)
    assert "libc.so.6" in needed
    assert [name for name in needed if name != "libc.so.6" and not name.startswith("ld-linux")] == []


def test_every_place_that_has_the_version_has_the_same(wheel: pathlib.Path, source: pathlib.Path) -> None:
    header = (source / "include/inkling.h").read_text()
    parts = ("MAJOR", "MINOR", "PATCH")
    numbers = [re.search(rf"#define INK_VERSION_{part} (\d+)", header) for part in parts]
    tomllib = pytest.importorskip("tomllib")  # of Python 3.11
    project = tomllib.loads((source / "adapters/python/pyproject.toml").read_text())["project"]
    with zipfile.ZipFile(wheel) as file:
        names = [name for name in file.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = re.search(r"^Version: (.*)$", file.read(names[0]).decode(), re.M)
    assert "version" in project["dynamic"], "expected to come from the package"
    assert ".".join(found[1] for found in numbers if found) == inkling.__version__
    assert metadata and metadata[1] == inkling.__version__


def test_no_wheel_is_made_without_a_library(
    tmp_path: pathlib.Path, source: pathlib.Path, plain_environment: dict[str, str]
) -> None:
    done = run(
        sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", tmp_path,
        env=plain_environment, cwd=source / "adapters/python",
    )  # fmt: skip
    assert done.returncode != 0
    assert "INKLING_LIBRARY is not set, expected the path of libinkling.so" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_library_of_another_version_is_refused_by_name(
    tmp_path: pathlib.Path, source: pathlib.Path, plain_environment: dict[str, str]
) -> None:
    other = compile_library(tmp_path, FOREIGN, plain_environment)
    env = loading(plain_environment, PYTHONPATH=source / "adapters/python", INKLING_LIBRARY=other)
    done = run(sys.executable, "-B", "-c", "import inkling", env=env)
    assert done.returncode != 0
    last = done.stderr.strip().splitlines()[-1]
    assert last == f"ImportError: {other} is Inkling 9.9.9, expected {inkling.__version__}"


def test_what_is_not_the_library_is_refused_by_name(
    tmp_path: pathlib.Path, source: pathlib.Path, plain_environment: dict[str, str]
) -> None:
    other = compile_library(tmp_path, NAMELESS, plain_environment)
    for path in (other, tmp_path / "nowhere.so"):
        env = loading(plain_environment, PYTHONPATH=source / "adapters/python", INKLING_LIBRARY=path)
        done = run(sys.executable, "-B", "-c", "import inkling", env=env)
        assert done.returncode != 0
        assert re.match(rf"ImportError: .*{re.escape(str(path))}", done.stderr.strip().splitlines()[-1])
