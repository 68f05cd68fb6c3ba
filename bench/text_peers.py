"""Programs to compare with: Python packages, each in a virtual environment of its own, and crates, built by cargo."""
import json
import os
import pathlib
import subprocess
import sys

from installing import installed, program
from measure import stop

PACKAGES = {"polars": "2.1.0", "duckdb": "2.0.0"}
CRATES = {"huniq": "2.7.0", "runiq": "2.1.0"}
PROGRAM = pathlib.Path(__file__).with_name("peer_program.py")


def install_package(name, folder):
    yield sys.executable, "-m", "venv", folder
    yield (folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
           "--no-input", f"{name}=={PACKAGES[name]}")


def install_crate(name, folder):
    yield (program("cargo") or "cargo", "install", "--quiet", "--locked", "--root", folder, "--version", CRATES[name],
           name)


def find_bloom():
    """The command `bloom` of Debian's golang-github-dcso-bloom-cli: others have that name too."""
    path = program("bloom")
    if path is not None and "Bloom Filter" in subprocess.run([path, "--version"], capture_output=True, text=True,
                                                             check=False).stdout:
        return path
    print("left out: bloom: not there: apt-get install golang-github-dcso-bloom-cli", flush=True)
    return None


def install_peers():
    """The program of each peer that is there: of a package the interpreter of its environment."""
    bloom = find_bloom()
    programs = {} if bloom is None else {"bloom": bloom}
    for versions, steps, place in ((PACKAGES, install_package, "bin/python"),
                                   (CRATES, install_crate, "bin/{}")):
        for name, version in versions.items():
            folder = installed(name, version, steps)
            if folder is not None:
                programs[name] = folder / place.format(name)
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
        reported = self.read()
        return reported["seconds"], reported["answer"]

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
