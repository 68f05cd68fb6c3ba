#!/usr/bin/env python3
"""Compares adapters/duckdb/api.h with DuckDB's own headers: slots, signatures, callbacks, numbers of types.

    check_duckdb_api.py FOLDER

FOLDER has duckdb.h and duckdb_extension.h of any DuckDB from 1.2 (src/include of its sources). Prints what differs, and
exits with the number of differences.
"""
import pathlib
import re
import sys

OURS = pathlib.Path(__file__).resolve().parents[1] / "adapters/duckdb/api.h"
MEMBER = re.compile(r"([\w ]+?[\s*]+)\(\*(\w+)\)\s*\(([^;]*)\);")
CALLBACK = re.compile(r"typedef ([\w ]+?[\s*]+)\(\*(duckdb_\w+)\)\s*\(([^;]*)\);")
SLOT = re.compile(r"X\((\d+), ([^,]+?), (\w+),\s*\(([^()]*)\)\)")


def read(path):
    """The text without comments, and with long lines joined."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)


def between(text, start, end):
    first = text.index(start)
    return text[first:text.index(end, first)]


def type_of(words):
    """A parameter without its name, which is a last word that is not the whole type."""
    if len(words) > 1 and words[-1] != "*" and words[-2] not in ("const", "struct"):
        words = words[:-1]
    return " ".join(words)


def signature(result, parameters):
    types = [type_of(re.findall(r"\w+|\*", one)) for one in (parameters.strip() or "void").split(",")]
    return f"{' '.join(re.findall(r'[*]|[a-z_0-9]+', result))} ({', '.join(types)})"


def signatures(pattern, text):
    return {name: signature(result, parameters) for result, name, parameters in pattern.findall(text)}


def of_duckdb(folder):
    """What version 1.2.0 of the table has: its members end with the first #endif."""
    main, table = read(folder / "duckdb.h"), read(folder / "duckdb_extension.h")
    table = table[table.index("typedef struct {"):]
    found = {name: f"slot {slot}: {given}" for slot, (name, given) in
             enumerate(signatures(MEMBER, table[:table.index("#endif")]).items())}
    found |= signatures(CALLBACK, main)
    found |= signatures(MEMBER, between(main, "struct duckdb_extension_access {", "};"))
    return found | dict(re.findall(r"DUCKDB_(TYPE_\w+) = (\d+)", main))


def of_ours():
    text = read(OURS)
    found = {f"duckdb_{name}": f"slot {slot}: {signature(result, parameters)}"
             for slot, result, name, parameters in SLOT.findall(between(text, "#define DUCK_SLOTS(X)", "typedef struct duck_api"))}
    found |= signatures(CALLBACK, text)
    found |= signatures(MEMBER, between(text, "struct duckdb_extension_access {", "};"))
    types = re.findall(r"DUCK_(\w+) = (\d+)", between(text, "typedef enum duckdb_type", "} duckdb_type;"))
    return found | {f"TYPE_{name}": number for name, number in types}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[2].strip())
    theirs, ours = of_duckdb(pathlib.Path(sys.argv[1])), of_ours()
    wrong = [name for name, what in ours.items() if theirs.get(name) != what]
    for name in wrong:
        print(f"{name}: found {ours[name]}, expected {theirs.get(name)}")
    print(f"{len(ours)} declarations, {len(wrong)} differ")
    sys.exit(min(len(wrong), 125))


if __name__ == "__main__":
    main()
