"""The digest of an aggregate is that of `ink build` and of Python for the same rows: random tables, every kind.

What SQL made is asked by the command and Python, and what these made is asked in SQL.
"""

from __future__ import annotations

import pathlib
import random
import re
import string

import inkling
import pytest
from engines import Engine

# A function, its options in SQL, in the command and in Python.
KINDS = [
    ("bloom", "", [], {}),
    ("bloom", "p=0.0003", ["-p", "0.0003"], {"p": 0.0003}),
    ("bloom", "n=5e3, p=0.02", ["-n", "5e3", "-p", "0.02"], {"n": 5000, "p": 0.02}),
    ("bloom", "headroom=3x", ["--headroom", "3x"], {"headroom": 3}),
    ("classic", "p=0.000001", ["-p", "0.000001"], {"p": 0.000001}),
    ("classic", "bits=65536,hashes=4", ["--bits", "65536", "--hashes", "4"], {"bits": 65536, "hashes": 4}),
    ("counting", "", [], {}),
    ("counting", "n=3000", ["-n", "3000"], {"n": 3000}),
    ("fuse", "", [], {}),
    ("hll", "", [], {}),
    ("hll", "precision=8", ["--precision", "8"], {"precision": 8}),
    ("theta", "precision=9", ["--precision", "9"], {"precision": 9}),
    ("count_min", "eps=0.001", ["--eps", "0.001"], {"eps": 0.001}),
    ("top", "k=100", ["-k", "100"], {"k": 100}),
]

LETTERS = string.ascii_letters + string.digits + " _,\"'\\äß€😀"


def ints(chance: random.Random, count: int) -> list[int]:
    """Small ones that repeat, and all sizes."""
    near = [chance.randrange(-50, 1000) for _ in range(count)]
    far = [chance.randrange(-(2**63), 2**63) for _ in range(count // 4)]
    return near + [*far, 0, -1, 2**63 - 1, -(2**63)]


def texts(chance: random.Random, count: int) -> list[str]:
    return [
        "".join(chance.choices(LETTERS, k=chance.choice((0, 1, 2, 3, 12, 40, 300)))) for _ in range(count)
    ]


# A type of column, random values, and the key as the command reads it.
TYPES = [("int", ints, ["--key-type", "int"]), ("text", texts, [])]


def as_records(values: list[object]) -> bytes:
    """Keys that end with a NUL."""
    return b"".join(str(value).encode() + b"\0" for value in values)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("kind", "options", "of_command", "of_python"), KINDS)
@pytest.mark.parametrize(("type_name", "make", "key_type"), TYPES, ids=("int", "text"))
def test_same_rows_same_digest(
    engine: Engine, ink, tmp_path, seed, kind, options, of_command, of_python, type_name, make, key_type
) -> None:
    chance = random.Random(f"{kind} {options} {type_name} {seed}")
    values = make(chance, chance.choice((1, 20, 700)) if kind == "top" else chance.choice((1, 20, 3000)))
    rows = [(value,) for value in values]
    for _ in range(10):
        rows.insert(chance.randrange(len(rows) + 1), (None,))
    engine.table("t", {"k": type_name}, rows)
    given = f", '{options}'" if options else ""
    made = engine.value(f"SELECT ink_{kind}(k{given}) FROM t")
    digest = engine.value("SELECT ink_digest({sketch})".format(**engine.words), made)
    name = kind.replace("_", "-")
    ink("build", name, "--in", "nul", *key_type, *of_command, "-o", "cli.ink", data=as_records(values))
    assert digest == ink.digest("cli.ink")
    (tmp_path / "sql.ink").write_bytes(made)
    assert ink.digest("sql.ink") == digest
    of = {"format": "nul", "key_type": type_name.replace("text", "bytes")}
    assert inkling.build(as_records(values), name, **of, **of_python).digest == digest
    assert inkling.Sketch.from_bytes(made).digest == digest


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("type_name", "make", "key_type"), TYPES, ids=("int", "text"))
def test_groups_and_merges_are_those_of_the_whole(engine: Engine, ink, seed, type_name, make, key_type) -> None:
    """Sketches of groups, merged, are the sketch of all; each group is that of the command."""
    chance = random.Random(f"groups {type_name} {seed}")
    rows = [(value, chance.randrange(5), chance.randrange(9)) for value in make(chance, 2000)]
    engine.table("t", {"k": type_name, "g": "int", "w": "int"}, rows)
    for kind, options in (("bloom", "n=1e4"), ("hll", ""), ("count_min", ""), ("theta", ""), ("counting", "n=5000")):
        given = f", '{options}'" if options else ""
        merged = engine.value(
            f"SELECT ink_digest(ink_merge(b)) FROM (SELECT ink_{kind}(k{given}) AS b FROM t GROUP BY g) AS x"
        )
        assert merged == engine.value(f"SELECT ink_digest(ink_{kind}(k{given})) FROM t")
    sized = dict(engine.rows("SELECT g, ink_digest(ink_bloom(k)) FROM t GROUP BY g"))
    for group, digest in sized.items():
        data = as_records([k for k, g, _ in rows if g == group])
        ink("build", "bloom", "--in", "nul", *key_type, "-o", "g.ink", "--force", data=data)
        assert ink.digest("g.ink") == digest
    weighted = engine.value("SELECT ink_digest(ink_count_min(k, w)) FROM t")
    sketch = inkling.Sketch("count-min", key_type=type_name.replace("text", "bytes"))
    sketch.add([row[0] for row in rows], weight=[row[2] for row in rows])
    assert weighted == sketch.digest


# A function, its options in SQL, and the same in Python: every option has a row with a value that is not its default.
OPTIONS = [
    ("bloom", "n=700, p=0.2", {"n": 700, "p": 0.2}),
    ("bloom", "keys=700, rate=0.2", {"n": 700, "p": 0.2}),
    ("bloom", "n=700, max-rate=0.3", {"n": 700, "max_rate": 0.3}),
    ("classic", "bits=8192, hashes=3", {"bits": 8192, "hashes": 3}),
    ("classic", "n=700, hash=murmur64a", {"n": 700, "hash": "murmur64a"}),
    ("hll", "precision=7, seed=0", {"precision": 7, "seed": 0}),
    ("hll", "seed=7", {"seed": 7}),
    ("theta", "precision=5", {"precision": 5}),
    ("count_min", "eps=0.002, delta=0.2", {"eps": 0.002, "delta": 0.2}),
    ("count_min", "width=300, depth=3", {"width": 300, "depth": 3}),
    ("count_min", "eps=0.01, counters=64", {"eps": 0.01, "counters": 64}),
    ("count_min", "eps=0.01, conservative", {"eps": 0.01, "conservative": True}),
    ("top", "k=50", {"k": 50}),
    ("top", "top=50", {"k": 50}),
    ("top", "phi=0.0003", {"phi": 0.0003}),
]
BY_DRAFTS = {"headroom", "memory"}  # which a sketch of Python has not: headroom is among KINDS


def test_every_option_is_that_of_python(engine: Engine) -> None:
    words = texts(random.Random(7), 300)
    engine.table("t", {"k": "text"}, [(word,) for word in words])
    for kind, options, of_python in OPTIONS:
        expected = inkling.Sketch(kind.replace("_", "-"), **of_python).add(words).digest
        assert engine.value(f"SELECT ink_digest(ink_{kind}(k, '{options}')) FROM t") == expected, options


def test_every_option_has_a_row() -> None:
    source = (pathlib.Path(__file__).parents[1] / "options.c").read_text(encoding="utf-8")
    listed = {name for row in re.findall(r'^    \{"([\w-]+)", (?:NULL|"(\w+)"),', source, re.MULTILINE) for name in row if name}
    given = {part.partition("=")[0] for _, options, _ in OPTIONS for part in options.split(", ")}
    assert listed == given | BY_DRAFTS


def test_bytes_and_texts_are_the_same_keys(engine: Engine) -> None:
    words = [(text, text.encode()) for text in texts(random.Random(5), 500)]
    engine.table("t", {"s": "text", "b": "blob"}, words)
    assert engine.value("SELECT ink_digest(ink_bloom(s)) = ink_digest(ink_bloom(b)) FROM t")
    of_any = [(random.Random(i).randbytes(i),) for i in range(300)]
    engine.table("t", {"b": "blob"}, of_any)
    sketch = inkling.Sketch("hll").add([row[0] for row in of_any])
    assert engine.value("SELECT ink_digest(ink_hll(b)) FROM t") == sketch.digest


def test_what_others_built_is_asked(engine: Engine, ink, tmp_path) -> None:
    """Answers are those of the command, of the same file."""
    chance = random.Random(6)
    words = texts(chance, 2000)
    ink("build", "bloom,count-min,top,hll", "--in", "nul", "-o", "all.ink", data=as_records(words))
    stored = inkling.open(tmp_path / "all.ink")
    keys = words[:300] + texts(chance, 300)
    engine.table("t", {"i": "int", "k": "text"}, list(enumerate(keys)))
    bloom, counts = stored.sketch("bloom").to_bytes(), stored.sketch("count-min").to_bytes()
    asked = "SELECT CASE WHEN ink_contains({sketch}, k) THEN 1 ELSE 0 END FROM t ORDER BY i"
    found = [row[0] == 1 for row in engine.rows(asked.format(**engine.words), bloom)]
    assert found == list(stored.sketch("bloom").query(keys))
    asked = "SELECT ink_count({sketch}, k) FROM t ORDER BY i"
    found = [row[0] for row in engine.rows(asked.format(**engine.words), counts)]
    assert found == [round(stored.sketch("count-min").count(key).estimate) for key in keys]
    rows = engine.rows("SELECT kind, ink_digest(sketch) FROM ink_read(?)", str(tmp_path / "all.ink"))
    assert dict(rows) == {kind: stored.sketch(kind).digest for kind in ("bloom", "count-min", "top", "hll")}
