"""The package is typed: mypy, at its strictest, finds nothing in it, and sees what typical uses give."""

from __future__ import annotations

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent
# Kept with the environment that mypy is in: what it knows of NumPy takes long to find out.
CACHE = pathlib.Path(sys.prefix) / "mypy-cache"


def mypy(environment: dict[str, str], *paths: pathlib.Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", CACHE]
    return subprocess.run(
        [str(word) for word in (*command, "--config-file", PROJECT / "pyproject.toml", *paths)],
        cwd=PROJECT, env={**environment, "MYPYPATH": str(PROJECT)},
        text=True, capture_output=True, check=False,
    )  # fmt: skip


def test_mypy_at_its_strictest_finds_nothing_in_the_package(plain_environment: dict[str, str]) -> None:
    done = mypy(plain_environment, PROJECT / "inkling", PROJECT / "hatch_build.py")
    assert done.returncode == 0, done.stdout + done.stderr


def test_typical_uses_have_the_types_that_people_expect(plain_environment: dict[str, str]) -> None:
    done = mypy(plain_environment, HERE / "typed_uses.py")
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_looks_at_all_of_it(plain_environment: dict[str, str], tmp_path: pathlib.Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text('import inkling\nx: int = inkling.__version__\n')
    done = mypy(plain_environment, wrong)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Incompatible types in assignment" in done.stdout
