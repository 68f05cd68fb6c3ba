# What is about data does not go with sketches; files that do not answer are reported by name.
$ printf 'ant\nbee\n' > a.txt; ink build top -o a.ink a.txt; ink build hll -o h.ink a.txt
$ ink top h.ink
!3 ink: h.ink: the file holds hll, expected top
$ ink top a.ink h.ink
!3 ink: h.ink: the file holds hll, expected top
$ ink top a.ink a.txt
!2 ink: a.txt: records after a file of sketches, expected one or the other
$ ink top a.txt a.ink
!2 ink: a.ink: a file of sketches after one of records, expected one or the other
$ ink top --key 1 a.ink
!2 ink: --key is for data, but a.ink is a file of sketches; see ink help top
$ ink top --weight 2 a.ink
!2 ink: --weight is for data, but a.ink is a file of sketches; see ink help top
$ ink top --by 1 < a.ink
!2 ink: --by is for data, but standard input is a file of sketches; see ink help top
$ ink top --seed 1 a.ink
!2 ink: --seed is for data, but a.ink is a file of sketches; see ink help top
$ ink top --memory 64M a.ink
!2 ink: --memory is for data, but a.ink is a file of sketches; see ink help top
$ ink top --last 1 a.txt
!2 ink: --last is for sketches with time slots, but a.txt is data; see ink help top
$ ink top --kind top a.txt
!2 ink: top has no option --kind; see ink help top
$ ink top -k 0 a.txt
!2 ink: -k 0, expected a whole number from 1 to 4294967295; see ink help top
$ ink top -k ten a.txt
!2 ink: -k ten, expected a whole number from 1 to 4294967295; see ink help top
$ ink top -n 5 a.txt
!2 ink: no option -n; see ink help top
$ ink top --hash mmh3 a.txt
!2 ink: --hash mmh3 is for classic, not for top
$ ink top none
!4 ink: none: cannot open: No such file or directory
$ ink top a.ink none.ink
!4 ink: none.ink: cannot open: No such file or directory
$ ink top --fields --key 2 a.txt
!3 ink: a.txt: line 1: 1 column, expected at least 2; --bad skip skips such records
$ printf 'a x\n' | ink top --fields --key 1 --weight 2
!3 ink: standard input: line 1: "x", expected a weight from 0 to 2^64 - 1; --bad skip skips such records
$ head -c 100 a.ink > cut.ink; ink top a.ink cut.ink
!3 ink: cut.ink: byte 40: the file is cut short: it has 100 bytes, its header declares a directory of 128 and payloads of 96
$ awk 'BEGIN {for (i = 0; i < 30000; i++) print i, i}' | ink top --fields --by 1 --key 2 --memory 1M
!5 ink: groups with more than 1048576 bytes of keys and counts in all, expected fewer or smaller ones, or more memory (--memory)
$ echo '[{"k":1},{"k":2}]' | ink top --in jsonl --key k
!3 ink: standard input: line 1: an array, expected an object (jq -c '.[]' makes records of its elements); --bad skip skips such records
