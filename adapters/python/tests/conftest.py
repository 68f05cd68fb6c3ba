"""What the tests share: where the source, the library and the command of the build under test are.

`make test-python` says so by INK_SOURCE, INKLING_LIBRARY and INK_COMMAND; who runs pytest by hand gets those
of build/.
"""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "adapters" / "python"

os.environ.setdefault("INK_SOURCE", str(ROOT))
os.environ.setdefault("INKLING_LIBRARY", str(ROOT / "build" / "libinkling.so"))
os.environ.setdefault("INK_COMMAND", str(ROOT / "build" / "ink"))
# For interpreters that tests start.
os.environ.setdefault("PYTHONPATH", str(PACKAGE))
# No terminal, language or instruction set of the user is part of a test.
for name in ("NO_COLOR", "INK_CPU", "COLUMNS"):
    os.environ.pop(name, None)
# Nor is what a shell that runs them in the background has ignored.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def no_name_of_c_in_any_message() -> Iterator[None]:
    """Every error in any test uses Python's words. INK_CPU is a variable of the environment."""
    from inkling import InklingError

    before = InklingError.__init__

    def begin(self: InklingError, message: str = "", **more: Any) -> None:
        assert "INK_" not in message.replace("INK_CPU", ""), message
        before(self, message, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(InklingError, "__init__", begin)
        yield


Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def source() -> pathlib.Path:
    """The folder of the whole project."""
    return pathlib.Path(os.environ["INK_SOURCE"])


@pytest.fixture(scope="session")
def library() -> pathlib.Path:
    """The shared library under test."""
    return pathlib.Path(os.environ["INKLING_LIBRARY"])


@pytest.fixture(scope="session")
def sanitized() -> bool:
    """Whether library and command carry a sanitizer, which needs more than libc."""
    return bool(os.environ.get("INK_SAN"))


@pytest.fixture(scope="session")
def plain_environment() -> dict[str, str]:
    """For programs that have nothing to do with the library, such as a compiler: nothing is loaded before
    them, and no package of ours is found."""
    dropped = ("LD_PRELOAD", "PYTHONPATH", "PYTHONMALLOC", "INKLING_LIBRARY", "MAKEFLAGS", "MAKELEVEL")
    return {name: value for name, value in os.environ.items() if name not in dropped}


@pytest.fixture(scope="session")
def ink() -> Run:
    """Runs the command: ink("info", path) gives what it printed, or fails with what it said."""

    def run(*words: object, ok: bool = True, **more: object) -> subprocess.CompletedProcess[str]:
        command = [os.environ["INK_COMMAND"], *map(str, words)]
        options: Any = {"text": True, "capture_output": True, "check": False, **more}
        done: subprocess.CompletedProcess[str] = subprocess.run(command, **options)
        text = f"{' '.join(command)}: exit code {done.returncode}: {done.stderr}"
        assert not ok or done.returncode == 0, text
        return done

    return run


@pytest.fixture(scope="session")
def wheel(
    tmp_path_factory: pytest.TempPathFactory,
    source: pathlib.Path,
    library: pathlib.Path,
    plain_environment: dict[str, str],
) -> pathlib.Path:
    """The package as a wheel, with the library under test."""
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)],
        env={**plain_environment, "INKLING_LIBRARY": str(library)}, cwd=source / "adapters/python",
        text=True, capture_output=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = list(folder.iterdir())
    assert len(found) == 1, found
    return found[0]
