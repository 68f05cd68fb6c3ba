#!/usr/bin/env python3
"""Keeps the layers apart: include arrows, the one seam to the system, and exported names.

Prints one TAP line for each rule, with the offending lines behind it; exits with the number of rules
that are broken. If the environment names a shared library in INK_LIBRARY, it also checks that it
exports what the public headers declare, and nothing else.
"""
import ast
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

PUBLIC_HEADERS = ("inkling.h", "inkling_job.h")

# What each layer may include besides its own headers and include/inkling.h.
ARROWS = {
    "base": set(),
    "hash": {"base"},
    "kernels": {"base", "hash"},
    "format": {"base"},
    "sketch": {"base", "hash", "kernels", "format"},
    "input": {"base"},
    "engine": {"base", "input"},
}
# The layers that jobs are made of: what is below them knows nothing of inkling_job.h.
JOB_LAYERS = {"input", "engine"}
# Headers that only some files may include, which are the seams to what is outside.
SEAM = "src/base/system.c"
SEAMS = [
    (re.compile(r"(unistd|fcntl|sys/\w+|dirent|signal|sched|time|poll|spawn)\.h"), {SEAM}),
    (re.compile(r"(netdb|arpa/\w+|netinet/\w+)\.h"), {SEAM}),
    (re.compile(r"(pthread|threads)\.h"), {"src/jobs/runtime/threads.h", "src/jobs/runtime/threads.c"}),
    (re.compile(r"(zlib|zstd\w*|zdict)\.h"), {"src/input/records/decompress.c"}),
]
# Headers that nothing in the library needs: it neither prints nor exits.
BANNED = {"stdio.h": {SEAM}, "assert.h": set(), "locale.h": set(), "math.h": set()}
FORBIDDEN_CALLS = re.compile(r"\b(printf|fprintf|exit|abort|malloc|calloc|realloc|free|getenv)\s*\(")
# Where memory and the environment may be asked of the C library.
CALL_HOMES = {"src/base/memory.c", "src/base/system.c"}
VAGUE_NAMES = re.compile(r"(^|/)(util|utils|common|misc|helpers?)([._/]|$)")

# The Python packages of adapters, each with the packages that it cannot be without, and those that it uses
# if its user does, and therefore never imports but within a function.
PACKAGES = {
    "adapters/python/inkling": (set(), {"numpy", "pandas", "polars", "pyarrow", "duckdb", "tqdm", "IPython"}),
    "adapters/spark/inkling/spark": ({"pyspark", "py4j", "pyarrow"}, {"pandas", "numpy"}),
    "adapters/hadoop/inkhadoop": (set(), set()),
    "adapters/hadoop/localcluster": (set(), set()),
}
# What goes to a worker of Spark as code, before any package is there.
BARE = "adapters/spark/inkling/spark/_arrival.py"

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')


def sources(folder="src"):
    return sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in (".c", ".h"))


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def code_lines(path):
    """Lines without comments and strings, so that prose may name what code may not call."""
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), path.read_text(), flags=re.S)
    text = re.sub(r'"(\\.|[^"\\])*"', '""', text)
    return enumerate(text.splitlines(), 1)


def wrong_arrows():
    for path in sources():
        name = path.relative_to(ROOT).as_posix()
        layer = path.relative_to(ROOT / "src").parts[0]
        if layer not in ARROWS:
            yield f"{name}: folder {layer} is no layer"
            continue
        for number, kind, header in includes(path):
            if kind != '"' or header == "inkling.h":
                continue
            if header == "inkling_job.h" and layer in JOB_LAYERS:
                continue
            target = header.split("/")[0]
            if "/" not in header or (target != layer and target not in ARROWS[layer]):
                yield f"{name}:{number}: {layer} may not include {header}"


def broken_seam():
    for path in sources():
        name = path.relative_to(ROOT).as_posix()
        for number, _, header in includes(path):
            for headers, homes in SEAMS:
                if headers.fullmatch(header) and name not in homes:
                    yield f"{name}:{number}: only {' and '.join(sorted(homes))} may include <{header}>"
            if header in BANNED and name not in BANNED[header]:
                yield f"{name}:{number}: the library does without <{header}>"
        for number, line in code_lines(path):
            match = FORBIDDEN_CALLS.search(line)
            if match and name not in CALL_HOMES:
                yield f"{name}:{number}: the library does not call {match.group(1)}"


def reaching_commands():
    """Command and lab are users of the library like any other: nothing of src/ is open to them. The lab stands
    beside the command, which only one file of it knows."""
    for folder, also in (("cli", {"cli/commands/lab.c": "lab.h"}), ("lab", {})):
        own = {path.relative_to(ROOT / folder).as_posix() for path in sources(folder)}
        own |= {path.name for path in sources("lab/experiments")} if folder == "lab" else set()
        for path in sources(folder):
            name = path.relative_to(ROOT).as_posix()
            for number, kind, header in includes(path):
                inside = (ROOT / "src" / header).exists()
                known = header in own or header in PUBLIC_HEADERS or also.get(name) == header
                if inside if kind == "<" else not known:
                    yield f"{name}:{number}: {folder} may not include {header}"


def is_type_checking(node):
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def imported(node, in_function=False, relative=False):
    """The packages that code imports, each with its line and whether that waits until a function is called;
    what only a type checker sees is left out, and what is beside it, unless that is asked for."""
    for child in ast.iter_child_nodes(node):
        if is_type_checking(child):
            continue
        if isinstance(child, ast.Import):
            for name in child.names:
                yield child.lineno, name.name.split(".")[0], in_function
        elif isinstance(child, ast.ImportFrom) and (relative or child.level == 0):
            yield child.lineno, "." * child.level + (child.module or "").split(".")[0], in_function
        waits = in_function or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        yield from imported(child, waits, relative)


def greedy_imports(text, needed, optional):
    """What a module imports and may not."""
    for number, package, in_function in imported(ast.parse(text)):
        if package == "inkling" or package in sys.stdlib_module_names or package in needed:
            continue
        if package not in optional:
            known = ", ".join(sorted(needed | optional))
            yield number, f"{package} is neither of the standard library nor of {known}"
        elif not in_function:
            yield number, f"{package} may be missing: it is imported within a function, or not at all"


def greedy_adapters():
    """Packages need nothing but Python, and the one for Spark nothing but what Spark needs."""
    for start in sorted((ROOT / "adapters").rglob("__init__.py")):
        folder = start.parent.relative_to(ROOT).as_posix()
        if folder not in PACKAGES:
            yield f"{folder}: expected a line for this package in PACKAGES"
            continue
        for path in sorted(start.parent.rglob("*.py")):
            for number, sentence in greedy_imports(path.read_text(encoding="utf-8"), *PACKAGES[folder]):
                yield f"{path.relative_to(ROOT).as_posix()}:{number}: {sentence}"


def far_reaching_adapters():
    """The package knows nothing of the one for Spark, nor does code on its way know either until it runs."""
    for path in sorted((ROOT / "adapters/python/inkling").rglob("*.py")):
        if re.search(r"^\s*(import|from) (inkling)?\.spark\b", path.read_text(encoding="utf-8"), re.M):
            yield f"{path.relative_to(ROOT).as_posix()}: the package may not import inkling.spark"
    tree = ast.parse((ROOT / BARE).read_text(encoding="utf-8"))
    for number, module, in_function in imported(tree, relative=True):
        if module not in sys.stdlib_module_names and not (module == "inkling" and in_function):
            yield f"{BARE}:{number}: {module} is not there yet, expected the standard library"


# What the rule above must find, and must let pass.
GREEDY = {
    "import numpy": 1,
    "try:\n    import numpy as np\nexcept ImportError:\n    np = None": 1,
    "class A:\n    from pandas.api import types": 1,
    "def f():\n    import requests": 1,
    "def f():\n    import numpy, tqdm.auto\n    from pyarrow import ipc": 0,
    "import os, inkling.x\nfrom . import y\nfrom ._z import w\nfrom ctypes import byref": 0,
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import numpy": 0,
    "if True:\n    import numpy": 1,
    "import pyspark": 1,
}


def blind_spots():
    for text, expected in GREEDY.items():
        found = len(list(greedy_imports(text, *PACKAGES["adapters/python/inkling"])))
        if found != expected:
            yield f"{text!r}: found {found}, expected {expected}"


def vague_names():
    tracked = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                             cwd=ROOT, capture_output=True, text=True, check=False).stdout
    names = tracked.split("\n") if tracked else [p.as_posix() for p in sources()]
    for name in names:
        if VAGUE_NAMES.search(name):
            yield f"{name}: the name says nothing about what the file owns"


def missing_first_words():
    """Every source file starts by saying what it owns: /* name - ... */"""
    for path in sources() + sources("cli") + sources("lab"):
        first = path.read_text().split("\n", 1)[0]
        if not first.startswith(f"/* {path.name} - "):
            yield f'{path.relative_to(ROOT).as_posix()}: expected to start with "/* {path.name} - "'


def foreign_symbols(library):
    listing = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True,
                             text=True, check=True).stdout
    names = [line.split()[-1] for line in listing.splitlines()]
    declared = set()
    for header in PUBLIC_HEADERS:
        text = (ROOT / "include" / header).read_text()
        declared.update(re.findall(r"\b(ink_\w+)\s*\((?!\*)", text))
    for name in names:
        # Sanitizer and coverage builds add symbols of their own.
        if re.match(r"(__|_fini|_init|asan|lprofd|mangle_path)", name):
            continue
        if not name.startswith("ink_") or name.startswith("ink__"):
            yield f"{library} exports {name}"
        elif name not in declared:
            yield f"{library} exports {name}, which is in no public header"
    for name in sorted(declared - set(names)):
        yield f"{library} does not export {name}, which is in a public header"


def main():
    rules = [
        ("every include points to a lower layer", wrong_arrows()),
        ("the system, threads, compression, memory and stdio each have one seam", broken_seam()),
        ("the command and the lab include public headers and their own alone", reaching_commands()),
        ("a package of adapters imports what it cannot be without, others where they are used",
         greedy_adapters()),
        ("the package does without Spark, and what runs first in a worker without the package",
         far_reaching_adapters()),
        ("an import that may not be is found wherever it stands", blind_spots()),
        ("every file name says what the file owns", vague_names()),
        ("every source file starts with what it owns", missing_first_words()),
    ]
    library = os.environ.get("INK_LIBRARY")
    if library:
        rules.append(("the library exports what its headers declare and nothing else",
                      foreign_symbols(library)))
    failed = 0
    for number, (sentence, found) in enumerate(rules, 1):
        broken = list(found)
        print(f"{'not ok' if broken else 'ok'} {number} - {sentence}")
        for line in broken:
            print(f"#   {line}")
        failed += bool(broken)
    print(f"1..{len(rules)}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
