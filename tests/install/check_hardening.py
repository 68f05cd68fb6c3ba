#!/usr/bin/env python3
"""Looks into the programs and the library for what hardens them: no memory is both written and run, they are loaded at
any address, the table of other libraries' functions is read-only from the start, buffers on the stack are guarded,
and calls that copy know how much room there is.

Prints TAP lines and exits with the number of failed tests. What is looked at is the build under test, in the folder of
INK_LIBRARY (else build/)."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "cli"))
import tap  # noqa: E402

OUT = pathlib.Path(os.environ.get("INK_LIBRARY", ROOT / "build" / "libinkling.so")).parent


def readelf(path: pathlib.Path, what: str) -> str:
    return subprocess.run(["readelf", "-W", what, path], capture_output=True, text=True, check=True).stdout


def is_loaded_anywhere(path: pathlib.Path) -> bool:
    return re.search(r"Type:\s+DYN", readelf(path, "-h")) is not None


def has_no_executable_stack(path: pathlib.Path) -> bool:
    stack = re.search(r"GNU_STACK\s+(?:0x\w+\s+){5}(\S+)", readelf(path, "-l"))
    return stack is not None and "E" not in stack[1]


def has_nothing_to_write_and_run(path: pathlib.Path) -> bool:
    segments = re.findall(r"LOAD\s+(?:0x\w+\s+){5}([RWE ]{3})", readelf(path, "-l"))
    return bool(segments) and not any("W" in flags and "E" in flags for flags in segments)


def has_read_only_tables(path: pathlib.Path) -> bool:
    return "GNU_RELRO" in readelf(path, "-l") and re.search(r"BIND_NOW|\bNOW\b", readelf(path, "-d")) is not None


def guards_its_stack(path: pathlib.Path) -> bool:
    return "__stack_chk_fail" in readelf(path, "--dyn-syms")


def copies_with_care(path: pathlib.Path) -> bool:
    return re.search(r"__(memcpy|snprintf|vsnprintf|read|memmove|memset)_chk", readelf(path, "--dyn-syms")) is not None


COMMAND, STATIC, LIBRARY = OUT / "ink", OUT / "static" / "ink", OUT / "libinkling.so"
CHECKS = [
    ("is loaded at any address", is_loaded_anywhere, [COMMAND, STATIC, LIBRARY]),
    ("has no stack that can be run", has_no_executable_stack, [COMMAND, STATIC, LIBRARY]),
    ("has no memory that can be written and run", has_nothing_to_write_and_run, [COMMAND, STATIC, LIBRARY]),
    ("has read-only tables of functions", has_read_only_tables, [COMMAND, STATIC, LIBRARY]),
    ("guards buffers on its stack", guards_its_stack, [COMMAND, LIBRARY]),
    ("knows how much room a copy has", copies_with_care, [COMMAND]),
]


def holds(check, path: pathlib.Path) -> None:
    assert check(path), path


if __name__ == "__main__":
    sys.exit(tap.run_cases((f"{path.relative_to(OUT)} {message}", holds, check, path)
                           for message, check, paths in CHECKS for path in paths))
