#!/usr/bin/env python3
"""Names in the string literals of src and cli: kinds, and the parameters that messages are about.

Kinds are named where they are made, in src/sketch, and by the command where it must choose for its user. A job asks which
kind answers best (ink_kind_info.ranks), so that a new kind is chosen without a change elsewhere. Messages have the
parameters of inkling.h in braces, and no option of the command: each front end puts its own names there. Prints TAP lines,
and exits with the number that failed.
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
             if not {ROOT / "src/sketch", ROOT / "src/format/foreign"} & set(file.parents)
             and file.name not in IN_SRC and word.search(text)]
    assert not wrong, "; ".join(wrong)


def cli_names_kinds_only_where_it_chooses_for_its_user():
    wrong = [f'{file.relative_to(ROOT)}: "{text}"' for file, text in literals(ROOT / "cli")
             if file.name not in IN_CLI and text in KINDS]
    assert not wrong, "; ".join(wrong)


def parameters():
    header = (ROOT / "include/inkling.h").read_text()
    listed = re.search(r"typedef enum ink_parameter \{(.*?)\} ink_parameter;", header, re.S).group(1)
    names = re.findall(r"^    INK_PARAMETER_(\w+),", listed, re.M)
    table = re.findall(r"\[INK_PARAMETER_(\w+)\] = \"(\w+)\"", (ROOT / "src/base/status.c").read_text())
    assert names == [name for name, _ in table] and len(names) > 30, (names, table)
    return {"INK_OPEN_COPY" if name == "OPEN_COPY" else name.lower(): text for name, text in table}


def each_parameter_is_called_as_in_the_header():
    assert all(name == text for name, text in parameters().items()), parameters()
    headers = "".join(file.read_text() for file in (ROOT / "include").glob("*.h"))
    missing = [name for name in parameters() if not re.search(rf"\b{name}(\[\w+\])?[,;)]| {name} = ", headers)]
    assert not missing, missing


def messages_name_parameters_and_no_options():
    marked = [(file, name) for file, text in literals(ROOT / "src") for name in re.findall(r"\{([\w%]+)\}", text)]
    wrong = [f"{file.relative_to(ROOT)}: {{{name}}}" for file, name in marked if name != "%s" and name not in parameters()]
    # zstd's options, by which a file was made.
    wrong += [f"{file.relative_to(ROOT)}: {text}" for file, text in literals(ROOT / "src")
              if re.search(r"(?<![\w-])--(?!long|ultra)[a-z]", text)]
    assert len(marked) > 80 and not wrong, wrong


def every_parameter_is_named_by_a_message():
    text = "".join(file.read_text() for file in (ROOT / "src").rglob("*.c") if file.name != "status.c")
    unused = [name for name in parameters() if f"{{{name}}}" not in text and f'"{name}"' not in text]
    assert not unused, unused


if __name__ == "__main__":
    sys.exit(tap.run([every_kind_has_a_name, src_names_no_kind_outside_of_sketch,
                      cli_names_kinds_only_where_it_chooses_for_its_user, each_parameter_is_called_as_in_the_header,
                      messages_name_parameters_and_no_options, every_parameter_is_named_by_a_message], "ink-names-"))
