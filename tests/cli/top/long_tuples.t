# Of a long key of several columns what is kept is printed: whole columns, and the beginning of the truncated one.
$ long() { yes "$1" | head -n "$2" | tr -d '\n'; }; printf '%s,%s\n' "$(long a 700)" "$(long b 700)" > two.csv
$ ink top --key 1,2 two.csv | tr -s ab
estimate  low  high  share  key
       1    1     1   1.00  a...  (cut)
$ ink top --key 1,2 --tsv two.csv | tr -s ab
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
top			a,b	1	1	1	1		1	true
$ ink top --key 1,2 --json two.csv | tr -s ab
{"kind":"top","key":["a","b"],"estimate":1,"low":1,"high":1,"confidence":1,"share":1,"cut":true}
$ ink top --key 1,2 --json two.csv | tr -cd ab | wc -c
1018
$ printf 'x,"y,%s"\n' "$(yes b | head -n 1100 | tr -d '\n')" > quotes.csv; ink top --key 1,2 --json quotes.csv | tr -s b
{"kind":"top","key":["x","y,b"],"estimate":1,"low":1,"high":1,"confidence":1,"share":1,"cut":true}
$ ink top --key 1,2 --tsv quotes.csv | cut -f 4 | tr -s b
key
x,"y,b"
$ long() { yes "$1" | head -n "$2" | tr -d '\n'; }; printf '%s,c\n' "$(long a 1018)" > length.csv; ink top --key 1,2 --json length.csv | tr -s a
{"kind":"top","key":["a"],"estimate":1,"low":1,"high":1,"confidence":1,"share":1,"cut":true}
$ long() { yes "$1" | head -n "$2" | tr -d '\n'; }; printf '%s,c\n' "$(long a 1016)" > empty.csv; ink top --key 1,2 --json empty.csv | tr -s a
{"kind":"top","key":["a",""],"estimate":1,"low":1,"high":1,"confidence":1,"share":1,"cut":true}
$ ink top --key 1,2 empty.csv | tr -s a
estimate  low  high  share  key
       1    1     1   1.00  a...  (cut)
$ for n in 253 254; do printf "%0${n}d\n" 0 | ink top | tail -n 1 | awk '{print length($NF), substr($NF, length($NF) - 2)}'; done
253 000
255 ...
$ printf 'TOP 1\n' | ink stream -q --train two.csv --key 1,2 --sketch top --state s --ask - | tr -s ab
TOP	a,b	1	1	1
