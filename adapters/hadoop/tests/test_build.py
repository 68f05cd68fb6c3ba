"""ink-hadoop build on the cluster: the digest of ink build, for any splits and reducers."""

from __future__ import annotations

import os
import pathlib
import pty
import re
import signal
import subprocess

import known_data
import pytest
from known_jobs import COMMAND, Jobs, end

# Every kind whose bytes do not depend on the order of records.
KINDS = "bloom,classic,counting,count-min,fm,hll,theta,fuse"
READING = ("--header", "--key", "id", "--by", "group", "--weight", "often")
LAUNCHED = ("org.apache.hadoop.mapreduce.JobCounter", "TOTAL_LAUNCHED_MAPS")
HANDED = ("org.apache.hadoop.mapreduce.TaskCounter", "MAP_INPUT_RECORDS")  # by Hadoop to ink


@pytest.fixture
def faulty(static_ink: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """ink that ends badly in the attempts that -D ink.test.faults names."""
    return compiled(static_ink, tmp_path_factory.mktemp("faulty"))


def compiled(static_ink: str, folder: pathlib.Path) -> str:
    source = pathlib.Path(__file__).with_name("faulty.c")
    subprocess.run(
        ["cc", "-O1", "-Wall", "-static", f'-DINK="{static_ink}"', str(source), "-o", str(folder / "ink")],
        check=True,
    )
    return str(folder / "ink")


def put(jobs: Jobs, location: str, count: int) -> list[str]:
    """The folder of known records in HDFS; the same as local files."""
    files = known_data.write_folder(jobs.folder / "in", count)
    for file in files:
        jobs.hdfs.write(f"{location}/in/{file.name}", file)
    return [str(file) for file in files]


def test_all_kinds_of_many_splits_in_one_small_job(jobs: Jobs, location: str) -> None:
    files = put(jobs, location, 20_000)
    out = f"{location}/out"
    reports = terminal(jobs, "build", KINDS, *READING, "-D", "mapreduce.job.maps=6", f"{location}/in", out)
    job = jobs.job(location)
    assert job.uber and job.counter(*LAUNCHED) >= 5
    assert job.counter("Ink", "Records") == 20_000
    assert job.counter(*HANDED) == job.counter(*LAUNCHED), "a line for each map, and no records"
    assert list(jobs.hdfs.list(out)) == ["_SUCCESS", "part-00000.ink"]
    jobs.ink("build", "-q", KINDS, *READING, "-o", "here.ink", *files).fine()
    assert jobs.digest(jobs.part(out)) == jobs.digest("here.ink")
    sketches = len(jobs.ink("info", "--json", "here.ink").fine().splitlines())
    assert re.search(r"map \[=*>? *\] +\d+ %  reduce \[", reports), "progress is shown"
    last = reports.rstrip().splitlines()[-1].rpartition("\033[K")[2]
    size = r"\d+(\.\d)? [kM]?B"
    line = rf"ink-hadoop: hdfs://\S+/out: {sketches} sketches of 20000 records, {size}, in \d+\.\d\d s"
    assert re.fullmatch(line, last), last


def terminal(jobs: Jobs, *words: str) -> str:
    """What ink-hadoop shows on a terminal, when it ended well."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [str(COMMAND), *words], env={**jobs.cluster.environment(), "TERM": "xterm"}, cwd=jobs.folder, stdin=subprocess.DEVNULL,
        stdout=theirs, stderr=theirs,
    ) as process:  # fmt: skip
        os.close(theirs)
        shown = b""
        try:
            while block := os.read(ours, 4096):
                shown += block
        except OSError:
            pass  # the other side is closed
    os.close(ours)
    assert process.returncode == 0, shown
    return shown.decode(errors="replace")


def test_several_reducers_and_attempts_that_fail(jobs: Jobs, location: str, faulty: str) -> None:
    """Two tasks of each half fail once, one by its exit code and one by a signal: each record counts once."""
    files = put(jobs, location, 4_000)[:2]
    out = f"{location}/out"
    for name in ("c-packed.csv.gz", "d-empty.csv", "e-open.csv"):
        jobs.hdfs.remove(f"{location}/in/{name}")
    faults = "ink.test.faults=m0=exit;r0=segv"
    done = jobs.run(
        "build", "bloom,counting,count-min", *READING, "--ink", faulty, "-D", faults, "-D", "mapreduce.job.maps=4",
        "--reducers", "2", "--no-uber", f"{location}/in", out,
    )  # fmt: skip
    done.fine()
    job = jobs.job(location)
    assert not job.uber and job.attempts >= 8 and job.counter("Ink", "Records") == 2_000
    assert list(jobs.hdfs.list(out)) == ["_SUCCESS", "part-00000.ink", "part-00001.ink"]
    jobs.run("merge", out, f"{out}.ink").fine()
    (jobs.folder / "merged.ink").write_bytes(jobs.hdfs.read(f"{out}.ink"))
    jobs.ink("build", "bloom,counting,count-min", *READING, "-o", "here.ink", *files).fine()
    assert jobs.digest("merged.ink") == jobs.digest("here.ink")


def test_a_bad_record_is_the_one_line_of_a_failed_job(jobs: Jobs, location: str) -> None:
    """In the second of two splits: its byte is known, and the number of its line is not."""
    path = jobs.hdfs.write(f"{location}/n.txt", b"".join(b"%d\n" % n for n in range(50_000)) + b"nine\n")
    words = ("--key-type", "int", "-D", "mapreduce.job.maps=2")
    line = jobs.run("build", "bloom", *words, path, f"{location}/out").failed(3)
    assert line == f'ink: {path}: byte 288890: "nine", expected an integer key; --bad skip skips such records'
    assert list(jobs.hdfs.list(location)) == ["n.txt"]
    assert not any(name.startswith(".ink") for name in jobs.hdfs.list(f"/user/{jobs.hdfs.user}"))


def test_a_filter_with_more_keys_than_planned_fails_the_job_unless_that_is_allowed(jobs: Jobs, location: str) -> None:
    path = jobs.hdfs.write(f"{location}/n.txt", b"".join(b"%d\n" % n for n in range(1000)))
    line = jobs.run("build", "bloom", "-n", "500", path, f"{location}/out").failed(1)
    assert "above the 0.01 that is promised, expected --keys 1000, or --max-rate to allow it" in line
    assert list(jobs.hdfs.list(location)) == ["n.txt"]
    jobs.run("build", "bloom", "-n", "500", "--max-rate", "0.2", path, f"{location}/out").fine()


def test_the_textbook_filter_is_sized_in_the_same_job(jobs: Jobs, location: str) -> None:
    """Without -n, by records, of keys: no job counts them first. Bad records are left out, and counted.

    Hadoop reads the lines here.
    """
    lines = [f"tt{n},{n % 3 + 0.5}" for n in range(3_000)] + ["none"]
    (jobs.folder / "t.csv").write_text("\n".join(lines), encoding="utf-8")
    path = jobs.hdfs.write(f"{location}/t.csv", jobs.folder / "t.csv")
    how = (
        "classic",
        "--hash",
        "mmh3",
        "-p",
        "0.01",
        "--key",
        "1",
        "--by",
        "2",
        "--round",
        "half-away",
        "--bad",
        "skip",
    )
    before = jobs.started_jobs(location)
    done = jobs.run("build", "--lines", *how, path, f"{location}/out")
    assert jobs.job(location).counter(*HANDED) == 3_001
    assert (done.code, done.err) == (0, "ink-hadoop: 1 of 3001 records could not be read and were skipped\n")
    assert jobs.started_jobs(location) == before + 1
    jobs.ink("build", *how, "-o", "here.ink", "t.csv")
    assert jobs.digest(jobs.part(f"{location}/out")) == jobs.digest("here.ink")


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_a_signal_ends_the_job_on_the_cluster(
    jobs: Jobs, location: str, faulty: str, number: signal.Signals
) -> None:
    path = jobs.hdfs.write(f"{location}/n.txt", b"".join(b"%d\n" % n for n in range(100_000)))
    process = jobs.started(
        "build", "bloom", "--ink", faulty, "-D", "ink.test.faults=m0=slow", path, f"{location}/out"
    )
    running = jobs.running_job(location)
    done = end(process, number)
    assert (done.code, done.out, done.err) == (128 + number, "", "")
    assert jobs.states()[running] == "KILLED"
    assert list(jobs.hdfs.list(location)) == ["n.txt"]


def test_a_disk_that_is_full(jobs: Jobs, location: str) -> None:
    """As a folder that may hold few bytes more: the task's own words, and nothing is left."""
    path = jobs.hdfs.write(f"{location}/n.txt", b"1\n2\n3\n")
    full = f"{location}/full"
    jobs.hdfs.make_folder(full)
    jobs.hdfs.limit_bytes(full, 1)
    line = jobs.run("build", "bloom", "--lines", path, f"{full}/out").failed(4)
    assert line.startswith("ink: ") and "quota" in line
    before = jobs.started_jobs(location)
    line = jobs.run("build", "bloom", path, f"{full}/out").failed(4)
    assert line.startswith("ink-hadoop: ") and "quota" in line, "there is no room for the list of splits"
    assert jobs.started_jobs(location) == before
    assert jobs.hdfs.list(full) == {}
