#!/usr/bin/env python3
"""Manual pages are correct roff, and say what help says: read by mandoc, which knows nothing of how they were made.

Prints a TAP line for each page and exits with the number that failed.
"""
import pathlib
import re
import subprocess
import sys

import help_pages
import tap
from help_pages import ink

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TASK = ROOT / "cli/hadoop/task.c"
SECTIONS = ("NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "EXIT STATUS", "SEE ALSO")


def mandoc(page, *words):
    """What mandoc makes of a page."""
    done = subprocess.run(["mandoc", *words], input=page, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def rendered(page):
    """The sections of a page as a reader sees them, without bold and italics, set out again."""
    text = re.sub(".\b", "", mandoc(page, "-T", "utf8", "-O", "width=120"))
    found, title = {}, None
    for line in text.splitlines()[1:-1]:  # without its first and last line
        if re.match(r"[A-Z]", line):
            title = line
            found[title] = []
        elif title is not None:
            found[title].append(line[7:])
    return {title: "\n".join(lines).strip("\n") for title, lines in found.items()}


def is_correct(page):
    """What holds for every page."""
    mandoc(page, "-T", "lint", "-W", "warning")
    wrong = [line for line in page.splitlines() if re.search(r"(?<!\\)-", re.sub(r'^\.(\\"|TH) .*', "", line))]
    assert not wrong, f"a hyphen, expected a minus: {wrong}"
    seen = rendered(page)
    assert set(SECTIONS) <= set(seen), list(seen)
    return seen


def options_of(text):
    """The options that a rendered section begins paragraphs with."""
    found = []
    for line in re.findall(r"^-.*", text, re.M):
        found += [name for name in re.match(r"(-[a-zA-Z])?(?:, )?(--[a-z-]+)?", line).groups() if name]
    return found


def check_command(name):
    """The page of a command says what its help says."""
    page = ink("help", name)
    seen = is_correct(ink("help", "--man", name))
    assert seen["NAME"].startswith(f"ink-{name} - "), seen["NAME"]
    assert seen["NAME"].split(" - ")[1] in ink("help"), seen["NAME"]
    usage = re.match(r"usage: (.*?)\n\n", page, re.S).group(1)
    assert seen["SYNOPSIS"].split() == usage.split(), (seen["SYNOPSIS"], usage)
    about = page.split("\n\n")[1]
    assert seen["DESCRIPTION"].split() == about.split(), (seen["DESCRIPTION"], about)
    assert seen["EXAMPLES"] == help_pages.examples(page)[0], (seen["EXAMPLES"], help_pages.examples(page)[0])
    own = page.split("\nexamples:\n")[0]  # the kind top has options too
    assert options_of(seen.get("OPTIONS", "")) == help_pages.options(own), seen.get("OPTIONS")


def variables_read():
    """The environment variables that the sources ask for, by name or from a list of names."""
    found = set()
    for path in (*ROOT.glob("cli/**/*.c"), *ROOT.glob("src/**/*.c")):
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"(?:\bgetenv|->environment)\(([^()]*)\)", text):
            listed = re.search(rf"\b{re.escape(name.split('[')[0])}\[\] = \{{([^}}]*)\}}", text)
            if name.startswith('"'):
                found.add(name.strip('"'))
            elif path == TASK:  # which passes on a literal, or one of the names that its header defines
                both = text + TASK.with_suffix(".h").read_text(encoding="utf-8")
                calls = re.findall(r"\bvariable\(([^()]*)\)", text) + re.findall(r"#define TASK_\w+ .*", both)
                found.update(name for call in calls for name in re.findall(r'"([^"]*)"', call))
            elif listed:
                found.update(re.findall(r'"([^"]*)"', listed.group(1)))
            else:  # only the seam passes on what it is asked for
                assert path == ROOT / "src/base/system.c", f"{path}: which variable is {name}?"
    assert "TMPDIR" in found, found
    return sorted(found)


def check_overview():
    """The page of ink names every command, kind, exit code and environment variable."""
    seen = is_correct(ink("help", "--man"))
    for name in help_pages.commands():
        assert re.search(rf"^{name}\b", seen["COMMANDS"], re.M), name
        assert f"ink-{name}(1)" in seen["SEE ALSO"], name
    for name in help_pages.kinds():
        assert re.search(rf"^{name}\b", seen["KINDS OF SKETCHES"], re.M), name
    assert re.findall(r"^\d", seen["EXIT STATUS"], re.M) == list("012345"), seen["EXIT STATUS"]
    named = re.findall(r"\w+", " ".join(re.findall(r"^\w+(?:, \w+)*", seen["ENVIRONMENT"], re.M)))
    assert sorted(named) == sorted(variables_read()), f"names {sorted(named)}, the sources read {variables_read()}"


def tests():
    """One for each page."""
    message = "(1) is correct, and says what help says"
    yield "ink" + message, check_overview
    for name in help_pages.commands():
        yield f"ink-{name}" + message, check_command, name


if __name__ == "__main__":
    sys.exit(tap.run_cases(tests()))
