#!/usr/bin/env python3
"""The commands that come with the lab for its job on a cluster: what they do with Spark and Hadoop, what they say without.

    check_cluster.py

Spark and Hadoop are played by small programs, so that this takes no time. With INK_LAB_SPARK or INK_LAB_HADOOP set to a
command, `ink lab --spark` or `--hadoop` runs it in earnest (`make test-lab-spark`). Prints a TAP line for each test and
exits with the number that failed.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
import tap  # noqa: E402

BINARIES = pathlib.Path(os.environ.get("INK_BINARY_FOLDER") or pathlib.Path(os.environ["INK_LIBRARY"]).parent).resolve()
CLUSTER = HERE.parent.parent / "lab" / "cluster"
ASKED = {"INK_LAB_FILE": "titles.tsv", "INK_LAB_RATE": "0.01", "INK_LAB_THREADS": "2"}
SECONDS = re.compile(r"\d+\.\d{3}\n")
PATIENCE = 600

# The fake programs tell what they were called with; FAKE_FAILS makes the one of this name fail.
FAKE_COMMAND = """#!/bin/sh
echo "${0##*/} $*" >> calls.txt
echo chatter
[ "${FAKE_FAILS:-}" != "${0##*/}" ]
"""
FAKE_PYSPARK = """
class SparkConf:
    def setIfMissing(self, name, value):
        open("calls.txt", "a").write(f"{name}={value}\\n")
        return self
    setAppName = lambda self, name: self
"""
FAKE_SQL = """
class Builder:
    config = lambda self, conf: self
    getOrCreate = lambda self: self
    stop = lambda self: None
class SparkSession:
    builder = Builder()
"""
FAKE_INKLING = """
import os, types
def build_files(spark, path, kind, **options):
    open("calls.txt", "a").write(f"build {path} {kind} {options['hash']} {options['p']} {options['by']}\\n")
    return types.SimpleNamespace(save=lambda path: None)
def verify_files(spark, path, filters):
    return types.SimpleNamespace(ok=os.environ.get("FAKE_FAILS") != "verify")
"""


def run(words, **environment):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("INK_", "HADOOP", "PYTHON"))}
    return subprocess.run([str(word) for word in words], env={**kept, **environment}, text=True, capture_output=True,
                          timeout=PATIENCE, check=False)


def calls():
    return pathlib.Path("calls.txt").read_text(encoding="utf-8").splitlines()


def says_one_line(ran, *words):
    assert ran.returncode != 0 and ran.stdout == "", (ran.returncode, ran.stdout)
    assert ran.stderr.count("\n") == 1 and all(word in ran.stderr for word in words), ran.stderr


# ---- Hadoop ---------------------------------------------------------------------------------------------------------

def fake_hadoop(*names):
    """A PATH with the usual programs of a script, and these of Hadoop."""
    os.makedirs("bin")
    for name in ("bash", "date", "sh"):
        os.symlink(shutil.which(name), f"bin/{name}")
    for name in names:
        path = pathlib.Path("bin", name)
        path.write_text(FAKE_COMMAND, encoding="utf-8")
        path.chmod(0o755)
    return os.path.abspath("bin")


def hadoop_brings_the_file_runs_two_jobs_and_leaves_nothing():
    ran = run([CLUSTER / "hadoop.sh"], PATH=fake_hadoop("hdfs", "ink-hadoop"), **ASKED)
    assert ran.returncode == 0 and SECONDS.fullmatch(ran.stdout), (ran.stdout, ran.stderr)
    called = calls()
    root = called[0].split()[-1]
    assert [call.split()[:3] for call in called] == [
        ["hdfs", "dfs", "-mkdir"], ["hdfs", "dfs", "-put"], ["ink-hadoop", "build", "classic"],
        ["ink-hadoop", "verify", f"{root}/filters"], ["hdfs", "dfs", "-rm"]], called
    assert called[1].endswith(f"titles.tsv {root}/titles.tsv") and "-p 0.01" in called[2], called


def hadoop_that_fails_fails_and_still_leaves_nothing():
    ran = run([CLUSTER / "hadoop.sh"], PATH=fake_hadoop("hdfs", "ink-hadoop"), FAKE_FAILS="ink-hadoop", **ASKED)
    assert ran.returncode != 0 and ran.stdout == "", (ran.returncode, ran.stdout)
    assert "-rm" in calls()[-1], calls()


def without_hadoop_one_line_says_what_is_missing():
    says_one_line(run([CLUSTER / "hadoop.sh"], PATH=fake_hadoop(), **ASKED), "ink-hadoop", "expected", "docs/hadoop.md")
    shutil.rmtree("bin")
    says_one_line(run([CLUSTER / "hadoop.sh"], PATH=fake_hadoop("ink-hadoop"), **ASKED), "no hdfs", "expected")
    shutil.rmtree("bin")
    says_one_line(run([CLUSTER / "hadoop.sh"], PATH=fake_hadoop("hdfs", "ink-hadoop")), "INK_LAB_FILE", "ink lab --hadoop")


# ---- Spark ----------------------------------------------------------------------------------------------------------

def fake_spark(modules):
    """A folder with these modules in the place of pyspark and inkling."""
    for name, text in modules.items():
        path = pathlib.Path("modules", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return os.path.abspath("modules")


def whole_spark():
    return fake_spark({"pyspark/__init__.py": FAKE_PYSPARK, "pyspark/sql.py": FAKE_SQL, "inkling/__init__.py": "",
                       "inkling/spark.py": FAKE_INKLING})


def spark_builds_and_verifies_on_as_many_threads_and_prints_the_seconds():
    ran = run([sys.executable, "-B", CLUSTER / "spark.py"], PYTHONPATH=whole_spark(), **ASKED)
    assert ran.returncode == 0 and SECONDS.fullmatch(ran.stdout), (ran.stdout, ran.stderr)
    assert "spark.master=local[2]" in calls() and "build titles.tsv classic mmh3 0.01 averageRating" in calls(), calls()


def spark_whose_filters_break_their_promise_fails():
    ran = run([sys.executable, "-B", CLUSTER / "spark.py"], PYTHONPATH=whole_spark(), FAKE_FAILS="verify", **ASKED)
    says_one_line(ran, "more false positives than promised")


def without_spark_one_line_says_what_is_missing():
    for missing in ("pyspark", "inkling"):
        folder = whole_spark()
        pathlib.Path(folder, missing, "__init__.py").write_text(f"raise ImportError(\"No module named '{missing}'\")",
                                                                encoding="utf-8")
        says_one_line(run([sys.executable, "-B", CLUSTER / "spark.py"], PYTHONPATH=folder, **ASKED), missing, "expected")
    says_one_line(run([sys.executable, "-B", CLUSTER / "spark.py"], PYTHONPATH=whole_spark()), "INK_LAB_FILE",
                  "ink lab --spark")


# ---- In earnest -----------------------------------------------------------------------------------------------------

def a_cluster_does_the_job_of_the_lab():
    given = [(option, os.environ[name]) for option, name in (("--spark", "INK_LAB_SPARK"), ("--hadoop", "INK_LAB_HADOOP"))
             if os.environ.get(name)]
    if not given:
        raise tap.Skipped("neither INK_LAB_SPARK nor INK_LAB_HADOOP is set")
    subprocess.run([BINARIES / "ink", "lab", "--quick", "-q", "--only", "001", "-o", "lab.html",
                    *(word for pair in given for word in pair)], check=True, timeout=PATIENCE)
    found = json.loads(pathlib.Path("lab.json").read_text(encoding="utf-8"))
    tables = [entry for part in found["experiments"][0]["parts"] for entry in part["found"] if entry.get("id") == "cluster"]
    assert len(tables) == 1 and len(tables[0]["rows"]) == 1, tables
    row = tables[0]["rows"][0]
    assert all(isinstance(cell, (int, float)) and cell > 0 for cell in row), row
    print(f"# {dict(zip((column['name'] for column in tables[0]['columns']), row))}")


TESTS = (hadoop_brings_the_file_runs_two_jobs_and_leaves_nothing,
         hadoop_that_fails_fails_and_still_leaves_nothing,
         without_hadoop_one_line_says_what_is_missing,
         spark_builds_and_verifies_on_as_many_threads_and_prints_the_seconds,
         spark_whose_filters_break_their_promise_fails,
         without_spark_one_line_says_what_is_missing,
         a_cluster_does_the_job_of_the_lab)

if __name__ == "__main__":
    sys.exit(tap.run(TESTS, "ink-lab-"))
