"""The SQL functions inside Spark, by the jar for the Spark that runs this: the list, digests, plans, errors.

    check_spark_sql.py JAR [FOLDER KILL_AFTER]

With a folder it runs the stream of one of the tests.
INK_COMMAND names the command whose digests are compared. Prints TAP and exits with the number of failures.
"""

from __future__ import annotations

import itertools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from pyspark.errors import AnalysisException

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "tests" / "cli"), str(pathlib.Path(__file__).parent)]
import random_frames  # noqa: E402
import tap  # noqa: E402
from random_frames import built  # noqa: E402

JAR = sys.argv.pop(1)
LIST = (ROOT / "adapters/sql/function_list.h").read_text(encoding="utf-8")
# Aggregates with their options here and on the command line.
KINDS = {
    "bloom": ("n=2e4, p=0.001", ["-n", "20000", "-p", "0.001"]),
    "classic": ("n=2e4", ["-n", "20000"]),
    "counting": ("", []),
    "fuse": ("p=0.001", ["-p", "0.001"]),
    "hll": ("precision=11", ["--precision", "11"]),
    "theta": ("precision=8", ["--precision", "8"]),
    "count_min": ("eps=0.001", ["--eps", "0.001"]),
}
ROWS = 20_000
FRAMES = 6
TEXT = "concat('Straße ', id * id % 7001, if(id % 3 = 0, '🌳', ''))"


# Stored as Parquet, partitions, adaptive execution, generated code, our operator.
PLANS = (
    (False, 1, "true", "true", "true"), (False, 7, "true", "false", "false"), (False, 7, "false", "true", "true"),
    (True, 7, "true", "true", "true"), (True, 2, "false", "false", "true"), (True, 2, "true", "true", "false"),
)  # fmt: skip
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="inkling-"))
SPARK = random_frames.session(JAR)

def rows(sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in SPARK.sql(sql).collect()]


def view(partitions: int, *, stored: bool = False) -> None:
    """Rows with an integer, a text and a group; every eleventh key is NULL in the columns with a hole. Stored, they are
    read from Parquet as whole columns."""
    frame = SPARK.range(0, ROWS, 1, partitions).selectExpr(
        "id * id % 9001 as number", f"{TEXT} as word", "id % 7 as part",
        f"if(id % 11 = 0, null, {TEXT}) as hole", "id", "cast(id % 5 as string) as name",
    )  # fmt: skip
    if stored:
        path = str(FOLDER / f"keys-{partitions}")
        if not os.path.exists(path):
            frame.write.parquet(path)
        frame = SPARK.read.parquet(path)
    frame.createOrReplaceTempView("keys")


def ran(sql: str) -> tuple[list[tuple[Any, ...]], str]:
    """What came of it, and the plan that ran, of adaptive execution too."""
    frame = SPARK.sql(sql)
    found = [tuple(row) for row in frame.collect()]
    text = str(frame._jdf.queryExecution().executedPlan().toString())
    return found, text.partition("== Initial Plan ==")[0]


def final_plan(sql: str) -> str:
    return ran(sql)[1]


def refused(sql: str, text: str, sort: type[Exception] = Exception) -> None:
    try:
        found = rows(sql)
    except sort as error:
        assert text in str(error), (sql, str(error)[:600])
    else:
        raise AssertionError(f"{sql}: found {found}, expected a refusal")


def the_functions_are_those_of_the_list() -> None:
    listed = re.findall(r'^FUNCTION\(\w+, "(\w+)", \w+, "([^"]*)"', LIST, re.M)
    expected = {name for name, forms in listed if not forms.startswith("P")}
    assert len(expected) > 25, expected
    found = {name for (name,) in rows("SHOW FUNCTIONS LIKE 'ink_*'")}
    assert found == expected, found ^ expected


def digests_are_those_of_the_command() -> None:
    """For integers and texts, NULL left out, whatever the partitions, the plan and its code; of one alone, too, whose state is
    its row."""
    view(1)
    columns = {
        "number": [row[0] for row in rows("SELECT number FROM keys")],
        "hole": [row[0] for row in rows("SELECT hole FROM keys WHERE hole IS NOT NULL")],
    }
    calls, expected = [], []
    for (kind, (here, there)), column in itertools.product(KINDS.items(), columns):
        calls.append(f"ink_digest(ink_{kind}({column}, '{here}'))")
        ints = ["--key-type", "int"] if column == "number" else []
        expected.append(built(kind, columns[column], *there, *ints))
    for (stored, partitions, adaptive, code, operator), call, digest in zip(PLANS, calls, expected):
        view(partitions, stored=stored)
        SPARK.conf.set("spark.sql.adaptive.enabled", adaptive)
        SPARK.conf.set("spark.sql.codegen.wholeStage", code)
        SPARK.conf.set("spark.inkling.operator", operator)
        query = f"SELECT {', '.join(calls)} FROM keys"
        (found,) = rows(query)
        assert list(found) == expected, (stored, partitions, adaptive, code, operator, found, expected)
        assert rows(f"SELECT {call} FROM keys") == [(digest,)], (call, stored, partitions)
        if partitions > 1:  # one alone is aggregated as a whole
            assert ("InkPartialAggregate" in final_plan(query)) == (operator == "true"), final_plan(query)
    SPARK.conf.set("spark.sql.adaptive.enabled", "true")
    SPARK.conf.set("spark.inkling.operator", "true")


def whole_columns_go_to_c() -> None:
    """Of a scan, with groups too; what has to be computed comes as rows, and what is not ours stays Spark's."""
    view(2, stored=True)
    for select, from_columns, ours in (
        ("ink_hll(word), ink_bloom(number) FROM keys", True, True),
        ("part, ink_hll(word) FROM keys GROUP BY part", True, True),
        ("name, ink_count_min(id, part) FROM keys GROUP BY name", True, True),
        ("ink_hll(upper(word)) FROM keys WHERE id > 5", False, True),
        ("ink_hll(word), count(*) FROM keys", False, False),
        ("ink_hll(word) FILTER (WHERE id > 5) FROM keys", False, False),
    ):
        plan = final_plan(f"SELECT {select}")
        found = "InkPartialAggregate" in plan, "ColumnarToRow" not in plan.partition("FileScan")[0]
        assert found == (ours, from_columns), (select, plan)


def many_groups_leave_in_parts() -> None:
    """A task that has had 65,536 groups gives them, and begins anew."""
    frame = SPARK.range(0, 280_000, 1, 2).selectExpr("id % 70000 as g", "cast(id % 70000 as string) as t", "id")
    frame.createOrReplaceTempView("groups")
    for group in ("g", "t", "g, t"):
        (found,) = rows(
            f"SELECT count(*), avg(d) FROM (SELECT {group}, ink_count_distinct(id, 'precision=8') d FROM groups "
            f"GROUP BY {group})"
        )
        assert found[0] == 70_000 and abs(found[1] - 4) < 0.05, (group, found)


def groups_have_a_filter_each_sized_by_their_keys() -> None:
    """Also where the hash table of groups is given up for sorting, after two groups."""
    view(5)
    words: dict[int, list[str]] = {}
    for part, word in rows("SELECT part, word FROM keys"):
        words.setdefault(part, []).append(word)
    expected = {part: (built("bloom", lines), built("hll", lines)) for part, lines in words.items()}
    for threshold, stored, operator in (("128", True, "true"), ("128", False, "false"), ("2", False, "false")):
        view(5, stored=stored)
        SPARK.conf.set("spark.sql.objectHashAggregate.sortBased.fallbackThreshold", threshold)
        SPARK.conf.set("spark.inkling.operator", operator)
        found = rows("SELECT part, ink_digest(ink_bloom(word)), ink_digest(ink_hll(word)) FROM keys GROUP BY part")
        assert {part: tuple(digests) for part, *digests in found} == expected, (threshold, stored, operator)
    SPARK.conf.set("spark.inkling.operator", "true")
    (merged,) = rows("SELECT ink_digest(ink_merge(h)) FROM (SELECT ink_hll(word) h FROM keys GROUP BY part)")
    assert merged == (built("hll", itertools.chain(*words.values())),)


def weights_and_groups_are_nulls_ones_and_anything() -> None:
    """With our operator and without: a weight of NULL adds nothing, and the first ones of a batch may be 1."""
    path = str(FOLDER / "weighted")
    SPARK.range(0, 6000, 1, 2).selectExpr(
        "if(id % 7 = 0, null, id % 40 - 20) AS whole", "cast(if(id % 5 = 0, null, id % 9) AS tinyint) AS tiny",
        "if(id % 3 = 0, null, date_add(date'1970-01-01', cast(id % 11 - 5 AS int))) AS day", "if(id % 2000 < 9, 1, id % 4) AS one",
        "if(id % 3 = 1, null, id) AS hole", "id",
    ).write.parquet(path)  # fmt: skip
    SPARK.read.parquet(path).createOrReplaceTempView("weighted")
    for group in ("whole", "tiny", "day", "tiny, day"):
        query = f"SELECT {group}, ink_digest(ink_hll(id)), ink_count(ink_count_min('k', one), 'k') FROM weighted GROUP BY {group}"
        found = sorted(rows(query), key=str)
        SPARK.conf.set("spark.inkling.operator", "false")
        assert found == sorted(rows(query), key=str), group
        SPARK.conf.set("spark.inkling.operator", "true")
        exact = rows(f"SELECT {group}, sum(one) FROM weighted GROUP BY {group}")
        assert {(*row[:-2], row[-1]) for row in found} == set(exact), group
    for operator in ("true", "false"):
        SPARK.conf.set("spark.inkling.operator", operator)
        for weight in ("one", "hole", "cast(hole AS smallint)"):
            found = rows(f"SELECT ink_count(ink_count_min('k', {weight}), 'k'), sum({weight}) FROM weighted")
            assert found[0][0] == found[0][1], (operator, weight, found)
    SPARK.conf.set("spark.inkling.operator", "true")


def keys_are_of_any_length() -> None:
    """Short ones are copied, long ones are not; a batch is full by its bytes, too, and one key may be more than it has room for."""
    lengths = (0, 1, 256, 257, 1000, 131_071, 131_072, 131_073, 1_000_000)
    SPARK.range(0, 4 * len(lengths), 1, 1).selectExpr(
        f"repeat(char(97 + id), array({', '.join(map(str, lengths))})[id % {len(lengths)}]) AS text",
    ).write.parquet(str(FOLDER / "lengths"))  # fmt: skip
    SPARK.read.parquet(str(FOLDER / "lengths")).createOrReplaceTempView("lengths")
    texts = [text for (text,) in rows("SELECT text FROM lengths")]
    assert {len(text) for text in texts} == set(lengths)
    expected = (built("bloom", texts), built("bloom", texts))
    assert rows("SELECT ink_digest(ink_bloom(text)), ink_digest(ink_bloom(cast(text AS binary))) FROM lengths") == [expected]
    made = "(SELECT ink_bloom(text, 'n=1000, p=1e-5') FROM lengths)"
    for key in ("text", "cast(text AS binary)", "substring(concat('?', text), 2)", "trim(concat(' ', text, ' '))"):
        asked = f"count_if(ink_contains({made}, {key})), count_if(ink_contains({made}, concat({key}, 'z')))"
        assert rows(f"SELECT {asked} FROM lengths") == [(len(texts), 0)], key
        assert rows(f"SELECT count(*) FROM lengths WHERE ink_contains({made}, {key})") == [(len(texts),)], key
    tuples = ", ".join(map(str, range(128)))
    assert rows(f"SELECT length(ink_tuple({tuples}))") == [(sum(4 + len(str(i)) for i in range(128)),)]
    refused(f"SELECT ink_tuple({tuples}, 128)", "more arguments than 128")


def many_groups_are_counted() -> None:
    found = rows("SELECT count(*), sum(d) FROM (SELECT id % 5000 g, ink_count_distinct(id) d FROM keys GROUP BY g)")
    assert found[0][0] == 5000 and abs(found[0][1] / ROWS - 1) < 0.01, found


def sketches_answer() -> None:
    (found,) = rows(
        "SELECT ink_distinct(ink_hll(id)), ink_count(ink_count_min(part), 3), ink_rate(ink_bloom(id)) < 0.02, "
        "ink_jaccard(ink_theta(id), ink_theta(id)), ink_contains(ink_bloom(ink_tuple(id, word)), ink_tuple(5, 'x')), "
        "ink_distinct(ink_hll(date'2026-01-01')), ink_version() FROM keys"
    )
    assert abs(found[0] / ROWS - 1) < 0.05 and found[1] >= ROWS // 7 and found[2] and found[3] == 1, found
    assert found[4] is False and found[5] == 1 and re.fullmatch(r"\d+\.\d+\.\d+", found[6]), found
    top = rows("SELECT explode(ink_top_keys(ink_top(part, id), 2)) FROM keys")
    sums = sorted(((sum(range(part, ROWS, 7)), str(part)) for part in range(7)), reverse=True)[:2]
    assert [(row[0].estimate, row[0].key) for row in top] == sums, top


# An expression over sketches of ids, of which a has 0 to 599, and b 300 to 899; and what it gives.
ANSWERS = {
    "ink_distinct(ink_union(a, b))": 900, "ink_distinct(ink_intersect(a, b))": 300, "ink_distinct(ink_difference(b, a))": 300,
    "round(ink_jaccard(a, b) * 9)": 3, "ink_distinct_low(a)": 600, "ink_distinct_high(b)": 600,
    "get_json_object(ink_overlap(a, b), '$.only_b')": "300", "get_json_object(ink_info(a), '$.kind')": "theta",
    "ink_digest(ink_union(a, b)) = ink_digest(ink_union(b, a))": True, "length(ink_digest(a))": 32,
    "ink_rate(ink_fold(f, 0.01)) <= 0.01 AND ink_rate(f) < 0.0001": True, "ink_rate(ink_fold(f, cast(0.3 AS float))) > 0.1": True,
    "ink_count(c, 'u7')": 1007, "ink_count_low(c, 'u7') <= 1007": True, "ink_count_high(c, 'u8')": 1008, "ink_count(c, 'none')": 0,
    "hex(ink_tuple('a', 'bc', 5))": "0100000061020000006263" "0100000035", "ink_tuple('a', null)": None,
    "size(ink_top_keys(t))": 10, "size(ink_top_keys(t, 3))": 3, "size(ink_top_keys(t, 9000000000000000000))": 100,
    "ink_top_keys(t, 2)[1].key": "u98", "ink_top_keys(t, 2)[1].low": 1098, "ink_top_keys(t, 2)[0].high": 1099,
    "ink_top_keys(cast(null AS binary), 2)": None, "ink_contains(f, 899) AND NOT ink_contains(f, 900)": True,
    "ink_digest(ink_merge(a) OVER ()) = ink_digest(a)": True,
}  # fmt: skip


def every_scalar_answers() -> None:
    made = (
        "(SELECT ink_theta(id) FROM range(600)) a, (SELECT ink_theta(id) FROM range(300, 900)) b, "
        "(SELECT ink_bloom(id, 'n=100000, p=0.00001') FROM range(900)) f, "
        "(SELECT ink_count_min(concat('u', id % 100), cast(if(id < 100, id + 1000, 0) AS int)) FROM range(900)) c, "
        "(SELECT ink_top(concat('u', id % 100), if(id < 100, id + 1000, 0)) FROM range(900)) t"
    )
    SPARK.sql(f"SELECT {made}").write.mode("overwrite").parquet(str(FOLDER / "answers"))
    SPARK.read.parquet(str(FOLDER / "answers")).createOrReplaceTempView("answers")
    (found,) = rows(f"SELECT {', '.join(ANSWERS)} FROM answers")
    assert dict(zip(ANSWERS, found, strict=True)) == ANSWERS, found
    files = "SELECT ink_digest(ink_file(h, {})) FROM (SELECT id % 3 AS g, ink_hll(id) AS h FROM range(9) GROUP BY id % 3)"
    assert rows(files.format("g")) == rows(files.format("cast(g AS string)")) != rows(files.format("if(g = 0, null, g)"))
    for call, text in {
        "ink_top_keys(t, 0)": "ink_top_keys: k 0, expected 1 or more", "ink_fold(f, 2)": "ink_fold: rate 2, expected",
        "ink_difference(f, f)": "ink_difference: ", "ink_union(a, f)": "ink_union: kinds differ: theta and bloom",
        "ink_count(c, 5)": "cast it: CAST(key AS STRING)", "ink_contains(f, 'x')": "cast it: CAST(key AS BIGINT)",
        "ink_count_min(1, -1)": "ink_count_min: found weight -1, expected 0 or more", "ink_top(1, 1.5, 'k=5')": "found decimal(2,1), expected an integer",
    }.items():  # fmt: skip
        refused(f"SELECT {call} FROM answers", text)


def filters_exclude_rows() -> None:
    """A subquery and a constant are opened once; no key is missed."""
    few = "SELECT ink_bloom(id, 'p=1e-4') FROM keys WHERE id % 100 = 0"
    (count,) = rows(f"SELECT count(*), count_if(id % 100 = 0) FROM keys WHERE ink_contains(({few}), id)")
    assert ROWS // 100 <= count[0] < ROWS // 100 + 30 and count[1] == ROWS // 100, count
    ((sketch,),) = rows(few)
    again = f"SELECT count(*) FROM keys WHERE ink_contains(X'{bytes(sketch).hex()}', id)"
    assert rows(again) == [(count[0],)]


def every_type() -> None:
    """Rows of a Parquet file with keys of several types, some of them NULL, beside columns of all other types."""
    SPARK.range(0, ROWS, 1, 2).selectExpr(
        "id", f"if(id % 11 = 0, null, {TEXT}) as word", "cast(if(id % 13 = 0, null, id % 999) as int) as number",
        "cast(id % 100 as smallint) as short", "cast(id % 50 as tinyint) as tiny", "cast(cast(id as string) as binary) as data",
        "timestamp_micros(id * 1000) as at", "date_add(date'2026-01-01', cast(id % 70 as int)) as day", "id % 3 = 0 as flag",
        "id / 7 as real", "cast(id / 3 as float) as float", "cast(id as decimal(9, 2)) as small",
        "cast(id as decimal(30, 4)) as large", "array(id, id + 1) as list", "named_struct('a', id, 'b', string(id)) as pair",
        "map('key', id) as pairs",
    ).write.parquet(str(FOLDER / "types"))  # fmt: skip
    SPARK.read.parquet(str(FOLDER / "types")).createOrReplaceTempView("types")


def filters_of_whole_columns_are_asked_at_once() -> None:
    """As often as there are such filters in the plan; the rows are those that are found one by one."""
    every_type()

    def asks(key: str, few: str = "id % 40 = 3") -> str:
        ((sketch,),) = rows(f"SELECT ink_bloom({key}, 'n=600') FROM types WHERE {few}")
        return f"ink_contains(X'{bytes(sketch).hex()}', {key})"

    cases = {
        **dict.fromkeys(map(asks, ("id", "word", "number", "short", "tiny", "data", "at", "day")), 1),
        f"id > 500 AND {asks('word')} AND real < 2000": 1,
        f"{asks('number')} AND {asks('data', 'id % 3 = 0')}": 2,
        "ink_contains((SELECT ink_fuse(number) FROM types WHERE id < 90), number) AND flag": 1,
        "ink_contains((SELECT ink_hll(word) FROM types WHERE id < 0), id)": 1,  # NULL
        asks("id", "true"): 1,
        asks("id", "id = 1"): 1,
        asks("upper(word)"): 0,
        f"NOT {asks('id')}": 0,
        f"{asks('id')} OR flag": 0,
        f"{asks('id')} AND rand(1) + id >= 0": 0,
    }
    one_by_one = ", ".join(f"coalesce({condition}, false)" for condition in cases)
    table = rows(f"SELECT *, {one_by_one} FROM types")
    width = len(table[0]) - len(cases)
    for i, (condition, count) in enumerate(cases.items()):
        SPARK.conf.set("spark.sql.adaptive.enabled", ("true", "false")[i % 2])
        found, plan = ran(f"SELECT {'id' if i else '*'} FROM types WHERE {condition}")
        assert plan.count("InkFilter ink_contains") == count, plan
        expected = [row[: 1 if i else width] for row in table if row[width + i]]
        assert found == expected and (found or "id < 0" in condition), (condition, len(found), len(expected))
    SPARK.conf.set("spark.sql.adaptive.enabled", "true")
    SPARK.conf.set("spark.inkling.operator", "false")
    assert "InkFilter" not in final_plan(f"SELECT id FROM types WHERE {asks('id')}")
    SPARK.conf.set("spark.inkling.operator", "true")
    plan = final_plan(f"SELECT ink_hll(word), ink_bloom(at) FROM types WHERE {asks('id')}")
    assert "InkPartialAggregate" in plan and "ColumnarToRow" not in plan.partition("FileScan")[0], plan
    refused(f"SELECT * FROM types WHERE {asks('id').replace(', id)', ', data)')}", "ink_contains: ")


def streams_know_their_sizes() -> None:
    """A filter that is sized by its keys is refused at analysis: those of a stream are never all there."""
    SPARK.readStream.format("rate").load().withWatermark("timestamp", "1 second").createOrReplaceTempView("ticks")
    for call, is_refused in (
        ("ink_bloom(value)", True), ("ink_classic(value, 'p=0.1')", True), ("ink_counting(value)", True),
        ("ink_fuse(value)", True), ("ink_distinct(ink_hll(value)) + length(ink_bloom(value))", True),
        ("ink_bloom(value, 'n=10')", False), ("ink_classic(value, 'n=10')", False), ("ink_hll(value)", False),
    ):  # fmt: skip
        for rest in ("GROUP BY window(timestamp, '10 seconds')", "GROUP BY value % 3", ""):
            query = f"SELECT {call} FROM ticks {rest}"
            if is_refused:
                refused(query, ": a filter of a stream without n, expected n= in the options")
            else:
                SPARK.sql(query)


def run_stream(folder: pathlib.Path, kill_after: int) -> None:
    """Windows of a stream of files, one in a batch, each with the digests of its sketches; kills Spark after KILL_AFTER."""
    arriving = SPARK.readStream.schema("at TIMESTAMP, word STRING").option("maxFilesPerTrigger", 1).json(str(folder / "in"))
    arriving.withWatermark("at", "1 minute").createOrReplaceTempView("arriving")
    made = SPARK.sql(
        "SELECT cast(window.start AS long) AS start, ink_digest(ink_hll(word)) AS hll, "
        "ink_digest(ink_bloom(word, 'n=500')) AS bloom FROM arriving GROUP BY window(at, '10 minutes')"
    )
    writer = made.writeStream.format("json").outputMode("append").option("checkpointLocation", str(folder / "state"))
    query = writer.option("path", str(folder / "out")).trigger(availableNow=True).start()
    while kill_after and not any(progress["batchId"] >= kill_after for progress in query.recentProgress):
        time.sleep(0.01)
    if kill_after:
        java: Any = SPARK._jvm
        os.kill(java.java.lang.ProcessHandle.current().pid(), signal.SIGKILL)
    query.awaitTermination()


def streams_have_the_digests_of_an_uninterrupted_run() -> None:
    """Windows with a watermark; Spark is killed twice, and goes on from its own store of states."""
    folder = FOLDER / "stream"
    (folder / "in").mkdir(parents=True)
    windows: dict[int, list[str]] = {}
    for number in range(6):
        lines = []
        for i in range(200):
            at, word = 1_800_000_000 + number * 400 + i, f"word {(number * 150 + i) % 700}"
            windows.setdefault(at - at % 600, []).append(word)
            lines.append(f'{{"at": "{time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))}", "word": "{word}"}}\n')
        (folder / "in" / f"{number}.json").write_text("".join(lines), encoding="utf-8")
        os.utime(folder / "in" / f"{number}.json", (number, number))
    # One row long after all others: their windows are closed.
    (folder / "in" / "6.json").write_text('{"at": "2030-01-01T00:00:00Z", "word": "end"}\n', encoding="utf-8")
    for kill_after in (1, 3, 0):
        done = subprocess.run([sys.executable, "-B", __file__, JAR, str(folder), str(kill_after)], check=False, capture_output=True)
        assert (done.returncode == 0) == (kill_after == 0), done.stderr[-800:]
    found = {row.start: (row.hll, row.bloom) for row in SPARK.read.json(str(folder / "out")).collect()}
    assert found == {
        start: (built("hll", words), built("bloom", words, "-n", "500")) for start, words in windows.items()
    }, found


def nothing_and_null_are_null() -> None:
    (found,) = rows("SELECT ink_hll(number), ink_count_distinct(number), ink_merge(null) FROM keys WHERE id < 0")
    assert found == (None, 0, None), found
    assert rows("SELECT ink_contains(null, 5), ink_distinct(ink_hll(x)) FROM (SELECT null AS x)") == [(None, None)]


def wrong_calls_are_refused_at_analysis() -> None:
    for sql, text in {
        "ink_hll(cast(id AS double))": "ink_hll: a key of type double",
        "ink_hll(array(id))": "ink_hll: a key of type array<bigint>",
        "ink_hll(id, 'precision=99')": "ink_hll: precision 99",
        "ink_hll(id, word)": "expected a constant text",
        "ink_bloom(id, 'nn=4')": "ink_bloom: ",
        "ink_distinct(id)": "ink_distinct: found bigint, expected a sketch",
    }.items():
        refused(f"SELECT {sql} FROM keys", text, AnalysisException)
    refused("SELECT ink_bloom() FROM keys", "ink_bloom")


def damaged_bytes_are_an_error_and_no_crash() -> None:
    ((sketch,),) = rows("SELECT ink_hll(word) FROM keys")
    data = bytearray(sketch)
    data[len(data) // 2] ^= 4
    for call in ("ink_distinct({})", "ink_merge({})", "ink_info({})", "ink_contains({}, 5)"):
        refused(f"SELECT {call.format(f'''X'{data.hex()}' ''')}", call.split("(")[0] + ": ")
        refused(f"SELECT {call.format('cast(word AS binary)')} FROM keys", call.split("(")[0] + ": ")
    refused("SELECT ink_hll(k) FROM (SELECT ink_contains(ink_bloom('x'), 5) AS k)", "")
    assert rows("SELECT ink_count_distinct(1)") == [(1,)]


def random_frames_have_the_digests_of_the_command() -> None:
    """The first cases of a suite of torture: any types, nulls, partitions, plans and spills; damaged sketches are refused."""
    for number in range(FRAMES):
        random_frames.check_case(SPARK, 1, number)


TESTS: tuple[Callable[[], None], ...] = (
    the_functions_are_those_of_the_list, digests_are_those_of_the_command, whole_columns_go_to_c, many_groups_leave_in_parts,
    groups_have_a_filter_each_sized_by_their_keys, weights_and_groups_are_nulls_ones_and_anything, keys_are_of_any_length,
    many_groups_are_counted, sketches_answer, every_scalar_answers,
    filters_exclude_rows,
    filters_of_whole_columns_are_asked_at_once, streams_know_their_sizes, streams_have_the_digests_of_an_uninterrupted_run,
    nothing_and_null_are_null, wrong_calls_are_refused_at_analysis, damaged_bytes_are_an_error_and_no_crash,
    random_frames_have_the_digests_of_the_command,
)  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) > 1:
        FOLDER.rmdir()
        run_stream(pathlib.Path(sys.argv[1]), int(sys.argv[2]))
        sys.exit(0)
    view(5)
    failures = tap.run(TESTS, f"ink-spark-{SPARK.version}-")
    SPARK.stop()
    shutil.rmtree(FOLDER)
    sys.exit(failures)
