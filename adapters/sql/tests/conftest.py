"""What the tests share: each engine, once for each test, and the command of the build under test.

`make test-sql` says by INK_COMMAND where the command is, by INK_SQL_BUILT where the extensions are, and by
INK_SQL_ENGINES which of them are tested (sqlite,duckdb,postgresql).
"""

from __future__ import annotations

import os
import pathlib
import subprocess
from collections.abc import Iterator

import pytest
from engines import ENGINES, Engine

CHOSEN = os.environ.get("INK_SQL_ENGINES", ",".join(ENGINES)).split(",")
COMMAND = os.environ.get("INK_COMMAND", "build/ink")


@pytest.fixture(params=CHOSEN)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    opened = ENGINES[request.param]()
    yield opened
    opened.close()


@pytest.fixture
def tmp_path(tmp_path: pathlib.Path) -> pathlib.Path:
    """One that a server of another user may read."""
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        folder.chmod(0o755)
    return tmp_path


class Command:
    """The command ink in a folder of its own."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder

    def __call__(self, *words: object, data: bytes = b"") -> str:
        done = subprocess.run(
            [COMMAND, *map(str, words)], input=data, capture_output=True, cwd=self.folder, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def digest(self, name: str) -> str:
        return self("info", "--digest", name).strip()


@pytest.fixture
def ink(tmp_path: pathlib.Path) -> Command:
    return Command(tmp_path)
