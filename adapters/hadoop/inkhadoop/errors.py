"""Why a job failed: what tasks wrote into OUT/_errors before they ended, else what Hadoop knows of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from .client import Client
from .failure import Failure, Relayed, one_line
from .locations import Location

ERRORS = "_errors"
MOST_BYTES = 4096
EXIT_CODE = re.compile(r"^exit code (\d+)\s*\Z", re.MULTILINE)


@dataclass
class Said:
    """The last words of an attempt."""

    text: str
    code: int | None = None  # that it ended with


def errors_in(output: Location) -> dict[str, Said]:
    """What attempts said: in a file each, or in names of empty files where no text could be written."""
    folder = f"{output.path}/{ERRORS}"
    found: dict[str, Said] = {}
    hdfs = output.files
    if hdfs.status(folder) is None:
        return found
    for status in sorted(hdfs.listing(folder), key=lambda status: (status.modified, status.name)):
        attempt, _, named = status.name.partition(" ")
        if status.length:
            text = b"".join(hdfs.read(status.path, MOST_BYTES)).decode("utf-8", "replace")
            code = EXIT_CODE.search(text)
            found[attempt] = Said(one_line(EXIT_CODE.sub("", text)), int(code[1]) if code else None)
        elif named:
            before = found.setdefault(attempt, Said(""))
            before.text += unquote(named.partition(" ")[2])
    return {attempt: said for attempt, said in found.items() if said.text.strip()}


def discard_errors(output: Location) -> None:
    """Errors of attempts that were made good by others are not a part of the result."""
    path = f"{output.path}/{ERRORS}"
    if output.files.status(path) is not None:
        output.files.delete(path)


def failure_of(client: Client, output: Location) -> Failure:
    """The one line that a failed job ends with."""
    try:
        errors = errors_in(output)
    except Failure:
        errors = {}
    attempt = client.failed_attempt()
    own = [name for name in errors if name == attempt or client.is_of_failed_task(name)]
    if not own and attempt is None:
        own = list(errors)
    if own:
        said = errors[own[-1]]
        return Relayed(said.text, client.exit_code() if said.code is None else said.code)
    state = "was killed" if client.state == "KILLED" else "failed"
    return Failure(f"{client.job} {state}: {client.why()}", client.exit_code())
