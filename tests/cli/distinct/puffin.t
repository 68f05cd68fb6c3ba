# The theta sketches of a Puffin file, by the field ids of columns.
$ printf 'PFA1\002\003\003\000\000\032\314\223\002\000\000\000\000\000\000\000\025\371\175\313\275\206\241\005\345\153\141\356\310\200\104\040' > a.puffin
$ printf %s 'PFA1{"blobs":[{"type":"apache-datasketches-theta-v1","fields":[3],"snapshot-id":1,"sequence-number":1,"offset":4,"length":32}]}' >> a.puffin
$ printf '\173\000\000\000\000\000\000\000\120\106\101\061' >> a.puffin
$ ink distinct a.puffin
group  estimate  low  high
3             2    2     2
$ ink distinct --key 3 a.puffin
2
$ ink info --key 3 a.puffin
a.puffin: 1 sketch of bytes keys, hash murmur3-128, seed 9001
converted from: puffin

kind   size  records  precision   error  distinct
theta  24 B        0         12  0.0156         2
$ ink overlap --key 3 a.puffin a.puffin
keys                      estimate  low  high
in a.puffin                      2    2     2
in a.puffin                      2    2     2
in a.puffin or a.puffin          2    2     2
in a.puffin and a.puffin         2    2     2
only in a.puffin                 0    0     0
only in a.puffin                 0    0     0

share                    estimate   low  high
common of all (Jaccard)      1.00  1.00  1.00
of a.puffin in a.puffin      1.00  1.00  1.00
of a.puffin in a.puffin      1.00  1.00  1.00
$ ink distinct --key name a.puffin
!2 ink: a.puffin: no theta sketch of field "name", expected one of the fields 3 (--key)
$ ink info --from puffin --precision 4 --key 3 --json a.puffin | grep -o '"precision":[0-9]*'
"precision":4
$ ink distinct --from puffin --precision 4 --key 3 a.puffin
2
$ ink convert a.puffin a.ink; ink distinct a.ink
group  estimate  low  high
3             2    2     2
! ink: a.ink: not kept: snapshots and properties, blobs of other types
$ head -c 100 a.puffin > cut.puffin; ink distinct cut.puffin
!3 ink: cut.puffin: byte 96: a Puffin file that does not end with PFA1
$ ink convert --from spark-v1 --key 3 a.puffin b.ink
!2 ink: --key with --from spark-v1, expected --from parquet or puffin; see ink help convert
$ ink convert --from spark-v1 --precision 4 a.puffin b.ink
!2 ink: --precision with --from spark-v1, expected --from datasketches-theta or puffin; see ink help convert
$ ink build --as puffin -o c.puffin a.puffin
!2 ink: --as puffin: this format is read, not written; see ink help build
