"""ink-hadoop verify: whether sketches keep their promises, by one job over the data they were built from."""

from __future__ import annotations

from .failure import USAGE, Failure
from .parts import fetched, parts_of
from .locations import Location
from .session import Session, claimed, discard, hidden_name
from .sketches import NAME, Sketches, find_sketches
from .tasks import Tasks, look, report_skipped

USAGE_LINE = "usage: ink-hadoop verify SKETCHES [options] IN..."
FORMS = ("--json", "--tsv")


def run(session: Session) -> int:
    """The command; its output and exit code are those of `ink verify`."""
    words = session.words
    session.refuse_others("--truth", *FORMS)
    ins = [*words.operands[1:], *words.given.get("--truth", [])]
    if not words.operands or not ins:
        raise Failure(
            f"found {len(words.operands)} words, expected sketches and their data; {USAGE_LINE}",
            USAGE,
        )
    sketches = find_sketches(session, words.operands[0])
    output = scratch(session)
    sides = [f"--verify={NAME}"], [f"--verify={sketches.local}"]
    tasks = Tasks(session, look(session, ins), *sides, output)
    tasks.check()
    plan = tasks.plan()
    _ = session.launcher  # says what is missing before anything is made
    with claimed(output):
        client = tasks.run(tasks.job(plan, ship=[sketches.shipped]), plan)
        report_skipped(client)
        code = judge(session, sketches, output)
    discard(output)
    return code


def scratch(session: Session) -> Location:
    """A folder for the results of reducers, which is removed at the end."""
    home = session.locations.home()
    return home.beside(hidden_name(f"{home.path}/ink-hadoop"))


def judge(session: Session, sketches: Sketches, output: Location) -> int:
    """Adds the results up and prints what `ink verify` prints."""
    results = fetched(session, parts_of(output, ".verdict"))
    if not results:
        raise Failure(f"{output}: the job left no results, expected part-*.verdict")
    forms = [form for form in FORMS if form in session.words.given]
    quiet = ["--quiet"] if session.words.quiet else []
    options = [word for word in session.options_for("reduce") if word not in FORMS]
    words = ["reduce", f"--verify={sketches.local}", "--assemble", *options, *forms, *quiet]
    return session.program.run([*words, *map(str, results)], passed=True).returncode
