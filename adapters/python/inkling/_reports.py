"""What jobs report: numbers as the command names them, and a verification as the table that it prints."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ._labels import WHOLE, Group, in_order
from ._show import FieldsTable, escaped, html_table

__all__ = [
    "BuildReport",
    "FilterReport",
    "UniqReport",
    "UpdateReport",
    "VerifyResult",
    "Verification",
    "VerificationSummary",
]


@dataclass(frozen=True, slots=True)
class BuildReport(FieldsTable):
    """What was read to build sketches."""

    records: int
    """Read."""
    bad: int
    """That could not be read and were skipped (``bad="skip"``)."""
    nulls: int
    """Rows of tables left out because their key or weight is null."""


@dataclass(frozen=True, slots=True)
class FilterReport(FieldsTable):
    """What a filter found."""

    kind: str
    """Of the sketches that were asked."""
    analysed: int
    """Records read."""
    admitted: int
    """Of these, those that may be in the set ..."""
    rejected: int
    """... and those that are surely not."""
    passed: int
    """Those that were asked for: admitted, or with ``invert`` rejected."""
    set_records: int
    """Records that were added to the sketches."""
    set_keys: int
    """Keys that the sketches were planned for; estimated from the bits where none were, and of scalable."""
    functions: int | None
    """Bits that a key sets; None if the sketches differ."""
    groups: int | None
    """How many groups each record was asked of; None if the file has none, or with ``by``."""
    false_groups: float | None
    """Of these, how many a key that is in none is found in by chance, on average."""
    seconds: float
    """How long it took."""
    records: int
    """Read, as the job counts them."""
    bad: int
    """That could not be read and were skipped (``bad="skip"``)."""
    nulls: int
    """Rows left out because their key is null."""


@dataclass(frozen=True, slots=True)
class UniqReport(FieldsTable):
    """What ``inkling.uniq`` found."""

    records: int
    """Read."""
    first: int
    """Of these, the first with their key ..."""
    repeated: int
    """... and those that repeat one, or seem to."""
    lost: float
    """First ones that were taken for repeats: the expected number ..."""
    lost_high: int
    """... and the number that is not exceeded, with a chance of 1 - 1e-6."""
    keys: int
    """Different keys that were planned for ..."""
    bytes: int
    """... in this many bytes of memory."""
    current_rate: float
    seconds: float
    bad: int
    """Records that could not be read and were skipped (``bad="skip"``)."""


@dataclass(frozen=True, slots=True)
class UpdateReport(FieldsTable):
    """What ``inkling.add`` or ``inkling.remove`` changed."""

    changed: int
    """Records that were added or removed; with ``once``, that were new."""
    sketches: int
    """That changed ..."""
    made: int
    """... and of these, those of new groups."""
    stuck: int
    """Removed records whose key stays in for good, as its counters are full."""
    records: int
    """Read."""
    bad: int
    """That could not be read and were skipped (``bad="skip"``)."""
    nulls: int
    """Rows left out because their key or weight is null."""


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """What was found for one sketch. A field that does not apply to its kind is None."""

    kind: str
    group: Group
    slot: int | None
    """The start of its time slot, in microseconds since 1970."""
    ok: bool
    """A filter's False only marks a rate above its promise, or a member that it denies."""
    tested: int
    """Keys asked: of a filter those that are not in the set."""
    false_positives: int | None = None
    rate: float | None = None
    """The share of false positives ..."""
    low: float | None = None
    high: float | None = None
    """... and its 95 % interval."""
    target: float | None = None
    promised: float | None = None
    current: float | None = None
    denied: int | None = None
    """True members that the filter denies."""
    wrong: int | None = None
    """Answers beyond their bounds."""
    missed: int | None = None
    """Frequent keys that a top does not report."""
    error: float | None = None
    """The largest one seen ..."""
    bound: float | None = None
    """... and the promised one."""

    @property
    def trouble(self) -> str:
        """Why it is not ok, in two words; empty if it is."""
        if self.ok:
            return ""
        if self.denied is not None:
            return "denies members" if self.denied else "above promise"
        return "misses keys" if self.missed else "beyond its bounds"


@dataclass(frozen=True, slots=True)
class VerificationSummary:
    """The result for all sketches together."""

    ok: bool
    filters: int
    """Among the sketches."""
    members: int
    """Different keys of the ground truth, each asked of the filter of its group."""
    tested: int
    false_positives: int
    denied: int
    """True members that their filter denies."""
    beyond: int
    """Sketches of other kinds whose answers are beyond their bounds."""
    expected: float
    """False positives, if every promise were just kept."""
    limit: float
    """The largest number that is ok."""
    power: float
    """The chance to notice rates that are 10 % above the promises."""
    sampled: bool
    """There were more tests than `tests`."""
    random: bool
    """Non-members were random keys."""

    def __str__(self) -> str:
        parts = []
        if self.denied:
            parts.append(f"{self.denied} true member{' is' if self.denied == 1 else 's are'} denied")
        if self.beyond:
            whose = "sketch is beyond its" if self.beyond == 1 else "sketches are beyond their"
            parts.append(f"{self.beyond} {whose} bounds")
        rest = [f"all {self.members} members found"] if self.members and not self.denied else []
        if not self.members and self.filters:
            rest.append("no members to find")
        if self.expected > 0:
            rest.append(self._false_positives())
        elif self.filters:
            rest.append("no key to test that is not a member")
        parts += [", ".join(rest)] if rest else []
        return ("kept" if self.ok else "broken") + (": " if parts else "") + "; ".join(parts)

    def _false_positives(self) -> str:
        text = (
            f"{self.false_positives} false positives in {self.tested} tests, {self.expected:.0f} promised, "
            f"broken above {self.limit:.0f}"
        )
        text += "; non-members are random keys" if self.random else ""
        text += "; a sample of the keys" if self.sampled else ""
        if self.power < 0.999:
            text += f"; 10 % more would be noticed with chance {self.power:.2f}"
        return text


@dataclass(frozen=True, slots=True)
class Verification:
    """What ``inkling.verify`` found: a row for each sketch, and the result for all together.

    It is true if every promise is kept, and shows itself as the table that ``ink verify`` prints.
    """

    rows: tuple[VerifyResult, ...]
    summary: VerificationSummary
    records: int
    """Read of the ground truth."""
    bad: int
    """That could not be read and were skipped (``bad="skip"``)."""
    nulls: int
    """Rows left out because their key or weight is null."""

    @property
    def ok(self) -> bool:
        """Whether every promise is kept: the result for all together."""
        return self.summary.ok

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        tables = [_text_table(table) for table in self._tables()]
        return "\n\n".join([*tables, str(self.summary)])

    def _repr_html_(self) -> str:
        tables = [html_table(table[0], table[1:]) for table in self._tables()]
        return "".join([*tables, f"<p>{escaped(str(self.summary))}</p>"])

    def _tables(self) -> Iterator[list[list[str]]]:
        """A table for each kind: its titles, then its rows, without columns that apply nowhere."""
        for kind in dict.fromkeys(row.kind for row in self.rows):
            ordered = in_order((row for row in self.rows if row.kind == kind), lambda row: row.group)
            rows = [[cell(row) for _, cell in _COLUMNS] for row in ordered]
            used = [i for i in range(len(_COLUMNS)) if any(row[i] for row in rows)]
            yield [[_COLUMNS[i][0] for i in used], *([row[i] for i in used] for row in rows)]


def _rate_text(rate: float | None) -> str:
    """A rate in three digits."""
    if not rate:
        return "" if rate is None else "0"
    return (f"{rate:#.3g}" if rate >= 1e-4 else f"{rate:.2e}").removesuffix(".")


def _group_text(group: Group) -> str:
    if group is WHOLE:
        return ""
    return "(null)" if group is None else str(group) or '""'


def _slot_text(slot: int | None) -> str:
    if slot is None:
        return ""
    when = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=slot)
    return when.isoformat() + "Z"


_COLUMNS: tuple[tuple[str, Callable[[VerifyResult], str]], ...] = (
    ("kind", lambda row: row.kind),
    ("group", lambda row: _group_text(row.group)),
    ("slot", lambda row: _slot_text(row.slot)),
    ("tested", lambda row: str(row.tested)),
    ("false pos.", lambda row: "" if row.false_positives is None else str(row.false_positives)),
    ("measured", lambda row: _rate_text(row.rate)),
    ("95% low", lambda row: _rate_text(row.low)),
    ("95% high", lambda row: _rate_text(row.high)),
    ("target", lambda row: _rate_text(row.target)),
    ("promised", lambda row: _rate_text(row.promised)),
    ("current", lambda row: _rate_text(row.current)),
    ("denied", lambda row: str(row.denied or "")),
    ("wrong", lambda row: "" if row.wrong is None else str(row.wrong)),
    ("missed", lambda row: str(row.missed or "")),
    ("error", lambda row: _rate_text(row.error)),
    ("bound", lambda row: _rate_text(row.bound)),
    ("", lambda row: row.trouble),
)
_LEFT = frozenset(("kind", "group", "slot", ""))


def _text_table(table: list[list[str]]) -> str:
    """A table with its columns aligned: words to the left, numbers to the right."""
    titles = table[0]
    widths = [max(len(row[i]) for row in table) for i in range(len(titles))]
    lines = []
    for row in table:
        cells = zip(titles, row, widths)
        padded = [cell.ljust(size) if title in _LEFT else cell.rjust(size) for title, cell, size in cells]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)
