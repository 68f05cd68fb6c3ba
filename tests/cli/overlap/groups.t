# One answer for each group; a group that a file does not have is an empty set there.
$ printf 'x ant\nx bee\ny cat\n' > a.txt; printf 'x bee\nx cow\nx dog\nz elk\n' > b.txt
$ ink overlap --kind hll --fields --by 1 --key 2 a.txt b.txt
group  in_a  in_b  union  intersection  low  high  only_a  only_b  jaccard  low   high
x         2     3      4             1    0     2       1       2    0.250    0  0.926
y         1     0      1             0    0     0       1       0        0    0      0
z         0     1      1             0    0     0       0       1        0    0      0
$ for f in a b; do ink build hll --fields --by 1 --key 2 -o $f.ink $f.txt; done; ink overlap --kind hll a.ink b.ink > sketches; ink overlap --kind hll --fields --by 1 --key 2 a.txt b.txt | cmp - sketches
$ ink overlap --kind hll --groups '[yz]' a.ink b.ink
group  in_a  in_b  union  intersection  low  high  only_a  only_b  jaccard  low  high
y         1     0      1             0    0     0       1       0        0    0     0
z         0     1      1             0    0     0       0       1        0    0     0
$ ink overlap --kind hll --groups q a.ink b.ink
? 1
$ ink overlap --kind hll --groups x --fields --by 1 --key 2 --json a.txt b.txt | tr , '\n' | grep 'group\|union"'
"group":"x"
"union":4
$ ink build hll -o plain.ink a.txt; ink overlap a.ink plain.ink
!3 ink: plain.ink: sketches without groups, expected groups, as in the file before
$ ink overlap plain.ink a.ink
!3 ink: a.ink: sketches with groups, expected none, as in the file before
$ ink overlap --groups x plain.ink plain.ink
!2 ink: plain.ink: the file has no groups, expected some to choose from (--groups)
$ ink overlap --groups x a.txt b.txt
!2 ink: --groups, but data has no groups without --by; see ink help overlap
$ printf '{"k":"ant","g":null}\n' > n.jsonl; ink build hll --by g --key k -o n.ink n.jsonl; ink overlap --kind hll --json n.ink n.ink | cut -d, -f1-2
{"kind":"hll","group":null
$ ink overlap --kind hll --json $GOLDEN/window.ink $GOLDEN/window.ink | tr , '\n' | grep 'kind\|"union"'
{"kind":"hll"
"union":5
$ seq 9 | ink build hll -o alone.ink; seq 9 | sed 's/^/x /' | ink build hll --fields --by 1 --key 2 -o x.ink; ink merge -q -o both.ink alone.ink x.ink; ink overlap --tsv both.ink both.ink | cut -f 1,2,7; ink overlap both.ink both.ink
kind	group	in_a
hll		9
hll	x	9
group  in_a  in_b  union  intersection  low  high  only_a  only_b  jaccard    low  high
          9     9      9             9    7     9       0       0     1.00  0.791  1.00
x         9     9      9             9    7     9       0       0     1.00  0.791  1.00
! ink: hll answers by inclusion-exclusion; theta would have closer bounds
! ink: hll answers by inclusion-exclusion; theta would have closer bounds
