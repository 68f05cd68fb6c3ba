"""How far a job is: one line on a terminal, which is rewritten and leaves no trace."""

from __future__ import annotations

import os
import sys
import time
from typing import TextIO

CLEAR = "\r\033[K"
BAR = 14


def bar(percent: int) -> str:
    """A bar as `ink` draws it."""
    full = percent * BAR // 100
    return f"[{'=' * full}{'>' if full < BAR else ''}{' ' * max(0, BAR - full - 1)}] {percent:3d} %"


class Progress:
    """Shows what a job does, on a terminal."""

    def __init__(self, shown: bool, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.shown = shown and bool(self.stream) and self.stream.isatty()  # there is none if it is closed
        self.started = time.monotonic()
        self.drawn = ""  # what stands there

    def show(self, text: str) -> None:
        """Rewrites the line."""
        if not self.shown:
            return
        seconds = int(time.monotonic() - self.started)
        line = f"{text}  {seconds // 60}:{seconds % 60:02d}"[: self.columns() - 1]
        if line == self.drawn:
            return
        self.stream.write(f"\r{line}\033[K")
        self.stream.flush()
        self.drawn = line

    def percents(self, maps: int, reduces: int | None) -> None:
        """Rewrites the line with how far maps and reduces are."""
        rest = "" if reduces is None else f"  reduce {bar(reduces)}"
        self.show(f"map {bar(maps)}{rest}")

    def clear(self) -> None:
        """Takes the line away."""
        if self.drawn:
            self.stream.write(CLEAR)
            self.stream.flush()
            self.drawn = ""

    def columns(self) -> int:
        """The width of the terminal."""
        try:
            return os.get_terminal_size(self.stream.fileno()).columns or 80
        except (OSError, ValueError):
            return 80
