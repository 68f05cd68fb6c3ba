# The better of count-min and top answers, else a counting filter; --kind chooses. Tuples and secrets are queried as they were built.
$ printf 'ant\nbee\nant\n' > a.txt
$ ink build count-min,top,counting -o all.ink a.txt; for k in count-min top counting; do ink count --kind $k --json -e ant all.ink; done; ink count --json -e ant all.ink
{"kind":"count-min","key":"ant","estimate":2,"low":1,"high":2,"confidence":0.9932620530009145}
{"kind":"top","key":"ant","estimate":2,"low":2,"high":2,"confidence":1}
{"kind":"counting","key":"ant","estimate":2,"low":0,"high":2,"confidence":1}
{"kind":"top","key":"ant","estimate":2,"low":2,"high":2,"confidence":1}
$ ink build top,hll -o t.ink a.txt; ink count --json -e ant -e dog t.ink
{"kind":"top","key":"ant","estimate":2,"low":2,"high":2,"confidence":1}
{"kind":"top","key":"dog","estimate":0,"low":0,"high":0,"confidence":1}
$ ink build hll,bloom -o h.ink a.txt; ink count -e ant h.ink
!3 ink: h.ink: the file holds bloom and hll, expected count-min, top or counting
$ ink count --kind top -e ant h.ink
!3 ink: h.ink: the file holds bloom and hll, expected top
$ ink count --kind hll -e ant h.ink
!2 ink: --kind hll does not answer that, expected counting, count-min, top; see ink help count
$ ink build counting,bloom -o c.ink a.txt; ink count -e ant c.ink
  estimate         low        high  key
         2           0           2  ant
$ ink build counting,top -o ct.ink a.txt; ink count --json -e ant ct.ink
{"kind":"top","key":"ant","estimate":2,"low":2,"high":2,"confidence":1}
$ printf 'a,1\n"b,c",1\na,1\n' > d.csv; ink build count-min --key 1,2 -o d.ink d.csv; ink count --key 1,2 d.ink d.csv
  estimate         low        high  key
         2           1           2  a,1
         1           0           1  "b,c",1
         2           1           2  a,1
$ ink count --key 1,2 --json d.ink d.csv
{"kind":"count-min","key":["a","1"],"estimate":2,"low":1,"high":2,"confidence":0.9932620530009145}
{"kind":"count-min","key":["b,c","1"],"estimate":1,"low":0,"high":1,"confidence":0.9932620530009145}
{"kind":"count-min","key":["a","1"],"estimate":2,"low":1,"high":2,"confidence":0.9932620530009145}
$ ink count d.ink d.csv
  estimate         low        high  key
         2           1           2  a,1
         1           0           1  "b,c",1
         2           1           2  a,1
$ ink count d.ink < d.csv
!2 ink: keys of d.ink are tuples of 2 columns, expected --key with these; see ink help count
$ ink count -e a,1 d.ink
!2 ink: -e, but keys of d.ink are tuples of 2 columns, expected KEYS with these; see ink help count
$ printf '0123456789abcdef' > s; printf 'fedcba9876543210' > t; ink build count-min --secret s -o k.ink a.txt; ink count --secret s -e ant --json k.ink
{"kind":"count-min","key":"ant","estimate":2,"low":1,"high":2,"confidence":0.9932620530009145}
$ ink count -e ant k.ink
!3 ink: k.ink: a keyed file, expected its secret (--secret)
$ ink count --secret t -e ant k.ink
!3 ink: k.ink: another secret: its check value is 673e492cb90604e0, the sketch has be080379acc0cffd
$ ink count --secret s -e ant all.ink
!3 ink: all.ink: a secret was given, but the keys are hashed with xxh3, without one
$ printf '9\n' > i.txt; ink build count-min --key-type int -o i.ink i.txt; ink count --key-type bytes i.ink a.txt
!3 ink: i.ink: the file holds keys that are integers, expected bytes (--key-type)
$ ink count --key-type int all.ink i.txt
!3 ink: all.ink: the file holds keys that are bytes, expected integers (--key-type)
$ yes ant | head -n 20 | ink build counting -o f.ink; ink count -e ant f.ink
  estimate         low        high  key
        15           0          20  ant
! ink: the sketch is full: the true value may lie far above
$ ink count --json -e ant f.ink; ink count --tsv -e ant f.ink
{"kind":"counting","key":"ant","estimate":15,"low":0,"high":20,"confidence":1,"saturated":true}
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
counting			ant	15	0	20	1	true		
$ yes ant | head -n 14 | ink build counting -o f14.ink; ink count -e ant f14.ink
  estimate         low        high  key
        14           0          14  ant
$ ink help count | sed -n '4,9p'
Prints for each key how often it was added to a count-min or a top, or how often
it occurs in the data, with bounds; a count-min is never too low. Keys are the
lines of KEYS (of a file named as CSV, TSV or JSON the key column, as ink filter
reads it), or given by -e: the FILEs are then sketches, which are merged, or
data, in which these keys are counted exactly. A sketch file with neither is
answered by a counting filter, which counts up to 14.
$ printf 'a,1,x\n' > three.csv; ink build count-min --key 1,2,3 -o three.ink three.csv; ink count --key 1,2 three.ink three.csv
!2 ink: keys of three.ink are tuples of 3 columns, expected --key with these; see ink help count
