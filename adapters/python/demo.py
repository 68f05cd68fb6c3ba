"""What `make demo-python` shows: a log as a frame, every question asked of it, exact answers beside ours."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import polars

import inkling

RECORDS = 1_000_000


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    return work(), time.perf_counter() - start


def show(what: str, ours: object, seconds: float, exactly: object) -> None:
    print(f"  {what:44}{ours!s:>12}   exactly {exactly!s:>9}{seconds * 1e3:8.0f} ms")


def read_log() -> polars.DataFrame:
    """Virtual host and client, the first two fields of each line."""
    inkling.generate("log", "access.log", n=RECORDS)
    size = os.path.getsize("access.log") / 1e6
    print(f"An access log of {RECORDS:,} lines, {size:.0f} MB, as a frame of polars")
    with open("access.log", encoding="utf-8") as lines:
        rows = [line.split(None, 2)[:2] for line in lines]
    return polars.DataFrame(rows, schema=["host", "client"], orient="row")


def ask_about(log: polars.DataFrame) -> None:
    client = log["client"]
    answer, seconds = timed(lambda: inkling.Sketch("hll").add(client).estimate())
    show("How many different clients?", answer, seconds, client.n_unique())

    top, seconds = timed(lambda: inkling.Sketch("top", k=3).add(client).top(3))
    counts = dict(client.value_counts(sort=True).head(10).iter_rows())
    for item in top:
        show(f"Which come most often? {item.key}", item.estimate, seconds, counts.get(item.key))

    seen = inkling.Sketch("bloom", n=client.n_unique(), p=0.01)
    new, seconds = timed(lambda: int(seen.add_new(client).sum()))
    show("The first line of each client", new, seconds, client.n_unique())

    hosts, seconds = timed(lambda: inkling.build(log, "hll", key="client", by="host"))
    exact = dict(log.group_by("host").agg(polars.col("client").n_unique()).iter_rows())
    for host, sketch in hosts.items():
        show(f"Different clients of {host}", sketch.estimate(), seconds, exact[host])


def save_and_ask(log: polars.DataFrame) -> None:
    known = inkling.build(log, "bloom", key="client", p=0.01)
    known.save("clients.ink")
    again = inkling.Sketch.open("clients.ink")
    non_members = [f"192.0.2.{i}" for i in range(256)]
    print(f"\nSaved, mapped again: {again!r}")
    print(f"  {log['client'][0]} in it: {log['client'][0] in again}; "
          f"of 256 non-members pass: {sum(again.query(non_members))}; promised: about {256 * 0.01:.1f}")


def main() -> None:
    print(f"inkling {inkling.__version__}: {', '.join(inkling.kinds())}\n")
    log = read_log()
    ask_about(log)
    save_and_ask(log)


if __name__ == "__main__":
    main()
