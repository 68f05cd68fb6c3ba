#!/usr/bin/env python3
"""ink dedup against a model that keeps every text: on many small corpora of every form, at every level, with any number of
threads, the same bytes come out, and the same is removed.

Prints a TAP line for each test and exits with the number that failed.
"""
import gzip
import json
import math
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata

import tap
from help_pages import INK

CORPORA = 30  # for each sort of test
KILLS, BOUNDS = 27, 50  # runs that are killed, and corpora whose wrongly removed texts are counted, at each level
PROGRESS = ".ink-dedup-progress"
SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
WORDS = ["a", "b", "The", "the", "THE", "Straße", "STRASSE", "Ünï", "ünï", "don't", "dont", "—", "end.", "end", "İx", "猫", "😀", "Ωm",
         "ωm", "\x1cx", "‘q’", "q", "x\u200by"]
random_source = random.Random(7)


def ink(*words, code=0, **options):
    done = subprocess.run([INK, *map(str, words)], capture_output=True, check=False, timeout=100, **options)
    assert done.returncode == code, (words, done.returncode, done.stderr.decode())
    return done.stdout.decode() if code == 0 else done.stderr.decode()


def zstd(data, *words):
    return subprocess.run(["zstd", "-q", *words], input=data, capture_output=True, check=True).stdout


PACK = {"": lambda data: data, ".gz": gzip.compress, ".zst": zstd}
UNPACK = {"": lambda data: data, ".gz": lambda data: gzip.decompress(data) if data else data, ".zst": lambda data: zstd(data, "-dc")}


# ---- The model ---------------------------------------------------------------------------------------------------

def lower(word):
    """The simple lower case of each letter."""
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in word)


def words_of(text, rule):
    words = re.split(f"[{SPACES}]+", text)
    if rule.get("lower"):
        words = [lower(word) for word in words]
    if rule.get("strip"):
        words = ["".join(c for c in word if not unicodedata.category(c).startswith("P")) for word in words]
    return [word for word in words if word]


def ngrams_of(text, rule):
    parts = list(text.encode()) if rule.get("bytes") else words_of(text, rule)
    size = rule["ngrams"]
    if not parts:
        return set()
    return {tuple(parts[at:at + size]) for at in range(max(1, len(parts) - size + 1))}


class Model:
    """What was seen, and what becomes of the next document."""

    def __init__(self, rule):
        self.rule = rule
        self.exact, self.paragraphs, self.ngrams = {}, set(), set()

    def decide(self, text, place):
        """The level that removes the document or None, its parts that are cut, and the row that explains it."""
        rule, level, row = self.rule, None, {}
        counts = [bool(part.strip(" \t\n\v\f\r")) for part in text.split("\n")]
        cut = []
        if "paragraphs" in rule:
            for number, part in enumerate(text.split("\n")):
                if counts[number]:
                    if part in self.paragraphs:
                        cut.append(number)
                    self.paragraphs.add(part)
            if cut:
                level, row = "paragraphs", {"texts": sum(counts), "removed": len(cut), "whole": len(cut) == sum(counts)}
        if "ngrams" in rule:
            mine = ngrams_of(text, rule)
            seen = len(mine & self.ngrams)
            self.ngrams |= mine
            if mine and seen >= max(1, math.ceil(rule.get("overlap", 0.8) * len(mine) * (1 - 1e-12))):
                level, row = "ngrams", {"texts": len(mine), "removed": seen, "whole": True}
        if "exact" in rule:
            earlier = self.exact.setdefault(text, place)
            if earlier is not place:
                level, row = "exact", {"texts": 1, "removed": 1, "whole": True,
                                       "earlier_file": earlier[0], "earlier_line": earlier[1]}
        if level:
            row["level"] = level
        return level, cut, row


def cut_json(line, text, cut):
    """The line without parts of the text, whose newlines are all escaped as \\n."""
    if len(cut) == sum(bool(part.strip(" \t\n\v\f\r")) for part in text.split("\n")):
        return b""
    start = re.search(rb'"text": ?"', line).end()
    end = re.compile(rb'(?:[^"\\]|\\.)*').match(line, start).end()
    parts = re.split(rb"(\\n|\\u000[aA])", line[start:end])
    kept = b""
    first = True
    for number in range(0, len(parts), 2):
        if number // 2 in cut:
            continue
        kept += (b"" if first else parts[number - 1]) + parts[number]
        first = False
    return line[:start] + kept + line[end:]


# ---- Corpora -----------------------------------------------------------------------------------------------------

def draw_text(lines):
    r = random_source
    def sentence():
        return "".join(r.choice(WORDS) + r.choice([" ", " ", " ", "  ", "\u3000", "\t", "\u2028", "\xa0"])
                       for _ in range(r.randrange(0, 9))).rstrip(" ") if r.random() < 0.9 else r.choice(["", " ", "\t \r", "x" * 3000])
    if not lines:
        return sentence() or "x"
    return "\n".join(sentence() for _ in range(r.randrange(1, 7)))


def escape(text):
    """A string of JSON, with escapes as different writers have them."""
    r = random_source
    quoted = json.dumps(text, ensure_ascii=r.random() < 0.5)[1:-1]
    if r.random() < 0.3:
        quoted = quoted.replace("\\n", r.choice(["\\u000a", "\\u000A"]))
    if r.random() < 0.2:
        quoted = quoted.replace("/", "\\/").replace("the", "\\u0074he")
    return quoted


def draw_record(text, form):
    r = random_source
    if form == "jsonl":
        return (r.choice(['{"text": "%s"}', '{"id": 7, "text":"%s", "more": {"text": "no"}}', ' {"x":[1,{"text":2}],"text": "%s" } '])
                % escape(text)).encode()
    return text.encode()


def draw_corpus(folder, form, lines):
    """Writes files, and returns for each its name, how it is packed, and records with their texts."""
    r = random_source
    pool = [draw_text(lines) for _ in range(r.randrange(1, 25))]
    files = []
    for number in range(r.randrange(1, 5)):
        records = []
        for _ in range(r.choice([0, 1, 5, 40])):
            text = r.choice(pool) if r.random() < 0.5 else draw_text(lines)
            if lines and r.random() < 0.3:
                text = "\n".join(r.sample(text.split("\n") + r.choice(pool).split("\n"), 2)) if "\n" in text else text
            if form != "jsonl":
                text = "".join(" " if c in "\n\r\0" and form == "lines" else c for c in text).replace("\0", "") or "y"
            records.append((draw_record(text, form), text))
        packed = r.choice(["", "", ".gz", ".zst"])
        end = b"\0" if form == "nul" else b"\n"
        data = end.join(record for record, _ in records) + (end if records and r.random() < 0.8 else b"")
        suffix = {"jsonl": ".jsonl", "lines": ".txt", "nul": ".txt"}[form]
        path = pathlib.Path(folder, r.choice(["", "deep/", "deep/er/"]) + f"{number}{suffix}{packed}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(PACK[packed](data))
        files.append((path, packed, data, records))
    return sorted(files, key=lambda file: bytes(file[0]))


def model_of(files, rule, form, model=None):
    """The bytes of each result, and the rows that explain them."""
    model = model or Model(rule)
    results, rows = [], []
    end = b"\0" if form == "nul" else b"\n"
    for path, _, data, records in files:
        kept = b""
        for number, (record, text) in enumerate(records, 1):
            ended = end if number < len(records) or data.endswith(end) else b""
            level, cut, row = model.decide(text, (str(path), number))
            if level:
                rows.append({"file": str(path), "line": number, **row})
            if level == "paragraphs" and form == "jsonl":
                short = cut_json(record, text, cut)
                kept += short + ended if short else b""
            elif level == "paragraphs":
                parts = [part for at, part in enumerate(text.split("\n")) if at not in cut]
                kept += b"" if row["whole"] else "\n".join(parts).encode() + ended
            elif not level:
                kept += record + ended
        results.append(kept)
    return results, rows


def options_of(rule):
    words = ["--exact"] * ("exact" in rule) + ["--paragraphs"] * ("paragraphs" in rule)
    if "ngrams" in rule:
        words += ["--bytes" if rule.get("bytes") else "--ngrams", rule["ngrams"]]
        words += ["--overlap", rule["overlap"]] if "overlap" in rule else []
    return words + ["--lower"] * bool(rule.get("lower")) + ["--strip-punctuation"] * bool(rule.get("strip"))


def check_results(files, results, out, folder="in"):
    for (path, packed, _, _), expected in zip(files, results):
        found = UNPACK[packed](pathlib.Path(out, path.relative_to(folder)).read_bytes())
        assert found == expected, (path, expected, found)
    assert sum(len(set(names) - {PROGRESS}) for _, _, names in os.walk(out)) == len(files)


def rows_of(path):
    return [json.loads(line) for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines()]


def check_rows(path, expected):
    found = rows_of(path)
    for row, wanted in zip(found, expected):
        assert {name: row[name] for name in wanted} == wanted, (row, wanted)
        assert abs(row["share"] - row["removed"] / row["texts"]) < 1e-9
    assert len(found) == len(expected)


def check_report(levels, whole, files, rows, form):
    """Each number, by what the model removed."""
    sizes = {(str(path), number): len(record) + (number < len(records) or data.endswith(b"\0" if form == "nul" else b"\n"))
             for path, _, data, records in files for number, (record, _) in enumerate(records, 1)}
    gone = [row for row in rows if row["whole"]]
    for level in levels:
        mine = [row for row in rows if row["level"] == level["level"]]
        assert level["removed"] == sum(row["removed"] if row["level"] == "paragraphs" else 1 for row in mine), (level, mine)
        assert level["removed_bytes"] == sum(sizes[row["file"], row["line"]] for row in mine if row["whole"]), (level, mine)
        assert level["wrong_high"] == 0, level
    removed_bytes = sum(sizes[row["file"], row["line"]] for row in gone)
    expected = {"texts": len(sizes), "removed": len(gone), "bytes": sum(len(data) for _, _, data, _ in files),
                "kept": len(sizes) - len(gone), "kept_bytes": sum(sizes.values()) - removed_bytes, "files": len(files),
                "changed": len(rows) - len(gone), "emptied": sum(row["level"] == "paragraphs" for row in gone), "bad": 0}
    assert {name: whole[name] for name in expected} == expected, (whole, expected)


def check_corpora(form, rules, lines=True):
    for number in range(CORPORA):
        shutil.rmtree("in", ignore_errors=True)
        files = draw_corpus("in", form, lines)
        rule = random_source.choice(rules)
        results, rows = model_of(files, rule, form)
        words = ["dedup", "--in", form, *options_of(rule), "in"]
        ink(*words, "-q", "--force", "-o", f"out{number}", "--explain", "why", "--threads", 1 + number % 3)
        check_results(files, results, f"out{number}")
        check_rows("why", rows)
        *levels, whole = [json.loads(line) for line in ink(*words, "--dry-run", "--json", "--threads", 2).splitlines()]
        check_report(levels, whole, files, rows, form)


NGRAMS = [{"ngrams": size, "overlap": overlap, "lower": low, "strip": strip}
          for size in (1, 2, 3, 13) for overlap in (0.01, 0.5, 0.8, 1) for low in (0, 1) for strip in (0, 1)]


def exact_and_paragraphs_are_those_of_a_model_in_JSON():
    check_corpora("jsonl", [{"exact": 1}, {"paragraphs": 1}, {"exact": 1, "paragraphs": 1}])


def ngrams_of_words_are_those_of_a_model_in_JSON():
    check_corpora("jsonl", NGRAMS)


def all_levels_together_are_those_of_a_model():
    check_corpora("jsonl", [{"exact": 1, "paragraphs": 1, **rule} for rule in NGRAMS])


def lines_are_documents_as_in_a_model():
    check_corpora("lines", [{"exact": 1}, {"ngrams": 2}, {"paragraphs": 1}], lines=False)


def what_ends_with_NUL_are_documents_as_in_a_model():
    check_corpora("nul", [{"exact": 1}, {"ngrams": 3, "overlap": 0.5}, {"paragraphs": 1}])


def ngrams_of_bytes_are_those_of_a_model():
    check_corpora("jsonl", [{"ngrams": size, "bytes": 1, "overlap": 0.7} for size in (1, 5, 20)])


def every_letter_has_the_lower_case_and_punctuation_of_the_named_Unicode():
    """One document has all letters; another one in lower case without punctuation is the same one."""
    if unicodedata.unidata_version != "14.0.0":
        raise tap.Skipped(f"Python has Unicode {unicodedata.unidata_version}")
    points = [chr(point) for point in range(0x21, 0x110000) if not 0xD800 <= point < 0xE000 and chr(point) not in SPACES]
    for rule, change in (({"lower": 1}, lower), ({"strip": 1}, lambda c: "" if unicodedata.category(c).startswith("P") else c)):
        changed = [(c, change(c)) for c in points]
        lines = [json.dumps({"text": " ".join("w" + part for part in pair)}) for pair in zip(*changed)]
        pathlib.Path("u.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        report = ink("dedup", "--ngrams", 2, "--overlap", 1, "--json", *options_of(rule), "--dry-run", "u.jsonl")
        assert json.loads(report.splitlines()[0])["removed"] == 1, rule
        report = ink("dedup", "--ngrams", 2, "--overlap", 1, "--json", "--dry-run", "u.jsonl")
        assert json.loads(report.splitlines()[0])["removed"] == 0


# ---- Larger corpora ----------------------------------------------------------------------------------------------

def write_large(records, copies=0.3):
    """Two files of some MB, so that there are several chunks."""
    r = random_source
    texts = []
    pathlib.Path("in").mkdir(exist_ok=True)
    for name, pack in (("a.jsonl", PACK[""]), ("b.jsonl.gz", PACK[".gz"]), ("c.jsonl.zst", PACK[".zst"])):
        lines = []
        for _ in range(records):
            text = r.choice(texts) if texts and r.random() < copies else " ".join(r.choices(LARGE_WORDS, k=r.randrange(5, 60))) + "\n" + str(r.randrange(50))
            texts.append(text)
            lines.append(json.dumps({"text": text}).encode() + b"\n")
        pathlib.Path("in", name).write_bytes(pack(b"".join(lines)))


LARGE_WORDS = [f"word{number}" for number in range(5000)]


def bytes_below(folder):
    """Of all files, but for what a run says to the next one."""
    return {path.relative_to(folder): path.read_bytes() for path in sorted(pathlib.Path(folder).rglob("*"))
            if path.is_file() and path.name != PROGRESS}


def the_same_bytes_come_for_any_number_of_threads():
    write_large(9000)
    results = []
    for threads in (1, 2, 3, 8):
        ink("dedup", "--exact", "--paragraphs", "--ngrams", 3, "--explain", f"why{threads}", "-q", "--threads", threads, "-o", f"out{threads}", "in")
        results.append((bytes_below(f"out{threads}"), pathlib.Path(f"why{threads}").read_bytes()))
    assert all(result == results[0] for result in results[1:])
    rule = {"exact": 1, "paragraphs": 1, "ngrams": 3}
    files = [(path, packed, data, [(line, json.loads(line)["text"]) for line in data.splitlines()])
             for path, packed in ((pathlib.Path("in/a.jsonl"), ""), (pathlib.Path("in/b.jsonl.gz"), ".gz"), (pathlib.Path("in/c.jsonl.zst"), ".zst"))
             for data in [UNPACK[packed](path.read_bytes())]]
    expected, rows = model_of(files, rule, "jsonl")
    check_results(files, expected, "out8")
    check_rows("why8", rows)


def a_crawl_in_parts_gives_what_the_whole_gives():
    """What was seen is kept in a file: another run goes on, and files of two machines merge."""
    write_large(500)
    for name in ("a.jsonl", "b.jsonl.gz", "c.jsonl.zst"):
        ink("dedup", "-q", "--exact", "--paragraphs", "--ngrams", 5, "--seen", "s.ink", "-n", 100000, "-o", "parts", f"in/{name}")
    ink("dedup", "-q", "--exact", "--paragraphs", "--ngrams", 5, "-o", "whole", "in")
    assert bytes_below("parts") == bytes_below("whole")
    for name in ("a.jsonl", "b.jsonl.gz"):
        ink("dedup", "-q", "--seen", f"{name}.ink", "-n", 5000, "-o", "own", f"in/{name}")
    ink("merge", "-o", "both.ink", "a.jsonl.ink", "b.jsonl.gz.ink")
    ink("dedup", "-q", "--seen", "one.ink", "-n", 5000, "-o", "one", "in/a.jsonl", "in/b.jsonl.gz")
    results = []
    for name in ("both", "one"):
        ink("dedup", "-q", "--seen", f"{name}.ink", "-o", f"c-{name}", "in/c.jsonl.zst")
        results.append(bytes_below(f"c-{name}"))
    assert results[0] == results[1]


def texts_of_a_given_file_alone_are_seen():
    pathlib.Path("questions.jsonl").write_text('{"text":"what is the name of the river"}\n', encoding="utf-8")
    lines = ['{"text":"x y z what is the name of the river or lake"}', '{"text":"a b c d"}', '{"text":"a b c d"}']
    pathlib.Path("crawl.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    ink("dedup", "-q", "--ngrams", 5, "--seen", "q.ink", "-n", 1000, "-o", "made", "questions.jsonl")
    before = pathlib.Path("q.ink").read_bytes()
    ink("dedup", "-q", "--ngrams", 5, "--overlap", 1e-9, "--against", "q.ink", "-o", "out", "crawl.jsonl")
    assert pathlib.Path("out/crawl.jsonl").read_text(encoding="utf-8").splitlines() == lines[1:]
    assert pathlib.Path("q.ink").read_bytes() == before


def wrongly_removed(level):
    """The report about a corpus of texts that are all different, with a filter of a high rate."""
    names = random_source.sample(range(10**9), 3000)
    pathlib.Path("r.txt").write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    pathlib.Path("r.ink").unlink(missing_ok=True)
    report = json.loads(ink("dedup", level, "--json", "-n", 3000, "-p", 0.05, "--memory", "1M", "--seen", "r.ink", "--dry-run", "r.txt").splitlines()[0])
    assert report["removed"] <= report["wrong_high"], (level, report)
    return report


def what_is_removed_wrongly_stays_below_the_bound():
    for level in ("--exact", "--paragraphs", "--ngrams=1"):
        reports = [wrongly_removed(level) for _ in range(BOUNDS)]
        wrong, expected = (sum(report[name] for report in reports) for name in ("removed", "wrong"))
        assert abs(wrong - expected) < 6 * math.sqrt(expected) + 40, (level, wrong, expected)


def filters_that_are_larger_than_the_memory_give_the_same():
    """They are made in ranges of hashes on disk; also where signatures are made, and in a run that is killed and goes on."""
    write_large(4000)
    options = ("dedup", "--json", "--ngrams", 2, "--near", 0.9, "--exact", "--paragraphs", "-n", 800_000)
    results = []
    for memory, threads in (("24M", 2), ("1M", 1), ("1M", 3)):
        report = [json.loads(line) for line in ink(*options, "--memory", memory, "--threads", threads, "-o", f"out{memory}{threads}", "in").splitlines()]
        results.append((bytes_below(f"out{memory}{threads}"), [level.get("current_rate") for level in report]))
        assert ("passes" in report[2]) == (memory == "1M"), report
    assert all(result == results[-1] for result in results[1:]) and results[0][1][2] == results[1][1][2]
    words = (*options[:1], *options[2:], "-q", "--every", "1ms", "--memory", "1M", "-o", "part", "in")
    for _ in range(2):
        run_and_kill(words, random_source.random())
    ink(*words)
    assert bytes_below("part") == results[1][0]


# Runs a command, and prints the most memory that it had, in KiB. A large process would hand its own down.
MEASURED = "import os, sys; _, code, usage = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0); print(usage.ru_maxrss, file=sys.stderr); sys.exit(code != 0)"


def a_plan_says_what_memory_a_run_takes():
    """Within 5 %, level by level; and all of it, of a run that takes far more than chunks do."""
    tap.without_sanitizer(INK)
    pathlib.Path("n.txt").write_text("".join(f"{number}\n" for number in range(2_500_000)), encoding="utf-8")
    for level, memory in (("--exact", "1G"), ("--paragraphs", "30M"), ("--ngrams=1", "1G"), ("--ngrams=1", "10M")):
        planned = [json.loads(line) for line in ink("plan", "dedup", level, "-n", 2_500_000, "--memory", memory, "--threads", 2, "--json", "n.txt").splitlines()]
        done = subprocess.run([sys.executable, "-c", MEASURED, INK, "dedup", level, "-n", "2500000", "--memory", memory, "--threads", "2", "--json", "--dry-run", "n.txt"],
                              capture_output=True, check=True, text=True)
        found = json.loads(done.stdout.splitlines()[0])
        assert abs(found["memory"] - planned[0]["memory"]) <= 0.05 * planned[0]["memory"], (level, memory, found, planned)
        assert int(done.stderr) * 1024 <= 1.05 * planned[2]["memory"], (level, memory, done.stderr, planned)
    sampled = [json.loads(line) for line in ink("plan", "dedup", "--exact", "--ngrams", 1, "--json", "n.txt").splitlines()]
    assert sampled[0]["table"] and sampled[1]["keys"] >= 2_500_000 and sampled[-1]["bytes"] == pathlib.Path("n.txt").stat().st_size
    near = [json.loads(line) for line in ink("plan", "dedup", "--near", 0.8, "-n", 1000, "--json").splitlines()]
    curve = [row for row in near if "similarity" in row]
    assert near[0]["permutations"] == 2048 and near[0]["bands"] * near[0]["rows"] <= 512
    assert all(one["removed"] <= other["removed"] and one["compared"] <= other["compared"] for one, other in zip(curve, curve[1:]))
    assert curve[-1]["removed"] == 1 and all(row["removed"] < 0.001 for row in curve if row["similarity"] <= 0.7)


# ---- Documents that are like an earlier one -----------------------------------------------------------------------

def write_families(documents):
    """Documents of random words, some of which are edited copies of earlier ones; returns the best Jaccard similarity of each
    with an earlier one, by all n-grams of five words."""
    r, texts, sets, found, best = random_source, [], [], {}, []
    for _ in range(documents):
        text = r.choices(LARGE_WORDS, k=r.choice([3, 100, 200, 400]))
        if texts and r.random() < 0.4:
            text = list(r.choice(texts))
            for _ in range(int(len(text) * r.choice([0, 0, 0.004, 0.01, 0.06, 0.1]))):
                text[r.randrange(len(text))] = r.choice(LARGE_WORDS)
        texts.append(text)
    for text in texts:
        mine = {tuple(text[at:at + 5]) for at in range(max(1, len(text) - 4))}
        common = {}
        for ngram in mine:
            for other in found.setdefault(ngram, []):
                common[other] = common.get(other, 0) + 1
            found[ngram].append(len(sets))
        best.append(max((count / (len(mine) + len(sets[other]) - count) for other, count in common.items()), default=0))
        sets.append(mine)
    lines = [json.dumps({"text": " ".join(text)}) + "\n" for text in texts]
    pathlib.Path("in").mkdir(exist_ok=True)
    for number in range(3):
        pathlib.Path(f"in/{number}.jsonl").write_text("".join(lines[number * documents // 3:(number + 1) * documents // 3]), encoding="utf-8")
    return best, sets


def documents_that_are_like_an_earlier_one_are_found():
    """At a similarity of 0.8: all that are equal, nearly all that are as alike, few that are less; each with one that is
    there; the same for any number of threads, and from disk."""
    best, sets = write_families(3000)
    for threads, memory in ((1, "1G"), (3, "1G"), (2, "1M")):
        ink("dedup", "-q", "--near", 0.8, "--explain", f"why{threads}", "--threads", threads, "--memory", memory, "-o", f"out{threads}", "in")
        assert bytes_below(f"out{threads}") == bytes_below("out1")
        assert pathlib.Path(f"why{threads}").read_bytes() == pathlib.Path("why1").read_bytes()
    removed = set()
    for row in rows_of("why1"):
        at, earlier = (int(row[name + "file"][3]) * 1000 + row[name + "line"] - 1 for name in ("", "earlier_"))
        similarity = len(sets[at] & sets[earlier]) / len(sets[at] | sets[earlier])
        assert earlier < at and row["share"] >= 0.8 and abs(similarity - row["share"]) < 0.08, (row, similarity)
        removed.add(at)
    assert {number for number, share in enumerate(best) if share == 1} <= removed
    like = {number for number, share in enumerate(best) if share >= 0.8}
    assert len(removed & like) >= 0.96 * len(like) and len(removed & like) >= 0.96 * len(removed)
    assert all(best[number] > 0.72 for number in removed)
    report = json.loads(ink("dedup", "--near", 0.8, "--dry-run", "--json", "in").splitlines()[0])
    assert (report["texts"], report["first"], report["removed"]) == (3000, 3000 - len(removed), len(removed))


# ---- Runs that are killed ------------------------------------------------------------------------------------------

def run_and_kill(words, seconds):
    """Whether a run came to its end before it was killed. One that had come to it before says so."""
    with subprocess.Popen([INK, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
        try:
            complaint = run.communicate(timeout=seconds)[1].decode()
        except subprocess.TimeoutExpired:
            run.kill()
            return False
    assert run.returncode == 0, (run.returncode, complaint)
    return True


def kill_until(levels, kills):
    """Kills runs until there were so many, and compares what comes in the end with a run that is not killed."""
    shutil.rmtree("in", ignore_errors=True)
    for number in range(8):
        write_large(200)
        os.rename("in/a.jsonl", f"in/{number}.jsonl")
    started = time.monotonic()
    ink("dedup", "-q", *levels, "-o", "whole", "--force", "in")
    seconds = time.monotonic() - started
    outputs = [path for path in map(pathlib.Path, ("s.ink", "why")) if path.exists()]
    whole = bytes_below("whole"), [path.read_bytes() for path in outputs]
    killed = 0
    while killed < kills:
        shutil.rmtree("part", ignore_errors=True)
        for path in outputs:
            path.unlink(missing_ok=True)
        while not run_and_kill(("dedup", "-q", "--every", "1ms", *levels, "-o", "part", "in"), seconds * random_source.random() * 1.5):
            killed += 1
        found = {path: data for path, data in bytes_below("part").items() if ".tmp." not in path.name}
        assert (found, [path.read_bytes() for path in outputs]) == whole
    for path in outputs:
        path.unlink()


KILLED = (("--exact", "--paragraphs", "--ngrams", 3), ("--near", 0.8, "--exact"), ("--exact", "--seen", "s.ink", "-n", 100000))


def a_run_that_is_killed_goes_on_and_gives_the_same():
    for levels in KILLED:
        kill_until(levels, KILLS // len(KILLED))


def many_threads_save_how_far_they_are():
    """Each range of a table is a section of the file of progress, which has few."""
    pathlib.Path("in").mkdir()
    for number in range(2):
        pathlib.Path("in", f"{number}.jsonl").write_text("".join('{"text":"%d %060d"}\n' % (random_source.getrandbits(60), i) for i in range(60_000)))
    for threads in (1, 12):
        ink("dedup", "-q", "--every", "1ms", "--exact", "--paragraphs", "--threads", threads, "-o", f"out{threads}", "in")
    assert bytes_below("out12") == bytes_below("out1")


def a_run_that_was_done_says_so():
    write_large(100)
    for inputs in (["in/a.jsonl"], ["in"]):
        shutil.rmtree("out", ignore_errors=True)
        report = ink("dedup", "--json", "-o", "out", *inputs)
        before = bytes_below("out")
        done = subprocess.run([INK, "dedup", "--json", "-o", "out", *inputs], capture_output=True, check=True, text=True)
        assert untimed(done.stdout) == untimed(report) and "the same run was finished before, and nothing was done" in done.stderr, done
        ink("dedup", "-q", "--force", "-o", "out", *inputs)
        assert bytes_below("out") == before
        pathlib.Path("out/a.jsonl").unlink()
        if len(before) > 1:
            assert "exists already" in ink("dedup", "-q", "-o", "out", *inputs, code=2)
    # Rows may be missing: all is made again.
    ink("dedup", "-q", "--explain", "why", "-o", "rows", "in")
    rows = pathlib.Path("why").read_bytes()
    pathlib.Path("why").unlink()
    ink("dedup", "-q", "--explain", "why", "-o", "rows", "in")
    assert pathlib.Path("why").read_bytes() == rows and bytes_below("rows") == before


def results_below_an_input_folder_are_refused():
    write_large(10)
    pathlib.Path("in/deep").mkdir()
    os.symlink("in/deep", "link")
    for out in ("in/out", "in/deep/out/er", "link/out", "in"):
        for inputs in (["in"], ["in/a.jsonl", "in/"], ["i*"]):
            assert "in: is an input, and has the folder of results, expected that outside" in ink("dedup", "--force", "-o", out, *inputs, code=2)
    ink("dedup", "-q", "-o", "in/out", "in/a.jsonl")


def progress_of_another_run_is_refused():
    write_large(200)
    resource_limit = (20_000, 20_000)
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, resource_limit)
    ink("dedup", "-q", "-o", "small", "in/a.jsonl")
    pathlib.Path("in/0.jsonl").write_text('{"text":"x"}\n', encoding="utf-8")
    ink("dedup", "-q", "-o", "out", "in", code=4, preexec_fn=limit)
    assert pathlib.Path("out/.ink-dedup-progress").exists()
    said = ink("dedup", "-q", "--paragraphs", "-o", "out", "in", code=2)
    assert "a run of other inputs or options was not finished here; --force starts over" in said, said
    ink("dedup", "-q", "-o", "out", "in")
    ink("dedup", "-q", "-o", "again", "in")
    assert bytes_below("out") == bytes_below("again")


def interrupt(words, size=250_000):
    """Runs a command that ends at the first file of results above this size; files before it are finished and saved."""
    ink("dedup", "-q", "--every", "1ms", *words, code=4, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))


def write_three():
    """The last file is above the limit of `interrupt`; each repeats texts, paragraphs and words of those before it. The first
    ones take longer than a millisecond: it is saved how far a run has come after each."""
    pathlib.Path("in").mkdir()
    for number, (texts, different) in enumerate(((12_000, 900), (12_000, 900), (20_000, 20_000))):
        lines = ['{"text":"%d b c %d x\\n%d","other":"%080d"}\n' % (text * (number + 1) // 2, text % 70, text % 90, text)
                 for text in (at % different for at in range(texts))]
        pathlib.Path(f"in/{number}.jsonl").write_text("".join(lines), encoding="utf-8")


def untimed(report):
    return re.sub(r'"seconds":[^,}]*', "", report)


RUN = {"--exact": (), "--paragraphs": (), "--ngrams": 3, "--overlap": 0.9, "-n": 100_000, "-p": 0.01, "--max-rate": 0.9, "--memory": "64M"}
OTHER = ({"--overlap": 0.8}, {"-n": 100_001}, {"-p": 0.02}, {"--max-rate": 0.8}, {"--memory": "65M"}, {"--lower": ()}, {"--strip-punctuation": ()},
         {"--text": "other"}, {"--bad": "keep"}, {"--mark": ()}, {"--near": 0.9}, {"--ngrams": 4}, {"--ngrams": None, "--bytes": 3}, {"--exact": None},
         {"--paragraphs": None}, {"--in": "lines"}, {"--seen": "made.ink"}, {"--against": "made.ink"})


def words_of_run(**changed):
    return [word for name, value in (RUN | changed).items() if value is not None for word in ((name,) if value == () else (name, value))]


def a_run_goes_on_with_the_same_options_and_inputs_alone():
    """And the report is that of a run which was not interrupted."""
    write_three()
    ink("dedup", "-q", *words_of_run(**{"--seen": "made.ink"}), "-o", "made", "in")
    reports = []
    for out in ("whole", "part"):
        words = (*words_of_run(), "-o", out, "in")
        if out == "part":
            interrupt(words)
            for changed in OTHER:
                said = ink("dedup", "-q", *words_of_run(**changed), "-o", out, "in", code=2)
                assert "a run of other inputs or options was not finished here; --force starts over" in said, (changed, said)
            last, before = pathlib.Path("in/2.jsonl"), os.stat("in/2.jsonl")
            def other(size, nanoseconds, name):
                os.truncate(last, size)
                os.utime(last, ns=(0, nanoseconds))
                last.rename(f"in/{name}.jsonl")
                said = ink("dedup", "-q", *words, code=2)
                pathlib.Path(f"in/{name}.jsonl").rename(last)
                assert "a run of other inputs" in said, (size, nanoseconds, name, said)
            whole = last.read_bytes()
            other(before.st_size - 1, before.st_mtime_ns, 2)
            last.write_bytes(whole)
            other(before.st_size, before.st_mtime_ns + 10**9, 2)
            other(before.st_size, before.st_mtime_ns, 3)
            os.utime(last, ns=(0, before.st_mtime_ns))
        reports.append(untimed(ink("dedup", "--json", *words)))
    assert bytes_below("part") == bytes_below("whole") and reports[0] == reports[1], reports


def what_was_seen_before_stays_with_a_run_that_goes_on():
    """Levels of the file that the run does not use, and a file that is compared with alone."""
    write_three()
    results = []
    for out in ("whole", "part"):
        ink("dedup", "-q", "--exact", "--ngrams", 2, "-n", 30_000, "-p", 0.1, "--seen", f"{out}.ink", "-o", f"first-{out}", "in/0.jsonl")
        results.append([])
        for words in (("--exact", "--against", f"{out}.ink"), ("--exact", "--seen", f"{out}.ink")):
            if out == "part":
                interrupt((*words, "-o", out + words[1], "in/1.jsonl", "in/2.jsonl"), 1_800_000)
                assert pathlib.Path(out + words[1], "1.jsonl").exists() and not pathlib.Path(out + words[1], "2.jsonl").exists()
            report = untimed(ink("dedup", "--json", *words, "-o", out + words[1], "in/1.jsonl", "in/2.jsonl"))
            results[-1] += [bytes_below(out + words[1]), report, ink("info", "--json", f"{out}.ink").replace(out, "")]
    assert results[0] == results[1], results


def rows_are_those_of_all_records_or_refused():
    """A run that goes on begins again to have them, unless a file of what was seen may have all texts by then."""
    pathlib.Path("in").mkdir()
    for number, different in enumerate((3000, 3000, 20_000)):
        pathlib.Path(f"in/{number}.txt").write_text("".join(f"{(number + 1) * (at % different):060}\n" for at in range(20_000)), encoding="utf-8")
    rows, words = [], ("dedup", "-q", "--every", "1ms", "--exact")
    for out, interrupted in (("whole", False), ("part", True)):
        if interrupted:
            interrupt(("--exact", "-o", out, "in"))
            assert pathlib.Path(out, "0.txt").exists() and not pathlib.Path(out, "2.txt").exists()
        ink(*words, "--explain", f"why-{out}", "-o", out, "in")
        rows.append(pathlib.Path(f"why-{out}").read_bytes())
    assert rows[0] == rows[1] and bytes_below("whole") == bytes_below("part")
    seen = (*words, "--seen", "later/s.ink", "-n", 100_000, "-o", "out")
    ink(*seen, "in", code=4)
    said = ink(*seen, "--explain", "why", "in", code=2)
    assert "all files are finished, expected no rows of them" in said, said
    pathlib.Path("later").mkdir()
    ink(*seen, "in")
    assert "exists already; --force replaces it" in ink(*seen, "--explain", "why", "in", code=2)
    assert bytes_below("out") == bytes_below("whole") and not pathlib.Path("why").exists()


def a_filter_whose_keys_are_hashed_otherwise_is_refused():
    pathlib.Path("d.txt").write_text("a\nb\n")
    pathlib.Path("k.tsv").write_text("exact\ta\n")
    for words, found in ((("--seed", 5), "byte keys hashed by xxh3 with seed 5"), (("--key-type", "int"), "integer keys")):
        pathlib.Path("k.tsv").write_text("exact\t" + ("a" if words[0] == "--seed" else "1") + "\n")
        ink("build", "bloom", "-n", 10, "--in", "tsv", "--by", 1, "--key", 2, *words, "--force", "-o", "other.ink", "k.tsv")
        for option in ("--seen", "--against"):
            said = ink("dedup", "-q", "--exact", option, "other.ink", "-o", "results", "d.txt", code=3)
            assert f"other.ink: a filter of {found}" in said, said
            assert not pathlib.Path("results").exists()


# ---- What cannot be done -----------------------------------------------------------------------------------------

def write_bad():
    pathlib.Path("bad.jsonl").write_bytes(b'{"text":"a"}\n{"text":"a"\n{"no":1}\n{"text":7}\n{"text":"\xff"}\n{"text":"\\ud800"}\n\n[1]\n{"text":"a"}\n')


def bad_records_fail_or_are_left_out_or_stay():
    write_bad()
    said = ink("dedup", "-o", "out", "bad.jsonl", code=3)
    assert "bad.jsonl: line 2: the end of the record" in said, said
    assert not pathlib.Path("out/bad.jsonl").exists()
    for line, message in ((3, 'nothing at "text", expected a string'), (4, 'a number at "text", expected a string'),
                          (5, "byte 1 of the text is not UTF-8 (0xff)"), (6, "half of a surrogate pair"), (8, "an array, expected an object")):
        lines = pathlib.Path("bad.jsonl").read_bytes().splitlines(keepends=True)
        pathlib.Path("one.jsonl").write_bytes(lines[0] + lines[line - 1])
        said = ink("dedup", "--dry-run", "one.jsonl", code=3)
        assert f"one.jsonl: line 2: {message}" in said, said
    report = [json.loads(line) for line in ink("dedup", "--bad", "skip", "--json", "-o", "skipped", "bad.jsonl").splitlines()]
    assert report[-1]["bad"] == 6 and report[-1]["kept"] == 1
    assert pathlib.Path("skipped/bad.jsonl").read_bytes() == b'{"text":"a"}\n\n'
    ink("dedup", "--bad", "keep", "-q", "-o", "kept", "bad.jsonl")
    assert pathlib.Path("kept/bad.jsonl").read_bytes() == b"".join(lines[:-1])


def files_with_one_name_are_refused_before_anything_is_read():
    for folder in ("a", "b"):
        pathlib.Path(folder).mkdir()
        pathlib.Path(folder, "x.jsonl").write_text("broken\n", encoding="utf-8")
    for inputs in (("a", "b"), ("a/x.jsonl", "b/x.jsonl"), ("*/x.jsonl",)):
        said = ink("dedup", "-o", "out", *inputs, code=2)
        assert "has the same name in the folder of results as" in said, said
    assert not pathlib.Path("out").exists()
    pathlib.Path("a/x.jsonl").write_text('{"text":"1"}\n', encoding="utf-8")
    assert "is an input" in ink("dedup", "--force", "-o", "a", "a", code=2)
    ink("dedup", "-q", "-o", "out", "a")
    assert "exists already; --force replaces it" in ink("dedup", "--paragraphs", "-o", "out", "a", code=2)
    ink("dedup", "-q", "--force", "-o", "out", "a")


def a_filter_never_fills_up_silently():
    pathlib.Path("many.txt").write_text("".join(f"{number}\n" for number in range(5000)), encoding="utf-8")
    said = ink("dedup", "--seen", "s.ink", "-n", 1000, "-o", "out", "many.txt", code=1)
    assert "level exact: more than the 1000 different texts that its filter was planned for" in said, said
    assert not pathlib.Path("out/many.txt").exists() and not pathlib.Path("s.ink").exists()
    report = json.loads(ink("dedup", "--seen", "s.ink", "-n", 1000, "--max-rate", 0.9, "--json", "-o", "out", "many.txt").splitlines()[0])
    assert report["wrong_high"] >= report["removed"] > 0 and report["current_rate"] > 100 * report["promised_rate"]
    assert "a rate above --max-rate" in ink("dedup", "--force", "--seen", "t.ink", "-n", 1000, "--max-rate", 0.01, "-o", "out", "many.txt", code=1)


def hidden_files_and_folders_are_named_or_left_out():
    pathlib.Path("in/.deep").mkdir(parents=True)
    for name in (".x.txt", ".deep/z.txt", "y.txt"):
        pathlib.Path("in", name).write_text(name, encoding="utf-8")
    ink("dedup", "-q", "-o", "all", "in")
    ink("dedup", "-q", "-o", "named", "in/.x*", "in/.deep")
    os.symlink("in/y.txt", ".h.txt")
    ink("dedup", "-q", "-o", "here", ".h*")
    assert [sorted(map(str, bytes_below(out))) for out in ("all", "named", "here")] == [["y.txt"], [".x.txt", "z.txt"], [".h.txt"]]
    pathlib.Path("other/y.txt").mkdir(parents=True)
    for force in ((), ("--force",)):
        assert "other/y.txt: is a folder, expected a file" in ink("dedup", *force, "-o", "other", "in/y.txt", code=2)


def the_name_of_a_document_is_a_string_or_as_it_stands():
    lines = ['{"text":"a"}', "\t \r", '{"text":"a","id":"x\\u0041\\"\\ud83d\\ude00"}', '{"text":"a","id":""}', '{"text":"a","id":77}']
    pathlib.Path("d.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    ink("dedup", "-q", "--id", "id", "--explain", "why", "-o", "out", "d.jsonl")
    assert [row.get("id") for row in rows_of("why")] == ['xA"\U0001f600', None, "77"]
    assert pathlib.Path("out/d.jsonl").read_bytes().decode() == "\n".join(lines[:2]) + "\n"


def a_table_that_does_not_hold_all_says_so():
    pathlib.Path("n.txt").write_text("".join(f"{number}\n" for number in range(200_000)), encoding="utf-8")
    for threads in (1, 3):
        said = ink("dedup", "-n", 1000, "--memory", "1M", "--threads", threads, "-o", "out", "n.txt", code=5)
        assert "more texts than --memory holds in a table" in said and not pathlib.Path("out/n.txt").exists()


def what_was_seen_is_the_file_that_is_named_and_no_other():
    """Neither a dry run nor a failure writes it; a failure after it was opened names another file."""
    pathlib.Path("d.jsonl").write_text('{"text":"a"}\nbad\n', encoding="utf-8")
    ink("dedup", "--seen", "s.ink", "-n", 10, "--dry-run", "--bad", "skip", "d.jsonl")
    assert not pathlib.Path("s.ink").exists()
    ink("dedup", "-q", "--seen", "s.ink", "-n", 10, "--bad", "skip", "-o", "out", "d.jsonl")
    before = pathlib.Path("s.ink").read_bytes()
    for option in ("--seen", "--against"):
        assert ink("dedup", option, "s.ink", "-o", "other", "d.jsonl", code=3).startswith("ink: d.jsonl: line 2: ")
        ink("dedup", option, "s.ink", "--dry-run", "--bad", "skip", "d.jsonl")
    pathlib.Path("many.txt").write_text("".join(f"{number}\n" for number in range(100)), encoding="utf-8")
    assert ink("dedup", "--seen", "s.ink", "-o", "full", "many.txt", code=1).startswith("ink: level exact: more than the 10 ")
    assert pathlib.Path("s.ink").read_bytes() == before


def a_mark_says_what_is_removed_and_keeps_all():
    text = '{"text":"a b c\\nd"}\n{"text":"a b c\\nd"}  \n{"text":"x\\na b c\\nz","n":{}}\n'
    pathlib.Path("m.jsonl").write_text(text, encoding="utf-8")
    ink("dedup", "-q", "--mark", "--exact", "--paragraphs", "--ngrams", 2, "-o", "out", "m.jsonl")
    lines = pathlib.Path("out/m.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["ink_dedup"] for line in lines] == [
        {"removed": None, "paragraphs": [], "ngrams": 3, "ngrams_seen": 0},
        {"removed": "exact", "paragraphs": [0, 1], "ngrams": 3, "ngrams_seen": 3},
        {"removed": None, "paragraphs": [1], "ngrams": 4, "ngrams_seen": 2}]
    for line, before in zip(lines, text.splitlines()):
        assert re.sub(r',"ink_dedup":{[^}]*}', "", line) == before


def a_full_disk_leaves_no_part_of_a_file():
    write_large(3000)
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    said = ink("dedup", "-q", "-o", "out", "in", code=4, preexec_fn=limit)
    assert "out/a.jsonl: " in said, said
    assert [path for path in pathlib.Path("out").rglob("*") if path.is_file()] == []


def long_document(numbers, of_ngrams):
    """A long document, a short one, one that ends otherwise, and the first one again."""
    text = " ".join(" ".join(map(str, range(at, min(at + 1_000_000, numbers)))) for at in range(0, numbers, 1_000_000))
    lines = [b'{"text":"%s"}\n' % each.encode() for each in (text, "short", text + " end", text)]
    pathlib.Path("long.jsonl").write_bytes(b"".join(lines))
    ink("dedup", "-q", "--exact", "-o", "exact", "long.jsonl")
    assert pathlib.Path("exact/long.jsonl").read_bytes() == b"".join(lines[:3])
    if of_ngrams:
        report = ink("dedup", "--json", "--ngrams", 5, "-o", "ngrams", "long.jsonl")
        assert pathlib.Path("ngrams/long.jsonl").read_bytes() == b"".join(lines[:2])
        planned, ngrams = json.loads(report.splitlines()[0])["keys"], 3 * (numbers - 4) + 2
        assert ngrams <= planned <= 1.5 * ngrams, planned  # by the bytes of records, not by those of samples


def one_long_document_is_as_good_as_a_short_one():
    long_document(1_000_000, True)


if __name__ == "__main__":
    if os.access("/dev/shm", os.W_OK):
        tempfile.tempdir = "/dev/shm"  # results are synced, one by one
    sys.exit(tap.run(tap.tests_of(globals()), "ink-dedup-"))
