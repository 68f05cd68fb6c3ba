"""What the tests share: one Spark at a time, run in three ways, and the command of the build under test.

`make test-spark` says by INK_SOURCE, INKLING_LIBRARY and INK_COMMAND where things are; who runs pytest by
hand gets those of build/. Spark is started without PYTHONPATH and INKLING_LIBRARY: a worker that finds the
package or the library has got them with the job.

One process has one SparkContext. So tests are sorted by the one they ask for: `spark` (threads of a JVM),
then `cluster` (executors that are processes of their own), then `standalone` (a master and two workers).
"""

from __future__ import annotations

import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import pyspark.cloudpickle as cloudpickle
import pytest
from nodes import Node

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGES = [ROOT / "adapters" / "python", ROOT / "adapters" / "spark"]
WAYS = ("spark", "cluster", "standalone")
START_SECONDS = 120

os.environ.setdefault("INK_SOURCE", str(ROOT))
os.environ.setdefault("INK_COMMAND", str(ROOT / "build" / "ink"))
os.environ.setdefault("INKLING_LIBRARY", str(ROOT / "build" / "libinkling.so"))
# No terminal, language, cluster or instruction set of the user is part of a test.
for name in ("NO_COLOR", "INK_CPU", "COLUMNS", "HADOOP_CONF_DIR", "YARN_CONF_DIR", "SPARK_CONF_DIR"):
    os.environ.pop(name, None)
os.environ.update(
    SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable
)

# For programs that tests start: they find the package and the library as a user does who has them installed.
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, PACKAGES))}

import inkling  # noqa: E402  (loads the library, and needs its path no more)

sys.path.append(str(ROOT / "bench"))
from spark_home import make_home  # noqa: E402

os.environ.pop("INKLING_LIBRARY")
os.environ.pop("PYTHONPATH", None)

# SIGTERM first stops what was started.
signal.signal(signal.SIGTERM, lambda *_: pytest.exit("stopped by SIGTERM", 143))

# ---- Order ----------------------------------------------------------------------------------------


def way_of(item: pytest.Item) -> int:
    """Which Spark a test asks for; those that ask for none come first."""
    names = set(getattr(item, "fixturenames", ()))
    call = getattr(item, "callspec", None)
    if call is not None and "everywhere" in call.params:
        names.add(call.params["everywhere"])
    found = [number for number, way in enumerate(WAYS, 1) if way in names]
    if len(found) > 1:
        asked = ", ".join(WAYS[number - 1] for number in found)
        raise pytest.UsageError(f"{item.nodeid}: asks for {asked}, expected one: there is one SparkContext")
    return found[0] if found else 0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=way_of)
    # No worker can import a test: what stands in one goes there as code.
    for module in {item.module for item in items if isinstance(item, pytest.Function)}:
        cloudpickle.register_pickle_by_value(module)


# ---- Folders --------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def spark_folder() -> Iterator[pathlib.Path]:
    """Where Spark keeps what it keeps while it runs: nothing of it is left."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="inkling-spark-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def spark_home(spark_folder: pathlib.Path) -> Iterator[pathlib.Path]:
    """SPARK_HOME, where a local-cluster writes its work folder."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in make_home(spark_folder).items():
            patch.setenv(name, value)
        yield spark_folder / "home"


# ---- The three ways -------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def start(spark_home: pathlib.Path, spark_folder: pathlib.Path) -> Iterator[Callable[..., SparkSession]]:
    """Starts the one session that there is: start(master, {"spark.x": "y"}); the one before is stopped."""
    from pyspark.sql import SparkSession

    def begin(master: str, settings: dict[str, str] | None = None) -> SparkSession:
        stop()
        all_settings = {
            "spark.driver.memory": "1g",
            "spark.executor.memory": "1g",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.local.dir": str(spark_folder / "local"),
            "spark.sql.warehouse.dir": str(spark_folder / "warehouse"),
            "spark.sql.shuffle.partitions": "4",
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.session.timeZone": "UTC",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            **(settings or {}),
        }
        builder = SparkSession.builder.master(master).appName("inkling tests")
        for name, value in all_settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        return session

    def stop() -> None:
        session = SparkSession.getActiveSession()
        if session is not None:
            session.stop()
        # What was set for the one before would be set for the next.
        SparkSession.builder._options.clear()

    yield begin
    stop()


@pytest.fixture(scope="session")
def spark(start: Callable[..., SparkSession]) -> SparkSession:
    """Spark in threads of one JVM, two at a time."""
    return start("local[2]")


@pytest.fixture(scope="session")
def cluster(start: Callable[..., SparkSession]) -> SparkSession:
    """Spark with two executors that are processes of their own, each with a core and a GiB."""
    return start("local-cluster[2,1,1024]")


class Daemon:
    """A master or a worker: a JVM that says in its log when it is there, and is stopped by its number. It is
    on an address of this machine, or on a node."""

    def __init__(self, home: pathlib.Path, work: pathlib.Path, place: str | Node, *words: str) -> None:
        self.said: list[str] = []
        self.here = threading.Event()
        self.place = place
        environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_DAEMON_MEMORY": "256m"}
        environment.pop("SPARK_CONF_DIR")  # its log is read
        command = [str(home / "bin" / "spark-class"), *words]
        if isinstance(place, Node):
            environment.update(SPARK_LOCAL_IP=place.address, SPARK_LOCAL_DIRS=str(work))
            command = place.command(*command)
        work.mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen(
            command, env=environment, cwd=work, text=True, errors="replace", stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.reader = threading.Thread(target=self.read, args=(self.process.stdout,), daemon=True)
        self.wanted = ""
        self.found = ""

    def wait_for(self, text: str) -> str:
        """The rest of the line in the log that holds `text`."""
        self.wanted = text
        self.reader.start()
        came = self.here.wait(START_SECONDS)
        assert came and self.found, f"{self.process.args}: no {text!r} in: {''.join(self.said)}"
        return self.found.split(text, 1)[1].strip()

    def read(self, log: IO[str]) -> None:
        for line in log:
            self.said.append(line)
            if not self.found and self.wanted in line:
                self.found = line
                self.here.set()
        self.here.set()

    def stop(self) -> None:
        if isinstance(self.place, Node):
            self.place.lose()
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.reader.is_alive():
            self.reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()


@contextmanager
def masters(
    home: pathlib.Path, folder: pathlib.Path, *places: str | Node, master: str | Node = "127.0.0.1"
) -> Iterator[str]:
    """The address of a standalone master with a worker on each of these hosts; all are stopped at the end."""
    daemons: list[Daemon] = []

    def begin(kind: str, place: str | Node, *words: str) -> Daemon:
        work, name = folder / f"{kind}-{len(daemons)}", f"org.apache.spark.deploy.{kind}.{kind.capitalize()}"
        host = place.address if isinstance(place, Node) else place
        daemons.append(Daemon(home, work, place, name, "--host", host, "--webui-port", "0", *words))
        return daemons[-1]

    try:
        address = begin("master", master, "--port", "0").wait_for("Starting Spark master at ")
        for number, place in enumerate(places, 1):
            work = str(folder / f"w{number}")
            begin("worker", place, "--cores", "1", "--memory", "1g", "--work-dir", work, address)
        for worker in daemons[1:]:
            worker.wait_for("Successfully registered with master")
        yield address
    finally:
        for one in reversed(daemons):
            one.stop()


@pytest.fixture(scope="session")
def master(spark_home: pathlib.Path, spark_folder: pathlib.Path) -> Iterator[str]:
    """The address of a standalone master with two workers, spark://127.0.0.1:PORT."""
    with masters(spark_home, spark_folder, "127.0.0.1", "127.0.0.1") as address:
        yield address


@pytest.fixture(scope="session")
def standalone(master: str, start: Callable[..., SparkSession]) -> Iterator[SparkSession]:
    """Spark on a master and two workers, as on a cluster of machines."""
    session = start(master)
    yield session
    session.stop()


@pytest.fixture(params=WAYS)
def everywhere(request: pytest.FixtureRequest) -> SparkSession:
    """Each of the three ways, one after the other."""
    session: SparkSession = request.getfixturevalue(request.param)
    return session


@pytest.fixture
def in_jvm(spark: SparkSession) -> Iterator[SparkSession]:
    """Spark in threads of one JVM that has the SQL functions, for one test."""
    from inkling.spark import register

    register(spark)
    yield spark
    forget_functions(spark)


def forget_functions(spark: SparkSession) -> None:
    """The package finds no SQL functions in this session any more."""
    spark.sql("DROP TEMPORARY FUNCTION IF EXISTS ink_contains")


# ---- What many tests look at ----------------------------------------------------------------------


def digest(made: inkling.Sketch | inkling.Sketches) -> str:
    """Of a sketch alone, or of a file: that of its only sketch, if it has no group."""
    if isinstance(made, inkling.Sketches) and list(made) == [inkling.WHOLE]:
        return made.sketch().digest
    return made.digest


@contextmanager
def no_jobs(spark: SparkSession) -> Iterator[None]:
    """Nothing in it may start a job."""
    tracker = spark.sparkContext.statusTracker()
    group = f"nothing {random.random()}"
    spark.sparkContext.setJobGroup(group, "no job may start")
    try:
        yield
        assert list(tracker.getJobIdsForGroup(group)) == []
    finally:
        spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)


# ---- The command, and programs --------------------------------------------------------------------

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def source() -> pathlib.Path:
    """The folder of the whole project."""
    return pathlib.Path(os.environ["INK_SOURCE"])


@pytest.fixture(scope="session")
def library() -> pathlib.Path:
    """The shared library under test."""
    return pathlib.Path(ENVIRONMENT["INKLING_LIBRARY"])


@pytest.fixture(scope="session")
def environment(spark_home: pathlib.Path) -> dict[str, str]:
    """For drivers that tests start as programs: package and library are found, Spark's folders are ours."""
    return {**ENVIRONMENT, "SPARK_HOME": str(spark_home), "SPARK_CONF_DIR": os.environ["SPARK_CONF_DIR"]}


@pytest.fixture(scope="session")
def ink() -> Run:
    """Runs the command: ink("info", path) gives what it printed, or fails with what it said."""

    def run(*words: object, ok: bool = True, **more: object) -> subprocess.CompletedProcess[str]:
        command = [os.environ["INK_COMMAND"], *map(str, words)]
        options: Any = {"text": True, "capture_output": True, "check": False, **more}
        done: subprocess.CompletedProcess[str] = subprocess.run(command, **options)
        text = f"{' '.join(command)}: exit code {done.returncode}: {done.stderr}"
        assert not ok or done.returncode == 0, text
        return done

    return run
