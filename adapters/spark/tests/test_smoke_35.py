"""The oldest Spark that the adapter runs on: it has less to offer, and gives the same files."""

from __future__ import annotations

import json
import os
import pathlib
import random
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

import inkling

ROWS = 2000


def test_spark_3_5_builds_the_same_files(
    tmp_path: pathlib.Path, ink: Callable[..., Any], environment: dict[str, str]
) -> None:
    python = os.environ.get("INK_SMOKE_PYTHON")
    if not python:
        pytest.skip("INK_SMOKE_PYTHON names no Python with Spark 3.5: run make test-spark")
    chosen = random.Random(35)
    lines = [f"key{chosen.randrange(500)}\tg{chosen.randrange(4)}" for _ in range(ROWS)]
    rows = tmp_path / "rows.tsv"
    rows.write_text("\n".join(lines) + "\n")
    own = {name: value for name, value in environment.items() if name not in ("SPARK_HOME", "SPARK_CONF_DIR")}
    done = subprocess.run(
        [python, "-B", str(pathlib.Path(__file__).with_name("smoke_35.py")), str(rows), str(tmp_path)],
        env={**own, "PYSPARK_PYTHON": python, "PYSPARK_DRIVER_PYTHON": python}, cwd=tmp_path,
        text=True, capture_output=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["spark"].startswith("3.5.")
    assert found["arrow_udf"] is False

    ink("build", "bloom", rows, "--key", "1", "--by", "2", "-p", "0.01", "-o", tmp_path / "command.ink")
    expected = ink("info", "--digest", tmp_path / "command.ink").stdout
    for name in ("groups", "shuffled", "files", "jvm"):
        assert ink("info", "--digest", tmp_path / f"{name}.ink").stdout == expected, name
    inkling.build(str(rows), ["hll", "count-min"], format="tsv", key=1).save(str(tmp_path / "both.ink"))
    expected = ink("info", "--digest", tmp_path / "both.ink").stdout
    assert ink("info", "--digest", tmp_path / "kinds.ink").stdout == expected

    assert found["own"] == ROWS
    assert found["in_jvm"] is True and found["values"] == 4
    assert found["joined"] == found["expected"] > 0
    assert "double" in found["refused"] or "float" in found["refused"]
    assert found["bad"].startswith("FormatError: ") and "line 2" in found["bad"]
