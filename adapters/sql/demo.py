"""What `make demo-sql` shows: a story like that of docs/sql.md on more data, in each engine, beside exact SQL.

All figures are computed here; an answer beyond its bounds, or a digest that differs, ends it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from engines import ENGINES, Engine

VISITS, DAYS = 420_000, 14
COMMAND = os.environ["INK_COMMAND"]


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    return work(), time.perf_counter() - start


def line(what: str, ours: object, seconds: float, exact: object = "", exact_seconds: float | None = None) -> None:
    beside = "" if exact_seconds is None else f"   exact {exact:>8} {exact_seconds:7.2f} s"
    print(f"  {what:46} {ours:>10} {seconds:7.2f} s{beside}", flush=True)


def check(what: str, low: int, exact: int, high: int) -> None:
    """Bounds are for 95 %: a little more is let pass."""
    room = (high - low) / 2
    if not low - room <= exact <= high + room:
        sys.exit(f"demo: {what}: found {exact}, expected {low} to {high}")


def visits() -> list[tuple[int, int, str, str]]:
    """Week, day, visitor and page, made by arithmetic: the same for every engine."""
    rows = []
    for i in range(VISITS):
        day = i * DAYS // VISITS
        visitor = i * 7919 % 30011 + day // 7 * 10_000 + day * 1000
        rows.append((day // 7 + 1, day + 1, f"user{visitor}", f"/page/{(i % 1000) ** 2 // 20_000}"))
    return rows


def count_days(engine: Engine) -> None:
    ours, seconds = timed(lambda: engine.rows("SELECT day, ink_count_distinct(visitor) FROM visits GROUP BY day ORDER BY day"))
    exact, exact_seconds = timed(lambda: engine.rows("SELECT day, COUNT(DISTINCT visitor) FROM visits GROUP BY day ORDER BY day"))
    line(f"visitors of each of {len(ours)} days; of the first", ours[0][1], seconds, exact[0][1], exact_seconds)


def make_sketches(engine: Engine) -> None:
    make = """CREATE TABLE days AS SELECT week, day, ink_hll(visitor) AS visitors, ink_theta(visitor) AS sample,
        ink_bloom(visitor, 'n=1e5, p=0.01') AS seen, ink_top(page) AS pages FROM visits GROUP BY week, day"""
    _, seconds = timed(lambda: engine.rows(make))
    line("four sketches of each day", "", seconds)
    make = """CREATE TABLE weeks AS SELECT week, ink_merge(visitors) AS visitors, ink_merge(sample) AS sample,
        ink_merge(seen) AS seen, ink_merge(pages) AS pages FROM days GROUP BY week"""
    _, seconds = timed(lambda: engine.rows(make))
    line("... merged to weeks, no visit read again", "", seconds)


def ask_weeks(engine: Engine) -> None:
    ask = "SELECT ink_distinct(visitors), ink_distinct_low(visitors), ink_distinct_high(visitors) FROM weeks WHERE week = 2"
    ((ours, low, high),), seconds = timed(lambda: engine.rows(ask))
    exact, exact_seconds = timed(lambda: engine.value("SELECT COUNT(DISTINCT visitor) FROM visits WHERE week = 2"))
    check("visitors of a week", low, exact, high)
    line("visitors of the second week", ours, seconds, exact, exact_seconds)
    ask = """SELECT ink_distinct(x), ink_distinct_low(x), ink_distinct_high(x) FROM (SELECT ink_intersect(a.sample, b.sample) AS x
        FROM weeks AS a, weeks AS b WHERE a.week = 1 AND b.week = 2) AS shared"""
    ((ours, low, high),), seconds = timed(lambda: engine.rows(ask))
    exact, exact_seconds = timed(
        lambda: engine.value(
            "SELECT COUNT(*) FROM (SELECT visitor FROM visits WHERE week = 1 INTERSECT SELECT visitor FROM visits WHERE week = 2) AS x"
        )
    )
    check("who came back", low, exact, high)
    line("of the first week came back in it", ours, seconds, exact, exact_seconds)


def ask_list(engine: Engine) -> None:
    engine.table("list", {"name": "text"}, [(f"user{i * 37}",) for i in range(2000)])
    ask = "SELECT COUNT(*) FROM list WHERE ink_contains((SELECT seen FROM weeks WHERE week = 2), name)"
    ours, seconds = timed(lambda: engine.value(ask))
    ask = "SELECT COUNT(*) FROM list WHERE name IN (SELECT visitor FROM visits WHERE week = 2)"
    exact, exact_seconds = timed(lambda: engine.value(ask))
    if not exact <= ours <= exact + 60:
        sys.exit(f"demo: found {ours} of a list, expected {exact} and at most 60 more")
    line("of a list of 2,000 were there, at most 1 % wrong", ours, seconds, exact, exact_seconds)


def ask_pages(engine: Engine) -> None:
    pages = engine.value("SELECT pages FROM weeks WHERE week = 2")
    ask = "SELECT key, estimate FROM ink_top_keys({sketch}, 1)".format(**engine.words)
    ((page, ours),), seconds = timed(lambda: engine.rows(ask, pages))
    ask = "SELECT page, COUNT(*) FROM visits WHERE week = 2 GROUP BY page ORDER BY 2 DESC LIMIT 1"
    ((exact_page, exact),), exact_seconds = timed(lambda: engine.rows(ask))
    if (page, ours) != (exact_page, exact):
        sys.exit(f"demo: found {page} {ours}, expected {exact_page} {exact}")
    line(f"views of the most frequent page, {page}", ours, seconds, exact, exact_seconds)


def same_bytes(engine: Engine, digests: set[str]) -> None:
    digests.add(engine.value("SELECT ink_digest(ink_bloom(visitor)) FROM visits"))
    print(f"  digest of a filter of all visitors: {min(digests)}")
    if len(digests) != 1:
        sys.exit(f"demo: found digests {digests}, expected one")


def of_command(rows: list[tuple[int, int, str, str]], folder: str) -> str:
    text = "".join(row[2] + "\n" for row in rows).encode()
    for words in (["build", "bloom", "-o", "all.ink"], ["info", "--digest", "all.ink"]):
        done = subprocess.run([COMMAND, *words], input=text, cwd=folder, check=True, capture_output=True)
    return done.stdout.decode().strip()


def main() -> None:
    rows = visits()
    digests: set[str] = set()
    for name in os.environ["INK_SQL_ENGINES"].split(","):
        engine = ENGINES[name]()
        print(f"\n{name}: {VISITS:,} visits of {DAYS} days")
        engine.table("visits", {"week": "int", "day": "int", "visitor": "text", "page": "text"}, rows)
        for step in (count_days, make_sketches, ask_weeks, ask_list, ask_pages):
            step(engine)
        same_bytes(engine, digests)
        engine.close()
    with tempfile.TemporaryDirectory() as folder:
        digests.add(of_command(rows, folder))
    if len(digests) != 1:
        sys.exit(f"demo: found digests {digests}, expected one")
    print("  ... and that of `ink build bloom` of the same keys: the same")


if __name__ == "__main__":
    main()
