"""A PostgreSQL of our own for tests: a copy of an installation, into which the extension is installed, and a server on it.

The server runs as an ordinary user, listens on a Unix socket in a folder of its own, and is stopped when this process ends.
A server looks for its files beside its program.
"""

from __future__ import annotations

import atexit
import functools
import os
import pathlib
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = ("initdb", "pg_config", "pg_ctl", "pg_dump", "pg_restore", "postgres", "psql")
SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "jit": "off",
    "shared_buffers": "512MB",
    "max_wal_size": "4GB",
    "synchronous_commit": "off",
    "log_min_messages": "fatal",
}


class Server:
    """`config` is the pg_config of the installation, `built` the folder where `make postgresql` left the extension."""

    def __init__(self, config: str, built: pathlib.Path) -> None:
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ink-postgresql-"))
        self.folder.chmod(0o755)
        # A server refuses to run as root.
        self.user = {"user": "nobody", "extra_groups": []} if os.geteuid() == 0 else {}
        self.environment = {**os.environ, "LD_LIBRARY_PATH": str(self.folder / "libs")}
        self.bin = self.copy(config)
        self.built = built
        self.install()
        self.start()

    def copy(self, config: str) -> pathlib.Path:
        """The folder of the programs of the copy."""
        names = ("bindir", "pkglibdir", "sharedir")
        listed = subprocess.run([config, *(f"--{name}" for name in names)], check=True, stdout=subprocess.PIPE, text=True)
        folders = [pathlib.Path(line) for line in listed.stdout.splitlines()]
        common = os.path.commonpath(folders)
        programs, *others = (self.folder / "copy" / folder.relative_to(common) for folder in folders)
        programs.mkdir(parents=True)
        for name in PROGRAMS:
            shutil.copy(folders[0] / name, programs / name)
        for folder, copy in zip(folders[1:], others, strict=True):
            shutil.copytree(folder, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns("bitcode"))
        # Those of a Python package have theirs beside the package, and find it from where they stand.
        for folder in folders[0].parents[1].parent.glob("*.libs"):
            shutil.copytree(folder, self.folder / "libs")
        return programs

    def install(self) -> None:
        self.make("install").check_returncode()

    def make(self, target: str, *words: str) -> subprocess.CompletedProcess[str]:
        """By PGXS, as a user does."""
        return subprocess.run(
            ["make", "-s", "-C", self.built, "-f", HERE.parent / "postgresql/Makefile", f"PG_CONFIG={self.bin / 'pg_config'}",
             f"BUILT={self.built.parents[1]}", *words, target],
            check=False, stdout=subprocess.PIPE, text=True, env={**self.environment, "MAKEFLAGS": "", "MAKELEVEL": ""},
        )  # fmt: skip

    def run(self, program: str, *words: object) -> None:
        done = subprocess.run(
            [self.bin / program, *map(str, words)],
            cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False, **self.user,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self) -> None:
        data = self.folder / "data"
        data.mkdir(mode=0o700)
        if self.user:
            shutil.chown(data, "nobody")
        self.run("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        settings = {**SETTINGS, "unix_socket_directories": str(data)}
        options = " ".join(f"-c {name}='{value}'" for name, value in settings.items())
        self.run("pg_ctl", "-D", data, "-w", "-l", data / "log", "-o", options, "start")
        # The socket stands where only this user and root reach it.
        self.socket = str(data)
        atexit.register(self.stop)

    def postmaster(self) -> int:
        return int((self.folder / "data/postmaster.pid").read_text().split()[0])

    def stop(self) -> None:
        self.run("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "-w", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)


@functools.cache
def server(built: pathlib.Path) -> Server:
    """The one of this process. INK_PG_CONFIG says of which installation."""
    return Server(os.environ.get("INK_PG_CONFIG", "pg_config"), built)
