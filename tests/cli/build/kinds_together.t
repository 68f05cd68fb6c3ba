# Several kinds in one pass; sizes go to the kinds that have them.
$ ink gen zipf -n 20000 -o data
$ ink build bloom,hll,count-min,top -p 0.001 --precision 10 --eps 0.01 -k 50 -o all.ink data
$ ink info all.ink
all.ink: 4 sketches of bytes keys, hash xxh3, seed 7597127734790088481
read as: lines

kind   keys    bits  hashes     size  bits/key   target  promised   current  records
bloom  7407  128768       8  16.1 kB     17.38  0.00100   0.00100  0.000849    20000

kind         size  records  total  width  depth  counters      eps    delta
count-min  5.4 kB    20000  20000    272      5        32  0.00999  0.00674

kind    size  records  total  capacity       phi
top   104 kB    20000  20000      1600  0.000625

kind   size  records  precision   error  distinct
hll   768 B    20000         10  0.0325      7639
$ ink build hll --precision 10 -o hll.ink data; ink info --json all.ink | grep '"hll"' | grep -o '"digest.*' > a; ink info --json hll.ink | grep -o '"digest.*' | cmp - a
$ ink build counting,scalable,fm,classic -o rest.ink data && ink info --tsv rest.ink | cut -f 1,12
kind	records
classic	20000
counting	20000
scalable	20000
fm	20000
