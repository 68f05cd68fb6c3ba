#!/usr/bin/env python3
"""ink dedup beside other tools, and the quality of --near beside the truth, as ratios of one run.

    dedup.py OUT

Runs OUT/ink. Corpora are those of dedup_corpus.py, kept in OUT/bench/dedup; the truth is every pair of documents that have an n-gram in common.
CPU time counts, user and system, of all threads, from plain files to plain files. dolma dedupe writes attributes, dolma mix the documents. BENCH_ROUNDS is the
number of rounds (3), BENCH_DOCUMENTS that of documents of a corpus (20000).
"""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys

import dedup_corpus
from installing import installed
from measure import Run, setting
from ratio_rows import reported

PEERS = pathlib.Path(__file__).with_name("dedup_peers.py")
DOLMA, TEXT_DEDUP = "1.2.1", "0.4.0"
SIMILARITY, SHORT = 0.8, 100


def dolma_library():
    def steps(_, folder):
        yield sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", folder / "packages", f"dolma=={DOLMA}"
    folder = installed("dolma", DOLMA, steps)
    if folder is None:
        sys.exit("make: dolma is missing, expected PyPI")
    return next(folder.glob("packages/dolma/dolma*.so"))


def text_dedup_python():
    """The Python that has text-dedup, in an environment of its own: it needs a gigabyte of others."""
    def steps(_, folder):
        yield sys.executable, "-m", "venv", folder / "environment"
        yield folder / "environment/bin/python", "-m", "pip", "install", "-q", f"text-dedup=={TEXT_DEDUP}"
    folder = installed("text-dedup", TEXT_DEDUP, steps)
    return folder and folder / "environment/bin/python"


# ---- Quality ------------------------------------------------------------------------------------------------------

def truth_of(path):
    """All pairs of documents that are as like as that or more, and how many n-grams each has."""
    kept = path.with_suffix(".truth")
    if kept.exists():
        return json.loads(kept.read_text())
    sets, having, pairs = [], collections.defaultdict(list), []
    for number, line in enumerate(open(path, encoding="utf-8")):
        words = json.loads(line)["text"].split()
        mine = {hash(tuple(words[at:at + 5])) for at in range(max(1, len(words) - 4))} if words else set()
        common = collections.Counter()
        for ngram in mine:
            common.update(having[ngram])
            having[ngram].append(number)
        pairs += [(other, number) for other, count in common.items() if count >= SIMILARITY * (len(mine) + sets[other] - count)]
        sets.append(len(mine))
    kept.write_text(json.dumps([pairs, sets]))
    return pairs, sets


def quality(path, removed):
    """Coverage, precision and recall: of all documents, and of short ones."""
    pairs, sizes = truth_of(path)
    alike = {number for pair in pairs for number in pair}
    for chosen in (lambda _: True, lambda number: sizes[number] < SHORT):
        mine = [pair for pair in pairs if chosen(pair[1])]
        later, gone = {pair[1] for pair in mine}, {number for number in removed if chosen(number)}
        yield (sum(a in removed or b in removed for a, b in mine) / max(1, len(mine)), len(gone & alike) / max(1, len(gone)),
               len(gone & later) / max(1, len(later)))


def measure_quality(rows, ink, corpora, folder):
    rows.head("quality", "Near at 0.8 beside the truth (x: the share), for all documents and for short ones")
    for name, path in corpora.items():
        why = folder / "why"
        subprocess.run([ink, "dedup", "-q", "--near", str(SIMILARITY), "--dry-run", "--force", "--explain", why, path], check=True)
        removed = {json.loads(line)["line"] - 1 for line in open(why, encoding="utf-8")}
        for of, found in zip(("", ", short"), quality(path, removed)):
            for what, share, least in zip(("pairs covered", "precision", "recall"), found, (0.99, 0.96, 0.96)):
                rows.put(f"{name}{of}: {what}", [], [share], "rate", None, None if of else f">= {least}", share >= least)


# ---- Speed --------------------------------------------------------------------------------------------------------

def dolma_of(folder, path, count, dedupe, mix):
    """The command of a run, which makes everything anew; with `mix` also the documents that stay."""
    shutil.rmtree(folder / "dolma", ignore_errors=True)
    documents = folder / "dolma" / "documents"
    documents.mkdir(parents=True)
    (folder / "dolma" / "work").mkdir()
    shutil.copy(path, documents / "0.json")
    work = {"input": str(folder / "dolma" / "work"), "output": str(folder / "dolma" / "work")}
    config = {"dedupe": {"name": "d", "skip_empty": True, "min_length": 0, "min_words": 0, "num_partitions": 1, "partition_index": 0,
                         "file_partition": False, "document_dir": "documents", **dedupe},
              "documents": [str(documents / "0.json")],
              "bloom_filter": {"file": str(folder / "dolma" / "filter"), "read_only": False, "size_in_bytes": 0, "estimated_doc_count": count,
                               "desired_false_positive_rate": 1e-5},
              "is_s3_volume": False, "processes": 1, "compression": {"input": None, "output": None},
              "work_dir": work}
    stream = {"name": "kept", "documents": config["documents"], "attributes": ["d"], "compression": {"input": None, "output": "none"},
              "output": {"path": str(folder / "dolma" / "kept"), "max_size_in_bytes": 1 << 40, "discard_fields": ["attributes"]},
              "filter": {"include": [], "exclude": [".attributes.d | length > 0"], "syntax": "jq"}}
    mixing = {"mix": {"streams": [stream], "work_dir": work, "processes": 1}} if mix else {}
    (folder / "dolma.json").write_text(json.dumps({"dedupe": config, **mixing}))
    return sys.executable, PEERS, "dolma", folder / "dolma.json", dolma_library()


def text_dedup_of(python, folder, path):
    """The command of a run, which makes everything anew and asks no registry."""
    shutil.rmtree(folder / "text-dedup", ignore_errors=True)
    os.environ |= {"HF_DATASETS_OFFLINE": "1", "HF_HUB_OFFLINE": "1"}
    return (python, "-m", "text_dedup.minhash", "--path", "json", "--data_files", path, "--split", "train", "--column", "text", "--ngram", 5,
            "--num_perm", 128, "--threshold", SIMILARITY, "--min_length", 0, "--hash_func", "xxh3", "--num_proc", 1,
            "--cache_dir", folder / "text-dedup/cache", "--output", folder / "text-dedup/out")


def beside(rows, rounds, what, peer, ours, at_least):
    times = [(Run(*peer()).cpu, Run(*ours).cpu) for _ in range(rounds)]
    rows.faster(what, [time[0] for time in times], [time[1] for time in times], at_least, "CPU s")


def measure_speed(rows, ink, path, folder, rounds):
    lines = sum(1 for _ in open(path, "rb"))
    out = folder / "out"
    def ours(*levels):
        return (ink, "dedup", "-q", "--force", *levels, "-o", out, path)
    def script(name):
        return lambda: (sys.executable, PEERS, name, path, folder / "peer.out")
    def dolma(count, dedupe, mix=False):
        return lambda: dolma_of(folder, path, count, dedupe, mix)
    paragraphs = {"attribute_name": "d", "paragraph_separator": "\n"}
    rows.head("exact", "CPU time beside other tools, plain to plain")
    # A filter of dolma has 1 MiB at least, and as many hashes of each text as fill it: 290 for 20,000 texts, 49 for six times as many.
    texts = {"documents": {"attribute_name": "d", "key": "$.text"}}
    beside(rows, rounds, "exact beside dolma dedupe", dolma(6 * lines, texts), ours("--exact"), 5)
    beside(rows, rounds, "exact beside dolma dedupe and mix", dolma(6 * lines, texts, mix=True), ours("--exact"), 9)
    beside(rows, rounds, "exact beside orjson and a set", script("exact"), ours("--exact"), 1.8)
    times = [(Run(ink, "distinct", "--key", "text", path).cpu, Run(*ours("--exact")).cpu) for _ in range(rounds)]
    rows.costs("exact beside ink distinct", *zip(*times), 1.4)
    beside(rows, rounds, "paragraphs beside dolma", dolma(20 * lines, {"paragraphs": paragraphs}), ours("--paragraphs"), 8)
    beside(rows, rounds, "paragraphs beside orjson and a set", script("paragraphs"), ours("--paragraphs"), 3.5)
    ngrams = {"ngram_length": 13, "stride": 0, "overlap_threshold": 0.8, "skip_short_paragraphs": False}
    beside(rows, 1, "n-grams of 13 beside dolma by_ngram (of paragraphs)", dolma(400 * lines, {"paragraphs": {**paragraphs, "by_ngram": ngrams}}),
           ours("--ngrams", 13), None)
    near = (ink, "dedup", "-q", "--force", "--near", SIMILARITY, "-o", out, path)
    beside(rows, 1, "near beside datasketch", script("datasketch"), near, 25)
    if python := text_dedup_python():
        beside(rows, 1, "near beside text-dedup", lambda: text_dedup_of(python, folder, path), near, 60)
    beside(rows, 1, "near beside rensa", script("rensa"), near, 7)


def main(out):
    rounds, documents = setting("BENCH_ROUNDS", 3, 1), setting("BENCH_DOCUMENTS", 20_000, 100)
    out = pathlib.Path(out).resolve()
    with reported(out, "dedup.tsv", documents >= 20_000) as (rows, folder):
        folder = folder / "dedup"
        folder.mkdir(exist_ok=True)
        corpora = {name: folder / f"{name}.jsonl" for name in (*dedup_corpus.PACKAGES, "words")}
        for name, path in corpora.items():
            if not path.exists():
                dedup_corpus.write(path, dedup_corpus.of_words(out / "ink", documents) if name == "words" else dedup_corpus.of_packages(name, documents))
        measure_speed(rows, out / "ink", corpora["handbooks"], folder, rounds)
        measure_quality(rows, out / "ink", corpora, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
