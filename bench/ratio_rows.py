"""Rows of a comparison: the best and the worst of theirs and of ours, their ratio, and what it should be."""
import contextlib

from measure import say_machine, say_saved


class Rows:
    """Rows as they are printed, and the same as a file of fields separated by tabs."""

    NAMES = ("part", "what", "peer", "peer_worst", "ours", "ours_worst", "unit", "ratio", "target", "met")

    def __init__(self, judged):
        """`judged`: whether the data is that for which the targets are."""
        self.judged, self.rows, self.part = judged, [], ""

    def head(self, part, text):
        self.part = part
        print(f"\n{text}", flush=True)
        print(f"  {'':52}{'peer':>8}{'worst':>9}{'ours':>9}{'worst':>9}      ratio", flush=True)

    def faster(self, what, peer, ours, at_least=None, unit="s"):
        """How many times as long the peer takes, by the best of each."""
        ratio = min(peer) / min(ours) if peer else None
        goal = None if at_least is None else f">= {at_least:g}"
        self.put(what, peer, ours, unit, ratio, goal, ratio is not None and ratio >= (at_least or 0))

    def costs(self, what, limit, ours, at_most, unit="CPU s"):
        """How many times the limit ours takes, by the best of each."""
        ratio = min(ours) / min(limit)
        self.put(what, limit, ours, unit, ratio, f"<= {at_most:g}", ratio <= at_most)

    def fact(self, what, value, unit, at_most=None):
        goal = None if at_most is None else f"<= {at_most:g}"
        self.put(what, [], [value], unit, None, goal, at_most is None or value <= at_most)

    def put(self, what, peer, ours, unit, ratio, goal, good):
        digits = {"s": 2, "CPU s": 2, "MiB": 1}.get(unit, 5 if unit == "rate" else 0)
        numbers = ["" if not x else f"{pick(x):.{digits}f}" for x in (peer, ours) for pick in (min, max)]
        met = "" if goal is None or not self.judged else "met" if good else "missed"
        times = "" if ratio is None else f"{ratio:.2f}"
        self.rows.append((self.part, what, *numbers, unit, times, goal or "", met))
        columns = f"{numbers[0]:>8}{numbers[1]:>9}{numbers[2]:>9}{numbers[3]:>9} {unit:6}{times:>7}"
        print(f"  {what:52}{columns}{'x' if times else ' '} {goal or '':8}{met}".rstrip(), flush=True)

    def save(self, path):
        lines = ["\t".join(row) + "\n" for row in [self.NAMES, *self.rows]]
        path.write_text("".join(lines), encoding="utf-8")

    def missed(self):
        return [row[1] for row in self.rows if row[-1] == "missed"]


@contextlib.contextmanager
def reported(out, name, judged):
    """Rows to be filled, and the folder OUT/bench, in which they are saved as `name` also after a failure."""
    folder = out.resolve() / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    say_machine()
    rows = Rows(judged)
    path = folder / name
    try:
        yield rows, folder
    finally:
        rows.save(path)
    say_saved(path)
    if rows.missed():
        print(f"Missed: {'; '.join(rows.missed())}")
