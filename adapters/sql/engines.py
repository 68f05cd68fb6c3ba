"""One driver for each engine: connect, load the extension, make tables, run SQL. All cases are shared.

A new engine is a class here with what Engine declares, and its name in ENGINES. Cases are written in SQL that all
engines have, with `?` for parameters; what differs stands between braces and is filled in from `words`.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
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
        """Makes a table anew; types of columns are "int", "text", "blob" and those of `types`."""
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


ENGINES: dict[str, type[Engine]] = {driver.name: driver for driver in (SQLite,)}
