#!/usr/bin/env python3
"""`make mutants`: would the tests notice a slip? One small change at a time (`<` for `<=`, a call left out, ...) is made
to a file, which is compiled elsewhere and linked to the tests that reach the changed line: first those of the file by
its mirrored name, then the others, quick ones first, until one fails. A build that counts lines (gcov), kept in
build/mutants, shows which test reaches which line. The changes are chosen by a hash of the operator and the text of the
line in its file, not by its number: two trees with the same lines get the same mutants. They are all of some files
(--only), or of the lines that a change touched (--since); each operator gets as many, or (--random) each mutant has the
same chance, and then the share that is found is an estimate, with its 95 % interval."""
import argparse
import bisect
import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import math
import os
import pathlib
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = os.environ.get("INK_BINARY_FOLDER", "build")
OUT = SOURCE / BUILD
COUNTED = OUT / "coverage"
REACH = OUT / "mutants" / "reach.json"
# As of `make coverage`.
COUNTING = [f"OUT={BUILD}/coverage", "CC=gcc -w", "CFLAGS=-O0 -g --coverage -fprofile-abs-path", "LDFLAGS=--coverage"]
CORES = len(os.sched_getaffinity(0))
TRANSCRIPTS = "tests/cli/run_transcripts.py"
PATIENCE_MAX = 900
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
    table: bool = False  # outside of functions, where no line is counted

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
    table = False
    alike: collections.Counter[str] = collections.Counter()
    for number, line in enumerate(code):
        alike[line] += 1
        table = table and not line.startswith("}") or re.match(r"\S.* = \{$|\} \w.* = \{$", line) is not None
        if not line.startswith("    "):
            continue  # a head of a function
        for operator, pattern in PATTERNS.items():
            for nth, match in enumerate(re.finditer(pattern, line.rstrip())):
                old = lines[number][match.start(1):match.end(1)]
                early = re.match(r"\s+(?:\} )?(?:else )?if \(", code[number - 1]) and not code[number - 1].endswith("{")
                if (operator in ("condition", "call", "return") and not balanced(match[1])) or \
                        (operator == "return" and not early):
                    continue
                known = f"{operator} {nth} {path} {alike[line]} {' '.join(lines[number].split())}"
                found.append(Mutant(path, number, operator, match.start(1), match.end(1), old, changed(operator, old), known, table))
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


@dataclasses.dataclass(frozen=True)
class Test:
    """A program with tests, a script, or the transcripts of a folder, and the name by which it is known."""
    name: str
    case: str = ""

    def command(self, program: pathlib.Path) -> list[str]:
        script = self.name.endswith(".py")
        return [*([sys.executable, "-B", str(SOURCE / self.name)] if script else [str(program)]), *self.case.split()]

    def runs_ink(self) -> bool:
        return self.name.endswith(".py")

    def __str__(self) -> str:
        return self.name.removeprefix("tests/") + (" " + self.case.split("/")[0] if self.case else "")


def tests_of(programs: list[str]) -> list[Test]:
    """What the arguments name: programs below build/, scripts. Transcripts are a test for each folder."""
    tests = []
    for program in programs:
        if program == TRANSCRIPTS:
            cases: dict[str, list[str]] = {}
            for case in sorted((SOURCE / "tests/cli").glob("*/*.t")):
                cases.setdefault(case.parent.name, []).append(f"{case.parent.name}/{case.stem}")
            tests += [Test(program, " ".join(names)) for names in cases.values()]
        else:
            tests.append(Test(program.removeprefix(f"{BUILD}/")))
    return tests


@dataclasses.dataclass
class Run:
    """How a test ended: what failed first, if anything, and what it took."""
    failure: str
    seconds: float
    cpu: float


def run(test: Test, program: pathlib.Path, binaries: pathlib.Path, cpu: float = 0, more: dict[str, str] | None = None) -> Run:
    """Runs a test as scripts/run_tests.sh does, until something fails. A process that takes more CPU than it may, or a test that
    takes far longer than that, does not end; what a test started ends with it."""
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_MAX, MEMORY_MAX))
        if cpu:
            resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(cpu), math.ceil(cpu)))
    with tempfile.TemporaryDirectory(prefix="ink", ignore_cleanup_errors=True) as scratch:
        environment = {**os.environ, "INK_SOURCE": str(SOURCE), "INK_LIBRARY": str(binaries / "libinkling.so"), "TMPDIR": scratch,
                       "INK_BINARY_FOLDER": str(binaries), "INK_TEST_JOBS": "2", "CMOCKA_MESSAGE_OUTPUT": "TAP",
                       "INK_TEST_LIGHT": "1", "PYTHONUNBUFFERED": "1", **(more or {})}
        place = pathlib.Path(scratch) / "empty"
        place.mkdir()
        began, failed = time.monotonic(), ""
        # A line at a time, so that the first failure is seen at once.
        with subprocess.Popen(["stdbuf", "-oL", *test.command(program)], cwd=place, env=environment, start_new_session=True,
                              preexec_fn=limit, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace") as process:
            late = threading.Timer(60 + 10 * cpu if cpu else PATIENCE_MAX, os.killpg, (process.pid, signal.SIGKILL))
            late.start()
            for line in process.stdout or ():
                if found := re.match(r"not ok(?! \d+ # SKIP)[ \d]*(?:- )?(.*)$", line):
                    failed = found[1] or "fails"
                    break
            if failed:
                os.killpg(process.pid, signal.SIGKILL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            late.cancel()
        if not failed and process.returncode != 0:
            failed = "does not end" if process.returncode == -signal.SIGKILL else f"ends with {process.returncode}"
        return Run(failed, time.monotonic() - began, usage.ru_utime + usage.ru_stime)


class Reach:
    """Which test reaches which line, in how many seconds. What is known of a test holds until the code or it changes."""

    def __init__(self, tests: list[Test]) -> None:
        code = hashlib.sha256()
        for room in ("src", "cli", "lab", "include", "tests/support"):
            for path in sorted(path for path in (SOURCE / room).rglob("*") if path.is_file()):
                code.update(path.read_bytes())
        known = json.loads(REACH.read_text()) if REACH.exists() else {}
        self.known: dict[str, dict] = {}
        missing = []
        for test in tests:
            source = SOURCE / (test.name if test.name.endswith(".py") else test.name + ".c")
            key = hashlib.sha256(code.digest() + source.read_bytes() + test.case.encode()).hexdigest()
            found = known.get(str(test), {})
            if found.get("key") == key:
                self.known[str(test)] = found
            else:
                missing.append((test, key))
        if missing:
            print(f"# the lines that {len(missing)} tests reach are counted, which takes minutes", flush=True)
            programs = [f"{BUILD}/coverage/{test.name}" for test, _ in missing if not test.name.endswith(".py")]
            subprocess.run(["make", "--no-print-directory", f"-j{CORES}", *COUNTING, "all", *programs], cwd=SOURCE, check=True,
                           stdout=subprocess.DEVNULL)
            with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
                for number, ((test, key), found) in enumerate(zip(missing, pool.map(self.count, [test for test, _ in missing]))):
                    self.known[str(test)] = {"key": key, **found}
                    if number % 16 == 0:  # a run that is ended goes on from there
                        self.save()
            self.save()
        self.tests = [test for test in tests if self.known[str(test)]["lines"]]

    def save(self) -> None:
        REACH.parent.mkdir(parents=True, exist_ok=True)
        made = REACH.with_suffix(".new")
        made.write_text(json.dumps(self.known))
        made.replace(REACH)

    @staticmethod
    def count(test: Test) -> dict:
        with tempfile.TemporaryDirectory(prefix="ink") as folder:
            whole = run(test, OUT / test.name, OUT)
            if whole.failure:
                print(f"# {test} fails without a mutant, and is left out: {whole.failure}", flush=True)
                return {"cpu": whole.cpu, "seconds": whole.seconds, "lines": {}}
            # Here it may fail: counting takes time and memory.
            run(test, COUNTED / test.name, COUNTED, 0, {"GCOV_PREFIX": folder})
            counts = sorted(pathlib.Path(folder).rglob("*.gcda"))
            for count in counts:
                place = COUNTED / count.relative_to(folder + str(COUNTED))
                count.with_suffix(".gcno").symlink_to(place.with_suffix(".gcno"))
            lines: dict[str, list[int]] = {}
            for at in range(0, len(counts), 50):
                printed = subprocess.run(["gcov", "--json-format", "--stdout", *map(str, counts[at:at + 50])], cwd=folder, check=True,
                                      capture_output=True, text=True).stdout
                for document in printed.splitlines():
                    for file in json.loads(document)["files"]:
                        path = os.path.relpath(file["file"], SOURCE) if os.path.isabs(file["file"]) else file["file"]
                        if path.startswith(("src/", "cli/")) and path.endswith(".c"):
                            numbers = {line["line_number"]: line["count"] > 0 for line in file["lines"]}
                            if any(numbers.values()):
                                # A line that has no count belongs to the one before it.
                                lines[path] = [number * (1 if numbers[number] else -1) for number in sorted(numbers)]
            return {"cpu": whole.cpu, "seconds": whole.seconds, "lines": lines}

    def cpu(self, test: Test) -> float:
        return self.known[str(test)]["cpu"]

    def seconds(self, test: Test) -> float:
        """What it costs to run a test: those that wait take a share of the machine as well."""
        return max(self.cpu(test), self.known[str(test)]["seconds"] / 4)

    def runs(self, path: str) -> bool:
        """Whether anything of a file runs here: there are kernels for other machines."""
        return any(path in self.known[str(test)]["lines"] for test in self.tests)

    def of(self, mutant: Mutant) -> list[Test]:
        found = []
        for test in self.tests:
            lines = self.known[str(test)]["lines"].get(mutant.path, [])
            at = bisect.bisect_right(lines, mutant.line + 1, key=abs) - 1
            if (lines and mutant.table) or (at >= 0 and lines[at] > 0):
                found.append(test)
        return found


class Planter:
    """Compiles mutants, links them to tests, and runs these."""

    def __init__(self, reach: Reach, budget: float) -> None:
        self.reach, self.budget = reach, budget
        self.finders: dict[str, collections.Counter[Test]] = collections.defaultdict(collections.Counter)
        self.compilers: dict[str, list[str]] = {}
        self.linkers: dict[str, list[str]] = {}
        self.compiled: dict[str, bytes | None] = {}
        printed = subprocess.run(["make", "-n", "-B", "--no-print-directory", "mutants-programs"], cwd=SOURCE, check=True,
                              capture_output=True, text=True).stdout
        for line in printed.splitlines():
            if compiles := re.search(r" -c ((?:src|cli)/\S+\.c) -o (\S+)$", line):
                if compiles[2].startswith(f"{BUILD}/obj/"):
                    self.compilers[compiles[1]] = [word for word in shlex.split(line) if word not in ("-g", "-MMD", "-MP")]
            elif links := re.search(rf" -o {BUILD}/(tests/\S+|ink)( |$)", line):
                self.linkers[links[1]] = shlex.split(line)

    def compile(self, path: str, text: str, folder: pathlib.Path) -> bytes | None:
        source, made = folder / pathlib.Path(path).name, folder / "mutant.o"
        source.write_text(text)
        command = self.compilers[path]
        at = command.index(path)
        command = [*command[:at - 1], "-iquote", os.path.dirname(path), f"-ffile-prefix-map={folder}=.", "-c", str(source), "-o",
                   str(made)]
        return made.read_bytes() if subprocess.run(command, cwd=SOURCE, capture_output=True, check=False).returncode == 0 else None

    def link(self, name: str, path: str, folder: pathlib.Path) -> bool:
        """A program in which the mutant stands for what was compiled from its file."""
        command = list(self.linkers[name])
        compiled = re.sub(r"^(?:src/)?(.*)\.c$", rf"{BUILD}/obj/\1.o", path)
        if compiled in command:
            command[command.index(compiled)] = str(folder / "mutant.o")
        else:
            command.insert(next(at for at, word in enumerate(command) if word.endswith(".a")), str(folder / "mutant.o"))
        command[command.index("-o") + 1] = str(folder / pathlib.Path(name).name)
        return subprocess.run(command, cwd=SOURCE, capture_output=True, check=False).returncode == 0

    def attempt(self, mutant: Mutant) -> str | None:
        """What finds a mutant; nothing if it survives; None if there is no such program, or no other one."""
        if mutant.path not in self.compilers or not self.reach.runs(mutant.path):
            return None
        text = (SOURCE / mutant.path).read_text()
        lines = text.split("\n")
        line = lines[mutant.line]
        lines[mutant.line] = line[:mutant.start] + mutant.new + line[mutant.end:]
        with tempfile.TemporaryDirectory(prefix="ink") as made:
            folder = pathlib.Path(made)
            if mutant.path not in self.compiled:
                self.compiled[mutant.path] = self.compile(mutant.path, text, folder)
            if self.compile(mutant.path, "\n".join(lines), folder) in (None, self.compiled[mutant.path]):
                return None
            binaries = folder / "build"
            binaries.mkdir()
            for name in OUT.iterdir():
                if name.name != "ink":
                    (binaries / name.name).symlink_to(name)
            return self.find(mutant, folder, binaries)

    def find(self, mutant: Mutant, folder: pathlib.Path, binaries: pathlib.Path) -> str | None:
        spent = 0.0
        for test in self.order(mutant):
            spent += self.reach.seconds(test)
            if self.budget and spent > self.budget:
                break
            program = folder / pathlib.Path(test.name).name
            if test.runs_ink():
                if not (binaries / "ink").exists():
                    if not self.link("ink", mutant.path, folder):
                        return None
                    (folder / "ink").rename(binaries / "ink")
            elif not self.link(test.name, mutant.path, folder):
                return None
            # Twice where chance plays a part: threads, signals, clocks.
            for _ in range(2 if test.runs_ink() or "jobs/" in test.name else 1):
                failed = run(test, program, binaries, 5 + 5 * self.reach.cpu(test)).failure
                if not failed:
                    break
            else:
                self.finders[mutant.path][test] += 1
                return f"{test}: {failed}"
        return ""

    def order(self, mutant: Mutant) -> list[Test]:
        room, name = pathlib.Path(mutant.path).parent, pathlib.Path(mutant.path).stem
        mirrored = f"tests/unit/{room.relative_to('src')}/" if mutant.path.startswith("src/") else "tests/cli/"
        finders = self.finders[mutant.path]

        def rank(test: Test) -> tuple:
            seconds = self.reach.seconds(test)
            near = test.name.startswith(mirrored) and name in test.name
            return not near, seconds / (1 + 4 * finders[test])
        return sorted(self.reach.of(mutant), key=rank)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the choice")
    parser.add_argument("--count", type=int, default=100, help="of mutants")
    parser.add_argument("--skip", type=int, default=0, help="skip the first N of the choice")
    parser.add_argument("--only", action="append", default=[], help="files whose path begins so, such as src/sketch")
    parser.add_argument("--since", default="", help="only lines that were changed since this revision of git")
    parser.add_argument("--random", action="store_true", help="each mutant with the same chance, whatever its operator")
    parser.add_argument("--budget", type=float, default=0, help="seconds of tests for each; 0: all that reach it")
    parser.add_argument("--jobs", type=int, default=CORES, help="mutants at a time")
    parser.add_argument("--list", action="store_true", help="only print which mutants would be tried")
    parser.add_argument("programs", nargs="*", help="tests: programs and scripts")
    options = parser.parse_args()
    chosen = candidates(SOURCE, options.seed, options.only, options.since, options.random)[options.skip:]
    if options.list:
        print("\n".join(map(str, chosen[:options.count])))
        return 0
    planter = Planter(Reach(tests_of(options.programs)), options.budget)
    tried, survived, began = 0, 0, time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        left = iter(chosen)
        going: collections.deque[tuple[Mutant, concurrent.futures.Future]] = collections.deque()
        while tried < options.count:
            for mutant in left:
                going.append((mutant, pool.submit(planter.attempt, mutant)))
                if len(going) >= 3 * options.jobs:
                    break
            if not going:
                break
            mutant, attempt = going.popleft()
            found = attempt.result()
            if found is None:
                print(f"# {mutant}: does not compile or link, compiles to the same, or is for another machine", flush=True)
                continue
            tried += 1
            survived += not found
            print(f"{'ok' if found else 'not ok'} {tried} - {mutant}: {'found by ' + found if found else 'SURVIVED'}", flush=True)
        pool.shutdown(cancel_futures=True)
    low, high = interval(tried - survived, tried) if tried > 0 else (0, 1)
    print(f"1..{tried}\n# mutants: {tried - survived} of {tried} found, --seed {options.seed}, 95 % interval "
          f"{low:.3f} to {high:.3f}, {time.monotonic() - began:.0f} s")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
