"""HDFS over HTTP, against a server that keeps files in memory and misbehaves when asked to."""

from __future__ import annotations

import io
import pathlib
import socket
from collections.abc import Iterator

import pytest
from fake_webhdfs import FOLDER, Fake, served
from inkhadoop.conf import Configuration
from inkhadoop.failure import Failure
from inkhadoop.locations import Location, Locations
from inkhadoop.session import claimed
from inkhadoop.webhdfs import Refused, WebHdfs, number_of, reason_of


@pytest.fixture
def fake() -> Iterator[Fake]:
    with served() as fake:
        yield fake


@pytest.fixture
def hdfs(fake: Fake) -> WebHdfs:
    return WebHdfs([fake.address], "ann")


def closed_port() -> int:
    """A port that no process listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def test_bytes_come_back_as_they_went_in(hdfs: WebHdfs, fake: Fake) -> None:
    data = bytes(range(256)) * 9000  # more than two blocks
    hdfs.write("/a b/%25+&?.ink", io.BytesIO(data))
    assert fake.files["/a b/%25+&?.ink"] == data
    assert b"".join(hdfs.read("/a b/%25+&?.ink")) == data
    assert b"".join(hdfs.read("/a b/%25+&?.ink", 10)) == data[:10]
    assert [status.name for status in hdfs.listing("/a b")] == ["%25+&?.ink"]


def test_what_is_there_and_what_is_not(hdfs: WebHdfs, fake: Fake) -> None:
    fake.put("/d/x", b"123")
    status = hdfs.status("/d/x")
    assert status is not None and (status.length, status.folder, status.name) == (3, False, "x")
    folder = hdfs.status("/d")
    assert folder is not None and folder.folder
    assert hdfs.status("/nothing") is None
    root = hdfs.status("/")
    assert root is not None and (root.path, root.folder) == ("/", True)
    assert hdfs.home() == "/user/ann"
    assert hdfs.delete("/d") and not hdfs.delete("/d")


def test_a_file_that_is_there_is_not_written_over(hdfs: WebHdfs, fake: Fake) -> None:
    fake.put("/x", b"old")
    with pytest.raises(Refused, match="/x: /x already exists"):
        hdfs.write("/x", io.BytesIO(b"new"))
    assert fake.files["/x"] == b"old"
    fake.put("/y", b"new")
    with pytest.raises(Refused, match="already exists"):
        hdfs.rename("/y", "/x")
    hdfs.rename("/y", "/x", replace=True)
    assert fake.files["/x"] == b"new"


def test_a_full_disk_is_one_line(hdfs: WebHdfs, fake: Fake) -> None:
    fake.full = True
    with pytest.raises(Refused) as caught:
        hdfs.write("/q/x", io.BytesIO(b"1"))
    assert caught.value.text == "/q/x: The DiskSpace quota of /q is exceeded: quota = 1 B = 1 B"
    assert "/q/x" not in fake.files


def test_a_datanode_that_has_not_the_bytes_is_one_line(hdfs: WebHdfs, fake: Fake) -> None:
    fake.put("/x", b"1")
    fake.missing = True
    with pytest.raises(Refused, match="^/x: Could not obtain block: /x$"):
        list(hdfs.read("/x"))


def test_a_datanode_with_tls_is_refused(hdfs: WebHdfs, fake: Fake) -> None:
    fake.put("/x", b"1")
    fake.scheme = "https"
    for use in (lambda: list(hdfs.read("/x")), lambda: hdfs.write("/y", io.BytesIO(b"1"))):
        with pytest.raises(Failure, match=f"the DataNode is at {fake.name} with TLS, expected HTTP$") as caught:
            use()
        assert caught.value.code == 2
    assert "/y" not in fake.files


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (TimeoutError("timed out"), "no answer in time"),
        (socket.gaierror(-2, "Name or service not known"), "no such host"),
        (ConnectionResetError(104, "Connection reset by peer"), "Connection reset by peer"),
        (OSError("of no number\n"), "of no number"),
        (OSError(), "OSError"),
    ],
)
def test_why_a_connection_failed_is_a_few_words(error: Exception, said: str) -> None:
    assert reason_of(error) == said


def test_a_connection_that_ends_early_is_a_failure(hdfs: WebHdfs, fake: Fake) -> None:
    fake.put("/x", b"0123456789")
    fake.cut = True
    with pytest.raises(Failure, match="/x: the DataNode sent 5 bytes less than it said"):
        list(hdfs.read("/x"))


def test_no_server_there_is_one_line() -> None:
    port = closed_port()
    with pytest.raises(Failure) as caught:
        WebHdfs([("127.0.0.1", port)], "ann").status("/")
    assert (
        caught.value.text
        == f"the NameNode at 127.0.0.1:{port} is not reachable: Connection refused, expected WebHDFS there"
    )
    assert caught.value.code == 4


def test_a_host_that_is_none_is_one_line() -> None:
    with pytest.raises(Failure, match="is not reachable: no such host"):
        WebHdfs([("no-such-host.invalid", 9870)], "ann").status("/")


def test_the_active_one_of_two_is_asked(fake: Fake) -> None:
    fake.put("/x", b"1")
    with served() as other:
        other.standby = True
        gone = ("127.0.0.1", closed_port())
        hdfs = WebHdfs([gone, other.address, fake.address], "ann")
        assert hdfs.status("/x") is not None
        assert hdfs.addresses[0] == fake.address
        asked = len(other.asked)
        assert hdfs.status("/x") is not None
        assert len(other.asked) == asked  # the one that answered is remembered
        with pytest.raises(Failure, match="is on standby, expected an active one"):
            WebHdfs([other.address], "ann").status("/x")


@pytest.mark.parametrize("alone", [False, True])
def test_a_datanode_that_is_lost_is_left_out_if_there_is_another(
    hdfs: WebHdfs, fake: Fake, alone: bool
) -> None:
    for operation in ("CREATE", "OPEN"):
        fake.lost, fake.alone = f"127.0.0.1:{closed_port()}", alone
        if operation == "CREATE":
            hdfs.write("/x", io.BytesIO(b"abc"))
        else:
            assert b"".join(hdfs.read("/x")) == b"abc"
        # Of a NameNode: it names the lost one, refuses if it knows no other, and names one; then the DataNode.
        assert fake.asked.count((operation, "/x")) == (4 if alone else 3)


def test_a_datanode_is_known_by_its_number_where_it_has_one() -> None:
    assert number_of("127.0.0.3") == "127.0.0.3" and number_of("no-such-host.invalid") == "no-such-host.invalid"


def test_datanodes_that_are_all_lost_are_one_line(
    hdfs: WebHdfs, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.put("/x", b"1")
    fake.lost = f"127.0.0.1:{closed_port()}"
    monkeypatch.setattr("inkhadoop.webhdfs.number_of", lambda host: "127.0.0.2")  # so that none is left out
    with pytest.raises(Failure, match="^/x: the DataNode at 127.0.0.1:[0-9]+: Connection refused$"):
        list(hdfs.read("/x"))
    assert fake.asked.count(("OPEN", "/x")) == 3


@pytest.mark.parametrize("pauses", [3, 11])
def test_while_one_of_two_takes_over_both_are_asked_again(
    fake: Fake, monkeypatch: pytest.MonkeyPatch, pauses: int
) -> None:
    """As long as one of them is there that can become the active one; for a minute."""
    fake.put("/x", b"1")
    fake.standby = True
    waited: list[float] = []

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        fake.standby = len(waited) < pauses

    monkeypatch.setattr("inkhadoop.webhdfs.time.sleep", sleep)
    hdfs = WebHdfs([("127.0.0.1", closed_port()), fake.address], "ann")
    if pauses == 3:
        assert hdfs.status("/x") is not None
        assert waited == [0.5, 1.0, 2.0]
    else:
        with pytest.raises(Failure, match="is on standby, expected an active one"):
            hdfs.status("/x")
        assert 50 < sum(waited) < 70


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (200, "did not answer with JSON"),
        (401, "Kerberos"),
        (404, "404 Not Found, expected WebHDFS there"),
    ],
)
def test_a_server_that_is_no_webhdfs(hdfs: WebHdfs, fake: Fake, status: int, said: str) -> None:
    fake.plain_status = status
    with pytest.raises(Failure, match=said):
        hdfs.status("/x")


# ---- A folder that is ours ---------------------------------------------------------------------


@pytest.fixture
def out(hdfs: WebHdfs) -> Location:
    return Location("/out", "nn", hdfs)


def test_a_claimed_folder_stays(out: Location, fake: Fake) -> None:
    with claimed(out):
        assert fake.files["/out"] is FOLDER
    assert [path for path in fake.files if path != "/"] == ["/out"]


def test_a_claimed_folder_goes_with_a_failure(out: Location, fake: Fake) -> None:
    with pytest.raises(KeyError), claimed(out):
        fake.put("/out/part", b"1")
        raise KeyError
    assert list(fake.files) == ["/"]


def test_a_folder_of_another_user_is_not_claimed(out: Location, fake: Fake) -> None:
    fake.put("/out", FOLDER)
    with pytest.raises(Failure, match="hdfs://nn/out: exists already, expected a new folder"), claimed(out):
        raise AssertionError
    assert fake.files["/out"] is FOLDER


def test_of_two_who_claim_at_once_one_is_refused(
    out: Location, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = out.files.make_folder

    def another_client_comes_before(path: str) -> None:
        make(path)
        fake.put("/out/theirs", b"1")

    monkeypatch.setattr(out.files, "make_folder", another_client_comes_before)
    with pytest.raises(Refused, match="already exists"), claimed(out):
        raise AssertionError
    assert sorted(fake.files) == ["/", "/out", "/out/theirs"]


# ---- Words -------------------------------------------------------------------------------------


@pytest.fixture
def locations(fake: Fake) -> Locations:
    return Locations(
        Configuration({"fs.defaultFS": "hdfs://nn:8020", "dfs.namenode.http-address": fake.name}), "ann"
    )


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("/a//b/", "hdfs://nn:8020/a/b"),
        ("hdfs:///a", "hdfs://nn:8020/a"),
        ("hdfs:/a", "hdfs://nn:8020/a"),
        ("hdfs://nn/a", "hdfs://nn:8020/a"),
        ("a/b", "hdfs://nn:8020/user/ann/a/b"),
        ("hdfs://far:1/a", "hdfs://far:1/a"),
        ("file:/x/y", "/x/y"),
        ("file:///x/%20y", "/x/ y"),
    ],
)
def test_what_a_word_means(locations: Locations, word: str, meant: str) -> None:
    assert str(locations.at(word)) == meant
    assert (locations.at(word).hdfs is None) == word.startswith("file:")


@pytest.mark.parametrize("word", ["s3a://b/x", "viewfs://c/x", "hdfs:x", "hdfs://nn", "file://far/x"])
def test_words_that_mean_nothing_here(locations: Locations, word: str) -> None:
    with pytest.raises(Failure, match=f"{word}: .*expected") as caught:
        locations.at(word)
    assert caught.value.code == 2


def test_a_name_in_hdfs_counts_where_the_default_is_another_file_system(fake: Fake) -> None:
    conf = Configuration({"fs.defaultFS": "s3a://bucket", "dfs.namenode.http-address": fake.name})
    assert str(Locations(conf, "ann").at("hdfs://nn:8020/a")) == "hdfs://nn:8020/a"
    with pytest.raises(Failure, match="fs.defaultFS is s3a://bucket, expected hdfs://HOST:PORT"):
        Locations(conf, "ann").at("/a")


def test_what_is_missing_may_be_local(locations: Locations, tmp_path: pathlib.Path) -> None:
    there = tmp_path / "x"
    there.touch()
    missing = locations.at(str(there)).missing()
    assert missing.text == f"hdfs://nn:8020{there}: no such file or folder in HDFS; a local file is file:{there}"
    missing = locations.at(f"{there}y").missing()
    assert missing.text == f"hdfs://nn:8020{there}y: no such file or folder in HDFS"


def test_a_local_location_is_no_input(locations: Locations) -> None:
    with pytest.raises(Failure, match="is local, expected hdfs:"):
        _ = locations.at("./x").files
