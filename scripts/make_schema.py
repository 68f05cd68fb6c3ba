#!/usr/bin/env python3
"""The JSON Schema of what `ink --json` prints, made from the tables of docs/output.md.

    make_schema.py > docs/output.schema.json

A table is an object if the cells of its head begin with its name and JSON: below them are the names of members and
their types, which the page explains. tests/cli/check_schema.py compares the file with this, and output with the file.
"""
import json
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "output.md"
HEX = {"type": "string", "pattern": "^([0-9a-f]{2})*$"}
STRING = {"type": "string"}


def array(items):
    return {"type": "array", "items": items}


# Each type, and what its twin in hex is.
TYPES = {
    "string": (STRING, None),
    "text": (STRING, HEX),
    "group": ({"type": ["string", "null"]}, HEX),
    "key": ({"anyOf": [STRING, array(STRING)]}, {"anyOf": [HEX, array(HEX)]}),
    "integer": ({"type": "integer"}, None),
    "number": ({"type": "number"}, None),
    "boolean": ({"type": "boolean"}, None),
    "true": ({"const": True}, None),
}


def tables(page):
    """The rows of each object by its name: the names in the first cell, and the words of the second."""
    found, rows = {}, None
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        if re.fullmatch(r"`\w+`", cells[0]) and cells[1:2] == ["JSON"]:
            rows = found.setdefault(cells[0].strip("`"), [])
            assert rows == [], f"two tables of {cells[0]}, expected one"
        elif not line.startswith("|"):
            rows = None
        elif rows is not None and not line.startswith("|---"):
            rows.append((re.findall(r"`(\w+)`", cells[0]), cells[1].split(", ")))
    return found


def definition(name, rows):
    """An object of JSON with these members, and no others."""
    properties, required, twins = {}, [], []
    for names, words in rows:
        words = words * len(names) if len(words) == 1 else words
        assert names and len(names) == len(words), f"{name}: {names} have the types {words}, expected one for each"
        for member, word in zip(names, words):
            if word == "-":
                continue
            kind = word.removesuffix("?")
            assert kind in TYPES or kind.endswith("[]"), f"{name}: {member} is {word}, expected one of {', '.join(TYPES)}"
            items = TYPES[kind[:-2]][0] if kind[:-2] in TYPES else {"$ref": f"#/$defs/{kind[:-2]}"}
            plain, twin = TYPES.get(kind) or (array(items), None)
            properties[member] = plain
            if twin is None and word == kind:
                required.append(member)
            if twin is None:
                continue
            properties[member + "_hex"] = twin
            one = [{"required": [member]}, {"required": [member + "_hex"]}]
            twins.append({"oneOf": one} if word == kind else {"not": {"required": [member, member + "_hex"]}})
    made = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {**made, "allOf": twins} if twins else made


def schema(page):
    """All of it; a line is any of the objects."""
    defined = {name: definition(name, rows) for name, rows in tables(page).items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of ink --json",
        "description": "Made from the tables of docs/output.md by make schema.",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in defined],
        "$defs": defined,
    }


def text(value, depth=0):
    """The file, with a line for each member of an object."""
    if depth == 4 or not isinstance(value, dict):
        return json.dumps(value)
    lines = (f"{' ' * (depth + 1)}{json.dumps(name)}: {text(member, depth + 1)}" for name, member in value.items())
    return "{\n" + ",\n".join(lines) + "\n" + " " * depth + "}"


if __name__ == "__main__":
    print(text(schema(PAGE.read_text(encoding="utf-8"))))
