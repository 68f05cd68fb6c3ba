"""ink-hadoop build: records in HDFS in, files of sketches in HDFS out, by one job."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Sequence

from .failure import JOB, USAGE, Failure
from .parts import fetched, parts_of
from .locations import Location
from .program import Program
from .session import Session, claimed
from .standard import say
from .tasks import Tasks, look, report_skipped

USAGE_LINE = "usage: ink-hadoop build KIND[,KIND...] [options] IN... OUT"
SUCCESS = "_SUCCESS"
UNITS = ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"))


def run(session: Session) -> int:
    """The command."""
    operands = session.words.operands
    started = time.monotonic()
    session.refuse_others()
    if len(operands) < 3:
        raise Failure(
            f"found {len(operands)} words, expected a kind, inputs and a new folder; {USAGE_LINE}",
            USAGE,
        )
    kind, *ins, out = operands
    output = session.locations.at(out)
    _ = output.files  # says if it is local
    inputs = look(session, ins)
    tasks = Tasks(session, inputs, [kind], [kind], output)
    tasks.check()
    plan = tasks.plan()
    _ = session.launcher  # says what is missing before anything is made
    with claimed(output):
        job = tasks.job(plan, ["--ranged"] if plan.ranged else [])
        if plan.ranged:  # what the job leaves is not yet the result
            job.settings["mapreduce.fileoutputcommitter.marksuccessfuljobs"] = "false"
        client = tasks.run(job, plan)
        sketches = client.counted("Sketches")
        if plan.ranged:
            sketches = assemble(session, [kind, *tasks.reading(plan)], output)
        elif not parts_of(output, ".ink"):
            raise Failure(f"{output}: the job left no sketches, expected part-*.ink", JOB)
        report_skipped(client)
    if os.isatty(2) and not session.words.quiet:
        report_build(output, sketches, client.counted("Records"), time.monotonic() - started)
    return 0


def assemble(session: Session, how: Sequence[str], output: Location) -> int:
    """Puts the pieces of a ranged build together, on disk; how many sketches the file has."""
    pieces = parts_of(output, ".pieces")
    if not pieces:
        raise Failure(f"{output}: the job left no pieces, expected part-*.pieces", JOB)
    whole = session.temporary / "part-00000.ink"
    paths = [str(path) for path in fetched(session, pieces)]
    session.program.ask(["reduce", "--assemble", *how, "-o", str(whole), *paths])
    session.store(whole, output.beside(f"{output.path}/{whole.name}"))
    for piece in pieces:
        piece.files.delete(piece.path)
    output.files.write(f"{output.path}/{SUCCESS}", io.BytesIO())
    return sketches_in(session.program, str(whole))


def sketches_in(program: Program, path: str) -> int:
    """How many sketches a file has."""
    return len(program.ask(["info", "--json", path]).splitlines())


def size_text(count: int) -> str:
    """A number of bytes as `ink` prints it."""
    for unit, name in UNITS:
        if count >= unit:
            scaled = count / unit
            return f"{scaled:.1f} {name}" if scaled < 99.95 else f"{scaled:.0f} {name}"
    return f"{count} B"


def report_build(output: Location, sketches: int, records: int, seconds: float) -> None:
    """The line that `ink build` ends with."""
    listing = output.files.listing(output.path)
    size = size_text(sum(status.length for status in listing))
    say(
        f"{output}: {sketches} sketch{'' if sketches == 1 else 'es'} of {records} "
        f"record{'' if records == 1 else 's'}, {size}, in {seconds:.2f} s"
    )
