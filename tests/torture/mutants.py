#!/usr/bin/env python3
"""`make mutants`: would the tests notice a slip? One small change at a time is made to a copy of the sources (`<` for
`<=`, a call left out, ...); the copy is built, and one of its tests must fail: those of the changed file first, by the
mirrored name, then those of its folder, whole jobs, and transcripts of the command. The changes are chosen by a hash of the
operator and the text of the line, not by where it stands: two trees with the same lines get the same mutants. They are all
of some files (--only), or of the lines that a change touched (--since); each operator gets as many, or (--random) each
mutant has the same chance, and then the share that is found is an estimate, with its 95 % interval."""
import argparse
import dataclasses
import hashlib
import math
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
CORES = len(os.sched_getaffinity(0))
MEMORY_MAX = 16 << 30  # a mutant that allocates for ever fails, before the machine does
OPPOSITES = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+",
             "&&": "||", "||": "&&", "0": "1", "1": "0", "true": "false", "false": "true"}
# What changes in a line of code, as group 1, which has a blank before and after it where it is a binary operator.
PATTERNS = {
    "relation": r" (<=|>=|==|!=|<|>) ",
    "sign": r"(?<=[\w)\]]) ([+-]) (?=[\w(])",
    "literal": r" [+-] (\d+)\b(?![.\w])",
    "logic": r" (&&|\|\|) ",
    "constant": r"(?<=[\s(=])([01]|true|false)(?=[;,) ])",
    "condition": r"\b(?:if|while) \((.*)\)(?: \{)?$",
    "call": r"^\s+((?:\(void\))?(?!if|while|for|switch|return|sizeof)[a-z_]\w*\(.*\);)$",
    "return": r"^\s+(return\b.*;)$",
}


@dataclasses.dataclass
class Mutant:
    path: str
    line: int  # from 0
    operator: str
    start: int
    end: int
    old: str
    new: str
    order: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line + 1} {self.operator}: {self.old} -> {self.new}"


def code_of(text: str) -> list[str]:
    """The lines of a C file with blanks for all that is no code: comments, texts, letters, the preprocessor's lines."""
    blank = r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'|^#(?:[^\n]*\\\n)*[^\n]*"
    return re.sub(blank, lambda found: re.sub(r"[^\n]", "_" if found[0][0] in "\"'" else " ", found[0]), text,
                  flags=re.S | re.M).split("\n")


def balanced(text: str) -> bool:
    depth = 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return False
    return depth == 0


def changed(operator: str, old: str) -> str:
    if operator == "literal":
        return str(int(old) + 1)
    return {"condition": f"!({old})", "call": "{}", "return": "{}"}.get(operator) or OPPOSITES[old]


def mutants_of(path: str, text: str) -> list[Mutant]:
    """All mutants of a file. A return is taken where it is all that a condition leads to; the last one is no mutant."""
    found = []
    code, lines = code_of(text), text.split("\n")
    for number, line in enumerate(code):
        if not line.startswith("    "):
            continue  # a head of a function, or a table
        for operator, pattern in PATTERNS.items():
            for nth, match in enumerate(re.finditer(pattern, line.rstrip())):
                old = lines[number][match.start(1):match.end(1)]
                early = re.match(r"\s+(?:\} )?(?:else )?if \(", code[number - 1]) and not code[number - 1].endswith("{")
                if (operator in ("condition", "call", "return") and not balanced(match[1])) or \
                        (operator == "return" and not early):
                    continue
                known = f"{operator} {nth} {' '.join(lines[number].split())}"
                found.append(Mutant(path, number, operator, match.start(1), match.end(1), old, changed(operator, old), known))
    return found


def touched(source: pathlib.Path, since: str) -> dict[str, set[int]]:
    """The lines, from 0, of each file that are new or other than they were at a revision."""
    output = subprocess.run(["git", "diff", "--unified=0", "--no-prefix", "--no-ext-diff", since, "--", "src", "cli"],
                            cwd=source, capture_output=True, text=True, check=True).stdout
    lines: dict[str, set[int]] = {}
    for line in output.split("\n"):
        if line.startswith("+++ "):
            path = line[4:]
        elif hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            first = int(hunk[1]) - 1
            lines.setdefault(path, set()).update(range(first, first + int(hunk[2] or 1)))
    return lines


def interval(found: int, tried: int) -> tuple[float, float]:
    """Of the share of all that would be found, after Wilson."""
    z, share = 1.959964, found / tried
    middle, half = share + z * z / (2 * tried), z * math.sqrt(share * (1 - share) / tried + (z / (2 * tried)) ** 2)
    return (middle - half) / (1 + z * z / tried), (middle + half) / (1 + z * z / tried)


def candidates(source: pathlib.Path, seed: int, only: list[str], since: str = "", random: bool = False) -> list[Mutant]:
    """All mutants of a tree in the order in which they are taken: one of each operator, then one more of each, ...; or
    in any order."""
    changes = touched(source, since) if since else None
    by_operator: dict[str, list[Mutant]] = {operator: [] for operator in PATTERNS}
    paths = sorted(str(path.relative_to(source)) for room in ("src", "cli") for path in (source / room).rglob("*.c"))
    for path in paths:
        if not only or any(path.startswith(part) for part in only):
            for mutant in mutants_of(path, (source / path).read_text()):
                if changes is not None and mutant.line not in changes.get(path, ()):
                    continue
                by_operator[mutant.operator].append(mutant)
    ranked: list[tuple[int | str, Mutant]] = []
    for mutants in by_operator.values():
        mutants.sort(key=lambda mutant: hashlib.sha256(f"{seed} {mutant.order}".encode()).digest())
        ranked += list(enumerate(mutants))
    if random:
        ranked = [(hashlib.sha256(f"{seed} {mutant.order}".encode()).hexdigest(), mutant) for _, mutant in ranked]
    return [mutant for _, mutant in sorted(ranked, key=lambda pair: pair[0])]


class Copy:
    """A copy of the tree, with what is built of it, in which mutants are planted and tested."""

    def __init__(self, source: pathlib.Path, folder: pathlib.Path, seconds: int, near: bool) -> None:
        self.root = folder / "tree"
        self.near = near
        self.seconds = seconds
        self.known: set[str] = set()
        self.sick: set[str] = set()
        self.compiled: set[str] = set()  # here
        # Other builds than the plain one are as large again.
        others = {"clang", "asan", "ubsan", "tsan", "coverage", "fuzzing"}
        shutil.copytree(source, self.root, symlinks=True, ignore=lambda at, names: [
            name for name in names if name in (".git", "__pycache__") or (name in others and at == str(source / "build"))])
        (folder / "t").mkdir()
        ccache = "/usr/lib/ccache:" if os.path.isdir("/usr/lib/ccache") else ""
        self.environment = {**os.environ, "PATH": ccache + os.environ["PATH"], "TMPDIR": str(folder / "t")}

    def run(self, command: list[str], seconds: int) -> tuple[int, str]:
        """The exit code and the output. What does not end in time is killed with all that it started, and has no code."""
        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_MAX, MEMORY_MAX))
        with subprocess.Popen(command, cwd=self.root, env=self.environment, start_new_session=True, preexec_fn=limit,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            try:
                output = process.communicate(timeout=seconds)[0]
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return -1, ""
            return process.returncode, output.decode(errors="replace")

    def make(self, *targets: str) -> tuple[int, str]:
        return self.run(["make", "--no-print-directory", f"-j{CORES}", *targets], 3600)

    def stages(self, path: str) -> list[list[str]]:
        """The tests for a file, nearest first, in parts that are built and run together."""
        def named(*patterns: str) -> list[str]:
            return [str(test.relative_to(self.root)) for pattern in patterns
                    for test in sorted((self.root / "tests").glob(pattern))]
        room, name = pathlib.Path(path).parent, pathlib.Path(path).stem
        if path.startswith("cli/"):
            near = named(f"cli/{name}_test.c", "cli/*_test.c")
            far = []
        else:
            mirrored = room.relative_to("src")
            near = named(f"unit/{mirrored}/{name}_test.c", f"unit/{mirrored}/**/*{name}*_test.c", f"unit/{mirrored}/**/*_test.c")
            core = re.match(r"src/(base|kernels|hash|sketch)/", path) is not None
            far = named("jobs/*_test.c", "properties/*_test.c", "faults/*_test.c", *["accuracy/*_test.c"] * core)
        if self.near:
            near, far = [test for test in near if test.startswith(("tests/unit/", "tests/cli/"))], []
        programs = [test.replace("tests/", "build/tests/", 1)[:-2] for test in dict.fromkeys(near + far)]
        parts, size = [], 1  # each twice as large as the one before: most mutants are found by the first ones
        while programs:
            parts, programs, size = [*parts, programs[:size]], programs[size:], 2 * size
        return parts if self.near else [*parts, ["tests/cli/run_transcripts.py"], named("cli/check_*.py")]

    def failures(self, tests: list[str]) -> list[tuple[str, str]]:
        """The tests of these that fail, as program and name."""
        built, output = self.make(*[test for test in tests if not test.endswith(".py")] or ("all", "static"))
        if built != 0:
            return [("make", " ".join(output.split()[-12:]))]
        code, output = self.run(["scripts/run_tests.sh", "build", *tests], self.seconds + 20 * len(tests))
        if code == -1:
            return [(" or ".join(tests), "does not end")]
        failed, program = [], ""
        for line in output.split("\n"):
            if begins := re.match(r"# (\S+) \([\d.]+ s\)$", line):
                program = begins[1]
            elif line.startswith("not ok"):
                failed.append((program, re.sub(r"^not ok [0-9]* ?- ", "", line)))
        return failed

    def believe(self, tests: set[str]) -> None:
        """A test that fails without a mutant says nothing: each is run once before it is believed."""
        for program, name in self.failures(sorted(tests - self.known)) if tests - self.known else []:
            print(f"# fails without a mutant, and is left out: {program}: {name}", flush=True)
            self.sick |= {test for test in tests if test.endswith(program)}
        self.known |= tests

    def attempt(self, mutant: Mutant) -> str | None:
        """What finds a mutant; nothing if it survives; None if there is no such program, or no other one."""
        while True:
            found, tests = self.plant(mutant)
            if not found or not tests - self.known:
                return found
            self.believe(tests)
            if not tests & self.sick:
                return found

    def plant(self, mutant: Mutant) -> tuple[str | None, set[str]]:
        """The same, believed or not, and the tests of which one failed."""
        path = self.root / mutant.path
        text = path.read_text()
        lines = text.split("\n")
        line = lines[mutant.line]
        lines[mutant.line] = line[:mutant.start] + mutant.new + line[mutant.end:]
        compiled = re.sub(r"^(?:src/)?(.*)\.c$", r"build/obj/\1.o", mutant.path)
        if mutant.path not in self.compiled:  # what was copied names the folder that it was compiled in
            path.touch()
            self.make(compiled)
            self.compiled.add(mutant.path)
        before = (self.root / compiled).read_bytes()
        path.write_text("\n".join(lines))
        try:
            if self.make(compiled)[0] != 0 or (self.root / compiled).read_bytes() == before:
                return None, set()
            for part in self.stages(mutant.path):
                tests = [test for test in part if test not in self.sick]
                if tests and (failed := self.failures(tests)):
                    return ": ".join(failed[0]), set(tests)
            return "", set()
        finally:
            path.write_text(text)
            self.make(compiled)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the choice")
    parser.add_argument("--count", type=int, default=100, help="of mutants")
    parser.add_argument("--only", action="append", default=[], help="files whose path begins so, such as src/sketch")
    parser.add_argument("--since", default="", help="only lines that were changed since this revision of git")
    parser.add_argument("--random", action="store_true", help="each mutant with the same chance, whatever its operator")
    parser.add_argument("--near", action="store_true", help="with the unit tests of its folder alone: fewer are found, in less time")
    parser.add_argument("--source", type=pathlib.Path, default=SOURCE, help="the tree, instead of this one")
    parser.add_argument("--seconds", type=int, default=120, help="that tests may take, and 20 for each; what hangs is found")
    parser.add_argument("--list", action="store_true", help="only print which mutants would be tried")
    options = parser.parse_args()
    chosen = candidates(options.source.resolve(), options.seed, options.only, options.since, options.random)
    if options.list:
        print("\n".join(map(str, chosen[:options.count])))
        return 0
    tried, survived, began = 0, [], time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ink") as made:
        copy = Copy(options.source.resolve(), pathlib.Path(made), options.seconds, options.near)
        code, output = copy.make(*["library"] if options.near else ["all", "static"])
        if code != 0:
            print(f"mutants: the tree does not build:\n{output}")
            return 2
        for mutant in chosen:
            if tried == options.count:
                break
            found = copy.attempt(mutant)
            if found is None:
                print(f"# {mutant}: does not compile, or compiles to the same", flush=True)
                continue
            tried += 1
            survived += [mutant] * (not found)
            print(f"{'ok' if found else 'not ok'} {tried} - {mutant}: {'found by ' + found if found else 'SURVIVED'}", flush=True)
    low, high = interval(tried - len(survived), tried) if tried > 0 else (0, 1)
    print(f"1..{tried}\n# mutants: {tried - len(survived)} of {tried} found, --seed {options.seed}, 95 % interval "
          f"{low:.3f} to {high:.3f}, {time.monotonic() - began:.0f} s")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
