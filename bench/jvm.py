#!/usr/bin/env python3
"""Times keys one by one and in batches in Java, beside Guava's filter.

    jvm.py JAR OUT

Guava is the one of bench/contestants/java. The table is written to OUT/bench/jvm.tsv too.
"""
import os
import pathlib
import subprocess
import sys

from installing import installed
from measure import stop
from ratio_rows import reported
from servers import build_java, key_of

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = HERE / "jvm" / "SingleKeys.java"
GUAVA = HERE / "contestants" / "java"
# How many times as long as Guava it may take, by keys and operation; below 1 it is faster.
AT_MOST = {(10_000, "put / add"): 2, (10_000, "mightContain / contains"): 2,
           (10_000_000, "put / add"): 1, (10_000_000, "mightContain / contains"): 1}


def measured(jar):
    """Keys, operation, and the ns of both, for each row that the program prints."""
    java = pathlib.Path(os.environ["JAVA_HOME"], "bin/java")
    folder = installed("contestant-java", key_of(GUAVA), build_java)
    if folder is None:
        stop("Guava cannot be installed, expected Maven and a registry")
    done = subprocess.run([java, "-Xmx2g", "-cp", f"{jar}:{folder}/*", PROGRAM], text=True, capture_output=True, check=False)
    if done.returncode != 0:
        stop(f"{PROGRAM.name}: {done.stderr.strip()[-300:]}")
    for line in done.stdout.splitlines():
        keys, operation, guava, ours = line.split("\t")
        yield int(keys), operation, float(guava), float(ours)


def main():
    if len(sys.argv) != 3:
        stop("expected jvm.py JAR OUT")
    with reported(pathlib.Path(sys.argv[2]), "jvm.tsv", judged=True) as (rows, _):
        rows.head("jvm", "Java: Guava / ours, integers, p = 0.01, ns per key")
        for keys, operation, guava, ours in measured(sys.argv[1]):
            text, limit = f"{operation}, {keys:,} keys", AT_MOST.get((keys, operation))
            if limit is None:
                rows.faster(text, [guava], [ours], unit="ns")
            else:
                rows.costs(text, [guava], [ours], limit, unit="ns")


if __name__ == "__main__":
    main()
