#!/usr/bin/env python3
"""What commands print with --json is as docs/output.schema.json says: each line is the object that is expected, without
other members; and each member of the schema is printed by some command. The schema is that of the tables of docs/output.md.

To add a member: a row in the table, `make schema`, and a command below that prints it.

Prints a TAP line for each test and exits with the number that failed.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

import help_pages
import tap

SOURCE = pathlib.Path(os.environ["INK_SOURCE"])
sys.path.insert(0, str(SOURCE / "scripts"))
import make_schema  # noqa: E402

SCHEMA = json.loads((SOURCE / "docs" / "output.schema.json").read_text(encoding="utf-8"))

# Data and sketches for the commands below.
PREPARE = r"""
printf 'ant\nbee\nant\n\351\n' > keys.txt
printf 'ant,x\nbee,x\nant,\nfox,\377\n' > groups.csv
printf '{"k":"ant","g":null}\n' > null.jsonl
printf 'ant,18446744073709551615\nbee,1\n' > heavy.csv
printf 'ant 2026-11-16T14:26:08Z\nbee 2026-11-16T14:27:09Z\n' > times.txt
printf 'INFO\n' > info.txt
head -c 3000 /dev/zero | tr '\0' x > long.txt
for kind in bloom classic counting scalable count-min top hll fm; do ink build $kind -n 100 -o $kind.ink keys.txt 2> /dev/null || ink build $kind -o $kind.ink keys.txt; done
ink build bloom,count-min,top,hll --key 1 --by 2 -o groups.ink groups.csv
ink build hll --key k --by g -o null.ink null.jsonl
seq 2000 > many.txt; ink build bloom --bits 256 -o full.ink many.txt 2> /dev/null; ink build fm --width 8 --depth 1 -o small-fm.ink many.txt
ink build count-min --weight 2 --key 1 --counters 32 -o heavy.ink heavy.csv
ink build --as spark-v1 -o spark.bin keys.txt 2> /dev/null; ink convert --from spark-v1 spark.bin spark.ink
ink stream -q --train times.txt --fields --key 1 --time 2 --window 10m --sketch bloom:n=100 --sketch hll --state window < /dev/null
"""

# The object that each line must be, and the command.
PRINTED = [
    ("plan", "ink plan -n 1000 --json"),
    ("plan", "ink plan --memory 1M --json"),
    ("plan", "ink plan bloom --bits 1024 -n 100 --json"),
    ("plan", "ink plan classic -n 1000 -p 0.3 --json"),
    ("plan_dedup", "ink plan dedup --exact --ngrams 2 --near 0.9 --memory 1M --json keys.txt; ink plan dedup --ngrams 2 -n 1e7 --memory 1M --json"),
    ("info", "cat /dev/null; for f in *.ink window/state.ink; do ink info --json $f; done"),
    ("verify", "for kind in bloom classic counting scalable count-min top hll fm; do ink verify --json $kind.ink --truth keys.txt; done"),
    ("verify", "ink verify --json groups.ink --truth groups.csv"),
    ("verify", "ink verify --json full.ink --truth keys.txt; true"),
    ("filter", "ink filter --count --json bloom.ink keys.txt"),
    ("filter", "ink filter --count --json --kind bloom groups.ink groups.csv"),
    ("answer", "ink count --json count-min.ink keys.txt; ink count --json -e ant groups.ink; ink count --json -e ant counting.ink"),
    ("answer", "ink count --json -e ant heavy.ink"),
    ("answer", "ink top --json keys.txt; ink top --json groups.ink; ink top --json --key 1,2 groups.csv; ink top --json long.txt"),
    ("answer", "ink distinct --json keys.txt; ink distinct --json groups.ink; ink distinct --json null.ink; ink distinct --json full.ink"),
    ("answer", "ink dot --json count-min.ink count-min.ink; ink dot --json groups.ink groups.ink; ink dot --json heavy.ink heavy.ink"),
    ("overlap", "ink overlap --json keys.txt many.txt; ink overlap --kind hll --json groups.ink groups.ink"),
    ("answer", "printf 'COUNT ant\\nDISTINCT\\n' | ink stream -q --train keys.txt --sketch top --sketch hll --state a --ask - --json"),
    ("seen", "cat keys.txt | ink stream -q --train keys.txt --sketch bloom:n=100 --state s --ask - --json; "
             "printf 'ant\\tx\\n' | ink stream -q --train groups.csv --key 1,2 --sketch bloom:n=100 --state t --ask - --json"),
    ("ranking", "echo TOP 3 | ink stream -q --train keys.txt --sketch top --state r --ask - --json"),
    ("stream", "ink stream -q --train keys.txt --sketch bloom:n=100 --sketch top --state i --ask info.txt --json"),
    ("stream", "ink stream -q --train times.txt --fields --key 1 --time 2 --window 10m --sketch hll --state w --ask info.txt --json"),
    ("uniq", "ink uniq --count --json keys.txt"),
    ("dedup", "ink dedup --exact --paragraphs --ngrams 2 --near 0.9 --json --bad skip --dry-run keys.txt; ink dedup --ngrams 2 -n 1e6 --memory 1M --json --dry-run many.txt"),
    ("dedup_row", "printf '{\"text\":\"a\",\"id\":1}\\n' > one.jsonl; cp one.jsonl two.jsonl; "
                  "ink dedup -q --explain - --id id -o made one.jsonl two.jsonl"),
    ("job", "ink map bloom --plan; ink map --filter bloom.ink --plan"),
    ("stats", "ink build bloom -o stats.ink --stats=tasks -q many.txt 2>&1; ink uniq --stats -q many.txt 2>&1 > /dev/null"),
    ("stats", "ink merge --stats -q -o merged.ink bloom.ink bloom.ink 2>&1; ink gen u64 -n 10 --stats 2>&1 > /dev/null"),
    ("version", "ink version --json; ink version --tuning --json"),
]

# What only some machines have.
SELDOM = {("dedup_row", "file_hex"), ("dedup_row", "id_hex"), ("dedup_row", "earlier_file_hex"), ("version", "far_from_bytes"), ("version", "far_keys"), ("phase", "lost"), ("task", "step"), ("task", "lane"), ("task", "nested")}

KINDS = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}


def kind_matches(value, kinds):
    return any(isinstance(value, KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))
               for kind in ([kinds] if isinstance(kinds, str) else kinds))


def wrong(value, schema, where, seen):
    """What is wrong with a value, one line for each; notes in `seen` the members of each definition that occur.

    A schema that has other keywords than these is refused, so that none is passed over."""
    for word, given in schema.items():
        if word == "$ref":
            name = given.removeprefix("#/$defs/")
            seen.update((name, member) for member in value if isinstance(value, dict))
            yield from wrong(value, SCHEMA["$defs"][name], f"{where} ({name})", seen)
        elif word == "type":
            if not kind_matches(value, given):
                yield f"{where} is {value!r}, expected {given}"
        elif word == "const":
            if value is not given:
                yield f"{where} is {value!r}, expected {given}"
        elif word == "pattern":
            if not (isinstance(value, str) and re.search(given, value)):
                yield f"{where} is {value!r}, expected {given}"
        elif word == "items":
            for i, item in enumerate(value if isinstance(value, list) else []):
                yield from wrong(item, given, f"{where}[{i}]", seen)
        elif word == "properties":
            for member in given.keys() & value.keys():
                yield from wrong(value[member], given[member], f"{where}.{member}", seen)
        elif word == "required":
            yield from (f"{where} has no {member}" for member in given if member not in value)
        elif word == "additionalProperties":
            yield from (f"{where} has {member}, which the schema does not know" for member in value if member not in schema["properties"])
        elif word == "allOf":
            for one in given:
                yield from wrong(value, one, where, seen)
        elif word in ("anyOf", "oneOf", "not"):
            fit = sum(not list(wrong(value, one, where, seen)) for one in (given if word != "not" else [given]))
            if fit == 0 if word == "anyOf" else fit != (word == "oneOf"):
                yield f"{where} fits {fit} of {word} {given}: {value!r}"
        else:
            yield f"the schema has {word}, expected a keyword that this test knows"


def once(pairs):
    """An object, none of whose members comes twice."""
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)


def run(command):
    """What sh prints, with ink on the PATH."""
    environment = {**os.environ, "PATH": f"{help_pages.FOLDER}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, env=environment, timeout=120, check=False)
    assert not done.stderr, (command, done.stderr)
    return done.stdout.decode("utf-8")


def the_file_is_made_from_the_tables():
    page = make_schema.PAGE.read_text(encoding="utf-8")
    made = make_schema.text(make_schema.schema(page)) + "\n"
    assert made == (SOURCE / "docs" / "output.schema.json").read_text(encoding="utf-8"), "docs/output.schema.json is old, expected `make schema`"


def every_line_is_its_object_and_every_member_is_printed():
    run(PREPARE)
    seen, trouble = set(), []
    for name, command in PRINTED:
        lines = run(command).splitlines()
        assert lines, command
        for line in lines:
            assert line.startswith("{"), (command, line)
            value = json.loads(line, object_pairs_hook=once)
            trouble += [f"{command}: {what}" for what in wrong(value, {"$ref": f"#/$defs/{name}"}, "", seen)]
    trouble += [f"{name}: no command here prints {member}" for name, made in SCHEMA["$defs"].items()
                for member in made["properties"] if (name, member) not in seen | SELDOM]
    assert not trouble, "\n".join(trouble)


def every_command_that_has_json_is_here():
    having = {name for name in help_pages.commands() if re.search(r"^ +--json ", help_pages.ink("help", name), re.M)}
    here = set(re.findall(r"\bink ([a-z]+)", " ".join(command for _, command in PRINTED)))
    assert having and having - here == {"reduce"} & having, (having, here)  # which prints what verify does


def what_does_not_fit_is_found():
    good = {"version": "1", "l1_bytes": 5}
    answer = {"kind": "top", "estimate": 1, "low": 1, "confidence": 1}
    cases = [("version", good, 0), ("version", {"l1_bytes": 5}, 1), ("version", {**good, "more": 1}, 1), ("version", {**good, "l1_bytes": 5.0}, 1),
             ("version", {**good, "l1_bytes": True}, 1), ("answer", {**answer, "key": ["a", "b"]}, 0), ("answer", {**answer, "key_hex": "0g"}, 1),
             ("answer", {**answer, "key": "a", "key_hex": "61"}, 1), ("answer", {**answer, "key": None}, 1), ("answer", {**answer, "group": None}, 0),
             ("answer", {**answer, "cut": False}, 1), ("seen", {"kind": "bloom", "seen": True}, 1), ("ranking", {"question": "", "answers": [{}]}, 3)]
    for name, value, count in cases:
        found = list(wrong(value, {"$ref": f"#/$defs/{name}"}, "", set()))
        assert len(found) == count, (name, value, found)


if __name__ == "__main__":
    sys.exit(tap.run(tap.tests_of(globals()), "ink-schema-"))
