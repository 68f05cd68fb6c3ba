# There are no more different keys than records: of data, of sketches, of a group, of files together, of a stream.
$ seq 20000 > a.txt; ink distinct --json a.txt; ink distinct --json --estimator unlimited a.txt
{"kind":"hll","estimate":20000,"low":19742,"high":20000,"confidence":0.95}
{"kind":"hll","estimate":20059,"low":19742,"high":20382,"confidence":0.95}
$ ink build hll,fm,bloom -o a.ink a.txt; for k in hll fm bloom; do ink distinct --json --kind $k a.ink; done
{"kind":"hll","estimate":20000,"low":19742,"high":20000,"confidence":0.95}
{"kind":"fm","estimate":20000,"low":16191,"high":20000,"confidence":0.95}
{"kind":"bloom","estimate":19995,"low":19920,"high":20000,"confidence":0.95}
$ ink info --json a.ink | grep -o '"distinct":[0-9]*'
"distinct":20000
"distinct":20000
$ ink build hll -o b.ink a.txt; ink distinct --json --kind hll a.ink b.ink
{"kind":"hll","estimate":20059,"low":19742,"high":20382,"confidence":0.95}
$ awk '{print $1 % 2, $1}' a.txt > g.txt; ink distinct --fields --by 1 --key 2 --json --precision 8 g.txt; ink distinct --fields --by 1 --key 2 --json --precision 8 --estimator unlimited g.txt
{"kind":"hll","group":"0","estimate":9632,"low":8481,"high":10000,"confidence":0.95}
{"kind":"hll","group":"1","estimate":9668,"low":8513,"high":10000,"confidence":0.95}
{"kind":"hll","group":"0","estimate":9632,"low":8481,"high":10941,"confidence":0.95}
{"kind":"hll","group":"1","estimate":9668,"low":8513,"high":10982,"confidence":0.95}
$ echo DISTINCT > q.txt; ink stream --train a.txt --sketch hll --state s --ask q.txt 2> log
DISTINCT	20000	19742	20000
