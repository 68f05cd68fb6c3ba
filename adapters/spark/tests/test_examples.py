"""Runs the programs of examples/spark as a user does: with spark-submit, on small data."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import inkling

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = sorted((ROOT / "examples" / "spark").glob("*.py"))

Submit = Callable[..., str]


@pytest.fixture
def submit(environment: dict[str, str], tmp_path: pathlib.Path) -> Submit:
    """submit(program, words...) gives what the program printed."""

    def run(program: str, *words: object) -> str:
        settings = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.shuffle.partitions": "2",
            "spark.driver.host": "127.0.0.1",
            "spark.local.dir": str(tmp_path / "local"),
        }
        command = [
            os.path.join(environment["SPARK_HOME"], "bin", "spark-submit"), "--master", "local[2]",
            "--driver-memory", "1g", *(f"--conf={name}={value}" for name, value in settings.items()),
            str(ROOT / "examples" / "spark" / program), *map(str, words),
        ]  # fmt: skip
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, text=True, capture_output=True, stdin=subprocess.DEVNULL,
            timeout=240, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def lines_of(folder: pathlib.Path) -> list[str]:
    """All lines of the text files that Spark wrote below a folder."""
    return sorted(line for path in folder.glob("**/part-*.txt") for line in path.read_text().splitlines())


@pytest.fixture
def table(tmp_path: pathlib.Path) -> pathlib.Path:
    """Every hundredth of the titles that IMDb had, with all ratings."""
    whole, some = tmp_path / "whole.tsv", tmp_path / "title.ratings.tsv"
    inkling.generate("imdb", whole)
    with open(whole, "rb") as rows, open(some, "wb") as out:
        out.writelines(row for number, row in enumerate(rows) if number % 100 == 0)
    return some


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda path: path.name)
def test_an_example_says_what_it_takes(program: pathlib.Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, str(program), "--help"], env=environment, text=True, capture_output=True, check=False
    )
    assert done.returncode == 0 and "spark-submit " + program.name in done.stdout, done.stderr


def test_ratings_makes_the_filters_that_the_command_makes(
    submit: Submit, table: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    said = submit("ratings.py", table.as_uri(), "-o", tmp_path / "ratings.ink", "--textbook").splitlines()
    reading: Any = {"header": True, "key": "tconst", "by": "averageRating", "round": "half-even"}
    alone = inkling.build(table, "classic", hash="mmh3", p=0.01, **reading)
    assert inkling.open(tmp_path / "ratings.ink").digest == alone.digest
    assert said[-1] == str(inkling.verify(alone, table, **reading).summary)
    rows = [line.split() for line in said[1:-1]]
    assert [row[0] for row in rows] == [str(rating) for rating in range(1, 11)]
    assert sum(int(row[1].replace(",", "")) for row in rows) == alone.built.records == 12608


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("bloom", ["10001", "10599"]),
        pytest.param("count-min", ["10001\t1", "10599\t1", "20001\t0"], marks=pytest.mark.long),
    ],
)
def test_two_streams_answer_what_was_trained(
    submit: Submit, tmp_path: pathlib.Path, kind: str, expected: list[str]
) -> None:
    train, ask = tmp_path / "train", tmp_path / "ask"
    train.mkdir()
    ask.mkdir()
    (train / "1.txt").write_text("".join(f"10{i:03}\n" for i in range(500)))
    (train / "2.txt").write_text("".join(f"10{i:03}\n" for i in range(400, 600)))
    (ask / "1.txt").write_text("10001\n20001\n10599\n10001\n")
    state, answers = tmp_path / "state", tmp_path / "answers"
    said = submit(
        "two_streams.py", "--train", train, "--ask", ask, "--state", state, "--answers", answers,
        "--kind", kind, "--once",
    )  # fmt: skip
    assert said.startswith("700 keys so far"), said
    assert lines_of(answers) == expected


@pytest.mark.long
def test_a_bloom_join_has_the_rows_of_a_join(submit: Submit, tmp_path: pathlib.Path) -> None:
    big, small, out = tmp_path / "big.csv", tmp_path / "small.csv", tmp_path / "joined.parquet"
    big.write_text("user,order\n" + "".join(f"u{i % 1000},{i}\n" for i in range(5000)))
    small.write_text("user,name\n" + "".join(f"u{i},name {i}\n" for i in range(0, 2000, 100)))
    said = submit("bloom_join.py", big, small, "--on", "user", "-o", out)
    rows, passed, joined = (int(word.replace(",", "")) for word in said.split() if word[0].isdigit())
    assert (rows, joined) == (5000, 50) and 50 <= passed < 250

    import pyarrow.parquet

    found = pyarrow.parquet.read_table(out).to_pydict()
    expected = [(f"u{i % 1000}", str(i), f"name {i % 1000}") for i in range(5000) if i % 100 == 0]
    assert sorted(zip(found["user"], found["order"], found["name"])) == sorted(expected)
