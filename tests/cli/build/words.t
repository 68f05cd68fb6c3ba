# Lines go in, a filter comes out, sized by the different ones; nothing is said in a pipe.
$ seq 1000 > words.txt; ink build bloom -o words.ink words.txt
$ ink info words.ink
words.ink: 1 sketch of bytes keys, hash xxh3, seed 7597127734790088481
read as: lines

kind   keys   bits  hashes    size  bits/key  target  promised  current  records
bloom  1000  11264       8  1.4 kB     11.26  0.0100    0.0100  0.00681     1000
$ ink filter -c words.ink words.txt | grep -v seconds
functions        8
set records   1000
set keys      1000
analysed      1000
admitted      1000
rejected         0
$ cat words.txt words.txt | ink build bloom -o twice.ink && ink info --json twice.ink | grep -o '"keys":1000,'
"keys":1000,
$ ls -A
twice.ink
words.ink
words.txt
