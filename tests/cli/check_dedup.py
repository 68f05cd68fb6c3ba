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
import unicodedata

import tap
from help_pages import INK

CORPORA = 30  # for each sort of test
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
    assert sum(len(names) for _, _, names in os.walk(out)) == len(files)


def rows_of(path):
    return [json.loads(line) for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines()]


def check_rows(path, expected):
    found = rows_of(path)
    for row, wanted in zip(found, expected):
        assert {name: row[name] for name in wanted} == wanted, (row, wanted)
        assert abs(row["share"] - row["removed"] / row["texts"]) < 1e-9
    assert len(found) == len(expected)


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
        report = [json.loads(line) for line in ink(*words, "--dry-run", "--json", "--threads", 2).splitlines()]
        assert report[-1]["kept"] == sum(len(records) for *_, records in files) - sum(row["whole"] for row in rows)
        assert sum(level["removed"] for level in report[:-1]) == sum(
            row["removed"] if row["level"] == "paragraphs" else 1 for row in rows)
        assert all(level["wrong_high"] == 0 for level in report[:-1]), report


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
    return {path.relative_to(folder): path.read_bytes() for path in sorted(pathlib.Path(folder).rglob("*")) if path.is_file()}


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


def what_is_removed_wrongly_stays_below_the_bound():
    """Filters with a high rate: documents that are all different, 200 corpora at each level."""
    r = random_source
    broken = 0
    for level, low in (("--exact", 40), ("--paragraphs", 40), ("--ngrams=1", 40)):
        wrong = expected = 0
        for number in range(40):
            names = r.sample(range(10**9), 3000)
            pathlib.Path("r.txt").write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
            report = json.loads(ink("dedup", level, "--json", "-n", 3000, "-p", 0.05, "--memory", "1M", "--seen", f"s{level}{number}.ink",
                                    "--dry-run", "r.txt").splitlines()[0])
            wrong += report["removed"]
            expected += report["wrong"]
            broken += report["removed"] > report["wrong_high"]
        assert abs(wrong - expected) < 6 * math.sqrt(expected) + low, (level, wrong, expected)
    assert broken == 0


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
    assert "exists already; --force replaces it" in ink("dedup", "-o", "out", "a", code=2)
    ink("dedup", "-q", "--force", "-o", "out", "a")


def a_filter_never_fills_up_silently():
    pathlib.Path("many.txt").write_text("".join(f"{number}\n" for number in range(5000)), encoding="utf-8")
    said = ink("dedup", "--seen", "s.ink", "-n", 1000, "-o", "out", "many.txt", code=1)
    assert "level exact: more than the 1000 different texts that its filter was planned for" in said, said
    assert not pathlib.Path("out/many.txt").exists() and not pathlib.Path("s.ink").exists()
    report = json.loads(ink("dedup", "--seen", "s.ink", "-n", 1000, "--max-rate", 0.9, "--json", "-o", "out", "many.txt").splitlines()[0])
    assert report["wrong_high"] >= report["removed"] > 0 and report["current_rate"] > 100 * report["promised_rate"]
    assert "a rate above --max-rate" in ink("dedup", "--force", "--seen", "t.ink", "-n", 1000, "--max-rate", 0.01, "-o", "out", "many.txt", code=1)


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


def one_long_document_is_as_good_as_a_short_one():
    text = " ".join(map(str, range(4_000_000)))
    lines = [json.dumps({"text": text}), '{"text":"short"}', json.dumps({"text": text + " end"}), json.dumps({"text": text})]
    pathlib.Path("long.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    ink("dedup", "-q", "--exact", "-o", "exact", "long.jsonl")
    assert pathlib.Path("exact/long.jsonl").read_text(encoding="utf-8").splitlines() == lines[:3]
    ink("dedup", "-q", "--ngrams", 5, "-o", "ngrams", "long.jsonl")
    assert pathlib.Path("ngrams/long.jsonl").read_text(encoding="utf-8").splitlines() == lines[:2]


if __name__ == "__main__":
    if os.access("/dev/shm", os.W_OK):
        tempfile.tempdir = "/dev/shm"  # results are synced, one by one
    sys.exit(tap.run(tap.tests_of(globals()), "ink-dedup-"))
