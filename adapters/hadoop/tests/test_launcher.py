"""The hadoop command of a machine: a stand-in for it records what it was given, and does as planned."""

from __future__ import annotations

import bz2
import json
import os
import pathlib
import re
import shlex
import shutil
import stat
from collections.abc import Iterator

import pytest
from fake_webhdfs import Fake, served
from known_jobs import Ran, run
from test_before import Here

# Keeps its words and environment, writes files into the HDFS of the test, and says what a client says.
HADOOP = """#!/usr/bin/env python3
import http.client, json, os, pathlib, shutil, sys
folder = pathlib.Path(sys.argv[0]).resolve().parents[1]
plan = json.loads((folder / "plan.json").read_text())
words = sys.argv[1:]
calls = folder / "calls.json"
known = json.loads(calls.read_text()) if calls.exists() else []
calls.write_text(json.dumps(known + [{"words": words, "options": os.environ.get("HADOOP_CLIENT_OPTS", "")}]))
if "-kill" in words:
    sys.exit(0)
for name in ("ink-map", "ink-reduce"):
    for uri in words[words.index("-files") + 1].split(","):
        if uri.endswith("/" + name):
            shutil.copy(uri.removeprefix("file://"), folder / name)
for path, text in plan["files"].items():
    body = pathlib.Path(text[1:]).read_bytes() if text[:1] == "@" else text.encode()
    connection = http.client.HTTPConnection(plan["address"])
    connection.request("PUT", f"/webhdfs/v1{path}?op=CREATE&overwrite=true&user.name=x&datanode=true", body=body)
    connection.getresponse().read()
sys.stderr.write(plan["said"])
sys.exit(plan["code"])
"""
SUCCEEDED = """INFO JobSubmitter: Submitting tokens for job: job_1_0003
INFO Job: Running job: job_1_0003
INFO Job:  map 100% reduce 100%
INFO Job: Job job_1_0003 completed successfully
INFO Job: Counters: 1
\tInk
\t\tRecords=2
\t\tBad records=0
\t\tSketches=1
"""
FAILED = """INFO JobSubmitter: Submitting tokens for job: job_1_0003
INFO Job: Task Id : attempt_1_0003_m_000000_0, Status : FAILED
Error: java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): subprocess failed with code 3
\tat x.Y.z(Y.java:1)

INFO Job: Job job_1_0003 failed with state FAILED due to: Task failed task_1_0003_m_000000
Job failed as tasks failed. failedMaps:1 failedReduces:0 killedMaps:0 killedReduces: 0

ERROR StreamJob: Job not successful!
"""


class Machine(Here):
    """A machine with a hadoop command."""

    def __init__(self, fake: Fake, folder: pathlib.Path, static_ink: str) -> None:
        super().__init__(fake, folder, static_ink)
        self.home = folder / "hadoop"
        (self.home / "bin").mkdir(parents=True)
        (self.home / "share/hadoop/tools/lib").mkdir(parents=True)
        self.jar = self.home / "share/hadoop/tools/lib/hadoop-streaming-3.4.2.jar"
        self.jar.touch()
        (self.home / "share/hadoop/tools/lib/hadoop-streaming-3.4.2-sources.jar").touch()
        self.command = self.home / "bin" / "hadoop"
        self.command.write_text(HADOOP, encoding="utf-8")
        self.command.chmod(0o755)
        self.environment["HADOOP_HOME"] = str(self.home)
        self.environment["INK_HADOOP_JARS"] = ""
        self.plan(SUCCEEDED, 0, {"/out/part-00000.ink": "sketches", "/out/_SUCCESS": ""})

    def plan(self, said: str, code: int, files: dict[str, str]) -> None:
        """What the command will say and do: files by their text, or by the name of a local one after @."""
        plan = {"said": said, "code": code, "files": files, "address": self.fake.name}
        (self.home / "plan.json").write_text(json.dumps(plan), encoding="utf-8")

    def calls(self) -> list[dict[str, object]]:
        """How it was called."""
        found: list[dict[str, object]] = json.loads((self.home / "calls.json").read_text(encoding="utf-8"))
        return found

    def words(self) -> list[str]:
        """The words of its one call."""
        (call,) = self.calls()
        words = call["words"]
        assert isinstance(words, list)
        return words

    def after(self, option: str) -> list[str]:
        """What stands after each of an option."""
        words = self.words()
        return [words[at + 1] for at, word in enumerate(words) if word == option]


@pytest.fixture
def machine(tmp_path: pathlib.Path, static_ink: str) -> Iterator[Machine]:
    with served() as fake:
        fake.put("/in/a.tsv", b'id\tit\'s a "group" of $HOME\n1\tx\n2\ty\n')
        yield Machine(fake, tmp_path, static_ink)


BUILD = ("build", "bloom,hll", "-p", "0.02", "--header", "--key", "id", "--by", 'it\'s a "group" of $HOME')


def test_what_hadoop_is_given(machine: Machine) -> None:
    machine.run(*BUILD, "--queue", "night", "-D", "a.b=c d", "/in", "/out").fine()
    words = machine.words()
    assert words[:2] == ["jar", str(machine.jar)]
    assert max(at for at, word in enumerate(words) if word in ("-D", "-files")) < words.index(
        "-input"
    ), "generic options come first"
    settings = dict(setting.split("=", 1) for setting in machine.after("-D"))
    assert settings["mapreduce.job.queuename"] == "night" and settings["a.b"] == "c d"
    assert settings["mapreduce.job.reduces"] == "1" and settings["mapreduce.job.ubertask.enable"] == "true"
    assert {settings[f"stream.{side}"] for side in ("map.output", "reduce.input", "reduce.output")} == {
        "rawbytes"
    }
    assert machine.after("-output") == ["hdfs://nn:8020/out"]
    assert machine.after("-cmdenv") == [f"INK_WEBHDFS={machine.fake.name}", "INK_HDFS_USER=ann"]
    assert machine.after("-outputformat") == ["org.apache.hadoop.mapred.lib.NullOutputFormat"]
    options = str(machine.calls()[0]["options"])
    assert "-Dlog4j.configuration=file:" in options and "-Djava.io.tmpdir=" in options


def lists(machine: Machine) -> list[tuple[str, bytes]]:
    """The lists of splits that were written."""
    return [(path, data) for path, data in machine.fake.written.items() if path.endswith("/maps")]


def test_ink_is_given_what_to_read(machine: Machine) -> None:
    """The list of splits is input enough, and gone at the end."""
    machine.run(*BUILD, "-D", "mapreduce.job.maps=2", "/in", "/out").fine()
    ((path, text),) = lists(machine)
    assert machine.after("-input") == [f"hdfs://nn:8020{path}"]
    assert path.startswith("/.out.") and path.endswith("/maps") and path not in machine.fake.files
    length = len(machine.fake.files["/in/a.tsv"] or b"")
    half = (length + 1) // 2
    name = "hdfs://nn:8020/in/a.tsv"
    assert text.decode() == f"0\t{half}\t{name}\n{half}\t{length - half}\t{name}\n"
    assert machine.after("-inputformat") == ["org.apache.hadoop.mapred.lib.NLineInputFormat"]
    settings = machine.after("-D")
    assert "mapreduce.input.lineinputformat.linespermap=1" in settings
    assert "stream.map.input.ignoreKey=true" in settings
    assert "--splits" in shlex.split((machine.home / "ink-map").read_text(encoding="utf-8"))
    assert "--splits" not in (machine.home / "ink-reduce").read_text(encoding="utf-8")


@pytest.mark.parametrize("why", ["--lines", "compressed", "comma"])
def test_or_hadoop_reads_lines(machine: Machine, why: str) -> None:
    if why == "compressed":
        machine.fake.put("/in/b.tsv.bz2", bz2.compress(machine.fake.files["/in/a.tsv"] or b""))
    out = "/a,b" if why == "comma" else "/out"
    if why == "comma":
        machine.plan(SUCCEEDED, 0, {f"{out}/part-00000.ink": "x", f"{out}/_SUCCESS": ""})
    machine.run(*BUILD, *(["--lines"] if why == "--lines" else []), "/in", out).fine()
    assert lists(machine) == [] == machine.after("-inputformat")
    assert machine.after("-input") == ["hdfs://nn:8020/in"]
    settings = dict(setting.split("=", 1) for setting in machine.after("-D"))
    assert settings["textinputformat.record.delimiter"] == "\n"
    assert "--splits" not in (machine.home / "ink-map").read_text(encoding="utf-8")


def test_jvms_are_cheap_and_the_client_attentive(machine: Machine) -> None:
    machine.run(*BUILD, "/in", "/out").fine()
    settings = dict(setting.split("=", 1) for setting in machine.after("-D"))
    for name in ("mapreduce.map.java.opts", "mapreduce.reduce.java.opts", "yarn.app.mapreduce.am.command-opts"):
        assert "-XX:TieredStopAtLevel=1" in settings[name] and "-Xmx" in settings[name]
    assert settings["mapreduce.client.progressmonitor.pollinterval"] == "300"


def test_containers_for_all_tasks_are_asked_for_whatever_the_cluster_has(machine: Machine) -> None:
    machine.run(*BUILD, "--no-uber", "/in", "/out").fine()
    settings = machine.after("-D")
    assert "mapreduce.job.ubertask.enable=false" in settings and "mapreduce.job.maps=1" not in settings


def test_words_reach_the_tasks_as_they_were_typed(machine: Machine) -> None:
    machine.run(*BUILD, "/in", "/out").fine()
    for name, half in (("ink-map", "map"), ("ink-reduce", "reduce")):
        first, second, *rest = (machine.home / name).read_text(encoding="utf-8").splitlines()
        assert first == "#!/bin/sh" and rest == []
        words = shlex.split(second)
        assert words[:4] == ["exec", "./ink", half, "bloom,hll"]
        assert list(BUILD[2:]) == [word for word in words if word in BUILD[2:]]
        assert '--header-line=id\tit\'s a "group" of $HOME' in words
        assert os.stat(machine.home / name).st_mode & stat.S_IXUSR


def test_settings_of_the_user_stand_above_ours(machine: Machine) -> None:
    machine.run(
        *BUILD, "-D", "mapreduce.job.reduces=3", "-D", "mapreduce.map.memory.mb=77", "/in", "/out"
    ).fine()
    settings = machine.after("-D")
    assert settings.count("mapreduce.job.reduces=3") == 1
    assert not any(
        setting.startswith("mapreduce.job.reduces=") and setting[-1] != "3" for setting in settings
    )
    assert "mapreduce.map.memory.mb=77" in settings
    assert "mapreduce.job.ubertask.enable=true" not in settings


def test_ranges_need_a_power_of_two(machine: Machine) -> None:
    line = machine.refused(2, "build", "bloom", "-n", "1e9", "--reducers", "3", "/in", "/out")
    assert line == "ink-hadoop: 3 reducers for ranges of keys, expected a power of two up to 256"


def test_a_secret_goes_with_the_job(machine: Machine) -> None:
    (machine.folder / "s.key").write_bytes(b"0123456789abcdef")
    machine.run("build", "bloom", "--secret", "s.key", "/in", "/out").fine()
    (files,) = machine.after("-files")
    assert any(uri.endswith("/ink-file-0") for uri in files.split(","))
    assert "--secret=ink-file-0" in (machine.home / "ink-map").read_text(encoding="utf-8")
    assert (
        machine.refused(4, "build", "bloom", "--secret", "t.key", "/in", "/o2")
        == "ink: t.key: No such file or directory"
    )


def failed(machine: Machine, files: dict[str, str], said: str = FAILED) -> Ran:
    machine.plan(said, 1, files)
    done = machine.run(*BUILD, "/in", "/out")
    assert sorted(machine.fake.files) == ["/", "/in", "/in/a.tsv"], "the output folder is gone"
    return done


def test_the_words_of_the_task_are_those_of_the_failure(machine: Machine) -> None:
    line = "ink: hdfs://nn/in/a.tsv: byte 12: line 2: found, expected"
    other = {
        "/out/_errors/attempt_1_0003_m_000007_0": "ink: another",
        "/out/_errors/attempt_1_0003_m_000000_0": line + "\n",
    }
    assert failed(machine, other).failed(3) == line


def test_the_last_words_of_the_task_count(machine: Machine) -> None:
    words = {"/out/_errors/attempt_1_0003_m_000000_1": "ink: first", "/out/_errors/attempt_1_0003_m_000000_0": "ink: last"}
    assert failed(machine, words).failed(3) == "ink: last"
    line = "ink: " + "x" * 5000
    assert failed(machine, {"/out/_errors/attempt_1_0003_m_000000_0": line}).failed(3) == line[:997] + "..."


def test_the_words_of_another_task_count_only_where_no_attempt_is_known(machine: Machine) -> None:
    other = {"/out/_errors/attempt_1_0003_r_000005_0": "ink: another"}
    assert failed(machine, other).failed(3).endswith("m_000000_0: exit code 3")
    said = SUCCEEDED.replace("completed successfully", "failed with state FAILED due to: no room")
    assert failed(machine, other, said).failed(1) == "ink: another"
    assert failed(machine, {}, said).failed(1) == "ink-hadoop: job_1_0003 failed: no room"


def test_the_task_reports_its_exit_code_where_hadoop_does_not(machine: Machine) -> None:
    said = FAILED.replace("failed with code 3", "failed")
    attempt = "/out/_errors/attempt_1_0003_m_000000_0"
    assert failed(machine, {attempt: "ink: memory\nexit code 5\n"}, said).failed(5) == "ink: memory"


def test_words_in_the_names_of_empty_files_count_too(machine: Machine) -> None:
    """Where a disk is full no text can be written, but names can."""
    attempt = "/out/_errors/attempt_1_0003_m_000000_0"
    names = [f"{attempt}%200%20ink%253A%20100%2525%20full", f"{attempt}%201%20%252Fgone"]
    assert failed(machine, dict.fromkeys(names, "")).failed(3) == "ink: 100% full/gone"


def test_without_words_the_exit_code_is_reported(machine: Machine) -> None:
    line = failed(machine, {}).failed(3)
    assert line == "ink-hadoop: job_1_0003 failed: attempt_1_0003_m_000000_0: exit code 3"


def test_signals_are_named(machine: Machine) -> None:
    line = failed(machine, {}, FAILED.replace("with code 3", "with code 139")).failed(1)
    assert line == "ink-hadoop: job_1_0003 failed: attempt_1_0003_m_000000_0: killed by signal 11 (SIGSEGV)"


def test_errors_of_attempts_that_were_repeated_are_removed(machine: Machine) -> None:
    machine.plan(
        SUCCEEDED,
        0,
        {"/out/part-00000.ink": "x", "/out/_SUCCESS": "", "/out/_errors/attempt_1_0003_m_000000_0": "ink: x"},
    )
    machine.run(*BUILD, "/in", "/out").fine()
    assert machine.fake.below("/out") == ["/out/_SUCCESS", "/out/part-00000.ink"]


def test_a_job_that_leaves_nothing_is_a_failure(machine: Machine) -> None:
    machine.plan(SUCCEEDED, 0, {"/out/_SUCCESS": ""})
    line = machine.run(*BUILD, "/in", "/out").failed(1)
    assert line == "ink-hadoop: hdfs://nn:8020/out: the job left no sketches, expected part-*.ink"
    assert "/out" not in machine.fake.files


def test_a_client_that_ends_well_without_a_success_is_none(machine: Machine) -> None:
    machine.plan(
        SUCCEEDED.replace("completed successfully", "failed with state KILLED due to: a user"), 0, {}
    )
    line = machine.run(*BUILD, "/in", "/out").failed(1)
    assert line == "ink-hadoop: job_1_0003 was killed: a user"


def test_pieces_of_a_ranged_build_become_one_file(machine: Machine, ink: str) -> None:
    """Of a sketch that is too large for one reducer; until then no file says that the job is done."""
    large = ("bloom", "-n", "5.5e7")
    (machine.folder / "n.txt").write_text("1\n2\n", encoding="utf-8")
    machine.fake.put("/n.txt", b"1\n2\n")
    run(["sh", "-c", f"{ink} map {shlex.join(large)} --ranged n.txt | {ink} reduce {shlex.join(large)} --ranged -o n.pieces"],
        os.environ, machine.folder).fine()  # fmt: skip
    run([ink, "build", *large, "-o", "n.ink", "n.txt"], os.environ, machine.folder).fine()
    machine.plan(SUCCEEDED, 0, {"/out/part-00000.pieces": f"@{machine.folder}/n.pieces"})
    machine.run("build", *large, "/n.txt", "/out").fine()
    assert machine.fake.below("/out") == ["/out/_SUCCESS", "/out/part-00000.ink"]
    assert machine.fake.files["/out/_SUCCESS"] == b""
    assert machine.fake.files["/out/part-00000.ink"] == (machine.folder / "n.ink").read_bytes()
    assert "mapreduce.fileoutputcommitter.marksuccessfuljobs=false" in machine.after("-D")
    for name in ("ink-map", "ink-reduce"):
        assert "--ranged" in shlex.split((machine.home / name).read_text(encoding="utf-8"))
    machine.plan(SUCCEEDED, 0, {})
    line = machine.run("build", *large, "/n.txt", "/o2").failed(1)
    assert line == "ink-hadoop: hdfs://nn:8020/o2: the job left no pieces, expected part-*.pieces"


PASSED = SUCCEEDED + "\t\tAdmitted=2\n\t\tRejected=1\n"


@pytest.mark.parametrize("options", [["--tsv"], ["--invert", "--json"], ["-q"], []], ids=" ".join)
def test_what_a_filter_found_is_printed_as_by_ink(machine: Machine, ink: str, options: list[str]) -> None:
    """As text if no form is named; what is said of groups is left out of a table, not of the others."""
    by = [] if "--tsv" in options else ["--by", "2"]
    (machine.folder / "in.tsv").write_text("1\tx\n2\ty\n3\tz\n", encoding="utf-8")
    (machine.folder / "set.tsv").write_text("1\tx\n2\ty\n", encoding="utf-8")
    how = ("--in", "tsv", "--key", "1")
    run([ink, "build", "bloom", *how, *by, "-o", "s.ink", "set.tsv"], os.environ, machine.folder).fine()
    machine.fake.put("/in/a.tsv", (machine.folder / "in.tsv").read_bytes())
    machine.plan(PASSED, 0, {})
    found = machine.run("filter", "./s.ink", *how, *options, "/in", "/out")
    expected = run([ink, "filter", "--count", *how, *options, "s.ink", "in.tsv"], os.environ, machine.folder)
    seconds = re.compile(r" +|(?<![0-9.])[0-9]+\.[0-9]{3,}|[0-9.]+e-[0-9]+(?=[,\t\n}])")
    assert (found.code, found.err) == (0, "")
    assert seconds.sub("?", found.out) == seconds.sub("?", expected.out)


def test_a_filter_that_lets_none_through_ends_with_1(machine: Machine, ink: str) -> None:
    run([ink, "build", "bloom", "-o", "s.ink", os.devnull], os.environ, machine.folder).fine()
    for options, said, code in (
        ([], PASSED.replace("Admitted=2", "Admitted=0"), 1),
        (["--invert"], PASSED.replace("Admitted=2", "Admitted=0"), 0),
        (["--invert"], PASSED.replace("Rejected=1", "Rejected=0"), 1),
    ):
        machine.plan(said, 0, {})
        assert machine.run("filter", "./s.ink", "-q", *options, "/in", "/out").code == code, options


ATTEMPT = "attempt_1_0003_m_000000"


@pytest.mark.parametrize("alone", [False, True])
def test_what_the_client_did_not_hear_the_history_server_knows(machine: Machine, alone: bool) -> None:
    """The last of the attempts that failed says why, in whatever order they are listed."""
    codes = {0: ("FAILED", 3), 2: ("KILLED", 4), 1: ("FAILED", 5)}
    listed = [
        {"id": f"{ATTEMPT}_{number}", "state": state, "diagnostics": f"subprocess failed with code {code}\n"}
        for number, (state, code) in reversed(codes.items())
    ]
    machine.configure(**{"mapreduce.jobhistory.webapp.address": machine.fake.name})
    path = "/ws/v1/history/mapreduce/jobs/job_1_0003/tasks/task_1_0003_m_000000/attempts"
    machine.fake.pages[path] = {"taskAttempts": {"taskAttempt": listed[0] if alone else listed}}
    said = "".join(line for line in FAILED.splitlines(keepends=True) if "INFO" in line and "Task Id" not in line)
    line = failed(machine, {}, said).failed(5)
    assert line == f"ink-hadoop: job_1_0003 failed: {ATTEMPT}_1: exit code 5"


def shipped_from(machine: Machine, name: str) -> str:
    """Where Hadoop takes what is called so on the nodes."""
    (found,) = [uri for uri in machine.after("-files")[0].split(",") if uri.endswith(f"#{name}")]
    return found.removesuffix(f"#{name}")


def test_hadoop_takes_sketches_from_hdfs_but_for_names_it_cannot_read(machine: Machine, ink: str) -> None:
    path = machine.folder / "s.ink"
    run([ink, "build", "bloom", "-o", str(path), os.devnull], os.environ).fine()
    for stored in ("/sets/s.ink", "/my sets/50%.ink"):
        machine.fake.put(stored, path.read_bytes())
        machine.plan(SUCCEEDED, 0, {})
        assert machine.run("filter", stored, "/in", "/out").code == 1, "no record passed"
        found = shipped_from(machine, "sketches.ink")
        (machine.home / "calls.json").unlink()
        assert (found == f"hdfs://nn:8020{stored}") == (" " not in stored), found
        assert found.startswith(("hdfs://nn:8020/sets/", "file:///")) and " " not in found and "%" not in found


def test_a_program_in_a_folder_with_a_blank_is_copied(machine: Machine, static_ink: str) -> None:
    own = machine.folder / "my programs" / "ink"
    own.parent.mkdir()
    shutil.copy(static_ink, own)
    machine.run(*BUILD, "--ink", str(own), "/in", "/out").fine()
    assert " " not in shipped_from(machine, "ink")


def test_temporary_files_where_hadoop_cannot_take_them_from(machine: Machine) -> None:
    folder = machine.folder / "my files"
    folder.mkdir()
    line = machine.refused(2, *BUILD, "/in", "/out", TMPDIR=str(folder))
    assert line.startswith(f"ink-hadoop: {folder}/") and line.endswith("; TMPDIR names another folder")
    assert list(folder.iterdir()) == []


def test_yarn_serves_as_well(machine: Machine) -> None:
    machine.command.rename(machine.home / "bin" / "yarn")
    machine.run(*BUILD, "/in", "/out").fine()
    assert machine.words()[0] == "jar"


def test_no_streaming_jar(machine: Machine) -> None:
    machine.jar.unlink()
    assert "no hadoop-streaming*.jar found, expected it below HADOOP_HOME" in machine.refused(
        2, *BUILD, "/in", "/out"
    )
