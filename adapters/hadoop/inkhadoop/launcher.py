"""How Hadoop is run on this machine: by the command `hadoop` or `yarn`, or by java with a folder of jars."""

from __future__ import annotations

import glob
import os
import pathlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass

from .failure import USAGE, Failure

STREAMING = "org.apache.hadoop.streaming.HadoopStreaming"
JOBS = "org.apache.hadoop.mapred.JobClient"
EXPECTED = (
    "expected hadoop or yarn on the PATH or in HADOOP_HOME, or a folder of Hadoop's jars in INK_HADOOP_JARS"
)
# Where distributions keep the jar of Hadoop Streaming, below the home of Hadoop or its MapReduce.
STREAMING_JARS = (
    "share/hadoop/tools/lib/hadoop-streaming*.jar",
    "hadoop-streaming*.jar",
    "../hadoop-mapreduce/hadoop-streaming*.jar",
)
HOMES = ("HADOOP_HOME", "HADOOP_MAPRED_HOME", "HADOOP_PREFIX")
# Java 17 hides what Hadoop looks into; an older one does not know these options.
JAVA = (
    "-XX:+IgnoreUnrecognizedVMOptions", "-XX:-UsePerfData", "-Xmx512m", "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    *(
        f"--add-opens=java.base/{package}=ALL-UNNAMED"
        for package in (
            "java.io", "java.lang", "java.lang.reflect", "java.math", "java.net", "java.text", "java.util",
            "java.util.concurrent", "java.util.zip", "sun.security.util", "sun.security.x509",
        )
    ),
)  # fmt: skip
# What the client says is read here, so it has to say it, and nothing about itself.
LOGGING = """log4j.rootLogger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%p %c{1}: %m%n
log4j.logger.org.apache.hadoop.util.NativeCodeLoader=ERROR
"""


@dataclass(frozen=True)
class Launcher:
    """Commands that run Hadoop's programs, and the environment that they need."""

    streaming: tuple[str, ...]
    jobs: tuple[str, ...]
    environment: dict[str, str]


def java_program() -> str:
    """Java, by JAVA_HOME or on the PATH."""
    home = os.environ.get("JAVA_HOME")
    if home and os.access(f"{home}/bin/java", os.X_OK):
        return f"{home}/bin/java"
    found = shutil.which("java")
    if found is None:
        raise Failure("no java, expected it on the PATH or in JAVA_HOME", USAGE)
    return found


def with_jars(
    jars: pathlib.Path, conf: pathlib.Path, temporary: pathlib.Path, flags: Sequence[str]
) -> Launcher:
    """Java alone, with a folder of jars."""
    if not glob.glob(f"{glob.escape(str(jars))}/hadoop-streaming*.jar"):
        raise Failure(
            f"INK_HADOOP_JARS={jars}: no hadoop-streaming*.jar there, expected Hadoop's jars", USAGE
        )
    java = (java_program(), *JAVA, *flags, "-cp", f"{conf}:{jars}/*")
    return Launcher((*java, STREAMING), (*java, JOBS), {})


def streaming_jar(command: str) -> str:
    """The jar that `hadoop jar` needs."""
    named = os.environ.get("INK_HADOOP_STREAMING")
    if named:
        if not os.path.isfile(named):
            raise Failure(f"INK_HADOOP_STREAMING={named}: no such file, expected hadoop-streaming.jar", USAGE)
        return named
    homes = [os.environ[name] for name in HOMES if os.environ.get(name)]
    homes += [str(pathlib.Path(command).resolve().parents[1]), "/usr/lib/hadoop-mapreduce", "/usr/lib/hadoop"]
    for home in homes:
        for pattern in STREAMING_JARS:
            # The one without a word after its version: -sources and -tests come beside it.
            jars = [
                jar
                for jar in glob.glob(f"{glob.escape(home)}/{pattern}")
                if not jar.endswith(("-sources.jar", "-tests.jar"))
            ]
            if jars:
                return max(jars)
    raise Failure(
        f"{command}: no hadoop-streaming*.jar found, "
        "expected it below HADOOP_HOME, or in INK_HADOOP_STREAMING",
        USAGE,
    )


def find_command() -> str | None:
    """The command `hadoop`, else `yarn`."""
    home = os.environ.get("HADOOP_HOME")
    path = os.pathsep.join([*([f"{home}/bin"] if home else []), os.environ.get("PATH", os.defpath)])
    return shutil.which("hadoop", path=path) or shutil.which("yarn", path=path)


def find_launcher(conf: pathlib.Path, temporary: pathlib.Path) -> Launcher:
    """What there is on this machine; files of the client's own go into the temporary folder."""
    logging = temporary / "log4j.properties"
    logging.write_text(LOGGING, encoding="utf-8")
    flags = [f"-Djava.io.tmpdir={temporary}", f"-Dlog4j.configuration={logging.as_uri()}"]
    jars = os.environ.get("INK_HADOOP_JARS")
    if jars:
        return with_jars(pathlib.Path(jars), conf, temporary, flags)
    command = find_command()
    if command is None:
        raise Failure(f"no Hadoop on this machine, {EXPECTED}", USAGE)
    options = " ".join([os.environ.get("HADOOP_CLIENT_OPTS", ""), *flags]).strip()
    environment = {
        "HADOOP_CONF_DIR": str(conf),
        "HADOOP_CLIENT_OPTS": options,
        "HADOOP_ROOT_LOGGER": "INFO,console",
    }
    return Launcher((command, "jar", streaming_jar(command)), (command, JOBS), environment)
