# The number has its bounds and their confidence; programs read all of it.
$ printf 'ant\nbee\nant\ncat\n' > a.txt
$ ink distinct --json a.txt
{"kind":"hll","estimate":3,"low":3,"high":4,"confidence":0.95}
$ ink distinct --tsv a.txt
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
hll				3	3	4	0.95			
$ ink distinct --json --confidence 0.99 a.txt
{"kind":"hll","estimate":3,"low":3,"high":4,"confidence":0.99}
$ ink distinct --json --kind fm a.txt
{"kind":"fm","estimate":2,"low":1,"high":4,"confidence":0.95}
$ : | ink distinct --json; : | ink distinct --tsv
{"kind":"hll","estimate":0,"low":0,"high":0,"confidence":0.95}
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
hll				0	0	0	0.95			
$ ink gen zipf -n 1e5 -o z.txt; ink distinct --json z.txt; sort -u z.txt | wc -l
{"kind":"hll","estimate":29155,"low":28694,"high":29624,"confidence":0.95}
28985
$ ink distinct --json --precision 6 z.txt
{"kind":"hll","estimate":26598,"low":20620,"high":34310,"confidence":0.95}
$ ink distinct --json --confidence 0.5 --precision 6 z.txt
{"kind":"hll","estimate":26598,"low":24367,"high":29035,"confidence":0.5}
