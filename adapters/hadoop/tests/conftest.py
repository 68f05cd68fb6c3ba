"""What the tests share: one cluster for the whole run, and the command of the build under test.

`make test-hadoop` says by INK_COMMAND and INK_STATIC where the command is, and where the static one that is
sent with jobs; who runs pytest by hand gets those of build/. INK_TEST_CLUSTER names the folder of a cluster
that runs already; it is used as it is, and left running.
"""

from __future__ import annotations

import getpass
import os
import pathlib
import re
import shutil
import signal
import tempfile
from collections.abc import Iterator

import pytest
from known_jobs import Jobs
from localcluster.client import Cluster, Hdfs
from localcluster.running import down, up
from localcluster.settings import TASK_OPTIONS
from localcluster.state import load

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Tests are many short jobs: a Java that compiles quickly, not well, needs less time for them.
HASTY = {
    f"mapreduce.{half}.java.opts": f"-Xmx640m {TASK_OPTIONS} -XX:TieredStopAtLevel=1"
    for half in ("map", "reduce")
}

os.environ.setdefault("INK_COMMAND", str(ROOT / "build" / "ink"))
os.environ.setdefault("INK_STATIC", str(ROOT / "build" / "static" / "ink"))
# No terminal, language, cluster or instruction set of the user is part of a test.
for name in (
    "NO_COLOR",
    "INK_CPU",
    "COLUMNS",
    "HADOOP_CONF_DIR",
    "YARN_CONF_DIR",
    "HADOOP_HOME",
    "HADOOP_USER_NAME",
):
    os.environ.pop(name, None)
os.environ.setdefault("USER", getpass.getuser())

# SIGTERM first stops what was started.
signal.signal(signal.SIGTERM, lambda *_: pytest.exit("stopped by SIGTERM", 143))


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """One Hadoop for all tests, in a folder of its own; stopped at the end in any case."""
    named = os.environ.get("INK_TEST_CLUSTER")
    if named:
        state = load(pathlib.Path(named))
        assert state is not None and state.running(), f"INK_TEST_CLUSTER: {named}: no cluster runs there"
        yield Cluster(state)
        return
    folder = pathlib.Path(tempfile.mkdtemp(prefix="inkling-hadoop-"))
    try:
        yield Cluster(up(folder, HASTY))
    finally:
        down(folder, delete=True)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def hdfs(cluster: Cluster) -> Hdfs:
    """The files of the cluster."""
    return cluster.hdfs


@pytest.fixture
def location(hdfs: Hdfs, request: pytest.FixtureRequest) -> Iterator[str]:
    """An empty folder in HDFS for one test, as /tests/test_name; it is removed afterwards."""
    path = "/tests/" + re.sub(r"[^A-Za-z0-9_.-]+", "_", request.node.name)
    hdfs.remove(path)
    hdfs.make_folder(path)
    yield path
    hdfs.remove(path)


@pytest.fixture(scope="session")
def ink() -> str:
    """The command of this build."""
    return os.environ["INK_COMMAND"]


@pytest.fixture(scope="session")
def static_ink() -> str:
    """The static one, which is sent with jobs."""
    return os.environ["INK_STATIC"]


@pytest.fixture
def jobs(cluster: Cluster, ink: str, tmp_path: pathlib.Path) -> Jobs:
    """Runs ink-hadoop on the cluster, and ink here."""
    return Jobs(cluster, ink, tmp_path)
