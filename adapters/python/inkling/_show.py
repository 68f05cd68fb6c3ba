"""How numbers, answers and tables look, in one line of text or in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

__all__ = ["FieldsTable", "answer_text", "escaped", "html_table", "rate_text", "size_text"]

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


def answer_text(number: int, low: int, high: float, confidence: float, saturated: bool) -> str:
    """An answer in one line.

    >>> answer_text(1024, 1011, 1038, 0.95, False)
    '1,024 (1,011 to 1,038, 95 %)'
    >>> answer_text(3, 3, 3, 1, False)
    '3 (exactly)'
    """
    if low == high and confidence == 1 and not saturated:
        return f"{number:,} (exactly)"
    sure = "certain" if confidence == 1 else f"{100 * confidence:.4g} %"
    full = ", saturated: perhaps far more" if saturated else ""
    return f"{number:,} ({low:,} to {high:,}, {sure}{full})"


# ---- Tables --------------------------------------------------------------------------------------


def html_table(
    titles: Sequence[str], rows: Iterable[Sequence[str]], note: str = "", *, names: int = 1
) -> str:
    """A table; every text is escaped, and a long one is cut. The first columns, of `names`, begin on the left;
    colours are the notebook's.

    >>> html_table(("key", "n"), [("<b>", "5")])
    '<table>...<th>n</th>...<td style="text-align: left">&lt;b&gt;</td><td>5</td></tr></tbody></table>'
    """
    head = _cells("th", titles, names)
    body = "".join(f"<tr>{_cells('td', row, names)}</tr>" for row in rows)
    below = f"<p>{escaped(note)}</p>" if note else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


class FieldsTable:
    """A dataclass that a notebook shows as a table of its fields; one that is None does not apply."""

    __slots__ = ()

    _no_quantities: ClassVar[frozenset[str]] = frozenset()
    """Ints of which the size says nothing."""

    def _fields(self) -> list[tuple[str, Any]]:
        fields: Any = self
        given = ((name, getattr(self, name)) for name in fields.__dataclass_fields__ if name[0] != "_")
        return [(name, value) for name, value in given if value is not None]

    def _repr_html_(self) -> str:
        rows = [
            (name, f"{value:,}" if type(value) is int and name not in self._no_quantities else str(value))
            for name, value in self._fields()
        ]
        return html_table(("what", "it is"), rows)


_CELL_CHARACTERS = 100


def _cell_text(text: str) -> str:
    """What a cell shows: in one line, of characters that can be seen.

    >>> _cell_text("two\\nlines"), _cell_text("x" * 1000) == "x" * 99 + "…"
    ('two\\\\nlines', True)
    """
    cut = text if len(text) <= _CELL_CHARACTERS else text[: _CELL_CHARACTERS - 1] + "…"
    if cut.isprintable():
        return cut
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in cut)


def escaped(text: str) -> str:
    """A text as HTML."""
    import html  # for notebooks alone

    return html.escape(text)


def _cells(tag: str, texts: Sequence[str], names: int) -> str:
    styles = [' style="text-align: left"'] * names + [""] * len(texts)
    cells = zip(styles, map(_cell_text, texts))
    return "".join(f"<{tag}{style}>{escaped(text)}</{tag}>" for style, text in cells)
