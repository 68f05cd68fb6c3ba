"""Files of sketches as mappings: looking up, walking, asking, saving, and how long a file stays open."""

from __future__ import annotations

import copy
import ctypes
import datetime
import gc
import io
import os
import pathlib
import pickle
import subprocess
import sys
from collections.abc import Callable
from ctypes import POINTER, byref
from typing import Any

import pytest

import inkling
from conftest import Run
from inkling import WHOLE, Sketch, Sketches, _entries, _files, _library, _sketches
from inkling._labels import make_label

SECRET = bytes(range(16))
ROWS = b"ann,red\nbob,blue\ncid,red\ndan,\neve,blue\n"


def grouped(kind: str = "bloom", **options: Any) -> Any:
    return inkling.build(ROWS, kind, format="csv", key=1, by=2, **options)


def save(path: pathlib.Path, entries: list[tuple[Any, int | None, Sketch]]) -> None:
    """A file of sketches by group and time slot."""
    made = (_library.InkEntry * len(entries))()
    kept = []
    for entry, (group, slot, sketch) in zip(made, entries):
        label = make_label(group)
        kept.append(label)
        label.has_slot, label.slot = slot is not None, slot or 0
        entry.label, entry.sketch = label, sketch._handle
    first = ctypes.cast(made, POINTER(_library.InkEntry))
    contents = _library.InkContents(entries=first, entry_count=len(entries))
    _library.call(_library.lib.ink_contents_save, os.fsencode(path), byref(contents))


def slotted(path: pathlib.Path) -> Sketches:
    """Groups a and b, three slots of an hour each, and c without slots."""
    hour = 3_600_000_000
    entries: list[tuple[Any, int | None, Sketch]] = []
    for group in ("a", "b"):
        entries += [
            (group, i * hour, Sketch("bloom", n=100).add(f"{group}{i}")) for i in range(3)
        ]
    entries.append(("c", None, Sketch("bloom", n=100).add("c")))
    save(path, entries)
    return inkling.open(path)


# ---- A mapping --------------------------------------------------------------------------------------


def test_it_is_a_mapping_of_groups_to_sketches() -> None:
    file = grouped()
    assert list(file) == ["", "blue", "red"] and len(file) == 3 and file.groups == ("", "blue", "red")
    names = file.keys()
    assert "red" in names and "green" not in names and None not in names and WHOLE not in names
    assert isinstance(file["red"], Sketch) and file["red"].read_only
    assert "ann" in file["red"] and "ann" not in file["blue"]
    assert [sketch.records for sketch in file.values()] == [1, 2, 2]
    assert [group for group, _ in file.items()] == list(file.keys())
    assert file.get("green") is None
    assert file.kinds == ("bloom",) and file.key_type == "bytes" and file.path is None


def test_in_answers_for_keys_and_never_for_groups(tmp_path: pathlib.Path) -> None:
    bee = Sketch("bloom", n=10).add("bee")
    entries: list[tuple[Any, int | None, Sketch]] = [(WHOLE, 0, bee), (WHOLE, 1, bee.copy().add("cow"))]
    save(tmp_path / "slots.ink", entries)
    bee.save(tmp_path / "bee.ink")
    with inkling.open(tmp_path / "bee.ink") as opened:
        assert "bee" in opened and "cow" not in opened and list(opened) == [WHOLE]
    with pytest.raises(ValueError, match="closed"):
        "bee" in opened
    assert "bee" in inkling.merge([bee, bee]) and "cow" not in inkling.merge([bee, bee])
    assert "cow" in inkling.open(tmp_path / "slots.ink") and "fox" not in inkling.open(tmp_path / "slots.ink")
    assert "a" in inkling.build(b"a\n", "bloom,hll") and "b" not in inkling.build(b"a\n", "bloom,hll")
    for whole in (Sketches.from_bytes(bee.to_bytes()), inkling.build(b"a\n", "bloom,hll")):
        for wrong, message in ((["a"], "may be many keys"), (None, "cannot be a key"), (WHOLE, "cannot be a key")):
            with pytest.raises(inkling.UnsupportedError, match=message):
                wrong in whole
        with pytest.raises(inkling.MismatchError, match="int keys"):
            7 in whole
    with pytest.raises(inkling.UnsupportedError, match="hll|no filter"):
        "a" in inkling.merge([inkling.build(b"a\n", "hll")])
    for kinds in ("bloom", "bloom,hll"):
        for either in ("ann", "red", None):
            with pytest.raises(inkling.UsageError, match=r"may mean .*\.groups .*\.contains\("):
                either in grouped(kinds)
        assert grouped(kinds).contains("ann") and not grouped(kinds).contains("red")


def test_with_several_kinds_keys_are_pairs(tmp_path: pathlib.Path) -> None:
    file = grouped("bloom,hll")
    assert list(file)[:2] == [("bloom", ""), ("bloom", "blue")] and len(file) == 6
    assert file["hll", "red"].kind == "hll" and ("hll", "red") in file.keys()
    assert not any(name in file.keys() for name in (("top", "red"), ("hll", "green"), "red"))
    assert file.groups == ("", "blue", "red")
    with pytest.raises(KeyError, match=r"expected a kind too, as \['bloom', 'red'\]$"):
        file["red"]
    file.save(path := tmp_path / "both.ink")
    for options in ({"kind": "hll", "group": "red"}, {"group": ("hll", "red")}):
        assert Sketch.open(path, **options).digest == file["hll", "red"].digest
    inkling.build(b"a\n", "bloom,hll").save(alone := tmp_path / "alone.ink")
    assert Sketch.open(alone, kind="hll").kind == "hll" and Sketch.open(alone, kind="bloom").kind == "bloom"
    save(tmp_path / "apart.ink", [("ant", None, Sketch("bloom", n=9)), ("zebra", None, Sketch("hll"))])
    apart = inkling.open(tmp_path / "apart.ink")
    for where, use, message in (
        (path, lambda: Sketch.open(path, kind="hll", group="rad"), "no group 'rad', expected 'red' or others of 3"),
        (path, lambda: Sketch.open(path, group=("hll", 1j)), "no group 1j: "),
        (alone, lambda: Sketch.open(alone), "sketches of bloom, hll, expected kind=, one of these"),
        (apart.path, lambda: apart["hll", "zebr"], "no group 'zebr', expected 'zebra'$"),
    ):
        with pytest.raises((KeyError, ValueError), match=message) as caught:
            use()
        assert isinstance(caught.value, inkling.InklingError) and caught.value.path == str(where)
    with pytest.raises(KeyError, match="no sketches of kind top, expected bloom, hll"):
        file["top", "red"]
    assert grouped()["bloom", "red"].kind == "bloom"  # which may be said of one kind, too


def test_groups_may_be_ints_bytes_none_and_whole(tmp_path: pathlib.Path) -> None:
    entries: list[tuple[Any, int | None, Sketch]] = [
        (group, None, Sketch("bloom", n=10).add(str(i)))
        for i, group in enumerate((WHOLE, None, "8", b"\xff", "ü", ""))
    ]
    save(tmp_path / "groups.ink", entries)
    file = inkling.open(tmp_path / "groups.ink")
    assert list(file) == [WHOLE, None, "", "8", "ü", b"\xff"]
    assert file[8].digest == file["8"].digest == file[b"8"].digest
    assert "0" in file[WHOLE] and "1" in file[None] and "5" in file[""]
    assert "3" in file[b"\xff"] and "4" in file["ü"]
    assert "0" in file.sketch()
    assert repr(WHOLE) == "inkling.WHOLE" and pickle.loads(pickle.dumps(WHOLE)) is WHOLE


def test_what_cannot_be_a_group_is_not_there_as_in_any_mapping() -> None:
    for file in (grouped(), grouped("bloom,hll")):
        plain: tuple[Any, ...] = (object(), 1j, 1 << 70, "\ud800", ("a", "b", "c"))
        pairs: tuple[Any, ...] = ((1, "8"), ("nope", "red"), ("", ""), ("bloom", 1j), ("bl\0om", "red"))
        for wrong in (*plain, *pairs):
            assert wrong not in file.keys() and file.get(wrong) is None and file.get(wrong, 5) == 5
            with pytest.raises(KeyError) as caught:
                file[wrong]
            assert isinstance(caught.value, inkling.NoGroupError) and "\n" not in str(caught.value)
        for unhashable in (["red"], bytearray(b"red"), ("bloom", ["red"])):
            with pytest.raises(TypeError):
                file[unhashable]
            with pytest.raises(TypeError):
                unhashable in file.keys()
        for use in (file.last, lambda group: file.between(group, 0, 1)):
            with pytest.raises(TypeError, match="a group of type object"):
                use(object())


@pytest.mark.parametrize(
    ("groups", "ordered"),
    [
        (["10", "9", "1", "2.5", "-3"], ["-3", "1", "2.5", "9", "10"]),
        (["10", "9", "a"], ["10", "9", "a"]),
        (["10", "9", ""], ["", "10", "9"]),
        (["10", "9", "1e3", "99"], ["9", "10", "99", "1e3"]),
        (["10", "9", "1e999"], ["10", "1e999", "9"]),
        (["10", "9", "+1"], ["+1", "10", "9"]),
        (["10", "9", "1.", "0x1"], ["0x1", "1.", "10", "9"]),
    ],
)
def test_groups_that_are_numbers_come_in_their_order_as_in_tables_of_the_command(
    groups: list[str], ordered: list[str], ink: Run, tmp_path: pathlib.Path
) -> None:
    data = "".join(f"k,{group}\n" for group in groups).encode()
    file = inkling.build(data, "hll,bloom", format="csv", key=1, by=2)
    assert list(file.groups) == ordered == file.which("k")
    assert list(file) == [(kind, group) for kind in ("bloom", "hll") for group in ordered]
    assert list(file.estimate(kind="hll")) == list(inkling.build(data, "hll", format="csv", key=1, by=2)) == ordered
    file.save(tmp_path / "g.ink")
    rows = ink("distinct", tmp_path / "g.ink").stdout.splitlines()[1:]
    assert [row.split()[0].replace('""', "") for row in rows] == ordered


def test_groups_are_found_by_the_values_that_they_are_made_of() -> None:
    numpy = pytest.importorskip("numpy")
    pyarrow = pytest.importorskip("pyarrow")
    floats = [7.0, 7.5, 1e-05, 1e16, -0.0, float("inf"), float("nan"), 1e8, 1e15, 1e-4, 0.1]
    columns: list[tuple[Any, list[Any]]] = [
        (floats, floats),
        (numpy.array(floats, numpy.float64), floats),
        (numpy.array(floats, numpy.float32), list(numpy.array(floats, numpy.float32))),
        (numpy.array([0.1, 7.5], numpy.float16), list(numpy.array([0.1, 7.5], numpy.float16))),
        ([True, False], [True, False]),
        ([True, False], list(numpy.array([True, False]))),
        ([7, -7, None], [7, -7, None]),
        ([7, -7], list(numpy.array([7, -7]))),
        ([datetime.date(2026, 1, 31)], [datetime.date(2026, 1, 31)]),
        ([datetime.datetime(2026, 1, 31, 12)], [datetime.datetime(2026, 1, 31, 12)]),
        ([datetime.datetime(2026, 1, 31, 12)], [numpy.datetime64("2026-01-31T12:00")]),
    ]
    for column, values in columns:
        file = inkling.build(pyarrow.table({"k": range(len(column)), "g": column}), "bloom", key="k", by="g")
        for number, value in enumerate(values):
            assert value in file.keys() and number in file[value], (value, list(file))
    assert 8.0 in inkling.build(b"a,8\n", "bloom", format="csv", key=1, by=2).keys()


def test_a_kind_alone_is_refused_with_what_to_write() -> None:
    with pytest.raises(KeyError) as caught:
        inkling.build(b"a\n", ["bloom", "fm"], by=None)["fm"]  # type: ignore[index]
    assert str(caught.value) == "'fm' is a kind, expected ['fm', inkling.WHOLE], or .sketch('fm')"
    with pytest.raises(KeyError, match=r"'hll' is a kind, expected a group too, as \['hll', ''\]"):
        grouped("bloom,hll")["hll"]


def test_a_missing_group_names_near_ones() -> None:
    with pytest.raises(KeyError) as caught:
        grouped()["rad"]
    assert str(caught.value) == "no group 'rad', expected 'red' or others of 3 sketches"
    assert isinstance(caught.value, inkling.NotFoundError) and isinstance(caught.value, inkling.NoGroupError)
    with pytest.raises(KeyError, match="no sketch without a group, expected .*blue"):
        grouped().sketch()
    with pytest.raises(inkling.UsageError, match="expected kind="):
        inkling.build(b"a\n", "bloom,hll").sketch()
    assert pickle.loads(pickle.dumps(caught.value)).args == caught.value.args


def test_an_empty_file_has_nothing(tmp_path: pathlib.Path) -> None:
    save(tmp_path / "empty.ink", [])
    file = inkling.open(tmp_path / "empty.ink")
    assert len(file) == 0 and list(file) == [] and "a" not in file.keys()
    assert file.kinds == () and file.key_type is None and len(inkling.open(tmp_path / "empty.ink", secret=SECRET)) == 0
    with pytest.raises(KeyError, match="there are no sketches"):
        file["a"]
    with pytest.raises(KeyError):
        file.sketch()
    assert "0 sketches" in repr(file) and file._repr_html_()


def test_equal_files_hold_equal_sketches_under_equal_names(tmp_path: pathlib.Path) -> None:
    file = grouped()
    file.save(tmp_path / "same.ink")
    assert file == file == grouped() == inkling.open(tmp_path / "same.ink") != file | file
    assert file != grouped("hll") and file != grouped("bloom,hll") and file != file["red"] and file != 5
    with pytest.raises(TypeError, match="unhashable"):
        hash(file)
    assert copy.copy(file) is file and copy.deepcopy(file) is file


def test_it_cannot_be_made_by_hand() -> None:
    with pytest.raises(TypeError, match="inkling.open"):
        Sketches()


# ---- Many groups ------------------------------------------------------------------------------------


def test_a_group_of_many_is_found_without_a_look_at_all(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 20_000
    data = b"".join(b"k%d,g%d\n" % (i, i) for i in range(count))
    inkling.build(data, "bloom", format="csv", key=1, by=2).save(tmp_path / "many.ink")
    looks = 0

    def counted(look: Any) -> Any:
        def entry(*arguments: Any) -> Any:
            nonlocal looks
            looks += 1
            return look(*arguments)

        return entry

    for library in (_library.lib, _library.pylib):
        monkeypatch.setattr(library, "ink_file_entry", counted(library.ink_file_entry))
    file = inkling.open(tmp_path / "many.ink", lazy=True)
    assert "k7777" in file["g7777"]
    assert next(iter(file)) == "g0" and "g5" in file.keys() and "nobody" not in file.keys()
    assert "20,000 sketches" in repr(file) and file.kinds == ("bloom",)
    assert looks < 200
    assert len(file) == count
    assert sum(1 for _ in file) == count


# ---- Files ------------------------------------------------------------------------------------------


def test_a_file_is_mapped_checked_lazy_or_copied(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "colours.ink"
    grouped().save(path)
    ways: list[dict[str, Any]] = [{}, {"lazy": True}, {"copy": True}, {"lazy": True, "copy": True}]
    for options in ways:
        with inkling.open(path, **options) as file:
            assert file.path == str(path) and "ann" in file["red"]
            assert file.check() is file
            assert file["red"].read_only == ("copy" not in options)
    program = "import inkling; f = inkling.open('-', copy=True); print(f.path, f['red'].add('new').query(['ann', 'new', 'bob']))"
    done = subprocess.run([sys.executable, "-c", program], input=path.read_bytes(), capture_output=True, check=True)
    assert done.stdout == b"None [True, True, False]\n"
    changed = inkling.open(str(path), copy=True)["red"].add("new")
    assert "new" in changed


def test_a_damaged_payload_is_found_when_it_is_checked(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "damaged.ink"
    inkling.build(b"".join(b"%d\n" % i for i in range(10_000)), "bloom").save(path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(inkling.FormatError) as caught:
        inkling.open(path)
    assert caught.value.path == str(path) and caught.value.location == "byte"
    file = inkling.open(path, lazy=True)
    for use in (file.check, file.to_bytes, lambda: file.save(tmp_path / "copy.ink")):
        with pytest.raises(inkling.FormatError) as caught:
            use()
        assert caught.value.path == str(path)
    assert os.listdir(tmp_path) == ["damaged.ink"]
    with pytest.raises(inkling.FormatError):
        Sketches.from_bytes(content)


def test_what_is_no_file_of_sketches_is_refused(tmp_path: pathlib.Path) -> None:
    (tmp_path / "words.txt").write_text("bee\n")
    with pytest.raises(inkling.FormatError):
        inkling.open(tmp_path / "words.txt")
    with pytest.raises(FileNotFoundError) as caught:
        inkling.open(tmp_path / "none.ink")
    assert caught.value.filename == str(tmp_path / "none.ink")
    with pytest.raises(TypeError):
        inkling.open(5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="NUL"):
        inkling.open("a\0b")


def test_views_keep_a_closed_file_open(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "colours.ink"
    grouped().save(path)
    file = inkling.open(path)
    red, walk = file["red"], iter(file)
    next(walk)
    file.close()
    file.close()
    os.unlink(path)
    gc.collect()
    assert "ann" in red and list(walk) == ["blue", "red"]
    assert repr(file) == "<inkling sketches, closed>" and "closed" in file._repr_html_()
    uses: list[Any] = [lambda: file["red"], lambda: len(file), lambda: file.query("a"), lambda: list(file)]
    for use in (*uses, lambda: file.digest, lambda: file.save(path), lambda: file.input_spec):
        with pytest.raises(ValueError, match="closed"):
            use()


@pytest.mark.parametrize(
    "use",
    [
        lambda file: file["red"].query("ann"),
        lambda file: file.digest,
        lambda file: file.check(),
        lambda file: file.input_spec,
        lambda file: file.query("ann"),
        lambda file: file.which("ann"),
        lambda file: file.to_bytes(),
    ],
)
def test_a_file_that_another_thread_closes_stays_open_for_a_call(
    use: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grouped().save(tmp_path / "colours.ink")
    file, closed, close = inkling.open(tmp_path / "colours.ink"), [], _files.OpenFile.__del__

    def closing(self: Any) -> None:
        closed.append(self)
        close(self)

    def call(function: Any, *arguments: Any, path: str | None = None) -> None:
        """What C is called by, at a moment when the other thread was quicker."""
        file.close()
        gc.collect()
        assert not closed
        _library.call(function, *arguments, path=path)

    monkeypatch.setattr(_files.OpenFile, "__del__", closing)
    for module in (_entries, _sketches):
        monkeypatch.setattr(module, "call", call)
    try:
        use(file)
    except ValueError as error:  # by the next call
        assert str(error) == "the sketches are closed"
    gc.collect()


def test_a_file_is_closed_when_no_one_has_it(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "big.ink"
    inkling.build(b"a\n", "bloom", n=10_000_000).save(path)

    def mapped() -> bool:
        return str(path) in pathlib.Path("/proc/self/maps").read_text()

    file = inkling.open(path, lazy=True)
    view = file.sketch()
    file.query("a")
    assert mapped()
    del file
    gc.collect()
    assert mapped() and "a" in view
    del view
    gc.collect()
    assert not mapped()


def test_saving_writes_the_same_file(tmp_path: pathlib.Path, ink: Run) -> None:
    built = grouped("bloom,hll")
    built.save(tmp_path / "built.ink")
    opened = inkling.open(tmp_path / "built.ink")
    opened.save(tmp_path / "again.ink")
    inkling.open(tmp_path / "built.ink", copy=True).save(tmp_path / "copied.ink")
    Sketches.from_bytes(built.to_bytes()).save(tmp_path / "bytes.ink")
    expected = (tmp_path / "built.ink").read_bytes()
    for name in ("again.ink", "copied.ink", "bytes.ink"):
        assert (tmp_path / name).read_bytes() == expected
    assert opened.to_bytes() == built.to_bytes() == expected
    assert ink("info", "--digest", tmp_path / "again.ink").stdout.strip() == opened.digest == built.digest


def test_saving_to_an_object_gives_it_the_same_bytes(tmp_path: pathlib.Path) -> None:
    built, one = grouped("bloom,hll"), Sketch("bloom", n=10).add("bee")
    built.save(tmp_path / "built.ink")
    entries = [(entry.group, entry.slot, entry.sketch) for entry in built.entries()]
    inkling.save(tmp_path / "entries.ink", entries, position=b"7")
    saved: list[tuple[Callable[[Any], None], bytes]] = [
        (one.save, one.to_bytes()),
        (built.save, built.to_bytes()),
        (inkling.open(tmp_path / "built.ink").save, built.to_bytes()),
        (lambda file: inkling.save(file, entries, position=b"7"), (tmp_path / "entries.ink").read_bytes()),
    ]
    for save_to, expected in saved:
        buffer = io.BytesIO()
        save_to(buffer)
        with open(tmp_path / "file", "wb", buffering=0) as file:
            save_to(file)
        assert buffer.getvalue() == (tmp_path / "file").read_bytes() == expected
        save_to(Slow(slow := bytearray()))
        assert slow == expected
        with open(tmp_path / "text", "w") as text, pytest.raises(TypeError, match="expected one opened in binary mode"):
            save_to(text)
        with pytest.raises(TypeError, match=r"output of type int, expected a path or an object with write\(\)"):
            save_to(5)


class Slow:
    """A file that takes a few bytes at once."""

    def __init__(self, taken: bytearray) -> None:
        self.taken = taken

    def write(self, data: bytes) -> int:
        self.taken += data[:100]
        return len(data[:100])


def test_several_files_are_opened_as_their_union(tmp_path: pathlib.Path) -> None:
    for number in (1, 2):
        data = b"".join(b"%d,g%d\n" % (i, number) for i in range(number * 100))
        inkling.build(data, "bloom,hll", format="csv", key=1, by=2).save(tmp_path / f"{number}.ink")
        keys = b"".join(b"%d\n" % (number * 100 + i) for i in range(100))
        inkling.build(keys, "bloom,hll", n=100).save(tmp_path / f"n{number}.ink")
    several: list[Any] = [[tmp_path / "1.ink", str(tmp_path / "2.ink")], tmp_path / "[0-9].ink", iter(tmp_path.glob("?.ink"))]
    merged = inkling.merge([tmp_path / "1.ink", tmp_path / "2.ink"])
    for paths in several:
        both = inkling.open(paths)
        assert both == merged and both.groups == ("g1", "g2") and both.path is None
    assert inkling.merge(tmp_path / "?.ink") == merged == inkling.merge([str(tmp_path / "?.ink")])
    assert inkling.union(tmp_path / "?.ink", "distinct").kinds == ("hll",)
    assert inkling.filter(tmp_path / "?.ink", b"7\nx\n", format="lines").passed == 1
    changed = inkling.open(tmp_path / "?.ink", copy=True)["hll", "g1"]
    assert changed.add("new").records == 101 and inkling.open([tmp_path / "1.ink"]).path == str(tmp_path / "1.ink")
    with pytest.raises(inkling.PromiseError):
        inkling.merge(tmp_path / "n?.ink")
    assert "299" in inkling.open(tmp_path / "n?.ink")  # to be asked: no rate is looked at
    with pytest.raises(FileNotFoundError, match=r"x\*\.ink: cannot open: No such file"):
        inkling.open(tmp_path / "x*.ink")
    with pytest.raises(inkling.UsageError, match="no sketches, expected at least one"):
        inkling.open([])
    for wrong, message in ((5, "sketches of type int"), ([5], "int among the sketches")):
        with pytest.raises(TypeError, match=f"{message}, expected paths of files of sketches$"):
            inkling.open(wrong)  # type: ignore[arg-type]


def test_a_secret_opens_several_files(tmp_path: pathlib.Path) -> None:
    secret = b"sixteen bytes ok"
    for name in ("a", "b"):
        Sketch("bloom", n=10, secret=secret).add(name).save(tmp_path / f"{name}.ink")
    assert "b" in inkling.open(tmp_path / "*.ink", secret=secret)
    with pytest.raises(inkling.MismatchError):
        inkling.open(tmp_path / "*.ink", secret=bytes(16))
    assert "b" in Sketch.open(tmp_path / "b.ink", secret=secret)
    with pytest.raises(inkling.MismatchError) as caught:
        Sketch.open(tmp_path / "b.ink", secret=bytes(16))
    assert caught.value.path == str(tmp_path / "b.ink")


def test_saving_over_the_file_that_is_open_is_fine(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "colours.ink"
    grouped().save(path)
    before = path.read_bytes()
    file = inkling.open(path)
    file.save(path)
    assert path.read_bytes() == before and "ann" in file["red"]


def test_a_save_that_fails_leaves_what_was_there(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        grouped().save(tmp_path / "none" / "x.ink")
    assert caught.value.filename == str(tmp_path / "none" / "x.ink")
    (tmp_path / "x.ink").write_text("old")
    bad = inkling.open(_saved(tmp_path / "y.ink"), lazy=True)
    with pytest.raises(OSError):
        bad.save(tmp_path / "none" / "y.ink")
    assert (tmp_path / "x.ink").read_text() == "old" and sorted(os.listdir(tmp_path)) == ["x.ink", "y.ink"]


def test_a_save_replaces_no_file_if_it_must_not(tmp_path: pathlib.Path) -> None:
    path, link = tmp_path / "x.ink", tmp_path / "link"
    file, sketch = grouped(), inkling.Sketch("hll").add("bee")
    saves = (
        file.save,
        inkling.open(_saved(tmp_path / "y.ink")).save,
        sketch.save,
        lambda path, **how: inkling.save(path, [("a", None, sketch)], **how),
    )
    for save in saves:
        save(path, overwrite=False)
        path.write_text("precious")
        with pytest.raises(inkling.UsageError, match="already exists, expected a new name or overwrite="):
            save(path, overwrite=False)
        for wrong in ("no", None, 0):
            with pytest.raises(TypeError, match="overwrite of type .*, expected True or False"):
                save(path, overwrite=wrong)
        assert path.read_text() == "precious"
        link.symlink_to("x.ink")
        save(link)  # which stays
        assert link.is_symlink() and path.read_bytes()[:8] != b"precious"
        link.unlink()
        path.unlink()
    assert os.listdir(tmp_path) == ["y.ink"]


def _saved(path: pathlib.Path) -> pathlib.Path:
    grouped().save(path)
    return path


def test_it_can_be_pickled_without_its_secret(tmp_path: pathlib.Path) -> None:
    file = grouped(secret=SECRET)
    assert "ann" in file["red"]
    pickled = pickle.dumps(file)
    assert SECRET not in pickled
    again = pickle.loads(pickled)
    assert again.digest == file.digest and list(again) == list(file)
    with pytest.raises(inkling.MismatchError):
        "ann" in again["red"]
    opened = inkling.open(_keyed(tmp_path / "keyed.ink"), secret=SECRET)
    assert "ann" in opened["red"] and opened.query("ann") and opened.which("ann") == ["red"]
    with pytest.raises(inkling.MismatchError):
        inkling.open(tmp_path / "keyed.ink", secret=bytes(16))
    with pytest.raises(inkling.MismatchError):
        inkling.open(_saved(tmp_path / "plain.ink"), secret=SECRET)
    with pytest.raises(ValueError, match="expected 16"):
        inkling.open(tmp_path / "keyed.ink", secret=b"short")


def _keyed(path: pathlib.Path) -> pathlib.Path:
    grouped(secret=SECRET).save(path)
    return path


# ---- What it is -------------------------------------------------------------------------------------


def test_the_input_spec_is_what_build_takes(tmp_path: pathlib.Path) -> None:
    data = b"a;b;n\nx;1.5;2\ny;2.5;1\n"
    options: dict[str, Any] = {
        "format": "csv", "delimiter": ";", "header": True, "key": ["a", "b"], "by": "b", "round": "half-away",
        "weight": "n",
    }  # fmt: skip
    built = inkling.build(data, "count-min", **options)
    assert built.input_spec == options
    assert inkling.build(data, "count-min", **built.input_spec).digest == built.digest
    blanks: Any = inkling.build(b"a b\n", "bloom,hll", fields=True, key=2)
    assert blanks.input_spec == {"format": "lines", "fields": True, "key": "2"}
    multi: Any = inkling.build(b'"a\nb"\n', "bloom,hll", format="csv", csv_multiline=True, key=1)
    assert multi.input_spec == {"format": "csv", "csv_multiline": True, "key": "1"}
    save(tmp_path / "plain.ink", [("a", None, Sketch("bloom", n=10))])
    assert inkling.open(tmp_path / "plain.ink").input_spec is None
    odd = {"format": "csv", "header": True, "key": ["last, first", 'say "hi"'], "by": "a,b", "bad": "skip"}
    data = b'"a,b","last, first","say ""hi"""\n1,2,3\nbroken\n'
    assert inkling.build(data, "bloom,hll", **odd).input_spec == odd


def test_bad_records_are_skipped_as_they_were(tmp_path: pathlib.Path) -> None:
    data, path = b"a,1\nb\n", tmp_path / "skips.ink"
    built: Any = inkling.build(data, "bloom,hll", format="csv", key=2, bad="skip")
    built.save(path)
    assert inkling.verify(path, data).bad == inkling.add(path, data).bad == 1
    for bad, hint in ((None, "; bad='skip' skips such records"), ("fail", "")):
        with pytest.raises(inkling.FormatError, match=f"expected at least 2{hint}$"):
            inkling.build(data, "bloom", format="csv", key=2, bad=bad)
    with pytest.raises(inkling.FormatError, match="expected at least 2; the sketches say"):
        inkling.add(path, data, bad="fail")


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.tsv", "user\tn\nann\t1\n", "user\tn\nann\t1\n"),
        ("a.csv", "n,user\n1,ann\n1,zoe\n", "n,user\n1,ann\n"),
        ("a.ndjson", '{"user":"ann"}\n{"user":"zoe"}\n', '{"user":"ann"}\n'),
        ("a.txt", "ann\n", None),
    ],
)
def test_a_suffix_says_how_other_data_is_read(tmp_path: pathlib.Path, name: str, text: str, found: str | None) -> None:
    built = inkling.build(b"user\tn\nann\t1\n", "bloom", p=1e-5, format="tsv", header=True, key="user")
    data, output = tmp_path / name, io.BytesIO()
    data.write_text(text)
    if found is None:
        words = 'no column "user", expected one of "ann"; the sketches say "read as: tsv, header, key user" \\(format='
        with pytest.raises(inkling.UsageError, match=words):
            inkling.filter(built, data, output=output)
    else:
        inkling.filter(built, data, output=output)
        assert output.getvalue().decode() == found


def test_the_only_sketch_keeps_the_input_spec(tmp_path: pathlib.Path) -> None:
    inkling.build(b"a,b\n", "bloom", format="csv", key=2).save(tmp_path / "a.ink")
    inkling.open(tmp_path / "a.ink").sketch().save(tmp_path / "b.ink")
    assert (tmp_path / "a.ink").read_bytes() == (tmp_path / "b.ink").read_bytes()
    grouped()["red"].save(tmp_path / "red.ink")
    assert inkling.open(tmp_path / "red.ink").input_spec is None  # one group was not read so


def test_it_shows_itself(tmp_path: pathlib.Path) -> None:
    file = grouped()
    assert repr(file) == "<inkling sketches: 3 sketches of bloom, bytes keys>"
    assert ">red</td>" in file._repr_html_()
    opened = inkling.open(_saved(tmp_path / "c.ink"))
    assert repr(opened) == f"<inkling {tmp_path / 'c.ink'}: 3 sketches of bloom, bytes keys>"
    angry = inkling.build(b"a,<b>\n", "bloom", format="csv", key=1, by=2)
    assert "&lt;b&gt;" in angry._repr_html_() and "<b>" not in angry._repr_html_()
    many = inkling.build(b"".join(b"%d\n" % i for i in range(30)), "bloom", format="csv", key=1, by=1)
    assert "and 10 more" in many._repr_html_()


def test_int_keys_are_reported() -> None:
    numbers = inkling.build(b"-1,a\n2,b\n", "bloom", format="csv", key=1, by=2, key_type="int")
    assert numbers.key_type == "int"
    assert numbers.which(2) == ["b"] and numbers.which([2**64 - 1, -1, 2]) == [["a"], ["a"], ["b"]]
    assert numbers.query([-1, 3]) == [True, False]


# ---- Questions --------------------------------------------------------------------------------------


def test_keys_are_asked_of_all_groups_or_of_their_own() -> None:
    file = grouped()
    assert file.query("ann") is True and file.query("zoe") is False
    assert file.query(["ann", "bob", "zoe"]) == [True, True, False]
    assert file.query(iter(["ann", "zoe"])) == [True, False]
    assert file.query(["ann", "bob", "dan"], by=["red", "red", ""]) == [True, False, True]
    assert file.query("ann", by="red") is True and file.query("ann", by="blue") is False
    assert file.query("ann", by="nobody") is False
    assert file.query([]) == []
    assert file.which("ann") == ["red"] and file.which("zoe") == [] and file.which(b"dan") == [""]


def test_which_groups_hold_keys_whatever_keys_and_groups_are(tmp_path: pathlib.Path) -> None:
    keys: list[Any] = ["", "a", 'quo"te"', '"', "new\nline", "c\r", "\r\n", "nul\0nul", "a,b", "\ttab", " "]
    keys += [b"\xff\xfe", ("a", 1)]
    groups: list[Any] = ["", ",", '"', '""', "\n", "\t", "a\tb", "(null)", "(none)", "(", "0", b"\xff,", None]
    groups += ["ü", "\x7f"]
    odd = Sketch("bloom", n=100, p=1e-5).add(keys[0::2])
    even = Sketch("bloom", n=100, p=1e-5).add(keys[1::2])
    # The first half of the groups has one half of the keys, the second the other, one in the midst has all.
    entries: list[tuple[Any, int | None, Sketch]] = []
    entries += [(group, None, odd if number < 7 else even) for number, group in enumerate(groups)]
    entries[3] = (groups[3], None, odd | even)
    save(tmp_path / "odd.ink", entries)
    file = inkling.open(tmp_path / "odd.ink")
    order = list(file)
    expected = [
        [group for group in order if groups.index(group) == 3 or (groups.index(group) < 7) == (i % 2 == 0)]
        for i in range(len(keys))
    ]
    assert file.which(keys) == expected
    assert [file.which(key) for key in keys] == expected
    assert file.which(iter(["nobody", None, "a"])) == [[], [], expected[1]]
    assert file.which([]) == [] and file.which([None]) == [[]]


def test_which_sketch_without_a_group_holds_a_key(tmp_path: pathlib.Path) -> None:
    save(tmp_path / "a.ink", [(WHOLE, None, Sketch("bloom", n=9).add("x"))])
    assert inkling.open(tmp_path / "a.ink").which(["x", "y"]) == [[WHOLE], []]
    save(tmp_path / "b.ink", [(g, None, Sketch("bloom", n=9).add("x")) for g in (WHOLE, None, "WHOLE")])
    assert inkling.open(tmp_path / "b.ink").which("x") == [WHOLE, None, "WHOLE"]


def test_columns_are_many_keys_and_tables_are_none() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    numpy, pyarrow = pytest.importorskip("numpy"), pytest.importorskip("pyarrow")
    words, expected = ["ann", "zoe"], [["red"], []]
    for column in (numpy.array(words), pandas.Series(words), polars.Series(words), pyarrow.array(words)):
        assert grouped().which(column) == expected
    for frame in (pandas.DataFrame, polars.DataFrame, pyarrow.table):
        table = frame({"a": words})
        with pytest.raises(TypeError, match="expected one, or many"):
            grouped().which(table)
    with pytest.raises(TypeError):
        grouped().which(True)


def test_which_asks_the_library_and_not_each_group(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"".join(b"k%d,g%d\n" % (i, i) for i in range(2000))
    file = inkling.build(data, "bloom", format="csv", key=1, by=2, p=1e-5)
    for library in (_library.lib, _library.pylib):
        monkeypatch.setattr(library, "ink_file_entry", None)
        monkeypatch.setattr(library, "ink_file_sketch", None)
    assert "g77" in file.which("k77")


def test_arrays_and_tables_are_answered_with_arrays() -> None:
    numpy = pytest.importorskip("numpy")
    pyarrow = pytest.importorskip("pyarrow")
    file = grouped()
    table = pyarrow.table({"who": ["ann", "bob", None], "colour": ["red", "red", "red"]})
    found = file.query(table, key="who", by="colour")
    assert isinstance(found, numpy.ndarray) and found.dtype == bool and found.tolist() == [True, False, False]
    assert file.query(table, key=1).tolist() == [True, True, False]
    assert file.query(table["who"]).tolist() == [True, True, False]
    assert file.query(numpy.array(["ann", "zoe"])).tolist() == [True, False]
    with pytest.raises(inkling.MismatchError) as caught:
        file.query(table, key="who", nulls="refuse")
    assert caught.value.at == 2
    with pytest.raises(inkling.UsageError):
        file.query(table, key="nobody")
    with pytest.raises(inkling.UsageError):
        file.query(["a", "b"], by=["red"])


def test_groups_of_questions_are_rounded_as_those_of_a_build() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    for how, group in (("half-even", "-2"), ("half-up", "-2"), ("half-away", "-3")):
        for data in (b"ann,-2.5\n", b"ann,-25e-1\n", pyarrow.table({"who": ["ann"], "rating": [-2.5]})):
            text = {"format": "csv"} if isinstance(data, bytes) else {}
            names = {"key": 1, "by": 2} if text else {"key": "who", "by": "rating"}
            assert inkling.build(data, "bloom", round=how, **text, **names).groups == (group,)  # type: ignore[call-overload]
    table = pyarrow.table({"who": ["ann", "bob"], "rating": [7.5, 8.5]})
    file = inkling.build(table, "bloom", key="who", by="rating", round="half-even")
    assert file.query(table, key="who", by="rating", round="half-even").tolist() == [True, True]
    assert file.query(table, key="who", by="rating", round="half-up").tolist() == [True, False]
    assert file.query(table, key="who", by="rating").tolist() == [False, False]
    assert file.query(["ann"], by=[7.6], round="half-up") == [True]
    with pytest.raises(inkling.UsageError, match="round 'up', expected one of half-even, half-up, half-away"):
        file.query("ann", by=8, round="up")  # type: ignore[call-overload]


def test_of_count_min_and_top_the_better_one_counts_each_key() -> None:
    words = ["often"] * 500 + [f"word{n}" for n in range(20000)]
    data = "\n".join(words).encode()
    both = inkling.build(data, "count-min,top,counting", n=30000)
    assert both.count("often") == {("top", inkling.WHOLE): both.sketch("top").count("often")}
    assert both.count("word7") == {("count-min", inkling.WHOLE): both.sketch("count-min").count("word7")}
    assert list(both.count("often", kind="counting")) == [inkling.WHOLE]
    assert list(inkling.build(data, "counting,bloom").count("word7")) == [("counting", inkling.WHOLE)]
    apart = inkling.build(b"often\n", "count-min,bloom") | inkling.build(data, "top,hll")
    assert {at[0]: answer.high for at, answer in apart.count("often").items()} == {"count-min": 1}
    groups = inkling.build(b"ant,x\nant,y\nant,x\n", "count-min,top", format="csv", key=1, by=2)
    counts = {at: float(answer) for at, answer in groups.count("ant").items()}
    assert counts == {("top", "x"): 2, ("top", "y"): 1}
    with pytest.raises(inkling.UsageError, match="expected sketches that answer this"):
        inkling.build(data, "hll,fm").count("often")


def test_each_group_has_its_top() -> None:
    data = b"ant,x\nbee,x\nant,x\ncow,y\n"
    groups = inkling.build(data, "top,hll", format="csv", key=1, by=2)
    assert {at: [item.key for item in items] for at, items in groups.top(1).items()} == {
        ("top", "x"): ["ant"],
        ("top", "y"): ["cow"],
    }
    assert groups.top(kind="top") == {name: groups["top", name].top() for name in ("x", "y")}
    assert inkling.build(data, "top", format="csv", key=1, by=2).top() == groups.top(kind="top")
    with pytest.raises(inkling.UsageError, match="a file of hll, expected sketches that answer this"):
        inkling.build(data, "hll", format="csv", key=1, by=2).top()


def test_bytes_of_a_file_are_no_path() -> None:
    held = inkling.build(b"ant\n", "bloom,hll").to_bytes()
    for ask in (inkling.open, inkling.merge):
        with pytest.raises(TypeError, match="^sketches of type bytes, expected paths .*; Sketches.from_bytes reads"):
            ask(held)
    assert "ant" in inkling.Sketches.from_bytes(held)


def test_questions_go_to_the_kinds_that_answer() -> None:
    file = grouped("bloom,classic,hll")
    with pytest.raises(inkling.UsageError, match="bloom"):
        file.query("ann")
    with pytest.raises(inkling.UsageError):
        file.which("ann")
    assert file.query("ann", kind="classic") is True and file.which("ann", kind="bloom") == ["red"]
    with pytest.raises(inkling.InklingError):
        file.query("ann", kind="hll")
    assert set(file.estimate(kind="hll")) == {"", "blue", "red"}
    assert round(float(file.estimate(kind="hll")["red"])) == 2
    assert set(file.rate) == {(kind, group) for kind in ("bloom", "classic") for group in ("", "blue", "red")}
    assert set(grouped("hll,count-min").estimate()) == {("hll", ""), ("hll", "blue"), ("hll", "red")}
    with pytest.raises(inkling.UsageError):
        grouped("count-min").estimate()
    with pytest.raises(inkling.UsageError):
        grouped("hll").rate
    with pytest.raises(inkling.InklingError):
        grouped("hll").query("ann")
    with pytest.raises(inkling.UsageError):
        grouped().estimate(kind="nonsense")


def test_each_sketch_says_what_it_is() -> None:
    infos = grouped().info
    assert list(infos) == ["", "blue", "red"] and infos["red"].records == 2 and infos["red"].kind == "bloom"
    assert list(grouped("bloom,hll").info)[-1] == ("hll", "red")


def test_a_union_of_two_is_by_kind_and_group(tmp_path: pathlib.Path) -> None:
    a = grouped("bloom,hll", n=100)
    b = inkling.build(b"flo,red\ngus,green\n", "bloom,hll", format="csv", key=1, by=2, n=100)
    both = a | b
    assert both.groups == ("", "blue", "green", "red") and both.input_spec == a.input_spec
    assert both["bloom", "red"].query(["ann", "flo", "gus"]) == [True, True, False]
    b.save(tmp_path / "b.ink")
    assert (a | inkling.open(tmp_path / "b.ink")).digest == both.digest
    assert inkling.merge([a, tmp_path / "b.ink"]).digest == both.digest
    one = Sketch("bloom", n=100).add("x")
    assert (grouped() | one).groups == (one | grouped()).groups == (WHOLE, "", "blue", "red")
    with pytest.raises(TypeError):
        a | {}
    keyed = grouped(secret=SECRET) | grouped(secret=SECRET)
    assert "ann" in keyed["red"]


def test_groups_of_a_fuse_are_asked_saved_and_never_changed(tmp_path: pathlib.Path) -> None:
    file, path = grouped("fuse"), tmp_path / "a.ink"
    file.save(path)
    inkling.save(tmp_path / "b.ink", [(group, None, sketch.copy()) for group, sketch in file.items()])
    for same in (inkling.open(path), inkling.open(tmp_path / "b.ink"), pickle.loads(pickle.dumps(file))):
        assert same == file and same.which(["ann", "none of them"]) == [["red"], []]
        assert same.query(["bob", "none of them"]) == [True, False] and same.query("ann", by="blue") is False
        assert {group: int(answer) for group, answer in same.estimate().items()} == {"": 1, "blue": 2, "red": 2}
    whole = inkling.build(ROWS, "bloom,fuse,hll,theta")
    whole.save(tmp_path / "whole.ink")
    before = path.read_bytes()
    for change in (
        lambda: file | inkling.open(path), lambda: inkling.merge([path, tmp_path / "b.ink"]),
        lambda: inkling.open(tmp_path / "[ab].ink"), lambda: inkling.union([path, file], "distinct"),
        lambda: inkling.add(path, b"flo,red\n"), lambda: inkling.add(tmp_path / "whole.ink", b"flo\n"),
        lambda: inkling.add(tmp_path / "whole.ink", b"flo\n" * 1000),
    ):
        with pytest.raises(inkling.UnsupportedError, match="a fuse never changes: build one of all keys, from several"):
            change()
    with pytest.raises(inkling.UsageError, match="bloom and fuse, expected a choice"):
        whole.query("ann")
    assert whole.query("ann,red", kind="fuse") is True and path.read_bytes() == before


def test_keys_of_the_wrong_type_are_refused() -> None:
    with pytest.raises(inkling.MismatchError):
        grouped().query(5)
    with pytest.raises(inkling.MismatchError):
        grouped().which(5)
    with pytest.raises(TypeError):
        grouped().query(1.5)
    with pytest.raises(inkling.UsageError):
        grouped().query("ann", nulls="maybe")


# ---- Time slots -------------------------------------------------------------------------------------


def test_a_group_with_slots_is_the_union_of_them(tmp_path: pathlib.Path) -> None:
    file = slotted(tmp_path / "slots.ink")
    assert list(file) == ["a", "b", "c"] and len(file) == 3 and file.groups == ("a", "b", "c")
    assert [name for name in ("a", "c", "d", "", WHOLE) if name in file.keys()] == ["a", "c"]
    assert file["a"].query(["a0", "a1", "a2", "b0"]) == [True, True, True, False]
    assert file["a"].records == 3 and "c" in file["c"]
    entries = [(group, slot, Sketch(kind, n=9) if kind == "bloom" else Sketch(kind))
               for kind in ("bloom", "hll") for group in (None,) for slot in (0, 1)]
    save(tmp_path / "kinds.ink", entries)
    assert list(inkling.open(tmp_path / "kinds.ink")) == [("bloom", None), ("hll", None)]
    with pytest.raises(KeyError):
        file["d"]


def test_the_newest_slots_and_those_between_times(tmp_path: pathlib.Path) -> None:
    file = slotted(tmp_path / "slots.ink")
    assert file.last("a", 2).query(["a0", "a1", "a2"]) == [False, True, True]
    assert file.last("a").records == 3
    assert file.query("a0", last=1) is False and file.query("a2", last=1) is True
    hours = [datetime.datetime(1970, 1, 1, hour, tzinfo=datetime.timezone.utc) for hour in range(4)]
    assert file.between("b", hours[0], hours[2]).query(["b0", "b1", "b2"]) == [True, True, False]
    naive = datetime.datetime(1970, 1, 1, 2)
    assert file.between("b", naive, 1 << 62).query(["b0", "b1", "b2"]) == [False, False, True]
    assert not file.last("a", 1).read_only
    for wrong in (1.5, True, "now", None):
        with pytest.raises(TypeError):
            file.between("b", wrong, hours[1])  # type: ignore[arg-type]
    with pytest.raises(inkling.UsageError):
        file.between("b", 1 << 63, 1 << 64)
    with pytest.raises(inkling.NotFoundError) as caught:
        file.last("d")
    assert caught.value.path == str(tmp_path / "slots.ink")
    with pytest.raises(inkling.NotFoundError):
        file.between("b", hours[3], hours[3])
    assert file.which("a1") == ["a"]


def test_slots_stay_when_a_file_is_saved(tmp_path: pathlib.Path) -> None:
    file = slotted(tmp_path / "slots.ink")
    file.save(tmp_path / "again.ink")
    assert (tmp_path / "again.ink").read_bytes() == (tmp_path / "slots.ink").read_bytes()
