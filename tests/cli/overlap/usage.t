# Two files or more that fit together; what does not is refused with its name.
$ seq 9 > a.txt; ink build hll -o a.ink a.txt; ink build hll --seed 4 -o seed.ink a.txt; ink build bloom -o bloom.ink a.txt; ink build hll --key-type int -o int.ink a.txt
$ ink overlap
!2 ink: 0 files, expected two or more; see ink help overlap
$ ink overlap a.ink
!2 ink: 1 file, expected two or more; see ink help overlap
$ ink overlap a.ink a.txt
!2 ink: a.txt: records after a file of sketches, expected one or the other
$ ink overlap a.ink bloom.ink
!3 ink: bloom.ink: the file holds bloom, expected hll
$ ink overlap a.ink seed.ink
!3 ink: seed.ink: seeds differ: 0x696e6b6c696e6721 and 0x4
$ ink overlap a.ink int.ink
!3 ink: int.ink: key types differ: bytes and int; build both with the same --key-type
$ ink overlap a.txt none.txt
!4 ink: none.txt: cannot open: No such file or directory
$ ink overlap - - < a.txt
!2 ink: standard input is read twice, for operand 1 and for operand 2, expected a FILE for one of them; see ink help overlap
$ ink overlap --kind bloom a.ink a.ink
!2 ink: --kind bloom does not answer that, expected hll, theta; see ink help overlap
$ ink overlap --precision 9 a.ink a.ink
!2 ink: --precision is for data, but a.ink is a file of sketches; see ink help overlap
$ ink overlap --last 2 a.txt a.txt
!2 ink: --last is for sketches with time slots, but a.txt is data; see ink help overlap
$ ink overlap --confidence 1 a.ink a.ink
!2 ink: --confidence 1, expected a number above 0 and below 1; see ink help overlap
$ printf 'x' > bad.ink; ink overlap a.ink bad.ink
!3 ink: bad.ink: byte 0: named .ink, but does not begin as an .ink file, expected a whole one, or records under another name
