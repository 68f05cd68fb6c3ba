#!/usr/bin/env python3
"""Keeps the layers apart: arrows between folders, circles between modules, includes that are of no use, the seams
to what is outside, and exported names.

Prints one TAP line for each rule, with the offending lines after it; exits with the number of rules
that are broken. If the environment names a shared library in INK_LIBRARY, calls are read from the objects of that
build, and the library must export what the public headers declare, and nothing else.
"""
import ast
import os
import pathlib
import re
import subprocess
import sys

import source_tree
from source_tree import ROOT, TOPS, folder_of, includes, name_of, sources

PUBLIC_HEADERS = sorted(path.name for path in (ROOT / "include").glob("*.h"))

# The order of folders: each may use what is named here, and nothing else. The command and the lab are users of the
# library like any other: of src/ they may include nothing, and may call what the public headers declare.
JOBS = ("runtime", "groups", "build", "query", "dedup", "update", "verify", "arrays", "generate", "distributed", "stream")
BELOW = {
    "src/base": "",
    "src/kernels": "src/base",
    "src/hash": "src/base src/kernels",
    "src/format": "src/base src/hash src/format/foreign",
    "src/format/foreign": "src/base src/hash",
    "src/sketch/kinds": "src/base src/kernels src/hash src/format",
    "src/sketch": "src/base src/kernels src/hash src/format src/format/foreign src/sketch/kinds",
    "src/net": "src/base",
    "src/input/records": "src/base src/kernels src/net",
    "src/input/arrow": "src/base src/input/records",
    "src/input": "src/base src/kernels src/net src/input/records src/input/arrow",
    "src/input/live": "src/base src/kernels src/net src/input/records src/input",
}
BELOW |= {f"src/jobs/{job}": "src/base src/net src/input src/input/records src/input/arrow src/format src/sketch src/sketch/kinds"
          for job in JOBS}
BELOW["src/jobs/groups"] += " src/jobs/runtime"
for job in JOBS[2:]:
    BELOW[f"src/jobs/{job}"] += " src/jobs/runtime src/jobs/groups"
BELOW["src/jobs/arrays"] += " src/jobs/dedup"
BELOW["src/jobs/distributed"] += " src/jobs/build src/jobs/verify"
BELOW["src/jobs/stream"] += " src/input/live src/jobs/query"
BELOW |= {
    "cli/options": "",
    "cli/report": "cli/options",
    "cli/arguments": "cli/options cli/report",
    "cli/help": "cli/options cli/report cli/arguments",
    "cli/hadoop": "cli/options cli/report cli/arguments",
    "cli/plan": "cli/options cli/report cli/arguments cli/hadoop",
    "cli/stream": "cli/options cli/report cli/arguments",
    "cli/commands": "cli/options cli/report cli/arguments cli/help cli/hadoop cli/plan cli/stream lab lab/workbench",
    "cli": "cli/options cli/report cli/arguments cli/help cli/commands",
    "lab/workbench": "",
    "lab/experiments": "lab/workbench",
    "lab": "lab/workbench lab/experiments",
}
ALLOWED = {folder: set(below.split()) for folder, below in BELOW.items()}
# What jobs may include of the sketches, of which they use the public calls.
INTERNAL = "src/sketch/internal.h"
SKETCHES = ("src/sketch", "src/format", "src/hash", "src/kernels")
# The layers that jobs are made of: what is below them knows the headers of sketches and files alone.
SKETCH_HEADERS = ("inkling.h", "inkling_file.h", "inkling_foreign.h")
JOB_LAYERS = ("src/input", "src/jobs")
# The most modules of a folder that can be taken in at a glance.
MODULES_MAX = 25
# Headers that only some files may include, which are the seams to what is outside.
SEAM = "src/base/system.c"
SEAMS = [
    (re.compile(r"(unistd|fcntl|sys/\w+|dirent|signal|sched|time|poll|spawn)\.h"), {SEAM}),
    (re.compile(r"(netdb|arpa/\w+|netinet/\w+)\.h"), {SEAM}),
    (re.compile(r"(pthread|threads)\.h"), {"src/jobs/runtime/threads.h", "src/jobs/runtime/threads.c"}),
    (re.compile(r"(zlib|zstd\w*|zdict)\.h"),
     {"src/input/records/compress.c", "src/input/records/decompress.c", "src/format/foreign/puffin.c"}),
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
# Whose Python uses the package, or may, without being a part of it. bench/ measures its inside, too.
USERS_OF_PYTHON = ("adapters/spark", "adapters/hadoop", "examples", "lab")
# What goes to a worker of Spark as code, before any package is there.
BARE = "adapters/spark/inkling/spark/_arrival.py"

def code_lines(path):
    """Lines without comments and strings, so that prose may name what code may not call."""
    return enumerate(source_tree.code(path).splitlines(), 1)


def built_objects():
    library = os.environ.get("INK_LIBRARY")
    return pathlib.Path(library).parent / "obj" if library else None


def wrong_arrows(arrows):
    """Between folders every arrow points to a lower one."""
    for folder in sorted({folder_of(module) for module in arrows} - set(ALLOWED)):
        yield f"{folder}: expected a line for this folder in BELOW"
    for module, targets in sorted(arrows.items()):
        own = folder_of(module)
        for target, reason in sorted(targets.items()):
            there = folder_of(target)
            if own.startswith("src/") or not there.startswith("src/"):
                if there != own and there not in ALLOWED.get(own, ()):
                    yield f"{reason}: {own} may not use {there}"


def wrong_includes():
    """Of the sketches, jobs include the internal header alone; what is below jobs does without their header."""
    for top in TOPS:
        for path in sources(top):
            own = folder_of(source_tree.module_of(path))
            for number, quote, header in includes(path):
                target = source_tree.header_at(path, header)
                if quote == "<":
                    if own.startswith(("cli", "lab")) and (ROOT / "src" / header).exists():
                        yield f"{name_of(path)}:{number}: {own} may not include {header}"
                elif target is None:
                    yield f"{name_of(path)}:{number}: {header} is not in this tree"
                elif own.startswith("src/jobs") and name_of(target).startswith(SKETCHES) and name_of(target) != INTERNAL:
                    yield f"{name_of(path)}:{number}: jobs include {INTERNAL} alone of the sketches, found {header}"
                elif header in PUBLIC_HEADERS and header not in SKETCH_HEADERS and own.startswith("src/") and not own.startswith(JOB_LAYERS):
                    yield f"{name_of(path)}:{number}: {own} may not include {header}"


def folder_circles(arrows):
    graph = {}
    for module, targets in arrows.items():
        graph.setdefault(folder_of(module), set()).update(folder_of(t) for t in targets)
    for circle in source_tree.circles(graph):
        yield "between folders: " + ", ".join(circle)


def module_circles(arrows):
    """Modules that need each other; inside a folder a comment may say why: "Circle: ..."."""
    for circle in source_tree.circles(arrows):
        texts = [path.read_text() for module in circle for path in (ROOT / f"{module}.c", ROOT / f"{module}.h")
                 if path.exists()]
        if len({folder_of(module) for module in circle}) > 1 or not any("Circle: " in text for text in texts):
            yield ", ".join(circle)


def useless_includes():
    for top in TOPS:
        for path in sources(top):
            for number, header in source_tree.unused_includes(path):
                yield f"{name_of(path)}:{number}: uses no name of {header}"


def crowded_folders():
    count = {}
    for top in ("src", "cli"):
        for module in {source_tree.module_of(path) for path in sources(top)}:
            count[folder_of(module)] = count.get(folder_of(module), 0) + 1
    for folder, modules in sorted(count.items()):
        if modules > MODULES_MAX:
            yield f"{folder}: found {modules} modules, expected at most {MODULES_MAX}"


def broken_seam():
    for path in sources("src"):
        name = name_of(path)
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
            for number, message in greedy_imports(path.read_text(encoding="utf-8"), *PACKAGES[folder]):
                yield f"{path.relative_to(ROOT).as_posix()}:{number}: {message}"


def far_reaching_adapters():
    """The package knows nothing of the one for Spark, nor does code on its way know either until it runs."""
    for path in sorted((ROOT / "adapters/python/inkling").rglob("*.py")):
        if re.search(r"^\s*(import|from) (inkling)?\.spark\b", path.read_text(encoding="utf-8"), re.M):
            yield f"{path.relative_to(ROOT).as_posix()}: the package may not import inkling.spark"
    tree = ast.parse((ROOT / BARE).read_text(encoding="utf-8"))
    for number, module, in_function in imported(tree, relative=True):
        if module not in sys.stdlib_module_names and not (module == "inkling" and in_function):
            yield f"{BARE}:{number}: {module} is not there yet, expected the standard library"


def is_private(name):
    return name.startswith("_") and not name.startswith("__")


def package_of(path):
    """The package that a file is in, as far as folders with an __init__.py tell; "inkling" may lie in several."""
    parts = []
    for folder in path.parents:
        if not (folder / "__init__.py").exists() and folder.name != "inkling":
            break
        parts.insert(0, folder.name)
    return ".".join(parts)


def meant(node, package):
    """The full names that an import binds, each with the name that code has for it."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.asname or alias.name.split(".")[0], alias.name, bool(alias.asname)
    elif isinstance(node, ast.ImportFrom):
        base = package.split(".")[:len(package.split(".")) + 1 - node.level] if node.level else []
        for alias in node.names:
            yield alias.asname or alias.name, ".".join([*base, *filter(None, [node.module]), alias.name]), True


def private_names(text):
    """The private names that objects of a module's classes have."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self":
            found.add(node.attr)
        elif isinstance(node, ast.ClassDef):
            found.update(child.name for child in node.body if isinstance(child, ast.FunctionDef))
            found.update(child.target.id for child in node.body if isinstance(child, ast.AnnAssign))
    return set(filter(is_private, found))


def private_uses(text, package, own, insides):
    """What code uses of the Python package, or of another adapter's, that is private: by an import, by the name of
    a module, in a text that is run, or of an object, where no other has such a name (`insides`)."""
    tree, known = ast.parse(text), {}

    def foreign(name):
        parts = name.split(".")
        hidden = [number for number, part in enumerate(parts) if is_private(part)]
        return parts[0] == "inkling" and hidden and ".".join(parts[:hidden[0]]) not in own

    for node in ast.walk(tree):
        for short, name, whole in meant(node, package):
            known[short] = name if whole else short
            if foreign(name):
                yield node.lineno, name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            root, names = node, []
            while isinstance(root, ast.Attribute):
                names.insert(0, root.attr)
                root = root.value
            if isinstance(root, ast.Name) and root.id in known:
                name = ".".join([known[root.id], *names])
                if foreign(name):
                    yield node.lineno, name
                continue
            if node.attr in insides:
                yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            for name in re.findall(r"\binkling(?:\.\w+)+", node.value):
                if foreign(name):
                    yield node.lineno, name


def prying_adapters():
    """Adapters, examples and the lab use the Python package as anyone does: by names that are public."""
    def texts_in(top):
        return {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / top).rglob("*.py"))}

    inside = set().union(*map(private_names, texts_in("adapters/python/inkling").values()))
    for top in USERS_OF_PYTHON:
        texts = texts_in(top)
        own = {package_of(path) for path in texts} - {"", "inkling"}
        insides = inside.difference(*map(private_names, texts.values()))
        for path, text in texts.items():
            for number, name in private_uses(text, package_of(path), own, insides):
                yield f"{path.relative_to(ROOT).as_posix()}:{number}: {name} is private"


# What the rule above must find, and must let pass, in a module of inkling.spark.
PRYING = {
    "from inkling._library import lib": 1,
    "from inkling import Sketch, _library": 1,
    "import inkling._library as there": 1,
    "import inkling._library": 1,
    "from .. import _library\nfrom .._pieces import Job": 2,
    "def late():\n    import inkling\n    inkling._arrived = 1": 1,
    "import inkling as ink\nink.Sketches._of_file(ink.pieces._Made)": 2,
    "from inkling.pieces import Job\nJob._with": 1,
    "job.with_pieces()._options": 1,
    "run('import inkling; print(inkling._library)')": 1,
    "from inkling import pieces, __version__\nimport inkling\ninkling.__path__": 0,
    "from . import _state\nfrom ._state import _locked\n_state._locked, self._mine, frame._jdf": 0,
    "from inkling.spark import _state\nset('inkling.spark._frames.LIMIT')": 0,
}


# What the rule for imports must find, and must let pass.
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
    for text, expected in PRYING.items():
        found = len(list(private_uses(text, "inkling.spark", {"inkling.spark"}, {"_options", "_opened"})))
        if found != expected:
            yield f"{text!r}: found {found} private names, expected {expected}"


def vague_names():
    tracked = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                             cwd=ROOT, capture_output=True, text=True, check=False).stdout
    names = tracked.split("\n") if tracked else [p.as_posix() for top in TOPS for p in sources(top)]
    for name in names:
        if VAGUE_NAMES.search(name):
            yield f"{name}: the name says nothing about what the file owns"


def shared_names():
    """A file name means one thing; a command may share its name with the job or the kind that it is about."""
    modules = {}
    for top in TOPS:
        for module in {source_tree.module_of(path) for path in sources(top)}:
            modules.setdefault(module.rsplit("/", 1)[1], []).append(module)
    for found in modules.values():
        others = [module for module in found if folder_of(module) != "cli/commands"]
        if len(others) > 1:
            yield "one name for " + " and ".join(sorted(others))


def missing_first_words():
    """Every source file starts by saying what it owns: /* name - ... */"""
    for path in (path for top in TOPS for path in sources(top)):
        first = path.read_text().split("\n", 1)[0]
        if not first.startswith(f"/* {path.name} - "):
            yield f'{name_of(path)}: expected to start with "/* {path.name} - "'


def foreign_symbols(library):
    listing = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True,
                             text=True, check=True).stdout
    names = [line.split()[-1] for line in listing.splitlines()]
    declared = set()
    for header in PUBLIC_HEADERS:
        text = re.sub(r"\btypedef\b[^;{]*;", "", (ROOT / "include" / header).read_text())
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
    arrows = source_tree.arrows(built_objects())
    rules = [
        ("every include and every call points to a lower folder", wrong_arrows(arrows)),
        ("jobs know the internal header of the sketches, and nothing below them knows jobs", wrong_includes()),
        ("no folders need each other", folder_circles(arrows)),
        ("modules need each other only where a comment says why", module_circles(arrows)),
        ("every include is used", useless_includes()),
        ("every folder can be taken in at a glance", crowded_folders()),
        ("the system, threads, compression, memory and stdio each have one seam", broken_seam()),
        ("a package of adapters imports what it cannot be without, others where they are used",
         greedy_adapters()),
        ("the package does without Spark, and what runs first in a worker without the package",
         far_reaching_adapters()),
        ("adapters, examples and the lab use what is public of the Python package", prying_adapters()),
        ("an import, or a use, that may not be is found wherever it stands", blind_spots()),
        ("every file name says what the file owns", vague_names()),
        ("no two files share a name", shared_names()),
        ("every source file starts with what it owns", missing_first_words()),
    ]
    library = os.environ.get("INK_LIBRARY")
    if library:
        rules.append(("the library exports what its headers declare and nothing else",
                      foreign_symbols(library)))
    failed = 0
    for number, (message, found) in enumerate(rules, 1):
        broken = list(found)
        print(f"{'not ok' if broken else 'ok'} {number} - {message}")
        for line in broken:
            print(f"#   {line}")
        failed += bool(broken)
    print(f"1..{len(rules)}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
