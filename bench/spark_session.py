"""Spark for the benchmark: a session on two cores, and what its processes cost.

Spark's work is done by a tree of processes: this one, the JVM below it, and the Python workers that the JVM
starts. Their CPU seconds stand in /proc; those of a worker that ended are with the process that waited for it.
"""
import contextlib
import os
import pathlib
import re
import shutil
import sys
import tempfile
import time

from spark_home import make_home

TICK = os.sysconf("SC_CLK_TCK")
MIB = 1 << 20
# Of the JVM's log, if something fails.
SAID_CHARACTERS = 2000

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


def class_path():
    """For each session of a process of which one has the SQL functions: the JVM has that of the first."""
    import inkling.spark as ink

    return {"spark.driver.extraClassPath": ink.jar()}


def with_functions():
    """For a session with the SQL functions and the operators of whole columns."""
    import inkling.spark as ink

    return {**class_path(), "spark.jars": ink.jar(), "spark.sql.extensions": "inkling.spark.Extensions"}


class Session:
    """A Spark that is there while the `with` lasts, and keeps its temporary files below `folder`."""

    def __init__(self, folder, master="local[2]", memory="6g", settings=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="spark-", dir=folder))
        self.master, self.memory, self.settings = master, memory, {**SETTINGS, **(settings or {})}

    def __enter__(self):
        from pyspark.sql import SparkSession

        os.environ.update(make_home(self.folder))
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        builder = SparkSession.builder.master(self.master).appName("bench")
        for name, value in self.settings.items():
            builder = builder.config(name, value)
        builder = builder.config("spark.driver.memory", self.memory)
        builder = builder.config("spark.local.dir", str(self.folder / "local"))
        builder = builder.config("spark.sql.warehouse.dir", str(self.folder / "warehouse"))
        with self.said_to_log():
            self.spark = builder.getOrCreate()
        self.spark.sparkContext.setLogLevel("ERROR")
        return self.spark

    @contextlib.contextmanager
    def said_to_log(self):
        """What a JVM that is started meanwhile says, all its life, goes to a file."""
        with open(self.folder / "log", "wb") as log:
            errors = os.dup(2)
            os.dup2(log.fileno(), 2)
            try:
                yield
            finally:
                os.dup2(errors, 2)
                os.close(errors)

    def __exit__(self, failed, *_):
        self.spark.stop()
        self.spark.builder._options.clear()  # they would be those of the next session, too
        if failed is not None:
            said = (self.folder / "log").read_text(encoding="utf-8", errors="replace")
            print(said[-SAID_CHARACTERS:], file=sys.stderr)
        shutil.rmtree(self.folder, ignore_errors=True)


# ---- What it costs -------------------------------------------------------------------------------


def processes():
    """Parent and ticks of each process by its number; ticks of children that it waited for are with it."""
    found = {}
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            text = pathlib.Path(entry.path, "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue  # it ended meanwhile
        fields = text.rpartition(")")[2].split()
        found[int(entry.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    return found


def cpu_seconds():
    """Of this process and of all below it."""
    found = processes()

    def ours(number):
        while number in found:
            if number == os.getpid():
                return True
            number = found[number][0]
        return False

    return sum(ticks for number, (_, ticks) in found.items() if ours(number)) / TICK


class Cost:
    """Seconds by the clock and of CPU of each time that something ran."""

    def __init__(self):
        self.seconds, self.cpu = [], []

    def of(self, work):
        cpu, start = cpu_seconds(), time.perf_counter()
        value = work()
        self.seconds.append(time.perf_counter() - start)
        self.cpu.append(cpu_seconds() - cpu)
        return value


def take_turns(works, rounds, warm=1):
    """The cost of each, which run by turns. The first rounds, in which code is compiled, do not count."""
    costs = [Cost() for _ in works]
    for number in range(warm + rounds):
        for cost, work in zip(costs, works):
            (Cost() if number < warm else cost).of(work)
    return costs


# ---- What the driver needs -----------------------------------------------------------------------


def peak_rss(number):
    """The most memory, in bytes, that a process ever had."""
    status = pathlib.Path(f"/proc/{number}/status").read_text(encoding="utf-8")
    return int(re.search(r"VmHWM:\s*([0-9]+) kB", status)[1]) * 1024


def driver_memory(spark):
    """Peaks in bytes: this Python, the driver's JVM, and of that the heap in use, garbage included."""
    java = spark._jvm.java.lang
    pools = java.management.ManagementFactory.getMemoryPoolMXBeans()
    heap = sum(pool.getPeakUsage().getUsed() for pool in pools if pool.getType().toString() == "Heap memory")
    return peak_rss("self"), peak_rss(java.ProcessHandle.current().pid()), heap
