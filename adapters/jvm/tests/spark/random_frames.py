"""Random DataFrames, whose sketches have the digests of `ink build` in any plan, and damaged sketches: a suite of torture.

    random_frames.py [--jar JAR] [--seconds S] [--seed N] [--state FILE] [--only CASE]

A case is drawn from the seed and its number: types, nulls, partitions, groups, a kind, and how Spark runs it; some run on 64
threads, some lose an executor, and a few are all tests of the Java library, with the sanitizers in it. The contract of a suite is
that of tests/torture/run_torture.py. check_spark_sql.py runs some cases, too. INK_BINARY_FOLDER is the folder of the build. A Python
without PySpark starts the one that the tests of Spark have.
"""

from __future__ import annotations

import argparse
import importlib.util
import logging
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[4]
BUILD = pathlib.Path(os.environ.get("INK_BINARY_FOLDER") or ROOT / "build")

if importlib.util.find_spec("pyspark") is None:
    environment = [sys.executable, "-B", ROOT / "scripts/python_env.py", ROOT / "adapters/spark/requirements-test.txt"]
    python = subprocess.run(environment, check=True, capture_output=True, text=True).stdout.strip()
    java = subprocess.run([ROOT / "scripts/java_home.sh"], check=True, capture_output=True, text=True).stdout.strip()
    # Cases are many short jobs: a Java that compiles quickly, not well, needs less time for them.
    os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    os.environ.update(JAVA_HOME=java, PYSPARK_PYTHON=python, SPARK_LOCAL_IP="127.0.0.1")
    os.execv(python, [python, "-B", *sys.argv])

from pyspark.sql import DataFrame, SparkSession  # noqa: E402

sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "adapters/spark/tests")]
from lost_executor import collect_and_lose  # noqa: E402
from spark_home import make_home  # noqa: E402

COMMAND = os.environ.get("INK_COMMAND") or str(BUILD / "ink")
CASES = 1000
REPORT_SECONDS = 5


@dataclass(frozen=True)
class Way:
    """Where Spark runs cases, in how many partitions of how many rows, and whether an executor is lost meanwhile."""

    master: str
    partitions: tuple[int, ...]
    rows: tuple[int, ...]
    loses: bool = False


TWO = Way("local[2]", (1, 2, 7), (0, 1, 50, 3000))
#: Each way has this number of cases in its turn.
TURN = 5
WAYS = (TWO, TWO, Way("local[64]", (64,), (3000, 60_000)), Way("local-cluster[2,1,512]", (40,), (3000, 20_000), loses=True))
#: Cases after which the JVM has all that it needs, and the kilobytes by which it may grow from then on.
WARM, GROWTH = TURN * len(WAYS), 400_000
#: Of this number of cases one is a run of all tests of the Java library: the last of the first turns of all ways.
LIBRARY_TESTS = 200

# A type of keys: the expression that makes one of a column `raw`, and the largest number it takes; texts have none.
TYPES = {
    "tinyint": ("cast(raw AS tinyint)", 127), "smallint": ("cast(raw AS smallint)", 32_767), "int": ("cast(raw AS int)", 2**31 - 1),
    "bigint": ("raw", 2**63 - 1), "date": ("date_from_unix_date(cast(raw AS int))", 100_000),
    "timestamp": ("timestamp_micros(raw)", 2**50), "timestamp_ntz": ("cast(timestamp_micros(raw) AS timestamp_ntz)", 2**50),
    "string": ("raw", None), "binary": ("cast(raw AS binary)", None),
}  # fmt: skip
# Aggregates, with their options here and on the command line.
KINDS = (
    ("bloom", "", []), ("bloom", "n=3e4, p=0.001", ["-n", "30000", "-p", "0.001"]), ("classic", "p=0.05", ["-p", "0.05"]),
    ("counting", "", []), ("fuse", "", []), ("hll", "precision=9", ["--precision", "9"]), ("theta", "precision=6", ["--precision", "6"]),
    ("count_min", "eps=0.01", ["--eps", "0.01"]),
)  # fmt: skip
# Settings of Spark, and what they may be: two groups in a hash table make it sort, and spill what it sorts.
SETTINGS = {
    "spark.sql.adaptive.enabled": ("true", "false"), "spark.sql.codegen.wholeStage": ("true", "false"),
    "spark.inkling.operator": ("true", "false"), "spark.sql.shuffle.partitions": ("1", "3", "8"),
    "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": ("128", "2"),
    "spark.sql.parquet.enableVectorizedReader": ("true", "false"),
}  # fmt: skip
ALPHABET = "abcdefé🌳 ,\"'\\\t"


def way_of(number: int) -> Way:
    """That of a case."""
    return WAYS[number // TURN % len(WAYS)]


def session(jar: str, master: str = TWO.master) -> SparkSession:
    """A Spark with the functions, in a heap that is not large, which spills what it sorts after 500 rows."""
    builder = SparkSession.builder.master(master).appName("inkling")
    settings = {
        "spark.jars": jar, "spark.driver.extraClassPath": jar, "spark.sql.extensions": "inkling.spark.Extensions",
        "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.sql.shuffle.partitions": "3",
        "spark.driver.memory": "512m", "spark.executor.memory": "512m", "spark.shuffle.spill.numElementsForceSpillThreshold": "500",
        "spark.sql.session.timeZone": "UTC",
    }  # fmt: skip
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    logging.disable()
    return spark


def built(kind: str, lines: Iterable[object], *options: str) -> str:
    """The digest of what the command makes of these lines."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "keys").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        command = [COMMAND, "build", kind.replace("_", "-"), folder / "keys", "-o", folder / "made.ink"]
        subprocess.run([*command, "--quiet", *options], check=True)
        digest = subprocess.run(
            [COMMAND, "info", "--digest", folder / "made.ink"],
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
    return digest.split()[0]


# ---- A case ---------------------------------------------------------------------------------------


@dataclass
class Case:
    """Rows of a key and a group, and what is made of them how."""

    type: str
    rows: list[tuple[Any, str | None]]
    partitions: int
    skewed: bool
    stored: bool
    grouped: bool
    kind: tuple[str, str, list[str]]
    settings: dict[str, str]


def drawn(seed: int, number: int) -> tuple[Case, random.Random]:
    """A case, and what draws the damage to its sketches."""
    chance, way = random.Random(f"{seed} {number}"), way_of(number)
    type_ = chance.choice(list(TYPES))
    most = TYPES[type_][1]

    def key() -> Any:
        if most is not None:
            return chance.choice((chance.randint(-most, most), chance.randint(0, 99)))
        return "".join(chance.choices(ALPHABET, k=chance.choice((0, 1, 5, 40))))

    groups = chance.choice(((None,), ("a", "b", None), tuple(map(str, range(9)))))
    nulls = chance.choice((0, 0.1, 0.9))
    count = chance.choice(way.rows)
    rows = [(None if chance.random() < nulls else key(), chance.choice(groups)) for _ in range(count)]
    settings = {name: chance.choice(values) for name, values in SETTINGS.items()}
    flags = [chance.random() < 0.5 for _ in range(3)]
    return Case(type_, rows, chance.choice(way.partitions), *flags, chance.choice(KINDS), settings), chance


def frame_of(spark: SparkSession, case: Case, folder: pathlib.Path) -> DataFrame:
    """Its rows in partitions of any size, which may come from Parquet as whole columns."""
    expression, most = TYPES[case.type]
    frame = spark.createDataFrame(case.rows, f"raw {'string' if most is None else 'bigint'}, part string")
    frame = frame.selectExpr(f"{expression} AS key", "part")
    frame = frame.repartition(case.partitions, *(["part"] if case.skewed else []))
    if not case.stored:
        return frame
    path = str(folder / "rows")
    frame.write.mode("overwrite").parquet(path)
    return spark.read.parquet(path)


def check_case(spark: SparkSession, seed: int, number: int) -> int:
    """How many executors were killed; AssertionError if a digest differs, or damaged bytes have an answer."""
    case, chance = drawn(seed, number)
    name, here, there = case.kind
    ints = [] if TYPES[case.type][1] is None else ["--key-type", "int"]
    parts: dict[str | None, list[Any]] = {part: [] for _, part in case.rows} if case.grouped else {None: []}
    for key, part in case.rows:
        if key is not None:
            parts[part if case.grouped else None].append(key)
    expected = {part: built(name, keys, *there, *ints) if keys else None for part, keys in parts.items()}
    for setting, value in case.settings.items():
        spark.conf.set(setting, value)
    try:
        with tempfile.TemporaryDirectory() as folder:
            frame_of(spark, case, pathlib.Path(folder)).createOrReplaceTempView("random_rows")
            part, group = ("part", "GROUP BY part") if case.grouped else ("cast(NULL AS string)", "")
            made = f"SELECT {part} AS part, ink_{name}(key, '{here}') AS sketch FROM random_rows {group}"
            asked = spark.sql(f"SELECT part, sketch, ink_digest(sketch) FROM ({made})")
            lost = way_of(number).loses
            found, killed = collect_and_lose(spark, asked, chance.choice((1, 5, 20))) if lost else (asked.collect(), 0)
    finally:
        for setting in case.settings:
            spark.conf.unset(setting)
    digests = {part: digest for part, _, digest in found}
    how = f"{case.type}, {case.kind}, {case.settings}"
    assert digests == expected and len(found) == len(expected), f"{how}: {digests}, expected {expected}"
    for _, sketch, _ in found[:1]:
        if sketch is not None:
            check_damage(spark, bytes(sketch), chance)
    return int(killed > 0)


def check_damage(spark: SparkSession, sketch: bytes, chance: random.Random) -> None:
    """A bit that is not what it was, or an end that is missing, is an error of ours."""
    changed = bytearray(sketch)
    if chance.random() < 0.5:
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    else:
        del changed[chance.randrange(len(changed)) :]
    call = chance.choice(("ink_info({})", "ink_merge({})", "ink_digest({})", "ink_union({0}, {0})"))
    frame = spark.createDataFrame([(changed,)], "s binary")
    try:
        answer = frame.selectExpr(call.format("s")).collect()
    except Exception as error:
        assert "ink_" in str(error), error
    else:
        raise AssertionError(f"{call} of damaged bytes gave {answer}")


def check_library() -> None:
    """AssertionError if a test of the Java library fails, 64 threads and sketches in a small heap among them, or the sanitizers report
    anything."""
    java = subprocess.run([ROOT / "scripts/java_home.sh", "javac"], check=True, capture_output=True, text=True).stdout.strip()
    tests = [sys.executable, "-B", ROOT / "adapters/jvm/tests/run_tests.py", BUILD / "jvm/sanitized/jvm/inkling.jar"]
    environment = os.environ | {"JAVA_HOME": java, "INK_COMMAND": COMMAND, "INK_SAN": "asan"}
    environment.pop("JDK_JAVA_OPTIONS", None)
    done = subprocess.run(tests, env=environment, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    wrong = [line for line in done.stdout.splitlines() if line.startswith(("not ok", "SUMMARY:"))]
    assert done.returncode == 0, "; ".join(wrong) or done.stdout[-400:]


# ---- The suite ------------------------------------------------------------------------------------


def resident(spark: SparkSession) -> int:
    """The kilobytes of the JVM, after a collection."""
    java: Any = spark._jvm
    java.java.lang.System.gc()
    status = pathlib.Path(f"/proc/{java.java.lang.ProcessHandle.current().pid()}/status").read_text(encoding="ascii")
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS:")).split()[1])


def main() -> None:
    """What `make torture TORTURE_ONLY=jvm` runs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--jar", default=str(BUILD / "jvm/inkling-spark-4.jar"))
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", type=pathlib.Path)
    parser.add_argument("--only", type=int, help="the number of a case")
    asked = parser.parse_args()
    number = int(asked.state.read_text()) if asked.state and asked.state.exists() else asked.only or 0
    end = CASES if asked.only is None else asked.only + 1
    failures = ran = faults = before = 0

    def report() -> None:
        print(f"torture: jvm cases {number} of {CASES} faults {faults} failures {failures}", flush=True)

    def fail(what: object) -> None:
        nonlocal failures
        failures += 1
        again = f"{sys.executable} {sys.argv[0]} --jar {asked.jar} --seed {asked.seed} --only {number}"
        print(f"torture: jvm FAILED case {number}: {' '.join(str(what).split())[:800]}; again: {again}", flush=True)

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # leaves no folder
    with tempfile.TemporaryDirectory(prefix="inkling-torture-", ignore_cleanup_errors=True) as folder:
        os.environ.update(make_home(pathlib.Path(folder)), SPARK_LOCAL_DIRS=f"{folder}/local")
        spark = session(asked.jar, way_of(number).master)
        try:
            began = said = time.monotonic()
            while number < end and not (asked.seconds and time.monotonic() - began >= asked.seconds):
                if spark.sparkContext.master != way_of(number).master:
                    spark.stop()
                    spark = session(asked.jar, way_of(number).master)
                try:
                    if number % LIBRARY_TESTS == WARM - 1:
                        check_library()
                    else:
                        faults += check_case(spark, asked.seed, number)
                except Exception as error:
                    fail(error)
                number, ran = number + 1, ran + 1
                if asked.state:
                    asked.state.write_text(str(number))
                if ran == WARM:
                    before = resident(spark)
                if time.monotonic() - said >= REPORT_SECONDS:
                    said = time.monotonic()
                    report()
            grown = resident(spark) - before if before else 0
            if grown > GROWTH:
                fail(f"the JVM grew by {grown} kB in {ran - WARM} cases, expected at most {GROWTH}")
            report()
        finally:
            spark.stop()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
