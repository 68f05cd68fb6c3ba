#!/usr/bin/env python3
"""Every option of every command, with values that it cannot mean: each is refused with one line that names the
option, or accepted because it does mean something. Nothing crashes or hangs, and what is refused leaves all files as
they were.

Commands and options are those of `ink help` and `ink completion`, so that a new one is swept without being listed
here; only a new command needs a line that works, in WORKING. Commands take their options from one table, so an option
is tried in one of those that have it; which one changes with the value. INK_SWEEP=all tries it in all of them.

Prints a TAP line for each test and exits with the number that failed.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor

import help_pages
import tap
from help_pages import INK

# A command line that works, in a Folder. Those of lab would run for seconds without --help, and words are taken
# apart before that is looked at.
WORKING = {
    "plan": "bloom -n 1000",
    "build": "bloom -o made.ink data.txt",
    "add": "bloom.ink data.txt",
    "remove": "counting.ink data.txt",
    "filter": "bloom.ink data.txt",
    "count": "count-min.ink -e5",
    "top": "data.txt",
    "distinct": "data.txt",
    "uniq": "data.txt",
    "dedup": "data.txt -o made",
    "dot": "count-min.ink count-min.ink",
    "overlap": "data.txt data.txt",
    "info": "bloom.ink",
    "verify": "bloom.ink data.txt",
    "merge": "bloom.ink bloom.ink -o made.ink",
    "fold": "bloom.ink -o made.ink --rate 0.5",
    "convert": "bloom.ink made.ink",
    "stream": "--train data.txt --sketch hll --state made --quiet",
    "map": "bloom data.txt",
    "reduce": "bloom -n 1000",
    "gen": "ip -n 5",
    "lab": "--help",
    "completion": "bash",
    "help": "",
    "version": "",
}
TAKE_EMPTY = {"-e", "--header-line"}  # an empty key and an empty line are possible
# What strtod or strtoull would take for a number, or the beginning of one, and what looks like one.
NO_NUMBERS = ("nan", "inf", "-inf", "-1", "-0", "0,01", "5x", " 5", "5 ", "10 M", "0x10", "+5", "1e", ".", "1e-400",
              "-", "%s%n", "5\n", "\u0665", "1e30x", "1-2", "1e400")
NUMBERS = ("0", "1", "1.5", "9223372036854775808", "18446744073709551615", "18446744073709551616", "1e30", "1e-300")
NO_WORDS = (b"\xff\xfe", b"x" * 5000, b"../..", b"--", b"a,,b", b",", b"\\", b"bloom:n=", b":::", b"\x1b[31m",
            b"a\nb\x7f")
MEANT = {("--headroom", "5x")}  # five times as many
WORKERS = 2


class Folder:
    """Where command lines work: some data, some sketches, put back when they were changed."""

    def __init__(self, path):
        self.path = pathlib.Path(path).absolute()
        self.path.mkdir()
        (self.path / "data.txt").write_text("".join(f"{number}\n" for number in range(1, 51)), encoding="utf-8")
        for kind in ("bloom", "counting", "count-min"):
            subprocess.run([INK, "build", kind, "-o", f"{kind}.ink", "data.txt"], cwd=path, check=True)
        self.content = {name: (self.path / name).read_bytes() for name in os.listdir(path)}
        self.state = self.look()

    def look(self):
        return {entry.name: (entry.stat().st_mtime_ns, entry.stat().st_size) for entry in os.scandir(self.path)}

    def put_back(self):
        for entry in os.scandir(self.path):
            shutil.rmtree(entry) if entry.is_dir() else os.unlink(entry)
        for name, content in self.content.items():
            (self.path / name).write_bytes(content)
        self.state = self.look()

    def run(self, words):
        """Exit code and standard error. To standard output nothing can be written: what would go on for ever ends."""
        with open("/dev/full", "wb") as full:
            done = subprocess.run([INK, *words], cwd=self.path, stdin=subprocess.DEVNULL, stdout=full,
                                  stderr=subprocess.PIPE, timeout=60, check=False)
        return done.returncode, done.stderr


def shown(words):
    return " ".join(repr(word if isinstance(word, str) else word.decode("utf-8", "replace"))[:60] for word in words)


def as_described(word):
    """How the beginning of a word is shown in a line of text."""
    word = word if isinstance(word, bytes) else word.encode()
    escaped = re.compile(rb"[^ -~]|\\")
    return escaped.sub(lambda found: b"\\x%02x" % found.group(0)[0], word[:40])


def names_option(names, said):
    """By a letter or a word; messages speak of "weights" where weights are not known."""
    word = names[-1].lstrip("-").encode()
    return names[0].encode() in said or re.search(rb"(?<![a-z])%ss?(?![a-z])" % re.escape(word), said)


def line_with(command, names, words):
    """A command line that works, but for these words, which replace what it has of this option."""
    rest = WORKING[command].split()
    for number, word in enumerate(rest):
        if word in names:
            del rest[number:number + 2]
            break
    if command == "lab":
        return [command, *words, *rest]
    return [command, *rest, *words]


def attempt(folder, command, names, words):
    """Tries some words of an option; the exit code, if all is as it should be."""
    tried = line_with(command, names, words)
    code, said = folder.run(tried)
    assert code in (0, 1, 2, 3, 4, 5), f"{shown(tried)}: ended with {code}: {said!r}"
    same = folder.look() == folder.state
    if not same:
        folder.put_back()
    if code < 2:
        return code
    lines = said[:-1].split(b"\n") if said.endswith(b"\n") else []
    assert lines and lines[-1].startswith(b"ink: "), f"{shown(tried)}: {code}, {said!r}"
    assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", said), f"{shown(tried)}: {said!r}: a terminal would obey"
    # What goes wrong after the command line, such as standard output here, may have a remark before it.
    assert len(lines) == 1 or code != 2, f"{shown(tried)}: {code}, {said!r}"
    assert same or code == 4, f"{shown(tried)}: {code}, {said!r}: files have changed"
    # The option is named, or what was typed for it, as in a file that cannot be.
    assert code != 2 or names_option(names, said) or as_described(words[-1]) in said, \
        f"{shown(tried)}: the option is not named: {said!r}"
    return code


def valued_options():
    """The options that take a value, letter and word, with the commands that have them."""
    script = help_pages.ink("completion", "fish")
    found = {}
    for command, names in re.findall(r"^set -g __ink_valued_(\w+)(.*)$", script, re.M):
        words = names.split()
        for number, name in enumerate(words):
            if number > 0 and len(words[number - 1]) == 2 and len(name) > 2:
                found.setdefault((words[number - 1], name), []).append(command)
            elif len(name) > 2 or number + 1 == len(words) or len(words[number + 1]) == 2:
                found.setdefault((name,), []).append(command)
    return found


def sweep(options, values, judge):
    """Tries options with values; judge gets the words that were tried and the code. Returns how many there were."""
    tasks = []
    for value in values:
        for names, commands in sorted(options.items()):
            number = zlib.crc32(repr((names, value)).encode())
            chosen = commands if os.environ.get("INK_SWEEP") == "all" else [commands[number % len(commands)]]
            tasks += [(command, names, names[number // 64 % len(names)], value) for command in chosen]

    def work(worker):
        folder, failures = Folder(f"folder{worker}"), []
        for command, names, name, value in tasks[worker::WORKERS]:
            try:
                judge((command, name, value), attempt(folder, command, names, [name, value]))
            except (AssertionError, subprocess.TimeoutExpired) as why:
                failures.append(str(why))
        return failures

    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        failures = sum(pool.map(work, range(WORKERS)), [])
    assert not failures, f"{len(failures)} of {len(tasks)}:\n# " + "\n# ".join(failures[:10])
    return len(tasks)


def is_refused(tried, code):
    assert code == 2 or tried[1:] in MEANT, f"{shown(tried)}: found exit code {code}, expected 2"


def is_judged(tried, code):
    """What attempt has looked at is enough."""
    del tried, code


def numeric(options):
    """Those whose values are numbers, or sizes and times: they say so when they get a word."""
    folder = Folder("asked")
    found = {}
    for names, commands in options.items():
        code, said = folder.run(line_with(commands[0], names, [names[-1], "x"]))
        if code == 2 and re.search(rb"expected (a |an |)(whole number|number|size|time|factor|share|[0-9])", said):
            found[names] = commands
    assert len(found) > 20, found
    return found


def every_command_is_swept():
    assert set(WORKING) == set(help_pages.commands()), set(WORKING) ^ set(help_pages.commands())
    folder = Folder("working")
    for command, words in WORKING.items():
        code, said = folder.run([command, *words.split()])
        assert code == 0 or (code == 4 and b"No space left" in said), (command, code, said)
        folder.put_back()
    listed = {name for command in WORKING for name in help_pages.options(help_pages.ink("help", command))}
    valued = {name for names in valued_options() for name in names}
    assert len(valued) > 60 and valued <= listed, valued - listed


def an_empty_value_is_refused_by_every_option():
    options = {names: commands for names, commands in valued_options().items() if not TAKE_EMPTY & set(names)}
    assert sweep(options, [""], is_refused) >= 50
    folder = Folder("equals")
    for names, commands in sorted(options.items()):
        if len(names[-1]) > 2:
            is_refused((commands[0], names[-1] + "="), attempt(folder, commands[0], names, [names[-1] + "="]))


def an_empty_word_is_no_file_and_no_kind():
    folder = Folder("words")
    for command, words in WORKING.items():
        if command == "lab":
            continue
        for at in range(len(words.split()) + 1):
            tried = words.split()
            tried.insert(at, "")
            code, said = folder.run([command, *tried])
            assert code == 2 and said.count(b"\n") == 1, (command, tried, code, said)


def an_option_without_its_value_is_refused():
    folder = Folder("without")
    for names, commands in sorted(valued_options().items()):
        for name in names:
            code, said = folder.run([commands[0], *WORKING[commands[0]].replace("--help", "").split(), name])
            assert code == 2 and said.startswith(f"ink: {name} without its value".encode()), (commands[0], name, said)


def what_is_no_number_is_refused_by_every_option_that_takes_one():
    assert sweep(numeric(valued_options()), NO_NUMBERS, is_refused) >= 500


def numbers_out_of_range_are_refused_or_have_a_meaning():
    assert sweep(valued_options(), NUMBERS, is_judged) >= 400


def numbers_keep_all_their_bits():
    """2^8 + 5 is not 5, nor are 2^16, 2^31 and 2^32 more: refused, or other sizes."""
    beside = {"--width": ["--depth", "3"], "--depth": ["--width", "30"], "--hashes": ["--bits", "4096"]}
    shown_by = {}

    def planned(kind, name, number):
        words = [INK, "plan", kind, name, str(number), *beside.get(name, ())]
        done = subprocess.run(words, timeout=60, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        return done.returncode, done.stdout

    names = [names[-1] for names, commands in numeric(valued_options()).items() if "plan" in commands]
    for kind in ("bloom", "classic", "counting", "scalable", "count-min", "top", "fm", "hll"):
        for name in names:
            for kept in (5, 256):
                found = planned(kind, name, kept)
                if found[0] != 0 or found == planned(kind, name, 2 * kept):
                    continue  # it cannot be, or does not show
                for bits in (8, 16, 31, 32):
                    assert planned(kind, name, kept + (1 << bits)) != found, (kind, name, kept, bits)
                shown_by.setdefault(name, []).append(kind)
                break
    assert {"--bits", "--depth", "--hashes", "--keys", "--precision", "--top", "--width"} <= set(shown_by), shown_by


def strange_words_are_refused_or_have_a_meaning():
    assert sweep(valued_options(), NO_WORDS, is_judged) >= 500


def an_option_that_is_given_twice_is_refused_unless_it_repeats():
    folder = Folder("twice")
    count = 0
    for names, commands in sorted(valued_options().items()):
        page = help_pages.ink("help", commands[0])
        about = re.search(rf"^  (?:-\w, |    )?{names[-1]} .*\n(?:         .*\n)*", page, re.M).group(0)
        if "may be repeated" in re.sub(r"\s+", " ", about):
            continue
        code = attempt(folder, commands[0], names, [names[0], "1", names[-1], "1"])
        is_refused((commands[0], names[-1]), code)
        count += 1
    for command in WORKING:
        valued = {name for names, commands in valued_options().items() if command in commands for name in names}
        for name in help_pages.options(help_pages.ink("help", command)):
            if name not in valued and name not in WORKING[command]:
                is_refused((command, name), attempt(folder, command, [name], [name, name]))
                count += 1
    assert count > 200, count


def what_is_no_option_is_refused_by_every_command():
    folder = Folder("unknown")
    for command, words in WORKING.items():
        for word in ("--no-such-thing", "--no-such-thing=5", "-Z", "--=", "---", "-\xff", "--\n"):
            code, said = folder.run([command, word, *words.split()])
            assert code == 2 and said.count(b"\n") == 1 and b"option" in said, (command, word, code, said)


def no_word_or_one_that_is_no_command_is_a_usage_error():
    folder = Folder("commands")
    lines = ([], [""], [" "], ["\n"], ["-"], ["--"], ["x" * 5000], ["build2"], ["Build"], ["-5"], [b"\xff"], ["", ""])
    for words in lines:
        code, said = folder.run(words)
        assert code == 2 or (not words and code == 4), (words, code, said)  # of no word the help is printed
        assert said.count(b"\n") == 1, (words, code, said)


# Command lines that read standard input in two places, and these.
READ_TWICE = [
    ("filter -", "operand 1", "the data"),
    ("filter - -", "operand 1", "operand 2"),
    ("filter --secret - bloom.ink", "--secret", "the data"),
    ("filter --secret - bloom.ink -", "--secret", "operand 2"),
    ("filter --secret - -e 5 -", "--secret", "operand 1"),
    ("build bloom -o made.ink - data.txt -", "operand 2", "operand 4"),
    ("build bloom -o made.ink --secret -", "--secret", "the data"),
    ("build --as spark-v1 -o made.bin --secret -", "--secret", "the data"),
    ("build --as spark-v1 -o made.bin - -", "operand 1", "operand 2"),
    ("count -", "operand 1", "the data"),
    ("count - -", "operand 1", "operand 2"),
    ("count --keys-from -", "--keys-from", "the data"),
    ("count --keys-from - data.txt -", "--keys-from", "operand 2"),
    ("count -e 5 --secret -", "--secret", "the data"),
    ("count -e 5 - -", "operand 1", "operand 2"),
    ("top - -", "operand 1", "operand 2"),
    ("distinct --secret -", "--secret", "the data"),
    ("dot - -", "operand 1", "operand 2"),
    ("overlap - -", "operand 1", "operand 2"),
    ("merge -o made.ink - bloom.ink -", "operand 1", "operand 3"),
    ("verify --truth - -", "--truth", "operand 1"),
    ("verify bloom.ink - -", "operand 2", "operand 3"),
    ("verify --truth data.txt --truth - --absent - bloom.ink", "--truth", "--absent"),
    ("verify --absent - --secret - bloom.ink data.txt", "--secret", "--absent"),
    ("uniq --secret -", "--secret", "the data"),
    ("add bloom.ink - -", "operand 2", "operand 3"),
    ("add --secret - bloom.ink", "--secret", "the data"),
    ("remove -", "operand 1", "the data"),
    ("stream --train - --ask - --sketch hll --state made", "--ask", "--train"),
    ("stream --train - --secret - --sketch hll --state made", "--secret", "--train"),
    ("map --filter -", "--filter", "the data"),
    ("map --filter - -", "--filter", "operand 1"),
    ("map --verify - --splits", "--verify", "--splits"),
    ("map bloom --secret -", "--secret", "the data"),
    ("reduce --verify -", "--verify", "the data"),
    ("reduce --verify - --assemble -", "--verify", "operand 1"),
]
# And those that read it once, or not at all.
READ_ONCE = ["filter - data.txt", "filter -e 5 -", "filter bloom.ink -", "info -", "info", "count --keys-from - data.txt", "count -e 5", "count -e 5 -", "count -e 5 --secret - data.txt", "build bloom -o - -",
             "verify --truth - bloom.ink", "merge -o - bloom.ink -", "map --plan --filter -",
             "build --as spark-v1 -o made.bin --secret - data.txt", "convert - -", "convert --from auto - made.ink"]


def standard_input_is_read_in_one_place():
    folder = Folder("standard")
    for line, first, second in READ_TWICE:
        code, said = folder.run(line.split())
        expected = f"ink: standard input is read twice, for {first} and for {second}, expected a FILE for one of them; see ink help"
        assert code == 2 and said.decode().startswith(expected) and said.count(b"\n") == 1, (line, code, said)
    for line in READ_ONCE:
        assert b"read twice" not in folder.run(line.split())[1], line


TESTS = [
    standard_input_is_read_in_one_place,
    every_command_is_swept, no_word_or_one_that_is_no_command_is_a_usage_error,
    what_is_no_option_is_refused_by_every_command, an_option_without_its_value_is_refused,
    an_empty_word_is_no_file_and_no_kind, an_empty_value_is_refused_by_every_option,
    what_is_no_number_is_refused_by_every_option_that_takes_one, numbers_out_of_range_are_refused_or_have_a_meaning,
    numbers_keep_all_their_bits, strange_words_are_refused_or_have_a_meaning, an_option_that_is_given_twice_is_refused_unless_it_repeats,
]

if __name__ == "__main__":
    sys.exit(tap.run(TESTS, "ink-arguments-"))
