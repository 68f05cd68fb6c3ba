#!/usr/bin/env python3
"""Runs the fuzz targets of a folder under libFuzzer, each variant for its share of the time, as many at a
time as there are cores, and prints one TAP line for each with what it tried. What breaks something stays
below FOLDER/../found, with the command that tries it again. Inputs that reached something new are kept
beside the programs, and are where the next run begins.

With --inputs it is a suite of `make torture`: it goes on until that number of inputs was tried, in shares by
the weights of the targets, keeps in the file --state how far it is, and begins there the next time."""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import time

# No input waits for longer, by a clock that goes on while the machine sleeps (a target itself ends one that takes a
# second of the processor); none takes more memory than this with what the sanitizer adds, and no block is larger.
TIMEOUT_SECONDS = 120
MEMORY_MB = 1024
BLOCK_MB = 64

# A run by inputs goes over the targets again and again, each time for so long at most.
TURN_SECONDS = 20


@dataclasses.dataclass
class Target:
    """A program, or one variant of it."""

    program: pathlib.Path
    most_bytes: int
    weight: int
    variant: str = ""

    @property
    def name(self) -> str:
        return f"{self.program.name}-{self.variant}" if self.variant else self.program.name

    def environment(self, **more: str) -> dict[str, str]:
        variant = {"INK_FUZZ_VARIANT": self.variant} if self.variant else {}
        return {**os.environ, **variant, **more}


@dataclasses.dataclass
class Outcome:
    target: Target
    inputs: int
    reached: int
    failure: str


def targets_of(folder: pathlib.Path, only: list[str]) -> list[Target]:
    found = []
    for program in sorted(path for path in folder.iterdir() if path.is_file() and os.access(path, os.X_OK)):
        output = subprocess.run([program], env={**os.environ, "INK_FUZZ_DESCRIBE": "1"}, capture_output=True,
                              text=True, check=True).stdout.split()
        found += [Target(program, int(output[0]), int(output[1]), variant) for variant in output[2:] or [""]]
    return [target for target in found if not only or any(part in target.name for part in only)]


def number(pattern: str, text: str) -> int:
    matches = re.findall(pattern, text)
    return int(matches[-1]) if matches else 0


def run(target: Target, seconds: float, seed: int, inputs: int = -1) -> Outcome:
    """For a number of seconds, or until a number of inputs were tried."""
    base = target.program.parent.parent
    corpus, seeds, found = (base / kind / target.name for kind in ("corpus", "seeds", "found"))
    for folder in (corpus, seeds, found):
        folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([target.program], env=target.environment(INK_FUZZ_SEEDS=str(seeds)), check=True)
    command = [
        str(target.program), f"-max_total_time={max(1, round(seconds))}", f"-max_len={target.most_bytes}",
        f"-timeout={TIMEOUT_SECONDS}", f"-rss_limit_mb={MEMORY_MB}", f"-malloc_limit_mb={BLOCK_MB}",
        f"-artifact_prefix={found}/", f"-seed={seed}", f"-runs={inputs}", "-print_final_stats=1", "-reload=0",
        str(corpus), str(seeds),
    ]
    ended = subprocess.run(command, env=target.environment(), capture_output=True, text=True, errors="replace",
                           check=False)
    output = ended.stderr
    failure = ""
    if ended.returncode != 0:
        artifact = re.search(r"Test unit written to (\S+)", output)
        why = re.search(r"(?:ERROR: |SUMMARY: |error: )(.*)", output)
        variant = f"INK_FUZZ_VARIANT={target.variant} " if target.variant else ""
        failure = (why[1] if why else f"exit code {ended.returncode}") + (
            f"; again: {variant}{target.program} {artifact[1]}" if artifact else "")
        (found / "log").write_text(output)
    return Outcome(target, number(r"stat::number_of_executed_units:\s*(\d+)", output), number(r"cov: (\d+)", output),
                   failure)


def run_by_time(targets: list[Target], seconds: float, seed: int, cores: int) -> int:
    share = seconds * min(cores, len(targets)) / len(targets)
    print(f"# {len(targets)} targets, {share:.0f} s each, {cores} at a time, --seed {seed}")
    failed = inputs = 0
    with concurrent.futures.ThreadPoolExecutor(cores) as pool:
        for i, outcome in enumerate(pool.map(lambda target: run(target, share, seed), targets), 1):
            inputs += outcome.inputs
            failed += bool(outcome.failure)
            print(f"{'not ok' if outcome.failure else 'ok'} {i} - {outcome.target.name}: {outcome.inputs} inputs, "
                  f"{outcome.reached} places reached", flush=True)
            if outcome.failure:
                print(f"#   {outcome.failure}", flush=True)
    print(f"1..{len(targets)}\n# {inputs} inputs, {failed} targets failed")
    return min(failed, 125)


class Progress:
    """How many inputs each target has tried, in a file that is replaced as a whole."""

    def __init__(self, path: pathlib.Path | None, seed: int, wanted: dict[str, int]) -> None:
        self.path, self.seed, self.wanted = path, seed, wanted
        self.tried = dict.fromkeys(wanted, 0)
        self.turns = self.failures = 0
        lines = path.read_text().splitlines() if path is not None and path.exists() else []
        saved = dict(line.rsplit(" ", 1) for line in lines if " " in line)
        if saved.get("seed") == str(seed) and saved.get("of") == str(self.all):
            self.tried.update({name: int(saved.get(f"target {name}", 0)) for name in wanted})
            self.turns = int(saved.get("turns", 0))

    @property
    def all(self) -> int:
        return sum(self.wanted.values())

    @property
    def done(self) -> int:
        return sum(min(self.tried[name], self.wanted[name]) for name in self.wanted)

    def left(self, target: Target) -> int:
        return max(0, self.wanted[target.name] - self.tried[target.name])

    def write(self) -> None:
        if self.path is None:
            return
        text = f"done {self.done}\nseed {self.seed}\nof {self.all}\nturns {self.turns}\n" + "".join(
            f"target {name} {tried}\n" for name, tried in self.tried.items())
        fresh = self.path.with_name(self.path.name + ".new")
        fresh.write_text(text)
        fresh.replace(self.path)

    def report(self) -> None:
        print(f"torture: fuzz cases {self.done} of {self.all} faults {self.done} failures {self.failures}", flush=True)


def shares(targets: list[Target], inputs: int) -> dict[str, int]:
    """What each target is to try; the first ones get what does not divide."""
    weights = sum(target.weight for target in targets)
    wanted = {target.name: inputs * target.weight // weights for target in targets}
    for target in targets[: inputs - sum(wanted.values())]:
        wanted[target.name] += 1
    return wanted


def run_by_inputs(targets: list[Target], options: argparse.Namespace, cores: int) -> int:
    """Turn by turn, those that have the largest part of their share before them first. A target that failed has
    its say once: it would stop at the same input again."""
    progress = Progress(options.state, options.seed, shares(targets, options.inputs))
    end = time.monotonic() + options.seconds if options.seconds > 0 else float("inf")
    broken: set[str] = set()
    running: dict[concurrent.futures.Future[Outcome], Target] = {}

    def next_target() -> Target | None:
        busy = {target.name for target in running.values()} | broken
        ready = [target for target in targets if progress.left(target) > 0 and target.name not in busy]
        return max(ready, key=lambda target: progress.left(target) / progress.wanted[target.name], default=None)

    turn_seconds = TURN_SECONDS
    if options.seconds > 0: # all of them have a turn
        turn_seconds = max(1, min(TURN_SECONDS, options.seconds * cores / len(targets)))
    with concurrent.futures.ThreadPoolExecutor(cores) as pool:
        while True:
            while len(running) < cores and time.monotonic() < end and (target := next_target()) is not None:
                progress.turns += 1
                left = min(turn_seconds, end - time.monotonic())
                running[pool.submit(run, target, left, options.seed + progress.turns, progress.left(target))] = target
            if not running:
                break
            ended, _ = concurrent.futures.wait(running, timeout=5, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in ended:
                outcome, target = future.result(), running.pop(future)
                progress.tried[target.name] += outcome.inputs
                if outcome.failure or outcome.inputs == 0:
                    broken.add(target.name)
                    progress.failures += 1
                    print(f"torture: fuzz FAILED case {progress.tried[target.name]} of {target.name}: "
                          f"{outcome.failure or 'no input was tried'}", flush=True)
            progress.write()
            progress.report()
    progress.report()
    return 1 if progress.failures else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="of the programs")
    parser.add_argument("--seconds", type=float, default=120, help="for all of them together; with --inputs, 0: no limit")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 2**31, help="of all choices")
    parser.add_argument("--only", action="append", default=[], help="targets whose names contain this")
    parser.add_argument("--inputs", type=int, default=0, help="to be tried by all of them together")
    parser.add_argument("--state", type=pathlib.Path, help="file that says how far a run with --inputs is")
    options = parser.parse_args()
    targets = targets_of(options.folder, options.only)
    if not targets:
        print(f"run_fuzz.py: no target in {options.folder} is called {' or '.join(options.only)}", file=sys.stderr)
        return 2
    cores = len(os.sched_getaffinity(0))
    if options.inputs > 0:
        return run_by_inputs(targets, options, cores)
    return run_by_time(targets, options.seconds, options.seed, cores)


if __name__ == "__main__":
    sys.exit(main())
