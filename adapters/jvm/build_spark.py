"""Compiles the SQL functions for the Sparks of both Scalas, from one tree.

    build_spark.py CLASSES OUT

CLASSES has the classes of inkling.jar. Writes OUT/4 and OUT/3.5. Spark 3.5 has sequences and the session elsewhere, and does
not free columns: that is all that differs, and it is changed on the way to the compiler. The jars of spark/pom.xml are fetched once, into the user's
cache folder.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE / "spark"
POM = SOURCES / "pom.xml"
sys.path.insert(0, str(HERE.parents[1] / "bench"))
import installing  # noqa: E402

# A Spark, and what it has in the place of the names in the sources.
SPARKS = {
    "4": {},
    "3.5": {
        "scala.collection.immutable.Seq": "scala.collection.Seq",
        "scala.collection.immutable.IndexedSeq": "scala.collection.IndexedSeq",
        "org.apache.spark.sql.classic.ExpressionUtils.column(": "new Column(",
        "org.apache.spark.sql.classic.ExpressionUtils.expression(key)": "key.expr()",
        "org.apache.spark.sql.classic.": "org.apache.spark.sql.",
        # Readers do not free columns there.
        "@Override\n    public void closeIfFreeable()": "public void closeIfFreeable()",
        "column.closeIfFreeable();": "",
        "batch.closeIfFreeable();": "",
    },
}


def compile_for(spark: str, jars: pathlib.Path, classes: pathlib.Path, out: pathlib.Path) -> None:
    """The classes for one Spark, whole or not at all."""
    sources, target = out / f"{spark}-sources", out / spark
    for folder in (sources, target):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    for path in sorted(SOURCES.rglob("*.java")):
        text = path.read_text(encoding="utf-8")
        for name, other in SPARKS[spark].items():
            text = text.replace(name, other)
        copy = sources / path.relative_to(SOURCES)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text, encoding="utf-8")
    command = [
        pathlib.Path(os.environ["JAVA_HOME"], "bin/javac"), "--release", "17", "-proc:none", "-Werror",
        "-Xlint:all,-classfile", "-Xdoclint:all/protected", "-cp", f"{classes}:{jars}/{spark}/*",
        "-d", target, *sorted(sources.rglob("*.java")),
    ]  # fmt: skip
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit(f"make: the SQL functions cannot be compiled for Spark {spark}")
    shutil.rmtree(sources)


def main() -> None:
    """What `make spark-jars` runs."""
    if len(sys.argv) != 3:
        sys.exit("make: expected build_spark.py CLASSES OUT")
    jars = installing.maven_jars("jvm-spark", POM)
    for spark in SPARKS:
        compile_for(spark, jars, pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))


if __name__ == "__main__":
    main()
