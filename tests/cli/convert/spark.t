# Files of Spark say what Spark was told, and come back byte for byte.
$ printf '\000\000\000\001\000\000\000\011\000\000\000\002B?\221\004\010\004+\000\003\040\030\000\342@\001\222' > v1.bin
$ printf '\000\000\000\002\000\000\000\011\000\000\000\007\000\000\000\002\000\210\021\002\000\001\230\040\005x\000\011\364\010#\023' > v2.bin
$ printf '\000\000\000\001\000\000\000\000\000\000\000\011\000\000\000\002\000\000\000\004\000\000\000\000]\215j\271\000\000\000\000\014\334Nl\000\000\000\000\000\000\000\003\000\000\000\000\000\000\000\005\000\000\000\000\000\000\000\001\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\003\000\000\000\000\000\000\000\005\000\000\000\000\000\000\000\001' > rows.bin
$ printf 'hello\nh\303\251llo\nhallo\n' > words.txt; printf '42\n-7\n43\n' > numbers.txt
$ ink convert --from spark-v1 v1.bin v1.ink && ink info v1.ink && ink filter v1.ink words.txt
v1.ink: 1 sketch of bytes keys, hash spark-v1, seed 0
converted from: spark-v1

kind     bits  hashes  size   current  records
classic   128       9  16 B  3.81e-06        0
hello
héllo
$ ink convert --to spark-v1 v1.ink again.bin && cmp v1.bin again.bin
$ ink convert --from spark-v2 --key-type int v2.bin v2.ink && ink info v2.ink && ink filter v2.ink numbers.txt
v2.ink: 1 sketch of int keys, hash spark-v2, seed 7
converted from: spark-v2

kind     bits  hashes  size   current  records
classic   128       9  16 B  2.13e-06        0
42
-7
$ ink convert --to spark-v2 v2.ink - | cmp v2.bin
$ ink convert --from auto rows.bin - | ink count -e hello -e hallo
  estimate         low        high  key
         3           0           3  hello
         0           0           0  hallo
$ ink convert --from auto rows.bin rows.ink && ink convert --to spark-count-min rows.ink - | cmp rows.bin
$ ink count --from spark-count-min --key-type int -e 42 -e -7 -e 43 rows.bin
  estimate         low        high  key
         5           0           5  42
         1           0           1  -7
         1           0           1  43
$ ink info --json v1.ink
{"kind":"classic","bits":128,"hashes":9,"bytes":16,"current_rate":3.814697265625e-06,"records":0,"digest":"d2fda8c4d7c8995fb8d6e94cf5de879f","origin":"spark-v1"}
$ ink info --tsv v1.ink | cut -f 1,27
kind	origin
classic	spark-v1
