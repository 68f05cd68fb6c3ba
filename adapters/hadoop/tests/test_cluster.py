"""The cluster for tests: it starts, listens on loopback alone, and is stopped without a trace of others.

Most is asked of the one cluster of the run. What has to be seen at a start or at an end is seen on a cluster
whose first daemon cannot start, and on processes that stand for daemons.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from localcluster import daemons, running, settings, state
from localcluster.client import Cluster
from localcluster.ports import choose_ports, is_free
from localcluster.processes import Process, processes_in, stop_all_in

COMMAND = pathlib.Path(__file__).resolve().parents[1] / "cluster"
NAMES = [daemon.name for daemon in daemons.DAEMONS]
SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


def cluster_command(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(COMMAND), *words], env={**os.environ, **more}, text=True, capture_output=True, check=False,
        timeout=300, stdin=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.fixture
def sleeper(tmp_path: pathlib.Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is not ours."""
    with subprocess.Popen(SLEEP, cwd=tmp_path) as one:
        yield one
        one.kill()


def known(one: subprocess.Popen[bytes]) -> Process:
    process = Process.of(one.pid)
    assert process is not None
    return process


def a_state(folder: pathlib.Path, **processes: Process) -> state.State:
    """A cluster's folder as it is found after `up`."""
    made = state.State(folder.resolve(), ports=dict.fromkeys(settings.PORTS, 1), daemons=processes)
    made.save()
    return made


# ---- The one that runs -----------------------------------------------------------------------------


def test_all_five_work_as_status_says(cluster: Cluster) -> None:
    done = cluster_command("status", str(cluster.folder))
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == NAMES
    assert all(re.search(r" works, process \d+, http://127\.0\.0\.1:\d+$", line) for line in lines)
    listed = {int(re.findall(r"process (\d+)", line)[0]) for line in lines}
    assert listed == {process.number for process in cluster.state.daemons.values()} and len(listed) == 5


def test_a_second_up_starts_nothing_and_shows_a_shell_how_to_use_it(cluster: Cluster) -> None:
    before = (cluster.folder / state.FILE).read_bytes()
    done = cluster_command("up", str(cluster.folder))
    assert (done.returncode, done.stderr) == (0, "")
    assert (cluster.folder / state.FILE).read_bytes() == before
    script = 'eval "$1"; printf "%s\\n" "$HADOOP_CONF_DIR" "$INK_HADOOP_JARS" "$JAVA_HOME"'
    shown = subprocess.run(
        ["bash", "-c", script, "-", done.stdout],
        text=True, capture_output=True, check=True,
    )  # fmt: skip
    assert shown.stdout.splitlines() == [str(cluster.conf), str(cluster.jars), cluster.state.java]


def test_other_settings_are_refused_while_it_runs(cluster: Cluster) -> None:
    done = cluster_command("up", "-D", "dfs.replication=3", str(cluster.folder))
    assert done.returncode == 1 and "runs with other settings, expected none" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def opened_by(number: int) -> set[str]:
    """What the descriptors of a process stand for; those that are closed while they are looked at are left out."""
    opened = set()
    for entry in os.scandir(f"/proc/{number}/fd"):
        with contextlib.suppress(FileNotFoundError):
            opened.add(os.readlink(entry.path))
    return opened


def listeners(numbers: set[int]) -> set[tuple[str, int]]:
    """Addresses, as the kernel writes them, and ports on which these processes listen."""
    inodes = set()
    for number in numbers:
        sockets = (re.fullmatch(r"socket:\[(\d+)\]", opened) for opened in opened_by(number))
        inodes |= {found[1] for found in sockets if found}
    listening = set()
    for name in ("tcp", "tcp6"):
        for line in pathlib.Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                address, _, port = fields[1].rpartition(":")
                listening.add((address, int(port, 16)))
    return listening


def on_loopback(address: str) -> bool:
    """127.0.0.1, alone or mapped into the newer family."""
    return address in ("0100007F", "0000000000000000FFFF00000100007F")


def test_they_listen_on_loopback_alone_and_on_every_port_that_was_chosen(cluster: Cluster) -> None:
    found = listeners({process.number for process in cluster.state.daemons.values()})
    assert [address for address, _ in found if not on_loopback(address)] == []
    assert set(cluster.state.ports.values()) <= {port for _, port in found}
    assert len(set(cluster.state.ports.values())) == len(settings.PORTS)


def test_a_job_runs_on_it_and_its_processes_listen_on_loopback_alone(cluster: Cluster, location: str) -> None:
    cluster.hdfs.write(f"{location}/in", b"b\na\nb\n")
    words = ["-D", "mapreduce.job.reduces=1", "-D", "mapreduce.job.maps=1", "-input", f"{location}/in"]
    words += ["-output", f"{location}/out", "-mapper", "cat", "-reducer", "uniq -c"]
    main = "org.apache.hadoop.streaming.HadoopStreaming"
    seen: set[tuple[str, int]] = set()
    with subprocess.Popen(
        cluster.command(main, *words), env=cluster.environment(), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
    ) as job:  # fmt: skip
        try:
            while job.poll() is None:
                seen |= listeners_of_tasks(cluster)
                time.sleep(0.2)
            assert job.stderr is not None
            said = job.stderr.read()
        finally:
            job.kill()
    assert job.returncode == 0, said
    counted = cluster.hdfs.read(f"{location}/out/part-00000").decode().split()
    assert counted == ["1", "a", "2", "b"]
    assert seen and [address for address, _ in seen if not on_loopback(address)] == []
    ended = cluster.job()
    assert (ended.state, ended.counter("org.apache.hadoop.mapreduce.TaskCounter", "MAP_INPUT_RECORDS")) == (
        "SUCCEEDED",
        3,
    )
    assert ended.cpu_seconds() > 0


def listeners_of_tasks(cluster: Cluster) -> set[tuple[str, int]]:
    found = set()
    for process in processes_in(running.containers_folder(cluster.folder)):
        try:
            found |= listeners({process.number})
        except OSError:
            pass  # it ended meanwhile
    return found


def starts_with(path: str, folders: list[pathlib.Path]) -> bool:
    return any(pathlib.PurePath(path).is_relative_to(folder) for folder in folders)


def test_everything_it_writes_is_in_its_folder(cluster: Cluster) -> None:
    folders = [cluster.folder, cluster.jars]
    kept = {entry.name for entry in cluster.folder.iterdir()}
    assert kept == {"conf", "data", "logs", "tmp", state.FILE, state.LOCK, settings.LOOPBACK_LIBRARY}
    for process in cluster.state.daemons.values():
        command = pathlib.Path(f"/proc/{process.number}/cmdline").read_text().split("\0")
        assert f"-Djava.io.tmpdir={cluster.folder}/tmp" in command
        written = opened_by(process.number)
        maps = pathlib.Path(f"/proc/{process.number}/maps").read_text().splitlines()
        written |= {line.split(maxsplit=5)[5] for line in maps if len(line.split(maxsplit=5)) == 6}
        strange = [path for path in written if path.startswith("/tmp/") and not starts_with(path, folders)]
        assert strange == []


# ---- Stopping --------------------------------------------------------------------------------------


def test_down_stops_what_was_started_and_nothing_else(
    tmp_path: pathlib.Path, sleeper: subprocess.Popen[bytes]
) -> None:
    with subprocess.Popen(SLEEP, cwd=tmp_path) as one, subprocess.Popen(SLEEP) as other:
        a_state(tmp_path, NameNode=known(one), NodeManager=known(other))
        done = cluster_command("down", str(tmp_path))
        assert (done.returncode, done.stdout) == (0, "2 processes stopped\n")
        assert (one.wait(), other.wait()) == (-signal.SIGTERM, -signal.SIGTERM)
    assert sleeper.poll() is None
    assert cluster_command("down", str(tmp_path)).stdout == "nothing ran\n"


def test_a_process_that_got_the_number_later_is_left_alone(
    tmp_path: pathlib.Path, sleeper: subprocess.Popen[bytes]
) -> None:
    real = known(sleeper)
    earlier = Process(real.number, real.start - 1, real.boot)
    other_boot = Process(real.number, real.start, "another boot")
    a_state(tmp_path, NameNode=earlier, DataNode=other_boot)
    assert cluster_command("status", str(tmp_path)).returncode == 3
    assert cluster_command("down", str(tmp_path)).stdout == "nothing ran\n"
    assert sleeper.poll() is None


def test_a_process_that_does_not_end_when_asked_is_killed(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deaf = "import signal as s, time; s.signal(s.SIGTERM, s.SIG_IGN); print(flush=True); time.sleep(600)"
    monkeypatch.setattr(running, "GRACE_SECONDS", 0.1)
    with subprocess.Popen([sys.executable, "-c", deaf], stdout=subprocess.PIPE) as one:
        assert one.stdout is not None and one.stdout.readline() == b"\n"
        a_state(tmp_path, DataNode=known(one))
        assert running.down(tmp_path) == 1
        assert one.wait() == -signal.SIGKILL


def test_tasks_that_outlive_their_nodemanager_are_ended_with_what_they_started(
    tmp_path: pathlib.Path, sleeper: subprocess.Popen[bytes]
) -> None:
    work = tmp_path / "data" / "containers" / "usercache" / "container_1"
    work.mkdir(parents=True)
    # A shell that ignores signals and has a child, as tasks have.
    script = "trap '' TERM; sleep 600 & echo; wait"
    with subprocess.Popen(["bash", "-c", script], cwd=work, stdout=subprocess.PIPE) as task:
        assert task.stdout is not None and task.stdout.readline() == b"\n"
        shutil.rmtree(work)  # as the NodeManager does with the folder of a job that ended
        a_state(tmp_path)
        assert len(processes_in(tmp_path / "data" / "containers")) == 2
        assert cluster_command("down", str(tmp_path)).stdout == "2 processes stopped\n"
        assert task.wait() == -signal.SIGKILL
    assert stop_all_in(tmp_path / "data" / "containers") == 0
    assert sleeper.poll() is None


def test_down_with_delete_removes_the_folder_of_a_cluster_alone(tmp_path: pathlib.Path) -> None:
    ours, others = tmp_path / "ours", tmp_path / "others"
    ours.mkdir()
    a_state(ours)
    others.mkdir()
    (others / "letter").write_text("dear")
    assert cluster_command("down", "--delete", str(ours)).returncode == 0
    assert not ours.exists()
    done = cluster_command("down", "--delete", str(others))
    assert done.returncode == 1 and "found a folder with letter in it, expected a cluster's" in done.stderr
    assert (others / "letter").exists()


# ---- Starting --------------------------------------------------------------------------------------


def test_a_daemon_that_ends_at_the_start_is_one_line_and_nothing_is_left(
    cluster: Cluster, tmp_path: pathlib.Path
) -> None:
    # The NameNode of this one cannot be, so what else was started is stopped.
    folder = tmp_path / "broken"
    done = cluster_command("up", "-D", "dfs.namenode.http-address=127.0.0.1:1x", str(folder),
                           INK_HADOOP_JARS=str(cluster.jars))  # fmt: skip
    said = [line for line in done.stderr.splitlines() if not line.startswith("cluster: starting ")]
    assert done.returncode == 1 and len(said) == 1, done.stderr
    assert re.match(
        r"cluster: NameNode ended at the start, exit code 1: .*127\.0\.0\.1:1x.*; all of it: ", said[0]
    )
    assert json.loads((folder / state.FILE).read_text())["daemons"] == {}
    assert cluster_command("status", str(folder)).returncode == 3
    # The one of the run, whose processes look the same, is whole.
    assert cluster.state.running().keys() == set(NAMES)


@pytest.mark.long
def test_it_can_be_stopped_and_started_again_with_its_files(cluster: Cluster, tmp_path: pathlib.Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INK_HADOOP_JARS", str(cluster.jars))
        folder = tmp_path / "twice"
        try:
            first = Cluster(running.up(folder))
            first.hdfs.write("/kept", b"still here")
            # One that died is started again, the others are left as they are.
            first.state.daemons["NodeManager"].stop(0)
            mended = running.up(folder)
            assert mended.running().keys() == set(NAMES)
            assert {name for name in NAMES if mended.daemons[name] != first.state.daemons[name]} == {
                "NodeManager"
            }
            assert running.down(folder) == len(NAMES)
            assert not any(process.runs() for process in mended.daemons.values())
            # The other cluster, whose processes look the same, is whole.
            assert cluster.state.running().keys() == set(NAMES)
            # A port that another process took meanwhile is another one.
            with socket.create_server(("127.0.0.1", mended.ports["namenode_web"])):
                second = Cluster(running.up(folder))
            assert second.state.ports["namenode_web"] != mended.ports["namenode_web"]
            assert second.hdfs.read("/kept") == b"still here"
        finally:
            running.down(folder, delete=True)
    assert not folder.exists()


def test_a_port_that_is_taken_between_looking_and_starting_is_tried_anew(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []

    def start_daemons(made: state.State, say: running.Say) -> None:
        tries.append(dict(made.ports))
        if len(tries) < 3:
            raise running.PortTakenError("Port in use")

    monkeypatch.setattr(running, "start_daemons", start_daemons)
    said: list[str] = []
    made = state.State(tmp_path)
    running.bring_up(made, said.append)
    assert len(tries) == 3 and tries[0] != tries[1] != tries[2] == made.ports
    assert said == ["a port was taken meanwhile: once more with others"] * 2
    assert f":{made.ports['namenode']}<" in (tmp_path / "conf" / "core-site.xml").read_text()


def test_the_last_words_of_a_log_say_why() -> None:
    bind = (
        "2026-01-01 00:00:00 ERROR namenode.NameNode: Failed to start namenode.\n"
        "java.net.BindException: Port in use: 127.0.0.1:9870\n\tat org.apache.hadoop.X.y(X.java:1)\n"
        "2026-01-01 00:00:00 INFO util.ExitUtil: Exiting with status 1: java.net.BindException: Port in use: "
        "127.0.0.1:9870\n/****\nSHUTDOWN_MSG: Shutting down NameNode at h/127.0.0.1\n****/\n"
    )
    assert daemons.last_words(bind) == "java.net.BindException: Port in use: 127.0.0.1:9870"
    assert daemons.port_was_taken(daemons.last_words(bind))
    error = "2026-01-01 00:00:00 ERROR a.B: Cannot.\njava.io.IOException: no room\n\tat a.B.c(B.java:1)\n"
    assert daemons.last_words(error) == "java.io.IOException: no room"
    assert daemons.last_words("2026-01-01 00:00:00 FATAL a.B: Gone.\n") == "a.B: Gone."
    assert daemons.last_words("Error: Could not find or load main class X\n\n") == (
        "Error: Could not find or load main class X"
    )
    assert daemons.last_words("") == "nothing is in its log"


def test_a_folder_that_holds_something_else_is_refused(tmp_path: pathlib.Path) -> None:
    (tmp_path / "letter").write_text("dear")
    done = cluster_command("up", str(tmp_path))
    assert done.returncode == 1
    assert (
        done.stderr
        == f"cluster: {tmp_path}: found a folder with letter in it, expected a cluster's or an empty one\n"
    )
    done = cluster_command("up", str(tmp_path / "letter"))
    assert done.returncode == 1 and "found a file, expected a folder" in done.stderr


def test_a_path_that_hadoop_would_take_apart_is_refused(tmp_path: pathlib.Path) -> None:
    done = cluster_command("up", str(tmp_path / "a,b"))
    assert (
        done.returncode == 1
        and "a,b: found ',' in it, expected a path of letters, digits and " in done.stderr
    )
    assert not (tmp_path / "a,b").exists()


def test_missing_jars_are_named_with_what_fetches_them(tmp_path: pathlib.Path) -> None:
    done = cluster_command("up", str(tmp_path / "c"), INK_HADOOP_JARS=str(tmp_path))
    assert (
        done.returncode == 1
        and 'run "make hadoop-jars"' in done.stderr
        and len(done.stderr.splitlines()) == 1
    )
    done = cluster_command("up", str(tmp_path / "c"), INK_HADOOP_JARS="", XDG_CACHE_HOME=str(tmp_path))
    assert done.returncode == 1 and f"{tmp_path}/inkling/hadoop-" in done.stderr


def test_ports_are_free_and_below_those_of_connections() -> None:
    names = [str(number) for number in range(50)]
    ports = choose_ports(names)
    assert list(ports) == names and len(set(ports.values())) == len(names)
    first = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    assert all(port < first for port in ports.values()) or first < 12_000
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert not is_free(taken.getsockname()[1])


def test_a_setting_stands_in_the_file_in_which_hadoop_heeds_it(tmp_path: pathlib.Path) -> None:
    ports = dict.fromkeys(settings.PORTS, 1)
    more = {"dfs.replication": "3", "mapreduce.map.memory.mb": "2048", "yarn.x": "<&>", "x.y": "z"}
    conf = settings.write_settings(tmp_path, tmp_path / "jars", ports, more)
    written = {path.name: path.read_text() for path in conf.glob("*.xml")}
    assert "<name>dfs.replication</name><value>3</value>" in written["hdfs-site.xml"]
    assert written["hdfs-site.xml"].count("dfs.replication<") == 1
    assert "<name>mapreduce.map.memory.mb</name><value>2048</value>" in written["mapred-site.xml"]
    assert "<name>yarn.x</name><value>&lt;&amp;&gt;</value>" in written["yarn-site.xml"]
    assert "<name>x.y</name><value>z</value>" in written["core-site.xml"]
