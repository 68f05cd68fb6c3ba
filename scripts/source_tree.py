"""What the C sources include, declare and call, for the scripts that check them.

A module is a .c file and its header, named without the ending: src/base/text. What a module includes is read
from its text; what it calls is read from the symbols of its objects, where a build has made them: a private
header that several files implement hides calls from includes.
"""
import functools
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOPS = ("src", "cli", "lab")
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')


def sources(folder):
    return sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in (".c", ".h"))


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def module_of(path):
    return name_of(path.with_suffix(""))


def folder_of(module):
    return module.rsplit("/", 1)[0]


PARTS = re.compile(r"""(#\s*include\s+"[^"\n]+"|'(?:\\.|[^'\\\n])+')|(/\*.*?\*/)|"(?:\\.|[^"\\\n])*\"""", re.S)


@functools.lru_cache(None)
def code(path):
    """The text of a file without comments and with empty strings, line by line as it was."""
    return PARTS.sub(lambda m: m.group(1) or ("\n" * m.group(2).count("\n") if m.group(2) else '""'), path.read_text())


@functools.lru_cache(None)
def includes(path):
    """Line, quote and header of each include."""
    found = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            found.append((number, match.group(1), match.group(2)))
    return found


@functools.lru_cache(None)
def header_at(path, header):
    """The file that an include of this tree names, as the Makefile has the compiler look for it."""
    top = name_of(path).split("/")[0]
    for folder in (path.parent, ROOT / "include", *((ROOT / "cli", ROOT / "lab") if top == "cli" else (ROOT / top,))):
        if (folder / header).exists():
            return folder / header
    return None


def calls(objects):
    """For each module that was compiled below this folder the modules whose symbols it uses, each with one
    such symbol."""
    defined, wanted = {}, {}
    for path in sorted(objects.rglob("*.o")):
        place = path.relative_to(objects).with_suffix("").as_posix()
        module = place if place.split("/")[0] in TOPS else f"src/{place}"
        if not (ROOT / f"{module}.c").exists():
            continue
        listing = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
        for line in listing.splitlines():
            *_, letter, symbol = line.split()
            if letter == "U":
                wanted.setdefault(module, []).append(symbol)
            elif letter.isupper():
                defined[symbol] = module
    return {module: {defined[s]: s for s in symbols if defined.get(s, module) != module}
            for module, symbols in wanted.items()}


def arrows(objects=None):
    """For each module the modules that it includes or calls, each with the first reason."""
    found = {}
    for top in TOPS:
        for path in sources(top):
            module = module_of(path)
            reasons = found.setdefault(module, {})
            for number, quote, header in includes(path):
                target = header_at(path, header) if quote == '"' else None
                if target and target.parent != ROOT / "include" and module_of(target) != module:
                    reasons.setdefault(module_of(target), f"{name_of(path)}:{number} includes {header}")
    for module, targets in (calls(objects) if objects else {}).items():
        for target, symbol in targets.items():
            found[module].setdefault(target, f"{module}.c calls {symbol}")
    return found


def circles(graph):
    """The sets of nodes that reach each other, of more than one node."""
    order, seen = [], set()

    def visit(start, following, out):
        stack = [(start, iter(following(start)))]
        seen.add(start)
        while stack:
            node, rest = stack[-1]
            following_one = next((n for n in rest if n not in seen), None)
            if following_one is None:
                stack.pop()
                out.append(node)
            else:
                seen.add(following_one)
                stack.append((following_one, iter(following(following_one))))

    for node in graph:
        if node not in seen:
            visit(node, lambda n: graph.get(n, ()), order)
    back = {}
    for node, targets in graph.items():
        for target in targets:
            back.setdefault(target, []).append(node)
    seen.clear()
    for node in reversed(order):
        if node not in seen:
            members = []
            visit(node, lambda n: back.get(n, ()), members)
            if len(members) > 1:
                yield sorted(members)


# What standard headers declare, as far as this tree uses them.
STANDARD = {
    "errno.h": r"errno|E[A-Z0-9]+", "float.h": r"(DBL|FLT)_\w+", "inttypes.h": r"(PRI|SCN)\w+|imax\w+|strto[iu]max",
    "limits.h": r"[A-Z]+_(MAX|MIN)|CHAR_BIT", "math.h": r"[a-z]+[0-9]?[a-z]*f?|INFINITY|NAN|HUGE_VAL",
    "signal.h": r"sig\w+|SIG\w+|raise|kill", "stdarg.h": r"va_\w+",
    "stdatomic.h": r"atomic_\w+|_Atomic|memory_order\w*|ATOMIC_\w+", "stdbool.h": r"bool|true|false",
    "stddef.h": r"size_t|NULL|offsetof|ptrdiff_t|max_align_t", "stdint.h": r"u?int\w*_t|U?INT\w*|SIZE_MAX|PTRDIFF_MAX",
    "stdio.h": r"\w*printf|\w*put[cs]\w*|f\w+|FILE|std(in|out|err)|EOF|BUFSIZ|getc\w*|remove|rename|perror|\w*scanf|set\w*buf",
    "stdlib.h": r"\w*alloc|free|\w*exit|EXIT_\w+|getenv|\w*setenv|strto\w+|qsort|bsearch|abort|abs|mk\w*temp\w*|realpath|ato\w+|size_t|NULL",
    "string.h": r"mem\w+|str\w+", "time.h": r"time\w*|tm|clock\w*|\w*time(_r)?|nanosleep|struct_timespec|CLOCK_\w+",
    "unistd.h": r"[a-z_0-9]+|STD\w+_FILENO|_SC_\w+|[FRWX]_OK",
}


@functools.lru_cache(None)
def declares(path):
    """The names that a header declares."""
    text = code(path)
    names = set(re.findall(r"^\s*#\s*define\s+(\w+)", text, re.M))
    text = re.sub(r"^\s*#.*?(?<!\\)$", "", text, flags=re.M | re.S)
    text = re.sub(r'extern\s*""\s*\{', "", text)  # for C++
    for body in re.findall(r"\benum\b[^{;()]*\{([^}]*)\}", text):
        names.update(re.findall(r"(?:^|,)\s*(\w+)", body))
    names.update(re.findall(r"\b(?:struct|union|enum)\s+(\w+)\s*\{", text))
    while True:  # without what stands in braces, innermost first
        text, count = re.subn(r"\{[^{}]*\}", " ; ", text)
        if not count:
            break
    names.update(re.findall(r"\b(\w+)\s*\(", text))
    names.update(re.findall(r"\(\s*\*\s*(?:const\s+)?(\w+)\s*\)", text))
    names.update(re.findall(r"(\w+)\s*(?:\[[^\]]*\]\s*)*;", text))
    names.update(re.findall(r"\btypedef\s+(?:struct|union|enum)\s+(\w+)\s+\w+", text))
    return names - {"if", "while", "for", "return", "sizeof", "switch", "defined"}


@functools.lru_cache(None)
def words(path):
    return set(re.findall(r"\w+", re.sub(r"^\s*#\s*include.*$", "", code(path), flags=re.M)))


def unused_includes(path):
    """The includes of a file that declare nothing which it uses."""
    used = words(path)
    for number, quote, header in includes(path):
        if quote == "<":
            names = STANDARD.get(header)
            if names and not any(re.fullmatch(names, word) for word in used):
                yield number, header
            continue
        target = header_at(path, header)
        if target and target.suffix == ".h" and target.with_suffix("") != path.with_suffix("") and \
                not declares(target) & used:
            yield number, header
