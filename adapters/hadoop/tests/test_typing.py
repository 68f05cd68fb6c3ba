"""Every name of the adapter, of the cluster and of their tests is typed."""

from __future__ import annotations

import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[1]


def test_all_is_typed_throughout(tmp_path: pathlib.Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "--cache-dir", str(tmp_path), "inkhadoop",
         "localcluster", "tests"],
        cwd=FOLDER, text=True, capture_output=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
