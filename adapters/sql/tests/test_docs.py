"""docs/sql.md, typed into each engine's shell from top to bottom: what each block prints is what stands in it.

Blocks of `sql` are for all engines, others for the engine that they name, and `sh` is for a shell in the same folder.
"""

from __future__ import annotations

import os
import pathlib
import re
import subprocess

import pytest
from conftest import CHOSEN, COMMAND
from engines import ENGINES

ROOT = pathlib.Path(__file__).resolve().parents[3]
DOCUMENT = (ROOT / "docs/sql.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def printed(text: str, mark: str) -> list[str]:
    """The lines that a block says are printed."""
    return [line.removeprefix(mark) for line in text.splitlines() if line.startswith(mark)]


def run_shell(folder: pathlib.Path, text: str) -> str:
    environment = {**os.environ, "PATH": f"{pathlib.Path(COMMAND).resolve().parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", text], cwd=folder, env=environment, text=True, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("name", CHOSEN)
def test_the_document_prints_what_it_shows(name: str, tmp_path: pathlib.Path) -> None:
    shell = ENGINES[name].shell(tmp_path)
    count = 0
    for language, text in BLOCK.findall(DOCUMENT):
        if language in ("sql", name):
            assert shell(text).splitlines() == printed(text, "-- "), text
            count += 1
        elif language == "sh":
            assert run_shell(tmp_path, text).splitlines() == printed(text, "# prints: "), text
    assert count >= 8


def test_blocks_are_for_engines_that_are_there() -> None:
    """An engine has a block where any has one."""
    languages = {language for language, _ in BLOCK.findall(DOCUMENT)}
    assert languages - {"sql", "sh", "bash"} == set(ENGINES)
