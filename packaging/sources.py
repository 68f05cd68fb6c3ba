#!/usr/bin/env python3
"""The sources of the libraries that are linked into packages, in the user's cache folder.

    sources.py

Prints the folder, with one folder in it for each line of sources.tsv, named as the library. apt fetches them, with lists of
its own: the machine's sources of packages stay as they are. Debian's patches are applied. The folder is named by what is in
it, and made under another name and renamed when it is whole.
"""
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

TABLE = pathlib.Path(__file__).with_name("sources.tsv")
COLUMNS = ("name", "version", "debian", "licence", "archive", "sha256", "use")
APT = pathlib.Path("/etc/apt")


def stop(message):
    sys.exit(f"make: {message}")


def libraries():
    """The lines of the table."""
    lines = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    return [dict(zip(COLUMNS, line, strict=True)) for line in lines]


def source_lists():
    """Where the machine has its packages from, as sources."""
    lists = [*APT.glob("sources.list"), *sorted((APT / "sources.list.d").glob("*.list")),
             *sorted((APT / "sources.list.d").glob("*.sources"))]
    for path in lists:
        text = path.read_text(encoding="utf-8")
        if "debian" in text:
            yield path.name, re.sub(r"^(Types: *)deb *$|^deb(?= )", lambda m: f"{m[1] or ''}deb-src", text, flags=re.M)


def run(words, folder):
    done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        why = (done.stderr.strip().splitlines() or ["no reason was given"])[-1]
        stop(f"the sources of packaging/{TABLE.name} cannot be fetched: {words[0]}: {why}")


def fetch(folder):
    """Fills a new folder."""
    for name in ("apt/parts", "apt/lists/partial", "apt/cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    for name, text in source_lists():
        (folder / "apt/parts" / name).write_text(text, encoding="utf-8")
    (folder / "apt/status").touch()
    options = {"Dir::Etc::SourceList": "/dev/null", "Dir::Etc::SourceParts": folder / "apt/parts",
               "Dir::State::Lists": folder / "apt/lists", "Dir::State::status": folder / "apt/status",
               "Dir::Cache": folder / "apt/cache", "APT::Sandbox::User": "root"}
    apt = ["apt-get", "-qq", *(word for name, value in options.items() for word in ("-o", f"{name}={value}"))]
    run([*apt, "update"], folder)
    run([*apt, "source", "--download-only", *(f"{row['name']}={row['debian']}" for row in libraries())], folder)
    for row in libraries():
        found = hashlib.sha256((folder / row["archive"]).read_bytes()).hexdigest()
        if found != row["sha256"]:
            stop(f"{row['archive']}: found SHA-256 {found}, expected {row['sha256']}")
        description = f"{row['name']}_{row['debian'].split(':')[-1]}.dsc"
        run(["dpkg-source", "--no-check", "-x", description, row["name"]], folder)
    shutil.rmtree(folder / "apt")


def main():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    folder = pathlib.Path(base) / "inkling" / f"sources-{hashlib.sha256(TABLE.read_bytes()).hexdigest()[:12]}"
    part = folder.with_name(f"{folder.name}.part")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with open(folder.with_name(f"{folder.name}.lock"), "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                print(f"fetching {', '.join(row['name'] for row in libraries())} into {folder}", file=sys.stderr, flush=True)
                shutil.rmtree(part, ignore_errors=True)  # of one that was interrupted
                part.mkdir()
                fetch(part)
                part.rename(folder)
    except OSError as error:
        stop(f"{error.filename or folder}: {error.strerror}")
    print(folder)


if __name__ == "__main__":
    main()
