"""Runs what the documents about Spark show: every ```python block of docs/spark.md and of the package's
README.md.

What is a section, and what it prints, is as for docs/python.md, whose test finds both. Here `spark` is there
already, one for all sections, each of which has an empty folder.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import pathlib
import sys
from typing import TYPE_CHECKING, Any

import pytest
from conftest import forget_functions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = pathlib.Path(__file__).resolve().parents[3]
DOCUMENTS = ("docs/spark.md", "adapters/spark/README.md")


def reader() -> Any:
    """The test of docs/python.md, as a module."""
    path = ROOT / "adapters" / "python" / "tests" / "test_docs.py"
    spec = importlib.util.spec_from_file_location("documents", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


DOCS = reader()


SECTIONS = [
    one for name in DOCUMENTS for one in DOCS.sections(name, (ROOT / name).read_text(encoding="utf-8"))
]


@pytest.fixture
def folder(spark: SparkSession, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An empty folder that relative paths are in: Python's, and those of Spark, whose JVM has its own."""
    jvm: Any = spark._jvm
    files = jvm.org.apache.hadoop.fs.FileSystem.getLocal(spark._jsc.hadoopConfiguration())
    before = files.getWorkingDirectory()
    monkeypatch.chdir(tmp_path)
    files.setWorkingDirectory(jvm.org.apache.hadoop.fs.Path(str(tmp_path)))
    yield tmp_path
    files.setWorkingDirectory(before)
    forget_functions(spark)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_what_a_document_shows_is_what_it_prints(
    section: Any, spark: SparkSession, folder: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program = compile("\n".join(section.lines) + "\n", section.name, "exec")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(program, {"__name__": "__main__", "spark": spark})
    problem = DOCS.difference(section.expected, printed.getvalue().splitlines())
    assert problem is None, problem
    assert "Traceback" not in capfd.readouterr().err


def test_the_documents_have_sections_to_run() -> None:
    assert {one.name.partition(":")[0] for one in SECTIONS} == set(DOCUMENTS)
    blocks = sum((ROOT / name).read_text(encoding="utf-8").count("```python") for name in DOCUMENTS)
    marks = sum(line.startswith(DOCS.MARK) for one in SECTIONS for line in one.expected)
    assert marks == blocks
