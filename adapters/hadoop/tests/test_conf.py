"""The configuration as Hadoop reads it, and where its NameNodes are."""

from __future__ import annotations

import pathlib
import zipfile
from collections.abc import Mapping
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import pytest
from inkhadoop.conf import DEFAULTS, Configuration, conf_folder
from inkhadoop.failure import USAGE, Failure
from inkhadoop.namenode import default_authority, join_address, split_address, web_addresses
from localcluster.jars import find_jars


def write_site(
    path: pathlib.Path, properties: Mapping[str, str], *, final: bool = False, more: str = ""
) -> None:
    body = "".join(
        f"<property><name>{name}</name><value>{escape(value)}</value>{'<final>true</final>' if final else ''}</property>"
        for name, value in properties.items()
    )
    path.write_text(f"<configuration>{more}{body}</configuration>", encoding="utf-8")


def test_sites_are_read_in_order_and_final_values_stay(tmp_path: pathlib.Path) -> None:
    write_site(tmp_path / "core-site.xml", {"fs.defaultFS": "hdfs://a:9000", "x": "1"}, final=True)
    write_site(tmp_path / "hdfs-site.xml", {"x": "2", "y": "${x}/${fs.defaultFS}/${nobody}"})
    conf = Configuration.load(tmp_path, {"z": "over"})
    assert conf.text("x") == "1"
    assert conf.text("y") == "1/hdfs://a:9000/${nobody}"
    assert conf.text("z") == "over"
    assert conf.find("nobody") is None


def test_all_sites_are_read_the_later_ones_last(tmp_path: pathlib.Path) -> None:
    sites = ("core-site.xml", "hdfs-site.xml", "yarn-site.xml", "mapred-site.xml")
    for number, site in enumerate(sites):
        write_site(tmp_path / site, {"last": str(number), site: "read"})
    conf = Configuration.load(tmp_path)
    assert conf.text("last") == "3" and all(conf.find(site) == "read" for site in sites)


def test_what_no_file_says_is_as_in_the_jars_of_hadoop() -> None:
    files = {"core-default.xml", "hdfs-default.xml", "mapred-default.xml", "yarn-default.xml"}
    found: dict[str | None, str] = {}
    for jar in find_jars().glob("hadoop-*.jar"):
        with zipfile.ZipFile(jar) as archive:
            for name in files & set(archive.namelist()):
                root = ElementTree.fromstring(archive.read(name))
                found.update((one.findtext("name"), one.findtext("value") or "") for one in root.iter("property"))
    known = {name: value for name, value in DEFAULTS.items() if name in found}
    assert known == {name: found[name] for name in known}
    others = {name: value for name, value in DEFAULTS.items() if name not in found}
    assert others == {"mapreduce.input.fileinputformat.input.dir.recursive": "false"}, "as of FileInputFormat"


def test_references_name_variables_too_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INK_TEST_PORT", "7")
    conf = Configuration({"a": "${env.INK_TEST_PORT}${env.INK_TEST_NONE}", "b": "${b}", "INK_TEST_PORT": "8"})
    assert conf.text("a") == "7${env.INK_TEST_NONE}"
    assert conf.text("b") == "${b}"
    assert [Configuration({"f": text}).flag("f") for text in ("true", "TRUE", "false", "")] == [True, True, False, False]


def test_ours_give_way_to_what_was_given_with_d() -> None:
    conf = Configuration({"a": "1"}, {"b": "2"})
    assert conf.not_given({"a": "x", "b": "y"}) == {"a": "x"}


def test_an_included_file_counts(tmp_path: pathlib.Path) -> None:
    write_site(tmp_path / "shared.xml", {"a": "included"})
    include = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="shared.xml"/>'
    write_site(tmp_path / "core-site.xml", {"b": "own"}, more=include)
    conf = Configuration.load(tmp_path)
    assert (conf.text("a"), conf.text("b")) == ("included", "own")


def test_numbers_may_have_a_suffix() -> None:
    conf = Configuration({"a": "128m", "b": "7", "c": "seven", "d": "1,2 ,3"})
    assert conf.number("a") == 128 << 20
    sizes = {"k": 10, "m": 20, "g": 30, "t": 40, "p": 50, "E": 60}
    assert [Configuration({"x": f"3{suffix}"}).number("x") for suffix in sizes] == [3 << n for n in sizes.values()]
    assert conf.number("b") == 7
    assert conf.words("d") == ["1", "2", "3"]
    with pytest.raises(Failure, match="c=seven, expected a whole number"):
        conf.number("c")


def test_the_folder_is_named_or_found(tmp_path: pathlib.Path) -> None:
    with pytest.raises(Failure, match="HADOOP_CONF_DIR=.*no core-site.xml") as caught:
        conf_folder({"HADOOP_CONF_DIR": str(tmp_path)})
    assert caught.value.code == USAGE
    home = tmp_path / "home"
    (home / "etc" / "hadoop").mkdir(parents=True)
    write_site(home / "etc" / "hadoop" / "core-site.xml", {})
    assert conf_folder({"HADOOP_HOME": str(home)}) == home / "etc" / "hadoop"


def test_a_broken_file_is_named(tmp_path: pathlib.Path) -> None:
    (tmp_path / "core-site.xml").write_text("<configuration><property>", encoding="utf-8")
    with pytest.raises(Failure, match="core-site.xml: .*expected a configuration of Hadoop"):
        Configuration.load(tmp_path)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        (
            "hadoop.security.authentication",
            "kerberos",
            "hadoop.security.authentication is kerberos, expected simple",
        ),
        ("dfs.http.policy", "HTTPS_ONLY", "dfs.http.policy is HTTPS_ONLY, expected HTTP_ONLY"),
    ],
)
def test_what_is_not_supported_is_said(name: str, value: str, said: str) -> None:
    with pytest.raises(Failure, match=said) as caught:
        Configuration({name: value}).check_supported()
    assert caught.value.code == USAGE
    Configuration({}).check_supported()


def test_addresses_are_taken_apart() -> None:
    assert split_address("a:1", 9) == ("a", 1)
    assert split_address("a", 9) == ("a", 9)
    assert split_address("[::1]:5", 9) == ("::1", 5)
    assert split_address("[::1]", 9) == ("::1", 9)
    assert split_address(" http://a:1", 9) == ("a", 1)
    assert join_address(("a", 1)) == "a:1"
    assert join_address(("::1", 5)) == "[::1]:5"
    with pytest.raises(Failure, match="expected HOST:PORT"):
        split_address("a:b", 9)


def test_one_namenode_is_where_its_http_address_is() -> None:
    conf = Configuration({"fs.defaultFS": "hdfs://nn:9000", "dfs.namenode.http-address": "web:50070"})
    assert web_addresses(conf, "nn:9000") == [("web", 50070)]


def test_one_that_listens_everywhere_is_where_its_rpc_is() -> None:
    assert web_addresses(Configuration({"fs.defaultFS": "hdfs://nn"}), "nn") == [("nn", 9870)]
    assert web_addresses(Configuration({"fs.defaultFS": "hdfs://nn:8020"}), "nn") == [("nn", 9870)]
    conf = Configuration({"fs.defaultFS": "hdfs://nn", "dfs.namenode.http-address": "[::]"})
    assert web_addresses(conf, "nn") == [("nn", 9870)], "at the usual port"


def test_a_pair_of_namenodes_has_two_addresses() -> None:
    conf = Configuration(
        {
            "fs.defaultFS": "hdfs://ns",
            "dfs.nameservices": "ns, other",
            "dfs.ha.namenodes.ns": "a,b",
            "dfs.namenode.rpc-address.ns.a": "h1:8020",
            "dfs.namenode.rpc-address.ns.b": "h2:8020",
            "dfs.namenode.http-address.ns.a": "0.0.0.0:9870",
            "dfs.namenode.http-address.ns.b": "h2:9871",
            "dfs.namenode.rpc-address.other": "h3:8020",
            "dfs.namenode.http-address.other": "h3:1234",
        }
    )
    assert web_addresses(conf, "ns") == [("h1", 9870), ("h2", 9871)]
    assert web_addresses(conf, "other") == [("h3", 1234)]
    assert web_addresses(conf, "h3:8020") == [("h3", 1234)]


def test_a_namenode_of_another_cluster_has_the_usual_port() -> None:
    conf = Configuration({"fs.defaultFS": "hdfs://nn:9000", "dfs.namenode.http-address": "nn:50070"})
    assert web_addresses(conf, "far:8020") == [("far", 50070)]


def test_a_cluster_without_hdfs_is_refused() -> None:
    with pytest.raises(Failure, match="fs.defaultFS is file:///, expected hdfs://HOST:PORT"):
        default_authority(Configuration({}))
