"""Writes a jar whose bytes depend on nothing but its files: sorted, without dates.

    make_jar.py JAR VERSION FOLDER...
"""

from __future__ import annotations

import pathlib
import sys
import zipfile

NO_DATE = (1980, 1, 1, 0, 0, 0)


def manifest(version: str) -> bytes:
    """What a JVM reads of a jar; lines end as it demands."""
    lines = (
        "Manifest-Version: 1.0",
        "Automatic-Module-Name: inkling",
        "Implementation-Title: Inkling",
        f"Implementation-Version: {version}",
    )
    return "".join(f"{line}\r\n" for line in (*lines, "")).encode()


def write_jar(jar: pathlib.Path, version: str, folders: list[pathlib.Path]) -> None:
    """All files below the folders, whole or not at all."""
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
    }
    part = jar.with_suffix(".new")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in [("META-INF/MANIFEST.MF", manifest(version)), *sorted(files.items())]:
            entry = zipfile.ZipInfo(name, NO_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    part.rename(jar)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit("make: expected make_jar.py JAR VERSION FOLDER...")
    write_jar(pathlib.Path(sys.argv[1]), sys.argv[2], [pathlib.Path(name) for name in sys.argv[3:]])
