# The state is a file of sketches that all other commands read; only add and remove would spoil it.
$ printf 'bee\nant\nbee\ncat\n' > keys.txt
$ ink stream -q --train keys.txt --sketch bloom:n=100 --sketch count-min --sketch hll --sketch top --state d
$ ink info d/state.ink
d/state.ink: 4 sketches of bytes keys, hash xxh3, seed 7597127734790088481
read as: lines

kind   keys  bits  hashes   size  bits/key  target  promised   current  records
bloom   100  1280       8  160 B     12.80  0.0100    0.0100  5.46e-13        4

kind         size  records  total  width  depth  counters       eps    delta
count-min  544 kB        4      4  27183      5        32  1.00e-04  0.00674

kind   size  records  total  capacity       phi
top   105 B        4      4      1024  0.000977

kind  size  records  precision    error  distinct
hll    9 B        4         14  0.00812         3
$ ink top d/state.ink
estimate  low  high  share  key
       2    2     2  0.500  bee
       1    1     1  0.250  ant
       1    1     1  0.250  cat
$ ink count -e bee d/state.ink
  estimate         low        high  kind       key
         2           2           2  top        bee
$ ink distinct d/state.ink
3
$ printf 'bee\ndog\n' | ink filter d/state.ink
bee
$ ink merge -o two.ink d/state.ink d/state.ink && ink count -e bee two.ink
  estimate         low        high  kind       key
         4           4           4  top        bee
$ ink verify --truth keys.txt d/state.ink | tail -1
kept: all 3 members found, 0 false positives in 646117 tests, 6461 promised, broken above 6845; non-members are random keys
$ echo dog | ink add d/state.ink
! ink: d/state.ink: the state of a stream, whose position would become wrong, expected a file without one
? 3
$ ink info --check d/state.ink
d/state.ink: whole, 4 sketches
