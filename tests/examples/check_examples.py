"""Runs the programs of examples/ as their first lines say, and those of docs/c.md, and looks at what they print.

A block of docs/c.md in ```c or ```cpp that has an #include stands alone; INCLUDED comes before any other. One without a
main is the body of MAIN. What it prints are its comments `prints: LINE`, in order.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))
import tap  # noqa: E402

BUILD = pathlib.Path(os.environ["INK_LIBRARY"]).parent
PROGRAMS = os.path.join(BUILD, "examples")
PAGE = "docs/c.md"
INCLUDED = """#include <inkling_file.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#define TRY(call) do { if ((call) != INK_OK) return fprintf(stderr, "%s\\n", error.message), 1; } while (0)
"""
MAIN = """int main(void)
{{
ink_error error;
{}
return 0;
}}
"""
LANGUAGES = {"c": ("-xc", "-std=c11"), "cpp": ("-xc++", "-std=c++17")}


def run(name, *arguments, given=""):
    """The standard output of an example that must succeed."""
    done = subprocess.run([os.path.join(PROGRAMS, name), *arguments], input=given, text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr}"
    return done.stdout


def lines(words):
    """One word a line."""
    return "".join(f"{word}\n" for word in words)


def the_spell_checker_blames_no_right_word_and_few_wrong_ones_pass():
    """8 bits a word and 5 hashes: (1 - e^(-5/8))^5 = 2.17 %; 25,000 words, 100,000 wrong ones."""
    words = lines(f"word{i}" for i in range(25000))
    pathlib.Path("dictionary").write_text(words, encoding="ascii")
    assert run("spell", "dictionary", given=words) == ""
    blamed = run("spell", "dictionary", given=lines(f"wrod{i}" for i in range(100000)))
    passed = 100000 - blamed.count("\n")
    # Four deviations of the count, and as much again for what one filter differs from the next.
    assert abs(passed - 2167) < 350, f"{passed} of 100000 wrong words pass"


def keys_leave_the_counting_filter_again():
    """One of three is left, and the absent ones are named."""
    said = run("sessions", given="in ann\nin bob\nin eve\nout ann\nout carl\nout bob\n")
    assert said == "carl was not here\n1 here; 53632 bytes, as a bloom 13408\n", said


def the_most_frequent_lines_come_first_with_bounds():
    """Two of many lines have more than 1 %, and are counted exactly."""
    stream = []
    for i in range(5000):
        stream += [f"rare {i}"] + ["often"] * (i % 5 == 0) + ["very often"] * (i % 2)
    said = run("heavy", given=lines(stream)).splitlines()
    assert said[:2] == ["* 2500 to 2500  very often", "* 1000 to 1000  often"], said
    assert len(said) == 10 and all(line.startswith(" ") for line in said[2:]), said


def distinct_lines_are_printed_with_their_intervals():
    """The textbook's reading is far too high, the other two hold the truth."""
    said = run("distinct", given=lines(f"line {i % 50000}" for i in range(100000)))
    fm, textbook, hll = ([int(number) for number in answer] for answer in
                         re.findall(r"(\d+) \(95 %: (\d+) to (\d+)\)", said))
    for _, low, high in (fm, hll):
        assert low <= 50000 <= high, said
    assert textbook[0] > 1.5 * fm[0], said


def a_mapped_filter_answers():
    """It is saved, opened again, and asked where it stands."""
    assert run("filter") == "bee: maybe, cat: no\n"


def the_last_minutes_are_printed_and_the_rest_is_forgotten():
    """Three of ten slots; a record from before the window is late."""
    said = run("window", "ann", "bob", given="0 ann\n130 bob\n140 bob\n250 eve\n")
    assert said == "ann: 0\nbob: 2\n0 records were late\n", said
    said = run("window", "ann", given="6000 ann\n5000 ann\n5930 ann\n")
    assert said == "ann: 2\n1 records were late\n", said


# ---- docs/c.md -----------------------------------------------------------------------------------


def compiler():
    """That of the build under test, with its sanitizers."""
    words = shlex.split((BUILD / "flags").read_text(encoding="utf-8"))
    options = next((i for i, word in enumerate(words) if word.startswith("-")), len(words))
    return words[:options] + [word for word in words if re.match("-f(no-)?sanitize", word)]


def program_of(number, line, language, text):
    """The test of one block, compiled without optimisation against the shared library."""
    def test():
        """Warnings are failures."""
        source = f'#line {line + 1} "{PAGE}"\n{text}'
        source = source if re.search(r"^int main\(", text, re.M) else MAIN.format(source)
        pathlib.Path("block").write_text(source if "#include" in text else INCLUDED + source, encoding="utf-8")
        built = subprocess.run([*compiler(), *LANGUAGES[language], "-O0", "-g", "-Wall", "-Wextra", "-pedantic", "-Werror",
                                f"-I{ROOT}/include", "block", "-xnone", "-o", "program", f"-L{BUILD}",
                                f"-Wl,-rpath,{BUILD}", "-linkling", "-lpthread", *(["-lstdc++"] * (language == "cpp"))],
                               text=True, capture_output=True, check=False)
        assert built.returncode == 0, built.stderr
        done = subprocess.run(["./program"], text=True, capture_output=True, check=False)
        assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr}"
        shown = re.findall(r"(?://|/\*) prints: (.*?)(?: \*/)?$", text, re.M)
        assert shown, "expected a comment on what it prints"
        assert done.stdout.splitlines() == shown, f"printed {done.stdout!r}, the page shows {shown}"
    test.__name__ = f"program_{number}_of_docs_c_md_prints_what_it_says"
    return test


def programs_of_the_page():
    """One test for each block."""
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    blocks = [(text.count("\n", 0, found.start()) + 1, *found.groups())
              for found in re.finditer(r"^```(c|cpp)\n(.*?)^```$", text, re.M | re.S)]
    return [program_of(number, *block) for number, block in enumerate(blocks, 1)]


TESTS = (the_spell_checker_blames_no_right_word_and_few_wrong_ones_pass,
         keys_leave_the_counting_filter_again,
         the_most_frequent_lines_come_first_with_bounds,
         distinct_lines_are_printed_with_their_intervals,
         a_mapped_filter_answers,
         the_last_minutes_are_printed_and_the_rest_is_forgotten,
         *programs_of_the_page())


if __name__ == "__main__":
    sys.exit(tap.run(TESTS, "ink-examples-"))
