# Two files of sketches of one size; what does not fit is reported with both names.
$ printf 'ant\nbee\n' > a.txt; ink build count-min -o a.ink a.txt; ink build count-min --eps 0.01 -o b.ink a.txt
$ ink dot
!2 ink: 0 files, expected two; see ink help dot
$ ink dot a.ink
!2 ink: 1 file, expected two; see ink help dot
$ ink dot a.ink b.ink a.ink
!2 ink: 3 files, expected two; see ink help dot
$ ink dot - -
!2 ink: standard input is read twice, for operand 1 and for operand 2, expected a FILE for one of them; see ink help dot
$ ink dot a.ink b.ink
!3 ink: a.ink and b.ink: sizes differ: 5 rows of 27183 counters of 32 bits, and 5 of 272 of 32
$ ink dot a.ink - < b.ink
!3 ink: a.ink and standard input: sizes differ: 5 rows of 27183 counters of 32 bits, and 5 of 272 of 32
$ ink build count-min --conservative -o c.ink a.txt; ink dot c.ink c.ink
!3 ink: c.ink and c.ink: conservative counters do not add up to an inner product: build both count-mins without --conservative
$ ink build count-min --seed 1 -o s.ink a.txt; ink dot a.ink s.ink
!3 ink: a.ink and s.ink: seeds differ: 0x696e6b6c696e6721 and 0x1
$ ink build count-min --key-type int -o i.ink /dev/null; ink dot a.ink i.ink
!3 ink: a.ink and i.ink: key types differ: bytes and int; build both with the same --key-type
$ ink build hll -o h.ink a.txt; ink dot a.ink h.ink
!3 ink: h.ink: the file holds hll, expected count-min
$ ink dot h.ink a.ink
!3 ink: h.ink: the file holds hll, expected count-min
$ ink dot a.ink none.ink
!4 ink: none.ink: cannot open: No such file or directory
$ ink dot a.ink a.txt
!2 ink: a.txt: records after a file of sketches, expected one or the other
$ ink dot --key 1 a.ink a.ink
!2 ink: --key is for data, but a.ink is a file of sketches; see ink help dot
$ head -c 100 a.ink > cut.ink; ink dot a.ink cut.ink
!3 ink: cut.ink: byte 40: the file is cut short: it has 100 bytes, its header declares a directory of 128 and payloads of 543680
$ printf '0123456789abcdef' > s; ink build count-min --secret s -o k.ink a.txt; ink dot --secret s k.ink k.ink
2
$ ink dot k.ink k.ink
!3 ink: k.ink: a keyed file, expected its secret (--secret)
$ ink dot --secret s k.ink a.ink
!3 ink: a.ink: a secret was given, but the keys are hashed with xxh3, without one
