#!/usr/bin/env python3
"""What the documents say can be done: every shell block is run by a test, or says what it would need; every option,
target, file and heading that is named is there.

Blocks are marked by what happens to them:

    ```console   run by tests/cli/run_transcripts.py, the output compared
    ```sh        run by a test that is named below, its output compared with the comments `# prints: ...`
    ```bash      not run, as it needs what a comment in the block says ("needs"): its syntax and its options are
                 checked here
    ```python    run by the tests of the Python package and of the Spark adapter
    ```sql, ```sqlite, ```duckdb, ```postgresql typed into the shells of databases, the output compared with the comments `-- ...`
    ```c, ```cpp compiled and run by tests/examples/check_examples.py, the output compared with the comments
                 `prints: ...`; the first one also with the ```sh block of docs/c.md
    ```java      run by the tests of the Java library
    ```          no commands: drawings, bytes, what is printed elsewhere

Prints a TAP line for each test and exits with the number that failed.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))

import help_pages  # noqa: E402
import tap  # noqa: E402

FOLDERS = ("", "docs/", "adapters/*/", "bench/")
DOCUMENTS = sorted(path.relative_to(ROOT).as_posix() for folder in FOLDERS for path in ROOT.glob(f"{folder}*.md"))
# Who runs what; each test names the document, or finds all of them.
RUN_BY = {
    "console": {name: "tests/cli/run_transcripts.py" for name in DOCUMENTS
                if name == "README.md" or name.startswith("docs/")},
    "sh": {"docs/c.md": "tests/install/check_install.py", "docs/hadoop.md": "adapters/hadoop/tests/test_docs.py",
           "docs/sql.md": "adapters/sql/tests/test_docs.py"},
    **{language: {"docs/sql.md": "adapters/sql/tests/test_docs.py"} for language in ("sql", "sqlite", "duckdb", "postgresql")},
    "c": {"docs/c.md": "tests/examples/check_examples.py"},
    "cpp": {"docs/c.md": "tests/examples/check_examples.py"},
    "java": dict.fromkeys(("docs/jvm.md", "adapters/jvm/README.md"), "adapters/jvm/tests/inkling/DocsTest.java"),
    "python": {
        **dict.fromkeys(("README.md", "docs/python.md", "docs/tutorial.md", "adapters/python/README.md"),
                        "adapters/python/tests/test_docs.py"),
        **dict.fromkeys(("docs/spark.md", "adapters/spark/README.md"), "adapters/spark/tests/test_docs.py"),
    },
}
NOT_RUN = ("bash", "")
PROGRAMS = ("ink", "ink-hadoop", "make", "pip", "cc", "cd", "eval", "export", "curl", "python", "python3",
            "spark-submit")
BLOCK = re.compile(r"^```(\S*)\n(.*?)^```$", re.M | re.S)
# What belongs to one machine, or to how this was made, and to no reader.
FOREIGN = re.compile(r"\.\./shared|/work/|/root/|/home/|/tmp/[a-z]")


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def blocks():
    """Document, line, language and text of each block."""
    for name in DOCUMENTS:
        text = text_of(name)
        for found in BLOCK.finditer(text):
            yield name, text.count("\n", 0, found.start()) + 1, found.group(1), found.group(2)


def prose_of(name):
    """A document without its blocks, whose lines stay, so that numbers of lines are right."""
    return BLOCK.sub(lambda found: "\n" * found.group(0).count("\n"), text_of(name))


def commands_in(lines):
    """Those of some lines that begin with a program, or with a prompt."""
    words = [(line.split() or [""]) for line in lines]
    return [" ".join(line) for line in words if line[0] in ("$", *PROGRAMS) and len(line) > 1]


def every_block_is_run_or_says_what_it_needs():
    known = set(RUN_BY) | set(NOT_RUN)
    for name, line, language, text in blocks():
        place = f"{name}: line {line}"
        assert language in known, f"{place}: a block of {language}, expected one of {sorted(known)}"
        if language in RUN_BY:
            assert name in RUN_BY[language], f"{place}: no test runs blocks of {language} in this document"
        elif language == "bash":
            assert re.search(r"#.*\bneeds?\b", text), f"{place}: no test runs this, expected a comment on what it needs"
        else:
            found = commands_in(text.splitlines())
            assert not found, f"{place}: commands in a block without a language: {found}"


def commands_stand_in_blocks_that_have_a_language():
    """Indented lines are for formulas and for what is printed."""
    for name in DOCUMENTS:
        lines = [line for line in prose_of(name).splitlines() if re.match(r" {4}\S", line)]
        found = commands_in(lines)
        assert not found, f"{name}: commands in an indented block: {found}"


def the_tests_that_run_blocks_know_of_the_documents():
    """Each names its documents, or takes all of docs/."""
    for language, runners in RUN_BY.items():
        for name, runner in runners.items():
            if not any(name == other and language == kind for other, _, kind, _ in blocks()):
                continue
            text = text_of(runner)
            assert f'"{name}"' in text or (name.startswith("docs/") and '"docs").glob("*.md")' in text), (name, runner)


def blocks_that_are_not_run_are_correct_shell():
    for name, line, language, text in blocks():
        if language in ("bash", "sh"):
            done = subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True, check=False)
            assert done.returncode == 0, f"{name}: line {line}: {done.stderr}"


# ---- Options and targets -------------------------------------------------------------------------


def calls(text, program):
    """The words after a program, each time that a line of shell calls it."""
    found = []
    for line in re.sub(r"\\\n", " ", text).splitlines():
        line = re.sub(r"(^|\s)#\s.*", "", line)
        for part in re.split(r"\||&&|;|\$\(|<\(", line):
            try:
                words = shlex.split(part.strip("() "), comments=True)
            except ValueError:  # half of a quoted text
                words = part.split()
            if program in words[:1]:
                found.append(words[1:])
    return found


def shown_commands(program):
    """Where, and the words: in blocks of shell, and in the middle of messages."""
    for name, line, language, text in blocks():
        if language == "console":
            text = "\n".join(one[2:] for one in text.splitlines() if one.startswith(("$ ", "> ")))
        if language in ("console", "sh", "bash"):
            for words in calls(text, program):
                yield f"{name}: line {line}", words
    for name in DOCUMENTS:
        for span in re.findall(r"`([^`\n]+)`", prose_of(name)):
            for words in calls(span, program):
                yield f"{name}: `{span}`", words


def options_in(words):
    """The options among the words, without values: letters and names."""
    found = []
    for word in words[:words.index("--")] if "--" in words else words:
        if re.match(r"--[a-z]", word):
            found.append(word.split("=")[0])
        elif re.match(r"-[A-Za-z]", word):
            found.append(word[:2])
    return found


def options_that_are_shown_are_there():
    """For ink, and for ink-hadoop, which has those of ink and some of its own."""
    listed = {name: {*help_pages.options(help_pages.ink("help", name)), "--help", "-h"}
              for name in help_pages.commands()}
    hadoop = subprocess.run([ROOT / "adapters/hadoop/ink-hadoop", "--help"], capture_output=True, text=True, check=True)
    own = {name for line in re.findall(r"^(?:  |      )(-.*)", hadoop.stdout, re.M)
           for name in re.findall(r"(?<![\w-])--?[A-Za-z][a-z-]*", line.split("  ")[0])}
    assert {"--queue", "-D"} <= own, own
    count = 0
    for program, others in (("ink", set()), ("ink-hadoop", own | {"--force"})):
        for place, words in shown_commands(program):
            if not words or not re.fullmatch("[a-z]+", words[0]):
                continue  # a placeholder, or an option of ink itself
            assert words[0] in listed, f"{place}: no command {words[0]} of {program}"
            missing = [name for name in options_in(words[1:]) if name not in listed[words[0]] | others]
            assert not missing, f"{place}: {program} {words[0]} has no {missing}"
            count += 1
    assert count > 200, count


def targets_that_are_shown_are_there():
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile") + text_of("packaging/packages.mk"), re.M))
    assert {"all", "check", "demo"} <= targets, targets
    for place, words in shown_commands("make"):
        named = [word for word in words if re.fullmatch("[a-z][a-z-]*", word)]
        assert set(named) <= targets, f"{place}: no target {set(named) - targets}"


def make_help_lists_every_target_in_groups():
    listed = subprocess.run(["make", "-s", "-C", ROOT, "help"], capture_output=True, text=True, check=True,
                            env={name: value for name, value in os.environ.items() if "MAKE" not in name}).stdout
    wide = [line for line in listed.splitlines() if len(line) > 100]
    assert not wide, f"wider than 100 columns: {wide}"
    groups = re.findall(r"^([a-z]+):$", listed, re.M)
    assert groups == ["build", "test", "demo", "bench", "other"], groups
    text = re.findall(r"^([a-z-]+):.*##", text_of("Makefile") + text_of("packaging/packages.mk"), re.M)
    assert sorted(re.findall(r"^  make ([a-z-]+) +\S", listed, re.M)) == sorted(text), listed


# ---- Links ---------------------------------------------------------------------------------------


def anchor(heading):
    """What GitHub makes of a heading: small letters, digits, _ and -, blanks as -."""
    plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors_of(name):
    """Those of all headings; one that comes again has a number after it."""
    found = {}
    for heading in re.findall(r"^#+ (.*)$", prose_of(name), re.M):
        word = anchor(heading)
        times = found[word] = found.get(word, -1) + 1
        if times:
            found[f"{word}-{times}"] = 0
    return set(found)


def links_lead_somewhere():
    count = 0
    for name in DOCUMENTS:
        folder = (ROOT / name).parent
        for target in re.findall(r"\]\(<?([^)>\s]+)>?\)", prose_of(name)):
            if re.match(r"[a-z]+:", target):
                continue  # an address; tests use no network
            path, _, heading = target.partition("#")
            there = (folder / path).resolve() if path else ROOT / name
            assert there.is_relative_to(ROOT) and there.exists(), f"{name}: ({target}): there is no such file"
            if heading:
                known = anchors_of(there.relative_to(ROOT).as_posix())
                assert heading in known, f"{name}: ({target}): no such heading, expected one of {sorted(known)}"
            count += 1
    assert count > 100, count


def documents_are_found_from_the_readme():
    """Each page of docs/ is a link there."""
    linked = set(re.findall(r"\]\((docs/[^)#]+\.md)", text_of("README.md")))
    missing = {name for name in DOCUMENTS if name.startswith("docs/")} - linked
    assert not missing, f"README.md does not lead to {sorted(missing)}"


def documents_speak_of_no_machine_of_ours():
    for name in DOCUMENTS:
        found = FOREIGN.findall(text_of(name))
        assert not found, f"{name}: {found}"


TESTS = (every_block_is_run_or_says_what_it_needs, commands_stand_in_blocks_that_have_a_language,
         the_tests_that_run_blocks_know_of_the_documents, blocks_that_are_not_run_are_correct_shell,
         options_that_are_shown_are_there, targets_that_are_shown_are_there, make_help_lists_every_target_in_groups,
         links_lead_somewhere, documents_are_found_from_the_readme, documents_speak_of_no_machine_of_ours)


if __name__ == "__main__":
    sys.exit(tap.run(TESTS, "ink-documents-"))
