"""The state of a stream without a stream: its position, its folder, and the arithmetic of windows."""

from __future__ import annotations

import datetime
import errno
import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest
from conftest import ENVIRONMENT, Run

import inkling
from inkling.spark import _questions, _state, _taking, _windows
from inkling.spark._state import Counted, Position, StateFolder

QUERY = "0b9a6dc4-0f0c-4c8e-9f5e-6a5b8b0f4e11"
OTHER = "11111111-0f0c-4c8e-9f5e-6a5b8b0f4e11"
FULL = Position(
    query=QUERY, batch=41, kinds=("bloom", "hll"), columns=(("key", "a"), ("key", "b c"), ("by", "key")),
    slot=60_000_000, newest=-5, records=1 << 63, nulls=3, late=0,
)  # fmt: skip


def bloom(*keys: str, n: int = 1000) -> inkling.Sketch:
    return inkling.Sketch("bloom", n=n, key_type="bytes").add(list(keys))


# ---- Position -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "position", [Position(), Position(kinds=("top",)), Position(query=QUERY, batch=0), FULL]
)
def test_position_is_read_as_it_was_written(position: Position) -> None:
    assert Position.from_bytes(position.to_bytes()) == position


def test_position_has_the_bytes_that_are_described() -> None:
    assert (
        FULL.to_bytes()
        == (
            f"source\0spark\0query\0{QUERY}\0batch\x0041\0kind\0bloom\0kind\0hll\0key\0a\0key\0b c\0by\0key\0"
            "slot\x0060000000\0newest\0-5\0"
            f"records\0{1 << 63}\0nulls\x003\0late\x000\0"
        ).encode()
    )


@pytest.mark.parametrize(
    "content",
    [b"", b"\0", b"source\0spark", b"source\0spark\0", b"source\0kafka\0batch\x001\0", b"\xff\0a\0",
     FULL.to_bytes() + b"x\0y\0", FULL.to_bytes()[:-1], FULL.to_bytes().replace(b"41", b"041"),
     FULL.to_bytes().replace(b"41", b"x"), FULL.to_bytes().replace(b"batch", b"Batch")],
)  # fmt: skip
def test_any_other_position_is_refused(content: bytes) -> None:
    with pytest.raises(inkling.FormatError, match="expected one of spark"):
        Position.from_bytes(content, "state.ink")


def test_positions_add_up() -> None:
    first = Position(kinds=("bloom",)).moved(QUERY, 0, Counted(records=5, nulls=1, newest=70))
    second = first.moved(QUERY, 1, Counted(records=2, late=4, newest=60))
    assert second == Position(query=QUERY, batch=1, kinds=("bloom",), newest=70, records=7, nulls=1, late=4)


def test_a_batch_is_taken_once_and_in_order() -> None:
    position = Position(query=QUERY, batch=7)
    assert position.is_next(QUERY, 8)
    assert not position.is_next(QUERY, 7)
    assert Position().is_next(QUERY, 0)


@pytest.mark.parametrize(
    ("position", "batch", "message"),
    [(Position(query=QUERY, batch=7), 9, "batch 7, but the checkpoint with batch 8: rows between are lost"),
     (Position(), 1, "no batch, but the checkpoint with batch 0: rows between are lost"),
     (Position(query=QUERY, batch=7), 6, "batch 7, but the checkpoint with batch 6: other rows may come")],
)  # fmt: skip
def test_batches_of_another_time_are_noticed(position: Position, batch: int, message: str) -> None:
    with pytest.raises(inkling.MismatchError, match=f"the state ends with {message}"):
        position.is_next(QUERY, batch)


def test_the_last_batch_is_between_what_was_planned_and_what_is_done() -> None:
    position = Position(query=QUERY, batch=7)
    position.check_batches(7, 7)  # at rest
    position.check_batches(6, 7)  # died after its own commit
    position.check_batches(7, 8)  # died before
    Position().check_batches(-1, -1)
    Position().check_batches(-1, 0)
    for done, planned in ((8, 8), (8, 9), (5, 6), (-1, -1)):
        with pytest.raises(inkling.MismatchError, match="expected a state and a checkpoint of one time"):
            position.check_batches(done, planned)


def test_another_query_is_refused_by_name() -> None:
    with pytest.raises(inkling.MismatchError, match=f"of query {QUERY}, .* of query {OTHER}.* replaced"):
        Position(query=QUERY, batch=7).is_next(OTHER, 8)


# ---- The folder -----------------------------------------------------------------------------------


def test_a_state_is_read_as_it_was_committed(tmp_path: pathlib.Path, ink: Run) -> None:
    folder = StateFolder(tmp_path / "new" / "state")
    assert folder.read() is None
    sketches: dict[_state.Label, inkling.Sketch] = {
        ("bloom", inkling.WHOLE, None): bloom("a"),
        ("bloom", None, -60): bloom("b"),
        ("bloom", "g", 60): bloom("c", "d"),
        ("hll", "g", 60): inkling.Sketch("hll", key_type="bytes").add("e"),
    }
    folder.commit(sketches, FULL)
    state = folder.read()
    assert state is not None and state.position == FULL
    assert {label: one.digest for label, one in _state.entries_of(state.sketches).items()} == {
        label: one.digest for label, one in sketches.items()
    }
    assert ink("info", "--digest", folder.file).stdout.strip() == state.sketches.digest
    ink("merge", folder.file, folder.file, "-o", tmp_path / "merged.ink")
    folder.close()


def test_a_state_that_was_read_stays_when_the_next_comes(tmp_path: pathlib.Path) -> None:
    folder = StateFolder(tmp_path)
    label: _state.Label = ("bloom", inkling.WHOLE, None)
    folder.commit({label: bloom("a")}, Position(query=QUERY, batch=0))
    before = folder.read()
    assert before is not None
    merged = _state.merge_states(_state.entries_of(before.sketches), {label: bloom("b")})
    folder.commit(merged, Position(query=QUERY, batch=1))
    after = folder.read()
    assert after is not None and after.position.batch == 1
    assert after.sketches.digest == bloom("a", "b").digest
    assert before.sketches.digest == bloom("a").digest
    folder.close()


def test_what_a_killed_process_left_is_removed(tmp_path: pathlib.Path) -> None:
    (tmp_path / "state.ink.tmp.4711.0").write_bytes(b"half a state")
    StateFolder(tmp_path).close()
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]


def test_a_file_without_a_position_is_no_state(tmp_path: pathlib.Path) -> None:
    bloom("a").save(tmp_path / "state.ink")
    with pytest.raises(inkling.FormatError, match=r"state\.ink: sketches without a position"):
        _state.read_state(tmp_path)


def test_a_damaged_state_is_refused_and_left_as_it_is(tmp_path: pathlib.Path) -> None:
    """Wherever it is damaged: a query never begins anew in silence."""
    folder = StateFolder(tmp_path)
    folder.commit({("bloom", inkling.WHOLE, None): bloom("a")}, FULL)
    file = tmp_path / "state.ink"
    whole = file.read_bytes()
    damaged = [whole[:length] for length in range(0, len(whole), 37)]
    damaged += [whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :] for at in range(0, len(whole), 29)]
    for data in [*damaged, b"hello\n", whole + whole]:
        file.write_bytes(data)
        for read in (folder.read, lambda: _state.read_state(tmp_path)):
            with pytest.raises(inkling.FormatError, match=r"state\.ink: byte \d+: "):
                read()
        assert file.read_bytes() == data
    file.write_bytes(whole)
    state = folder.read()
    assert state is not None and state.position == FULL
    folder.close()


FULL_DISK = """
import resource, sys
import inkling
from inkling.spark._state import Position, StateFolder
folder = StateFolder(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
try:
    folder.commit({("bloom", inkling.WHOLE, None): inkling.Sketch("bloom", n=10**5, key_type="bytes")}, Position())
except OSError as error:
    print(error)
"""


def test_a_commit_that_does_not_fit_leaves_the_state_before(tmp_path: pathlib.Path) -> None:
    folder = StateFolder(tmp_path)
    folder.commit({("bloom", inkling.WHOLE, None): bloom("a")}, FULL)
    folder.close()
    words = [sys.executable, "-c", FULL_DISK, str(tmp_path)]
    done = subprocess.run(words, env=ENVIRONMENT, stdout=subprocess.PIPE, check=True, text=True)
    assert done.stdout == f"{tmp_path}/state.ink: cannot write: File too large\n"
    state = _state.read_state(tmp_path)
    assert state is not None and state.position == FULL and state.sketches.digest == bloom("a").digest
    assert sorted(os.listdir(tmp_path)) == ["lock", "state.ink"]


def test_folders_that_are_made_for_a_state_survive_a_loss_of_power(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []

    def fsync(file: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{file}"))
        raise OSError(refused, os.strerror(refused))

    monkeypatch.setattr(os, "fsync", fsync)
    refused = errno.EINVAL  # of a file system that cannot
    StateFolder(tmp_path / "new" / "deep" / "state").close()
    assert synced == [str(tmp_path / "new" / "deep"), str(tmp_path / "new"), str(tmp_path)]
    synced.clear()
    StateFolder(tmp_path / "new" / "deep" / "state").close()
    assert synced == [str(tmp_path / "new" / "deep")]
    refused = errno.EIO
    with pytest.raises(inkling.FileError, match="cannot be made: Input/output error"):
        StateFolder(tmp_path / "other")


def test_the_folder_must_be_one_that_can_be_locked() -> None:
    with pytest.raises(inkling.UsageError, match="hdfs://x/y, expected a folder on a disk of the driver"):
        StateFolder("hdfs://x/y")
    assert _state.folder_path("file:///a/b") == pathlib.Path("/a/b")


HOLD = """
import sys
from inkling.spark._state import StateFolder
folder = StateFolder(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


def test_one_at_a_time_holds_a_folder(tmp_path: pathlib.Path) -> None:
    first = StateFolder(tmp_path)
    with pytest.raises(inkling.UsageError, match=f"in use by process {os.getpid()} on .*no other query"):
        StateFolder(tmp_path)
    first.close()
    with pytest.raises(ValueError, match="closed"):
        first.commit({}, Position())
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path], env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        with pytest.raises(inkling.UsageError, match=f"in use by process {holder.pid} on "):
            StateFolder(tmp_path)
        holder.kill()
    StateFolder(tmp_path).close()  # the system let it go


# ---- Merging --------------------------------------------------------------------------------------


def test_parts_of_one_plan_are_merged_beyond_their_promise() -> None:
    label: _state.Label = ("bloom", inkling.WHOLE, None)
    many = [f"k{number}" for number in range(64)]
    merged = _state.merge_states({label: bloom(*many[:40], n=10)}, {label: bloom(*many[40:], n=10)})
    assert merged[label].digest == bloom(*many, n=10).digest
    assert merged[label].rate > 0.01


@pytest.mark.parametrize(
    ("kind", "old", "new", "message"),
    [("bloom", {"n": 1000}, {"n": 2000}, "n 1000, but 2000"),
     ("bloom", {"n": 10, "p": 0.1}, {"n": 10}, "p 0.1"),
     ("bloom", {"n": 10}, {"n": 10, "seed": 1}, "seed .*, but 1"),
     ("hll", {}, {"precision": 12}, "precision 14"),
     ("bloom", {"n": 10}, {"n": 10, "key_type": "int"}, "key_type bytes, but int"),
     ("bloom", {"n": 10}, {"n": 10, "secret": b"s" * 16}, "hash xxh3, but"),
     ("count-min", {"width": 8, "depth": 2}, {"width": 16, "depth": 2}, "width 8, but 16"),
     ("count-min", {}, {"conservative": True}, "conservative"), ("top", {}, {"k": 1000}, "k or phi 1024")],
)  # fmt: skip
def test_another_plan_is_refused_by_the_option_that_differs(
    kind: str, old: dict[str, Any], new: dict[str, Any], message: str
) -> None:
    label: _state.Label = (kind, inkling.WHOLE, None)
    sketches = [inkling.Sketch(kind, **{"key_type": "bytes", **options}) for options in (old, new)]
    _state.merge_states({label: sketches[0]}, {label: sketches[0].copy()})
    with pytest.raises(inkling.MismatchError, match=f"the state's {kind} has {message}.*begun with"):
        _state.merge_states({label: sketches[0]}, {label: sketches[1]})


# ---- More keys than planned -----------------------------------------------------------------------


def test_filters_of_groups_that_changed_are_looked_at_with_all_their_slots() -> None:
    many = [[f"k{slot} {number}" for number in range(8)] for slot in range(5)]
    sketches: dict[_state.Label, inkling.Sketch] = {("bloom", "a", slot): bloom(*many[slot], n=10) for slot in range(5)}
    full = bloom(*(key for keys in many for key in keys), n=100).merge()
    for group in ("b", inkling.WHOLE):
        sketches["bloom", group, None] = _taking._union([bloom(*keys, n=10) for keys in many])
    sketches["bloom", "c", None] = full
    sketches["hll", "a", None] = inkling.Sketch("hll", key_type="bytes").add("a")
    before = {label: sketch.records for label, sketch in sketches.items()}
    changed: list[_state.Label] = [("bloom", "a", 4), ("bloom", "c", None), ("hll", "a", None), ("bloom", inkling.WHOLE, None)]
    found = {group: (kind, text) for kind, group, text in _taking._overfull(sketches, changed)}
    assert set(found) == {"a", inkling.WHOLE} and all(kind == "bloom" for kind, _ in found.values())
    assert found["a"][1].startswith("the bloom of group 'a' is wrong at a rate of ")
    assert "now, above the 0.01 promised for 10 keys: expected n as large" in found["a"][1]
    assert found[inkling.WHOLE][1].startswith("the bloom is wrong at a rate of ")
    assert before == {label: sketch.records for label, sketch in sketches.items()}
    planned = {("bloom", "d", None): bloom(*map(str, range(10)), n=10)}
    assert not list(_taking._overfull(planned, planned))  # as many as were planned for


# ---- Questions ------------------------------------------------------------------------------------


def question(kind: str | None = None, answer: str | None = None) -> _questions._Question:
    return _questions._Question(pathlib.Path("/state"), ("key",), None, kind, None, answer, None)


@pytest.mark.parametrize(
    ("kinds", "kind", "asked"),
    [(("hll", "bloom"), None, "bloom"), (("bloom", "count-min"), None, "bloom"), (("hll", "count-min"), None, "count-min"),
     (("bloom", "count-min"), "count-min", "count-min"), (("bloom", "classic"), "classic", "classic"),
     (("bloom", "classic"), None, "a state of bloom, classic, expected kind=, one of these"),
     (("hll", "fm"), None, "a state of hll, fm, expected a filter or a kind that counts; ink.state"),
     (("bloom", "hll"), "hll", "a state of hll, expected a filter or"),
     (("bloom", "hll"), "top", "kind top, expected one of bloom, hll")],
)  # fmt: skip
def test_the_kind_that_answers_best_is_asked(kinds: tuple[str, ...], kind: str | None, asked: str) -> None:
    state = _state.State(Position(kinds=kinds), inkling.Sketches.from_bytes(bloom("a").to_bytes()))
    if asked in inkling.kinds():
        assert question(kind).kind_in(state) == asked
        return
    with pytest.raises(inkling.UsageError) as caught:
        question(kind).kind_in(state)
    assert str(caught.value).startswith(f"/state: {asked}")


def test_answers_are_called_by_what_they_are() -> None:
    assert [question().name_for(kind) for kind in ("bloom", "counting", "count-min")] == ["maybe", "maybe", "count"]
    assert question(answer="seen").name_for("bloom") == "seen"


def test_a_worker_opens_a_state_once_and_keeps_the_last_one_only() -> None:
    class Sent:
        def __init__(self, value: bytes) -> None:
            self.value = value

    keyed = inkling.Sketch("bloom", n=10, secret=b"s" * 16).add("a")
    shipped = []
    for sketch, secret in ((bloom("a"), None), (keyed, b"s" * 16)):
        whole = sketch.to_bytes()
        pieces: Any = (Sent(whole[:50]), Sent(whole[50:]))
        shipped.append(_questions.Shipped(sketch.digest, pieces, secret))
    first = shipped[0].sketches()
    assert first.contains("a") and shipped[0].sketches() is first
    assert shipped[1].sketches().contains("a") and list(_questions._opened) == [keyed.digest]
    assert b"ssss" not in repr(shipped[1]).encode() and "sssss" not in repr(question())


# ---- Windows --------------------------------------------------------------------------------------

MINUTE = 60_000_000


@pytest.mark.parametrize(
    ("given", "microseconds"),
    [("10 minutes", 10 * MINUTE), ("1 hour 30 seconds", 60 * MINUTE + 30_000_000),
     ("2 Weeks", 14 * 24 * 60 * MINUTE), ("5 milliseconds", 5000), ("1 day", 24 * 60 * MINUTE),
     (datetime.timedelta(seconds=1.5), 1_500_000)],
)  # fmt: skip
def test_durations(given: object, microseconds: int) -> None:
    assert _windows.duration("window", given) == microseconds


@pytest.mark.parametrize(
    "given", ["", " ", "10", "minutes", "1 month", "ten minutes", "-1 minute", "1 minute x", "1.5 hours"]
)
def test_what_is_no_duration_is_refused(given: str) -> None:
    with pytest.raises(inkling.UsageError, match="window .*, expected such as '10 minutes'"):
        _windows.duration("window", given)


def test_when_rows_are_late() -> None:
    window = _windows.Window("t", MINUTE, 3, 90_000_000)
    assert window.limit(None, None) is None
    assert window.limit(None, 10 * MINUTE + 5) == 8 * MINUTE  # the first batch: as the slots go
    assert window.limit(10 * MINUTE, 10 * MINUTE) == 10 * MINUTE - 90_000_000  # the watermark is nearer
    assert window.limit(10 * MINUTE, 20 * MINUTE) == 18 * MINUTE  # the slots are
    assert window.limit(-MINUTE - 1, -MINUTE - 1) == -2 * MINUTE - 30_000_001  # before 1970, too
    assert _windows.Window("t", MINUTE, 3, None).limit(7, 10 * MINUTE) == 8 * MINUTE


def test_slots_fall_out_whole() -> None:
    window = _windows.Window("t", MINUTE, 2, None)
    sketches = {("bloom", "g", slot * MINUTE): bloom() for slot in range(-3, 4)}
    assert [slot // MINUTE for _, _, slot in window.kept(sketches, 2 * MINUTE - 1)] == [0, 1, 2, 3]
    assert [slot // MINUTE for _, _, slot in window.kept(sketches, -1)] == [-2, -1, 0, 1, 2, 3]
    assert window.kept(sketches, None) == sketches
