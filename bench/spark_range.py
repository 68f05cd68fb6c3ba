#!/usr/bin/env python3
"""A filter of integers that Spark makes: its rate, and what it needs.

    spark_range.py COUNT FOLDER      prints JSON

Driver and executors are processes of their own here (a local cluster with two executors of one core), so that
the driver's memory is the driver's alone: that of its Python and that of its JVM, each at its peak.
"""
import json
import math
import subprocess
import sys

from measure import stop
from spark_session import MIB, Cost, Session, driver_memory

RATE = 0.01
DRIVER_MIB, VALUE_MIB = 1024, 64
# Of a right filter one run in a million is above.
SIGMAS = 4.75


def build(spark, count):
    """What is reported of the filter, and of the driver that built it."""
    import inkling.spark as ink

    cost = Cost()
    filters = cost.of(lambda: ink.build(spark.range(count), key="id", kind="bloom", p=RATE))
    python, jvm, heap = driver_memory(spark)
    non_members = max(count // 10, 100_000)
    asked = spark.range(count, count + non_members)
    passed = asked.where(ink.might_contain(filters, "id")).count()
    members = spark.range(0, count, max(count // non_members, 1))
    kept = members.where(ink.might_contain(filters, "id")).count()
    verified = ink.verify(spark.range(count), filters, key="id")
    return {"seconds": cost.seconds[0], "python": python, "jvm": jvm, "heap": heap,
            "rate": passed / non_members, "non_members": non_members, "lost": members.count() - kept,
            "largest": filters.built.largest_piece, "bytes": filters.sketch().info.bytes,
            "verified": verified.ok, "summary": str(verified.summary)}


def time_range(rows, count, folder):
    rows.head("range", f"6. {count:,} integers of spark.range, p = {RATE}, driver and executors apart")
    command = [sys.executable, __file__, str(count), str(folder)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, check=False)
    if done.returncode != 0:
        stop(f"{' '.join(command)}: exit code {done.returncode}, expected 0")
    found = json.loads(done.stdout.splitlines()[-1])
    if found["lost"] or not found["verified"]:
        stop(f"range: {found['lost']} members denied, expected 0; verify: {found['summary']}")
    print(f"  verify: {found['summary']}")
    limit = RATE + SIGMAS * math.sqrt(RATE * (1 - RATE) / found["non_members"])
    rows.fact("build", found["seconds"], "s")
    rows.fact("the filter", found["bytes"] / MIB, "MiB")
    rows.fact(f"non-members that pass, of {found['non-members']:,}", found["rate"], "rate", limit)
    rows.fact("driver at its peak: Python and JVM", (found["python"] + found["jvm"]) / MIB, "MiB", DRIVER_MIB)
    rows.fact("of which Python", found["python"] / MIB, "MiB")
    rows.fact("of which the JVM's heap, garbage included", found["heap"] / MIB, "MiB")
    rows.fact("the largest value sent", found["largest"] / MIB, "MiB", VALUE_MIB)


def main():
    if len(sys.argv) != 3 or not sys.argv[1].isdigit():
        stop("expected COUNT FOLDER")
    with Session(sys.argv[2], "local-cluster[2,1,1024]", "512m") as spark:
        found = build(spark, int(sys.argv[1]))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
