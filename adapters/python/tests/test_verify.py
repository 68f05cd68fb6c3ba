"""inkling.verify: what `ink verify` measures, as rows, as a table and as a result."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from typing import Any

import pytest

import inkling
from conftest import Run

WORDS = b"".join(b"word%d\n" % i for i in range(3000))
ROWS = b"".join(b"user%d,shop%d\n" % (i, i % 5) for i in range(3000))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("verify")
    (made / "words.txt").write_bytes(WORDS)
    (made / "absent.txt").write_bytes(WORDS.replace(b"word", b"other"))
    (made / "rows.csv").write_bytes(ROWS)
    inkling.build(made / "words.txt", "bloom").save(made / "words.ink")
    inkling.build(made / "words.txt", ["bloom", "top", "hll", "count-min", "theta", "fuse"]).save(made / "all.ink")
    inkling.build(made / "rows.csv", "bloom,hll", key=1, by=2).save(made / "rows.ink")
    # A filter that promises too much, and one that denies what it should hold.
    with pytest.warns(inkling.PromiseWarning):
        inkling.Sketch("bloom", n=100).add(WORDS.split()).save(made / "full.ink")
    inkling.build(b"word1\n", "bloom").save(made / "one.ink")
    inkling.Sketch("classic", bits=1 << 16, hashes=5).add(WORDS.split()).save(made / "bits.ink")
    inkling.build(WORDS, "hll").save(made / "hll.ink")
    return made


CASES: list[tuple[str, str, dict[str, Any], list[str]]] = [
    ("words.ink", "words.txt", {}, []),
    ("words.ink", "words.txt", {"absent": "absent.txt"}, ["--absent", "absent.txt"]),
    ("all.ink", "words.txt", {"threads": 1}, ["--threads", "1"]),
    ("rows.ink", "rows.csv", {}, []),
    ("full.ink", "words.txt", {}, []),
    ("one.ink", "words.txt", {}, []),
    ("hll.ink", "absent.txt", {}, []),
    ("bits.ink", "words.txt", {}, []),
]


@pytest.mark.parametrize(("sketches", "data", "options", "words"), CASES, ids=lambda value: str(value)[:30])
def test_verify_finds_what_the_command_finds(
    sketches: str, data: str, options: dict[str, Any], words: list[str], folder: pathlib.Path, ink: Run
) -> None:
    if "absent" in options:
        options = {"absent": folder / options["absent"]}
        words = ["--absent", str(folder / "absent.txt")]
    done = ink("verify", *words, folder / sketches, folder / data, ok=False)
    rows = ink("verify", "--json", *words, folder / sketches, folder / data, ok=False).stdout.splitlines()
    found = inkling.verify(folder / sketches, folder / data, **options)
    assert repr(found) + "\n" == done.stdout and done.stderr == ""
    assert found.ok == bool(found) == (done.returncode == 0)
    assert len(rows) == len(found.rows)
    for line, row in zip(rows, found.rows):
        given = {name: value for name, value in dataclasses.asdict(row).items() if value is not None}
        if given["group"] is inkling.WHOLE:
            del given["group"]
        assert json.loads(line) == given
    assert found.records == 3000 and found.bad == found.nulls == 0


def test_a_promise_that_is_broken_is_false(folder: pathlib.Path) -> None:
    found = inkling.verify(folder / "full.ink", folder / "words.txt")
    assert not found and not found.ok and found.rows[0].trouble == "above promise"
    assert str(found.summary).startswith("broken: all 3000 members found, ")
    denied = inkling.verify(folder / "one.ink", folder / "words.txt")
    assert not denied and denied.rows[0].trouble == "denies members"
    assert denied.summary.denied == denied.rows[0].denied
    assert f"{denied.summary.denied} true members are denied" in str(denied.summary)


def test_a_summary_shows_what_was_measured(folder: pathlib.Path) -> None:
    found = inkling.verify(folder / "rows.ink", folder / "rows.csv").summary
    assert found.ok and found.filters == 5 and found.members == 3000 and found.denied == 0
    assert found.tested == 4 * 3000 and 0 < found.expected < found.limit and 0 <= found.power <= 1
    assert not found.random and not found.sampled
    sample = inkling.verify(folder / "rows.ink", folder / "rows.csv", tests=500).summary
    assert sample.sampled and sample.tested < found.tested
    assert inkling.verify(folder / "words.ink", WORDS).summary.random


def test_rows_have_what_applies_to_their_kind(folder: pathlib.Path) -> None:
    rows = {row.kind: row for row in inkling.verify(folder / "all.ink", folder / "words.txt").rows}
    assert rows["bloom"].wrong is None and rows["bloom"].denied == 0 and rows["bloom"].promised == 0.01
    assert rows["top"].denied is None and rows["top"].wrong == rows["top"].missed == 0
    assert rows["fuse"].denied == 0 and rows["fuse"].promised == 2**-7 and rows["theta"].wrong == 0
    assert rows["bloom"].group is inkling.WHOLE and rows["bloom"].slot is None
    assert all(row.ok and row.trouble == "" for row in rows.values())


def test_it_shows_itself_in_a_notebook(folder: pathlib.Path) -> None:
    shown = inkling.verify(folder / "rows.ink", folder / "rows.csv")._repr_html_()
    assert shown.count("<table>") == 2 and "<td>shop4</td>" in shown and "kept: all" in shown
    angry = inkling.build(b"a,<b>\nc,d\n", "bloom", format="csv", key=1, by=2)
    assert "&lt;b&gt;" in inkling.verify(angry, b"a,<b>\nc,d\n")._repr_html_()


def test_what_is_verified_may_be_a_sketch_sketches_or_a_path(folder: pathlib.Path) -> None:
    for sketches in (folder / "words.ink", inkling.open(folder / "words.ink"), inkling.build(WORDS)):
        assert inkling.verify(sketches, folder / "words.txt").ok


def test_a_sketch_in_memory_is_verified_as_its_data_was_read(folder: pathlib.Path) -> None:
    rows = b"shop,user\n" + ROWS.replace(b"user", b"u")
    ways: list[dict[str, Any]] = [{"header": True, "key": "shop"}, {"key": [2, 1]}]
    for options in ways:
        built = inkling.build(rows, "bloom", format="csv", **options)
        found = inkling.verify(built, rows, tests=10_000)
        assert found.ok and found.summary.members > 2999 and found.summary.denied == 0
        other = inkling.verify(built, rows, tests=10_000, format="csv", key=2)  # unless something is asked for
        assert other.summary.denied > 0 and not other
    plain = inkling.Sketch("hll").add(f"word{i}" for i in range(3000))  # lines, the default
    assert inkling.verify(plain, WORDS).ok and not inkling.verify(plain, WORDS + WORDS.replace(b"w", b"v"))
    keyed = inkling.build(WORDS, "bloom", secret=bytes(16))
    assert inkling.verify(keyed, WORDS, secret=bytes(16), tests=1000).ok


def test_tables_can_be_the_truth(folder: pathlib.Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    lines = [line.split(",") for line in ROWS.decode().split()]
    table = pyarrow.table({"user": [line[0] for line in lines], "shop": [line[1] for line in lines]})
    from_table = inkling.verify(folder / "rows.ink", table, key="user", by="shop")
    assert from_table.rows == inkling.verify(folder / "rows.ink", folder / "rows.csv").rows
    non_members = pyarrow.table({"user": [f"nobody{i}" for i in range(2000)], "shop": ["shop1"] * 2000})
    users = inkling.build(table, key="user")
    assert inkling.verify(users, table, absent=non_members, key="user").rows[0].tested == 2000
    ungrouped = pytest.importorskip("pandas").DataFrame({"page": ["/"] * 2000, "user": non_members["user"]})
    for options in ({}, {"key": "user", "by": "shop"}):  # absent keys have no groups
        shops = inkling.build(b"user,shop\n" + ROWS, "bloom", format="csv", header=True, key="user", by="shop")
        absent = inkling.verify(shops, table, absent=ungrouped, **options)
        assert absent.summary.tested == 5 * 2000


@pytest.mark.parametrize("options", [{}, {"key": "user"}, {"by": "shop"}, {"key": "user", "by": "shop"}], ids=str)
@pytest.mark.parametrize("form", ["pandas", "polars", "pyarrow", "parquet"])
def test_columns_that_only_the_input_spec_names_are_read_of_a_table(
    form: str, options: dict[str, Any], tmp_path: pathlib.Path
) -> None:
    pandas, parquet = pytest.importorskip("pandas"), pytest.importorskip("pyarrow.parquet")
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    data = tmp_path / "rows.csv"
    data.write_bytes(b"page,user,shop,visits\n" + b"".join(b"/,u%d,s%d,2\n" % (i, i % 5) for i in range(3000)))
    path = tmp_path / "rows.ink"
    inkling.build(data, "counting,count-min", header=True, key="user", by="shop", weight="visits").save(path)
    frame = pandas.read_csv(data)
    parquet.write_table(pyarrow.Table.from_pandas(frame), tmp_path / "rows.parquet")
    tables: dict[str, Any] = {
        "pandas": frame,
        "polars": polars.from_pandas(frame),
        "pyarrow": pyarrow.Table.from_pandas(frame),
        "parquet": tmp_path / "rows.parquet",
    }
    table = tables[form]
    found = inkling.verify(path, table, **options)
    assert found.summary.members == 3000 and found.nulls == 0
    assert found.rows == inkling.verify(path, data).rows
    added = inkling.add(path, table, max_rate=1, **options)
    assert added.records == 3000 and added.nulls == 0
    assert inkling.open(path).count("u7")["count-min", "s2"] == 4


def test_numbers_of_columns_of_text_are_not_taken_for_those_of_a_table(tmp_path: pathlib.Path) -> None:
    frame = pytest.importorskip("pandas").DataFrame({"shop": ["s1"], "user": ["u1"], "n": [1]})
    table = pytest.importorskip("pyarrow").Table.from_pandas(frame)
    path = tmp_path / "rows.ink"
    inkling.build(b"u1,s1\n", "count-min", format="csv", key=1, by=2).save(path)
    spec = 'a table, the sketches say "read as: csv, key 1, by 2", and a column by number may be another one'
    for data in (frame, table):
        for options in ({}, {"key": "user"}, {"by": "shop"}):
            for job in (inkling.verify, inkling.add):
                with pytest.raises(inkling.UsageError) as caught:
                    job(path, data, **options)
                assert caught.value.message == f"{spec}: expected its columns (key=, by=, weight=)"
        assert inkling.add(path, data, key="user", by="shop").changed == 1
    assert inkling.open(path).count("u1") == {"s1": 3}


def test_a_truth_without_members_says_so(folder: pathlib.Path, ink: Run, tmp_path: pathlib.Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    found = inkling.verify(folder / "words.ink", tmp_path / "empty.txt")
    done = ink("verify", folder / "words.ink", tmp_path / "empty.txt")
    assert str(found.summary).startswith("kept: no members to find, ")
    assert done.stdout.endswith(f"{found.summary}\n")


def test_failures_read_as_the_command_reports_them(folder: pathlib.Path, ink: Run) -> None:
    for sketches, data in (("words.ink", "none.txt"), ("none.ink", "words.txt"), ("words.txt", "words.txt")):
        done = ink("verify", folder / sketches, folder / data, ok=False)
        with pytest.raises(inkling.InklingError) as caught:
            inkling.verify(folder / sketches, folder / data)
        assert done.stderr == f"ink: {caught.value}\n"


@pytest.mark.parametrize(
    "options", [{"tests": "many"}, {"tests": -1}, {"absent": 5}, {"secret": 5}, {"unheard": True}]
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], folder: pathlib.Path) -> None:
    with pytest.raises((TypeError, ValueError)):
        inkling.verify(folder / "words.ink", WORDS, **options)


def test_groups_that_are_numbers_are_shown_in_their_order(tmp_path: pathlib.Path) -> None:
    rows = "".join(f"key-{i},{i % 12}\n" for i in range(600))
    (tmp_path / "rows.csv").write_text(rows)
    sketches = inkling.build(tmp_path / "rows.csv", key=1, by=2)
    verified = inkling.verify(sketches, tmp_path / "rows.csv")
    shown = [line.split()[1] for line in repr(verified).splitlines()[1:13]]
    assert shown == [str(i) for i in range(12)]
    html = sketches._repr_html_()
    assert html.index(">2</td>") < html.index(">10</td>")
    named = inkling.build(b"a,10\nb,2\nc,x\n", key=1, by=2, format="csv")
    html = named._repr_html_()
    assert html.index(">10</td>") < html.index(">2</td>") < html.index(">x</td>")


SUMMARY = inkling.VerificationSummary(
    ok=False, filters=1, members=9, tested=7, false_positives=2, denied=0, beyond=0, expected=1.0, limit=3.0, power=1.0,
    sampled=False, random=False,
)  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"denied": 1}, "broken: 1 true member is denied; 2 false positives in 7 tests, 1 promised, broken above 3"),
        ({"denied": 2, "beyond": 1, "expected": 0.0},
         "broken: 2 true members are denied; 1 sketch is beyond its bounds; no key to test that is not a member"),
        ({"beyond": 3, "filters": 0, "members": 0, "expected": 0.0}, "broken: 3 sketches are beyond their bounds"),
        ({"ok": True, "filters": 0, "members": 0, "expected": 0.0}, "kept"),
        ({"members": 0, "power": 0.5, "random": True, "sampled": True},
         "broken: no members to find, 2 false positives in 7 tests, 1 promised, broken above 3; non-members are random keys; "
         "a sample of the keys; 10 % more would be noticed with chance 0.50"),
    ],
)  # fmt: skip
def test_one_and_many_are_said_as_such(changes: dict[str, Any], said: str) -> None:
    assert str(dataclasses.replace(SUMMARY, **changes)) == said


def test_slots_are_shown_as_times() -> None:
    slots = (None, 0, 1_500_000, -1_000_000)
    rows = tuple(inkling.VerifyResult("hll", inkling.WHOLE, slot, True, 1, error=0.5, bound=1.0) for slot in slots)
    shown = repr(inkling.Verification(rows, SUMMARY, 1, 0, 0)).splitlines()
    assert [line.split()[1] for line in shown[2:5]] == ["1970-01-01T00:00:00Z", "1970-01-01T00:00:01.500000Z", "1969-12-31T23:59:59Z"]


def test_bad_records_are_skipped_as_when_the_sketches_were_built_unless_options_say_otherwise() -> None:
    reads: dict[str, Any] = {"format": "csv", "key": 2}
    file = inkling.Sketches.from_bytes(inkling.build(b"1,a\n2\n", "bloom", bad="skip", n=100, **reads).to_bytes())
    assert inkling.verify(file, b"1,a\n2\n", tests=10, **reads).bad == 1
    with pytest.raises(inkling.FormatError):
        inkling.verify(file, b"1,a\n2\n", tests=10, bad="fail", **reads)
