"""Every name of inkling.spark is typed."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys


def test_the_package_is_typed_throughout(source: pathlib.Path, tmp_path: pathlib.Path) -> None:
    # mypy takes a package from one folder: together they are as a wheel has them.
    shutil.copytree(source / "adapters/python/inkling", tmp_path / "inkling")
    shutil.copytree(source / "adapters/spark/inkling/spark", tmp_path / "inkling/spark")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(source / "adapters/spark/mypy.ini"),
         "--cache-dir", str(tmp_path / "cache"), "-p", "inkling.spark"],
        cwd=tmp_path, text=True, capture_output=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
