# What a file of another system does not say of its keys is said by options, at every question.
$ printf 'ant\nbee\n\303\244\n' > words; seq -3 3 > numbers; printf '\1\0\0\0\377\377\377\377' > u32
$ for h in guava guava-32; do for f in utf8 chars; do ink build -q --as guava --hash $h --funnel $f -n 50 -o $f-$h.bin words; done; for f in long int; do ink build -q --as guava --hash $h --funnel $f -n 50 -o $f-$h.bin numbers; done; done; cksum *.bin | cut -d ' ' -f 1 | sort -u | wc -l
8
$ for f in utf8 chars long int; do for h in guava guava-32; do ink info --from guava --funnel $f $f-$h.bin | sed -n '1s/.*of//p'; done; done
 bytes keys, hash guava, seed 0
 bytes keys, hash guava-32, seed 0
 bytes keys, hash guava-chars, seed 0
 bytes keys, hash guava-32-chars, seed 0
 int keys, hash guava, seed 0
 int keys, hash guava-32, seed 0
 int keys, hash guava-int, seed 0
 int keys, hash guava-32-int, seed 0
$ for f in utf8 chars; do for g in utf8 chars; do for h in guava guava-32; do echo $f $g $(ink filter --from guava --funnel $g -c --tsv $f-$h.bin words | tail -n 1 | cut -f 5); done; done; done
utf8 utf8 3
utf8 utf8 3
utf8 chars 0
utf8 chars 0
chars utf8 0
chars utf8 0
chars chars 3
chars chars 3
$ for f in long int; do for g in long int; do for h in guava guava-32; do echo $f $g $(ink filter --from guava --funnel $g -c --tsv $f-$h.bin numbers | tail -n 1 | cut -f 5); done; done; done
long long 7
long long 7
long int 0
long int 0
int long 0
int long 0
int int 7
int int 7
$ ink filter -c --tsv --from guava --key-type int long-guava.bin numbers | tail -n 1 | cut -f 5; ink filter -c --tsv --from guava --in u32 long-guava.bin u32 | tail -n 1 | cut -f 5
7
1
$ ink build --as spark-v1 --funnel utf8 -o x.bin words
!2 ink: --funnel utf8 without --as guava; see ink help build
$ ink build bloom --funnel utf8 -o x.bin words
!2 ink: --funnel utf8 without --as guava; see ink help build
$ ink build --as guava --funnel chars --key-type int -o x.bin numbers
!2 ink: --funnel chars with --key-type int, expected long or int; see ink help build
$ ink build --as guava --funnel int --key-type bytes -o x.bin numbers
!2 ink: --funnel int with --key-type bytes, expected utf8 or chars; see ink help build
$ ink build --as guava --funnel int --hash guava-int -o x.bin numbers
!2 ink: --funnel int with --hash guava-int, expected guava or guava-32; see ink help build
$ ink build --as index-list --bits 200 --hashes 3 -o list words; cat list; ink filter --from index-list --bits 200 --hashes 3 -v list words numbers
[16, 61, 100, 107, 109, 124, 127, 132, 153]
-3
-2
-1
0
1
2
3
$ ink filter --from index-list --bits 200 --hashes 2 -c --tsv list words | tail -n 1 | cut -f 5; ink info --from index-list --bits 200 --hashes 3 list | tail -n 1; ink info --from index-list --hashes 3 list
3
classic   200       3  25 B  9.11e-05        0
!2 ink: list: --bits is not in a list of indexes, expected it as a parameter
$ ink convert --from index-list --bits 200 --hashes 3 list list.ink; ink convert --to index-list list.ink - | cmp - list
! ink: standard output: not kept: the number of bits, the hash, and how many of them a key has
$ ink convert --to index-list list.ink nowhere/x; ink convert --to index-list list.ink - > /dev/full
! ink: nowhere/x: its folder: No such file or directory
! ink: standard output: not kept: the number of bits, the hash, and how many of them a key has
!4 ink: standard output: cannot write: No space left on device
