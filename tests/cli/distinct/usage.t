# What is about data does not go with sketches; mixed files and bad ones are reported by name.
$ printf 'ant\nbee\n' > a.txt; ink build hll -o a.ink a.txt
$ ink distinct a.ink a.txt
!2 ink: a.txt: records after a file of sketches, expected one or the other
$ ink distinct a.txt a.ink
!2 ink: a.ink: a file of sketches after one of records, expected one or the other
$ ink distinct - a.txt < a.ink
!2 ink: a.txt: records after a file of sketches, expected one or the other
$ ink distinct - a.ink < a.txt
!2 ink: a.ink: a file of sketches after one of records, expected one or the other
$ ink distinct - -
!2 ink: standard input is read twice, for operand 1 and for operand 2, expected a FILE for one of them; see ink help distinct
$ ink distinct --in lines a.ink
!2 ink: --in is for data, but a.ink is a file of sketches; see ink help distinct
$ ink distinct -d , a.ink
!2 ink: --delimiter is for data, but a.ink is a file of sketches; see ink help distinct
$ ink distinct --fields a.ink
!2 ink: --fields is for data, but a.ink is a file of sketches; see ink help distinct
$ ink distinct --header a.ink
!2 ink: --header is for data, but a.ink is a file of sketches; see ink help distinct
$ ink distinct --key 1 a.ink
!2 ink: --key is for data, but a.ink is a file of sketches; see ink help distinct
$ ink distinct --key 1 < a.ink
!2 ink: --key is for data, but standard input is a file of sketches; see ink help distinct
$ ink distinct --key-type int a.ink
!2 ink: --key-type is for data, but a.ink is a file of sketches; see ink help distinct
$ ink distinct --by 1 a.ink
!2 ink: --by is for data, but a.ink is a file of sketches; see ink help distinct
$ ink distinct --round half-up a.ink
!2 ink: --round is for data, but a.ink is a file of sketches; see ink help distinct
$ ink distinct --bad skip a.ink
!2 ink: --bad is for data, but a.ink is a file of sketches; see ink help distinct
$ ink distinct --csv-multiline a.ink
!2 ink: --csv-multiline is for data, but a.ink is a file of sketches; see ink help distinct
$ ink distinct --hash xxh64 a.ink
!2 ink: --hash is for data, but a.ink is a file of sketches; see ink help distinct
$ ink distinct --seed 1 a.ink
!2 ink: --seed is for data, but a.ink is a file of sketches; see ink help distinct
$ ink distinct -n 5 a.ink
!2 ink: --keys is for data, but a.ink is a file of sketches; see ink help distinct
$ ink distinct --precision 12 a.ink
!2 ink: --precision is for data, but a.ink is a file of sketches; see ink help distinct
$ ink distinct --memory 64M a.ink
!2 ink: --memory is for data, but a.ink is a file of sketches; see ink help distinct
$ ink distinct --temp . a.ink
!2 ink: --temp is for data, but a.ink is a file of sketches; see ink help distinct
$ ink distinct --weight 1 a.txt
!2 ink: distinct has no option --weight; see ink help distinct
$ ink distinct --precision 3 a.txt
!2 ink: --precision 3, expected a whole number from 4 to 26; see ink help distinct
$ ink distinct -p 0.01 a.txt
!2 ink: --rate is not for hll; see ink help distinct
$ ink distinct --headroom 2x a.txt
!2 ink: --headroom is not for hll; see ink help distinct
$ ink distinct --temp none a.txt
!4 ink: none: the folder of --temp: No such file or directory
$ ink distinct --confidence 1 a.txt
!2 ink: --confidence 1, expected a number above 0 and below 1; see ink help distinct
$ ink distinct --confidence 95 a.txt
!2 ink: --confidence 95, expected a number above 0 and below 1; see ink help distinct
$ ink distinct --estimator mean a.txt
!2 ink: --estimator mean, expected default, seed or unlimited; see ink help distinct
$ ink distinct --json --tsv a.txt
!2 ink: --json and --tsv do not go together; see ink help distinct
$ ink distinct -q a.txt
!2 ink: no option -q; see ink help distinct
$ ink distinct none.txt
!4 ink: none.txt: cannot open: No such file or directory
$ ink distinct a.txt none.txt
!4 ink: none.txt: cannot open: No such file or directory
$ ink distinct a.ink none.ink
!4 ink: none.ink: cannot open: No such file or directory
$ ink distinct .
!4 ink: .: cannot read: Is a directory
$ head -c 100 a.ink > cut.ink; ink distinct cut.ink; ink distinct a.ink cut.ink
! ink: cut.ink: byte 40: the file is cut short: it has 100 bytes, its header declares a directory of 128 and payloads of 32
!3 ink: cut.ink: byte 40: the file is cut short: it has 100 bytes, its header declares a directory of 128 and payloads of 32
$ printf 'x' | dd of=a.ink bs=1 seek=70 conv=notrunc 2> /dev/null; ink distinct a.ink
!3 ink: a.ink: byte 184: the directory's checksum is wrong: the file is damaged
$ ink distinct --key 3 --fields a.txt
!3 ink: a.txt: line 1: 1 column, expected at least 3; --bad skip skips such records
$ : > a.csv; : > b.tsv; ink distinct --key 1 a.csv b.tsv
!2 ink: b.tsv is read as tsv and the input before it as csv, expected one form (--in)
