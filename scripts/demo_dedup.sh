#!/bin/bash
# A corpus without repeats: planned, cleaned at each level, killed and resumed, extended, and compared with a benchmark.
#     demo_dedup.sh FOLDER
# Needs ink on the path.
set -euo pipefail
cd "$1"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
show() {
    printf '$ %s\n' "$*"
    eval "$*"
}

# Documents of words that are as frequent as in texts, 200 each, in three files of which one is compressed: some are repeated, of some
# 4 words in 200 are replaced, and each has a line that a site would have on all pages.
ink gen zipf -n 4000000 --skew 1.1 --seed 4 | awk -v size=200 '
    { text = text " w" $1; if (++count % size == 0) { emit(substr(text, 2)); text = "" } }
    function emit(words) {
        if (made % 10 == 3) words = kept[int(made / 7) % 500]
        else if (made % 10 == 6) words = edit(kept[int(made / 5) % 500])
        if (made < 500) kept[made] = words
        file = made % 3 == 2 ? "gzip -1 > crawl/c.jsonl.gz" : ""
        line = sprintf("{\"id\":%d,\"text\":\"%s\\n%s\"}", made++, words, "Home | News | About us")
        if (file != "") print line | file; else print line > ("crawl/" (made % 3 == 1 ? "a" : "b") ".jsonl")
    }
    function edit(words,    parts, n, i, changed) {
        n = split(words, parts, " ")
        for (i = 20; i <= n; i += 50) parts[i] = "new" made
        for (i = 1; i <= n; i++) changed = changed (i > 1 ? " " : "") parts[i]
        return changed
    }
    BEGIN { system("mkdir -p crawl") }'

say "A corpus of 20,000 documents, in three files"
show "ls -l crawl | awk 'NR > 1 { print \$5, \$9 }'"

say "What it will take"
show "ink plan dedup --exact --paragraphs --near 0.8 crawl"

say "Whole documents, paragraphs, and documents that are like an earlier one; the first one stays"
show "ink dedup --exact --paragraphs --near 0.8 --explain why.jsonl --id id -o clean crawl"
show "grep -m 2 near why.jsonl"

say "The same bytes for any number of threads, and for any memory"
show "ink dedup -q --ngrams 13 --threads 1 -n 4e6 -o one crawl"
show "ink dedup -q --ngrams 13 --memory 4M -n 4e6 -o passes crawl"
show "diff -r -x '.ink*' -x '*.tmp.*' one passes && echo equal"

say "Killed, and gone on with"
show "timeout -s KILL 0.3 ink dedup -q --every 10ms --ngrams 13 -n 4e6 -o killed crawl || echo killed"
show "ink dedup -q --every 10ms --ngrams 13 -n 4e6 -o killed crawl; diff -r -x '.ink*' -x '*.tmp.*' one killed && echo equal"

say "The next crawl is compared with what was seen before"
show "ink dedup -q --seen seen.ink -n 1e6 -o monday crawl/a.jsonl crawl/b.jsonl"
show "ink dedup --seen seen.ink -o tuesday crawl/c.jsonl.gz"

say "Documents that contain a question of a benchmark go"
head -n 100 crawl/b.jsonl | cut -d' ' -f20-40 | sed 's/.*/{"text":"&"}/' > questions.jsonl
show "ink dedup -q --ngrams 13 --seen questions.ink -n 1e5 -o asked questions.jsonl"
show "ink dedup --ngrams 13 --overlap 1e-9 --against questions.ink -o pure crawl"
