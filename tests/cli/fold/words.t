# A filter that is too large is folded to the smallest size that keeps the rate.
$ seq 1000 > w; ink build bloom --bits 1048576 -o big.ink w; ink build bloom --bits 16384 -o direct.ink w
$ ink fold -p 0.01 -o small.ink big.ink && ink info small.ink
small.ink: 1 sketch of bytes keys, hash xxh3, seed 7597127734790088481
read as: lines

kind    bits  hashes    size  target  current  records
bloom  16384       8  2.0 kB  0.0100  0.00105     1000
$ ink filter -c small.ink w | sed -n 5p; test $(ink info --json small.ink | grep -o '"bits":[0-9]*') = $(ink info --json direct.ink | grep -o '"bits":[0-9]*') && echo same size
admitted      1000
same size
$ ink fold -p 0.00001 -o x.ink direct.ink
!1 ink: direct.ink: the false-positive rate is 0.00104721 already, above 1e-05
$ ink build hll -o hll.ink w; ink fold -p 0.01 -o x.ink hll.ink
!3 ink: hll.ink: the file holds nothing that can be folded, expected a filter
$ ink fold -p 0.01 -o big.ink big.ink; ink fold -p 0.01 --force -o big.ink big.ink && cmp big.ink small.ink
! ink: big.ink: is an input too, expected --force to replace it; see ink help fold
$ ink fold -p 0.01 -o x.ink w; ink fold -p 0.01 -o x.ink none; ls -A
big.ink
direct.ink
hll.ink
small.ink
w
! ink: w: byte 0: not an .ink file, but text
! ink: none: cannot open: No such file or directory
