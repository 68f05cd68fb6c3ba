# Of a file with groups, those that the key may be in are printed with the record; --by tests its own group only.
$ printf 'k,g\nant,a\nbee,b\ncat,\nant,b\n' > d.csv; ink build bloom -p 0.00001 --header --key k --by g -o d.ink d.csv
$ ink info d.ink
d.ink: 3 sketches of bytes keys, hash xxh3, seed 7597127734790088481
read as: csv, header, key k, by g

kind   group  keys  bits  hashes  size  bits/key    target  promised   current  records
bloom  ""        1   256       8  32 B    256.00  1.00e-05  1.00e-05  9.09e-13        1
bloom  a         1   256       8  32 B    256.00  1.00e-05  1.00e-05  9.09e-13        1
bloom  b         2   256       8  32 B    128.00  1.00e-05  1.00e-05  2.33e-10        2
$ ink filter d.ink d.csv
k,g,ink_group
ant,a,"a,b"
bee,b,b
cat,,\E
ant,b,"a,b"
$ ink filter --by d.ink d.csv
k,g
ant,a
bee,b
cat,
ant,b
$ printf 'k,g\nant,a\nbee,a\nant,c\n' > e.csv; ink filter --by d.ink e.csv; ink filter --by -v d.ink e.csv; ink filter --by=g -c --json d.ink e.csv
k,g
ant,a
k,g
bee,a
ant,c
{"functions":8,"set_records":4,"set_keys":4,"analysed":3,"admitted":1,"rejected":2,"seconds":[...]}
$ printf 'g;k\na;ant\nb;ant\na;bee\n' | ink filter --in lines -d ';' --key 2 --by=1 d.ink
a;ant
b;ant
$ ink filter -e ant -e bee -e dog d.ink
ant	a,b
bee	b
$ ink build bloom -o plain.ink d.csv; ink filter --by plain.ink d.csv
!2 ink: the file has no groups, expected some to test records by
$ ink filter --by=g plain.ink d.csv
!2 ink: the file has no groups, expected some to test records by
