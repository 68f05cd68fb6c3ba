# What would change answers, or is another format, is refused by name; nothing is written.
$ printf 'a\nb\n' > a.txt; ink build --as spark-v1 -n 9 -o a.bin a.txt; ink convert --from spark-v1 a.bin a.ink
$ ink build bloom -o b.ink a.txt; ink build classic --bits 99 --hashes 2 -o c.ink a.txt; ink build count-min -o m.ink a.txt
$ ink convert --to spark-v2 a.ink x.bin
!3 ink: a.ink: keys are hashed with spark-v1, expected --hash spark-v2 for spark-v2: build it anew for this format
$ ink convert --to spark-v1 b.ink x.bin
!3 ink: b.ink: a bloom, expected a classic for spark-v1
$ ink convert --to spark-v1 c.ink x.bin
!3 ink: c.ink: keys are hashed with xxh3, expected --hash spark-v1 for spark-v1: build it anew for this format
$ ink convert --to spark-count-min m.ink x.bin
!3 ink: m.ink: keys are hashed with xxh3, expected --hash spark-count-min for spark-count-min: build it anew for this format
$ ink build hll,bloom --hash murmur3-128 -o two.ink a.txt; ink convert --to spark-v1 two.ink x.bin
!2 ink: two.ink: 2 sketches, expected one for --to spark-v1; see ink help convert
$ ink convert --from spark-v2 a.bin x.ink
!3 ink: a.bin: byte 0: version 1, expected 2
$ ink convert a.bin x.ink
!3 ink: a.bin: byte 0: not an .ink file, but a BloomFilter of Spark
$ ink convert --from auto a.txt x.ink
!3 ink: a.txt: fits no format, expected a whole file of one that docs/formats.md lists
$ ink convert --from auto - x.ink < /dev/null
!3 ink: standard input: fits no format, expected a whole file of one that docs/formats.md lists
$ printf '\0\0\0\1\0\0\0\0\0\0\0\1aaaaaaaa' | ink convert --from spark-v1 - x.ink
!3 ink: standard input: byte 4: 0 hashes of a key, expected 1 to 1024
$ printf '\0\0\0\1\0\0\0\1\177\377\377\377aaaaaaaa' | ink convert --from spark-v1 - x.ink
!3 ink: standard input: byte 8: 2147483647 words of 8 bytes, but 8 bytes follow
$ printf '\0\0\0\1\0\0\0\1\0\0\0\1aaaaaaaaa' | ink convert --from spark-v1 - x.ink
!3 ink: standard input: byte 8: 1 words of 8 bytes, but 9 bytes follow
$ printf '\0\0\0\1' | ink convert --from spark-v1 - x.ink
!3 ink: standard input: byte 4: the file ends in the first 8 bytes
$ ink merge -o x.ink a.ink c.ink
!3 ink: c.ink: keys are bytes, hash xxh3, seed 7597127734790088481; expected those of the first file: bytes, spark-v1, 0
$ ink distinct a.ink c.ink
!3 ink: c.ink: keys are bytes, hash xxh3, seed 7597127734790088481; expected those of the first file: bytes, spark-v1, 0
$ ls
a.bin
a.ink
a.txt
b.ink
c.ink
m.ink
two.ink
