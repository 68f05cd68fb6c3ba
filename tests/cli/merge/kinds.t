# Kinds and groups that only one file has are taken along; what does not fit is reported with its file.
$ seq 100 > w; ink build bloom -o bloom.ink w; ink build hll -o hll.ink w; ink build bloom -n 1e5 -o big.ink w; ink build bloom --key-type int -o int.ink w; ink build bloom --seed 7 -o seed.ink w
$ ink merge -o both.ink bloom.ink hll.ink && ink info --tsv both.ink | cut -f 1,12
kind	records
bloom	100
hll	100
$ ink merge -o one.ink bloom.ink && cmp one.ink bloom.ink
$ ink merge -o x.ink bloom.ink big.ink
!3 ink: big.ink: block counts 5 and 4144: neither divides the other; build both with the same --keys
$ ink merge -o x.ink bloom.ink int.ink
!3 ink: int.ink: keys are ints, expected bytes, as in the first file; build both with the same --key-type
$ ink merge -o x.ink bloom.ink seed.ink
!3 ink: seed.ink: keys are bytes, hash xxh3, seed 7; expected those of the first file: bytes, xxh3, 7597127734790088481
$ ink merge -o x.ink bloom.ink w
!3 ink: w: byte 0: not an .ink file, but text
$ ink merge -o x.ink bloom.ink none.ink
!4 ink: none.ink: cannot open: No such file or directory
$ ink merge --max-rate 0.1 -o x.ink hll.ink hll.ink
!2 ink: --max-rate, but the files hold no filter, expected one
$ printf 'k,g\na,1\nb,2\n' > 1.csv; printf 'k,g\nc,2\nd,3\n' > 2.csv; for i in 1 2; do ink build bloom --bits 1024 --header --key k --by g -o $i.ink $i.csv; done; ink merge -o g.ink 1.ink 2.ink && ink info g.ink
g.ink: 3 sketches of bytes keys, hash xxh3, seed 7597127734790088481
read as: csv, header, key k, by g

kind   group  bits  hashes   size   current  records
bloom  1      1024       8  128 B  2.27e-13        1
bloom  2      1024       8  128 B  [...]        2
bloom  3      1024       8  128 B  2.27e-13        1
$ ink merge -o - 1.ink 2.ink | cmp - g.ink
$ seq 1000 > n1; seq 1001 2000 > n2; ink build bloom,hll -n 1000 -o n1.ink n1; ink build bloom,hll -n 1000 -o n2.ink n2
$ ink merge --max-rate 0.2 -o n.ink n1.ink n2.ink && ink distinct --kind bloom n.ink
2000
$ for d in 1 2; do seq ${d}000 ${d}999 | awk '{ print $1 "\tg" $1 % 5 }' > m$d.tsv; ink build bloom -n 210 --key 1 --by 2 -o m$d.ink m$d.tsv; done
$ ink merge -o m.ink m1.ink m2.ink
!1 ink: m2.ink: 5 of 5 filters would be above the promised rate 0.01: g4 (0.0870768), g1 (0.0845829), g2 (0.0803373) and 2 more; expected --keys 400, or --max-rate
$ seq 1000 > a; seq 1001 2000 > b; for n in a b; do sed 's/$/,g/' $n > $n.csv; ink build bloom -n 1000 -q -o $n.ink $n; ink build bloom -n 1000 --in csv --key 1 --by 2 -q -o g$n.ink $n.csv; ink merge -q -o with-$n.ink $n.ink g$n.ink; done 2> /dev/null
$ ink merge -o none.ink with-a.ink with-b.ink
!1 ink: with-b.ink: 2 of 2 filters would be above the promised rate 0.01: (none) (0.119044), g (0.119044); expected --keys 2000, or --max-rate
$ ink merge --max-rate 0.2 -o m.ink m1.ink m2.ink && ink info m.ink | tail -n 1
bloom  g4      210  2560       8  320 B     12.19  0.0100     0.200   0.0871      400
$ seq 5000 > t1; seq 4001 9000 > t2; ink build theta -o t1.ink t1; ink build theta --precision 10 -o t2.ink t2; ink build theta --precision 10 -o t12.ink t1 t2; ink merge -o t.ink t1.ink t2.ink && cmp t.ink t12.ink
