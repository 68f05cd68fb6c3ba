#!/usr/bin/env python3
"""Kinds are named where they are made, in src/sketch, and by the command where it must choose for its user.

A job asks which kind answers best (ink_kind_info.ranks), so that a new kind is chosen without a change elsewhere. Looks at
the string literals of src and cli. Prints TAP lines, and exits with the number that failed.
"""
import pathlib
import re
import sys

import tap

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINDS = sorted(name for file in (ROOT / "src/sketch/kinds").glob("*.c")
               for name in re.findall(r'^    \.name = "([^"]+)",$', file.read_text(), re.M))

# Files of src that name a kind, and why.
IN_SRC = {
    "foreign.c": "files of other programs, by their own names",
}

# Files of cli that name a kind as a value, and why.
IN_CLI = {
    "suggestions.c": "what other programs call a kind",
    "kind_texts.c": "the help of each kind",
    "count.c": "what data is made into by default",
    "distinct.c": "what data is made into by default; --estimator seed is for one kind",
    "dot.c": "what data is made into by default",
    "top.c": "what data is made into by default; the command's own name",
    "specs.c": "--grow makes filters of this kind",
    "map_reduce.c": "a plan for files whose kind has no parts",
    "manual.c": "a plan that is asked for the default hash",
    "options.c": "the kind that takes every hash",
    "option_list.h": "the option --top",
}

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|\'(?:[^\'\\\n]|\\.)\'|"((?:[^"\\\n]|\\.)*)"', re.S)


def literals(folder):
    """Every string literal of a folder with its file, but those of comments and includes."""
    for file in sorted(folder.rglob("*.[ch]")):
        text = re.sub(r"^#include .*$", "", file.read_text(), flags=re.M)
        for found in TOKEN.finditer(text):
            if found.group(1) is not None:
                yield file, found.group(1)


def every_kind_has_a_name():
    assert len(KINDS) >= 8 and "bloom" in KINDS and "count-min" in KINDS, KINDS


def src_names_no_kind_outside_of_sketch():
    word = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, KINDS))})(?![\w-])")
    wrong = [f'{file.relative_to(ROOT)}: "{text}"' for file, text in literals(ROOT / "src")
             if ROOT / "src/sketch" not in file.parents and file.name not in IN_SRC and word.search(text)]
    assert not wrong, "; ".join(wrong)


def cli_names_kinds_only_where_it_chooses_for_its_user():
    wrong = [f'{file.relative_to(ROOT)}: "{text}"' for file, text in literals(ROOT / "cli")
             if file.name not in IN_CLI and text in KINDS]
    assert not wrong, "; ".join(wrong)


if __name__ == "__main__":
    sys.exit(tap.run([every_kind_has_a_name, src_names_no_kind_outside_of_sketch,
                      cli_names_kinds_only_where_it_chooses_for_its_user], "ink-kinds-"))
