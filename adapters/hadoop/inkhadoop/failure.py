"""How failures end: with one line, and the exit code that `ink` has for it."""

from __future__ import annotations

JOB = 1  # the job was started, and failed
USAGE = 2
FORMAT = 3  # a bad or incompatible file
IO = 4
LIMIT = 5  # memory or a limit


class Failure(Exception):
    """Ends the command with a line and an exit code."""

    def __init__(self, text: str, code: int = IO) -> None:
        super().__init__(text)
        self.text = text
        self.code = code


class Relayed(Failure):
    """What `ink` reports: its own line, which begins with its name already."""


class Interrupted(BaseException):
    """A signal came that ends the command."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def one_line(text: str, most: int = 1000) -> str:
    """Text as one line that no terminal stumbles over."""
    line = " ".join(text.split())
    line = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in line)
    return line if len(line) <= most else line[: most - 3] + "..."
