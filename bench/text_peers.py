"""Programs to compare with, installed into folders of the user's cache named by their versions.

Python packages get a virtual environment of their own, crates are built by cargo. What is there
already is not installed again; what cannot be installed is left out, with a line that says so.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

from measure import stop

PACKAGES = {"polars": "2.1.0", "duckdb": "2.0.0"}
CRATES = {"huniq": "2.7.0"}
PROGRAM = pathlib.Path(__file__).with_name("peer_program.py")


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "inkling/bench"


def install_package(name, folder):
    yield sys.executable, "-m", "venv", folder
    yield (folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
           "--no-input", f"{name}=={PACKAGES[name]}")


def install_crate(name, folder):
    yield ("cargo", "install", "--quiet", "--locked", "--root", folder, "--version", CRATES[name],
           name)


def run_all(commands):
    """Why the first one that fails does, as the last line that it printed tells; else nothing."""
    for command in commands:
        try:
            done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  check=False)
        except OSError as error:
            return f"{command[0]}: {error.strerror}"
        if done.returncode != 0:
            return (done.stdout.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return None


def installed(name, version, steps):
    """The folder that it is in, or nothing if it cannot be installed."""
    folder = cache_folder() / f"{name}-{version}"
    whole = folder / "installed"
    if whole.exists():
        return folder
    print(f"installing {name} {version} into {folder}", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    why = run_all(steps(name, folder))
    if why is None:
        whole.touch()
        return folder
    shutil.rmtree(folder)
    print(f"skipped: {name} {version} cannot be installed: {why}", flush=True)
    return None


def install_peers():
    """The program of each peer that is there: of a package the interpreter of its environment."""
    programs = {}
    for versions, steps, program in ((PACKAGES, install_package, "bin/python"),
                                     (CRATES, install_crate, "bin/{}")):
        for name, version in versions.items():
            folder = installed(name, version, steps)
            if folder is not None:
                programs[name] = folder / program.format(name)
    return programs


class Peer:
    """A Python package with the lines of a file in memory, and one thread to answer with."""

    def __init__(self, name, interpreter, question, data):
        self.name = name
        self.process = subprocess.Popen(
            [str(interpreter), str(PROGRAM), name, question, str(data)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, env={**os.environ, "POLARS_MAX_THREADS": "1"})
        self.read()  # the lines are in

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            stop(f"{self.name} ended with exit code {self.process.wait()}")
        return json.loads(line)

    def ask(self, way):
        """Seconds of the query, and the answer; `way` is "memory" or "file"."""
        self.process.stdin.write(way + "\n")
        self.process.stdin.flush()
        told = self.read()
        return told["seconds"], told["answer"]

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
