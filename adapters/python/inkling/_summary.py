"""How a sketch looks: its facts in one line of text, or as a small table in a notebook."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ._answers import Items
from ._plan import kind_info
from ._show import html_table, rate_text, size_text

if TYPE_CHECKING:
    from ._info import Info

__all__ = ["sketch_html", "sketch_text"]


def _facts(info: Info, rate: float | None, distinct: int | None) -> Iterable[tuple[str, str, str]]:
    """What there is to say: name, value, and the phrase for the line of text."""
    records = f"{info.records:,}"
    many = "record" if info.records == 1 else "records"
    if info.keys is None:
        yield "records", records, f"{records} {many}"
    else:
        keys = f"{info.keys:,}"
        word = "key" if info.keys == 1 else "keys"
        whole = kind_info(info.kind).made_whole
        of = f"different {word}" if whole else f"{word} planned for"
        yield "records", records, f"{records} {many} of {keys} {of}"
        yield "different keys" if whole else "keys planned for", keys, ""
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
        yield "different keys", f"{distinct:,}", f"about {distinct:,} different key{'' if distinct == 1 else 's'}"
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


def sketch_text(info: Info, rate: float | None, distinct: int | None) -> str:
    """A sketch in one line."""
    parts = [part for _, _, part in _facts(info, rate, distinct) if part]
    return f"<inkling {info.kind}: {', '.join(parts)}>"


def sketch_html(
    info: Info, rate: float | None, distinct: int | None, items: Items | None = None
) -> str:
    """A sketch as a small table, and a second one of the keys that it kept."""
    rows = [(name, value) for name, value, _ in _facts(info, rate, distinct)]
    return html_table((info.kind, ""), rows) + (items._repr_html_() if items else "")
