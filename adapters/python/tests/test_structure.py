"""No module of an adapter imports one that imports it, neither at once nor later, within a function."""

from __future__ import annotations

import ast
import pathlib
import subprocess
import sys
from collections.abc import Iterator

import inkling
import pytest

ADAPTERS = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = ("python/inkling", "spark/inkling/spark", "hadoop/inkhadoop", "hadoop/localcluster")


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def imports(node: ast.AST) -> Iterator[str]:
    """The modules of its own package that a module imports anywhere, but for types alone."""
    if isinstance(node, ast.ImportFrom) and node.level == 1:
        yield from [node.module] if node.module else [alias.name for alias in node.names]
    elif isinstance(node, ast.If) and is_for_types(node):
        for other in node.orelse:
            yield from imports(other)
    else:
        for child in ast.iter_child_nodes(node):
            yield from imports(child)


def circles(folder: pathlib.Path) -> list[set[str]]:
    """The sets of modules of a package in which each reaches each by imports."""
    files = {path.stem: path for path in folder.glob("*.py")}
    arrows = {
        name: {found if found in files else "__init__" for found in imports(ast.parse(path.read_text()))}
        for name, path in files.items()
    }
    reached: dict[str, set[str]] = {}
    for name in arrows:
        seen: set[str] = set()
        ahead = list(arrows[name])
        while ahead:
            module = ahead.pop()
            if module not in seen:
                seen.add(module)
                ahead += arrows[module]
        reached[name] = seen
    found: list[set[str]] = []
    for name, seen in reached.items():
        if name in seen and not any(name in circle for circle in found):
            found.append({other for other in seen if name in reached[other]})
    return found


@pytest.mark.parametrize("package", PACKAGES)
def test_no_modules_import_each_other(package: str) -> None:
    folder = ADAPTERS / package
    assert len(list(folder.glob("*.py"))) > 5
    assert not circles(folder)


def test_a_name_is_loaded_from_where_type_checkers_find_it() -> None:
    tree = ast.parse((ADAPTERS / "python/inkling/__init__.py").read_text())
    blocks = [node for node in tree.body if is_for_types(node)]
    imported = [node for block in blocks for node in ast.walk(block) if isinstance(node, ast.ImportFrom)]
    typed = {alias.name: node.module for node in imported for alias in node.names}
    assert typed == inkling._HOME_OF
    assert {*typed, "__version__"} == {*inkling.__all__} <= {*dir(inkling)}
    assert all(hasattr(inkling, name) for name in typed)
    with pytest.raises(AttributeError, match="^module 'inkling' has no attribute 'Sketsch'$"):
        inkling.Sketsch  # type: ignore[attr-defined]


def test_import_loads_what_is_needed_when_it_is_needed() -> None:
    code = "import inkling, sys; print(*(name for name in sys.modules if name.startswith('inkling.')))"
    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=True)
    assert set(done.stdout.split()) == {"inkling._library", "inkling._errors", "inkling._words"}


def test_who_fills_and_asks_a_sketch_does_not_wait_for_what_only_others_need() -> None:
    code = "import inkling, sys; assert 'a' in inkling.Sketch('bloom', n=9).add(['a']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", code], text=True, capture_output=True, check=True)
    loaded = set(done.stdout.split())
    assert {"inkling._sketch", "inkling._bulk"} <= loaded
    heavy = {"dataclasses", "decimal", "difflib", "html", "inspect", "json", "queue", "subprocess", "tokenize"}
    jobs = {f"inkling.{name}" for name in ("_build", "_info", "_inputs", "_jobs", "_progress", "_reports", "options")}
    assert not loaded & (heavy | jobs)


def test_a_circle_is_found_wherever_the_import_stands(tmp_path: pathlib.Path) -> None:
    texts = {
        "__init__": "from .a import x\n",
        "a": "from .b import x\n",
        "b": "def late():\n    from . import c\n",
        "c": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .d import z\nelse:\n    from .a import y\n",
        "d": "from .c import y\n",
        "e": "from . import x\n",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)
    assert circles(tmp_path) == [{"a", "b", "c"}]
