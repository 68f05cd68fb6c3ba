"""Hadoop's configuration as its own programs read it: the *-site.xml files of a folder, and -D."""

from __future__ import annotations

import os
import pathlib
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Mapping

from .failure import USAGE, Failure

SITES = ("core-site.xml", "hdfs-site.xml", "yarn-site.xml", "mapred-site.xml")
INCLUDE = "{http://www.w3.org/2001/XInclude}include"
REFERENCE = re.compile(r"\$\{([^}$\s]+)\}")
SUFFIXES = {"k": 10, "m": 20, "g": 30, "t": 40, "p": 50, "e": 60}
FOLDERS = "HADOOP_CONF_DIR, or HADOOP_HOME with its etc/hadoop, or /etc/hadoop/conf"

# What counts where no file says otherwise, as in *-default.xml of Hadoop's jars.
DEFAULTS = {
    "fs.defaultFS": "file:///",
    "dfs.namenode.http-address": "0.0.0.0:9870",
    "dfs.http.policy": "HTTP_ONLY",
    "hadoop.security.authentication": "simple",
    "mapreduce.framework.name": "local",
    "mapreduce.job.maps": "2",
    "mapreduce.input.fileinputformat.split.minsize": "0",
    "mapreduce.input.fileinputformat.input.dir.recursive": "false",
    "mapreduce.job.ubertask.maxmaps": "9",
    "mapreduce.job.ubertask.maxreduces": "1",
    "mapreduce.task.io.sort.mb": "100",
    "yarn.scheduler.maximum-allocation-vcores": "4",
    "mapreduce.map.memory.mb": "-1",
    "mapreduce.reduce.memory.mb": "-1",
    "mapred.child.java.opts": "",
    "mapreduce.jobhistory.webapp.address": "0.0.0.0:19888",
    "yarn.app.mapreduce.am.resource.mb": "1536",
    "yarn.app.mapreduce.am.command-opts": "-Xmx1024m",
    "yarn.scheduler.maximum-allocation-mb": "8192",
}


def conf_folder(environment: Mapping[str, str] = os.environ) -> pathlib.Path:
    """The folder of the cluster's configuration."""
    named = environment.get("HADOOP_CONF_DIR")
    home = environment.get("HADOOP_HOME")
    candidates = [named] if named else [*([f"{home}/etc/hadoop"] if home else []), "/etc/hadoop/conf"]
    for candidate in candidates:
        folder = pathlib.Path(candidate)
        if (folder / "core-site.xml").is_file():
            return folder
    if named:
        raise Failure(
            f"HADOOP_CONF_DIR={named}: no core-site.xml there, "
            "expected the folder of a cluster's configuration",
            USAGE,
        )
    raise Failure(f"no configuration of a cluster, expected it in {FOLDERS}", USAGE)


def properties_of(path: pathlib.Path, depth: int = 0) -> Iterable[tuple[str, str, bool]]:
    """Name, value and whether it is final, of every property in a file and in those that it includes."""
    try:
        root = ElementTree.parse(path).getroot()
    except (ElementTree.ParseError, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise Failure(f"{path}: {reason}, expected a configuration of Hadoop") from error
    for element in root:
        if element.tag == INCLUDE and depth < 10:
            included = path.parent / element.get("href", "").removeprefix("file://")
            if included.is_file():
                yield from properties_of(included, depth + 1)
        elif element.tag == "property":
            name, value = element.findtext("name"), element.findtext("value")
            if name is not None and value is not None:
                yield name.strip(), value, (element.findtext("final") or "").strip() == "true"


class Configuration:
    """Names and values; `overrides` (-D) win."""

    def __init__(self, values: Mapping[str, str], overrides: Mapping[str, str] | None = None) -> None:
        self.overrides = dict(overrides or {})
        self.values = {**DEFAULTS, **values, **self.overrides}

    @classmethod
    def load(cls, folder: pathlib.Path, overrides: Mapping[str, str] | None = None) -> Configuration:
        """That of a folder."""
        values: dict[str, str] = {}
        final: set[str] = set()
        for site in SITES:
            if not (folder / site).is_file():
                continue
            for name, value, is_final in properties_of(folder / site):
                if name not in final:
                    values[name] = value
                if is_final:
                    final.add(name)
        return cls(values, overrides)

    def find(self, name: str) -> str | None:
        """The value with its ${...} filled in; None if there is none, or an empty one."""
        value = self.values.get(name)
        for _ in range(20):
            if value is None or (match := REFERENCE.search(value)) is None:
                break
            named = match[1]
            meant = os.environ.get(named[4:]) if named.startswith("env.") else self.values.get(named)
            if meant is None:
                break
            value = value[: match.start()] + meant + value[match.end() :]
        return value.strip() or None if value is not None else None

    def text(self, name: str) -> str:
        """The value; empty if there is none."""
        return self.find(name) or ""

    def not_given(self, settings: Mapping[str, str]) -> dict[str, str]:
        """Settings without those that were given with -D."""
        return {name: value for name, value in settings.items() if name not in self.overrides}

    def flag(self, name: str) -> bool:
        """Whether it is true."""
        return self.text(name).lower() == "true"

    def number(self, name: str) -> int:
        """A whole number, perhaps with a suffix of bytes."""
        text = self.text(name) or "0"
        shift = SUFFIXES.get(text[-1].lower(), 0)
        try:
            return int(text[:-1] if shift else text) << shift
        except ValueError:
            raise Failure(f"{name}={text}, expected a whole number", USAGE) from None

    def words(self, name: str) -> list[str]:
        """A list with commas between its words."""
        return [word for word in re.split(r"[\s,]+", self.text(name)) if word]

    def check_supported(self) -> None:
        """Refuses a cluster that `ink` cannot talk to."""
        way = self.text("hadoop.security.authentication").lower()
        if way != "simple":
            raise Failure(
                f"hadoop.security.authentication is {way}, expected simple: "
                "tasks write over WebHDFS without Kerberos",
                USAGE,
            )
        if self.text("dfs.http.policy").upper() == "HTTPS_ONLY":
            raise Failure(
                "dfs.http.policy is HTTPS_ONLY, expected HTTP_ONLY or HTTP_AND_HTTPS: "
                "tasks write over WebHDFS without TLS",
                USAGE,
            )
