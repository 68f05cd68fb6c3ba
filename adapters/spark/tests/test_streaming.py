"""Sketches over streams: every row once, through all kills; windows, watermarks and questions."""

from __future__ import annotations

import datetime
import os
import pathlib
import random
import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow
import pytest
from conftest import Run
from streaming_kills import MASTER, Driver, digest_of, everything, python_workers, write_rows

import inkling
import inkling.spark as streaming

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NOW = {"availableNow": True}
NOON = datetime.datetime(2024, 5, 1, 12)
SCHEMA = "key string, group double, time timestamp, weight int"


class Files:
    """A folder of files that a stream reads one after another, and their rows."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.rows: list[tuple[Any, ...]] = []
        self.count = 0
        folder.mkdir()

    def add(self, *rows: tuple[Any, ...]) -> None:
        """One more file, for one more batch; None is a null."""
        lines = [",".join("" if cell is None else str(cell) for cell in row) for row in rows]
        path = self.folder / f"{self.count}.csv"
        path.write_text("".join(f"{line}\n" for line in lines))
        os.utime(path, (1e9 + self.count, 1e9 + self.count))  # Spark takes the oldest first
        self.rows += rows
        self.count += 1

    def stream(self, spark: SparkSession) -> DataFrame:
        return spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).csv(str(self.folder))

    def table(self, keep: Callable[[tuple[Any, ...]], bool] = lambda row: True) -> pyarrow.Table:
        rows = [(*row, *(None,) * (4 - len(row))) for row in self.rows if keep(row)]
        types = [pyarrow.string(), pyarrow.float64(), pyarrow.timestamp("us"), pyarrow.int32()]
        names = ["key", "group", "time", "weight"]
        return pyarrow.table(
            [pyarrow.array([row[at] for row in rows], kind) for at, kind in enumerate(types)], names=names
        )


@pytest.fixture
def files(tmp_path: pathlib.Path) -> Files:
    return Files(tmp_path / "in")


@pytest.fixture
def state_dir(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "state"


# ---- Every row once -------------------------------------------------------------------------------

KINDS = ["bloom", "classic", "counting", "count-min", "fm", "hll", "theta"]


def test_batch_by_batch_is_all_at_once(
    spark: SparkSession, files: Files, state_dir: pathlib.Path, ink: Run
) -> None:
    """All kinds whose bytes do not depend on order, by groups, in two runs, with what cannot be taken in."""
    files.add(*((f"k{number}", number % 3 / 2) for number in range(300)))
    files.add(*((f"k{number}", None) for number in range(200, 260)), (None, 1.0))
    options: Any = {"key": "key", "by": "group", "n": 500, "eps": 0.01}
    first = streaming.stream(files.stream(spark), KINDS, state_dir, trigger=NOW, **options)
    first.awaitTermination()
    files.add(*((f"k{number}", 7.25) for number in range(250, 270)))
    second = streaming.stream(files.stream(spark), KINDS, state_dir, trigger=NOW, **options)
    second.awaitTermination()
    assert second.id == first.id
    status = second.status
    assert (status.batch, status.records, status.nulls, status.late) == (2, 380, 1, 0)
    expected = inkling.build(files.table(), KINDS, **options)
    assert second.sketches().digest == expected.digest
    assert streaming.state(state_dir).groups == (None, "0", "0.5", "1", "7.25")
    assert ink("info", "--digest", state_dir / "state.ink").stdout.strip() == expected.digest
    assert (
        repr(second) == f"<inkling stream of {', '.join(sorted(KINDS))} in {state_dir}: batch 2, 380 records>"
    )


def test_kinds_that_depend_on_order_keep_their_bounds(
    spark: SparkSession, files: Files, state_dir: pathlib.Path
) -> None:
    counts = {f"k{number}": 400 // (number + 1) for number in range(100)}
    rows = [(key, 0, None, 1) for key, times in counts.items() for _ in range(times)]
    random.Random(8).shuffle(rows)
    for start in range(0, len(rows), 800):
        files.add(*rows[start : start + 800])
    query = streaming.stream(
        files.stream(spark), "top", state_dir, key="key", phi=0.05, weight="weight", trigger=NOW
    )
    query.awaitTermination()
    top = streaming.state(state_dir).sketch()
    assert top.records == len(rows)
    found = {item.key: item for item in top.top(100)}
    for key, times in counts.items():
        assert key in found or times <= len(rows) * 0.05, key
    for item in found.values():
        assert item.low <= counts[str(item.key)] <= item.high


def test_what_fails_is_raised_and_leaves_the_state_as_it_was(
    spark: SparkSession, files: Files, state_dir: pathlib.Path
) -> None:
    files.add(("a", 1, None, 2))
    files.add(("b", 1, None, -1))
    query = streaming.stream(
        files.stream(spark), "count-min", state_dir, key="key", weight="weight", trigger=NOW
    )
    with pytest.raises(inkling.InklingError, match='"weight" holds -1'):
        query.awaitTermination()
    assert isinstance(query.exception(), inkling.InklingError)
    assert query.status.batch == 0
    assert float(streaming.state(state_dir).sketch().count("a")) == 2
    # The folder is free, and the batch comes again.
    again = streaming.stream(
        files.stream(spark), "count-min", state_dir, key="key", weight="weight", trigger=NOW
    )
    with pytest.raises(inkling.InklingError, match='"weight" holds -1'):
        again.awaitTermination()


def test_filters_say_when_more_keys_came_than_were_planned_for(
    spark: SparkSession, files: Files, state_dir: pathlib.Path
) -> None:
    files.add(*((f"k{number}", 1) for number in range(10)), ("a", 2))
    files.add(*((f"l{number}", 1) for number in range(40)))
    query = streaming.stream(
        files.stream(spark), "bloom", state_dir, key="key", by="group", n=10, trigger=NOW
    )
    message = "the bloom of group '1' is wrong at a rate of .* now, above the 0.01 promised for 10 keys"
    with pytest.warns(streaming.PromiseWarning, match=message) as warned:
        query.awaitTermination()
    assert len(warned) == 1
    assert len(query.status.warnings) == 1
    full = streaming.state(state_dir)["1"]
    assert full.overfull  # and is all the same the filter of all keys
    with pytest.warns(inkling.PromiseWarning):
        whole = inkling.Sketch("bloom", n=10).add([f"k{i}" for i in range(10)] + [f"l{i}" for i in range(40)])
    assert full.digest == whole.digest


# ---- Windows --------------------------------------------------------------------------------------


def minutes(number: float) -> datetime.datetime:
    return NOON + datetime.timedelta(minutes=number)


def rows_of(state: inkling.Sketches) -> dict[Any, list[tuple[str, int]]]:
    """The slots of each group with their records, as times of the day."""
    found: dict[Any, list[tuple[str, int]]] = {}
    for group, slot, sketch in state.entries():
        assert slot is not None
        when = datetime.datetime.fromtimestamp(slot / 1e6, datetime.timezone.utc)
        found.setdefault(group, []).append((f"{when:%H:%M}", sketch.records))
    return found


def test_a_window_moves_and_late_rows_are_left_out(
    spark: SparkSession, files: Files, state_dir: pathlib.Path
) -> None:
    files.add(("a", 1, minutes(0)), ("b", 1, minutes(4.5)), ("c", None, minutes(2)), ("d", 7.5, minutes(-10)))
    files.add(("e", 1, minutes(2.4)), ("f", 1, minutes(2.5)), ("g", 1, None), (None, 1, minutes(4)))
    files.add(("h", 1, minutes(6)), ("i", 7.5, minutes(5)), ("j", 1, minutes(3)))
    frame = files.stream(spark).withWatermark("time", "2 minutes")
    options: Any = {"key": "key", "by": "group", "n": 100}
    query = streaming.stream(frame, "bloom", state_dir, window="5 minutes", slots=5, trigger=NOW, **options)
    query.awaitTermination()
    # Batch 0: the window ends with 12:04, so that 11:50 is late. Batch 1: the watermark is 12:02:30. Batch 2:
    # it is the same; 12:00 and 12:01 fall out.
    assert rows_of(streaming.state(state_dir)) == {
        None: [("12:02", 1)],
        "1": [("12:02", 1), ("12:03", 1), ("12:04", 1), ("12:06", 1)],
        "7.5": [("12:05", 1)],
    }
    status = query.status
    assert (status.records, status.nulls, status.late) == (7, 2, 2)
    assert status.watermark == minutes(4).replace(tzinfo=datetime.timezone.utc)
    kept = files.table(lambda row: row[0] in set("bcfhij"))
    for group in (None, "1", "7.5"):
        assert streaming.state(state_dir)[group].digest == inkling.build(kept, **options)[group].digest
    with pytest.raises(
        inkling.MismatchError, match="time slots of 60 seconds, but no time slots are asked for now"
    ):
        streaming.stream(frame, "bloom", state_dir, **options)


def test_groups_of_windows_are_called_as_groups_are(spark: SparkSession) -> None:
    """Every type that a group may have, and no group: both come back from what rows are built by."""
    from pyspark.sql import functions as F

    from inkling.spark import _windows

    number = F.col("id") / 4 - 1
    time = F.timestamp_micros(F.col("id") * 999_999_937 - 3_000_000_000)
    types = {
        "text": F.concat(F.lit("~"), number.cast("string")),
        "binary": F.unhex(F.concat(F.lit("ff0"), F.col("id").cast("string"))),
        "whole": F.col("id").cast("short"),
        "double": number / 3,
        "large": number * 1e20,
        "float": (number / 3).cast("float"),
        "yes": number > 0,
        "day": time.cast("date"),
        "moment": time,
        "local": time.cast("timestamp_ntz"),
    }
    rows = spark.range(9).select(
        F.col("id"),
        time.alias("time"),
        *(F.when(F.col("id") != 8, group).alias(name) for name, group in types.items()),
    )
    labels = [_windows._slot_and_group(rows, F.col("id") * 60 - 120, name).alias(name) for name in types]
    alone = _windows._slot_and_group(rows, F.col("id") * 60 - 120, None)
    found = rows.select(*labels, alone.alias("alone")).collect()
    table = rows.toArrow()
    for name in types:
        kind = rows.schema[name].dataType
        pairs = [_windows.slot_and_group(bytes(row[name]), kind) for row in found]
        expected = inkling.build(table, "hll", key="id", by=name)
        assert {group for _, group in pairs} == set(expected), name
        assert [slot for slot, _ in pairs] == list(range(-120, 420, 60))
    assert [_windows.slot_and_group(bytes(row["alone"]), None) for row in found] == [
        (slot, inkling.WHOLE) for slot in range(-120, 420, 60)
    ]


# ---- Questions ------------------------------------------------------------------------------------


def test_questions_are_answered_from_the_last_state(
    spark: SparkSession, files: Files, state_dir: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    """Before the first batch, after it, by group, in time slots; each batch of questions from one state."""
    from pyspark.sql import functions

    questions = Files(tmp_path / "questions")
    questions.add(("a", 1), ("b", 1), (None, 1))
    answers: list[list[tuple[Any, ...]]] = []

    def keep(df: DataFrame, batch: int) -> None:
        assert batch == len(answers)
        answers.append([(row["key"], row["maybe"]) for row in df.orderBy("key").collect()])

    train = files.stream(spark)
    streaming.stream(train, "bloom", state_dir, key="key", by="group", n=100).stop()
    asking = streaming.ask(questions.stream(spark), state_dir, key="key", sink=keep)
    asking.processAllAvailable()
    files.add(("a", 1), ("c", 2))
    streaming.stream(train, "bloom", state_dir, key="key", by="group", n=100, trigger=NOW).awaitTermination()
    questions.add(("a", 1), ("b", 1))
    asking.processAllAvailable()
    asking.stop()
    assert answers == [[(None, False), ("a", False), ("b", False)], [("a", True), ("b", False)]]

    by_group: list[Any] = []
    own = streaming.ask(
        questions.stream(spark).withColumn("other", functions.lit("2")), state_dir, key="key", by="other",
        answer="seen", sink=lambda df, batch: by_group.append(df.where("seen").count()), trigger=NOW,
    )  # fmt: skip
    own.awaitTermination()
    assert by_group == [0, 0]


def test_counts_are_asked_of_a_window(spark: SparkSession, files: Files, state_dir: pathlib.Path) -> None:
    files.add(*(("a", 1, minutes(number)) for number in range(4)), ("b", 2, minutes(3)))
    counts: dict[Any, list[float]] = {}
    train = files.stream(spark)
    options: Any = {"key": "key", "window": "4 minutes", "slots": 4, "time": "time"}
    streaming.stream(train, "count-min", state_dir, trigger=NOW, **options).awaitTermination()
    for last in (None, 2):

        def keep(df: DataFrame, batch: int, last: int | None = last) -> None:
            rows = df.select("key", "count.estimate").distinct().orderBy("key").collect()
            counts[last] = [row["estimate"] for row in rows]

        streaming.ask(train, state_dir, key="key", last=last, sink=keep, trigger=NOW).awaitTermination()
    assert counts == {None: [4, 1], 2: [2, 1]}


# ---- What is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [("bloom", {"key": "key"}, "bloom without n, expected n, the different keys of the whole stream"),
     ("hll,counting", {"key": "key", "window": "1 hour", "time": "time"}, "counting without n.* window"),
     ("scalable", {"key": "key"}, "scalable .*cannot be built in parts"),
     ("fuse", {"key": "key"}, "a stream of fuse, which never changes, expected bloom"),
     ("hll,fuse", {"key": "key", "n": 7, "window": "1 hour", "time": "time"}, "a stream of fuse"),
     ("nothing", {"key": "key"}, "nothing"),
     ("hll", {"key": "kee"}, "no column \"kee\", expected one of \"key\""),
     ("hll", {"key": "group"}, "double"),
     ("hll", {"key": "key", "by": "grup"}, "no column \"grup\""),
     ("hll", {"key": "key", "n": 7}, "n is not for hll"),
     ("hll", {"key": "key", "slots": 3}, "slots without window"),
     ("hll", {"key": "key", "watermark": "1 day"}, "watermark without window"),
     ("hll", {"key": "key", "window": "1 hour"}, "window without time and no column with a watermark"),
     ("hll", {"key": "key", "window": "1 hour", "time": "key"}, "time column 'key' of type string"),
     ("hll", {"key": "key", "window": "1 hour", "time": "when"}, "no column \"when\""),
     ("hll", {"key": "key", "window": "1 hour", "time": "time", "slots": 7}, "slots of whole microseconds"),
     ("hll", {"key": "key", "window": "1 hour", "time": "time", "slots": 0}, "slots 0, expected 1 to"),
     ("hll", {"key": "key", "window": "1 hour", "time": "time", "by": "group", "round": "half-up"}, "round"),
     ("hll", {"key": "key", "state_dir": "s3a://b/x"}, "s3a://b/x, expected a folder on a disk of the")],
)  # fmt: skip
def test_options_that_do_not_fit_are_refused_before_anything_starts(
    spark: SparkSession, files: Files, state_dir: pathlib.Path, kind: str, options: dict[str, Any], message: str
) -> None:
    where = options.pop("state_dir", state_dir)
    with pytest.raises((inkling.UsageError, inkling.UnsupportedError), match=message):
        streaming.stream(files.stream(spark), kind, where, **options)
    assert not state_dir.exists()


def test_sources_that_lose_rows_are_refused(spark: SparkSession, state_dir: pathlib.Path) -> None:
    socket = spark.readStream.format("socket").option("host", "127.0.0.1").option("port", 9).load()
    with pytest.raises(
        inkling.UsageError, match="a stream from a socket, whose rows are lost.*land in files"
    ):
        streaming.stream(socket, "hll", state_dir, key="value")
    with pytest.raises(inkling.UsageError, match="no stream, expected one of spark.readStream"):
        streaming.stream(spark.range(3), "hll", state_dir, key="id")
    with pytest.raises(inkling.UsageError, match="no stream"):
        streaming.ask(spark.range(3), state_dir, key="id", sink=lambda df, batch: None)


def test_two_watermarks_are_refused(spark: SparkSession, files: Files, state_dir: pathlib.Path) -> None:
    frame = files.stream(spark).withWatermark("time", "1 minute")
    with pytest.raises(inkling.UsageError, match="watermark '2 minutes', but the stream has withWatermark"):
        streaming.stream(frame, "hll", state_dir, key="key", window="1 hour", watermark="2 minutes")


def test_a_state_goes_with_its_checkpoint_its_options_and_one_query(
    spark: SparkSession, files: Files, state_dir: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    train = files.stream(spark)
    begin: Any = lambda **options: streaming.stream(  # noqa: E731
        train, options.pop("kind", "bloom"), state_dir, **{"key": "key", "n": 9, "trigger": NOW, **options}
    )
    files.add(("a", 1))
    first = streaming.stream(train, "bloom", state_dir, key="key", n=9)
    with pytest.raises(inkling.UsageError, match=f"in use by process {os.getpid()} on "):
        begin()
    first.processAllAvailable()
    first.stop()
    with pytest.raises(inkling.MismatchError, match=r"the state's bloom has n 9, but 10 is asked for now"):
        begin(n=10)
    with pytest.raises(inkling.MismatchError, match=r"has kinds bloom, but kinds hll are asked for now"):
        begin(kind="hll", n=None)
    checkpoint, kept = state_dir / "checkpoint", tmp_path / "kept"
    shutil.move(checkpoint, kept)
    with pytest.raises(inkling.MismatchError, match=f"of query {first.id}, but .* was removed"):
        begin()
    (state_dir / "state.ink").rename(tmp_path / "state.ink")
    other = begin()
    other.awaitTermination()
    (tmp_path / "state.ink").rename(state_dir / "state.ink")
    with pytest.raises(
        inkling.MismatchError, match=f"of query {first.id}, .* of query {other.id}: it was replaced"
    ):
        begin()
    shutil.rmtree(checkpoint)
    shutil.move(kept, checkpoint)
    begin().awaitTermination()  # as if nothing had been


def test_a_state_and_a_checkpoint_of_different_times_are_refused(
    spark: SparkSession, files: Files, state_dir: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    """Rows would be lost, some of them silently, or there would be none to report."""

    def begin() -> streaming.Stream:
        running = streaming.stream(files.stream(spark), "bloom", state_dir, key="key", n=9, trigger=NOW)
        running.awaitTermination()
        return running

    files.add(("a", 1))
    begin()
    shutil.copytree(state_dir, tmp_path / "before")
    files.add(("b", 1))
    begin()
    file, checkpoint = state_dir / "state.ink", state_dir / "checkpoint"
    newer, older = tmp_path / "newer", tmp_path / "before" / "checkpoint"
    shutil.move(checkpoint, newer)
    shutil.copytree(older, checkpoint)
    files.add(("c", 1))  # which would come as batch 1 now, together with b
    with pytest.raises(
        inkling.MismatchError, match="ends with batch 1, but the checkpoint with batch 0: other rows"
    ):
        begin()
    shutil.rmtree(checkpoint)
    shutil.copytree(newer, checkpoint)
    kept = file.read_bytes()
    shutil.copy(tmp_path / "before" / "state.ink", file)
    with pytest.raises(
        inkling.MismatchError, match="ends with batch 0, but the checkpoint with batch 1: rows between"
    ):
        begin()
    file.unlink()
    with pytest.raises(
        inkling.MismatchError, match="ends with no batch, but the checkpoint with batch 1: rows betw"
    ):
        begin()
    assert not file.exists()
    file.write_bytes(kept)
    assert begin().status.records == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [({"key": "time"}, "columns key=key, but columns key=time"),
     ({"key": ["key", "weight"]}, "columns key=key, but columns key=key, key=weight"),
     ({"by": "group"}, "columns key=key, but columns key=key, by=group"),
     ({"by": "group", "round": "half-up"}, "columns key=key, but columns key=key, by=group, round=half-up"),
     ({"weight": "weight", "kind": "count-min", "n": None}, "kinds bloom, but kinds count-min")],
)  # fmt: skip
def test_other_columns_than_before_are_refused(
    spark: SparkSession, files: Files, state_dir: pathlib.Path, options: dict[str, Any], message: str
) -> None:
    """Keys of two columns would be in one sketch, unnoticed."""

    def begin(kind: str = "bloom", **given: Any) -> None:
        options = {"key": "key", "n": 9, "trigger": NOW, **given}
        streaming.stream(files.stream(spark), kind, state_dir, **options).awaitTermination()

    files.add(("a", 1, NOON, 1))
    begin()
    with pytest.raises(inkling.MismatchError, match=f"the state has {message} are asked for now"):
        begin(**options)


def test_options_count_from_the_first_batch_on(
    spark: SparkSession, files: Files, state_dir: pathlib.Path
) -> None:
    train = files.stream(spark)
    with pytest.raises(Exception, match="soon"):
        streaming.stream(train, "bloom", state_dir, key="key", n=9, trigger="soon")
    files.add(("a", 1))
    running = streaming.stream(train, "bloom", state_dir, key="key", by="group", n=90, trigger=NOW)
    running.awaitTermination()
    assert running.sketches()[1].info.keys == 90


def test_what_cannot_be_a_stream_a_folder_or_a_sink_is_refused(
    spark: SparkSession, files: Files, state_dir: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    train, nothing = files.stream(spark), tmp_path / "nothing"
    nothing.touch()
    wrong: Any = "in"
    with pytest.raises(TypeError, match="a stream of type str, expected a DataFrame of spark.readStream"):
        streaming.stream(wrong, "hll", state_dir, key="key")
    with pytest.raises(inkling.FileError, match="nothing: cannot be made: File exists"):
        streaming.stream(train, "hll", nothing, key="key")
    with pytest.raises(inkling.FileError, match="nothing/x: cannot be made: Not a directory"):
        streaming.stream(train, "hll", nothing / "x", key="key")
    with pytest.raises(inkling.FileError, match="^strange://x/c: cannot be read: .*strange[^\n]*$"):
        streaming.stream(train, "hll", state_dir, key="key", checkpoint="strange://x/c")
    streaming.stream(train, "hll", state_dir, key="key").stop()
    with pytest.raises(TypeError, match="sink of type str, expected a function of a DataFrame and a number"):
        streaming.ask(train, state_dir, key="key", sink=wrong)


def test_questions_that_do_not_fit_are_refused(
    spark: SparkSession, files: Files, state_dir: pathlib.Path
) -> None:
    train = files.stream(spark)
    sink: Any = lambda df, batch: None  # noqa: E731
    with pytest.raises(inkling.NotFoundError, match="no state.ink, expected the state_dir of a stream"):
        streaming.ask(train, state_dir, key="key", sink=sink)
    streaming.stream(train, "bloom,classic,hll", state_dir, key="key", n=9).stop()
    for options, message in (
        ({"key": "kee", "kind": "bloom"}, 'no column "kee"'),
        ({"key": "key"}, "a state of bloom, classic, expected kind="),
        ({"key": "key", "kind": "top"}, "kind top, expected one of bloom, classic, hll"),
        ({"key": "key", "kind": "hll"}, "a state of hll, expected a filter or a kind that counts"),
        ({"key": "key", "kind": "bloom", "answer": "time"}, "have a column 'time' already"),
    ):
        given: Any = options
        with pytest.raises(inkling.UsageError, match=message):
            streaming.ask(train, state_dir, sink=sink, **given)


# ---- Kills ----------------------------------------------------------------------------------------


def test_three_kills_change_nothing(tmp_path: pathlib.Path, environment: dict[str, str]) -> None:
    """The driver dies between its commit and Spark's, then anywhere; then its workers die."""
    source, state = tmp_path / "in", tmp_path / "state"
    write_rows(source, files=7)
    first = Driver(environment, MASTER, source, state, dies_after="1")
    assert first.end() == -9 and first.saved == ["None", "0", "1"], first.failed()

    second = Driver(environment, MASTER, source, state)
    assert second.next_save() and second.saved == ["2"], second.failed()  # and batch 1 not again
    assert second.run_on(random.uniform(0, 1))
    assert second.kill(everything)
    assert second.end() != 0

    third = Driver(environment, MASTER, source, state)
    assert third.next_save(), third.failed()
    assert third.kill(python_workers)
    assert third.end() == 0, third.failed()
    assert streaming.state(state).digest == digest_of(source)
    assert [path.name for path in sorted(state.iterdir())] == ["checkpoint", "lock", "state.ink"]
