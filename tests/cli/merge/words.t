# The union is that of all records; the promise is kept or the merge refused.
$ seq 1000 > a; seq 501 1500 > b; for f in a b; do ink build bloom -n 1500 -o $f.ink $f; done; sort -u a b | ink build bloom -n 1500 -o ab.ink
$ ink merge -o all.ink a.ink b.ink && ink info all.ink; ink filter -c all.ink a b | sed -n 5p
all.ink: 1 sketch of bytes keys, hash xxh3, seed 7597127734790088481
read as: lines

kind   keys   bits  hashes    size  bits/key  target  promised  current  records
bloom  1500  16640       8  2.1 kB     11.09  0.0100    0.0100  0.00758     2000
admitted      2000
$ for f in a b; do ink build bloom -o $f.small $f; done; ink merge -o x.ink a.small b.small
!1 ink: b.small: the result would have false-positive rate 0.0425279, above the 0.01 that is promised, expected --keys 1554, or --max-rate to allow it
$ ink merge --max-rate 0.1 -o x.ink a.small b.small && ink info x.ink
x.ink: 1 sketch of bytes keys, hash xxh3, seed 7597127734790088481
read as: lines

kind   keys   bits  hashes    size  bits/key  target  promised  current  records
bloom  1000  11264       8  1.4 kB     11.26  0.0100     0.100   0.0425     2000
$ ink merge -o all.ink a.ink b.ink
!2 ink: all.ink: already exists; use --force to replace it; see ink help merge
$ ink merge -o a.ink a.ink b.ink
!2 ink: a.ink: is an input too, expected --force to replace it; see ink help merge
$ ink merge --force -o a.ink a.ink b.ink && cmp a.ink all.ink
$ ls -A
a
a.ink
a.small
ab.ink
all.ink
b
b.ink
b.small
x.ink
$ sed 's/$/,g/' a > c.csv; ink build bloom -n 1500 --key 1 -o c.ink c.csv; ink merge -o mixed.ink b.ink c.ink; ink merge -q -o quiet.ink b.ink c.ink && cmp mixed.ink quiet.ink
! ink: mixed.ink: the files were read in different ways, so the union keeps no input spec; say how data is read
$ ink merge -o - b.ink c.ink | cmp - mixed.ink
! ink: standard output: the files were read in different ways, so the union keeps no input spec; say how data is read
