"""ink-hadoop filter: records whose key may be in a set, written back to HDFS, and how many they are."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping

from .failure import USAGE, Failure
from .session import Session, refuse_file_above
from .sketches import NAME, find_sketches
from .standard import put
from .tasks import Tasks, look, report_skipped

USAGE_LINE = "usage: ink-hadoop filter SKETCHES [options] IN... OUT"
FORMS = ("--json", "--tsv")
TITLES = {"set_records": "set records", "set_keys": "set keys", "false_groups": "false groups"}
FIELDS = ("functions", "set_records", "set_keys", "analysed", "admitted", "rejected", "seconds", "groups", "false_groups")


def run(session: Session) -> int:
    """The command; 0 if some record passed, 1 if none did."""
    operands = session.words.operands
    started = time.monotonic()
    session.refuse_others("--count", *FORMS)
    if len(operands) < 3:
        raise Failure(
            f"found {len(operands)} words, expected sketches, inputs and a new folder; {USAGE_LINE}",
            USAGE,
        )
    word, *ins, out = operands
    output = session.locations.at(out)
    if output.files.status(output.path) is not None:
        raise Failure(f"{output}: exists already, expected a new folder")
    refuse_file_above(output)
    sketches = find_sketches(session, word)
    sides = [f"--filter={NAME}"], [f"--filter={sketches.local}"]
    tasks = Tasks(session, look(session, ins), *sides, output, reduces=False)
    tasks.check()
    plan = tasks.plan()
    job = tasks.job(plan, ship=[sketches.shipped])
    job.settings["stream.map.output"] = "keyonlytext"  # a tab would follow every record otherwise
    client = tasks.run_new(job, plan)
    report_skipped(client)
    admitted, rejected = client.counted("Admitted"), client.counted("Rejected")
    report = {
        **about_set(session, str(sketches.local)),
        "analysed": admitted + rejected,
        "admitted": admitted,
        "rejected": rejected,
        "seconds": time.monotonic() - started,
    }
    if not session.words.quiet:
        put(report_text(report, next((form for form in FORMS if form in session.words.given), "")) + "\n")
    return 0 if (rejected if "--invert" in session.words.given else admitted) else 1


def about_set(session: Session, sketches: str) -> dict[str, float]:
    """What `ink filter --count` reports about the sketches, for any data."""
    words = [
        word
        for typed in session.words.passed
        if typed.name not in (*FORMS, "--count")
        for word in typed.words
    ]
    done = session.program.run(["filter", "--count", "--json", *words, sketches, "-"])
    answer = json.loads(done.stdout) if done.stdout else {}
    return {name: value for name, value in answer.items() if name in FIELDS}


def report_text(report: Mapping[str, float], form: str) -> str:
    """The report in a form of `ink filter --count`."""
    fields = [name for name in FIELDS if name in report]
    if form == "--json":
        return json.dumps({name: report[name] for name in fields}, separators=(",", ":"))
    if form == "--tsv":
        return "\t".join(FIELDS) + "\n" + "\t".join(str(report.get(name, "")) for name in FIELDS)
    shown = {TITLES.get(name, name): text_of(name, report[name]) for name in fields}
    left, right = max(map(len, shown)), max(map(len, shown.values()))
    return "\n".join(f"{title:<{left}}  {value:>{right}}" for title, value in shown.items())


def text_of(name: str, value: float) -> str:
    """A field for people."""
    if name == "seconds":
        return f"{value:.3f}"
    return f"{value:.3g}" if name == "false_groups" else str(value)
