# Files of sketches answer as the data that they were built from; several are merged.
$ printf 'ant\nbee\nant\ncat\n' > a.txt; printf 'cat\ndog\n' > b.txt
$ ink build hll -o a.ink a.txt; ink build hll -o b.ink b.txt
$ ink distinct a.ink; ink distinct b.ink; ink distinct a.ink b.ink; ink distinct a.ink a.ink
3
2
4
3
$ ink distinct --json a.ink b.ink; ink distinct --json a.txt b.txt
{"kind":"hll","estimate":4,"low":4,"high":6,"confidence":0.95}
{"kind":"hll","estimate":4,"low":4,"high":6,"confidence":0.95}
$ ink distinct < a.ink; ink distinct - b.ink < a.ink; ink build hll -o - a.txt | ink distinct
3
4
3
$ ink build hll --precision 10 -o small.ink b.txt; ink distinct --json a.ink small.ink
{"kind":"hll","estimate":4,"low":4,"high":6,"confidence":0.95}
$ ink build hll --fields --key 1 --by 1 -o ga.ink a.txt; ink build hll --fields --key 1 --by 1 -o gb.ink b.txt
$ ink distinct ga.ink gb.ink
group  estimate  low  high
ant           1    1     2
bee           1    1     1
cat           1    1     2
dog           1    1     1
$ ink distinct --groups '?a*' ga.ink gb.ink
group  estimate  low  high
cat           1    1     2
$ ink distinct --tsv --groups 'c*' ga.ink gb.ink
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
hll	cat			1	1	2	0.95			
$ ink distinct a.ink ga.ink
group  estimate  low  high
              3    3     4
ant           1    1     2
bee           1    1     1
cat           1    1     1
$ ink distinct --confidence 0.5 --json a.ink
{"kind":"hll","estimate":3,"low":3,"high":4,"confidence":0.5}
$ cp a.ink records; ink distinct records
3
