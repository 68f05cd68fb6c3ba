#!/usr/bin/env python3
"""A program that was compiled before runs with a library whose structs have a field more.

caller-x86_64.o is caller.c as compiled against the headers of version 0.2. It is kept, and never made again: what it
fills and is given is the promise. It is run with the library of this tree, and with one that is compiled against headers
in which every struct that may grow has got a field, taken from its room. Elsewhere than on x86-64 caller.c is compiled
with the headers of this tree instead. Prints TAP lines, and exits with the number that failed.
"""
import os
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))
import tap  # noqa: E402

OUT = os.path.dirname(os.environ.get("INK_LIBRARY", ROOT / "build/libinkling.so"))
KEPT = ROOT / "tests/install/caller-x86_64.o"
LIBRARIES = ["-l:libzstd.a", "-l:libz.a", "-lpthread", "-lm"]
# The room at the end of a struct, of which a field takes the first word.
ROOM = re.compile(r"uint64_t( +)reserved\[(\d+)\];")


def run(*words, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    assert done.returncode == 0, f"{words[0]}: exit code {done.returncode}: {done.stdout[-2000:]}"
    return done.stdout


def compile_caller(name, include):
    run(os.environ.get("CC", "cc"), "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{include}", "-c",
        str(ROOT / "tests/install/caller.c"), "-o", name)


def caller():
    """The object that is kept; elsewhere one of today."""
    if platform.machine() == "x86_64":
        return str(KEPT)
    compile_caller("caller.o", ROOT / "include")
    return "caller.o"


def runs_with(library, include):
    """The program runs, and what is compiled with the headers of the library has structs of the same sizes."""
    compile_caller("now.o", include)
    for program, made in (("caller", caller()), ("now", "now.o")):
        run(os.environ.get("CC", "cc"), made, str(library), *LIBRARIES, "-o", program)
    said, sizes = run("./caller"), run("./caller", "sizes")
    assert len(sizes.splitlines()) > 40 and sizes == run("./now", "sizes"), run("./now", "sizes")
    assert re.fullmatch(r"\d{3,} checks\n", said), said


def runs_with_the_library_of_this_tree():
    runs_with(f"{OUT}/libinkling.a", ROOT / "include")


def grown_headers():
    """The headers with a field more in every struct that has room. The last word stays: the library checks that it is zero."""
    names = []
    for header in sorted((ROOT / "include").glob("*.h")):
        text = header.read_text()
        names += ROOM.findall(text)
        types = ["double", "const char *", "uint64_t"]

        def grow(match):
            rest = int(match[2]) - 1
            return f"{types[int(match[2]) % 3]} unforeseen; uint64_t reserved[{rest}];" if rest else match[0]
        pathlib.Path("grown").mkdir(exist_ok=True)
        pathlib.Path("grown", header.name).write_text(ROOM.sub(grow, text))
    return names


def runs_with_a_library_whose_structs_have_grown():
    rooms = grown_headers()
    assert len(rooms) > 30, rooms
    here = os.getcwd()
    run("make", "-s", "-C", str(ROOT), "-j2", f"OUT={here}/made", f"CFLAGS=-O0 -w -I{here}/grown", f"{here}/made/libinkling.a")
    runs_with("made/libinkling.a", "grown")


def every_struct_has_room_or_is_final():
    """Structs without room are those that stand in arrays, or are pairs of a function and its host."""
    final = {"ink_named", "ink_dedup_sink", "ink_key", "ink_answer", "ink_item", "ink_label", "ink_entry", "ink_section", "ink_sink",
             "ink_group_choice", "ink_count_sink", "ink_overlap_sink", "ink_piece_sink", "ink_absent_key"}
    found = set()
    for header in (ROOT / "include").glob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        found |= {name for name, body in re.findall(r"\n(?:typedef )?struct (\w+) \{(.*?)\n\}(?: \1)?;", text, re.S)
                  if "reserved" not in body}
    assert found == final, found ^ final


if __name__ == "__main__":
    sys.exit(tap.run([every_struct_has_room_or_is_final, runs_with_the_library_of_this_tree,
                      runs_with_a_library_whose_structs_have_grown], "ink-growth-"))
