"""What takes minutes: every way in which a task can end, sketches of 100 MB, a million groups."""

from __future__ import annotations

import pathlib

import pytest
from known_jobs import Jobs
from known_proxy import proxied
from test_build import HANDED, KINDS, LAUNCHED, READING, compiled, put

pytestmark = pytest.mark.long


@pytest.fixture
def faulty(static_ink: str, tmp_path: pathlib.Path) -> str:
    folder = tmp_path / "faulty"
    folder.mkdir()
    return compiled(static_ink, folder)


def same_as_here(jobs: Jobs, out: str, words: list[str], files: list[str]) -> None:
    """The parts of a result, put together, have the digest of ink build."""
    (jobs.folder / "merged.ink").unlink(missing_ok=True)
    jobs.run("merge", out, "./merged.ink").fine()
    jobs.ink("build", *words, "--force", "-o", "here.ink", *files).fine()
    assert jobs.digest("merged.ink") == jobs.digest("here.ink")


def uncut(files: list[str], maps: int) -> int:
    """How many of `maps` maps there are, as one reads a compressed file whole, of any share."""
    text = {name: pathlib.Path(name).stat().st_size * (4 if name.endswith(".gz") else 1) for name in files}
    share = sum(text.values()) / maps
    return maps - sum(max(0, int(size / share) - 1) for name, size in text.items() if name.endswith(".gz"))


@pytest.mark.parametrize(("maps", "reducers"), [(1, 3), (12, 1), (12, 3)])
def test_splits_and_reducers(jobs: Jobs, location: str, maps: int, reducers: int) -> None:
    files = put(jobs, location, 40_000)
    out = f"{location}/out"
    jobs.run(
        "build",
        KINDS,
        *READING,
        "--no-uber",
        "--reducers",
        str(reducers),
        "-D",
        f"mapreduce.job.maps={maps}",
        f"{location}/in",
        out,
    ).fine()
    job = jobs.job(location)
    expected = uncut(files, maps)
    assert expected - 1 <= job.counter(*LAUNCHED) <= expected + 1
    assert job.counter(*HANDED) == job.counter(*LAUNCHED)
    assert job.counter("Ink", "Records") == 40_000
    same_as_here(jobs, out, [KINDS, *READING], files)


def test_every_way_in_which_a_task_can_end(jobs: Jobs, location: str, faulty: str) -> None:
    """Maps: exit 1, SIGSEGV, SIGKILL. Reducers: SIGKILL of the JVM, SIGKILL in the middle of the PUT."""
    files = put(jobs, location, 20_000)
    out = f"{location}/out"
    faults = "ink.test.faults=m0=exit;m1=segv;m2=kill;r0=parent"
    with proxied(jobs.hdfs.address) as proxy:
        jobs.run(
            "build", KINDS, *READING, "--no-uber", "--ink", faulty, "-D", faults, "-D", "mapreduce.job.maps=5",
            "-D", f"dfs.namenode.http-address={proxy.name}", f"{location}/in", out,
        ).fine()  # fmt: skip
        assert proxy.killed and proxy.killed[0] > 0, "no process was killed in the middle of a PUT"
    job = jobs.job(location)
    assert job.attempts >= job.counter(*HANDED) * 4 + 3, "each map was tried four times, the reducer three times"
    assert job.counter("Ink", "Records") == 20_000
    assert list(jobs.hdfs.list(out)) == ["_SUCCESS", "part-00000.ink"]
    same_as_here(jobs, out, [KINDS, *READING], files)


def test_two_attempts_at_once(jobs: Jobs, location: str, faulty: str) -> None:
    """Speculative execution is forced: the first attempt of one map is slow. Each record counts once."""
    files = put(jobs, location, 200_000)
    out = f"{location}/out"
    settings = {
        "ink.test.faults": "m0@0=slow",
        "mapreduce.job.maps": "6",
        "mapreduce.map.speculative": "true",
        "mapreduce.job.speculative.speculative-cap-running-tasks": "1",
        "mapreduce.job.speculative.speculative-cap-total-tasks": "1",
        "mapreduce.job.speculative.minimum-allowed-tasks": "10",
        "mapreduce.job.speculative.slowtaskthreshold": "0.01",
        "mapreduce.job.speculative.retry-after-no-speculate": "500",
        "mapreduce.job.speculative.retry-after-speculate": "500",
        "mapreduce.task.progress-report.interval": "500",
    }
    words = [word for name, value in settings.items() for word in ("-D", f"{name}={value}")]
    jobs.run("build", KINDS, *READING, "--no-uber", "--ink", faulty, *words, f"{location}/in", out).fine()
    job = jobs.job(location)
    assert (
        job.counter("org.apache.hadoop.mapreduce.JobCounter", "NUM_KILLED_MAPS") > 0
    ), "no attempt was made for another"
    assert job.counter("Ink", "Records") == 200_000
    assert list(jobs.hdfs.list(out)) == ["_SUCCESS", "part-00000.ink"]
    same_as_here(jobs, out, [KINDS, *READING], files)


def numbers(jobs: Jobs, location: str, count: int) -> str:
    """`count` keys, one a line."""
    path = jobs.folder / "numbers.txt"
    with open(path, "w", encoding="ascii") as file:
        file.writelines(f"{n}\n" for n in range(count))
    jobs.hdfs.write(f"{location}/in/numbers.txt", path)
    return str(path)


@pytest.mark.parametrize(
    "kind", [["bloom", "-n", "9e7"], ["count-min", "--width", "13000000", "--depth", "2"], ["classic", "-n", "8e7", "-p", "0.01"]],
    ids=lambda kind: kind[0],
)  # fmt: skip
def test_a_sketch_of_100_megabytes(jobs: Jobs, location: str, kind: list[str]) -> None:
    """Whose JVMs have 640 MB: by ranges where the plan says so, otherwise in slices."""
    path = numbers(jobs, location, 3_000_000)
    out = f"{location}/out"
    jobs.run("build", *kind, "-D", "mapreduce.job.maps=2", "--no-uber", f"{location}/in", out).fine()
    listed = jobs.hdfs.list(out)
    assert list(listed) == ["_SUCCESS", "part-00000.ink"] and listed["part-00000.ink"] > 95_000_000
    same_as_here(jobs, out, kind, [path])


def test_a_million_small_groups(jobs: Jobs, location: str, faulty: str) -> None:
    """The map stays below its cap for any number of groups."""
    path = jobs.folder / "groups.csv"
    with open(path, "w", encoding="ascii") as file:
        file.writelines(f"{n},{n * 7919 % 1_000_000}\n" for n in range(2_000_000))
    jobs.hdfs.write(f"{location}/in/groups.csv", path)
    out = f"{location}/out"
    how = ["bloom", "--key", "1", "--by", "2"]
    faults = "ink.test.faults=m0=peak"
    jobs.run(
        "build",
        *how,
        "--no-uber",
        "--ink",
        faulty,
        "-D",
        faults,
        "-D",
        "mapreduce.job.maps=1",
        f"{location}/in",
        out,
    ).fine()
    job = jobs.job(location)
    assert 0 < job.counter("Test", "Peak kB") <= 256 * 1024
    assert job.counter("Ink", "Records") == 2_000_000
    same_as_here(jobs, out, how, [str(path)])
