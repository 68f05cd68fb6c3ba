"""Streams under dozens of kills: after each the state is that of whole batches, each of them once."""

from __future__ import annotations

import pathlib
import random
from collections.abc import Callable

import pytest
from streaming_kills import (
    MASTER,
    ROWS,
    Driver,
    digest_of,
    everything,
    java_driver,
    java_executors,
    python_driver,
    python_workers,
    write_rows,
)

from inkling.spark._state import read_state

pytestmark = pytest.mark.long

#: Kills of one run; there are ten runs.
KILLS = 5
EXECUTOR_KILLS = 5

WAYS = [everything, python_driver, java_driver, python_workers]


def check(source: pathlib.Path, state: pathlib.Path) -> tuple[int, int]:
    """How many batches and files are in the state, which is whole, and that of exactly these.

    A batch has one file; or more, if drivers died when Spark had noted a file, but not yet the batch for it.
    """
    found = read_state(state)
    if found is None or found.position.batch is None:
        return 0, 0
    batches, (taken, rest) = found.position.batch + 1, divmod(found.position.records, ROWS)
    assert rest == 0 and batches <= taken
    assert found.sketches.digest == digest_of(source, taken)
    return batches, taken


def kill_once(driver: Driver, way: Callable[[str], bool], chance: random.Random) -> bool:
    """Kills part of a driver at any moment, while it starts, works or saves; False if it was not there."""
    for _ in range(chance.randrange(3)):
        driver.next_save()
    driver.run_on(chance.uniform(0, 1) if driver.saved else chance.uniform(0, 8))
    return driver.kill(way, most=None if way is everything else 1) > 0


@pytest.mark.parametrize("seed", range(10))
def test_kills_change_nothing(tmp_path: pathlib.Path, environment: dict[str, str], seed: int) -> None:
    """The driver, half of it or its workers die, again and again; or between its commit and Spark's."""
    source, state = tmp_path / "in", tmp_path / "state"
    chance = random.Random(seed)
    kills = files = batches = taken = 0
    while kills < KILLS:
        write_rows(source, files=4)
        files += 4
        way = chance.choice([None, *WAYS])
        if way is None:
            driver = Driver(environment, MASTER, source, state, dies_after=str(batches + chance.randrange(3)))
            assert driver.end() == -9, driver.failed()
            kills += 1
        else:
            driver = Driver(environment, MASTER, source, state)
            kills += kill_once(driver, way, chance)
            if way is python_workers:  # which others replace
                driver.next_save()
                kills += driver.kill(everything) > 0
            driver.end()
        before = batches, taken
        batches, taken = check(source, state)
        assert before[0] <= batches and before[1] <= taken <= files
    last = Driver(environment, MASTER, source, state)
    assert last.end() == 0, last.failed()
    assert check(source, state)[1] == files


def test_lost_executors_change_nothing(tmp_path: pathlib.Path, environment: dict[str, str]) -> None:
    """Executors that are processes of their own die in the middle of batches; Spark starts others."""
    source, state = tmp_path / "in", tmp_path / "state"
    chance = random.Random(8)
    write_rows(source, files=3 * EXECUTOR_KILLS)
    driver = Driver(environment, "local-cluster[2,1,512]", source, state)
    kills = 0
    while kills < EXECUTOR_KILLS and driver.next_save():
        driver.run_on(chance.uniform(0, 1))
        kills += driver.kill(java_executors, most=1)
    assert driver.end() == 0, driver.failed()
    assert kills == EXECUTOR_KILLS
    assert check(source, state) == (3 * EXECUTOR_KILLS,) * 2
