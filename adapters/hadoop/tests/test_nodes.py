"""Hadoop on several nodes of this machine, of which some are lost while ink reads, writes, or runs as a job.

What was written to HDFS is whole then and right, or it is not there and one line says why. What is read is
right. NameNodes, of which one takes over from the other, change no result.
"""

from __future__ import annotations

import contextlib
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import IO

import nodes
import pytest
from known_jobs import COMMAND, Ran, run
from known_nodes import WORKERS, Town, town, wait
from nodes import Node, why_not

pytestmark = pytest.mark.long

MIB = 1 << 20


@pytest.fixture(scope="module")
def cluster() -> Iterator[Town]:
    """Hadoop on six nodes, for all tests here."""
    refused = why_not()
    if refused:
        pytest.skip(f"Hadoop on several nodes was not run: {refused}")
    with tempfile.TemporaryDirectory(prefix="inkling-town-") as folder, town(pathlib.Path(folder)) as there:
        yield there


def described(value: object) -> str:
    """Who is lost, how, and what comes of it."""
    return str(getattr(value, "__name__", value))


SLEEP = ["sleep", "98765"]
SLEEPS = f"""
from nodes import nodes
with nodes("one") as there:
    there["one"].run(*{SLEEP})
"""


def sleepers() -> list[pathlib.Path]:
    """The processes that sleep so long."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found += [path] if path.read_text().split("\0")[:-1] == SLEEP else []
    return found


def test_what_runs_on_nodes_ends_with_the_program_that_started_them() -> None:
    """Also if that is killed, and can do nothing about it."""
    refused = why_not()
    if refused:
        pytest.skip(f"nodes were not tried: {refused}")
    with subprocess.Popen([sys.executable, "-c", SLEEPS], cwd=pathlib.Path(nodes.__file__).parent) as program:
        wait(20, "a process on a node", lambda: len(sleepers()) == 1)
        program.kill()
    wait(20, "its end", lambda: sleepers() == [])


# ---- Files -----------------------------------------------------------------------------------------


def busy_worker(cluster: Town, since: dict[str, int], least: int) -> str:
    """The worker that has sent `least` bytes since then: it sends a file, or passes on one that it stores."""
    found = ""

    def there() -> bool:
        nonlocal found
        found = max(WORKERS, key=lambda name: cluster.nodes[name].sent() - since[name])
        return cluster.nodes[found].sent() - since[found] >= least

    wait(60, "a worker that sends", there, 0.001)
    return found


def lost(
    cluster: Town, who: str, how: Callable[[Node], None], busy: str
) -> contextlib.AbstractContextManager[None]:
    """A node is lost: the active NameNode, the worker that is busy, or the other one."""
    names = {"NameNode": cluster.active(), "worker": busy, "other worker": cluster.other(busy)}
    return cluster.lost(names[who], how)


def sent(cluster: Town) -> dict[str, int]:
    return {name: cluster.nodes[name].sent() for name in WORKERS}


def started(cluster: Town, *words: str, given: int | IO[bytes] = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    """A program on the user's node."""
    return subprocess.Popen(
        cluster.user.command(*words), env=cluster.environment(), stdin=given, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip


def ended(program: subprocess.Popen[bytes]) -> Ran:
    """The same when it has ended, which it has to within five minutes."""
    try:
        out, said = program.communicate(timeout=300)
    except subprocess.TimeoutExpired:
        program.kill()  # what runs on the node ends with the node
        raise
    return Ran(program.returncode, out.decode(), said.decode())


@pytest.mark.parametrize(
    ("who", "how"),
    [("NameNode", Node.end), ("NameNode", Node.lose), ("worker", Node.end)],
    ids=described,
)
def test_lost_while_files_are_read(
    cluster: Town, ink: str, tmp_path: pathlib.Path, who: str, how: Callable[[Node], None]
) -> None:
    """The reader waits, in the first of two files, until what it prints is taken."""
    lines = [f"{number}\n" for number in range(4_000_000)]
    parts = "".join(lines[0::2]).encode(), "".join(lines[1::2]).encode()
    with cluster.user.inside():
        for number, part in enumerate(parts):
            cluster.hdfs().write(f"/in/{number}", part)
    none = tmp_path / "none.ink"
    run([ink, "build", "bloom", "-n", "10", "-o", str(none), "/dev/null"], cluster.environment()).fine()
    before = sent(cluster)
    addresses = [cluster.address(f"/in/{number}") for number in range(2)]
    with started(cluster, ink, "filter", "-v", str(none), *addresses) as reader:
        assert reader.stdout is not None and reader.stderr is not None
        found = reader.stdout.read(MIB)
        with lost(cluster, who, how, busy_worker(cluster, before, 1)):
            found += reader.stdout.read()
            said = reader.stderr.read()
            assert (reader.wait(), said) == (0, b"")
    assert found == b"".join(parts)


KEYS, JOB_KEYS = 2_000_000, 600_000
SKETCH = ["bloom", "-n", "2e8", "-p", "0.01"]  # 300 MB: it takes a second to be written


@pytest.mark.parametrize(
    ("who", "how", "stored"),
    [
        ("NameNode", Node.end, True),
        ("other worker", Node.end, True),
        ("worker", Node.end, False),
        ("worker", Node.unplug, False),
    ],
    ids=described,
)
def test_lost_while_a_file_is_written(
    cluster: Town, ink: str, tmp_path: pathlib.Path, who: str, how: Callable[[Node], None], stored: bool
) -> None:
    """Of two copies the second may be lost; where the worker is lost that takes the bytes, nothing is stored."""
    keys, pieces, here = tmp_path / "keys", tmp_path / "pieces", tmp_path / "here.ink"
    keys.write_text("".join(f"{number}\n" for number in range(KEYS)))
    environment = cluster.environment()
    with open(keys, "rb") as given, open(pieces, "wb") as taken:
        subprocess.run([ink, "map", *SKETCH], stdin=given, stdout=taken, check=True)
    run([ink, "build", *SKETCH, "-o", str(here), str(keys)], environment).fine()
    with cluster.user.inside():
        cluster.hdfs().make_folder("/out")
        cluster.hdfs().remove("/out/made.ink")
    before = sent(cluster)
    with open(pieces, "rb") as given:
        writer = started(cluster, ink, "reduce", *SKETCH, "-o", cluster.address("/out/made.ink"), given=given)
    with writer, lost(cluster, who, how, busy_worker(cluster, before, 40 * MIB)):
        assert writer.poll() is None, "it was written too quickly"
        done = ended(writer)
    with cluster.user.inside():
        left = cluster.hdfs().list("/out")
        if stored:
            assert done.fine() == "" and list(left) == ["made.ink"]
            assert cluster.hdfs().read("/out/made.ink") == here.read_bytes()
        else:
            assert "10.77.0." in done.failed(4)
            assert left == {}


# ---- Jobs ------------------------------------------------------------------------------------------


def build(cluster: Town, ink: str, folder: pathlib.Path, out: str) -> tuple[subprocess.Popen[bytes], str]:
    """A job that builds sketches of keys in HDFS, while it runs; and the digest that they have."""
    keys, here, temporary = folder / "keys", folder / "here.ink", folder / "temporary"
    keys.write_text("".join(f"{number}\n" for number in range(JOB_KEYS)))
    temporary.mkdir()
    environment = cluster.environment()
    run([ink, "build", "bloom,hll", "-o", str(here), str(keys)], environment).fine()
    with cluster.user.inside():
        cluster.hdfs().write("/keys", keys)
        cluster.hdfs().remove(out)
    words = ["--no-uber", "-D", "mapreduce.job.maps=6", "/keys", out]
    job = started(cluster, "env", f"TMPDIR={temporary}", str(COMMAND), "build", "bloom,hll", *words)
    return job, run([ink, "info", "--digest", str(here)], environment).fine()


def check_built(cluster: Town, ink: str, folder: pathlib.Path, out: str, digest: str) -> None:
    """The folder in HDFS holds the sketches, and nothing else."""
    made = folder / "made.ink"
    with cluster.user.inside():
        assert list(cluster.hdfs().list(out)) == ["_SUCCESS", "part-00000.ink"]
        made.write_bytes(cluster.hdfs().read(f"{out}/part-00000.ink"))
    assert run([ink, "info", "--digest", str(made)], cluster.environment()).fine() == digest


@pytest.mark.parametrize(("who", "how"), [("NameNode", Node.end), ("worker", Node.lose)], ids=described)
def test_lost_while_a_job_runs(
    cluster: Town, ink: str, tmp_path: pathlib.Path, who: str, how: Callable[[Node], None]
) -> None:
    job, digest = build(cluster, ink, tmp_path, "/built")
    with job, lost(cluster, who, how, cluster.at_work()):
        ended(job).fine()
    check_built(cluster, ink, tmp_path, "/built", digest)


def test_a_worker_whose_disk_is_full(cluster: Town, ink: str, tmp_path: pathlib.Path) -> None:
    """Maps that find no room for what they have to say are run elsewhere."""
    with cluster.small_disk(WORKERS[0], "6m"):
        job, digest = build(cluster, ink, tmp_path, "/built")
        with job:
            ended(job).fine()
        assert cluster.failed_maps() > 0, "the disk was never full"
    check_built(cluster, ink, tmp_path, "/built", digest)
