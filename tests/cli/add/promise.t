# A filter keeps its promised rate, or the file stays as it is.
$ seq 1000 > a; seq 2001 2600 > b; ink build bloom -o a.ink a; cp a.ink old.ink
$ ink add a.ink b
!1 ink: a.ink: the result would have false-positive rate 0.0566586, above the 0.01 that is promised, expected --keys 1600, or --max-rate to allow it
$ cmp a.ink old.ink && ls -A
a
a.ink
b
old.ink
$ ink add --max-rate 0.05 a.ink b
!1 ink: a.ink: the result would have false-positive rate 0.0566586, above the 0.05 that is allowed, expected --keys 1600, or a higher --max-rate
$ ink add --max-rate 0.2 a.ink b && ink info a.ink
a.ink: 1 sketch of bytes keys, hash xxh3, seed 7597127734790088481
read as: lines

kind   keys   bits  hashes    size  bits/key  target  promised  current  records
bloom  1000  11264       8  1.4 kB     11.26  0.0100     0.200   0.0567     1600
$ for f in a b; do ink build bloom -n 1000 -q --force -o $f.ink $f; done; ink merge --max-rate 0.2 -o ab.ink a.ink b.ink; ink add --max-rate 0.2 a.ink b; cmp a.ink ab.ink
$ seq 1000 | sed 's/.*/&\tg/' > g.tsv; ink build bloom,hll -n 1000 --key 1 --by 2 -o g.ink g.tsv; seq 2000 2999 | sed 's/.*/&\tg/' | ink add g.ink; printf 'x\tg\n' | ink add g.ink
! ink: g.ink: 1 of 1 filters would be above the promised rate 0.01: g (0.123678); expected --keys 2000, or --max-rate
$ ink build hll -o h.ink a; ink add --max-rate 0.1 h.ink b
!2 ink: h.ink: --max-rate, but hll has no false-positive rate
