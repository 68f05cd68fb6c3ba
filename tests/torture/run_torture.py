#!/usr/bin/env python3
"""Runs the torture suites, each for its share of the time or to its full count, and prints one table.

    run_torture.py OUT [--minutes M] [--only NAME,NAME] [--seed N]

A suite is a program that is called with --seconds S --seed N --state FILE, and reports on standard output

    torture: NAME cases DONE of ALL faults F failures X
    torture: NAME FAILED case I: what went wrong; again: COMMAND

every few seconds and at its end. What it keeps in its state file, and what was reported of it, stays below
OUT/torture: the next run goes on from there, after Ctrl-C, after a kill and after the end of its time, as
long as library, command, suite and seed are the same. Exits with 1 if any case failed, or any suite did
not keep to this.
"""
import argparse
import collections
import contextlib
import ctypes
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass
class Suite:
    name: str
    weight: float  # its part of the time
    cores: int = 1  # that it uses; the driver runs as many at once as the machine has
    build: str = ""  # what make is given before it runs, besides what every suite needs
    watch: tuple = ()  # files it tests besides the library and the command; changed ones start it anew
    program: str = ""  # if it is neither OUT/tests/torture/NAME nor tests/torture/NAME.py


# The suites, one line for each.
SUITES = [
    Suite("fuzz", weight=4, cores=2, build="fuzz-targets", watch=("build/fuzzing/fuzz/*",)),
    Suite("corrupt", weight=0.5),
    Suite("disk", weight=1),
    Suite("kill", weight=3, watch=("tests/stream/killed_streams.py", "tests/stream/kill_at.c")),
    Suite("dedup", weight=1, watch=("tests/cli/check_dedup.py",)),
    Suite("threads", weight=2, cores=2),
    Suite("races", weight=1, cores=2, build="SAN=tsan OUT=build/tsan build/tsan/tests/torture/threads",
          program=str(ROOT / "build/tsan/tests/torture/threads")),
    Suite("memory", weight=2),
    Suite("system", weight=2),
    Suite("cancel", weight=1, build="deps-sql postgresql", watch=("build/sql/postgresql/inkling.so",),
          program=str(ROOT / "adapters/sql/cancelled.py")),
    Suite("jvm", weight=2, cores=2, build="spark-jars deps-spark build/jvm/sanitized/jvm/inkling.jar",
          watch=("build/jvm/inkling-spark-4.jar", "adapters/jvm/tests/inkling/*.java"),
          program=str(ROOT / "adapters/jvm/tests/spark/random_frames.py")),
]

# A suite says something every few seconds; after this many seconds of silence it hangs.
SILENCE_SECONDS = 300
PROGRESS_SECONDS = 10
COUNTED = re.compile(r"torture: (\S+) cases (\d+) of (\d+) faults (\d+) failures (\d+)\s*$")
FAILED = re.compile(r"torture: (\S+) FAILED (case \d+)(.*)$")


class Refused(Exception):
    """What is missing, in one line."""


@dataclasses.dataclass
class Counts:
    """What a suite has reported: kept between runs."""

    about: str = ""  # what was tested, by its digest
    cases: int = 0
    of: int = 0
    faults: int = 0
    failures: int = 0
    seconds: float = 0
    ended: bool = False  # its share of the run was used up, or all cases are done
    reported: list = dataclasses.field(default_factory=list)  # lines of failures


class Run:
    """One suite, running in a thread of its own."""

    def __init__(self, suite, driver, seconds):
        self.suite, self.driver, self.seconds = suite, driver, seconds
        self.command = [*command_of(suite, driver.out), "--seconds", f"{seconds:g}", "--seed", str(driver.seed),
                        "--state", str(driver.folder / f"{suite.name}.state")]
        self.counts = driver.counts[suite.name]
        self.before = dataclasses.replace(self.counts)
        self.heard = self.began = time.monotonic()
        self.counted = False
        self.broken = ""  # how it did not keep to the contract
        self.last_words = collections.deque(maxlen=3)
        self.process = subprocess.Popen(self.command, cwd=driver.folder, env=driver.environment, text=True, errors="replace",
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        start_new_session=True, preexec_fn=die_with_the_driver)
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def listen(self):
        """Everything that the suite says, up to its end."""
        for line in self.process.stdout:
            self.heard = time.monotonic()
            self.take(line.rstrip("\n"))
        self.process.wait()

    def take(self, line):
        counted, failed = COUNTED.match(line), FAILED.match(line)
        if counted and counted[1] == self.suite.name:
            cases, of, faults, failures = map(int, counted.groups()[1:])
            # A suite that goes on may count its faults from where it was, or from 0.
            if not self.counted and faults < self.before.faults and cases >= self.before.cases > 0:
                self.base = self.before.faults
            elif not self.counted:
                self.base = 0
            self.counted = True
            self.counts.cases, self.counts.of, self.counts.faults = cases, of, self.base + faults
            self.counts.failures = max(failures, len(self.counts.reported))
            self.driver.keep()
        elif failed and failed[1] == self.suite.name:
            self.fail(line)
        elif line.strip():
            self.last_words.append(line.strip())

    def fail(self, line):
        if line not in self.counts.reported:
            self.counts.reported.append(line)
            self.counts.failures = max(self.counts.failures, len(self.counts.reported))
            self.driver.say(line)
            self.driver.keep()

    def watch(self):
        """Whether it still runs; ends one that hangs."""
        if self.thread.is_alive():
            now, late = time.monotonic(), 2 * self.seconds + self.driver.silence
            if now - self.heard > self.driver.silence:
                self.broken = self.broken or f"said nothing for {self.driver.silence:g} s"
            elif self.seconds and now - self.began > late:
                self.broken = self.broken or f"ran for {late:g} s, expected {self.seconds:g}"
            if self.broken:
                self.stop(signal.SIGKILL)
            return True
        self.finish()
        return False

    def stop(self, number):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def finish(self):
        """Judges how it ended."""
        code, counts = self.process.returncode, self.counts
        counts.seconds = self.before.seconds + time.monotonic() - self.began
        counts.ended = True
        reported = counts.failures > self.before.failures
        if self.broken:
            pass
        elif code < 0:
            self.broken = f"was ended by {signal.Signals(-code).name}"
        elif not self.counted:
            self.broken = f"ended with exit code {code} and reported no cases"
        elif code not in (0, 1):
            self.broken = f"ended with exit code {code}, expected 0 or 1"
        elif code == 1 and not reported and not self.before.failures:
            self.broken = "ended with exit code 1 and reported no failure"
        elif code == 0 and reported:
            self.broken = "reported failures and ended with exit code 0"
        elif not self.seconds and counts.cases < counts.of:
            self.broken = f"ended after {counts.cases} of {counts.of} cases, expected all"
        elif counts.cases == self.before.cases and counts.cases < counts.of:
            self.broken = "ran no case"
        if self.broken:
            words = "; ".join(self.last_words)
            self.fail(f"torture: {self.suite.name} FAILED case {counts.cases} or later: the suite {self.broken}"
                      + (f" ({words})" if words else "") + f"; again: {self.driver.again(self.command)}")
        self.driver.keep()


LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def die_with_the_driver():
    """In the new process: a driver that is killed leaves no suite that goes on writing its state."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def command_of(suite, out):
    script = ROOT / "tests" / "torture" / f"{suite.name}.py"
    program = pathlib.Path(suite.program) if suite.program else out / "tests" / "torture" / suite.name
    if not suite.program and script.exists():
        program = script
    if not program.exists():
        raise Refused(f"suite {suite.name}: found no {program}, expected a program or script")
    return [sys.executable, "-B", str(program)] if program.suffix == ".py" else [str(program)]


class Driver:
    def __init__(self, options, suites):
        self.out = pathlib.Path(options.out).resolve()
        self.folder = self.out / "torture"
        self.minutes, self.seed, self.silence = options.minutes, options.seed, options.silence
        self.suites = chosen(suites, options.only)
        self.environment = {**os.environ, "INK_BINARY_FOLDER": str(self.out), "INK_SOURCE": str(ROOT),
                            "INK_LIBRARY": str(self.out / "libinkling.so"),
                            "TSAN_OPTIONS": os.environ.get("TSAN_OPTIONS", "halt_on_error=1")}
        self.counts = {}
        self.lock = threading.Lock()
        self.interrupted = False  # by a signal

    # ---- What is kept ----

    def digest(self, suite):
        """What a suite tests, as a digest: the same cases of the same programs are not run twice."""
        whole = hashlib.sha256(str(self.seed).encode())
        files = [self.out / "ink", self.out / "libinkling.so", pathlib.Path(command_of(suite, self.out)[-1]),
                 *(path for pattern in suite.watch for path in sorted(ROOT.glob(pattern)))]
        for path in files:
            whole.update(path.read_bytes() if path.is_file() else b"none")
        return whole.hexdigest()

    def recall(self, suite):
        """What is known of a suite from before, if that was about the same."""
        about, kept = self.digest(suite), self.folder / f"{suite.name}.counts"
        state = self.folder / f"{suite.name}.state"
        found = Counts()
        with contextlib.suppress(FileNotFoundError, ValueError, TypeError):
            found = Counts(**json.loads(kept.read_text()))
        if found.about != about:
            if found.about:
                self.say(f"torture: {suite.name} starts anew: the seed, or what it tests, has changed")
            state.unlink(missing_ok=True)
            found = Counts(about=about)
        self.counts[suite.name] = found

    def keep(self):
        with self.lock:
            for name, counts in self.counts.items():
                path = self.folder / f"{name}.counts"
                path.with_suffix(".new").write_text(json.dumps(dataclasses.asdict(counts)))
                path.with_suffix(".new").rename(path)

    def plan(self):
        """Which suites are run now. Of a run that was cut short those that have not ended; else all, each
        from where it is, or, if all its cases are done, anew."""
        left = [suite for suite in self.suites if not self.counts[suite.name].ended]
        if left and len(left) < len(self.suites):
            self.say("torture: goes on with what is left of the last run: " + ", ".join(suite.name for suite in left))
            return left
        for suite in self.suites:
            counts = self.counts[suite.name]
            if counts.ended and counts.cases >= counts.of:
                (self.folder / f"{suite.name}.state").unlink(missing_ok=True)
                self.counts[suite.name] = counts = Counts(about=counts.about)
            elif counts.cases:
                self.say(f"torture: {suite.name} goes on from case {counts.cases} of {counts.of}")
            counts.ended = False
        return list(self.suites)

    # ---- Running ----

    def run(self):
        for suite in self.suites:
            build(suite)
            command_of(suite, self.out)
        self.folder.mkdir(parents=True, exist_ok=True)
        for suite in self.suites:
            self.recall(suite)
        waiting, running, cores = self.plan(), [], os.cpu_count() or 1
        self.keep()
        parts = sum(suite.weight * min(suite.cores, cores) / cores for suite in self.suites)
        reported = time.monotonic()
        self.heed_signals()
        while (waiting or running) and not self.interrupted:
            running = [run for run in running if run.watch()]
            free = cores - sum(run.suite.cores for run in running)
            for suite in list(waiting):
                if suite.cores <= free or not running:
                    waiting.remove(suite)
                    running.append(Run(suite, self, self.minutes * 60 * suite.weight / parts))
                    free -= suite.cores
            if time.monotonic() - reported >= PROGRESS_SECONDS:
                reported = time.monotonic()
                for run in running:
                    self.say(progress(run))
            time.sleep(0.02)
        if self.interrupted:
            self.end(running)
            self.say("torture: interrupted; the next run goes on from here")
            return 130
        self.table()
        return 1 if any(counts.failures for counts in self.counts.values()) else 0

    def heed_signals(self):
        """A signal is noted and not raised, which could happen where Python drops it: while an object is deleted."""
        def note(*_):
            self.interrupted = True
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, note)

    def end(self, running):
        """Ends the suites; what they have not kept is run again."""
        for run in running:
            run.stop(signal.SIGTERM)
        for run in running:
            run.thread.join(5)
            run.stop(signal.SIGKILL)
            run.thread.join(5)
            run.counts.seconds = run.before.seconds + time.monotonic() - run.began
        self.keep()

    # ---- Reporting ----

    def again(self, command):
        return shlex.join([f"INK_BINARY_FOLDER={self.out}", *command])

    def say(self, line):
        with self.lock:
            print(line, flush=True)

    def table(self):
        self.say(f"{'suite':10} {'cases run':>14} {'of':>14} {'faults':>14} {'failures':>9} {'seconds':>8}")
        for suite in self.suites:
            counts = self.counts[suite.name]
            self.say(f"{suite.name:10} {counts.cases:14,} {counts.of:14,} {counts.faults:14,} {counts.failures:9,}"
                     f" {counts.seconds:8.0f}")
        for suite in self.suites:
            for line in self.counts[suite.name].reported:
                self.say(line)


def progress(run):
    counts = run.counts
    of_seconds = f" of {run.seconds:.0f}" if run.seconds else ""
    return (f"torture: {run.suite.name}: {counts.cases:,} of {counts.of:,} cases, {counts.failures:,} failures,"
            f" {time.monotonic() - run.began:.0f}{of_seconds} s")


def chosen(suites, only):
    names = [suite.name for suite in suites]
    wanted = only.replace(",", " ").split() if only else names
    for name in wanted:
        if name not in names:
            raise Refused(f"found TORTURE_ONLY={name}, expected some of {', '.join(names)}")
    return [suite for suite in suites if suite.name in wanted]


def build(suite):
    """What the suite needs that is not made for all of them."""
    if not suite.build:
        return
    if suite.build == "fuzz-targets" and not shutil.which("clang"):
        if os.geteuid() != 0:
            raise Refused(f"suite {suite.name}: found no clang, expected it: as root: apt-get install clang")
        print("installing with apt: clang", flush=True)
        subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "clang"], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    subprocess.run(["make", "--no-print-directory", f"-j{os.cpu_count()}", *shlex.split(suite.build)], cwd=ROOT, check=True)


def main(arguments, suites=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", help="the folder of the build")
    parser.add_argument("--minutes", type=float, default=20, help="for all suites; 0: the full counts")
    parser.add_argument("--only", default="", help="names of suites")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--silence", type=float, default=SILENCE_SECONDS, help="after which a suite hangs")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return Driver(parser.parse_args(arguments), SUITES if suites is None else suites).run()
    except Refused as why:
        print(f"torture: {why}")
        return 2
    except subprocess.CalledProcessError as failed:
        print(f"torture: {shlex.join(failed.cmd)} ended with exit code {failed.returncode}")
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
