# What is about data does not go with sketches; files that do not answer are reported by name.
$ printf 'ant\nbee\n' > a.txt; ink build top -o a.ink a.txt; ink build hll -o h.ink a.txt
$ ink top h.ink
! ink: h.ink: the file holds hll, expected top
? 3
$ ink top a.ink h.ink
! ink: h.ink: the file holds hll, expected top
? 3
$ ink top a.ink a.txt
! ink: a.txt: records after a file of sketches, expected one or the other
? 2
$ ink top a.txt a.ink
! ink: a.ink: a file of sketches after one of records, expected one or the other
? 2
$ ink top --key 1 a.ink
! ink: --key is for data, but a.ink is a file of sketches; see ink help top
? 2
$ ink top --weight 2 a.ink
! ink: --weight is for data, but a.ink is a file of sketches; see ink help top
? 2
$ ink top --by 1 < a.ink
! ink: --by is for data, but standard input is a file of sketches; see ink help top
? 2
$ ink top --seed 1 a.ink
! ink: --seed is for data, but a.ink is a file of sketches; see ink help top
? 2
$ ink top --memory 64M a.ink
! ink: --memory is for data, but a.ink is a file of sketches; see ink help top
? 2
$ ink top --last 1 a.txt
! ink: --last is for sketches with time slots, but a.txt is data; see ink help top
? 2
$ ink top --kind top a.txt
! ink: top has no option --kind; see ink help top
? 2
$ ink top -k 0 a.txt
! ink: -k 0, expected a whole number from 1 to 4294967295; see ink help top
? 2
$ ink top -k ten a.txt
! ink: -k ten, expected a whole number from 1 to 4294967295; see ink help top
? 2
$ ink top -n 5 a.txt
! ink: no option -n; see ink help top
? 2
$ ink top --hash mmh3 a.txt
! ink: top needs a 64-bit hash, and mmh3 has none; classic takes it
? 2
$ ink top none
! ink: none: cannot open: No such file or directory
? 4
$ ink top a.ink none.ink
! ink: none.ink: cannot open: No such file or directory
? 4
$ ink top --fields --key 2 a.txt
! ink: a.txt: line 1: 1 column, expected at least 2
? 3
$ printf 'a x\n' | ink top --fields --key 1 --weight 2
! ink: standard input: line 1: "x", expected a weight from 0 to 2^64 - 1
? 3
$ head -c 100 a.ink > cut.ink; ink top a.ink cut.ink
! ink: cut.ink: byte 40: the file is cut short: it has 100 bytes, its header declares a directory of 128 and payloads of 96
? 3
$ awk 'BEGIN {for (i = 0; i < 30000; i++) print i, i}' | ink top --fields --by 1 --key 2 --memory 1M
! ink: groups with more than 1048576 bytes of keys and counts in all, expected fewer or smaller ones, or more memory (--memory)
? 5
