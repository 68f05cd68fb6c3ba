"""Spark, Guava and Hadoop as their own classes, called by a program in Java (Interop.java)."""
import os
import pathlib
import struct
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1] / "bench"))
import installing  # noqa: E402

# The second ones are those before Spark's version 2 and before Guava 33.4, which counts hashes otherwise.
NEW = "spark-sketch_2.13-4.2.0.jar", "guava-33.8.0-jre.jar", "hadoop-common-3.5.0.jar"
OLD = "spark-sketch_2.12-3.5.9.jar", "guava-33.3.1-jre.jar", "hadoop-common-3.5.0.jar"


def program(name):
    return str(pathlib.Path(os.environ.get("JAVA_HOME", "/usr"), "bin", name))


def path_of(folder, jars):
    return ":".join([f"{folder}/classes", *(f"{folder}/jars/{jar}" for jar in jars)])


def steps(_, folder):
    """Fetches the jars and compiles the program."""
    yield installing.maven(FOLDER / "pom.xml", folder)
    yield (program("javac"), "-nowarn", "-proc:none", "-d", folder / "classes", "-cp", path_of(folder, NEW),
           FOLDER / "Interop.java")


def install():
    pins = ((FOLDER / name).read_bytes() for name in ("pom.xml", "Interop.java"))
    return installing.installed("foreign-java", installing.pinned(*pins), steps)


def array(data):
    return struct.pack(">i", len(data)) + data


def arrays(keys):
    """Numbers go as 8 bytes."""
    return struct.pack(">i", len(keys)) + b"".join(
        array(struct.pack(">q", key) if isinstance(key, int) else key) for key in keys)


class Java:
    """One process for all sketches of a run."""

    def __init__(self, folder, jars):
        self.process = subprocess.Popen([program("java"), "-cp", path_of(folder, jars), "Interop"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.process.stdout.close()

    def read(self, form):
        data = self.process.stdout.read(struct.calcsize(form))
        return struct.unpack(form, data)[0]

    def ask(self, system, form="binary", numbers=(0, 0, 0), sketch=b"", added=(), asked=()):
        """The bytes of a sketch, made or read and added to, and its answers. `form`: how a key becomes an object."""
        words = " ".join([system, form, *map(repr, numbers)]).encode()
        self.process.stdin.write(struct.pack(">H", len(words)) + words + array(sketch) + arrays(added) + arrays(asked))
        self.process.stdin.flush()
        if self.read(">b") == 0:
            raise ValueError(self.process.stdout.read(self.read(">H")).decode())
        data = self.process.stdout.read(self.read(">i"))
        count = self.read(">i")
        return data, list(struct.unpack(f">{count}q", self.process.stdout.read(8 * count)))


def started(jars):
    folder = install()
    assert folder is not None
    java = Java(folder, jars)
    yield java
    java.close()


@pytest.fixture(scope="session")
def java():
    yield from started(NEW)


@pytest.fixture(scope="session")
def old_java():
    yield from started(OLD)
