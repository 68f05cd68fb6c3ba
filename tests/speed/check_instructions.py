#!/usr/bin/env python3
"""Instructions of the hot loops for each key, counted by callgrind: a guard of speed that noise cannot touch.

    check_instructions.py            compares with instructions.tsv; one TAP line for each loop
    check_instructions.py --write    writes what is counted into instructions.tsv, for the compiler at hand

Runs tests/speed/hot_loops of the build that INK_LIBRARY is in, once for each set of instructions that
callgrind knows. A compiler for which the table has nothing, or a machine without valgrind, is skipped.
"""

from __future__ import annotations

import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

TABLE = pathlib.Path(__file__).with_name("instructions.tsv")
TOLERANCE = 0.03  # more than so much above the table is a failure, below it the table is to be written anew
NAMES = ("compiler", "machine", "instructions", "loop", "each")
Key = tuple[str, str, str, str]  # the columns but the last


def sets() -> list[str]:
    """The names for INK_CPU whose code callgrind can run here."""
    return ["scalar", "avx2"] if platform.machine() == "x86_64" else ["scalar"]


def total(path: pathlib.Path) -> int:
    """The instructions of one dump of callgrind."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(("totals:", "summary:")):
            return int(line.split()[1])
    raise SystemExit(f"{path.name}: expected a line of totals")


def count(program: pathlib.Path, cpu: str) -> dict[Key, float]:
    """Instructions for each key of every loop."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "loops"
        # Not all that clang emits for debuggers is known to valgrind, which needs the names alone.
        bare = pathlib.Path(folder) / program.name
        subprocess.run(["strip", "--strip-debug", "-o", str(bare), str(program)], check=True)
        done = subprocess.run(
            [
                "valgrind",
                "--tool=callgrind",
                "--toggle-collect=measured",
                "--dump-after=measured",
                f"--callgrind-out-file={out}",
                str(bare),
            ],
            env={**os.environ, "INK_CPU": cpu},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SystemExit(
                f"hot_loops: exit code {done.returncode}, expected 0: {done.stderr.strip()[-500:]}"
            )
        compiler, *lines = done.stdout.splitlines()
        found = {}
        for number, line in enumerate(lines, 1):
            name, keys = line.split("\t")
            found[compiler, platform.machine(), cpu, name] = total(out.with_name(f"loops.{number}")) / int(
                keys
            )
    return found


def read_table() -> dict[Key, float]:
    rows = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines()[1:]]
    return {(a, b, c, d): float(each) for a, b, c, d, each in rows}


def write_table(found: dict[Key, float]) -> None:
    """What other compilers had stays."""
    compilers = {key[:2] for key in found}
    kept = (
        {key: each for key, each in read_table().items() if key[:2] not in compilers}
        if TABLE.exists()
        else {}
    )
    lines = [
        "\t".join(NAMES),
        *("\t".join((*key, f"{each:.2f}")) for key, each in sorted({**kept, **found}.items())),
    ]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def judged(key: Key, each: float, table: dict[Key, float]) -> tuple[bool, str]:
    """Whether it passes, and what is to be said."""
    what = f"{key[3]}, {key[2]}: {each:.2f} instructions"
    if key not in table:
        return True, f"{what} # SKIP the table has nothing for {key[0]} on {key[1]}: make instructions"
    before = table[key]
    if each > before * (1 + TOLERANCE):
        return False, f"{what}, expected {before:.2f}: {each / before - 1:.1%} more"
    if each < before * (1 - TOLERANCE):
        return True, f"{what}, {1 - each / before:.1%} fewer than {before:.2f}: time for make instructions"
    return True, f"{what}, {before:.2f} in the table"


def main() -> None:
    program = pathlib.Path(os.environ["INK_LIBRARY"]).parent / "tests/speed/hot_loops"
    if shutil.which("valgrind") is None:
        if sys.argv[1:]:
            sys.exit("make: valgrind is missing: apt-get install valgrind")
        print("1..1\nok 1 - instructions of hot loops # SKIP valgrind is missing")
        return
    found = {key: each for cpu in sets() for key, each in count(program, cpu).items()}
    if sys.argv[1:] == ["--write"]:
        write_table(found)
        print(f"{len(found)} loops written to {os.path.relpath(TABLE)}")
        return
    table = read_table()
    failed = 0
    print(f"1..{len(found)}")
    for number, (key, each) in enumerate(found.items(), 1):
        passed, text = judged(key, each, table)
        failed += not passed
        print(f"{'ok' if passed else 'not ok'} {number} - {text}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
