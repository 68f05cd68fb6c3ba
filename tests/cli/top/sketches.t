# Files of sketches answer as the data that they were built from; several are merged.
$ printf 'ant\nbee\nant\ncat\n' > a.txt; printf 'cat\ncat\ndog\n' > b.txt
$ ink build top -o a.ink a.txt; ink build top,hll -o b.ink b.txt
$ ink top a.ink
estimate  low  high  share  key
       2    2     2  0.500  ant
       1    1     1  0.250  bee
       1    1     1  0.250  cat
$ ink top a.ink b.ink
estimate  low  high  share  key
       3    3     3  0.429  cat
       2    2     2  0.286  ant
       1    1     1  0.143  bee
       1    1     1  0.143  dog
$ ink top < a.ink; ink build top -o - b.txt | ink top -k 1; ink top -k 1 - b.ink < a.ink
estimate  low  high  share  key
       2    2     2  0.500  ant
       1    1     1  0.250  bee
       1    1     1  0.250  cat
estimate  low  high  share  key
       2    2     2  0.667  cat
estimate  low  high  share  key
       3    3     3  0.429  cat
$ printf 'a,1\n"b,c",1\na,1\n' > d.csv; ink build top --key 1,2 -o d.ink d.csv; ink top d.ink; ink top --json < d.ink
estimate  low  high  share  key
       2    2     2  0.667  a,1
       1    1     1  0.333  "b,c",1
{"kind":"top","key":["a","1"],"estimate":2,"low":2,"high":2,"confidence":1,"share":0.6666666666666666}
{"kind":"top","key":["b,c","1"],"estimate":1,"low":1,"high":1,"confidence":1,"share":0.3333333333333333}
$ printf '5\n5\n-1\n' > i.txt; ink build top --key-type int -o i.ink i.txt; ink top --json i.ink
{"kind":"top","key":"5","estimate":2,"low":2,"high":2,"confidence":1,"share":0.6666666666666666}
{"kind":"top","key":"-1","estimate":1,"low":1,"high":1,"confidence":1,"share":0.3333333333333333}
$ ink top a.ink i.ink
!3 ink: i.ink: keys are ints, expected bytes, as in the first file; build both with the same --key-type
$ printf '0123456789abcdef' > s; printf 'fedcba9876543210' > t; ink build top --secret s -o k.ink a.txt; ink top -k 1 k.ink; ink top -k 1 --secret s k.ink
estimate  low  high  share  key
       2    2     2  0.500  ant
! ink: k.ink: a keyed file, expected its secret (--secret)
$ ink top --secret t k.ink
!3 ink: k.ink: another secret: its check value is 673e492cb90604e0, the sketch has be080379acc0cffd
$ ink top --secret s -k 1 a.txt
estimate  low  high  share  key
       2    2     2  0.500  ant
$ ink top --json $GOLDEN/top-cut.ink | sed 's/xx*/x.../'
{"kind":"top","key":"x...","estimate":5,"low":5,"high":5,"confidence":1,"share":0.625,"cut":true}
{"kind":"top","key":"x...","estimate":2,"low":2,"high":2,"confidence":1,"share":0.25,"cut":true}
{"kind":"top","key":"x...","estimate":1,"low":1,"high":1,"confidence":1,"share":0.125}
$ ink top $GOLDEN/top-cut.ink | sed 's/xx*/x/'
estimate  low  high  share  key
       5    5     5  0.625  x...  (cut)
       2    2     2  0.250  x...  (cut)
       1    1     1  0.125  x...
$ ink top --tsv $GOLDEN/top-cut.ink | cut -f 5-
estimate	low	high	confidence	saturated	share	cut
5	5	5	1		0.625	true
2	2	2	1		0.25	true
1	1	1	1		0.125	
$ ink top --json --last 1 $GOLDEN/window.ink; ink top --json -k 1 $GOLDEN/window.ink
{"kind":"top","key":"a","estimate":5,"low":5,"high":5,"confidence":1,"share":0.8333333333333334}
