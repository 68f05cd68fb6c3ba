# Two files of sketches of one size; what does not fit is reported with both names.
$ printf 'ant\nbee\n' > a.txt; ink build count-min -o a.ink a.txt; ink build count-min --eps 0.01 -o b.ink a.txt
$ ink dot
! ink: 0 files, expected two; see ink help dot
? 2
$ ink dot a.ink
! ink: 1 file, expected two; see ink help dot
? 2
$ ink dot a.ink b.ink a.ink
! ink: 3 files, expected two; see ink help dot
? 2
$ ink dot - -
! ink: standard input (-) is given twice; see ink help dot
? 2
$ ink dot a.ink b.ink
! ink: a.ink and b.ink: sizes differ: 5 rows of 27183 counters of 32 bits, and 5 of 272 of 32
? 3
$ ink dot a.ink - < b.ink
! ink: a.ink and standard input: sizes differ: 5 rows of 27183 counters of 32 bits, and 5 of 272 of 32
? 3
$ ink build count-min --conservative -o c.ink a.txt; ink dot c.ink c.ink
! ink: c.ink and c.ink: conservative counters do not add up to an inner product: build both count-mins without conservative
? 3
$ ink build count-min --seed 1 -o s.ink a.txt; ink dot a.ink s.ink
! ink: a.ink and s.ink: seeds differ: 0x696e6b6c696e6721 and 0x1
? 3
$ ink build count-min --key-type int -o i.ink /dev/null; ink dot a.ink i.ink
! ink: a.ink and i.ink: key types differ: bytes and int
? 3
$ ink build hll -o h.ink a.txt; ink dot a.ink h.ink
! ink: h.ink: the file holds hll, expected count-min
? 3
$ ink dot h.ink a.ink
! ink: h.ink: the file holds hll, expected count-min
? 3
$ ink dot a.ink none.ink
! ink: none.ink: cannot open: No such file or directory
? 4
$ ink dot a.ink a.txt
! ink: a.txt: records after a file of sketches, expected one or the other
? 2
$ ink dot --key 1 a.ink a.ink
! ink: --key is for data, but a.ink is a file of sketches; see ink help dot
? 2
$ head -c 100 a.ink > cut.ink; ink dot a.ink cut.ink
! ink: cut.ink: byte 40: the file is cut short: it has 100 bytes, its header declares a directory of 128 and payloads of 543680
? 3
$ printf '0123456789abcdef' > s; ink build count-min --secret s -o k.ink a.txt; ink dot --secret s k.ink k.ink
2
$ ink dot k.ink k.ink
! ink: k.ink: a keyed file, expected its secret (--secret)
? 3
$ ink dot --secret s k.ink a.ink
! ink: a.ink: a secret was given, but the keys are hashed with xxh3, without one
? 3
