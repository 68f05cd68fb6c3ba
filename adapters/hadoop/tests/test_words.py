"""The command line: which words are options of ink, as its manuals have them, ours, or operands."""

from __future__ import annotations

import pathlib

import pytest
from inkhadoop.failure import Failure
from inkhadoop.program import Option, Program, options_in
from inkhadoop.words import named_program, take_apart

MANUAL = r"""
.SH OPTIONS
.TP
\fB\-v\fR, \fB\-\-invert\fR
the records whose key is surely not in the set
.TP
\fB\-e\fR \fIKEY\fR
ask for this key
.SS Input
.TP
\fB\-\-key\fR \fICOL\fR[,\fICOL\fR]
the key
.TP
\fB\-\-key\-type\fR \fITYPE\fR
bytes or int
.TP
\fB\-\-by\fR[=\fICOL\fR]
test each record
.TP
\fB\-p\fR, \fB\-\-rate\fR \fIP\fR
the rate
.TP
\fB\-\-secret\fR \fIFILE\fR
the secret
.SH EXIT CODES
.TP
\fB0\fR
fine
"""
OPTIONS = options_in(MANUAL)


def test_options_are_read_from_a_manual() -> None:
    assert OPTIONS["-v"] is OPTIONS["--invert"]
    assert OPTIONS["-v"] == Option(("-v", "--invert"), "")
    assert OPTIONS["-e"] == Option(("-e",), "KEY")
    assert OPTIONS["--key"].value == "COL[,COL"
    assert OPTIONS["--key-type"].value == "TYPE"
    assert OPTIONS["--by"] == Option(("--by",), "COL", bare=True)
    assert OPTIONS["--secret"].value == "FILE"
    assert len(OPTIONS) == 9


def test_the_manuals_of_this_ink_have_what_is_needed(static_ink: str) -> None:
    program = Program(pathlib.Path(static_ink))
    build, filters = program.options("build"), program.options("filter")
    assert (
        build["-n"].value == "N" and build["--header"].value == "" and build["-p"].names == ("-p", "--rate")
    )
    assert filters["--by"].bare and not build["--by"].bare
    assert build["--secret"].value == "FILE"
    kept = {name for name in build if name.startswith("--")} - set(program.options("map"))
    assert kept <= {"--output", "--as", "--funnel", "--force", "--quiet", "--help", "--no-progress"}, "what a job cannot have"


def test_words_are_separated() -> None:
    words = take_apart(
        [
            "bloom",
            "--key",
            "1",
            "-p0.01",
            "-v",
            "--by",
            "/in",
            "--queue",
            "q",
            "-Da=b",
            "-D",
            "c=d=e",
            "--reducers=3",
            "-q",
            "/out",
        ],
        OPTIONS,
    )
    assert words.operands == ["bloom", "/in", "/out"]
    assert [word for typed in words.passed for word in typed.words] == ["--key", "1", "-p0.01", "-v", "--by"]
    assert words.settings == {"a": "b", "c": "d=e"}
    assert (words.reducers, words.one("--queue"), words.quiet) == (3, "q", True)
    assert words.given["--rate"] == ["0.01"] and words.given["--by"] == [""]


def test_letters_may_be_joined_and_values_look_like_anything() -> None:
    words = take_apart(["-vqp", "0.1", "-e", "-x", "--", "--key"], OPTIONS)
    assert [typed.words for typed in words.passed] == [("-v",), ("-p", "0.1"), ("-e", "-x")]
    assert words.quiet, "one of ours among them"
    assert words.operands == ["--key"]


def test_as_many_reducers_as_are_allowed() -> None:
    for count in (1, 4096):
        assert take_apart([f"--reducers={count}"], OPTIONS).reducers == count
    assert take_apart([], OPTIONS).reducers is None and take_apart([], OPTIONS).one("--queue") is None


def test_values_are_those_that_were_typed() -> None:
    words = take_apart(["-v", "-p0.01", "--secret=k", "--by=x", "--by", "-e", "a"], OPTIONS)
    assert [typed.value for typed in words.passed] == ["", "0.01", "k", "x", "", "a"]
    assert [typed.name for typed in words.passed] == ["--invert", "--rate", "--secret", "--by", "--by", "-e"]


def test_what_is_no_option_is_found() -> None:
    assert take_apart(["a", "--frob", "b"], OPTIONS).unknown == "--frob"
    assert take_apart(["-vz"], OPTIONS).unknown == "-vz"


def test_files_of_options_are_known() -> None:
    words = take_apart(["--secret", "s.key", "--key=x"], OPTIONS)
    assert [typed.file for typed in words.passed] == ["s.key", None]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--reducers", "0"], "--reducers 0, expected a whole number from 1 to 4096"),
        (["--reducers", "4097"], "--reducers 4097, expected a whole number from 1 to 4096"),
        (["--reducers", "x"], "--reducers x, expected a whole number"),
        (["--reducers", "-1"], "--reducers -1, expected a whole number"),
        (["--reducers", "1", "--reducers", "2"], "--reducers is given twice"),
        (["-D", "novalue"], "-D novalue, expected -D name=value"),
        (["--reducers"], "--reducers without its value N"),
    ],
)
def test_wrong_values_of_ours(typed: list[str], said: str) -> None:
    words = take_apart(typed, OPTIONS)
    with pytest.raises(Failure, match=said):
        _ = (words.reducers, words.settings)


def test_the_program_is_named_before_all_else() -> None:
    assert named_program(["build", "--ink", "/x"]) == "/x"
    assert named_program(["build", "--ink=/y"]) == "/y"
    assert named_program(["build"]) is None
    assert named_program(["--ink", "/x", "--ink=/y"]) == "/x" and named_program(["build", "--ink"]) is None
