# A window covers only the last segment of time, by slots, which are saved as labelled sketches; late records are reported.
$ printf '0,ant\n30,bee\n70,ant\n130,cat\n5,late\n200,dog\n' > w.csv
$ printf 'DISTINCT\nCOUNT ant\nCOUNT dog\nCOUNT late\n' > q.txt
$ ink stream --train w.csv --key 2 --time 1 --window 2m --slots 4 --sketch hll --sketch count-min --state w --ask q.txt
DISTINCT	2	2	2
ant	0	0	0
dog	1	0	1
late	0	0	0
! ink: w/state.ink: begins; records from w.csv; questions from q.txt
! ink: w/state.ink: 5 records in 1 batch, 5 new, 1 late and left out
$ ink info w/state.ink
w/state.ink: 4 sketches of bytes keys, hash xxh3, seed 7597127734790088481
read as: csv, key 2, time 1

kind       slot                    size  records  total  width  depth  counters       eps    delta
count-min  1970-01-01T00:02:00Z  544 kB        1      1  27183      5        32  1.00e-04  0.00674
count-min  1970-01-01T00:03:00Z  544 kB        1      1  27183      5        32  1.00e-04  0.00674

kind  slot                  size  records  precision    error  distinct
hll   1970-01-01T00:02:00Z   3 B        1         14  0.00812         1
hll   1970-01-01T00:03:00Z   3 B        1         14  0.00812         1
$ ink distinct w/state.ink; ink distinct --last 1 w/state.ink
2
1
$ ink stream -q --train w.csv --key 2 --time 1 --window 2m --slots 4 --sketch bloom:n=100 --state b; printf 'cat\ndog\n' | ink filter --in lines b/state.ink; printf 'cat\ndog\n' | ink filter --in lines --last 1 b/state.ink
cat
dog
dog
$ ink merge -o merged.ink w/state.ink; ink distinct merged.ink
2
$ printf '220,dog\n' >> w.csv; printf 'COUNT dog\n' | ink stream --train w.csv --key 2 --time 1 --window 2m --slots 4 --sketch hll --sketch count-min --state w --ask -
dog	2	1	2
! ink: w/state.ink: resumes after record 5; records from w.csv; questions from standard input
! ink: w/state.ink: 6 records in 2 batches, 1 new, 1 late and left out
$ ink stream --train w.csv --key 2 --time 1 --window 2m --slots 8 --sketch hll --sketch count-min --state w
! ink: w/state.ink: it has a window of 4 slots of 30 s, and a window of 8 slots of 15 s was asked for, expected the same
? 3
$ ink stream --train w.csv --key 2 --time 1 --sketch hll --sketch count-min --state w
! ink: --time without --window, expected --window T; see ink help stream
? 2
