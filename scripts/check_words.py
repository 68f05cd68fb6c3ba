#!/usr/bin/env python3
"""Keeps the field's words: names, comments, messages and documents use the terms that readers of this field know.

Each row of WORDS is a word that was ours, the field's word for it, and where it may stand all the same. A word is
found in prose and as a part of a name (`gate`, `ink__gate_open`). Prints one TAP line for each row, with the lines
that break it after it, and exits with the number of rows that are broken.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What is read: sources, adapters and documents. Not tests/golden, whose names are part of the promise, not what the
# fuzzer found, and not the table of old names beside new ones.
READ = ("src", "cli", "include", "lab", "adapters", "docs", "examples", "bench", "scripts", "Makefile", "*.md")
NOT_READ = ("CHANGELOG.md", "scripts/check_words.py")
TEXT = (".c", ".h", ".py", ".md", ".sh", ".html", ".css", ".js", "Makefile", ".in", ".toml")

# Word (as a pattern), the field's word, and patterns of what is allowed around it.
WORDS = [
    (r"sentences?", "message", []),
    (r"gates?", "mutex", [r"gates? (of|to) (a|the) (network|building)"]),
    (r"bells?", "condition", []),
    (r"strangers?", "non-member", []),
    (r"verdicts?", "verification result", [r"\.verdict\b", r"\? \"verdict\""]),  # the name of a file
    (r"recipes?", "input spec", []),
    (r"labellers?", "label hasher", []),
    (r"askers?", "client session", []),
    (r"conversations?", "query server", []),
    (r"reliev(e|es|ed|ing)", "flush", []),
    (r"weav(e|es|ed|ing)|woven", "prefetch", []),
    (r"stretch(es|ed)?", "segment", []),
    (r"regulars", "files", []),
    (r"wires", "TCP clients", []),
    (r"whoever|whomever", "the caller, a client, or the subject itself", []),
    (r"nobody", "no one, or the subject itself", []),
    (r"somebody", "another thread, a caller ...", []),
    (r"so many times", "N times", []),
    (r"what it comes to", "the total", []),
    (r"wrong maybes?|wrong no", "false positive, false negative", []),
]


def files():
    listing = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *READ],
                             cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listing.split("\n"):
        path = ROOT / name
        if name and name not in NOT_READ and name.endswith(TEXT) and path.is_file():
            yield name, path.read_text(encoding="utf-8", errors="replace")


def found(word, allowed, texts):
    pattern = re.compile(rf"(?<![A-Za-z])(?:{word})(?![A-Za-z])", re.I)
    for name, text in texts:
        for number, line in enumerate(text.split("\n"), 1):
            if pattern.search(line) and not any(re.search(a, line, re.I) for a in allowed):
                yield f"{name}:{number}: {line.strip()[:100]}"


def main():
    texts = list(files())
    failed = 0
    for number, (word, better, allowed) in enumerate(WORDS, 1):
        lines = list(found(word, allowed, texts))
        print(f"{'not ok' if lines else 'ok'} {number} - {word}: the field's word is {better}")
        for line in lines:
            print(f"#   {line}")
        failed += bool(lines)
    print(f"1..{len(WORDS)}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
