# Two sets: how many keys they have together, in common and alone, and the shares, with bounds.
$ seq 1 1500 > a.txt; seq 1001 1900 > b.txt; ink overlap --kind hll a.txt b.txt
keys                estimate   low  high
in a.txt                1480  1456  1500
in b.txt                 896   881   900
in a.txt or b.txt       1869  1839  1900
in a.txt and b.txt       507   487   527
only in a.txt            973   944  1003
only in b.txt            389   369   410

share                    estimate    low   high
common of all (Jaccard)     0.271  0.258  0.284
of a.txt in b.txt           0.343  0.329  0.356
of b.txt in a.txt           0.566  0.545  0.586
$ for f in a b; do ink build hll -o $f.ink $f.txt; done; ink overlap --kind hll a.ink b.ink > sketches; ink overlap --kind hll a.txt b.txt | sed 's/txt/ink/g' | cmp - sketches
$ ink overlap --kind hll --json a.ink b.ink
{"kind":"hll","a":"a.ink","b":"b.ink","method":"inclusion-exclusion","confidence":0.95,"in_a":1480,"in_a_low":1456,"in_a_high":1500,"in_b":896,"in_b_low":881,"in_b_high":900,"union":1869,"union_low":1839,"union_high":1900,"intersection":507,"intersection_low":487,"intersection_high":527,"only_a":973,"only_a_low":944,"only_a_high":1003,"only_b":389,"only_b_low":369,"only_b_high":410,"jaccard":0.27137497863260945,"jaccard_low":0.2583169548261815,"jaccard_high":0.28440413899027517,"a_in_b":0.34268707351810385,"a_in_b_low":0.3291417126541526,"a_in_b_high":0.35582229705032664,"b_in_a":0.5659873464038047,"b_in_a_low":0.5449044488591441,"b_in_a_high":0.5861485844645032}
$ ink overlap --kind hll --tsv a.ink b.ink | head -1
kind	group	a	b	method	confidence	in_a	in_a_low	in_a_high	in_b	in_b_low	in_b_high	union	union_low	union_high	intersection	intersection_low	intersection_high	only_a	only_a_low	only_a_high	only_b	only_b_low	only_b_high	jaccard	jaccard_low	jaccard_high	a_in_b	a_in_b_low	a_in_b_high	b_in_a	b_in_a_low	b_in_a_high
$ ink overlap --kind hll --json --confidence 0.5 a.ink b.ink | tr , '\n' | grep 'confidence\|intersection'
"confidence":0.5
"intersection":507
"intersection_low":499
"intersection_high":515
$ cat b.ink | ink overlap --kind hll --json a.ink - | tr , '\n' | grep '"b"\|"union"'
"b":"-"
"union":1869
$ : > none.txt; ink overlap --kind hll none.txt none.txt
keys                      estimate  low  high
in none.txt                      0    0     0
in none.txt                      0    0     0
in none.txt or none.txt          0    0     0
in none.txt and none.txt         0    0     0
only in none.txt                 0    0     0
only in none.txt                 0    0     0

share                    estimate   low  high
common of all (Jaccard)      1.00  1.00  1.00
of none.txt in none.txt      1.00  1.00  1.00
of none.txt in none.txt      1.00  1.00  1.00
$ ink overlap --kind hll --precision 12 --json a.txt none.txt | tr , '\n' | grep -v _low
{"kind":"hll"
"a":"a.txt"
"b":"none.txt"
"method":"inclusion-exclusion"
"confidence":0.95
"in_a":1486
"in_a_high":1500
"in_b":0
"in_b_high":0
"union":1486
"union_high":1536
"intersection":0
"intersection_high":0
"only_a":1486
"only_a_high":1500
"only_b":0
"only_b_high":0
"jaccard":0
"jaccard_high":0
"a_in_b":0
"a_in_b_high":0
"b_in_a":1
"b_in_a_high":1}
$ printf '0123456789abcdef' > secret; seq 9 > nine; ink build theta --secret secret -o keyed.ink nine; ink overlap --tsv --secret secret keyed.ink keyed.ink | cut -f 7,16; ink overlap keyed.ink keyed.ink
in_a	intersection
9	9
!3 ink: keyed.ink: a keyed file, expected its secret (--secret)
