"""A job of Hadoop in Java that uses inkling.jar: the example, compiled as its users would, run on the cluster."""

from __future__ import annotations

import os
import pathlib
import subprocess
import zipfile

from known_jobs import Jobs

ROOT = pathlib.Path(__file__).resolve().parents[3]
SOURCE = ROOT / "examples" / "hadoop" / "TitleFilters.java"
INKLING = pathlib.Path(os.environ["INK_COMMAND"]).parent / "jvm" / "inkling.jar"
ROWS = 20_000


def compiled(jobs: Jobs) -> pathlib.Path:
    """The example as a jar."""
    classes, jar = jobs.folder / "classes", jobs.folder / "titles.jar"
    path = f"{jobs.cluster.jars}/*:{INKLING}"
    javac = jobs.cluster.java.with_name("javac")
    subprocess.run([javac, "-nowarn", "-proc:none", "-d", classes, "-cp", path, SOURCE], check=True)
    with zipfile.ZipFile(jar, "w") as out:
        for file in sorted(classes.rglob("*.class")):
            out.write(file, file.relative_to(classes))
    return jar


def test_a_job_in_java_has_the_digest_of_the_command(jobs: Jobs, location: str) -> None:
    files = []
    for number in range(3):
        text = "".join(f"tt{row * 7919 % 90001:07d}\t{row % 10 + 1}\t{row}\n" for row in range(number, ROWS, 3))
        files.append(jobs.folder / f"{number}.tsv")
        files[-1].write_text(text, encoding="utf-8")
        jobs.hdfs.write(f"{location}/in/{number}.tsv", files[-1])
    words = ("-libjars", str(INKLING), f"{location}/in", f"{location}/out", "0.01")
    command = jobs.cluster.command("TitleFilters", *words, more_jars=[str(compiled(jobs)), str(INKLING)])
    done = subprocess.run(
        command, env=jobs.cluster.environment(), capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert sorted(jobs.hdfs.list(f"{location}/out")) == ["_SUCCESS", "ratings-r-00000.ink"]
    (jobs.folder / "there.ink").write_bytes(jobs.hdfs.read(f"{location}/out/ratings-r-00000.ink"))
    options = ("--format", "tsv", "--key", "1", "--by", "2", "-p", "0.01", "-o", "here.ink")
    jobs.ink("build", "-q", "bloom", *options, *map(str, files)).fine()
    assert jobs.digest("there.ink") == jobs.digest("here.ink")
