#!/usr/bin/env python3
"""Every page of help is whole and fits a terminal, and every example in help and in the manual works as it stands.

Examples are run by sh in a folder with the files that they name, those of one page one after another. Each ink in them
must end with 0 or 1, and may not complain. Prints a TAP line for each page and each example, and exits with the number
that failed.
"""
import gzip
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import help_pages
import tap
from help_pages import INK, ink

# Stands before the program in the PATH, so that the exit code of every ink is known, also in a pipe.
WRAPPER = f"""#!/bin/sh
{shlex.quote(INK)} "$@"
code=$?
echo $code >>"$INK_CODES"
exit $code
"""


def make_files(folder):
    """The files that examples may name."""
    def made(*words):
        subprocess.run([INK, *words], cwd=folder, stdin=subprocess.DEVNULL, check=True)

    def lines(name):
        return (folder / name).read_text().splitlines(keepends=True)

    def write(name, chosen):
        (folder / name).write_text("".join(chosen))

    made("gen", "log", "-n", "5000", "-o", "access.log")
    with gzip.open(folder / "log.gz", "wt", encoding="ascii") as log:
        log.writelines(lines("access.log"))
    for seed, name in enumerate(("words.txt", "new.txt", "a.txt", "b.txt", "mon.txt", "tue.txt")):
        made("gen", "zipf", "-n", "5000", "--seed", str(seed), "-o", name)
    words = sorted(set(lines("words.txt")))
    write("gone.txt", words[::50])
    write("keys.txt", words[::100])
    write("more.txt", lines("words.txt")[::10] + lines("new.txt")[::10])
    os.remove(folder / "new.txt")
    ratings = subprocess.Popen([INK, "gen", "imdb"], stdout=subprocess.PIPE, text=True)
    write("ratings.tsv", [ratings.stdout.readline() for _ in range(10001)])
    ratings.stdout.close()
    assert ratings.wait() == 0
    for number, name in enumerate(("crawl", "monday", "tuesday")):
        (folder / name).mkdir()
        for part in range(2):
            texts = [f"document {i * (number + part + 1) % 97}\nwith a line" for i in range(100)]
            write(f"{name}/{part}.jsonl", [json.dumps({"text": text}) + "\n" for text in texts])
    with gzip.open(folder / "events.jsonl.gz", "wt", encoding="ascii") as events:
        events.writelines(json.dumps({"user": {"id": f"u{i * i % 997}"}, "page": i % 7}) + "\n" for i in range(2000))
    write("sales.csv", ["shop,item,amount\n"] + [f"s{i % 5},item {i * i % 89},{1 + i % 9}\n" for i in range(2000)])
    for kind in ("count-min", "top", "hll", "counting"):
        made("build", kind, "-o", "count.ink" if kind == "count-min" else f"{kind}.ink", "words.txt")
    made("build", "bloom", "--headroom", "4x", "-o", "words.ink", "words.txt")
    made("build", "bloom", "--header", "--key", "tconst", "--by", "averageRating", "--round", "half-even",
         "-o", "ratings.ink", "ratings.tsv")
    made("build", "--as", "spark-v1", "-o", "users.bin", "words.txt")
    for part, data in ((1, "mon.txt"), (2, "tue.txt")):
        made("build", "bloom", "-n", "1e4", "-o", f"part-{part}.ink", data)


def whole_lines(text):
    """The commands of examples: lines that go on are one, comments alone are none."""
    joined = re.sub(r"\\\n\s*", "", text)
    return [line for line in joined.split("\n") if line.strip() and not line.lstrip().startswith("#")]


def run_line(line, folder, tools):
    """Runs one example; says what is wrong with it."""
    codes = tools / "codes"
    codes.write_text("")
    variables = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}", INK_CODES=str(codes), LC_ALL="C", TERM="dumb")
    done = subprocess.run(["sh", "-e", "-c", line], cwd=folder, env=variables, stdin=subprocess.DEVNULL,
                          capture_output=True, check=False, timeout=60)
    said = done.stderr.decode("utf-8", "replace")
    ended = [int(code) for code in codes.read_text().split()]
    assert ended, "no ink was run"
    assert done.returncode in (0, 1) and set(ended) <= {0, 1}, f"exit codes {done.returncode}, {ended}: {said}"
    # A note goes with 0; a line with 1 is a refusal, which an example may show if it goes on after it.
    assert 1 not in ended or "ink:" not in said or "||" in line, said
    assert "not found" not in said, said


def page_is_whole(name, page):
    """A page of help has all its parts, within 80 columns."""
    wide = [line for line in page.splitlines() if len(line) > 80]
    assert not wide, f"wider than 80 columns: {wide}"
    assert help_pages.examples(page), "no examples"
    first, about = page.split("\n\n")[:2]
    assert re.match(r"[A-Z].*\.$", about.replace("\n", " ")), f"what it is about is no message: {about!r}"
    if name not in help_pages.commands():
        return
    assert re.match(rf"usage: ink {name}\b", first), first
    codes = help_pages.sections(page)["exit codes"]
    assert re.match(r"0  \S", codes[0]), codes
    assert f"man ink-{name}" in " ".join(page.split("\nsee also: ")[1].split()), page


def overview_is_short():
    """The list of commands is seen at a glance."""
    lines = ink("help").splitlines()
    assert len(lines) <= 34 and max(map(len, lines)) <= 80, (len(lines), max(map(len, lines)))
    assert "man ink" in lines[-1], lines[-1]


def examples_of_manual():
    """Those of ink(1), which no page of help has."""
    text = re.search(r"^\.EX\n(.*?)^\.EE$", ink("help", "--man"), re.M | re.S).group(1)
    for escape, plain in ((r"\-", "-"), (r"\(aq", "'"), (r"\(ti", "~"), (r"\(ha", "^"), (r"\e", "\\")):
        text = text.replace(escape, plain)
    return text


def tests(scratch):
    """All pages, then all examples."""
    parts = [("ink(1)", examples_of_manual())]
    yield "the list of commands is seen at a glance", overview_is_short
    for name in dict.fromkeys(help_pages.commands() + help_pages.kinds()):
        page = ink("help", name)
        yield f"help {name} is whole, within 80 columns", page_is_whole, name, page
        parts += [(name, part) for part in help_pages.examples(page)]
    folder, tools = scratch / "files", scratch / "tools"
    folder.mkdir()
    tools.mkdir()
    (tools / "ink").write_text(WRAPPER)
    (tools / "ink").chmod(0o755)
    make_files(folder)
    for number, (name, part) in enumerate(parts):
        copy = scratch / str(number)
        shutil.copytree(folder, copy)
        for line in whole_lines(part):
            yield f"{name}: {line}", run_line, line, copy, tools
        shutil.rmtree(copy)


def main():
    with tempfile.TemporaryDirectory(prefix="ink-examples-") as scratch:
        return tap.run_cases(tests(pathlib.Path(scratch)))


if __name__ == "__main__":
    sys.exit(main())
