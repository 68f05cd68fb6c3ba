"""How answers and sketches look: one line of text, or a small table in a notebook."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._answers import Item
    from ._plan import Info

__all__ = ["answer_text", "html_table", "info_html", "info_text", "rate_text", "size_text", "sketch_text"]

_SCALES = ("B", "kB", "MB", "GB", "TB", "PB", "EB")


# ---- Numbers ------------------------------------------------------------------------------------


def size_text(count: int) -> str:
    """Bytes for people, in powers of 1000, as the command prints them.

    >>> size_text(999), size_text(1234567), size_text(120_000_000_000)
    ('999 B', '1.2 MB', '120 GB')
    """
    number, scale = float(count), 0
    while number >= 999.5 and scale + 1 < len(_SCALES):
        number /= 1000
        scale += 1
    digits = 1 if scale and number < 99.95 else 0
    return f"{number:.{digits}f} {_SCALES[scale]}"


def rate_text(rate: float) -> str:
    """A rate with three digits.

    >>> rate_text(0.0), rate_text(0.01), rate_text(0.0112160), rate_text(2.328e-10)
    ('0', '0.01', '0.0112', '2.33e-10')
    """
    return f"{rate:.3g}"


def number_text(number: float) -> str:
    """A number that counts something: whole above ten, else with two digits behind the point if it has any.

    >>> number_text(1024.0), number_text(2.5), number_text(3.0), number_text(float("inf"))
    ('1,024', '2.5', '3', 'inf')
    """
    if not math.isfinite(number):
        return str(number)
    return f"{number:,.2f}".rstrip("0").rstrip(".") if abs(number) < 10 else f"{number:,.0f}"


def bound_text(number: float, upper: bool) -> str:
    """A bound as `number_text` has it, low ones rounded down and upper ones up: what is shown holds too.

    >>> bound_text(1011.9, upper=False), bound_text(1037.1, upper=True), bound_text(0.258, upper=False)
    ('1,011', '1,038', '0.25')
    """
    if not math.isfinite(number):
        return number_text(number)
    steps = 100 if abs(number) < 10 else 1
    exact = round(number * steps, 6)  # 1.1 * 100 is not 110
    return number_text((math.ceil(exact) if upper else math.floor(exact)) / steps)


def answer_text(estimate: float, low: float, high: float, confidence: float, saturated: bool) -> str:
    """An answer in one line.

    >>> answer_text(1024, 1011.2, 1037.9, 0.95, False)
    '1,024 (1,011 to 1,038, 95 %)'
    >>> answer_text(3, 3, 3, 1, False)
    '3 (exactly)'
    """
    if low == high and confidence == 1 and not saturated:
        return f"{number_text(estimate)} (exactly)"
    sure = "certain" if confidence == 1 else f"{100 * confidence:.4g} %"
    full = ", saturated: perhaps far more" if saturated else ""
    bounds = f"{bound_text(low, upper=False)} to {bound_text(high, upper=True)}"
    return f"{number_text(estimate)} ({bounds}, {sure}{full})"


# ---- Sketches -----------------------------------------------------------------------------------


def _facts(info: Info, rate: float | None, distinct: float | None) -> Iterable[tuple[str, str, str]]:
    """What there is to say: name, value, and the two as part of a sentence."""
    records = f"{info.records:,}"
    many = "record" if info.records == 1 else "records"
    planned = "" if info.keys is None else f" of {info.keys:,} keys planned for"
    yield "records", records, f"{records} {many}{planned}"
    if info.keys is not None:
        yield "keys planned for", f"{info.keys:,}", ""
    if info.total is not None:
        yield "total", f"{info.total:,}", f"total {info.total:,}" if info.total != info.records else ""
    yield "size", size_text(info.bytes), size_text(info.bytes)
    if info.levels is not None:
        yield "levels", str(info.levels), f"{info.levels} level{'' if info.levels == 1 else 's'}"
    if rate is not None:
        yield "rate now", rate_text(rate), f"rate {rate_text(rate)} now"
    if info.promised_rate is not None:
        yield "rate promised", rate_text(info.promised_rate), f"{rate_text(info.promised_rate)} promised"
    if distinct is not None:
        yield "different keys", number_text(distinct), f"about {number_text(distinct)} different keys"
    if info.standard_error is not None:
        error = rate_text(info.standard_error)
        yield "standard error", error, f"standard error {error}"
    if info.epsilon is not None and info.delta is not None:
        yield "eps", rate_text(info.epsilon), f"eps {rate_text(info.epsilon)}"
        yield "delta", rate_text(info.delta), f"delta {rate_text(info.delta)}"
    if info.phi is not None:
        yield "phi", rate_text(info.phi), f"no key above {rate_text(info.phi)} of the total is missed"
    yield "key type", info.key_type or "not decided yet", ""
    keyed = "with a secret" if info.keyed else ""
    yield "hash", f"{info.hash}, {keyed}" if keyed else info.hash, keyed
    if info.read_only:
        yield "read only", "yes", "read only"


def sketch_text(info: Info, rate: float | None, distinct: float | None) -> str:
    """A sketch in one line."""
    parts = [part for _, _, part in _facts(info, rate, distinct) if part]
    return f"<inkling {info.kind}: {', '.join(parts)}>"


def sketch_html(
    info: Info, rate: float | None, distinct: float | None, items: Sequence[Item] = ()
) -> str:
    """A sketch as a small table, and a second one of the keys that it kept."""
    rows = [(name, value) for name, value, _ in _facts(info, rate, distinct)]
    shown = html_table((info.kind, ""), rows)
    if items:
        counts = [[str(item.key), *map(number_text, (item.estimate, item.low, item.high))] for item in items]
        shown += html_table(("key", "count", "at least", "at most"), counts)
    return shown


def info_text(info: Info) -> str:
    """An Info as Python, without the fields that do not apply."""
    given = {name: getattr(info, name) for name in info.__dataclass_fields__}
    return f"Info({', '.join(f'{name}={value!r}' for name, value in given.items() if value is not None)})"


# Numbers of which the size says nothing.
_NO_QUANTITIES = frozenset({"seed", "secret_check"})


def info_html(info: Info) -> str:
    """An Info as a small table, without the fields that do not apply."""
    given = {name: getattr(info, name) for name in info.__dataclass_fields__}
    rows = [
        (name, f"{value:,}" if type(value) is int and name not in _NO_QUANTITIES else str(value))
        for name, value in given.items()
    ]
    return html_table(("what", "it is"), [row for row in rows if row[1] != "None"])


def html_table(titles: Sequence[str], rows: Iterable[Sequence[str]], note: str = "") -> str:
    """A table; every text is escaped. The first column, of names, begins on the left; colours are the
    notebook's.

    >>> html_table(("key", "n"), [("<b>", "5")])
    '<table>...<th>n</th>...<td style="text-align: left">&lt;b&gt;</td><td>5</td></tr></tbody></table>'
    """
    head = _cells("th", titles)
    body = "".join(f"<tr>{_cells('td', row)}</tr>" for row in rows)
    below = f"<p>{html.escape(note)}</p>" if note else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def _cells(tag: str, texts: Sequence[str]) -> str:
    styles = [' style="text-align: left"'] + [""] * len(texts)
    return "".join(f"<{tag}{style}>{html.escape(text)}</{tag}>" for style, text in zip(styles, texts))
