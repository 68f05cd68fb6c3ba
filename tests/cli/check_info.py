#!/usr/bin/env python3
"""What the library says of a sketch as JSON: it can be read, it is what ink info --json prints, and its fields are those
of ink info --tsv; for every golden file, so for every kind, and for labels of any bytes.

Prints a TAP line for each test and exits with the number that failed.
"""
import ctypes
import json
import os
import pathlib
import subprocess
import sys

import tap
from help_pages import INK

GOLDEN = pathlib.Path(os.environ["INK_SOURCE"]) / "tests" / "golden"
ODD = [b"plain", b'quote " and \\', bytes(range(1, 64)), b"\x7f\xc2\x85", "Größe 🐝 字".encode(), b"\xff\xfe\xc3", b"\xed\xa0\x80"]


class Label(ctypes.Structure):
    """ink_label."""

    _fields_ = [("group_kind", ctypes.c_int), ("group", ctypes.c_void_p), ("group_bytes", ctypes.c_size_t),
                ("has_slot", ctypes.c_bool), ("slot", ctypes.c_int64)]


class Entry(ctypes.Structure):
    """ink_entry_info."""

    _fields_ = [("kind", ctypes.c_char_p), ("label", Label), ("records", ctypes.c_uint64), ("bytes", ctypes.c_uint64),
                ("reserved", ctypes.c_uint64 * 4)]


class Options(ctypes.Structure):
    """ink_info_options."""

    _fields_ = [("label", ctypes.POINTER(Label)), ("has_rate", ctypes.c_bool), ("rate", ctypes.c_double), ("digest", ctypes.c_bool),
                ("reserved", ctypes.c_uint64 * 4)]


def library():
    """The library, whose calls must succeed."""
    loaded = ctypes.CDLL(os.environ["INK_LIBRARY"])
    loaded.ink_file_count.restype = ctypes.c_size_t
    for name in ("ink_file_count", "ink_file_close", "ink_sketch_free"):
        getattr(loaded, name).argtypes = [ctypes.c_void_p]
    return loaded


def lines_of_library(path):
    """The object of each sketch of a file, as the library writes it."""
    lib, file, sketch, count = library(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
    assert lib.ink_file_open(ctypes.byref(file), os.fsencode(path), 0, None, None) == 0
    lines = []
    for i in range(lib.ink_file_count(file)):
        entry = Entry()
        assert lib.ink_file_entry(file, ctypes.c_size_t(i), ctypes.byref(entry), None) == 0
        assert lib.ink_file_sketch(file, ctypes.c_size_t(i), ctypes.byref(sketch), None) == 0
        options = Options(label=ctypes.pointer(entry.label), digest=True)
        text = ctypes.create_string_buffer(2048 + 6 * entry.label.group_bytes)
        assert lib.ink_sketch_info_json(sketch, ctypes.byref(options), text, ctypes.c_size_t(len(text)),
                                        ctypes.byref(count), None) == 0
        assert count.value == len(text.value)
        lines.append(text.value)
        lib.ink_sketch_free(sketch)
    lib.ink_file_close(file)
    return lines


def printed(path, form):
    """The lines of ink info."""
    return subprocess.run([INK, "info", form, path], check=True, stdout=subprocess.PIPE, timeout=60).stdout.split(b"\n")[:-1]


def check(path):
    """One file: the library, both forms of the command, and a reader of JSON."""
    lines = lines_of_library(path)
    assert lines == printed(path, "--json"), path
    names, *rows = (line.decode("latin-1").split("\t") for line in printed(path, "--tsv"))
    assert len(rows) == len(lines)
    for line, row in zip(lines, rows):
        found = json.loads(line, parse_int=str, parse_float=str)
        fields = {name: text for name, text in zip(names, row) if text}
        assert [name.removesuffix("_hex") for name in found] == list(fields), (path, line)
        for name, value in found.items():
            if name == "group_hex":
                assert bytes.fromhex(value) == fields["group"].encode("latin-1"), (path, line)
            elif name != "group":
                assert fields[name] == (str(value).lower() if isinstance(value, bool) else value), (path, name, value)


def every_golden_file_is_described_alike():
    """All kinds, groups, slots and none."""
    paths = sorted(GOLDEN.glob("*.ink"))
    assert len(paths) > 20
    for path in paths:
        check(path)


def groups_of_any_bytes_are_strings_of_json():
    """Those that are not UTF-8 are in hex, with another name."""
    with open("d.csv", "wb") as out:
        out.write(b"k,g\n" + b"".join(b'%d,"%s"\n' % (i, group.replace(b'"', b'""')) for i, group in enumerate(ODD)
                                      if not set(group) & set(b"\r\n")))
    subprocess.run([INK, "build", "hll", "--header", "--key", "k", "--by", "g", "-o", "d.ink", "d.csv"], check=True, timeout=60)
    check("d.ink")
    found = [json.loads(line) for line in lines_of_library("d.ink")]
    groups = [sketch["group"] for sketch in found if "group" in sketch]
    assert "Größe 🐝 字" in groups and 'quote " and \\' in groups and "\x7f\x85" in groups, groups
    assert [sketch["group_hex"] for sketch in found if "group_hex" in sketch] == ["eda080", "fffec3"], found


if __name__ == "__main__":
    sys.exit(tap.run(tap.tests_of(globals()), "ink-info-"))
