"""What the documents show: shell blocks are run, and every option, file and target that is named is there."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess

import pytest
from inkhadoop.command import HELP
from inkhadoop.words import OWN

ROOT = pathlib.Path(__file__).resolve().parents[3]
DOCUMENTS = ("docs/hadoop.md", "adapters/hadoop/README.md")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_shell_blocks_run(name: str, static_ink: str, tmp_path: pathlib.Path) -> None:
    blocks = re.findall(
        r"^```sh\n(.*?)^```$", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "ink").symlink_to(static_ink)
    environment = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    for block in blocks:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block],
            cwd=tmp_path,
            env=environment,
            text=True,
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "the same sketches\n", "")
    assert bool(blocks) == (name == "docs/hadoop.md")


def test_our_own_options_are_in_help_and_in_the_document() -> None:
    document = (ROOT / DOCUMENTS[0]).read_text(encoding="utf-8")
    for name in OWN:
        assert re.search(rf"(^|\s){re.escape(name)}\b", HELP, re.MULTILINE), name
    for name in ("--reducers", "--queue", "-D", "--no-uber", "--ink"):
        assert f"`{name} " in document or f"`{name}`" in document, name


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_is_named_is_there(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for target in re.findall(r"make ([a-z-]+)", text):
        assert target in targets, target
    for link in re.findall(r"\]\(([^)#:]+)", text):
        assert (ROOT / name).parent.joinpath(link).exists(), link
    for module in re.findall(r"`([a-z_]+\.py)`", text):
        found = [
            path
            for folder in ("inkhadoop", "tests")
            for path in (ROOT / "adapters/hadoop" / folder).glob(module)
        ]
        assert found, module
