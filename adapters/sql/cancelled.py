#!/usr/bin/env python3
"""Queries in PostgreSQL that are cancelled at moments of chance: a suite of torture, and what a test does a few times.

    cancelled.py --seconds S --seed N --state FILE [--only I]

Each case cancels one query. It ends soon, with the error of PostgreSQL; the same process answers the next query, and its
memory does not grow from case to case. What is printed, and --state: tests/support/torture.h.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import random
import shlex
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = 1000
# A suite shares the machine with others, and is no place to measure in.
LATE_SECONDS, AGAIN_SECONDS, GROWTH_KB, REPORT_SECONDS = 2.0, 10.0, 64 << 10, 5

LONG = "FROM generate_series(1, 100000000) AS k"
QUERIES = [
    f"SELECT ink_count_distinct(k) {LONG}",
    f"SELECT ink_bloom(k, 'n=1e8') {LONG}",
    f"SELECT ink_bloom(k) {LONG}",
    f"SELECT ink_top(k) {LONG}",
    f"SELECT ink_hll(k::text) {LONG} GROUP BY k % 1000",
    f"SELECT count(*) {LONG} WHERE ink_contains((SELECT ink_bloom(k) FROM generate_series(1, 1000) AS k), k)",
    "SELECT ink_merge(b) FROM (SELECT ink_bloom(k, 'n=1e6') AS b FROM generate_series(1, 1000000) AS k GROUP BY k) AS x",
]


def cancel(engine, sql: str, seconds: float) -> tuple[float, str]:
    """How long a statement goes on after it was cancelled, and the error with which it ends."""
    from engines import Refused

    at, said = [], "no error"
    ended = threading.Event()

    def wait() -> None:
        time.sleep(seconds)
        at.append(time.monotonic())
        engine.connection.cancel()
        # One that comes before its query is lost.
        while not ended.wait(AGAIN_SECONDS):
            engine.connection.cancel()

    thread = threading.Thread(target=wait)
    thread.start()
    try:
        engine.rows(sql)
    except Refused as error:
        said = str(error)
    end = time.monotonic()
    ended.set()
    thread.join()
    return end - at[0], said


def memory(engine) -> int:
    """In kB, of the engine's process."""
    text = pathlib.Path(f"/proc/{engine.connection.info.backend_pid}/status").read_text(encoding="ascii")
    return int(text.split("VmRSS:")[1].split()[0])


class Suite:
    def __init__(self, options: argparse.Namespace) -> None:
        from engines import PostgreSQL

        self.options = options
        self.done = self.failures = 0
        self.state = pathlib.Path(options.state) if options.state else None
        if self.state is not None and self.state.exists() and options.only is None:
            self.done, self.failures = json.loads(self.state.read_text())
        self.engine = PostgreSQL()
        self.most = 0

    def report(self) -> None:
        if self.state is not None and self.options.only is None:
            new = self.state.with_suffix(".new")
            new.write_text(json.dumps([self.done, self.failures]))
            new.rename(self.state)
        print(f"torture: cancel cases {self.done} of {CASES} faults {self.done} failures {self.failures}", flush=True)

    def run(self, case: int) -> None:
        chance = random.Random(f"{self.options.seed} {case}")
        sql = chance.choice(QUERIES)
        late, said = cancel(self.engine, sql, chance.uniform(0.05, 0.35))
        wrong = ""
        if "canceling statement" not in said:
            wrong = f"found {said}, expected the error of a cancelled statement"
        elif late > LATE_SECONDS:
            wrong = f"went on for {late:.2f} s, expected at most {LATE_SECONDS:g}"
        elif self.engine.value("SELECT ink_count_distinct(5)") != 1:
            wrong = "the next query has a wrong answer"
        # A process has met each query, with all that it keeps, after some cases.
        used = memory(self.engine)
        if self.most == 0 and case % 100 == 99:
            self.most = used + GROWTH_KB
        elif 0 < self.most < used:
            wrong = wrong or f"memory of {used} kB, expected at most {self.most}"
        if wrong:
            self.failures += 1
            again = shlex.join([sys.executable, __file__, "--seed", str(self.options.seed), "--only", str(case)])
            print(f"torture: cancel FAILED case {case}: {sql}: {wrong}; again: {again}", flush=True)

    def run_all(self) -> int:
        end = time.monotonic() + self.options.seconds if self.options.seconds > 0 else float("inf")
        said = time.monotonic()
        if self.options.only is not None:
            self.run(self.options.only)
            return self.failures
        while self.done < CASES and time.monotonic() < end:
            self.run(self.done)
            self.done += 1
            if time.monotonic() - said > REPORT_SECONDS:
                self.report()
                said = time.monotonic()
        self.report()
        return self.failures


def stop(*_: object) -> None:
    sys.exit(1)  # which stops the server


def prepare() -> None:
    """Goes on in the environment that has the driver of PostgreSQL, with what was built."""
    if "INK_SQL_BUILT" in os.environ:
        return
    found = pathlib.Path("/usr/lib/postgresql/15/bin/pg_config")
    os.environ["INK_SQL_BUILT"] = str(pathlib.Path(os.environ.get("INK_BINARY_FOLDER", ROOT / "build")) / "sql")
    os.environ.setdefault("INK_PG_CONFIG", str(found) if found.exists() else "pg_config")
    python = subprocess.run(
        [sys.executable, "-B", ROOT / "scripts/python_env.py", ROOT / "adapters/sql/requirements-test.txt"],
        check=True, stdout=subprocess.PIPE, text=True,
    ).stdout.strip()  # fmt: skip
    os.execv(python, [python, "-B", *sys.argv])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state")
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    if options.state:
        options.state = os.path.abspath(options.state)
    prepare()
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    return 1 if Suite(options).run_all() > 0 else 0


if __name__ == "__main__":
    sys.exit(main())
