"""What is wrong is said before a job starts: one line, the exit code of ink, and nothing is left in HDFS.

No cluster is needed: HDFS is a server in this process, and a start of Hadoop fails the test.
"""

from __future__ import annotations

import os
import pathlib
import re
import stat
import subprocess
import sys
from collections.abc import Iterator

import pytest
from fake_webhdfs import FOLDER, Fake, served
from known_jobs import COMMAND, Ran, run
from test_conf import write_site


class Here:
    """A machine with ink-hadoop and the configuration of a cluster."""

    def __init__(self, fake: Fake, folder: pathlib.Path, static_ink: str) -> None:
        self.fake = fake
        self.folder = folder
        self.conf = folder / "conf"
        self.conf.mkdir()
        (folder / "jars").mkdir()
        (folder / "jars" / "hadoop-streaming-1.jar").touch()
        self.configure()
        java = folder / "bin" / "java"
        java.parent.mkdir()
        java.write_text("#!/bin/sh\necho 'a job was started' >&2\nexit 1\n", encoding="utf-8")
        java.chmod(0o755)
        self.environment = {
            "PATH": os.environ["PATH"], "HADOOP_CONF_DIR": str(self.conf), "INK_STATIC": static_ink, "HADOOP_USER_NAME": "ann",
            "INK_HADOOP_JARS": str(folder / "jars"), "JAVA_HOME": str(folder),
        }  # fmt: skip

    def configure(self, **more: str) -> None:
        properties = {"fs.defaultFS": "hdfs://nn:8020", "dfs.namenode.http-address": self.fake.name}
        write_site(
            self.conf / "core-site.xml",
            {**properties, **{name.replace("__", "."): value for name, value in more.items()}},
        )

    def run(self, *words: str, **more: str) -> Ran:
        return run([str(COMMAND), *words], {**self.environment, **more}, self.folder)

    def refused(self, code: int, *words: str, **more: str) -> str:
        """The line that a command fails with; nothing is made in HDFS."""
        before = dict(self.fake.files)
        line = self.run(*words, **more).failed(code)
        assert self.fake.files == before
        return line

    def refuses(self, code: int, said: str, *words: str, **more: str) -> None:
        """The same with this line, in which [...] stands for anything."""
        line = self.refused(code, *words, **more)
        assert re.fullmatch(".*".join(map(re.escape, said.split("[...]"))), line), line


@pytest.fixture
def here(tmp_path: pathlib.Path, static_ink: str) -> Iterator[Here]:
    with served() as fake:
        fake.put("/in/a.csv", b"id,group\n1,x\n2,y\n")
        fake.put("/plain.txt", b"1\n2\n")
        fake.put("/there", FOLDER)
        yield Here(fake, tmp_path, static_ink)


BUILD = ("build", "bloom", "--header", "--key", "id")


EXISTS = "ink-hadoop: hdfs://nn:8020/there: exists already, expected a new folder"


def test_an_output_folder_that_exists(here: Here) -> None:
    here.refuses(4, EXISTS, *BUILD, "/in", "/there")
    here.refuses(4, EXISTS, "filter", "./s.ink", "/plain.txt", "/there")


@pytest.mark.parametrize("words", [("build", "bloom"), ("filter", "./s.ink")])
@pytest.mark.parametrize("below", ["out", "deep/out"])
def test_an_output_folder_below_a_file(here: Here, words: tuple[str, ...], below: str) -> None:
    said = f"ink-hadoop: hdfs://nn:8020/plain.txt: a file, expected a folder for hdfs://nn:8020/plain.txt/{below}"
    here.refuses(4, said, *words, "/plain.txt", f"/plain.txt/{below}")


def test_a_path_that_does_not(here: Here) -> None:
    here.refuses(4, "ink-hadoop: hdfs://nn:8020/im: no such file or folder in HDFS", *BUILD, "/im", "/out")


def test_a_folder_that_one_may_not_read_or_write(here: Here) -> None:
    here.fake.closed = {"/secret"}
    denied = 'Permission denied: user=ann, access=EXECUTE, inode="/secret'
    here.refuses(4, f'ink-hadoop: /secret/in: {denied}/in"', "build", "bloom", "/secret/in", "/out")
    here.refuses(4, f'ink-hadoop: /secret/o: {denied}/o"', "build", "bloom", "/plain.txt", "/secret/o")


def test_a_column_that_is_not_there(here: Here) -> None:
    said = 'ink: hdfs://nn:8020/in/a.csv: no column "ident", expected one of "id", "group"'
    here.refuses(2, said, "build", "bloom", "--header", "--key", "ident", "/in", "/out")
    said = "ink: hdfs://nn:8020/in/a.csv: [...]2 columns, expected at least 3; --bad skip skips such records"
    here.refuses(3, said, "build", "bloom", "--header", "--key", "3", "/in", "/out")


def test_headers_that_differ(here: Here) -> None:
    here.fake.put("/in/b.csv", b"group,id\nx,1\n")
    said = "/in/b.csv: another header than hdfs://nn:8020/in/a.csv, expected the same in all files"
    here.refuses(3, f"ink-hadoop: hdfs://nn:8020{said}", *BUILD, "/in", "/out")


def test_a_first_record_that_cannot_be_read(here: Here) -> None:
    here.fake.put("/n.txt", b"seven\n")
    said = 'ink: hdfs://nn:8020/n.txt: [...]"seven", expected an integer key; --bad skip skips such records'
    here.refuses(3, said, "build", "bloom", "--key-type", "int", "/n.txt", "/out")


def test_a_byte_order_mark(here: Here) -> None:
    here.fake.put("/m.txt", b"\xef\xbb\xbf1\n")  # Hadoop drops it, and so does ink
    here.fake.put("/m.csv", b"\xef\xbb\xbfid,group\none,1\n")
    ints = ("build", "bloom", "--key-type", "int")
    for words in ((*ints, "--lines", "/m.txt"), (*ints, "/m.txt"), (*BUILD, "--lines", "/m.csv")):
        here.refuses(1, "[...]a job was started[...]", *words, "/out")
    here.fake.put("/u.txt", "one\n".encode("utf-16"))
    here.refuses(3, "ink: hdfs://nn:8020/u.txt: [...]UTF-16 text, expected[...]", "build", "bloom", "/u.txt", "/out")


def test_options_are_judged_by_ink(here: Here) -> None:
    said = "ink: no option --rat, did you mean --rate; see ink help build"
    here.refuses(2, said, "build", "bloom", "--rat", "0.1", "/in", "/out")
    said = "ink: -p 2, expected a number above 0 and below 1[...]"
    here.refuses(2, said, "build", "bloom", "-p", "2", "/plain.txt", "/out")
    here.refuses(2, "[...]blom[...]", "build", "blom", "/plain.txt", "/out")
    here.refuses(3, "[...]scalable[...]", "build", "scalable", "/plain.txt", "/out")


@pytest.mark.parametrize("rate", ["0", "1", "-1", "nan", "inf", "1e-400", "0,01", "1%", ""])
def test_a_rate_that_is_none_is_refused(here: Here, rate: str) -> None:
    line = here.refused(2, "build", "bloom", "--rate", rate, "/plain.txt", "/out")
    assert "--rate" in line and ("expected a number above 0 and below 1" in line or "an empty value" in line)


@pytest.mark.parametrize("keys", ["0", "-1", "18446744073709551616", "1e30", "10 M", "0x10", " 5", "5x", ""])
def test_a_number_of_keys_that_is_none_is_refused(here: Here, keys: str) -> None:
    line = here.refused(2, "build", "bloom", "--keys", keys, "/plain.txt", "/out")
    assert "--keys" in line and ("expected a whole number from 1 to " in line or "an empty value" in line)


def test_a_size_that_no_memory_holds_is_refused_with_what_it_needs(here: Here) -> None:
    line = here.refused(2, "build", "classic", "--keys", "1e15", "--rate", "1e-9", "/plain.txt", "/out")
    assert "--keys 1000000000000000 at rate 1e-09 need 4.31328e+16 bits, expected at most 2^43" in line


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31m", "\x7f"], ids=["line end", "escape", "delete"])
def test_what_is_wrong_with_any_path_is_reported_in_one_line(here: Here, name: str) -> None:
    for words in (("build", "bloom", f"/{name}", "/out"), ("filter", f"/{name}.ink", "/plain.txt", "/out")):
        line = here.refused(4, *words)
        assert "no such file" in line.lower() and line.isprintable(), line


def ended(words: list[str], **standard: object) -> tuple[int, bytes]:
    """The exit code of ink-hadoop with these standard files, and what it says if its standard error is left to us."""
    files = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, **standard}
    done = subprocess.run([str(COMMAND), *words], check=False, timeout=60, **files)  # type: ignore[call-overload]
    return done.returncode, done.stderr


def test_standard_files_may_be_closed_or_full_and_readers_may_go() -> None:
    """As of ink: one line and exit 4, and silently where the reader is gone."""
    with open("/dev/full", "wb") as full:
        message = b"ink-hadoop: standard output: cannot write: No space left on device\n"
        assert ended(["--help"], stdout=full) == (4, message)
        assert ended(["bild"], stderr=full)[0] == 2
    message = b"ink-hadoop: standard output: cannot write: Bad file descriptor\n"
    assert ended(["--help"], preexec_fn=lambda: os.close(1)) == (4, message)
    assert ended(["bild"], preexec_fn=lambda: os.close(2))[0] == 2
    assert ended(["bild"], preexec_fn=lambda: os.closerange(0, 3))[0] == 2
    assert ended(["--help"], preexec_fn=lambda: os.close(0)) == (0, b"")
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as unread:
        assert ended(["--help"], stdout=unread) == (128 + 13, b"")


@pytest.mark.parametrize("option", [["-o", "x.ink"], ["--force"], ["--as", "spark-v1"], ["--funnel", "int"]])
def test_options_that_a_job_cannot_have(here: Here, option: list[str]) -> None:
    name = {"-o": "--output"}.get(option[0], option[0])
    said = f"ink-hadoop: {name} cannot be had in a job; see ink-hadoop --help"
    here.refuses(2, said, "build", "bloom", *option, "/in", "/out")


@pytest.mark.parametrize("form", ["nul", "u64"])
def test_forms_that_lines_cannot_carry(here: Here, form: str) -> None:
    here.refuses(2, f"[...]{form}[...]", "build", "bloom", "--in", form, "/plain.txt", "/out")


def test_words_that_are_missing(here: Here) -> None:
    here.refuses(2, "[...]found 2 words, expected a kind, inputs and a new folder[...]", "build", "bloom", "/in")
    here.refuses(2, "[...]found 1 words, expected sketches[...]", "filter", "/s.ink")
    here.refuses(2, "[...]expected build, filter, verify, merge[...]", "bild")
    here.refuses(2, "[...]no command[...]")


def test_a_local_output(here: Here) -> None:
    here.refuses(2, "[...]is local, expected hdfs:///path[...]", *BUILD, "/in", "./out")


def test_a_namenode_that_does_not_answer(here: Here) -> None:
    here.configure(dfs__namenode__http_address="unused", **{"dfs.namenode.http-address": "127.0.0.1:1"})
    said = "the NameNode at 127.0.0.1:1 is not reachable: Connection refused, expected WebHDFS there"
    here.refuses(4, f"ink-hadoop: {said}", *BUILD, "/in", "/out")


def test_a_server_without_webhdfs(here: Here) -> None:
    here.fake.plain_status = 404
    here.refuses(4, "[...]answered: 404 Not Found, expected WebHDFS there[...]", *BUILD, "/in", "/out")


def test_kerberos_and_tls_are_refused_honestly(here: Here) -> None:
    here.configure(hadoop__security__authentication="kerberos")
    here.refuses(2, "[...]hadoop.security.authentication is kerberos, expected simple[...]", *BUILD, "/in", "/out")
    here.configure(dfs__http__policy="HTTPS_ONLY")
    here.refuses(2, "[...]dfs.http.policy is HTTPS_ONLY[...]", *BUILD, "/in", "/out")


def test_no_configuration(here: Here) -> None:
    said = f"{here.folder}: no core-site.xml there, expected the folder of a cluster's configuration"
    here.refuses(2, f"ink-hadoop: HADOOP_CONF_DIR={said}", *BUILD, "/in", "/out", HADOOP_CONF_DIR=str(here.folder))


def test_no_hadoop(here: Here) -> None:
    empty = here.folder / "empty"
    empty.mkdir()
    (empty / "python3").symlink_to(os.path.realpath(sys.executable))
    said = "ink-hadoop: no Hadoop on this machine, expected hadoop or yarn on the PATH[...]"
    here.refuses(2, said, *BUILD, "/in", "/out", INK_HADOOP_JARS="", PATH=str(empty))
    here.refuses(2, "[...]no hadoop-streaming*.jar there[...]", *BUILD, "/in", "/out", INK_HADOOP_JARS=str(empty))


def test_a_program_that_nodes_cannot_run(here: Here, ink: str, static_ink: str) -> None:
    words = (*BUILD, "/in", "/out")
    here.refuses(2, "[...]needs shared libraries, which nodes may lack[...]", *words, "--ink", ink)
    here.refuses(2, "[...]no such file[...]", *words, "--ink=/nowhere")
    here.refuses(2, "[...]no 64-bit ELF program[...]", *words, "--ink", __file__)
    other = here.folder / "other"
    data = bytearray(pathlib.Path(static_ink).read_bytes())
    data[18:20] = (22).to_bytes(2, "little")
    other.write_bytes(data)
    other.chmod(other.stat().st_mode | stat.S_IXUSR)
    here.refuses(2, "[...]a program for s390x, expected[...]", *words, "--ink", str(other))


def test_sketches_that_are_none(here: Here) -> None:
    said = "[...]hdfs://nn:8020/s.ink: no such file or folder[...]"
    here.refuses(4, said, "filter", "/s.ink", "/plain.txt", "/out")
    here.refuses(4, "[...]no part-*.ink in it[...]", "verify", "/there", "/plain.txt")
    here.refuses(4, "ink: [...]", "filter", "./s.ink", "/plain.txt", "/out")
    here.refuses(3, "ink: [...]", "filter", "/plain.txt", "/plain.txt", "/out")


def test_damaged_sketches_are_refused_before_a_job(here: Here) -> None:
    """Empty, cut, with a bit flipped, with something after the end, two in one, or of another program."""
    words = [here.environment["INK_STATIC"], "build", "bloom", "-o", "-"]
    whole = subprocess.run(words, input=b"ant\n", stdout=subprocess.PIPE, check=True).stdout
    for data, message in (
        (b"", "too short: 0 bytes"),
        (whole[:-1], "byte "),
        (whole[:-50] + bytes([whole[-50] ^ 1]) + whole[-49:], "damaged"),
        (whole + b"x", "after the end"),
        (whole + whole, "another .ink file begins after the end"),
        (b"Obj\1" + bytes(60), "not an .ink file, but an Avro file"),
        (b"HYLL" + bytes(60), "64 bytes, expected 12304"),
    ):
        here.fake.put("/bad.ink", data)
        line = here.refused(3, "filter", "/bad.ink", "/plain.txt", "/out")
        assert line.startswith("ink: hdfs://nn:8020/bad.ink: byte ") and message in line, line


def test_a_job_that_does_not_start_leaves_nothing(here: Here) -> None:
    here.refuses(1, "ink-hadoop: the job was not started: a job was started", *BUILD, "/in", "/out")


def test_a_local_input_gets_advice_how_to_become_one(here: Here) -> None:
    path = here.folder / "local.txt"
    path.write_text("1\n", encoding="utf-8")
    line = here.refused(4, "build", "bloom", "local.txt", "/out")
    assert line.endswith(f"local.txt: no such file or folder in HDFS; {path} is local: hdfs dfs -put copies it")


def test_the_version_is_that_of_ink(here: Here, static_ink: str) -> None:
    assert here.run("--version").fine() == run([static_ink, "--version"], os.environ).fine() != ""


def test_an_old_python_is_refused(here: Here) -> None:
    text = COMMAND.read_text(encoding="utf-8").replace("(3, 11)", "(9, 0)")
    old = here.folder / "ink-hadoop"
    old.write_text(text.replace("3.11 or", "9.0 or"), encoding="utf-8")
    line = run([sys.executable, str(old), "--help"], here.environment).failed(2)
    assert line == f"ink-hadoop: found Python {sys.version.split()[0]}, expected 9.0 or later"


def test_help(here: Here) -> None:
    assert here.run("--help").fine().startswith("usage: ink-hadoop build KIND")
    assert here.run("filter", "--help").fine().startswith("usage: ink-hadoop build KIND")


# ---- Merge needs no job ------------------------------------------------------------------------


@pytest.fixture
def sketched(here: Here, ink: str) -> Here:
    """A folder of two parts in HDFS: they have different groups."""
    for number, group in enumerate("xy"):
        path = here.folder / f"{group}.csv"
        path.write_text("".join(f"{i},{group}\n" for i in range(100)), encoding="utf-8")
        part = here.folder / f"{group}.ink"
        run([ink, "build", "bloom", "--key", "1", "--by", "2", "-o", str(part), str(path)], os.environ).fine()
        here.fake.put(f"/parts/part-0000{number}.ink", part.read_bytes())
    here.fake.put("/parts/_SUCCESS", b"")
    run(
        [ink, "build", "bloom", "--key", "1", "--by", "2", "-o", str(here.folder / "both.ink"), str(here.folder / "x.csv"),
         str(here.folder / "y.csv")], os.environ,
    ).fine()  # fmt: skip
    return here


def digest(ink: str, path: pathlib.Path) -> str:
    return run([ink, "info", "--digest", str(path)], os.environ).fine()


def test_parts_of_a_folder_become_one_local_file(sketched: Here, ink: str) -> None:
    sketched.run("merge", "/parts", "./one.ink").fine()
    assert digest(ink, sketched.folder / "one.ink") == digest(ink, sketched.folder / "both.ink")


def test_parts_of_a_folder_become_one_file_in_hdfs(sketched: Here, ink: str) -> None:
    before = set(sketched.fake.files)
    sketched.run("merge", "/parts", "hdfs:///one.ink").fine()
    assert set(sketched.fake.files) - before == {"/one.ink"}
    data = sketched.fake.files["/one.ink"]
    assert data is not None
    (sketched.folder / "one.ink").write_bytes(data)
    assert digest(ink, sketched.folder / "one.ink") == digest(ink, sketched.folder / "both.ink")


def test_local_and_remote_files_together(sketched: Here, ink: str) -> None:
    sketched.run("merge", "/parts/part-00000.ink", "./y.ink", "./one.ink").fine()
    assert digest(ink, sketched.folder / "one.ink") == digest(ink, sketched.folder / "both.ink")


def test_a_file_that_is_there_is_replaced_only_by_force(sketched: Here) -> None:
    sketched.fake.put("/one.ink", b"old")
    said = "ink-hadoop: hdfs://nn:8020/one.ink: exists already; --force replaces it"
    sketched.refuses(4, said, "merge", "/parts", "/one.ink")
    sketched.run("merge", "--force", "/parts", "/one.ink").fine()
    assert sketched.fake.files["/one.ink"] != b"old"
    assert "a folder, expected the name of a file" in sketched.refused(4, "merge", "/parts", "/there")


def test_a_disk_that_is_full_leaves_nothing(sketched: Here) -> None:
    sketched.fake.full = True
    assert "The DiskSpace quota of /q is exceeded" in sketched.refused(4, "merge", "/parts", "/one.ink")


def test_a_download_that_breaks_off_leaves_nothing(sketched: Here) -> None:
    sketched.fake.cut = True
    assert "bytes less than it said" in sketched.refused(4, "merge", "/parts", "/one.ink")


@pytest.mark.parametrize("out", ["./new/", "/new/"])
def test_the_union_is_no_folder(sketched: Here, out: str) -> None:
    line = sketched.refused(2, "merge", "/parts", out)
    assert line == f"ink-hadoop: {out}: a folder, expected the name of a file for the union"
    assert not (sketched.folder / "new").exists()


def test_what_cannot_be_merged(sketched: Here) -> None:
    sketched.refuses(4, "[...]a folder without sketches[...]", "merge", "/there", "/one.ink")
    sketched.refuses(3, "ink: [...]", "merge", "/plain.txt", "/one.ink")
    sketched.fake.put("/half/part-00000.pieces", b"x")
    sketched.refuses(4, "[...]pieces of a build that did not end[...]", "merge", "/half", "/one.ink")
    sketched.refuses(2, "[...]expected sketches and a file for their union[...]", "merge", "/parts")
    sketched.refuses(2, "[...]the result is the last word here[...]", "merge", "-o", "x", "/parts", "/y")
