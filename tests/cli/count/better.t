# Where a count-min and a top stand together, the answer whose bounds are closer is taken, and its kind is named.
$ ink gen zipf -n 2e5 -o z.txt; ink build count-min,top -o b.ink z.txt; ink count -e word1 -e word9999 -e none b.ink
  estimate         low        high  kind       key
     23257       23257       23257  top        word1
         1           0           1  count-min  word9999
         1           0           1  count-min  none
$ for k in count-min top; do ink count --kind $k --json -e word1 -e word9999 b.ink; done; ink count --json -e word1 -e word9999 b.ink
{"kind":"count-min","key":"word1","estimate":23258,"low":23238,"high":23258,"confidence":0.9932620530009145}
{"kind":"count-min","key":"word9999","estimate":1,"low":0,"high":1,"confidence":0.9932620530009145}
{"kind":"top","key":"word1","estimate":23257,"low":23257,"high":23257,"confidence":1}
{"kind":"top","key":"word9999","estimate":0,"low":0,"high":48,"confidence":1}
{"kind":"top","key":"word1","estimate":23257,"low":23257,"high":23257,"confidence":1}
{"kind":"count-min","key":"word9999","estimate":1,"low":0,"high":1,"confidence":0.9932620530009145}
$ printf 'x ant\ny ant\nx bee\n' > d.txt; ink build count-min,top --fields --key 2 --by 1 -o g.ink d.txt; ink count -e ant g.ink; ink count --tsv --fields --key 2 --by 1 g.ink d.txt | cut -f 1,2,4-7
  estimate         low        high  kind       group  key
         1           1           1  top        x      ant
         1           1           1  top        y      ant
kind	group	key	estimate	low	high
top	x	ant	1	1	1
top	y	ant	1	1	1
top	x	bee	1	1	1
$ ink build top -o t.ink z.txt; ink count --json -e word1 b.ink t.ink
{"kind":"top","key":"word1","estimate":46514,"low":46514,"high":46514,"confidence":1}
$ printf 'word1\n' > w.txt; ink build count-min -o c.ink w.txt; ink merge -q -o other.ink c.ink t.ink; ink count --json -e word1 other.ink
{"kind":"count-min","key":"word1","estimate":1,"low":0,"high":1,"confidence":0.9932620530009145}
$ printf 'COUNT word1\nCOUNT word9999\nword9999\n' > q.txt; ink stream -q --train z.txt --sketch count-min --sketch top --state s --ask q.txt --json
{"kind":"top","key":"word1","estimate":23257,"low":23257,"high":23257,"confidence":1}
{"kind":"count-min","key":"word9999","estimate":1,"low":0,"high":1,"confidence":0.9932620530009145}
{"kind":"count-min","key":"word9999","estimate":1,"low":0,"high":1,"confidence":0.9932620530009145}
$ printf 'a ant\nc ant\n' > ac.txt; printf 'b ant\n' > b.txt; ink build count-min --fields --by 1 --key 2 -o ac.ink ac.txt; ink build top --fields --by 1 --key 2 -o single.ink b.txt
$ ink merge -q -o abc.ink ac.ink single.ink; ink count -e ant abc.ink
  estimate         low        high  kind       group  key
         1           0           1  count-min  a      ant
         1           1           1  top        b      ant
         1           0           1  count-min  c      ant
