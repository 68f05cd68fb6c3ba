"""A build in pieces: however rows are dealt out among maps and buckets, the file is that of inkling.build."""

from __future__ import annotations

import itertools
import os
import pathlib
import pickle
import random
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import inkling
from inkling import UnsupportedError, UsageError
from inkling.pieces import Assembly, Job, Pieces, Plan, Reducer, Sizes, Split

pyarrow = pytest.importorskip("pyarrow")

SECRET = bytes(range(16))
ROWS = 4000
GROUPS = ("red", "green", "blue", "", "a b", None)


def make_rows(rows: int, seed: int = 1) -> Any:
    """Keys of which many repeat, in groups of very different sizes, of which one is null; keys too, some."""
    chance = random.Random(seed)
    groups = [GROUPS[min(int(chance.expovariate(0.7)), len(GROUPS) - 1)] for _ in range(rows)]
    keys = [None if chance.random() < 0.01 else f"user{chance.randrange(rows // 3)}" for _ in range(rows)]
    return pyarrow.table(
        {
            "user": pyarrow.array(keys, pyarrow.string()),
            "number": pyarrow.array([chance.randrange(-500, 500) for _ in range(rows)], pyarrow.int64()),
            "group": pyarrow.array(groups, pyarrow.string()),
            "rating": pyarrow.array([chance.randrange(100) / 10 for _ in range(rows)], pyarrow.float64()),
            "times": pyarrow.array([chance.randrange(1, 9) for _ in range(rows)], pyarrow.int64()),
        }
    )


TABLE = make_rows(ROWS)


def dealt(table: Any, maps: int, chance: random.Random) -> list[Any]:
    """Rows of a table, each in one of `maps` parts by chance, of which the first is empty."""
    rows: list[list[int]] = [[] for _ in range(maps)]
    for row in range(table.num_rows):
        rows[chance.randrange(1, maps) if maps > 1 else 0].append(row)
    return [table.take(pyarrow.array(part, pyarrow.int64())) for part in rows]


def by_bucket(pieces: Iterator[tuple[int, bytes]], buckets: list[list[bytes]]) -> None:
    for bucket, piece in pieces:
        buckets[bucket].append(piece)


def run_maps(job: Job, parts: list[Any], buckets: int, **options: Any) -> list[list[bytes]]:
    """The pieces of each bucket, in an order by chance."""
    sorted_out: list[list[bytes]] = [[] for _ in range(buckets)]
    for part in parts:
        by_bucket(job.map(part, **options), sorted_out)
    for pieces in sorted_out:
        random.Random(len(pieces)).shuffle(pieces)
    return sorted_out


def reduced(job: Job, pieces: list[bytes], how: str) -> list[bytes]:
    with job.reducer() as reducer:
        for piece in pieces:
            reducer.add(piece)
        return [piece for _, piece in getattr(reducer, how)()]


def sizes_of(pieces: list[bytes]) -> bytes:
    sizes = Sizes()
    for piece in pieces:
        sizes.add(piece)
    return sizes.to_bytes()


def counted(job: Job, plan: Plan, parts: list[Any]) -> bytes:
    """How many records each group has, as maps count them."""
    return sizes_of([piece for pieces in run_maps(job, parts, plan.buckets, count=True) for piece in pieces])


def measured(job: Job, kept: list[list[bytes]]) -> bytes:
    """How many keys each group has, as reducers measure them."""
    return sizes_of([piece for pieces in kept for piece in reduced(job, pieces, "measure")])


def built_in_pieces(job: Job, parts: list[Any], plan: Plan, steps: int = 1, **cut: Any) -> inkling.Sketches:
    """All parts of a job, as a plan has them, one after another; pieces are reduced in `steps` steps."""
    shape: dict[str, Any] = {"buckets": plan.buckets, "ranged": plan.ranged, **cut}
    mapped = job.with_pieces(**shape)
    if plan.count:
        shape["counts"] = counted(mapped, plan, parts)
        mapped = job.with_pieces(**shape)
    kept = run_maps(mapped, parts, plan.buckets)
    if plan.measure:
        mapped = job.with_pieces(**shape, sizes=measured(mapped, kept))
    with Assembly() as assembly:
        for pieces in kept:
            for _ in range(steps - 1):
                half = len(pieces) // 2
                pieces = reduced(mapped, pieces[:half], "relay") + reduced(mapped, pieces[half:], "relay")
            for piece in reduced(mapped, pieces, "finish"):
                assembly.add(piece)
        return assembly.open(job)


# ---- The same file --------------------------------------------------------------------------------

KINDS: list[tuple[str, dict[str, Any]]] = [
    ("bloom", {}),
    ("bloom", {"n": 3000, "p": 0.001}),
    ("bloom", {"headroom": 1.5, "seed": 7}),
    ("bloom", {"secret": SECRET}),
    ("classic", {}),
    ("classic", {"hash": "mmh3"}),
    ("classic", {"hash": "mmh3", "n": 2000}),
    ("counting", {}),
    ("counting", {"n": 2500}),
    ("count-min", {"eps": 0.01}),
    ("count-min", {"width": 256, "depth": 3, "weight": "times"}),
    ("count-min", {"width": 128, "depth": 3, "counters": 64, "weight": "times"}),
    ("fm", {}),
    ("hll", {"precision": 10}),
    ("bloom,hll", {"precision": 9}),
    ("bloom,counting,count-min,fm,hll,theta", {"eps": 0.02, "weight": "times"}),
    ("classic,bloom", {"n": 2000}),
    ("fuse", {"p": 0.001}),
    ("fuse,bloom,hll", {"secret": SECRET}),
]


@pytest.mark.parametrize("by", [None, "group"])
@pytest.mark.parametrize(("kind", "options"), KINDS, ids=lambda value: str(value).replace(" ", ""))
def test_the_file_is_that_of_one_build_however_rows_are_dealt_out(
    kind: str, options: dict[str, Any], by: str | None
) -> None:
    chance = random.Random(f"{kind}{options}{by}")
    key = "user" if chance.random() < 0.7 or "mmh3" in str(options) else "number"
    whole = inkling.build(TABLE, kind, key=key, by=by, **options)
    job = Job(kind, key=key, by=by, threads=1, **options).for_rows(TABLE.schema)
    for buckets in (1, chance.randrange(2, 9)):
        parts = dealt(TABLE, chance.randrange(1, 6), chance)
        planned = job.plan(TABLE.nbytes, buckets)
        forced = Plan(count=planned.count, measure=False, ranged=False, buckets=buckets)
        for plan in (planned, forced):
            made = built_in_pieces(job, parts, plan)
            assert made.digest == whole.digest, plan


@pytest.mark.parametrize("by", [None, "group"])
@pytest.mark.parametrize("kind", ["bloom", "classic", "counting", "bloom,hll"])
@pytest.mark.parametrize("buckets", [1, 4])
def test_ranged_or_not_measured_or_not_it_is_the_same(kind: str, by: str | None, buckets: int) -> None:
    whole = inkling.build(TABLE, kind, key="number", by=by)
    job = Job(kind, key="number", by=by, threads=1).for_rows(TABLE.schema)
    parts = dealt(TABLE, 3, random.Random(buckets))
    ways = [(False, True, True), (True, True, True), (False, False, False), (True, False, False)]
    for plan in (Plan(*way, buckets) for way in ways):
        assert built_in_pieces(job, parts, plan).digest == whole.digest, plan


@pytest.mark.parametrize("kind", ["bloom", "counting", "count-min", "fm"])
@pytest.mark.parametrize("n", [None, 20_000])
def test_large_sketches_travel_in_slices_and_small_pieces(kind: str, n: int | None) -> None:
    options: dict[str, Any] = {"n": n} if kind in ("bloom", "counting") else {}
    job = Job(kind, key="user", by="group", threads=1, **options).for_rows(TABLE.schema)
    whole = inkling.build(TABLE, kind, key="user", by="group", **options)
    parts = dealt(TABLE, 3, random.Random(5))
    plan = job.plan(TABLE.nbytes, 2, slice_bytes=1024)
    cut: dict[str, Any] = {"slice_bytes": 1024, "piece_bytes": 4096}
    assert built_in_pieces(job, parts, plan, **cut).digest == whole.digest
    mapped = job.with_pieces(buckets=2, **cut)
    sizes = [len(piece) for part in parts for _, piece in mapped.map(part)]
    assert max(sizes) <= 4096 and (kind == "fm" or len(sizes) > 6)


@pytest.mark.parametrize("steps", [1, 2])
def test_slices_of_one_kind_do_not_touch_another(steps: int) -> None:
    options: dict[str, Any] = {"key": "user", "width": 5000, "depth": 3}
    whole = inkling.build(TABLE, "bloom,count-min", **options)
    job = Job("bloom,count-min", threads=1, **options).for_rows(TABLE.schema)
    cut: dict[str, Any] = {"slice_bytes": 256, "piece_bytes": 4096}
    plan = job.plan(None, 2, slice_bytes=256)
    assert plan.buckets == 2
    made = built_in_pieces(job, dealt(TABLE, 3, random.Random(9)), plan, steps, **cut)
    assert made.digest == whole.digest


@pytest.mark.parametrize("kind", ["bloom", "classic", "count-min", "hll", "theta", "fuse", "bloom,fm"])
def test_pieces_may_be_merged_in_several_steps(kind: str) -> None:
    whole = inkling.build(TABLE, kind, key="user", by="group")
    job = Job(kind, key="user", by="group", threads=1).for_rows(TABLE.schema)
    parts = dealt(TABLE, 6, random.Random(6))
    plans = [job.plan(None, 2), Plan(False, False, False, 3)]
    if kind == "bloom":
        plans.append(Plan(False, True, True, 4))
    for plan in plans:
        assert built_in_pieces(job, parts, plan, steps=3).digest == whole.digest


def test_what_is_relayed_keeps_its_bucket() -> None:
    job = Job("bloom", key="user", by="group", threads=1).for_rows(TABLE.schema)
    for ranged in (False, True):
        mapped = job.with_pieces(buckets=4, ranged=ranged)
        for bucket, pieces in enumerate(run_maps(mapped, [TABLE], 4)):
            with mapped.reducer() as reducer:
                for piece in pieces:
                    reducer.add(piece)
                assert {number for number, _ in reducer.relay()} <= {bucket}


@pytest.mark.parametrize("kind", ["bloom", "hll", "count-min", "theta", "top", "fuse", "bloom,hll"])
@pytest.mark.parametrize("by", [None, "group"])
def test_no_rows_at_all_are_the_file_of_no_rows(kind: str, by: str | None) -> None:
    nothing = TABLE.slice(0, 0)
    whole = inkling.build(nothing, kind, key="user", by=by)
    job = Job(kind, key="user", by=by, threads=1).for_rows(TABLE.schema)
    made = built_in_pieces(job, [nothing, nothing], job.plan(0, 2))
    assert made.digest == whole.digest


def test_one_build_in_pieces_of_another_is_the_same_for_many_groups() -> None:
    rows = 3000
    table = pyarrow.table({"key": list(range(rows)), "group": [f"g{i * 7919 % 1013}" for i in range(rows)]})
    whole = inkling.build(table, "bloom,hll", key="key", by="group", precision=5)
    job = Job("bloom,hll", key="key", by="group", precision=5, threads=1).for_rows(table.schema)
    made = built_in_pieces(job, dealt(table, 4, random.Random(4)), job.plan(table.nbytes, 3))
    assert len(made) == 2 * 1013
    assert made.digest == whole.digest


def test_groups_that_are_rounded_numbers() -> None:
    options: dict[str, Any] = {"key": "user", "by": "rating", "round": "half-even"}
    whole = inkling.build(TABLE, "bloom", **options)
    job = Job("bloom", threads=1, **options).for_rows(TABLE.schema)
    made = built_in_pieces(job, dealt(TABLE, 3, random.Random(1)), job.plan(TABLE.nbytes, 4))
    assert made.digest == whole.digest
    assert sorted(made, key=int) == [str(n) for n in range(11)]


# ---- Kinds whose bytes depend on order ------------------------------------------------------------


@pytest.mark.parametrize("by", [None, "group"])
def test_a_top_in_pieces_keeps_its_bounds(by: str | None) -> None:
    job = Job("top", k=20, key="user", by=by, weight="times", threads=1).for_rows(TABLE.schema)
    made = built_in_pieces(job, dealt(TABLE, 4, random.Random(2)), job.plan(TABLE.nbytes, 3))
    exact: dict[Any, Counter[Any]] = {}
    for row in TABLE.to_pylist():
        if row["user"] is not None:
            group = row["group"] if by else inkling.WHOLE
            exact.setdefault(group, Counter())[row["user"]] += row["times"]
    assert set(made) == set(exact)
    for group, sketch in made.items():
        total = sum(exact[group].values())
        assert sketch.info.total == total
        found = sketch.top(20)
        assert len(found) == min(20, len(exact[group]))
        for item in found:
            assert item.low <= exact[group][item.key] <= item.high
        missed = sketch.info.missed or 0
        named = {item.key for item in sketch.top(10_000)}
        assert all(key in named for key, count in exact[group].items() if count > missed)


def test_a_conservative_count_min_in_pieces_never_counts_too_few_or_is_refused_by_name() -> None:
    options: dict[str, Any] = {"width": 512, "depth": 4, "conservative": True, "key": "user", "threads": 1}
    try:
        job = Job("count-min", **options).for_rows(TABLE.schema)
    except UnsupportedError as error:
        assert "conservative" in str(error) and ", expected " in str(error)
        return
    made = built_in_pieces(job, dealt(TABLE, 3, random.Random(3)), job.plan(TABLE.nbytes, 2)).sketch()
    for key, count in Counter(filter(None, TABLE["user"].to_pylist())).items():
        assert made.count(key).estimate >= count


# ---- Records: splits of files ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("text") / "rows.tsv"
    chance = random.Random(8)
    rows = [(chance.randrange(900), chance.randrange(5), "x" * chance.randrange(40)) for _ in range(ROWS)]
    lines = (f"user{user}\tg{group}\t{more}" for user, group, more in rows)
    path.write_text("user\tgroup\tmore\n" + "\n".join(lines))
    return path


def split_up(path: pathlib.Path, count: int, chance: random.Random) -> list[Split]:
    """A file in `parts` parts, cut at any bytes, also next to each other."""
    size = path.stat().st_size
    cuts = sorted({0, size, *(chance.randrange(1, size) for _ in range(count - 1)), size // 2, size // 2 + 1})
    return [Split(str(path), start, end - start) for start, end in zip(cuts, cuts[1:])]


@pytest.mark.parametrize("kind", ["bloom", "classic", "hll", "bloom,count-min"])
def test_splits_of_a_file_are_the_file_wherever_it_is_cut(text: pathlib.Path, kind: str) -> None:
    options: dict[str, Any] = {"header": True, "key": "user", "by": "group"}
    whole = inkling.build(text, kind, **options)
    job = Job(kind, threads=1, **options)
    chance = random.Random(kind)
    for count in (1, 7):
        splits = split_up(text, count, chance)
        made = built_in_pieces(job, [[part] for part in splits], job.plan(text.stat().st_size, 3))
        assert made.digest == whole.digest
    assert inkling.build(splits, kind, **options).digest == whole.digest


def test_what_maps_of_splits_read_adds_up(text: pathlib.Path) -> None:
    job = Job("hll", header=True, key=1, threads=1)
    records = 0
    for part in split_up(text, 5, random.Random(1)):
        pieces = job.map(part)
        assert pieces.report is None
        list(pieces)
        assert pieces.report is not None and pieces.report.bad == pieces.report.nulls == 0
        records += pieces.report.records
    assert records == ROWS
    built = inkling.build(Split(text), "hll", header=True, key=1).built
    assert built is not None and built.records == ROWS


class Derived(inkling.Sketches):
    """Of an adapter."""

    __slots__ = ()


def test_a_file_that_was_assembled_has_the_input_spec(text: pathlib.Path, tmp_path: pathlib.Path) -> None:
    options: dict[str, Any] = {"header": True, "key": "user", "by": "group"}
    job = Job("bloom", threads=1, **options)
    with Assembly(tmp_path) as assembly:
        for piece in reduced(job, [piece for _, piece in job.map(text)], "finish"):
            assembly.add(piece)
        assembly.save(tmp_path / "pieces.ink", job, [text])
        assembly.save(tmp_path / "again.ink")
        mapped = assembly.open(job, [Split(text)], result=Derived)
        assert assembly.open(job).input_spec is None
    assert isinstance(mapped, Derived) and mapped.built is None
    inkling.build(text, "bloom", **options).save(tmp_path / "whole.ink")
    assert (tmp_path / "pieces.ink").read_bytes() == (tmp_path / "whole.ink").read_bytes()
    assert inkling.open(tmp_path / "again.ink").input_spec is None
    assert mapped.input_spec == {"format": "tsv", "header": True, "key": "user", "by": "group"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.ink", "pieces.ink", "whole.ink"]
    mapped.save(tmp_path / "mapped.ink")
    assert (tmp_path / "mapped.ink").read_bytes() == (tmp_path / "whole.ink").read_bytes()


def test_sketches_with_a_secret_come_out_ready_to_be_asked() -> None:
    job = Job("bloom", secret=SECRET, threads=1)
    made = built_in_pieces(job, [b"ant\n", b"bee\n"], job.plan(8, 2))
    assert made.sketch().query(["ant", "bee", "cow"]) == [True, True, False]


def test_sizes_say_how_many_keys_each_group_has() -> None:
    table = pyarrow.table({"key": [1, 2, 2, 3, 4, 5], "group": ["a", "a", "a", "a", "b", None]})
    job = Job("bloom", key="key", by="group", threads=1).for_rows(table.schema)
    mapped = job.with_pieces(buckets=2, ranged=True)
    counts = Sizes()
    for _, piece in (*mapped.map(table, count=True), *mapped.map(table, count=True)):
        counts.add(piece)
    assert (counts.keys("a"), counts.keys("b"), counts.keys(None)) == (8, 2, 2)
    data = measured(mapped, run_maps(mapped, [table, table], 2))
    sizes = Sizes()
    sizes.add(data)
    assert (sizes.keys("a"), sizes.keys("b"), sizes.keys(None)) == (3, 1, 1)
    with pytest.raises(inkling.NotFoundError):
        sizes.keys("c")
    assert sizes.to_bytes() == data


# ---- Jobs -----------------------------------------------------------------------------------------


def test_a_job_can_be_pickled_and_is_small() -> None:
    job = Job(
        (name for name in ("bloom", "hll")),
        key=(name for name in ("user", "number")),
        by="group",
        p=0.02,
        secret=memoryview(SECRET),  # type: ignore[arg-type]
        temp=pathlib.Path(os.curdir),
        memory="64M",
        threads=1,
    ).for_rows(TABLE.schema)
    whole = inkling.build(TABLE, "bloom,hll", key=["user", "number"], by="group", p=0.02, secret=SECRET)
    encoded = pickle.dumps(job.with_pieces(buckets=2))
    assert len(encoded) < 1000
    again = pickle.loads(encoded)
    assert again.secret == SECRET
    made = built_in_pieces(again, dealt(TABLE, 2, random.Random(1)), Plan(False, False, False, 2))
    assert made.digest == whole.digest


def test_a_job_shows_its_options_and_others_can_replace_them() -> None:
    job = Job("hll,bloom", by=2, key=[1, 3], format="csv", memory="64M")
    assert (job.kinds, job.by) == (("hll", "bloom"), 2)
    assert dict(job.options) == {"key": [1, 3], "format": "csv", "memory": "64M"}
    with pytest.raises(TypeError):
        job.options["format"] = "tsv"  # type: ignore[index]
    other = job.replace(format="tsv", temp=pathlib.Path(os.curdir), memory=None)
    assert dict(other.options) == {"key": [1, 3], "format": "tsv", "memory": None, "temp": os.curdir}
    assert (other.kinds, other.by, job.options["format"]) == (job.kinds, 2, "csv")
    with pytest.raises(TypeError, match="unexpected keyword argument 'kind'"):
        job.replace(kind="bloom")  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="format 'xml', expected one of"):
        job.replace(format="xml").reducer()  # type: ignore[arg-type]
    cut = job.with_pieces(buckets=4, ranged=True)
    line = b"ann,red,7\n"
    assert list(cut.replace(threads=1).map(line)) == list(cut.map(line)) != list(job.map(line))


def test_a_job_in_a_function_goes_with_it() -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    job = Job("hll", threads=1)
    task = cloudpickle.loads(cloudpickle.dumps(lambda data: [piece for _, piece in job.map(data)]))
    assert task(b"ant\n") == [piece for _, piece in job.map(b"ant\n")]


def test_a_job_pickled_here_works_in_another_process(tmp_path: pathlib.Path) -> None:
    (tmp_path / "job").write_bytes(pickle.dumps(Job("hll", threads=1)))
    program = (
        "import pickle, sys; job = pickle.loads(open(sys.argv[1], 'rb').read());"
        "sys.stdout.buffer.write(b''.join(piece for _, piece in job.map(b'ant\\nbee\\n')))"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "job")]
    piece = subprocess.run(command, check=True, capture_output=True).stdout
    made = reduced(Job("hll", threads=1), [piece], "finish")
    with Assembly() as assembly:
        for finished in made:
            assembly.add(finished)
        assert assembly.open().digest == inkling.build(b"ant\nbee\n", "hll").digest


WRONG: list[dict[str, Any]] = [
    {"kind": "blom"},
    {"kind": []},
    {"kind": 7},
    {"kind": "bloom,bloom"},
    {"p": 2},
    {"p": "much"},
    {"precision": 10},
    {"kind": "hll", "headroom": 2},
    {"headroom": 0.5},
    {"n": -1},
    {"hash": "nix"},
    {"kind": "hll", "hash": "mmh3"},
    {"secret": b"short"},
    {"key_type": "text"},
    {"weight": "times"},
    {"round": "half-up"},
    {"round": "half", "by": "group"},
    {"format": "xml"},
    {"format": "u64", "key": 1},
    {"format": "jsonl", "header": True},
    {"format": "csv", "key": "user"},
    {"format": "lines", "key": 1},
    {"delimiter": ";;"},
    {"key": []},
    {"key": list(range(1, 20))},
    {"key": 1.5},
    {"by": True},
    {"bad": "maybe"},
    {"nulls": "maybe"},
    {"threads": -1},
    {"memory": "much"},
    {"temp": 7},
    {"colour": "red"},
]


@pytest.mark.parametrize("options", WRONG, ids=str)
def test_a_job_refuses_at_once_what_a_build_refuses_in_the_same_words(options: dict[str, Any]) -> None:
    kind = options.get("kind", "bloom")
    more = {name: value for name, value in options.items() if name != "kind"}
    with pytest.raises(Exception) as built:
        inkling.build(b"", kind, **more)
    with pytest.raises(type(built.value)) as made:
        Job(kind, **more)
    assert str(made.value).replace("Job.__init__", "build") == str(built.value)


def test_kinds_that_cannot_be_built_in_parts_are_refused_by_name() -> None:
    for kind in ("scalable", "bloom,scalable"):
        with pytest.raises(UnsupportedError, match=r"scalable.*, expected .*bloom"):
            Job(kind)


def test_a_job_of_rows_is_checked_against_their_columns() -> None:
    wrong: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"key": "nobody"}, inkling.InklingError, "nobody"),
        ({"key": "rating"}, UnsupportedError, "double|float"),
        ({"key": "user", "by": "nothing"}, inkling.InklingError, "nothing"),
        ({"key": "user", "key_type": "int"}, inkling.MismatchError, "key_type|int"),
        ({}, UsageError, "key"),
    ]
    for options, error, words in wrong:
        with pytest.raises(error, match=words) as built:
            inkling.build(TABLE.slice(0, 0), "bloom", **options)
        with pytest.raises(type(built.value)) as made:
            Job("bloom", **options).for_rows(TABLE.schema)
        assert str(made.value) == str(built.value)


def test_a_plan_says_how_it_is_best_done() -> None:
    for kind in ("bloom", "hll"):
        plan = Job(kind).plan(1 << 30, 8)
        assert 1 <= plan.buckets <= 4096
        assert Job(kind).plan(None, 1).buckets >= 1
    assert not Job("hll").plan(1 << 40, 8).measure
    with pytest.raises(UsageError, match="tasks 0"):
        Job("bloom").plan(1, 0)
    with pytest.raises(UsageError, match="input_bytes -1"):
        Job("bloom").plan(-1, 1)


def test_what_no_cut_can_be_is_refused() -> None:
    job = Job("bloom")
    for options in ({"buckets": 0}, {"buckets": 1 << 40}, {"piece_bytes": 0}, {"slice_bytes": -1}):
        with pytest.raises(UsageError, match=next(iter(options))):
            job.with_pieces(**options)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="ranged of type int"):
        job.with_pieces(ranged=1)  # type: ignore[arg-type]
    for options in ({"buckets": 5000}, {"buckets": 3, "ranged": True}, {"buckets": 512, "ranged": True}):
        with pytest.raises(UsageError, match=r"buckets.*expected"):
            job.with_pieces(**options)  # type: ignore[arg-type]
    with pytest.raises(inkling.FormatError):
        job.with_pieces(sizes=b"nonsense")


def test_who_measures_is_for_the_kind_to_say() -> None:
    with Job("classic", hash="mmh3", threads=1).reducer() as reducer:
        with pytest.raises(UsageError, match="reducers that measure kinds .*, expected maps"):
            list(reducer.measure())
    assert Job("classic", hash="mmh3").plan(None, 2).count
    assert not Job("classic", hash="mmh3", n=10).plan(None, 2).count


# ---- Pieces ---------------------------------------------------------------------------------------


WORDS = b"".join(b"word%d\n" % number for number in range(20_000))


def threads_of_jobs() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "inkling-pieces"]


def test_closing_early_stops_the_job_and_leaves_no_thread() -> None:
    job = Job("bloom", threads=1).with_pieces(buckets=64, ranged=True, piece_bytes=4096)
    pieces = job.map(WORDS)
    assert len(list(zip(range(3), pieces))) == 3
    assert threads_of_jobs()
    pieces.close()
    assert not threads_of_jobs()
    assert list(pieces) == [] and pieces.report is None
    pieces.close()
    with job.map(WORDS) as others:
        next(others)
    assert not threads_of_jobs()


def test_closing_stops_a_job_that_would_read_forever() -> None:
    began = threading.Event()

    def endless() -> Iterator[Any]:
        for number in itertools.count():
            yield pyarrow.record_batch({"key": pyarrow.array([number] * 1000, pyarrow.int64())})
            if number == 3:
                began.set()

    schema = pyarrow.schema({"key": pyarrow.int64()})
    job = Job("hll", threads=1).for_rows(schema)
    pieces = job.map(pyarrow.RecordBatchReader.from_batches(schema, endless()))
    assert began.wait(20) and threads_of_jobs()
    pieces.close()
    assert not threads_of_jobs()


def test_pieces_without_an_owner_stop_too() -> None:
    job = Job("bloom", threads=1).with_pieces(buckets=64, ranged=True, piece_bytes=4096)
    pieces = job.map(WORDS)
    next(pieces)
    running = threads_of_jobs()
    assert len(running) == 1
    del pieces
    running[0].join(10)
    assert not running[0].is_alive()


def test_closing_a_reducer_ends_what_it_gives() -> None:
    job = Job("bloom", key="key", by="group", threads=1).with_pieces(piece_bytes=4096)
    table = pyarrow.table({"key": list(range(5000)), "group": [f"g{i % 500}" for i in range(5000)]})
    job = job.for_rows(table.schema)
    reducer = job.reducer()
    for _, piece in job.map(table):
        reducer.add(piece)
    given = reducer.finish()
    next(given)
    assert threads_of_jobs()
    reducer.close()
    assert not threads_of_jobs() and list(given) == []
    with pytest.raises(ValueError, match="the reducer has given its pieces"):
        reducer.add(b"")


class Broken(Exception):
    """No one else's."""


@pytest.mark.parametrize("after", [0, 1, 3])
def test_what_goes_wrong_in_a_reader_comes_out_as_it_is(after: int) -> None:
    failure = Broken("the disk\nis gone")

    def batches() -> Iterator[Any]:
        for _ in range(after):
            yield pyarrow.record_batch({"key": ["a", "b"]})
        raise failure

    reader = pyarrow.RecordBatchReader.from_batches(pyarrow.schema({"key": pyarrow.string()}), batches())
    with pytest.raises(Broken) as raised:
        list(Job("bloom", threads=1).map(reader))
    assert raised.value is failure
    assert not threads_of_jobs()


def test_errors_of_records_name_the_path_and_the_line(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "numbers.txt"
    path.write_text("1\n2\nthree\n")
    with pytest.raises(inkling.InklingError) as built:
        inkling.build(path, "hll", key_type="int")
    with pytest.raises(type(built.value)) as mapped:
        list(Job("hll", key_type="int", threads=1).map([Split(path, 0, 9)]))
    assert str(mapped.value) == str(built.value) and mapped.value.path == str(path)
    with pytest.raises(FileNotFoundError) as missing:
        list(Job("hll", threads=1).map(Split(tmp_path / "nowhere", 0, 9)))
    assert missing.value.filename == str(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="offset -1, expected"):
        Job("hll").map(Split(path, -1))
    with pytest.raises(UsageError, match="bytes -1, expected"):
        Job("hll").map(Split(path, 0, -1))
    with pytest.raises(UsageError, match="no data"):
        Job("hll").map([])


def test_pieces_of_another_job_and_damaged_ones_are_refused() -> None:
    job = Job("bloom", threads=1)
    ((_, piece),) = job.map(b"ant\nbee\n")
    for other in (Job("bloom", p=0.5), Job("hll"), Job("bloom", key_type="int")):
        with other.reducer() as reducer:
            with pytest.raises(inkling.MismatchError, match="of another job, expected"):
                reducer.add(piece)
    for offset in (0, 9, 40, len(piece) // 2, len(piece) - 1):
        damaged = bytearray(piece)
        damaged[offset] ^= 0x10
        for taker in (job.reducer(), Assembly(), Sizes()):
            with pytest.raises((inkling.FormatError, inkling.MismatchError)):
                taker.add(damaged)
    with pytest.raises(inkling.FormatError):
        job.reducer().add(piece[:-1])
    with pytest.raises(TypeError):
        job.reducer().add(7)
    with pytest.raises(inkling.InklingError, match="expected"):
        Assembly().add(piece)  # which no reducer finished


def test_a_piece_may_stand_in_any_buffer_at_any_place() -> None:
    job = Job("hll", threads=1)
    ((_, piece),) = job.map(b"ant\nbee\n")
    shifted = memoryview(b"x" + piece)[1:]
    column = pyarrow.array([b"odd", piece], pyarrow.binary())
    whole = inkling.build(b"ant\nbee\n", "hll").digest
    for given in (piece, bytearray(piece), shifted, column[1].as_buffer()):
        with job.reducer() as reducer, Assembly() as assembly:
            reducer.add(given)
            for _, finished in reducer.finish():
                assembly.add(bytearray(finished))
            assert assembly.open().digest == whole


def test_a_reducer_gives_once_and_what_is_closed_is_closed() -> None:
    reducer = Job("hll", threads=1).reducer()
    list(reducer.finish())
    for again in (reducer.finish, reducer.relay, reducer.measure):
        with pytest.raises(ValueError, match="has given its pieces, expected another"):
            again()
    assembly = Assembly()
    assembly.close()
    with pytest.raises((ValueError, TypeError), match="the assembly is closed"):
        assembly.add(b"")
    other = Job("hll").reducer()
    other.close()
    with pytest.raises(ValueError, match="the reducer is closed"):
        other.finish()


def test_a_part_of_a_larger_set_may_be_above_its_promise() -> None:
    job = Job("bloom", n=100)
    with job.reducer() as reducer:
        for _, piece in job.map(b"".join(b"%d\n" % number for number in range(300))):
            reducer.add(piece)
        finished = [piece for _, piece in reducer.finish()]
    for part in (True, False):
        with Assembly(part=part) as assembly:
            for piece in finished:
                assembly.add(piece)
            if part:
                assert assembly.open(job).sketch().overfull
                continue
            with pytest.raises(inkling.PromiseError):
                assembly.open(job)
    with pytest.raises(TypeError, match="part of type int"):
        Assembly(part=1)  # type: ignore[arg-type]


def test_an_assembly_in_a_folder_that_is_not_there_says_which(tmp_path: pathlib.Path) -> None:
    job = Job("hll", threads=1)
    finished = reduced(job, [piece for _, piece in job.map(b"a\n")], "finish")
    with pytest.raises(FileNotFoundError, match=f"in {tmp_path / 'nowhere'}: "):
        Assembly(tmp_path / "nowhere").add(finished[0])
    with Assembly(tmp_path) as assembly, pytest.raises(FileNotFoundError) as unwritten:
        assembly.save(tmp_path / "nowhere" / "x.ink")
    assert unwritten.value.filename == str(tmp_path / "nowhere" / "x.ink")
    assert list(tmp_path.iterdir()) == []


def test_the_types_are_what_they_are_called() -> None:
    job = Job("hll", threads=1)
    with job.reducer() as reducer, job.map(b"a\n") as pieces:
        assert isinstance(reducer, Reducer) and isinstance(pieces, Pieces)


def test_what_is_called_inkling_elsewhere_is_a_part_of_the_package(tmp_path: pathlib.Path) -> None:
    (tmp_path / "inkling" / "afar").mkdir(parents=True)
    (tmp_path / "inkling" / "afar" / "__init__.py").write_text("from ..pieces import Job\n")
    folders = os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]])
    for path in (folders, os.pathsep.join(reversed(folders.split(os.pathsep)))):
        program = "import inkling.afar; print(inkling.afar.Job('hll').plan(0, 1).buckets, inkling.kinds()[0])"
        printed = subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": path},
            check=True, capture_output=True, text=True, cwd=tmp_path / "inkling",
        ).stdout  # fmt: skip
        assert printed == f"1 {inkling.kinds()[0]}\n"


# ---- What streams need of files -------------------------------------------------------------------


def test_a_file_keeps_the_slots_of_groups_and_the_position_of_a_stream(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "state.ink"
    words = [inkling.Sketch("bloom", n=100).add(word) for word in ("ant", "bee", "cow")]
    position = b'{"offset": 7}\0\xff'
    entries: list[tuple[Any, int | None, inkling.Sketch]] = [
        ("g", 2_000_000, words[1]), ("g", 1_000_000, words[0]), (None, None, words[2]),
        (inkling.WHOLE, None, inkling.Sketch("hll").add("ant")),
    ]  # fmt: skip
    inkling.save(path, entries, position=position)
    with inkling.open(path) as file:
        assert file.position == position and file.records == 4
        found = [(entry.sketch.kind, entry.group, entry.slot) for entry in file.entries()]
        assert found == [
            ("bloom", None, None),
            ("bloom", "g", 1_000_000),
            ("bloom", "g", 2_000_000),
            ("hll", inkling.WHOLE, None),
        ]
        newest = [entry.sketch for entry in file.entries() if entry.slot == 2_000_000]
        assert newest[0].query(["ant", "bee"]) == [False, True]
        assert file["bloom", "g"].query(["ant", "bee"]) == [True, True]
        inkling.save(tmp_path / "again.ink", file.entries(), position=file.position)
    assert (tmp_path / "again.ink").read_bytes() == path.read_bytes()
    inkling.save(path, entries[2:3])
    assert inkling.open(path).position is None
    with pytest.raises(UsageError, match="the same label"):
        inkling.save(path, [("g", 1, words[0]), ("g", 1, words[1])])
