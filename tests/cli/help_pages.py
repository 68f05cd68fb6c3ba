"""Pages of `ink help`, taken apart: for the tests that compare them with manuals, completion and the command itself.

The environment names the folder of the program: INK_BINARY_FOLDER, else that of INK_LIBRARY.
"""
import os
import re
import subprocess

FOLDER = os.path.abspath(os.environ.get("INK_BINARY_FOLDER") or os.path.dirname(os.environ["INK_LIBRARY"]))
INK = os.path.join(FOLDER, "ink")


def ink(*words):
    """What ink prints; it must end with 0 and say nothing else."""
    done = subprocess.run([INK, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), (words, done.returncode, done.stderr)
    return done.stdout


def commands():
    """The names of all commands, as the list of them has them."""
    found = re.findall(r"^  (?:[a-z]+ +| +)([a-z]+)  +\S", ink("help"), re.M)
    assert "build" in found and "version" in found, found
    return found


def kinds():
    """The kinds of sketches, as the help of build lists them."""
    found = [line.split()[0] for line in sections(ink("help", "build"))["kinds"]]
    assert "bloom" in found and "hll" in found, found
    return found


def sections(page):
    """The lines below each title of a page ("title:" at the margin), set out again."""
    found, title = {}, None
    for line in page.splitlines():
        if re.fullmatch(r"[a-z ]+:", line):
            title = line[:-1]
            found.setdefault(title, [])
        elif title is not None and line.startswith("  "):
            found[title].append(line[2:])
        elif line:
            title = None
    return found


def options(page):
    """The options that a page lists, as they are typed."""
    found = []
    for lines in sections(page).values():
        for line in lines:
            match = re.match(r"(-[a-zA-Z])?(?:, |    )?(--[a-z-]+)?(?=[ \[]|$)", line)
            found += [name for name in match.groups() if name] if match else []
    return found


def examples(page):
    """The examples of each part of a page, line by line; a line that ends with a backslash goes on in the next."""
    found = []
    for part in page.split("\nexamples:\n")[1:]:
        lines = part.split("\n\n")[0].rstrip("\n").split("\n")
        assert all(line.startswith("  ") for line in lines), lines
        found.append("\n".join(line[2:] for line in lines))
    return found
