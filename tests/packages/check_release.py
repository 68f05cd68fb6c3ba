#!/usr/bin/env python3
"""What a release states of itself, without one: the SBOM of files with known names, and where sources come from.

Prints a TAP line for each test and exits with the number that failed. `check_packages.py` looks at whole releases.
"""
import hashlib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "packaging"), str(ROOT / "tests/cli")]
import sbom  # noqa: E402
import sources  # noqa: E402
import tap  # noqa: E402

COMPRESSED = {"xxhash", "zlib", "libzstd"}
# Files of a release, and what is linked into each.
FILES = {
    "libinkling-0.1.0-py3-none-manylinux_2_17_x86_64.whl": COMPRESSED,
    "inkling-0.1.0.jar": COMPRESSED,
    "ink-0.1.0-linux-x86_64": COMPRESSED,
    "ink-0.1.0-linux-aarch64": COMPRESSED,
    "inkling-duckdb-0.1.0-linux_amd64.duckdb_extension": COMPRESSED,
    "inkling-hadoop_0.1.0_amd64.deb": COMPRESSED,
    "libinkling1_0.1.0_amd64.deb": {"xxhash"},
    "inkling-0.1.0.tar.gz": set(),
    "libinkling-0.1.0.tar.gz": set(),
}
LIST = """# deb for people
deb http://deb.debian.org/debian bookworm main
deb-src http://deb.debian.org/debian bookworm main
"""
DEB822 = """Types: deb
URIs: http://deb.debian.org/debian
"""


def written():
    """These files here, and the SBOM of them."""
    paths = [pathlib.Path(name) for name in FILES]
    for path in paths:
        path.write_text(path.name)
    return sbom.document("0.1.0", 86400 * 365, paths)


def the_sbom_has_each_file_with_its_checksums():
    document = written()
    assert document["creationInfo"]["created"] == "1971-01-01T00:00:00Z"
    assert (document["spdxVersion"], document["name"]) == ("SPDX-2.3", "inkling-0.1.0")
    assert [file["fileName"] for file in document["files"]] == [f"./{name}" for name in FILES]
    for name, file in zip(FILES, document["files"]):
        found = {one["algorithm"]: one["checksumValue"] for one in file["checksums"]}
        assert found == {"SHA1": hashlib.sha1(name.encode()).hexdigest(), "SHA256": hashlib.sha256(name.encode()).hexdigest()}
    assert document["documentNamespace"] == written()["documentNamespace"]
    pathlib.Path(next(iter(FILES))).write_text("other")
    other = sbom.document("0.1.0", 0, [pathlib.Path(name) for name in FILES])
    assert other["documentNamespace"] != document["documentNamespace"]


def each_file_states_what_is_linked_into_it():
    document = written()
    names = {one["SPDXID"]: one["name"] for one in document["packages"]}
    files = {one["SPDXID"]: one["fileName"].removeprefix("./") for one in document["files"]}
    assert len(names) == 4 and len(files) == len(FILES)
    found = {name: set() for name in FILES}
    for relation in document["relationships"]:
        one, kind, other = relation["spdxElementId"], relation["relationshipType"], relation["relatedSpdxElement"]
        if kind == "STATIC_LINK":
            found[files[one]].add(names[other])
        elif kind == "DESCRIBES":
            assert (one, names[other]) == ("SPDXRef-DOCUMENT", "inkling")
        else:
            assert (kind, names[other]) == ("GENERATED_FROM", "inkling") and one in files
    assert found == FILES
    generated = [one for one in document["relationships"] if one["relationshipType"] == "GENERATED_FROM"]
    assert {files[one["spdxElementId"]] for one in generated} == set(FILES)


def only_libraries_that_are_linked_in_are_listed():
    pathlib.Path("libinkling1_0.1.0_amd64.deb").touch()
    document = sbom.document("0.1.0", 0, [pathlib.Path("libinkling1_0.1.0_amd64.deb")])
    packages = {one["name"]: one for one in document["packages"]}
    assert list(packages) == ["inkling", "xxhash"]
    row, = [row for row in sources.libraries() if row["name"] == "xxhash"]
    described = packages["xxhash"]
    assert (described["versionInfo"], described["licenseDeclared"]) == (row["version"], row["licence"])
    assert described["checksums"] == [{"algorithm": "SHA256", "checksumValue": row["sha256"]}]
    assert row["archive"] in described["comment"] and "checksums" not in packages["inkling"]


def every_source_is_named_as_a_whole():
    for row in sources.libraries():
        assert row["debian"].split(":")[-1].startswith(row["version"]) and row["archive"].startswith(f"{row['name']}_{row['version']}")
        assert re.fullmatch(r"[0-9a-f]{64}", row["sha256"]) and row["licence"] and row["use"]
    assert {row["name"] for row in sources.libraries()} == COMPRESSED


def lists_of_packages_become_lists_of_sources():
    (pathlib.Path("apt") / "sources.list.d").mkdir(parents=True)
    for name, text in (("sources.list", LIST), ("sources.list.d/a.sources", DEB822), ("sources.list.d/b.list", "deb http://x y z\n")):
        (pathlib.Path("apt") / name).write_text(text)
    before, sources.APT = sources.APT, pathlib.Path("apt")
    try:
        found = dict(sources.source_lists())
    finally:
        sources.APT = before
    assert found == {"sources.list": LIST.replace("\ndeb ", "\ndeb-src "), "a.sources": DEB822.replace("deb\n", "deb-src\n", 1)}, found


if __name__ == "__main__":
    sys.exit(tap.run(tap.tests_of(globals()), "ink-release-"))
