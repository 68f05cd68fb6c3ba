#!/usr/bin/env python3
"""The lab: what `ink lab` writes is the same each time but for times, and what its commands make when they are typed.

    check_lab.py [--write]

One experiment is run, twice, and its commands are run in a shell; with INK_LAB_ALL set, those of all experiments, which
takes minutes (`make test-lab`). Numbers and texts that are about no times are those of numbers.json, of all experiments, and
the words around them, what was published, and how the page shows them are those of words.json, but
under a sanitizer that takes long not of the longest; --write writes both anew, for a person to look at. Prints a TAP line for
each test and exits with the number that failed.
"""
import functools
import html
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import tap  # noqa: E402

BINARIES = pathlib.Path(os.environ.get("INK_BINARY_FOLDER") or pathlib.Path(os.environ["INK_LIBRARY"]).parent).resolve()
ONLY = [] if os.environ.get("INK_LAB_ALL") else ["--only", "000"]
TIMES = {"s", "ms", "µs", "us", "ns"}
BY_CHANCE = ("004 memory", 3)  # a thread that comes when all is done makes no copy: at most what is kept
KEPT = pathlib.Path(__file__).resolve().with_name("numbers.json")
KEPT_WORDS = KEPT.with_name("words.json")
LONGEST = "001"
PATIENCE = 900


def lab(path, *words, only=tuple(ONLY)):
    subprocess.run([BINARIES / "ink", "lab", "--quick", "-q", *only, "-o", path, *words], check=True, timeout=PATIENCE)
    return json.loads(pathlib.Path(path).with_suffix(".json").read_text(encoding="utf-8"))


@functools.cache
def first_run():
    """What one run has found, and its page."""
    found = lab("first.html")
    return found, pathlib.Path("first.html").read_text(encoding="utf-8")


@functools.cache
def run_of(experiment):
    """What a run of one experiment has found, and its page; its commands have the number of threads."""
    found = lab(f"{experiment}.html", "--threads", "2", only=("--only", experiment))
    return found, pathlib.Path(f"{experiment}.html").read_text(encoding="utf-8")


def parts(found):
    for experiment in found["experiments"]:
        for part in experiment["parts"]:
            yield f"{experiment['id']} {part['id']}", part["found"]


def steady(found):
    """Numbers that are no times: a table with times, and text, which may tell of them, are left out."""
    for name, entries in parts(found):
        timed = any(column["unit"] in TIMES for entry in entries if entry["is"] == "table" for column in entry["columns"])
        for entry in entries:
            if entry["is"] in ("table", "plot") and not timed:
                yield name, entry["id"], entry.get("rows"), entry.get("lines")


def a_second_run_finds_the_same():
    assert list(steady(first_run()[0])) == list(steady(lab("two.html")))


def one_thread_finds_the_same():
    assert list(steady(first_run()[0])) == list(steady(lab("two.html", "--threads", "1")))


def every_row_has_numbers_of_ours_and_columns_have_names_of_their_own():
    for name, entries in parts(first_run()[0]):
        for table in (entry for entry in entries if entry["is"] == "table"):
            heads = [(column["name"], column["unit"], column["by"]) for column in table["columns"]]
            assert len(set(heads)) == len(heads) and all(head[0] for head in heads), (name, table["id"], heads)
            for row in table["rows"]:
                ours = [cell for column, cell in zip(table["columns"], row) if column["by"] == "here"]
                assert any(cell is not None for cell in ours), (name, table["id"], row)


def the_summary_follows_from_what_was_found():
    """Each experiment is in it, and a line is reproduced if ours lies in the range that it states."""
    found, page = first_run()
    names = {f"{experiment['id']} {part['id']}" for experiment in found["experiments"] for part in experiment["parts"]}
    assert {line["experiment"] for line in found["summary"]} == {experiment["id"] for experiment in found["experiments"]}
    for line in found["summary"]:
        assert f"{line['experiment']} {line['part']}" in names and line["why"] and line["by"] in ("given", "published", "theory"), line
        assert line["reproduced"] is (line["low"] <= line["here"] <= line["high"]), line
    same = sum(line["reproduced"] for line in found["summary"])
    assert f"{same} of {len(found['summary'])} figures are reproduced" in page
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", found["made"]["date"]) and found["made"]["cores"] >= 1, found["made"]


def texts_are_of_one_house():
    """Quotes and apostrophes of print, thousands left to the page, kB and no KB, commands marked."""
    found = first_run()[0]
    summary = [{"is": "text", "text": line[field]} for line in found["summary"] for field in ("what", "why")]
    for name, entries in [*parts(found), ("summary", summary)]:
        for text in (entry.get("text") if entry["is"] == "text" else entry.get("title", "") for entry in entries
                     if entry["is"] != "command"):
            prose = re.sub("`[^`]*`", "", text)
            assert "`" not in prose and not re.search(r"['\"]|\d,\d{3}|\bKB\b|\bink [a-z]|(^| )--?[a-z]", prose), (name, text)


def numbers_in(text):
    return {float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text)}


def whole_numbers(entries):
    """Numbers found in the run that a command can be expected to print as they stand."""
    for entry in entries:
        if entry["is"] != "table":
            continue
        for row in entry["rows"]:
            for column, cell in zip(entry["columns"], row):
                if column["by"] == "here" and column["unit"] not in TIMES and isinstance(cell, int) and cell >= 100:
                    yield entry["id"], column["name"], cell


def commands_that_are_typed_make_the_numbers():
    environment = {**os.environ, "PATH": f"{BINARIES}:{os.environ['PATH']}", "LC_ALL": "C"}
    missing = []
    for name, entries in parts(first_run()[0]):
        os.makedirs(name)
        commands = [entry["text"] for entry in entries if entry["is"] == "command"]
        assert commands, f"{name}: no commands"
        ran = subprocess.run(["bash", "-c", "trap '(($? > 1)) && exit 9' ERR\n" + "\n".join(commands)], cwd=name, env=environment, text=True,
                             capture_output=True, timeout=PATIENCE, check=False)
        assert ran.returncode != 9, f"{name}: exit code {ran.returncode}: {ran.stderr[-300:]}"
        printed = numbers_in(ran.stdout + ran.stderr)
        wanted = list(whole_numbers(entries))
        lost = [cell for cell in wanted if cell[2] not in printed]
        if wanted and len(lost) > len(wanted) / 2:
            missing.append((name, lost[:5], len(lost), len(wanted)))
    assert not missing, missing


def untimed(entry):
    """The numbers of a table or a plot that are no times, as a list for each row or line; or a text."""
    if entry["is"] == "table":
        kept = [column["unit"] not in TIMES and "speed-up" not in column["name"] and " / " not in column["name"] for column in entry["columns"]]
        heads = [f"{column['by']} {column['unit']}" for column in entry["columns"]]
        return [[cell for cell, keep in zip(row, kept) if keep] for row in [heads, *entry["rows"]]]
    if entry["is"] == "plot":
        return [] if {entry["y"], entry["x"]} & {"time", "speed-up"} else [line["points"] for line in entry["lines"]]
    return entry["text"]


def numbers_of(found):
    """All of them, by part, and of the summary. Texts and the summary of a part with times may tell of these, and are left out."""
    numbers, timed = {}, set()
    for name, entries in parts(found):
        if any(column["unit"] in TIMES for entry in entries if entry["is"] == "table" for column in entry["columns"]):
            timed.add(name)
        numbers[name] = [untimed(entry) for entry in entries
                         if entry["is"] in ("table", "plot") or (entry["is"] == "text" and name not in timed)]
    numbers["summary"] = [[line[field] for field in ("here", "low", "high", "reproduced")] for line in found["summary"]
                          if f"{line['experiment']} {line['part']}" not in timed]
    return numbers


def alike(one, other):
    """Equal, but for what the last digits of a logarithm are on another machine."""
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return abs(one - other) <= 1e-9 * abs(one)
    return one == other


def no_more(before, now):
    """A table whose last column is at most what it was."""
    return alike([row[:-1] for row in before], [row[:-1] for row in now]) and all(
        isinstance(one[-1], str) or 0 < other[-1] <= one[-1] for one, other in zip(before, now))


def text_of(page):
    """What a piece of the page shows."""
    return html.unescape(re.sub("<[^>]*>", "", page))


def shape_of(cell):
    """How a number is shown, whatever it is: its decimals, and that thousands are grouped."""
    return re.sub(r"\d+((?:\u202f\d+)*)(?:\.(\d+))?", lambda number: "#" + "\u202f#" * bool(number[1]) + "." * bool(number[2]) +
                  "0" * len(number[2] or ""), text_of(cell))


def shown_of(entry, figure, timed):
    """Of a table the first row, of a plot what stands at its axes and beside its lines; what is about times is left out."""
    if entry["is"] == "plot":
        ticks = re.findall('<text class="tick"[^>]*>(.*?)</text>', figure)
        return [[] if timed else ticks, *(text_of(name) for name in re.findall('<text class="name"[^>]*>(.*?)</text>', figure))]
    cells = re.findall(r'<t[hd](?: scope="row")? class="[^"]*">(.*?)</t[hd]>', figure.split("<tbody>", 1)[1].split("</tr>", 1)[0])
    return [shape_of(cell) for cell, column in zip(cells, entry["columns"], strict=True) if not timed and column["unit"] not in TIMES]


def words_of_entry(entry, figures, timed):
    """What numbers.json has not: commands, names, titles, how a number is shown, and beside times what was published or chosen."""
    if entry["is"] == "command":
        return entry["text"]
    figure = next(figures)
    if entry["is"] == "plot":
        return [entry["title"], entry["x"], entry["x_unit"], entry["y"], entry["y_unit"], shown_of(entry, figure, timed),
                *([line["name"], line["by"], line["points"] if timed and line["by"] != "here" else []] for line in entry["lines"])]
    columns = entry["columns"]
    fixed = [[cell for cell, column in zip(row, columns) if column["by"] != "here"] for row in entry["rows"] if timed]
    return [entry["title"], *([column["name"], column["unit"], column["by"]] for column in columns), shown_of(entry, figure, timed), *fixed]


def words_of(found, page):
    """By part, with those of the experiment itself and of its lines in the summary. A line about a speed-up is there only if it
    exceeds the noise of the run, which is its range."""
    figures = iter(re.findall(r'<figure class="(?:table|plot)">(.*?)</figure>', page, re.S))
    words = {}
    for experiment in found["experiments"]:
        words[experiment["id"]] = [experiment["title"], experiment["source"], experiment["about"]]
        for part in experiment["parts"]:
            timed = any(column["unit"] in TIMES for entry in part["found"] if entry["is"] == "table" for column in entry["columns"])
            words[f"{experiment['id']} {part['id']}"] = [part["title"], *(words_of_entry(entry, figures, timed) for entry in part["found"]
                                                                              if entry["is"] != "text")]
    words["summary"] = [[*(line[field] for field in ("part", "what", "unit", "by", "expected", "low", "high")), re.sub(r"\d+", "#", line["why"])]
                        for line in found["summary"] if not line["what"].startswith("Speed-up")]
    assert next(figures, None) is None
    return words


def check_kept(path, of):
    """What a run of each experiment gives is what is kept of it."""
    for experiment, kept in json.loads(path.read_text(encoding="utf-8")).items():
        if experiment == LONGEST and os.environ.get("INK_TEST_LIGHT"):
            continue
        found = of(*run_of(experiment))
        assert list(found) == list(kept), (experiment, list(found))
        for part, values in kept.items():
            for number, (before, now) in enumerate(itertools.zip_longest(values, found[part])):
                by_chance = path == KEPT and (part, number) == BY_CHANCE
                assert (no_more if by_chance else alike)(before, now), (part, number, before, now)


def numbers_are_those_that_are_kept():
    """Whatever the threads and the instruction set: all experiments are on keys that are the same each time."""
    check_kept(KEPT, lambda found, page: numbers_of(found))


def words_are_those_that_are_kept():
    """What is shown around the numbers, the commands that make them, and what was published beside them."""
    check_kept(KEPT_WORDS, words_of)


def write(path, of):
    """A line for each part."""
    pages = re.findall(r"^  (\d{3})  ", subprocess.run([BINARIES / "ink", "help", "lab"], check=True, capture_output=True, text=True).stdout, re.M)
    texts = [f'"{page}": {{\n' + ",\n".join(f"{json.dumps(name)}: {json.dumps(values, ensure_ascii=False)}" for name, values in of(*run_of(page)).items()) + "}"
             for page in pages]
    path.write_text("{" + ",\n".join(texts) + "}\n", encoding="utf-8")


def write_both():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write(KEPT, lambda found, page: numbers_of(found))
        write(KEPT_WORDS, words_of)


def as_the_shell_reads_it(text):
    return subprocess.run(["bash", "-c", 'eval "f() {\n$1\n}" && declare -f f', "bash", text], text=True, capture_output=True, check=True).stdout


def long_commands_in_lines_are_the_same_commands():
    """The page breaks long commands into lines; JSON has them as they are."""
    found, page = first_run()
    blocks = []
    for _, entries in parts(found):
        for is_command, together in itertools.groupby(entries, lambda entry: entry["is"] == "command"):
            blocks += ["\n".join(entry["text"] for entry in together)] if is_command else []
    shown = [html.unescape(block) for block in re.findall("<pre>(.*?)</pre>", page, re.S)]
    assert len(shown) == len(blocks) and shown != blocks, (len(shown), len(blocks))
    for block, lines in zip(blocks, shown):
        assert as_the_shell_reads_it(lines) == as_the_shell_reads_it(block), lines


TESTS = (a_second_run_finds_the_same, one_thread_finds_the_same, commands_that_are_typed_make_the_numbers,
         every_row_has_numbers_of_ours_and_columns_have_names_of_their_own, texts_are_of_one_house,
         long_commands_in_lines_are_the_same_commands, numbers_are_those_that_are_kept, words_are_those_that_are_kept)

if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        sys.exit(write_both())
    sys.exit(tap.run(TESTS, "ink-lab-"))
