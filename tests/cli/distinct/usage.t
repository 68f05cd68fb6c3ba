# What is about data does not go with sketches; mixed files and bad ones are reported by name.
$ printf 'ant\nbee\n' > a.txt; ink build hll -o a.ink a.txt
$ ink distinct a.ink a.txt
! ink: a.txt: records after a file of sketches, expected one or the other
? 2
$ ink distinct a.txt a.ink
! ink: a.ink: a file of sketches after one of records, expected one or the other
? 2
$ ink distinct - a.txt < a.ink
! ink: a.txt: records after a file of sketches, expected one or the other
? 2
$ ink distinct - a.ink < a.txt
! ink: a.ink: a file of sketches after one of records, expected one or the other
? 2
$ ink distinct - -
! ink: standard input (-) is given twice; see ink help distinct
? 2
$ ink distinct --in lines a.ink
! ink: --in is for data, but a.ink is a file of sketches; see ink help distinct
? 2
$ ink distinct -d , a.ink
! ink: --delimiter is for data, but a.ink is a file of sketches; see ink help distinct
? 2
$ ink distinct --fields a.ink
! ink: --fields is for data, but a.ink is a file of sketches; see ink help distinct
? 2
$ ink distinct --header a.ink
! ink: --header is for data, but a.ink is a file of sketches; see ink help distinct
? 2
$ ink distinct --key 1 a.ink
! ink: --key is for data, but a.ink is a file of sketches; see ink help distinct
? 2
$ ink distinct --key 1 < a.ink
! ink: --key is for data, but standard input is a file of sketches; see ink help distinct
? 2
$ ink distinct --key-type int a.ink
! ink: --key-type is for data, but a.ink is a file of sketches; see ink help distinct
? 2
$ ink distinct --by 1 a.ink
! ink: --by is for data, but a.ink is a file of sketches; see ink help distinct
? 2
$ ink distinct --round half-up a.ink
! ink: --round is for data, but a.ink is a file of sketches; see ink help distinct
? 2
$ ink distinct --bad skip a.ink
! ink: --bad is for data, but a.ink is a file of sketches; see ink help distinct
? 2
$ ink distinct --csv-multiline a.ink
! ink: --csv-multiline is for data, but a.ink is a file of sketches; see ink help distinct
? 2
$ ink distinct --hash xxh64 a.ink
! ink: --hash is for data, but a.ink is a file of sketches; see ink help distinct
? 2
$ ink distinct --seed 1 a.ink
! ink: --seed is for data, but a.ink is a file of sketches; see ink help distinct
? 2
$ ink distinct -n 5 a.ink
! ink: --keys is for data, but a.ink is a file of sketches; see ink help distinct
? 2
$ ink distinct --precision 12 a.ink
! ink: --precision is for data, but a.ink is a file of sketches; see ink help distinct
? 2
$ ink distinct --memory 64M a.ink
! ink: --memory is for data, but a.ink is a file of sketches; see ink help distinct
? 2
$ ink distinct --temp . a.ink
! ink: --temp is for data, but a.ink is a file of sketches; see ink help distinct
? 2
$ ink distinct --weight 1 a.txt
! ink: distinct has no option --weight; see ink help distinct
? 2
$ ink distinct --precision 3 a.txt
! ink: --precision 3, expected a whole number from 4 to 18; see ink help distinct
? 2
$ ink distinct -p 0.01 a.txt
! ink: --rate is not for hll; see ink help distinct
? 2
$ ink distinct --headroom 2x a.txt
! ink: --headroom is not for hll; see ink help distinct
? 2
$ ink distinct --temp none a.txt
! ink: none: the folder of --temp: No such file or directory
? 4
$ ink distinct --confidence 1 a.txt
! ink: --confidence 1, expected a number above 0 and below 1; see ink help distinct
? 2
$ ink distinct --confidence 95 a.txt
! ink: --confidence 95, expected a number above 0 and below 1; see ink help distinct
? 2
$ ink distinct --estimator mean a.txt
! ink: --estimator mean, expected default or seed; see ink help distinct
? 2
$ ink distinct --json --tsv a.txt
! ink: --json and --tsv do not go together; see ink help distinct
? 2
$ ink distinct -q a.txt
! ink: no option -q; see ink help distinct
? 2
$ ink distinct none.txt
! ink: none.txt: cannot open: No such file or directory
? 4
$ ink distinct a.txt none.txt
! ink: none.txt: cannot open: No such file or directory
? 4
$ ink distinct a.ink none.ink
! ink: none.ink: cannot open: No such file or directory
? 4
$ ink distinct .
! ink: .: cannot read: Is a directory
? 4
$ head -c 100 a.ink > cut.ink; ink distinct cut.ink; ink distinct a.ink cut.ink
! ink: cut.ink: byte 40: the file is cut short: it has 100 bytes, its header declares a directory of 128 and payloads of 32
! ink: cut.ink: byte 40: the file is cut short: it has 100 bytes, its header declares a directory of 128 and payloads of 32
? 3
$ printf 'x' | dd of=a.ink bs=1 seek=70 conv=notrunc 2> /dev/null; ink distinct a.ink
! ink: a.ink: byte 184: the directory's checksum is wrong: the file is damaged
? 3
$ ink distinct --key 3 --fields a.txt
! ink: a.txt: line 1: 1 column, expected at least 3
? 3
