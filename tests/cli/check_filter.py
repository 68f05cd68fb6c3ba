#!/usr/bin/env python3
"""What ink filter prints of records with their groups, as other programs read it: Python's csv and json modules find the
fields that went in, and the groups beside them; for labels of any bytes, in every form that has fields.

Prints a TAP line for each test and exits with the number that failed.
"""
import csv
import gzip
import io
import json
import pathlib
import re
import subprocess
import sys

import tap
from help_pages import INK

# Which groups a key is in. None is the null group.
TEXTS = ["a", "b", "", None, "c,d", "semi;colon", 'say "hi"', '"', "tab\there", "line\nend", "return\r", "back\\slash", "\\x41", "\\N", "\\E",
         "(null)", "Größe 🐝", "\x1b[31mred\x07", "\x85", " blank "]
KEYS = {**{f"key{i}": [text] for i, text in enumerate(TEXTS)}, "both": ["a", "b"], "every": TEXTS, "quo\"ted, key": ["a", "c,d"]}
BYTES = {"odd": [b"\xff\xfe"], "mixed": [b"\xff\xfe", b"a", None, b""], "even": [b"a"]}
ODD_KEYS = {**{key: [None if text is None else text.encode() for text in texts] for key, texts in KEYS.items()}, **BYTES}


def ink(*words, given=None, code=0):
    done = subprocess.run([INK, *map(str, words)], input=given, capture_output=True, check=False, timeout=60)
    assert done.returncode == code, (words, done.returncode, done.stderr.decode())
    return done.stdout if code == 0 else done.stderr.decode()


def in_json(text):
    """A string of JSON, or null; bytes as they are, which need not be UTF-8."""
    if text is None:
        return b"null"
    escaped = re.sub(rb'[\x00-\x1f"\\]', lambda found: b"\\u%04x" % found[0][0], text)
    return b'"%s"' % escaped


def build(keys, path="s.ink"):
    lines = [b'{"k":%s,"g":%s}\n' % (in_json(key.encode()), in_json(group))
             for key, groups in keys.items() for group in groups]
    pathlib.Path("built.jsonl").write_bytes(b"".join(lines))
    ink("build", "classic", "-p", "1e-9", "--key", "k", "--by", "g", "-o", path, "built.jsonl")
    return path


def groups_in(field, between):
    """The groups of a field, by the rules of docs/output.md."""
    special = {b"\\N": None, b"\\E": b""}
    return [special[item] if item in special else
            re.sub(rb"\\x([0-9a-f]{2})", lambda found: bytes.fromhex(found[1].decode()), item)
            for item in field.encode("latin-1").split(between)]


def same(found, expected):
    """The same groups, in any order."""
    def order(groups):
        return sorted(groups, key=lambda group: (group is not None, group or b""))
    assert order(found) == order(expected), (found, expected)


# ---- Fields --------------------------------------------------------------------------------------------------------

ROWS = [["before", "k", "after"], *([f"x{i}", key, "y"] for i, key in enumerate(ODD_KEYS)), ["a, \"b\"", "both", ""],
        ["", "none of them", ""]]
# How it is written: words of ink, how csv reads it, what joins groups, and the suffix.
FORMS = {
    "CSV": (["--in", "csv"], {}, b","),
    "CSV with semicolons": (["--in", "csv", "-d", ";"], {"delimiter": ";"}, b","),
    "CSV of several lines": (["--in", "csv", "--csv-multiline"], {}, b","),
    "TSV": (["--in", "tsv"], {"delimiter": "\t", "quoting": csv.QUOTE_NONE, "quotechar": None}, b","),
    "TSV with quotes": (["--in", "tsv"], {"delimiter": "\t"}, b","),
    "fields with commas": (["--in", "lines", "-d", ","], {"quoting": csv.QUOTE_NONE, "quotechar": None}, b";"),
    "fields with blanks": (["--in", "lines", "-d", " "], {"delimiter": " ", "quoting": csv.QUOTE_NONE, "quotechar": None}, b","),
}


def rows_for(name, dialect):
    """Rows that the form can hold."""
    if name == "CSV of several lines":
        return [*ROWS, ["two\nlines", "key0", "\r\n"]]
    if "CSV" in name:
        return ROWS
    odd = f'"{dialect.get("delimiter", ",")}'
    return [row for row in ROWS if not any(byte in field for field in row for byte in odd)]


def fields_are_read_with_their_groups():
    sketches = build(ODD_KEYS)
    for name, (words, dialect, between) in FORMS.items():
        for end in "\n", "\r\n":
            for header in True, False:
                rows = rows_for(name, dialect)
                text = io.StringIO(newline="")
                csv.writer(text, **dialect, lineterminator=end).writerows(rows if header else rows[1:])
                data = text.getvalue().encode()
                pathlib.Path("data.gz").write_bytes(gzip.compress(data))
                how = [*words, "--key", "2", *(["--header"] if header else [])]
                printed = ink("filter", *how, sketches, given=data)
                assert printed == ink("filter", *how, sketches, "data.gz"), name
                found = list(csv.reader(io.StringIO(printed.decode("latin-1"), newline=""), **dialect, strict=True))
                if header:
                    assert found.pop(0) == [*rows[0], "ink_group"], (name, found)
                expected = [row for row in rows[1:] if row[1] in ODD_KEYS]
                assert printed.count(b"\r\n") == data.count(b"\r\n") - (end == "\r\n") * (len(rows) - 1 - len(expected)), name
                assert [row[:-1] for row in found] == [[field.encode().decode("latin-1") for field in row] for row in expected], name
                for got, row in zip(found, expected):
                    same(groups_in(got[-1], between), ODD_KEYS[row[1]])
                assert b"\x1b" not in printed and b"\x07" not in printed and b"\xc2\x85" not in printed, name
                plain = ink("filter", *how, "--no-groups", sketches, given=data)
                assert ink("filter", *how, sketches, given=plain) == printed, name
                again = ink("filter", *how, "--group-column", "again", sketches, given=printed)
                assert again.count(b"again") == header, name


def short_rows_keep_columns_in_their_place():
    """Rows that end early, and empty ones: the column is still under its name."""
    sketches = build({"": [b"nothing"], "ant": [b"a"]})
    for name, data, words in (("CSV", "k,x,y\nant\nant,1\n\nant,1,2\n", ["--in", "csv"]),
                              ("TSV", "k\tx\ty\nant\nant\t1\n\nant\t1\t2", ["--in", "tsv"])):
        printed = ink("filter", *words, "--header", "--key", "k", sketches, given=data.encode()).decode()
        delimiter = "\t" if name == "TSV" else ","
        found = [(row["k"], row["ink_group"]) for row in csv.DictReader(io.StringIO(printed), delimiter=delimiter, strict=True)]
        assert found == [("ant", "a"), ("ant", "a"), ("", "nothing"), ("ant", "a")], (name, printed)


def a_name_is_quoted_and_a_mark_of_byte_order_stays():
    sketches = build({"ant": [b"a", b"b"]})
    data = "\ufeffk,x\r\nant,1\r\n".encode()
    printed = ink("filter", "--in", "csv", "--header", "--key", "k", "--group-column", 'of, "it"', sketches, given=data)
    assert list(csv.reader(io.StringIO(printed.decode("utf-8-sig")), strict=True)) == [["k", "x", 'of, "it"'], ["ant", "1", "a,b"]]
    assert printed.startswith(b"\xef\xbb\xbfk,x,")


# ---- JSON ----------------------------------------------------------------------------------------------------------


def objects_are_read_with_their_groups():
    sketches = build(ODD_KEYS)
    objects = [{"n": i, "k": key, "x": {"ink_group": [], "y": "}"}} for i, key in enumerate(ODD_KEYS)]
    for ends in "\n", "\r\n", " \n":
        data = "".join(json.dumps(item) + ends for item in objects).encode()
        printed = ink("filter", "--in", "jsonl", "--key", "k", sketches, given=data)
        found = [json.loads(line) for line in printed.decode().splitlines()]
        assert len(found) == len(objects)
        for got, item in zip(found, objects):
            expected = ODD_KEYS[item["k"]]
            hexed = any(group == b"\xff\xfe" for group in expected)
            groups = got.pop("ink_group_hex" if hexed else "ink_group")
            assert got == item
            same([None if group is None else bytes.fromhex(group) if hexed else group.encode() for group in groups], expected)


def whole_records_are_keys_of_objects_too():
    """Files that were read in different ways say nothing about columns."""
    key, sketches = '{"a": 1}', "merged.ink"
    for name, delimiter, data in (("one", ";", f'{key};g\n{{}};h\n'), ("two", "|", "5|i\n")):
        ink("build", "classic", "-p", "1e-9", "-n", 100, "--in", "lines", "-d", delimiter, "--key", 1, "--by", 2, "-o", f"{name}.ink",
            given=data.encode())
    ink("merge", "-o", sketches, "one.ink", "two.ink")
    printed = ink("filter", "--in", "jsonl", sketches, given=f"{key}\n{{}}\n".encode(), code=0)
    assert [json.loads(line) for line in printed.splitlines()] == [{"a": 1, "ink_group": ["g"]}, {"ink_group": ["h"]}], printed
    assert "line 1" in ink("filter", "--in", "jsonl", sketches, given=b"5\n", code=3)


if __name__ == "__main__":
    sys.exit(tap.run(tap.tests_of(globals()), "ink-filter-"))
