"""Runs what the documents show: every ```python block of docs/python.md and docs/tutorial.md, and of the
README.md of the package and of the whole.

The blocks of a section, up to the next heading, are one program, run in an empty folder by an interpreter
that takes a warning for an error. What a block prints are the lines that its comments say, in order:

    print(1 + 1)  # prints: 2

`[...]` stands for anything within a line.
"""

from __future__ import annotations

import compileall
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, TypeAlias

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "adapters" / "python"
DOCUMENTS = ("docs/python.md", "docs/tutorial.md", "adapters/python/README.md", "README.md")
MARK = "-- block at line "
ANYTHING = "[...]"
SHOWS = "test_what_a_document_shows_is_what_it_prints["

#: What is run, by the section.
Runs: TypeAlias = dict[int, "concurrent.futures.Future[subprocess.CompletedProcess[str]]"]


@dataclasses.dataclass
class Section:
    """A heading and the program below it, whose lines have the numbers that they have in the document."""

    name: str
    lines: list[str]
    expected: list[str]


def sections(document: str, text: str) -> list[Section]:
    found, fence = [Section(document, [], [])], ""
    for number, line in enumerate(text.splitlines(), 1):
        put = ""
        if line.startswith("```"):
            fence = "" if fence else line
            if fence == "```python":
                # A process that this one starts reads the program too.
                put = f"if __name__ == '__main__': print({MARK + str(number)!r}, flush=True)"
                found[-1].expected.append(MARK + str(number))
        elif fence == "```python":
            put = line
            found[-1].expected += re.findall(r"# prints: (.*)$", line)
        elif not fence and re.match("#+ ", line):
            found.append(Section(f"{document}: {line.lstrip('# ')}", [""] * (number - 1), []))
        found[-1].lines.append(put)
    return [section for section in found if section.expected]


def every_section() -> list[Section]:
    return [one for name in DOCUMENTS for one in sections(name, (ROOT / name).read_text(encoding="utf-8"))]


def same(expected: str, line: str) -> bool:
    parts = [re.escape(part) for part in expected.split(ANYTHING)]
    return re.fullmatch(".*".join(parts), line) is not None


def difference(expected: list[str], lines: list[str]) -> str | None:
    """The first line that is not as expected, and the block that it stands in."""
    block = ""
    for wanted, line in zip([*expected, None], [*lines, None], strict=False):
        if wanted is None and line is None:
            break
        if wanted is None or line is None or not same(wanted, line):
            return f"{block}\nexpected: {wanted}\nprinted:  {line}"
        block = line if line.startswith(MARK) else block
    return None


def run(section: Section, folder: pathlib.Path, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    program, empty = folder / "shown.py", folder / "folder"
    program.write_text("\n".join(section.lines) + "\n", encoding="utf-8")
    empty.mkdir()
    return subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", str(program)], cwd=empty, text=True,
        capture_output=True, check=False, stdin=subprocess.DEVNULL, env=variables,
    )  # fmt: skip


@pytest.fixture(scope="module")
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    """The programs of all chosen sections, which run beside each other, the package compiled once."""
    package = tmp_path_factory.mktemp("package")
    shutil.copytree(PACKAGE / "inkling", package / "inkling", ignore=shutil.ignore_patterns("__pycache__"))
    compileall.compile_dir(package, quiet=2)
    # Taken once: pytest changes the environment while threads would look at it.
    variables = {**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONPATH": str(package)}
    items: list[Any] = request.session.items
    chosen = [item.callspec.params["section"] for item in items if SHOWS in item.nodeid]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield {id(one): pool.submit(run, one, tmp_path_factory.mktemp("shown"), variables) for one in chosen}
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("section", every_section(), ids=lambda section: section.name)
def test_what_a_document_shows_is_what_it_prints(section: Section, runs: Runs) -> None:
    done = runs[id(section)].result()
    assert done.returncode == 0, done.stderr
    problem = difference(section.expected, done.stdout.splitlines())
    assert problem is None, problem


def test_a_document_that_shows_something_else_than_it_prints_is_found_out() -> None:
    text = "# A\n```python\nprint(1)  # prints: 1\n```\n## B\n```text\nno\n```\n```python\nx = 1\n```\n"
    first, second = sections("x.md", text)
    assert (first.name, second.name) == ("x.md: A", "x.md: B")
    assert first.lines[1].endswith("print('-- block at line 2', flush=True)")
    assert first.lines[2] == "print(1)  # prints: 1"
    assert difference(first.expected, ["-- block at line 2", "1"]) is None
    assert difference(first.expected, ["-- block at line 2", "2"]) is not None
    assert difference(first.expected, ["-- block at line 2"]) is not None
    assert difference(first.expected, ["-- block at line 2", "1", "more"]) is not None
    assert same("a [...] c", "a b c") and not same("a [...] c", "a b d")
