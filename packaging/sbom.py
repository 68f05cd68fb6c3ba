#!/usr/bin/env python3
"""Writes the SBOM of a release, in SPDX 2.3 as JSON: its files with their checksums, and what is linked into them.

    sbom.py VERSION SECONDS FILE...

SECONDS since 1970 are its date. What is linked in comes from sources.tsv; Debian's packages have it from the system, but for
the static program in inkling-hadoop.
"""
import datetime
import hashlib
import json
import pathlib
import re
import sys

from sources import libraries

NOWHERE = "NOASSERTION"
# Which files have which libraries in them, by their names.
COMPILED_IN = [
    (r".*\.(whl|jar)$|inkling-duckdb-.*|ink-.*-linux-.*", ("xxhash", "zlib", "libzstd")),
    (r"inkling-hadoop_.*\.deb$", ("xxhash", "zlib", "libzstd")),
    (r".*\.deb$", ("xxhash",)),
    (r".*", ()),
]


def name_of(text):
    """An identifier as SPDX allows it."""
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", text)


def package(name, version, licence, checksum, comment):
    described = {"SPDXID": name_of(name), "name": name, "versionInfo": version, "downloadLocation": NOWHERE,
                 "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence,
                 "copyrightText": NOWHERE, "comment": comment}
    if checksum:
        described["checksums"] = [{"algorithm": "SHA256", "checksumValue": checksum}]
    return described


def release_file(path):
    data = path.read_bytes()
    sums = [{"algorithm": kind, "checksumValue": hashlib.new(kind.lower(), data).hexdigest()} for kind in ("SHA1", "SHA256")]
    return {"SPDXID": name_of(path.name), "fileName": f"./{path.name}", "checksums": sums,
            "licenseConcluded": "Apache-2.0", "copyrightText": NOWHERE}


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def linked_into(name):
    return next(names for pattern, names in COMPILED_IN if re.fullmatch(pattern, name))


def document(version, seconds, paths):
    rows = [row for row in libraries() if any(row["name"] in linked_into(path.name) for path in paths)]
    packages = [package("inkling", version, "Apache-2.0", None, "the release"),
                *(package(row["name"], row["version"], row["licence"], row["sha256"],
                          f"{row['use']}; the checksum is that of Debian's {row['archive']}") for row in rows)]
    files = [release_file(path) for path in paths]
    relations = [relation("SPDXRef-DOCUMENT", "DESCRIBES", name_of("inkling")),
                 *(relation(file["SPDXID"], "GENERATED_FROM", name_of("inkling")) for file in files),
                 *(relation(name_of(path.name), "STATIC_LINK", name_of(library))
                   for path in paths for library in linked_into(path.name))]
    sums = "".join(file["checksums"][1]["checksumValue"] for file in files)
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"inkling-{version}",
        "documentNamespace": f"urn:inkling:{version}:{hashlib.sha256(sums.encode()).hexdigest()}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: inkling-packaging/sbom.py"]},
        "packages": packages, "files": files, "relationships": relations,
    }


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit("make: expected sbom.py VERSION SECONDS FILE...")
    print(json.dumps(document(sys.argv[1], int(sys.argv[2]), [pathlib.Path(name) for name in sys.argv[3:]]), indent=1))
