"""One driver for each engine: connect, load the extension, make tables, run SQL. All cases are shared.

A new engine is a class here with what Engine declares, and its name in ENGINES. Cases are written in SQL that all
engines have, with `?` for parameters; what differs stands between braces and is filled in from `words`.
"""

from __future__ import annotations

import base64
import os
import pathlib
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

Row = tuple[Any, ...]
# The folder below which extensions were built.
BUILT = pathlib.Path(os.environ.get("INK_SQL_BUILT", "build/sql"))


class Refused(Exception):
    """What an engine raises for SQL that fails, with its message."""


class Engine:
    """An engine in this process, or a server that it starts; sketches come out, and go in, as bytes."""

    name: ClassVar[str]
    # What stands for {sketch} (a parameter that is a sketch) and for types, in SQL.
    words: ClassVar[dict[str, str]]
    # Types of key that it has beside integers, texts and bytes: "uint", "date", "timestamp".
    types: ClassVar[frozenset[str]] = frozenset()
    # Whether an argument of a wrong type is refused by us, with our message, or by the engine, with its own.
    binds_types: ClassVar[bool] = True

    def rows(self, sql: str, *parameters: Any) -> list[Row]:
        """Runs one statement, and gives its rows; Refused if it fails."""
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError

    def cpu(self) -> float:
        """CPU seconds that it has taken, on all of its threads: those of this process, unless it is another."""
        return time.process_time()

    @classmethod
    def shell(cls, folder: pathlib.Path) -> Callable[[str], str]:
        """The engine's own shell in a folder, with a new database: what it prints for some lines that are typed, a line for
        each row, columns separated by " | ". The first lines are those that install the extension."""
        raise NotImplementedError

    def value(self, sql: str, *parameters: Any) -> Any:
        """The only value of the only row."""
        ((found,),) = self.rows(sql, *parameters)
        return found

    def table(self, name: str, columns: dict[str, str], rows: Iterable[Sequence[Any]]) -> None:
        """Makes a table anew; types of columns are "int", "text", "blob", "stored" (a sketch) and those of `types`."""
        declared = ", ".join(f"{column} {self.words[kind]}" for column, kind in columns.items())
        self.rows(f"DROP TABLE IF EXISTS {name}")
        self.rows(f"CREATE TABLE {name}({declared})")
        self.fill(name, len(columns), rows)

    def fill(self, name: str, width: int, rows: Iterable[Sequence[Any]]) -> None:
        marks = ", ".join("?" * width)
        for row in rows:
            self.rows(f"INSERT INTO {name} VALUES ({marks})", *row)


class SQLite(Engine):
    """By apsw, which has a SQLite of its own and loads extensions wherever it runs."""

    name = "sqlite"
    words: ClassVar[dict[str, str]] = {
        "sketch": "?",
        "int": "INTEGER",
        "text": "TEXT",
        "blob": "BLOB",
        "stored": "BLOB",
        "real": "REAL",
        "to_text": "CAST(key AS TEXT)",
        "to_int": "CAST(key AS INTEGER)",
    }
    extension = BUILT / "sqlite" / "inkling"

    def __init__(self, path: str = ":memory:", files: bool = True) -> None:
        import apsw

        self.error = apsw.Error
        self.connection = apsw.Connection(path)
        self.connection.enable_load_extension(True)
        self.connection.load_extension(str(self.extension))
        if files:
            self.connection.load_extension(str(self.extension), "sqlite3_inklingfiles_init")

    @classmethod
    def shell(cls, folder: pathlib.Path) -> Callable[[str], str]:
        program = shutil.which("sqlite3")
        assert program is not None, "sqlite3 is not installed"
        (folder / "inkling.so").symlink_to(cls.extension.with_suffix(".so"))
        typed = [".separator ' | '"]

        def run(text: str) -> str:
            lines = "\n".join([*typed, text])
            done = subprocess.run(
                [program, "-bail", "shell.db"], input=lines, cwd=folder, capture_output=True, text=True, check=False
            )
            assert (done.returncode, done.stderr) == (0, ""), text
            # Each call is a new process, which has to load again what the first one loaded.
            typed.extend(line for line in text.splitlines() if line.startswith(".load"))
            return done.stdout

        return run

    def rows(self, sql: str, *parameters: Any) -> list[Row]:
        try:
            return list(self.connection.execute(sql, parameters))
        except self.error as error:
            raise Refused(str(error)) from None

    def fill(self, name: str, width: int, rows: Iterable[Sequence[Any]]) -> None:
        with self.connection:
            self.connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * width)})", rows)

    def close(self) -> None:
        self.connection.close()


class DuckDB(Engine):
    """The package of PyPI; its shell is a package, too."""

    name = "duckdb"
    words: ClassVar[dict[str, str]] = {
        "sketch": "?",
        "int": "BIGINT",
        "uint": "UBIGINT",
        "text": "VARCHAR",
        "blob": "BLOB",
        "stored": "BLOB",
        "real": "DOUBLE",
        "date": "DATE",
        "timestamp": "TIMESTAMP",
        "to_text": "key::VARCHAR",
        "to_int": "key::BIGINT",
    }
    types: ClassVar[frozenset[str]] = frozenset({"uint", "date", "timestamp"})
    extension = BUILT / "duckdb" / "inkling.duckdb_extension"

    def __init__(self, path: str = ":memory:", macros: bool = True, threads: int | None = None, memory: str | None = None) -> None:
        # Version 1.4 looks for pandas at each value that it is given, and finds none again and again.
        sys.modules.setdefault("pandas", None)  # type: ignore[arg-type]
        import duckdb

        self.error = duckdb.Error
        config = {"allow_unsigned_extensions": "true", "threads": threads, "memory_limit": memory}
        self.connection = duckdb.connect(path, config={name: str(value) for name, value in config.items() if value is not None})
        self.connection.execute(f"LOAD '{self.extension}'")
        if macros:
            self.connection.execute(self.extension.with_name("inkling.sql").read_text(encoding="utf-8"))

    @classmethod
    def shell(cls, folder: pathlib.Path) -> Callable[[str], str]:
        program = pathlib.Path(sys.executable).with_name("duckdb")
        assert program.exists(), "duckdb-cli is not installed"
        for file in (cls.extension, cls.extension.with_name("inkling.sql")):
            (folder / file.name).symlink_to(file)
        typed = [".mode list", ".headers off", ".separator ' | '"]

        def run(text: str) -> str:
            lines = "\n".join([*typed, text])
            done = subprocess.run(
                [sys.executable, program, "-bail", "-unsigned", "shell.db"],
                input=lines,
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )
            assert (done.returncode, done.stderr) == (0, ""), text + done.stderr
            # Each call is a new process, which has to load again what the first one loaded.
            typed.extend(line for line in text.splitlines() if line.startswith(("LOAD", ".read")))
            return done.stdout

        return run

    def rows(self, sql: str, *parameters: Any) -> list[Row]:
        try:
            return self.connection.execute(sql, parameters).fetchall()
        except self.error as error:
            raise Refused(str(error)) from None

    def fill(self, name: str, width: int, rows: Iterable[Sequence[Any]]) -> None:
        columns = list(zip(*rows, strict=True))
        if columns:
            self.rows(f"INSERT INTO {name} SELECT {', '.join(['unnest(?)'] * width)}", *map(list, columns))

    def close(self) -> None:
        self.connection.close()


class PostgreSQL(Engine):
    """By psycopg, over a server of our own. Tables are temporary ones, and go with the connection."""

    name = "postgresql"
    words: ClassVar[dict[str, str]] = {
        # So that functions meet bytes which the casts to the type would refuse.
        "sketch": "pg_temp.unchecked(?)",
        "int": "bigint",
        "text": "text",
        "blob": "bytea",
        "stored": "ink",
        "real": "double precision",
        "date": "date",
        "timestamp": "timestamp",
        "to_text": "key::text",
        "to_int": "key::bigint",
    }
    types = frozenset({"date", "timestamp"})
    unchecked = "CREATE FUNCTION pg_temp.unchecked(bytea) RETURNS ink IMMUTABLE STRICT LANGUAGE internal AS 'byteasend'"

    def __init__(self, database: str = "postgres", user: str = "postgres", version: str | None = None) -> None:
        import psycopg
        from postgresql_server import server
        from psycopg.types import TypeInfo

        self.error = psycopg.Error
        self.server = server(BUILT.resolve() / "postgresql")
        self.connection = psycopg.connect(
            host=self.server.socket, dbname=database, user=user, autocommit=True, cursor_factory=psycopg.ClientCursor
        )
        self.connection.execute("SET client_min_messages = warning")
        self.connection.execute("SET search_path = pg_temp, public")
        if user == "postgres":
            which = "" if version is None else f"VERSION '{version}'"
            self.connection.execute(f"CREATE EXTENSION IF NOT EXISTS inkling SCHEMA public {which}")
            self.connection.execute(self.unchecked)

        class Sketch(psycopg.adapt.Loader):
            def load(self, data: Any) -> bytes:
                return base64.b64decode(bytes(data))

        type_info = TypeInfo.fetch(self.connection, "ink")
        assert type_info is not None
        self.connection.adapters.register_loader(type_info.oid, Sketch)

    @classmethod
    def shell(cls, folder: pathlib.Path) -> Callable[[str], str]:
        from postgresql_server import server

        running = server(BUILT.resolve() / "postgresql")
        environment = running.environment
        psql = [str(running.bin / "psql"), "-h", running.socket, "-U", "postgres", "-XqAt", "-F", " | ", "-v", "ON_ERROR_STOP=1"]
        subprocess.run([*psql, "-c", "CREATE DATABASE shell TEMPLATE template0", "postgres"], env=environment, check=True)

        def run(text: str) -> str:
            done = subprocess.run([*psql, "shell"], input=text, cwd=folder, env=environment, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stderr) == (0, ""), text
            return done.stdout

        return run

    def rows(self, sql: str, *parameters: Any) -> list[Row]:
        try:
            if parameters:
                done = self.connection.execute(sql.replace("%", "%%").replace("?", "%s"), parameters)
            else:
                done = self.connection.execute(sql)
            return [] if done.description is None else done.fetchall()
        except self.error as error:
            raise Refused(str(error)) from None

    def table(self, name: str, columns: dict[str, str], rows: Iterable[Sequence[Any]]) -> None:
        super().table(name, columns, [] if "stored" in columns.values() else rows)
        if "stored" in columns.values():
            marks = ", ".join(self.words["sketch"] if kind == "stored" else "?" for kind in columns.values())
            for row in rows:
                self.rows(f"INSERT INTO {name} VALUES ({marks})", *row)

    def fill(self, name: str, width: int, rows: Iterable[Sequence[Any]]) -> None:
        with self.connection.cursor().copy(f"COPY {name} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)

    def cpu(self) -> float:
        """Of the backend, and of workers, which are children of the server that have ended."""
        of_backend = pathlib.Path(f"/proc/{self.connection.info.backend_pid}/schedstat").read_text(encoding="ascii")
        of_server = pathlib.Path(f"/proc/{self.server.postmaster()}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        ticks = int(of_server[13]) + int(of_server[14])
        return int(of_backend.split()[0]) / 1e9 + ticks / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        self.connection.close()


ENGINES: dict[str, type[Engine]] = {driver.name: driver for driver in (SQLite, DuckDB, PostgreSQL)}
