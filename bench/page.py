"""The page of a run: targets, curves of the cost of a key over the number of keys, and every number, in one
file that needs nothing else, on a phone or a wide screen, by day and by night."""

from __future__ import annotations

import html
import math
import pathlib
from dataclasses import dataclass, field

from results import Results, Row, Series, digits
from targets import targets

WIDTH, HEIGHT = 480, 340
LEFT, RIGHT, TOP, BOTTOM = 40, 136, 10, 34
LABEL = 12  # the height of a name beside its curve
PEER_HUES = (205, 40, 285, 95, 165, 60, 245, 130, 310, 185)

WORDS = {
    "filter": (
        "Filters at 1 %",
        {"add": "add", "hit": "ask for keys that are in", "miss": "ask for keys that are not"},
    ),
    "count16": ("Count-Min, 4 x 2^16", {"add": "add", "ask": "ask for a count"}),
    "count22": ("Count-Min, 4 x 2^22", {"add": "add", "ask": "ask for a count"}),
    "distinct": ("How many different", {"add": "add"}),
    "frequent": ("Which are the most frequent", {"add": "add"}),
}
FORMS = {"u64": "64-bit integers", "str16": "strings of 16 bytes"}

STYLE = pathlib.Path(__file__).with_name("page.css")


def esc(text: str) -> str:
    return html.escape(text, quote=True)


@dataclass
class Curve:
    """The cost of a key over the number of keys, of one contestant."""

    name: str
    group: str
    threads: int
    points: list[tuple[int, Series]] = field(default_factory=list)

    @property
    def label(self) -> str:
        return self.name + (f", {self.threads} T" if self.threads > 1 else "")


def ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 of every power of ten between the two, or the powers alone where these are many."""
    steps: tuple[int, ...] = (1, 2, 5) if math.log10(high / low) < 2 else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [step * 10.0**power for power in powers for step in steps if low <= step * 10.0**power <= high]


def short(count: float) -> str:
    for size, letter in (1e9, "G"), (1e6, "M"), (1e3, "k"):
        if count >= size:
            return f"{count / size:g} {letter}"
    return f"{count:g}"


class Plot:
    """Both axes are logarithmic; the height begins below the lowest point and ends above the highest."""

    def __init__(self, curves: list[Curve]) -> None:
        counts = [count for curve in curves for count, _ in curve.points]
        costs = [series.best for curve in curves for _, series in curve.points]
        self.x0, self.x1 = min(counts), max(max(counts), 10 * min(counts))
        self.y0, self.y1 = min(costs) / 1.3, max(max(costs) * 1.3, 3 * min(costs))

    def at(self, count: float, cost: float) -> tuple[float, float]:
        x = math.log(count / self.x0) / math.log(self.x1 / self.x0)
        y = math.log(cost / self.y0) / math.log(self.y1 / self.y0)
        return LEFT + x * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - y * (HEIGHT - TOP - BOTTOM)

    def axes(self) -> str:
        parts = []
        for cost in ticks(self.y0, self.y1):
            _, y = self.at(self.x0, cost)
            parts.append(
                f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
                f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{cost:g}</text>'
            )
        for count in ticks(self.x0, max(self.x1, 100 * self.x0)):
            if count > self.x1:
                break
            x, _ = self.at(count, self.y0)
            parts.append(
                f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{short(count)}</text>'
            )
        parts.append(
            f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 3}" text-anchor="end">keys</text>'
            f'<text x="4" y="{HEIGHT - 3}">ns a key</text>'
        )
        return "".join(parts)

    def curve(self, curve: Curve, look: str, label: float) -> str:
        """The line, its points, and its name at the height `label`, which a thin line leads to."""
        places = [self.at(count, series.best) for count, series in curve.points]
        path = " ".join(f"{'M' if i == 0 else 'L'}{x:.1f} {y:.1f}" for i, (x, y) in enumerate(places))
        dots = "".join(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"><title>{esc(curve.label)}: {digits(series.best)} to '
            f"{digits(max(series.times))} ns, {count:,} keys</title></circle>"
            for (x, y), (count, series) in zip(places, curve.points, strict=True)
        )
        (x, y), right = places[-1], WIDTH - RIGHT
        lead = f'<path class="lead-line" d="M{x + 4:.1f} {y:.1f} L{right + 12} {label:.1f}"/>'
        name = f'<text x="{right + 15}" y="{label + 4:.1f}">{esc(curve.label)}</text>'
        return f'<g {look}><path class="line" d="{path}"/>{dots}{lead}{name}</g>'

    def labels(self, curves: list[Curve]) -> list[float]:
        """The height of each name: that of its last point, or as near as keeps names apart."""
        ends = [self.at(curve.points[-1][0], curve.points[-1][1].best)[1] for curve in curves]
        order = sorted(range(len(ends)), key=ends.__getitem__)
        placed = [0.0] * len(ends)
        last = -math.inf
        for i in order:
            last = placed[i] = max(ends[i], last + LABEL)
        limit = HEIGHT - BOTTOM + LABEL / 2
        for i in reversed(order):
            limit = placed[i] = min(placed[i], limit)
            limit -= LABEL
        return placed


def look_of(curve: Curve, peers: list[str]) -> str:
    """The class of a curve; peers have a hue each, the same in every chart."""
    lead = " lead" if curve.name in ("bloom", "count-min", "hll", "top") else ""
    two = " two" if curve.threads > 1 or "@" in curve.name else ""
    if curve.group != "peer":
        return f'class="{curve.group}{lead}{two}"'
    hue = PEER_HUES[peers.index(curve.name) % len(PEER_HUES)]
    return f'class="peer{two}" style="stroke:hsl({hue} 62% var(--light));fill:hsl({hue} 62% var(--light))"'


def figure(title: str, curves: list[Curve], peers: list[str]) -> str:
    plot = Plot(curves)
    lines = "".join(
        plot.curve(curve, look_of(curve, peers), label)
        for curve, label in zip(curves, plot.labels(curves), strict=True)
    )
    return (
        f"<figure><h3>{esc(title)}</h3>"
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{esc(title)}: '
        f'nanoseconds a key over the number of keys">{plot.axes()}{lines}</svg></figure>'
    )


def curves_of(results: Results, workload: str, form: str, operation: str) -> list[Curve]:
    """Limits first, ours, then peers, so that none hides what is measured."""
    found: dict[tuple[str, int], Curve] = {}
    for (case, one), contestants in results.found.items():
        if (case.workload, case.form, one) != (workload, form, operation):
            continue
        for name, series in contestants.items():
            curve = found.setdefault((name, case.threads), Curve(name, series.group, case.threads))
            curve.points.append((case.count, series))
    order = {"peer": 0, "limits": 1, "ours": 2}
    return sorted(found.values(), key=lambda curve: (order[curve.group], curve.name == "bloom"))


def table(names: list[str], rows: list[tuple[str, list[str]]]) -> str:
    """Rows with a class each; the first column is a name, the last a note."""
    head = "".join(f"<th{' class=name' if i == 0 else ''}>{esc(name)}</th>" for i, name in enumerate(names))
    body = ""
    for kind, cells in rows:
        shown = "".join(
            f"<td{' class=name' if i == 0 else ' class=note' if i == len(cells) - 1 else ''}>{cell}</td>"
            for i, cell in enumerate(cells)
        )
        body += f'<tr class="{kind}">{shown}</tr>'
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def numbers(results: Results, workload: str, form: str) -> str:
    """Every measurement of a workload."""
    rows = []
    for row in results.measured_rows():
        if (row.what, row.keys) == (workload, form):
            mine = "mine" if row.per_ours == "1" else ""
            rows.append(
                (
                    mine,
                    [
                        esc(row.contestant),
                        f"{int(row.n):,}",
                        row.threads,
                        row.operation,
                        row.best,
                        row.worst,
                        row.rounds,
                        row.per_limit,
                        row.per_ours,
                        esc(row.note),
                    ],
                )
            )
    names = [
        "contestant",
        "keys",
        "threads",
        "operation",
        "best ns",
        "worst ns",
        "rounds",
        "x limit",
        "x ours",
        "",
    ]
    return f"<details><summary>All numbers</summary>{table(names, rows)}</details>"


def core_part(results: Results) -> str:
    peers = sorted(
        {name for found in results.found.values() for name, one in found.items() if one.group == "peer"}
    )
    parts = []
    for workload, (title, operations) in WORDS.items():
        for form, keys in FORMS.items():
            found = [(words, curves_of(results, workload, form, one)) for one, words in operations.items()]
            figures = "".join(figure(words, curves, peers) for words, curves in found if curves)
            if figures:
                parts.append(
                    f'<h2>{esc(title)}: {keys}</h2><div class="charts">{figures}</div>'
                    f"{numbers(results, workload, form)}"
                )
    return "".join(parts)


def target_part(results: Results, about: list[Row]) -> str:
    rows = [
        (
            "",
            [
                esc(row.what),
                f"{row.best} {row.unit}",
                esc(row.target),
                f'<span class="{row.met}">{"met" if row.met == "yes" else "missed"}</span>',
                esc(row.note),
            ],
        )
        for row in about
    ]
    met = sum(row.met == "yes" for row in about)
    return (
        f"<h2>Targets: {met} of {len(about)} met</h2>{table(['', 'found', 'target', '', ''], rows)}"
        if rows
        else ""
    )


def text_part(results: Results) -> str:
    rows = [
        (
            "",
            [
                esc(row.what),
                row.best,
                row.worst,
                row.unit,
                esc(row.target),
                f'<span class="{row.met}">{ {"yes": "met", "no": "missed"}.get(row.met, "") }</span>',
            ],
        )
        for row in results.text
    ]
    names = ["", "best", "worst", "", "target", ""]
    return (
        f"<h2>Text: the command beside its limits and other programs</h2>{table(names, rows)}" if rows else ""
    )


def noise_part(results: Results) -> str:
    if not results.mixes:
        return ""
    mixes = results.mixes
    lines = [
        f"The same code in the fastest cache, an fmix64, took {min(mixes):.2f} to {max(mixes):.2f} ns before "
        f"the rounds of this run ({mixes[0]:.2f} at the beginning, {mixes[-1]:.2f} at the end): what differs "
        f"less than {max(1.15, max(mixes) / min(mixes)):.2f}x between two charts may be the machine. "
        "Within a case all took "
        "turns, round by round, and the best round counts."
    ]
    lines += [
        f"Memory, one line of 64 bytes after another: {name} {digits(64 / min(times))} GB/s."
        for name, times in results.machine.items()
    ]
    lines += [f"Left out: {who}: {why}." for who, why in results.left_out]
    return "<h2>The machine</h2>" + "".join(f"<p>{esc(line)}</p>" for line in lines)


def write_page(path: pathlib.Path, results: Results, about: list[str]) -> None:
    """The whole file."""
    goals = [row for row in results.rows(targets()) if row.target]
    style = STYLE.read_text(encoding="utf-8")
    intro = (
        "Cost of a key as work grows. Red is ours; the dotted line is the limit, what memory alone costs: as "
        "many random lines read, or read and written, over as much memory; other colours are peers, each "
        "called as its documentation has it. Lower is faster; both axes are logarithmic."
    )
    body = (
        f"<h1>Inkling: speed</h1><p>{esc(intro)}</p>"
        + "".join(f'<p class="faint">{esc(line)}</p>' for line in about)
        + target_part(results, goals)
        + core_part(results)
        + text_part(results)
        + noise_part(results)
    )
    path.write_text(
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Inkling: speed</title><style>{style}</style></head><body>{body}</body></html>\n",
        encoding="utf-8",
    )
