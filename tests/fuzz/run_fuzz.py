#!/usr/bin/env python3
"""Runs the fuzz targets of a folder under libFuzzer, each variant for its share of the time, as many at a
time as there are cores, and prints one TAP line for each with what it tried. What breaks something stays
below FOLDER/../found, with the command that tries it again. Inputs that reached something new are kept
beside the programs, and are where the next run begins."""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import time

# No input takes longer, and none more memory than this with what the sanitizer adds.
TIMEOUT_SECONDS = 1 if "INK_FUZZ_SLOW" not in os.environ else 10
MEMORY_MB = 1024


@dataclasses.dataclass
class Target:
    """A program, or one variant of it."""

    program: pathlib.Path
    most_bytes: int
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


def targets_of(folder: pathlib.Path) -> list[Target]:
    found = []
    for program in sorted(path for path in folder.iterdir() if path.is_file() and os.access(path, os.X_OK)):
        told = subprocess.run([program], env={**os.environ, "INK_FUZZ_DESCRIBE": "1"}, capture_output=True,
                              text=True, check=True).stdout.split()
        found += [Target(program, int(told[0]), variant) for variant in told[1:] or [""]]
    return found


def number(pattern: str, text: str) -> int:
    matches = re.findall(pattern, text)
    return int(matches[-1]) if matches else 0


def run(target: Target, seconds: float, seed: int) -> Outcome:
    base = target.program.parent.parent
    corpus, seeds, found = (base / kind / target.name for kind in ("corpus", "seeds", "found"))
    for folder in (corpus, seeds, found):
        folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([target.program], env=target.environment(INK_FUZZ_SEEDS=str(seeds)), check=True)
    command = [
        str(target.program), f"-max_total_time={max(1, round(seconds))}", f"-max_len={target.most_bytes}",
        f"-timeout={TIMEOUT_SECONDS}", f"-rss_limit_mb={MEMORY_MB}", f"-artifact_prefix={found}/", f"-seed={seed}",
        "-print_final_stats=1", "-reload=0", str(corpus), str(seeds),
    ]
    ended = subprocess.run(command, env=target.environment(), capture_output=True, text=True, errors="replace",
                           check=False)
    told = ended.stderr
    failure = ""
    if ended.returncode != 0:
        artifact = re.search(r"Test unit written to (\S+)", told)
        why = re.search(r"(?:ERROR: |SUMMARY: |error: )(.*)", told)
        variant = f"INK_FUZZ_VARIANT={target.variant} " if target.variant else ""
        failure = (why[1] if why else f"exit code {ended.returncode}") + (
            f"; try it again: {variant}{target.program} {artifact[1]}" if artifact else "")
        (found / "log").write_text(told)
    return Outcome(target, number(r"stat::number_of_executed_units:\s*(\d+)", told), number(r"cov: (\d+)", told),
                   failure)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="of the programs")
    parser.add_argument("--seconds", type=float, default=120, help="for all of them together")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 2**31, help="of all choices")
    parser.add_argument("--only", action="append", default=[], help="targets whose names contain this")
    options = parser.parse_args()
    targets = [target for target in targets_of(options.folder)
               if not options.only or any(part in target.name for part in options.only)]
    if not targets:
        print(f"run_fuzz.py: no target in {options.folder} is called {' or '.join(options.only)}", file=sys.stderr)
        return 2
    cores = len(os.sched_getaffinity(0))
    share = options.seconds * min(cores, len(targets)) / len(targets)
    print(f"# {len(targets)} targets, {share:.0f} s each, {cores} at a time, --seed {options.seed}")
    failed = inputs = 0
    with concurrent.futures.ThreadPoolExecutor(cores) as pool:
        for i, outcome in enumerate(pool.map(lambda target: run(target, share, options.seed), targets), 1):
            inputs += outcome.inputs
            failed += bool(outcome.failure)
            print(f"{'not ok' if outcome.failure else 'ok'} {i} - {outcome.target.name}: {outcome.inputs} inputs, "
                  f"{outcome.reached} places reached", flush=True)
            if outcome.failure:
                print(f"#   {outcome.failure}", flush=True)
    print(f"1..{len(targets)}\n# {inputs} inputs, {failed} targets failed")
    return min(failed, 125)


if __name__ == "__main__":
    sys.exit(main())
