# theta answers by a sample: exactly up to 2^precision keys, and with closer bounds than hll, which says so.
$ seq 1 1500 > a.txt; seq 1001 1900 > b.txt; ink overlap a.txt b.txt
keys                estimate   low  high
in a.txt                1500  1500  1500
in b.txt                 900   900   900
in a.txt or b.txt       1900  1900  1900
in a.txt and b.txt       500   500   500
only in a.txt           1000  1000  1000
only in b.txt            400   400   400

share                    estimate    low   high
common of all (Jaccard)     0.263  0.263  0.263
of a.txt in b.txt           0.333  0.333  0.333
of b.txt in a.txt           0.556  0.556  0.556
$ for f in a b; do ink build theta,hll -o $f.ink $f.txt; ink build hll -o h$f.ink $f.txt; done; ink overlap --tsv a.ink b.ink > sketches; ink overlap --tsv a.txt b.txt | sed 's/txt/ink/g' | cmp - sketches
$ ink overlap --json ha.ink hb.ink | tr , '\n' | grep 'method\|intersection'
"method":"inclusion-exclusion"
"intersection":507
"intersection_low":487
"intersection_high":527
! ink: hll answers by inclusion-exclusion; theta would have closer bounds
$ ink overlap --json a.ink hb.ink | tr , '\n' | grep 'kind\|intersection"'
{"kind":"hll"
"intersection":507
! ink: hll answers by inclusion-exclusion; theta would have closer bounds
$ ink overlap --kind hll --json a.ink b.ink | tr , '\n' | grep 'kind\|intersection"'
{"kind":"hll"
"intersection":507
$ seq 1 60000 > c.txt; seq 59001 90000 > d.txt; ink overlap --json c.txt d.txt | tr , '\n' | grep 'method\|confidence\|intersection'
"method":"sampled"
"confidence":0.95
"intersection":970
"intersection_low":755
"intersection_high":1228
$ ink overlap --kind hll --json c.txt d.txt | tr , '\n' | grep 'intersection'
"intersection":969
"intersection_low":0
"intersection_high":1967
$ ink overlap --matrix=intersection --precision 16 a.txt b.txt c.txt
file   a.txt  b.txt  c.txt
a.txt   1500    500   1500
b.txt    500    900    900
c.txt   1500    900  60000
$ seq 20000 > many; for pair in 'many none' 'none many'; do : > none; ink overlap --json $pair | grep -o '"confidence":[0-9.]*'; done
"confidence":0.95
"confidence":0.95
