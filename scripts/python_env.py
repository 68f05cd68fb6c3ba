#!/usr/bin/env python3
"""A virtual environment with the packages of a requirements file, in the user's cache folder.

    python_env.py REQUIREMENTS

Prints the path of its interpreter; it is the only line on standard output. The folder is named by what is
in it: interpreter and requirements, so that other requirements are another folder, and what is there
already is found again. It is made under another name and renamed when it is whole. Scripts in its bin/
know the first name: run modules, `python -m pytest`.
"""
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

# What pip says when no server answers.
UNREACHABLE = re.compile(r"NewConnectionError|ConnectTimeout|Connection (broken|refused|timed out|aborted)|"
                         r"Temporary failure in name resolution|Could not fetch URL|Read timed out|"
                         r"Network is unreachable|ProxyError")


def stop(message):
    sys.exit(f"make: {message}")


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "inkling"


def requirements_of(path, seen=()):
    """The lines that count, those of files that it names with -r included."""
    if path in seen:
        stop(f"{path}: names itself")
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.split("#")[0].strip()
        if line.startswith("-r "):
            yield from requirements_of(path.parent / line[3:].strip(), (*seen, path))
        elif line:
            yield line


def key_of(lines):
    """The interpreter by its path too: an environment is tied to it."""
    parts = [sys.executable, sys.version, *lines]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def why_not(said):
    """One line of what pip printed."""
    if UNREACHABLE.search(said):
        return "the registry of packages is not reachable"
    errors = [line for line in said.splitlines() if line.startswith("ERROR: ")]
    return (errors or said.strip().splitlines() or ["no reason was given"])[-1].removeprefix("ERROR: ")


def install(folder, lines, log):
    """Fills a new folder; why it could not, or None."""
    steps = [
        [sys.executable, "-m", "venv", folder],
        [folder / "bin/python", "-m", "pip", "install", "--disable-pip-version-check", "--no-input",
         "--only-binary=:all:", *lines],
    ]
    said = ""
    for step in steps:
        try:
            done = subprocess.run([str(word) for word in step], stdin=subprocess.DEVNULL, text=True,
                                  errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  check=False)
        except OSError as error:
            return f"{step[0]}: {error.strerror}"
        said += done.stdout
        log.write_text(said, encoding="utf-8")
        if "ensurepip is not" in done.stdout:
            return 'Python module venv is missing: run "make deps" as root'
        if done.returncode != 0:
            return f"{why_not(done.stdout)}; all that was said: {log}"
    log.unlink()
    return None


def make_whole(folder, lines, name):
    """Makes the folder, whole or not at all; who else wants it waits."""
    part = folder.with_name(folder.name + ".part")
    with open(folder.with_name(folder.name + ".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():
            return
        print(f"installing {' '.join(lines)} into {folder}", file=sys.stderr, flush=True)
        shutil.rmtree(part, ignore_errors=True)  # of one that was interrupted
        why = install(part, lines, folder.with_name(folder.name + ".log"))
        if why is not None:
            shutil.rmtree(part, ignore_errors=True)
            stop(f"the packages of {name} cannot be installed: {why}")
        part.rename(folder)


def main():
    if len(sys.argv) != 2:
        stop("expected one file: python_env.py REQUIREMENTS")
    if sys.version_info < (3, 10):
        stop(f"found Python {sys.version.split()[0]}, expected 3.10 or later: PYTHON= names another")
    path = pathlib.Path(sys.argv[1])
    lines = list(requirements_of(path))
    folder = cache_folder() / f"python-{key_of(lines)}"
    if not folder.exists():
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            make_whole(folder, lines, path.name)
        except OSError as error:
            stop(f"{error.filename or folder}: {error.strerror}")
    print(folder / "bin/python")


if __name__ == "__main__":
    main()
