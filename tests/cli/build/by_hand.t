# Sizes can be given by hand.
$ seq 1000 > words.txt
$ ink build classic --hash mmh3 --bits 1000003 --hashes 7 -o raw.ink words.txt && ink info raw.ink
raw.ink: 1 sketch of bytes keys, hash mmh3, seed 0
read as: lines

kind        bits  hashes    size   current  records
classic  1000003       7  125 kB  8.03e-16     1000
$ ink build bloom --bits 65536 -o bits.ink words.txt && ink info bits.ink
bits.ink: 1 sketch of bytes keys, hash xxh3, seed 7597127734790088481
read as: lines

kind    bits  hashes    size   current  records
bloom  65536       8  8.2 kB  1.21e-06     1000
$ ink build bloom --bits 65536 -n 5000 -o both.ink words.txt && ink info both.ink
both.ink: 1 sketch of bytes keys, hash xxh3, seed 7597127734790088481
read as: lines

kind   keys   bits  hashes    size  bits/key  promised   current  records
bloom  5000  65536       8  8.2 kB     13.11   0.00406  1.21e-06     1000
$ ink build count-min --width 100 --depth 4 --counters 64 --conservative -o cm.ink words.txt && ink info cm.ink
cm.ink: 1 sketch of bytes keys, hash xxh3, seed 7597127734790088481
read as: lines

kind         size  records  total  width  depth  counters     eps   delta
count-min  3.2 kB     1000   1000    100      4        64  0.0272  0.0183
$ ink build bloom --headroom 4x -o room.ink words.txt && ink info room.ink
room.ink: 1 sketch of bytes keys, hash xxh3, seed 7597127734790088481
read as: lines

kind   keys   bits  hashes    size  bits/key  target  promised   current  records
bloom  4000  43520       8  5.4 kB     10.88  0.0100    0.0100  5.22e-06     1000
