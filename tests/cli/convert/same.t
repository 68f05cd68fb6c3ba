# An .ink file is copied; its origin stays, also when it is merged with others of the same origin, and is lost among others.
$ printf 'a\nb\n' > a.txt; ink build --as spark-v1 --bits 64 --hashes 3 -o a.bin a.txt; ink convert --from spark-v1 a.bin a.ink
$ ink convert a.ink b.ink && cmp a.ink b.ink
$ ink convert --to ink a.ink - | cmp a.ink
$ ink convert - c.ink < a.ink && cmp a.ink c.ink
$ ink convert --from spark-v1 - - < a.bin | cmp a.ink
$ ink convert --from spark-v2 a.ink - | cmp a.ink
$ ink merge --from spark-v1 -o d.ink a.ink a.bin a.bin && ink info d.ink
d.ink: 1 sketch of bytes keys, hash spark-v1, seed 0
converted from: spark-v1

kind     bits  hashes  size   current  records
classic    64       3   8 B  0.000824        0
$ ink build classic --hash spark-v1 --bits 64 --hashes 3 -o e.ink a.txt && ink merge -o f.ink a.ink e.ink && ink info f.ink
f.ink: 1 sketch of bytes keys, hash spark-v1, seed 0

kind     bits  hashes  size   current  records
classic    64       3   8 B  0.000824        2
! ink: f.ink: the files were read in different ways, so the union keeps no input spec; say how data is read
$ ink add a.ink a.txt && ink info a.ink
a.ink: 1 sketch of bytes keys, hash spark-v1, seed 0
converted from: spark-v1

kind     bits  hashes  size   current  records
classic    64       3   8 B  0.000824        2
$ ink build hll -o h.ink a.txt && ink convert h.ink i.ink && cmp h.ink i.ink
