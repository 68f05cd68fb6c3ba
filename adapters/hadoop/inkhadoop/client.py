"""What Hadoop's client says while a job runs: the job's name, how far it is, counters, why it failed."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass, field

from .failure import JOB, one_line

JOB_ID = re.compile(
    r"(?:Submitting tokens for job|Running job|Submitted application).*?((?:job|application)_(\d+_\d+))"
)
PERCENTS = re.compile(r"\bmap (\d+)% reduce (\d+)%")
ATTEMPT = re.compile(r"Task Id : (attempt_\w+), Status : FAILED")
ENDED = re.compile(r"Job job_\d+_\d+ (completed successfully|failed with state (\w+)(?: due to: (.*))?)")
FAILED_TASK = re.compile(r"Task failed (task_\w+)")
COUNTERS = re.compile(r"Counters: \d+\s*$")
COUNTER = re.compile(r"^\t\t(.+)=(-?\d+)\s*$")
GROUP = re.compile(r"^\t(\S.*?)\s*$")
SUBPROCESS = re.compile(r"subprocess failed with code (\d+)")
QUEUE = re.compile(r"to unknown queue: (\S+)")
STACK = re.compile(r"^\s+(at |\.\.\. \d+ more)")
PREFIX = re.compile(r"^(?:\S+ \S+ )?(INFO|WARN|ERROR|FATAL)\s+(\S+?):? ")
EXCEPTION = re.compile(
    r"(?:^|[ :])(?:Exception in thread \"\S+\" )?(?:[a-z]\w*\.)+([A-Z]\w*(?:Exception|Error))(?:: (.*))?$"
)
INFORMATIVE = re.compile(
    r"beyond the '\w+'|running beyond|killed on request|Exit code is|error=\d+|Failed to|unknown queue"
)


def exit_text(code: int) -> str:
    """What an exit code of a task's program means, in words."""
    if code > 128 and code - 128 in {s.value for s in signal.Signals}:
        return f"killed by signal {code - 128} ({signal.Signals(code - 128).name})"
    if code in (126, 127):
        return f"exit code {code}: the program cannot run on the node, expected one of the same machine"
    return f"exit code {code}"


@dataclass
class Client:
    """What was said so far."""

    job: str | None = None  # job_..., from when it is on its way to the cluster
    maps: int = 0
    reduces: int = 0
    attempts: dict[str, list[str]] = field(default_factory=dict)  # failed ones, with what was said about them
    state: str | None = None  # SUCCEEDED, FAILED or KILLED
    diagnostics: list[str] = field(default_factory=list)  # why it is FAILED
    counters: dict[tuple[str, str], int] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    _collects: list[str] | None = None
    _counts: bool = False
    _group: str = ""

    def take(self, line: str) -> None:
        """The next line."""
        line = line.rstrip("\r\n")
        self.lines.append(line)
        del self.lines[:-400]
        if self._counts and self._take_counter(line):
            return
        self._counts = False
        if PREFIX.match(line) is None and self._collects is not None:
            self._collects.append(line)
            return
        self._collects = None
        self._take_news(line)

    def _take_counter(self, line: str) -> bool:
        if counter := COUNTER.match(line):
            self.counters[self._group, counter[1]] = int(counter[2])
            return True
        if group := GROUP.match(line):
            self._group = group[1]
            return True
        return False

    def _take_news(self, line: str) -> None:
        if found := JOB_ID.search(line):
            self.job = "job_" + found[2]
        if percents := PERCENTS.search(line):
            self.maps, self.reduces = int(percents[1]), int(percents[2])
        elif attempt := ATTEMPT.search(line):
            self._collects = self.attempts.setdefault(attempt[1], [])
        elif ended := ENDED.search(line):
            self.state = ended[2] or "SUCCEEDED"
            if ended[3] is not None:
                self.diagnostics = [ended[3]]
                self._collects = self.diagnostics
        elif COUNTERS.search(line):
            self._counts = True

    @property
    def failed_task(self) -> str | None:
        """The task that the job failed with."""
        found = FAILED_TASK.search("\n".join(self.diagnostics))
        return found[1] if found else None

    def failed_attempts(self) -> list[str]:
        """The attempts of that task that are known."""
        return [name for name in self.attempts if self.is_of_failed_task(name)]

    def is_of_failed_task(self, attempt: str) -> bool:
        """Whether an attempt is one of the task that the job failed with."""
        task = (self.failed_task or "").removeprefix("task_")
        return bool(task) and attempt.startswith(f"attempt_{task}_")

    def counted(self, name: str) -> int:
        """A counter of `ink`."""
        return self.counters.get(("Ink", name), 0)

    def failed_attempt(self) -> str | None:
        """The last attempt of that task, or of any."""
        found = self.failed_attempts() or list(self.attempts)
        return found[-1] if found else None

    def exit_code(self) -> int:
        """The exit code of the task's program where it is one that `ink` gives, else that of a failed job."""
        said = "\n".join(self.attempts.get(self.failed_attempt() or "", []))
        found = SUBPROCESS.search(said)
        code = int(found[1]) if found else JOB
        return code if 1 <= code <= 5 else JOB

    def why(self) -> str:
        """Why the job failed, in one line, from what the client said."""
        attempt = self.failed_attempt()
        if attempt is not None:
            return f"{attempt}: {reason_in(self.attempts[attempt])}"
        if self.diagnostics:
            return reason_in(self.diagnostics)
        return self.why_not_started()

    def why_not_started(self) -> str:
        """Why no job came to be: what the last exception says, or the last error."""
        for line in reversed(self.lines):
            if STACK.match(line) or line.startswith("Caused by"):
                continue
            if found := EXCEPTION.search(line):
                return one_line(found[2] or found[1])
        errors = [PREFIX.sub("", line) for line in self.lines if line.startswith(("ERROR", "FATAL"))]
        said = (
            errors
            or [line for line in self.lines if line.strip() and not PREFIX.match(line)]
            or ["it said nothing"]
        )
        return one_line(said[-1])


def reason_in(lines: list[str]) -> str:
    """The most informative line of a report about a failed task."""
    text = "\n".join(lines)
    if found := SUBPROCESS.search(text):
        return exit_text(int(found[1]))
    if found := QUEUE.search(text):
        return f"no queue {found[1]} in YARN, expected another --queue"
    said = [line.strip() for line in lines if line.strip() and not STACK.match(line)]
    informative = [line for line in said if INFORMATIVE.search(line)]
    causes = [line.removeprefix("Caused by: ") for line in said if line.startswith("Caused by: ")]
    chosen = (
        informative[:1]
        or causes[-1:]
        or [line.removeprefix("Error: ") for line in said[:1]]
        or ["no reason was given"]
    )[0]
    return one_line(re.sub(r"^(?:[a-z]\w*\.)+[A-Z]\w*(?:Exception|Error): ", "", chosen))
