#!/usr/bin/env bash
# What `make demo` shows, with the command ink on the PATH: questions about a log, with the exact answers of
# other programs beside ours; then the experiments of two published programs run anew, their figures beside ours.
# All of ours are computed here; published ones are marked so.
#   demo.sh FOLDER    an empty folder to work in
set -eu
cd "$1"

# Milliseconds that a command takes, its output thrown away.
milliseconds() {
    local from to
    from=$(date +%s%N)
    "$@" >/dev/null
    to=$(date +%s%N)
    echo $(((to - from + 500000) / 1000000))
}

say() {
    printf '\n%s\n' "$1"
}

# ---- A log ---------------------------------------------------------------------------------------------------------

# Runs a line of shell and prints it with its answer, or if that has several lines without it, and with the seconds that
# it took; the answer is also left in the file that $1 names.
ask() {
    local from to answer=''
    from=$(date +%s%N)
    LC_ALL=C bash -c "$2" >"$1" 2>said || { cat said >&2 && return 1; }
    to=$(date +%s%N)
    if [ "$(wc -l <"$1")" -eq 1 ]; then answer=$(tr -d ' ' <"$1"); fi
    awk -v line="$2" -v answer="$answer" -v ns=$((to - from)) \
        'BEGIN { printf "  %-76s%9s%7.2f s\n", line, answer, ns / 1e9 }'
}

say 'An access log of 2,000,000 lines: ink answers in one pass with little memory, sort and awk exactly'
ink gen log -n 2e6 -o access.log
echo "  $(head -n 1 access.log)"

say 'How many different clients are there?'
ask ours 'ink distinct --fields --key 2 access.log'
ask exact "awk '{ print \$2 }' access.log | sort -u | wc -l"

say 'And how many for each host?'
ask ours 'ink distinct --by 1 --fields --key 2 --tsv access.log'
ask exact "awk '!s[\$1, \$2]++ { n[\$1]++ } END { for (h in n) print h, n[h] }' access.log"
awk -F '\t' 'NR == FNR { split($0, pair, " "); exact[pair[1]] = pair[2]; next }
    FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { printf "    %-20s%7d   exactly%7d   %+.1f %%\n", $at["group"], $at["estimate"], exact[$at["group"]],
        100 * ($at["estimate"] / exact[$at["group"]] - 1) }' exact ours

say 'Which five clients came most often?'
ask ours 'ink top -k 5 --fields --key 2 access.log'
ask exact "awk '{ print \$2 }' access.log | sort | uniq -c | sort -rn | head -n 5"
awk 'NR == FNR { exact[$2] = $1; next }
    { printf "    %-48s%9s\n", $0, FNR == 1 ? "exactly" : exact[$NF] }' exact ours

say 'The first line of each client'
ask ours 'ink uniq --fields --key 2 access.log | wc -l'
ask exact "awk '!s[\$2]++' access.log | wc -l"

awk '$10 == 403 && !seen[$2]++ { print $2 }' access.log >bad.txt
say "What did the $(wc -l <bad.txt) clients ask for that ever got a 403?"
ask built 'ink build bloom -p 1e-4 -o bad.ink bad.txt'
ask ours 'ink filter --fields --key 2 bad.ink access.log | wc -l'
ask exact "awk 'NR == FNR { bad[\$1]; next } \$2 in bad' bad.txt access.log | wc -l"
rm access.log

# ---- The published experiments ---------------------------------------------------------------------------------------

say 'A filter for each rating of 1,260,817 film titles (published: PySpark on YARN, a filter of mmh3 hashes)'
ink gen imdb -o ratings.tsv
how='--header --key tconst --by averageRating --round half-even'
echo "  ink build bloom -p 0.01 $how -o ratings.ink ratings.tsv"
# shellcheck disable=SC2086 # options are words
for p in 0.001 0.01 0.05 0.1; do
    a=$(milliseconds ink build bloom -p $p $how -o "bloom.$p.ink" ratings.tsv)
    b=$(milliseconds ink verify "bloom.$p.ink" --truth ratings.tsv)
    ink verify "bloom.$p.ink" --truth ratings.tsv --tsv >"bloom.$p.tsv"
    c=$(milliseconds ink build classic --hash mmh3 -p $p $how -o "classic.$p.ink" ratings.tsv)
    d=$(milliseconds ink verify "classic.$p.ink" --truth ratings.tsv)
    ink verify "classic.$p.ink" --truth ratings.tsv --tsv >"classic.$p.tsv"
    echo "$p $((a + b)) $((c + d))" >>times
done

# The published table: rating, and the rate measured at each p.
cat >published <<'END'
1 0.0010 0.0106 0.0490 0.0939
2 0.0010 0.0102 0.0478 0.0911
3 0.0010 0.0099 0.0486 0.0915
4 0.0010 0.0101 0.0476 0.0914
5 0.0010 0.0100 0.0480 0.0918
6 0.0010 0.0099 0.0479 0.0917
7 0.0010 0.0097 0.0479 0.0910
8 0.0010 0.0101 0.0478 0.0914
9 0.0010 0.0098 0.0476 0.0910
10 0.0010 0.0097 0.0484 0.0920
END

# The rate of a group in a table of verify; as the published program counts it, false positives are once more
# among those that are tested.
rate() {
    awk -F '\t' -v group="$2" -v again="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["group"] == group {
            false_ones = $at["false_positives"]
            printf "%.4f", false_ones / ($at["tested"] + again * false_ones)
        }' "$1"
}

say 'False positives measured, each title against the filters of all other ratings
(published / ours with the same bits and counted alike, false / (false + tested): classic, mmh3 / ours: bloom, false / tested)'
printf '  rating'
printf '%27s' 'p = 0.001' 'p = 0.01' 'p = 0.05' 'p = 0.1'
echo
while read -r group p1 p2 p3 p4; do
    printf '  %6s' "$group"
    set -- "$p1" "$p2" "$p3" "$p4"
    for p in 0.001 0.01 0.05 0.1; do
        printf '%9s /%7s /%7s' "$1" \
            "$(rate "classic.$p.tsv" "$group" 1)" "$(rate "bloom.$p.tsv" "$group" 0)"
        shift
    done
    echo
done <published

say 'Milliseconds for all of it: parameters, ten filters, every title tested
(published with the best number of executors, up to 4 / ours: classic, mmh3 / ours: bloom)'
set -- 135178 115362 96431 90039
while read -r p bloom classic; do
    printf '  p = %-6s %7d /%6d /%5d\n' "$p" "$1" "$classic" "$bloom"
    shift
done <times
# shellcheck disable=SC2086
ink verify bloom.0.01.ink --truth ratings.tsv | tail -n 1 | sed 's/^/  ink verify: /'

say 'Who of 2,000,000 people is among 8,018 (published: Java threads, names of 30 letters)'
echo '  ink build bloom -p 0.01 -o sample.ink sample.txt; ink filter --count sample.ink people.txt'
for n in 10000:39 100000:409 500000:2012 1000000:3917 2000000:8018; do
    ink gen names -n "${n%:*}" --sample "${n#*:}" --sample-out "sample.${n%:*}" -o "people.${n%:*}"
    ink build bloom -p 0.01 -o "sample.${n%:*}.ink" "sample.${n%:*}"
done
for threads in 1 "$(nproc)"; do
    echo "  with $threads thread(s):"
    ink filter --count --threads "$threads" sample.2000000.ink people.2000000 | sed 's/^/    /'
done

# The smallest of five, in milliseconds as filter --count prints them.
analysis() {
    for _ in 1 2 3 4 5; do
        ink filter --count --json --threads "$1" "sample.$2.ink" "people.$2"
    done | sed 's/.*"seconds": *\([0-9.e-]*\).*/\1/' | sort -g | head -n 1 |
        awk '{ printf "%.2f", 1000 * $1 }'
}
say 'Milliseconds of analysis: published, strings in memory / ours, lines of a file
        names          one thread          two threads'
while read -r n one two; do
    printf '  %11s %8s / %7s   %8s / %7s\n' "$n" "$one" "$(analysis 1 "$n")" "$two" "$(analysis 2 "$n")"
done <<'END'
10000 2.67 2.11
100000 2.00 2.56
500000 5.00 5.00
1000000 5.67 5.44
2000000 7.67 6.56
END
