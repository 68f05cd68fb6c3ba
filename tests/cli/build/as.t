# With --as the file is one of another system, and the same as a conversion of a sketch that was built for it.
$ printf 'hello\nh\303\251llo\n' > words.txt; seq 10 > numbers.txt
$ ink build --as spark-v1 --bits 128 --hashes 9 -o v1.bin words.txt && od -An -tx1 v1.bin
 00 00 00 01 00 00 00 09 00 00 00 02 42 03 01 04
 08 04 28 00 02 20 18 00 00 40 01 00
$ ink build classic --hash spark-v1 --bits 128 --hashes 9 -o v1.ink words.txt && ink convert --to spark-v1 v1.ink - | cmp v1.bin
$ ink build --as spark-v2 --seed 7 -n 10 -p 0.03 -o - words.txt | ink info --from spark-v2
standard input: 1 sketch of bytes keys, hash spark-v2, seed 7
converted from: spark-v2

kind     bits  hashes  size   current  records
classic   128       5  16 B  2.91e-06        0
$ ink build --as spark-v1 --key-type int -o numbers.bin numbers.txt && ink filter --from spark-v1 --key-type int -e 10 -e 11 numbers.bin
10
$ ink build --as spark-count-min --width 4 --depth 2 --seed 1 -o - words.txt words.txt | od -An -v -tx1
 00 00 00 01 00 00 00 00 00 00 00 04 00 00 00 02
 00 00 00 04 00 00 00 00 5d 8d 6a b9 00 00 00 00
 0c dc 4e 6c 00 00 00 00 00 00 00 02 00 00 00 00
 00 00 00 02 00 00 00 00 00 00 00 00 00 00 00 00
 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
 00 00 00 04 00 00 00 00 00 00 00 00 00 00 00 00
 00 00 00 00
$ ink build --as spark-count-min --eps 0.001 --delta 0.01 -o rows.bin words.txt && ink info --from spark-count-min rows.bin
rows.bin: 1 sketch of bytes keys, hash spark-count-min, seed 0
converted from: spark-count-min

kind         size  records  total  width  depth  counters      eps     delta
count-min  112 kB        2      2   2000      7        64  0.00136  0.000912
$ ink build classic --as spark-v1 -o x.bin words.txt
!2 ink: classic with --as spark-v1, which is a classic: expected files of data; see ink help build
$ cp words.txt classic; ink build --as spark-v1 --force -o x.bin classic; rm classic x.bin
$ ink build --as spark-v1 --secret - -o x.bin
!2 ink: standard input is read twice, for --secret and for the data, expected a FILE for one of them; see ink help build
$ ink build --as spark-v1 --secret - -o x.bin -
!2 ink: standard input is read twice, for --secret and for operand 1, expected a FILE for one of them; see ink help build
$ ink build --as spark-v1 --by 1 -o x.bin words.txt
!2 ink: --by with --as spark-v1, expected one sketch in a file of it; see ink help build
$ ink build --as spark-v1 -o x.bin none.txt
!4 ink: none.txt: cannot open: No such file or directory
$ ink build --as spark-v1 --hash xxh3 -o x.bin words.txt
!2 ink: --hash xxh3, expected spark-v1 for spark-v1
$ ink build --as spark-v1 --seed 3 -o x.bin words.txt
!2 ink: --seed 3, expected 0 to 0 for hash spark-v1
$ ink build --as spark-v1 --bits 100 --hashes 3 -o - words.txt | ink info --json --from spark-v1 | cut -d , -f 2,3
"bits":128,"hashes":3
$ ink build --as spark-count-min --conservative -o x.bin words.txt
!2 ink: --conservative is not for spark-count-min
$ ink build --as spark-v1 --secret words.txt -o x.bin words.txt
!3 ink: words.txt: 13 bytes, expected a secret of 16 bytes, or 32 hex digits
$ ink build --as spark -o x.bin words.txt
!2 ink: --as spark, did you mean spark-v1; see ink help build
$ ink build --as spark-v1 words.txt
!2 ink: build without -o, expected -o FILE for the sketches; see ink help build
$ ink build --as spark-v1 -o v1.bin words.txt
!2 ink: v1.bin: already exists; use --force to replace it; see ink help build
$ ls
numbers.bin
numbers.txt
rows.bin
v1.bin
v1.ink
words.txt
