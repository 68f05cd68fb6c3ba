#!/usr/bin/env python3
"""Compares the library's interface with that of tests/abi, by abidiff: only functions, and fields in `reserved`, may be added.

Prints TAP lines and exits with the number of failed tests. With --write the file is written anew: a break, which
docs/versions.md is about. The library is that of INK_LIBRARY, with its debug information.
"""
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "cli"))
import tap  # noqa: E402

LIBRARY = os.environ.get("INK_LIBRARY", str(ROOT / "build" / "libinkling.so"))
PROMISED = ROOT / "tests/abi/libinkling.so.1.abi.xz"
# Lines of abidiff about a struct whose field takes words of `reserved`, and about where that struct is used. No size
# changes, and no other field does, so that a program that was compiled before goes on.
GROWTH = re.compile(
    r"|Functions changes summary: 0 Removed, .*|Variables changes summary: 0 Removed, 0 Changed, .*"
    r"|\d+ functions? with some indirect sub-type changes?:|\[C\] 'function .*' at .* has some indirect sub-type changes:"
    r"|(parameter \d+|return) .*has sub-type changes:|return type changed:|(in pointed to|in unqualified underlying|underlying) type .*"
    r"|type of '[^']*' changed:|type of '[^']*' changed, as reported earlier|.*\b(reported earlier|being reported).*"
    r"|type size hasn't changed|\d+ data member (insertion|change)s?( \(.*\))?:|'[^']*', at offset \d+ .*"
    r"|type name changed from 'uint64_t\[\d+\]' to .*"
    r"|array type (size|subrange 1) changed .*|and offset changed from .*")
HEADER = """#include <stdint.h>
typedef struct ink_room { uint64_t size; uint64_t reserved[2]; } ink_room;
typedef struct ink_asked { int one; double two; const ink_room *room; uint64_t reserved[4]; } ink_asked;
int ink_ask(ink_asked *asked);
"""
MORE = "int ink_more(void);\n"
CODE = '#include "asked.h"\nint ink_ask(ink_asked *asked) { return asked->one; }\n'
# What becomes of the header and the code, and whether programs compiled before go on.
CHANGES = [
    ("nothing is allowed to change nothing", HEADER, CODE, True),
    ("a function may be added", HEADER + MORE, CODE + "int ink_more(void) { return 1; }\n", True),
    ("a field may take a word of reserved", HEADER.replace("uint64_t reserved[4]", "uint64_t three; uint64_t reserved[3]"), CODE, True),
    ("so may one of a struct that another one points to", HEADER.replace("reserved[2]", "more; uint64_t reserved[1]"), CODE, True),
    ("no field may change its type", HEADER.replace("double two", "int64_t two"), CODE, False),
    ("no field may point to another type", HEADER.replace("const ink_room *room", "const char *room"), CODE, False),
    ("no field may move", HEADER.replace("int one; double two;", "double two; int one;"), CODE, False),
    ("no field may come before others", HEADER.replace("int one;", "int zero; int one;"), CODE, False),
    ("no field may take what is left between others", HEADER.replace("int one;", "int one; int zero;"), CODE, False),
    ("no struct may grow beyond reserved", HEADER.replace("reserved[4];", "reserved[4]; double late;"), CODE, False),
    ("no parameter may change", HEADER.replace("ink_asked *asked", "const char *asked"),
     CODE.replace("ink_asked *asked", "const char *asked").replace("asked->one", "*asked"), False),
    ("no function may go", HEADER.replace("ink_ask(", "ink_other("), CODE.replace("ink_ask(", "ink_other("), False),
]


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)


def describe(library, headers, to):
    done = run("abidw", "--headers-dir", headers, "--drop-private-types", "--no-corpus-path", "--no-comp-dir-path",
               "--out-file", to, library)
    assert done.returncode == 0, done.stderr


def differences(promised, library, headers):
    """What abidiff prints of a change that is not allowed, or nothing."""
    done = run("abidiff", "--no-added-syms", "--drop-private-types", "--headers-dir2", headers, promised, library)
    if done.returncode & ~4:  # an error, or what abidiff itself calls incompatible
        return done.stdout + done.stderr or f"exit code {done.returncode}"
    lines = [line.strip() for line in done.stdout.splitlines()]
    inserted, taken = (sum(part in line for line in lines) for part in (" data member insertion", " reserved["))
    return "\n".join(line for line in lines if not GROWTH.fullmatch(line)) or (done.stdout if inserted != taken else "")


def compile_small(folder, header, code):
    pathlib.Path(folder).mkdir()
    pathlib.Path(folder, "asked.h").write_text(header)
    pathlib.Path(folder, "asked.c").write_text(code)
    done = run("cc", "-g", "-shared", "-fPIC", f"{folder}/asked.c", "-o", f"{folder}/libasked.so")
    assert done.returncode == 0, done.stderr
    return f"{folder}/libasked.so"


def skip_without_tools():
    if not shutil.which("abidiff"):
        raise tap.Skipped("abidiff is not installed (apt: abigail-tools)")


def check_promise():
    skip_without_tools()
    pathlib.Path("promised.abi").write_bytes(lzma.decompress(PROMISED.read_bytes()))
    found = differences("promised.abi", LIBRARY, ROOT / "include")
    assert not found, found


def check_change(header, code, allowed):
    skip_without_tools()
    describe(compile_small("before", HEADER, CODE), "before", "before.abi")
    found = differences("before.abi", compile_small("after", header, code), "after")
    assert (not found) == allowed, found or "abidiff found no difference"


def main():
    if sys.argv[1:] == ["--write"]:
        describe(LIBRARY, ROOT / "include", "promised.abi")
        PROMISED.write_bytes(lzma.compress(pathlib.Path("promised.abi").read_bytes(), preset=9))
        pathlib.Path("promised.abi").unlink()
        return 0
    cases = [("programs compiled for this soname go on with this library", tap.in_empty_folder, check_promise, "ink-abi-")]
    cases += [(message, tap.in_empty_folder, lambda values=values: check_change(*values), "ink-abi-")
              for message, *values in CHANGES]
    return tap.run_cases(cases)


if __name__ == "__main__":
    sys.exit(main())
