"""A standalone Spark on several nodes of this machine, of which one is lost or full while sketches are built."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import nodes_driver as driver
import pyarrow
import pytest
from conftest import masters
from nodes import nodes, why_not

import inkling

pytestmark = pytest.mark.long
SECONDS = 400


@pytest.fixture(scope="module")
def expected() -> list[str]:
    """What the driver says if all is well."""
    rows = range(driver.ROWS)
    columns = {"id": [row % driver.KEYS for row in rows], "g": [row % driver.GROUPS for row in rows]}
    made = inkling.build(pyarrow.table(columns), driver.KINDS, **driver.OPTIONS)
    return [f"digest {made.digest}", f"found {driver.ROWS}"]


#: What befalls a worker, and the words by which Spark reports it: the driver, or the worker's executors.
FATES = {"nothing": None, "its cable is pulled": "Lost executor", "its disk is full": "No space left on device"}


@pytest.mark.parametrize("fate", FATES)
def test_a_worker_that_is_lost_or_full_changes_no_digest(
    spark_home: pathlib.Path, environment: dict[str, str], tmp_path: pathlib.Path, expected: list[str],
    fate: str,
) -> None:  # fmt: skip
    refused = why_not()
    if refused:
        pytest.skip(f"Spark on several nodes was not run: {refused}")
    scratch = tmp_path / "worker-1"
    scratch.mkdir()
    with nodes("user", "master", "east", "west") as there:
        user, east = there["user"], there["east"]
        east.run("mount", "-t", "tmpfs", "-o", "size=64m", "small", str(scratch))
        with masters(spark_home, tmp_path, east, there["west"], master=there["master"]) as address:
            log = tmp_path / "user.log"
            words = [sys.executable, driver.__file__, address, user.address, str(tmp_path / "user")]
            with log.open("wb") as errors:
                program = subprocess.Popen(
                    user.command(*words), env={**environment, "SPARK_LOCAL_IP": user.address}, text=True,
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                )  # fmt: skip
            with program:
                assert program.stdout is not None
                try:
                    assert program.stdout.readline() == "busy\n", log.read_text()[-4000:]
                    if fate == "its cable is pulled":
                        east.unplug()
                    elif fate == "its disk is full":
                        east.run("sh", "-c", f"dd if=/dev/zero of={scratch}/full bs=1M 2>/dev/null || true")
                    out, _ = program.communicate(timeout=SECONDS)
                except BaseException:
                    user.lose()
                    raise
    said = "".join(path.read_text() for path in [log, *tmp_path.glob("w1/*/*/stderr")])
    assert (program.returncode, out.splitlines()) == (0, expected), said[-4000:]
    assert FATES[fate] is None or FATES[fate] in said, f"it was not noticed: {said[-4000:]}"
