#!/usr/bin/env python3
"""Keeps the field's words: names, comments, messages and documents use the terms that readers of this field know.

Each row of WORDS is a word that was ours, the field's word for it, texts in which it is found, and where it may stand
all the same. A word is found in prose and as a part of a name (`gate`, `ink__gate_open`, `sketchGate`). Prints one TAP
line for each row, with the offending lines after it; exits with the number of rows that are broken.
"""
import re
import subprocess
import sys

from source_tree import ROOT

# What is read: sources, adapters, documents, and the tests of no single folder of src and cli. Not tests/golden, whose
# names are part of the format's promise, and not the table of old names beside new ones.
TESTS = ("faults", "torture", "support", "stream", "lab", "page", "install", "speed", "spec_reader", "examples")
READ = ("src", "cli", "include", "lab", "adapters", "docs", "examples", "bench", "scripts", "packaging", "Makefile", "*.md",
        *(f"tests/{folder}" for folder in TESTS))
NOT_READ = ("CHANGELOG.md", "scripts/check_words.py")
TEXT = (".c", ".h", ".py", ".md", ".sh", ".html", ".css", ".js", "Makefile", ".mk", ".in", ".toml", ".java", ".go", ".rs")

# Where any of these words may stand: a pattern, and a text that it lets pass. A text is "path:line".
ANYWHERE = [
    # docs/trust.md quotes names of tests, also of those that are not read here.
    (r"`(tests/[\w./]+: )?[a-z]+(_[a-z0-9]+){3,}`", "`tests/jobs/stream_test.c: whoever_is_killed_leaves_no_lock`"),
    # Documents show what the command prints, which is read where it is written.
    (r"(?<=\.md:)ink: .*", "docs/faq.md:ink: cut.ink: its header tells of a directory of 128 bytes"),
]

# The word as a pattern, the field's word, texts in which it is found, and exceptions as in ANYWHERE.
WORDS = [
    (r"sentences?", "message", "ink__sentence_of, SENTENCE_BYTES, sentences", []),
    (r"gates?", "mutex, lock", "ink__gate_open, sketch._gate, sketchGate", []),
    (r"bells?", "condition", "ring_bell, bells", []),
    (r"strangers?", "non-member", "strangers, STRANGER_COUNT", [
        # A key of the golden sketches.
        (r'b"stranger"', 'sketch.count(b"stranger")'),
    ]),
    (r"verdicts?", "verification result", "ink_verdict, verdicts.c, OneVerdict", [
        # The suffix of what reducers of `ink reduce --verify` write, and files of that content in tests.
        (r'\.verdict\b|\? "verdict"', "part-00000.verdict"),
        (r'"verdict < |--assemble verdict ', "reduce --verify bloom.ink --assemble verdict --threads 1"),
    ]),
    (r"recipes?", "input spec", "ink_recipe_read, recipes", [
        # Bytes of a section in golden and hostile files, and fuzz targets by their published name.
        (r'"(a )?recipe"', 'Section(1, b"recipe", True)'),
        (r"sections-recipe", '"sections-recipe"'),
        # Short programs to copy from a manual.
        (r"(?<=:)# Recipes$|\bten recipes\b", "docs/python.md:# Recipes"),
    ]),
    (r"labellers?", "label hasher", "ink__labeller, labellers", []),
    (r"askers?", "client session", "asker, ASKERS", []),
    (r"conversations?", "query server", "conversation, conversations.h", []),
    (r"reliev(e|es|ed|ing)", "flush", "relieve, ink__relieved", []),
    (r"weav(e|es|ed|ing)|woven", "prefetch", "weave, woven, ink__weaves", []),
    (r"stretch(es|ed)?", "segment", "stretches, ink__stretch", []),
    (r"regulars", "files", "live/regulars.c, regulars", []),
    (r"wires", "TCP clients", "wires, live_wires", []),
    (r"unit(e|es|ed|ing)", "union, merge", "ink_unite_files, united", []),
    (r"halves of (a|the|one) job", "map and reduce", "the halves of a job", []),
    (r"(asked|present) rates?|(asked|present)_rates?", "target rate, current rate", "asked_rate, the present rate", [
        # Names of the golden sidecars.
        (r"(?<=tests/spec_reader/)(.*)asked_rate", 'tests/spec_reader/samples.py:    "asked_rate": 0.01'),
    ]),
    (r"wrong maybes?|wrong no", "false positive, false negative", "a wrong no, wrong maybes", []),
    (r"who(m)?ever", "the caller, a client, or the subject itself", "whoever, whomever", []),
    (r"nobody", "no one, or the subject itself", "nobody, nobody_reads", [
        # Names that are in no data.
        (r'"nobody\w*"|nobody\{|\$\{nobody\}|-e nobody', 'key="nobody"'),
    ]),
    (r"somebody", "another thread, a caller ...", "somebody", [
        # Bytes of a section in golden files.
        (r'"of somebody else"', 'put_section(c, 77, false, "of somebody else")'),
    ]),
    (r"so[ _]many", "N, or the number by its name", "so many, so_many", []),
    (r"what (it|they|that) comes? to", "the total", "what it comes to", []),
    (r"behind", "after", "behind, bytes_behind", [
        (r"(leave|leaves|left|leaving)( \w+){0,2} behind|left_behind|leave_\w+_behind", "a file that was left behind"),
        # Networks have a front and a back, and so have letters on a page.
        (r"behind (a|the|this) (proxy|router|firewall|NAT)|listened to behind", "a server behind a proxy"),
        (r"to what is behind it, as WCAG", "a contrast to what is behind it, as WCAG 2 asks for"),
    ]),
    (r"told", "reported, or the subject itself", "told, is_told", []),
    (r"tells", "reports, shows, says", "tells", []),
]


def plain(text):
    """Small letters; names in camel case are taken apart."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", text).lower()


def found(word, allowed, line, name=""):
    """Whether a line has the word other than in an exception."""
    text = f"{name}:{line}" if name else line
    for exception, _ in allowed + ANYWHERE:
        text = re.sub(exception, "", text)
    return re.search(rf"(?<![a-z])(?:{word})(?![a-z])", plain(text.removeprefix(f"{name}:"))) is not None


def files():
    """Names, lines, and the text as `plain`, by which files without a word are passed over at once."""
    listing = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *READ],
                             cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listing.split("\n"):
        path = ROOT / name
        if name and name not in NOT_READ and name.endswith(TEXT) and path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            yield name, text.split("\n"), plain(text)


def broken(word, allowed, texts):
    for name, lines, text in texts:
        if found(word, allowed, name):
            yield f"{name}: the file's name"
        if re.search(word, text):
            yield from (f"{name}:{number}: {line.strip()[:100]}"
                        for number, line in enumerate(lines, 1) if found(word, allowed, line, name))


def untested():
    """Words that are not found where they stand, and exceptions that are not let pass or that no word needs."""
    for word, _, samples, allowed in WORDS:
        yield from (f"{word}: not found in {text!r}" for text in samples.split(", ") if not found(word, allowed, text))
        for exception, text in allowed:
            if found(word, allowed, text) or not found(word, [], text) or not re.search(exception, text):
                yield f"{word}: the exception {exception} does not let pass {text!r}"
    for exception, text in ANYWHERE:
        if any(found(word, [], text) for word, *_ in WORDS):
            yield f"the exception {exception} does not let pass {text!r}"


def main():
    texts = list(files())
    failed = 0
    rows = [("the words and exceptions of this list are recognised", list(untested()))]
    rows += [(f"{word}: the field's word is {better}", list(broken(word, allowed, texts)))
             for word, better, _, allowed in WORDS]
    for number, (rule, lines) in enumerate(rows, 1):
        print(f"{'not ok' if lines else 'ok'} {number} - {rule}")
        for line in lines:
            print(f"#   {line}")
        failed += bool(lines)
    print(f"1..{len(rows)}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
