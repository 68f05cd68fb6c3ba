#!/usr/bin/env python3
"""Runs the transcripts of the command: tests/cli/COMMAND/CASE.t, what was typed and what came back.

    # The first comment is the message of the case.
    $ ink version
    ink 0.1.0
    $ ink bild
    !2 ink: no command bild, did you mean build; see ink help

A line with `$ ` is run by sh in an empty folder of the case, with `ink` on the PATH; lines with `> ` right
after it belong to it; $GOLDEN is the folder of golden files. Then come the lines of standard output,
those of standard error with `! `. An exit code N that is not 0 is in the last of these, as `!N `; without
one it is a line `? N`. `[...]` stands for anything within a line. A line of output that begins like one of these marks has a backslash before it; one without a line
end is followed by ` [no line end]`.

A case with the comment `# Not with sanitizers.` is left out where the program carries one.

The ```console blocks of README.md, and of each page of docs/ that has some, are one more case; there standard
error is shown as on a terminal, between the lines of standard output, without a mark, and build/ is the folder of
the program.

The environment names the folder of the program: INK_BINARY_FOLDER, else that of INK_LIBRARY.
    run_transcripts.py [--update] [COMMAND/CASE ...]
runs as many cases at a time as there are cores (INK_TEST_JOBS says otherwise), prints a TAP line for each in
order, and exits with the number that failed; --update writes what came into the transcripts instead, for a
person to look at.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import tap

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGES = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
         if "\n```console\n" in page.read_text(encoding="utf-8")]
MARK = re.compile(r"[$>?#] |!\d* |\\")
NO_END = " [no line end]"
SECONDS = 120


def environment():
    """What commands see: nothing of the terminal or the language of the user."""
    folder = os.environ.get("INK_BINARY_FOLDER")
    if not folder and "INK_LIBRARY" in os.environ:
        folder = os.path.dirname(os.environ["INK_LIBRARY"])
    if not folder or not os.access(os.path.join(folder, "ink"), os.X_OK):
        sys.exit(f"run_transcripts.py: no program ink in {folder}; INK_BINARY_FOLDER names its folder")
    found = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TMPDIR")}
    found.update(PATH=f"{os.path.abspath(folder)}:{os.environ['PATH']}", LC_ALL="C", TERM="dumb",
                 GOLDEN=str(HERE.parent / "golden"))
    return found


class Step:
    """A command and the lines that are expected of it."""

    def __init__(self, command):
        self.command = command
        self.expected = []


def parse(text):
    """The lines before the first command, and the steps."""
    head, steps = [], []
    for line in text.split("\n")[:-1] if text.endswith("\n") else text.split("\n"):
        if line.startswith("$ "):
            steps.append(Step(line[2:]))
        elif not steps:
            head.append(line)
        elif line.startswith("> ") and not steps[-1].expected:
            steps[-1].command += "\n" + line[2:]
        else:
            steps[-1].expected.append(line)
    for step in steps:
        step.expected = compact(step.expected)
    return head, steps


def compact(lines):
    """The exit code in the last line of standard error, if there is one."""
    if len(lines) > 1 and lines[-1].startswith("? ") and lines[-2].startswith("! "):
        return [*lines[:-2], f"!{lines[-1][2:]} {lines[-2][2:]}"]
    return lines


def as_lines(output, mark):
    """Output as it stands in a transcript."""
    if not output:
        return []
    text = output.decode("utf-8", "backslashreplace")
    ended = text.endswith("\n")
    lines = text[:-1].split("\n") if ended else text.split("\n")
    if not mark:
        lines = ["\\" + line if MARK.match(line) else line for line in lines]
    lines = [(mark + line).rstrip(" ") if not line else mark + line for line in lines]
    if not ended:
        lines[-1] += NO_END
    return lines


def run(step, folder, variables, together):
    """The lines that come of a step; `together`: those of both outputs, as they come."""
    with subprocess.Popen(["sh", "-c", step.command], cwd=folder, env=variables, start_new_session=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT if together else subprocess.PIPE) as shell:
        try:
            said, complained = shell.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(shell.pid, signal.SIGKILL)  # what it has started too
            raise
    code = shell.returncode if shell.returncode >= 0 else 128 - shell.returncode
    return compact(as_lines(said, "") + as_lines(complained or b"", "! ") + ([f"? {code}"] if code else []))


def fits(expected, found):
    """Whether a line is what a transcript says."""
    pattern = ".*".join(re.escape(part) for part in expected.split("[...]"))
    return re.fullmatch(pattern, found, re.S) is not None


def compare(step, found):
    """What differs, as a few lines."""
    if len(step.expected) == len(found) and all(map(fits, step.expected, found)):
        return []
    differences = [f"$ {step.command}"]
    for number in range(max(len(step.expected), len(found))):
        wanted = step.expected[number] if number < len(step.expected) else None
        came = found[number] if number < len(found) else None
        if wanted is not None and came is not None and fits(wanted, came):
            continue
        differences += [f"- {wanted}"] * (wanted is not None) + [f"+ {came}"] * (came is not None)
    return differences


def updated(step, found):
    """The lines for the transcript: old ones that fit stay, for the sake of their [...]."""
    old = step.expected
    return [old[i] if i < len(old) and fits(old[i], line) else line for i, line in enumerate(found)]


def shown_blocks(path):
    """The blocks of a page that show the command, as one case."""
    return "".join(re.findall(r"^```console\n(.*?)^```$", path.read_text(encoding="utf-8"), re.S | re.M))


def run_case(path, variables, update):
    """What differs in a case; an empty list if nothing does."""
    shown = path in PAGES
    head, steps = parse(shown_blocks(path) if shown else path.read_text(encoding="utf-8"))
    folder = tempfile.mkdtemp(prefix="ink-cli-")
    if shown:
        os.symlink(variables["PATH"].split(":")[0], os.path.join(folder, "build"))
    differences, written = [], list(head)
    try:
        for step in steps:
            try:
                found = run(step, folder, variables, shown)
            except subprocess.TimeoutExpired:
                found = [f"it took longer than {SECONDS} s"]
            differences += compare(step, found)
            written += ["$ " + step.command.replace("\n", "\n> ")] + updated(step, found)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if update and not shown:
        path.write_text("\n".join(written) + "\n", encoding="utf-8")
    if not steps:
        differences.append("no command in this case")
    return differences


def message(path):
    """The first comment of a case."""
    if path in PAGES:
        return "what it shows of the command is what is printed"
    first = path.read_text(encoding="utf-8").split("\n", 1)[0]
    return first[2:] if first.startswith("# ") else path.stem


def report(path, variables, update, left_out):
    """The words before the number of a case, those after it, and what differs."""
    text = message(path)
    folder = path.stem if path in PAGES else path.parent.name
    if left_out and "\n# Not with sanitizers." in path.read_text(encoding="utf-8"):
        return "ok", f"{folder}: {text} # SKIP not with sanitizers", []
    differences = run_case(path, variables, update)
    if update:
        differences = []
    return "not ok" if differences else "ok", f"{folder}: {text}", differences


def main(arguments):
    """One TAP line for each case, in order."""
    update = "--update" in arguments
    wanted = [word for word in arguments if not word.startswith("--")]
    cases = [path for path in [*PAGES, *sorted(HERE.glob("*/*.t"))]
             if not wanted or any(word in path.as_posix() for word in wanted)]
    variables = environment()
    sanitised = tap.is_sanitised(os.path.join(variables["PATH"].split(":")[0], "ink"))
    jobs = int(os.environ.get("INK_TEST_JOBS") or len(os.sched_getaffinity(0)))
    failed = 0
    print(f"1..{len(cases)}")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        reports = pool.map(lambda path: report(path, variables, update, sanitised), cases)
        for number, (outcome, text, differences) in enumerate(reports, 1):
            failed += outcome != "ok"
            print(f"{outcome} {number} - {text}")
            for line in differences:
                print("# " + line.replace("\n", "\n#   "))
    return min(failed, 100)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
