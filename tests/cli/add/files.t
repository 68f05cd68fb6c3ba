# What cannot be changed is refused in one line, and stays as it is.
$ seq 10 > words.txt; ink build bloom -n 100 -o words.ink words.txt
$ ink add none.ink words.txt
!4 ink: none.ink: cannot open: No such file or directory
$ ink add words.txt words.txt
!3 ink: words.txt: byte 0: not an .ink file, but text
$ ink add . words.txt; mkfifo fifo; ink add fifo words.txt
! ink: .: not a regular file, expected an .ink file
!3 ink: fifo: not a regular file, expected an .ink file
$ head -c 100 words.ink > cut.ink; ink add cut.ink words.txt
!3 ink: cut.ink: byte 40: the file is cut short: it has 100 bytes, its header declares a directory of 128 and payloads of 160
$ ink add words.ink none.txt
!4 ink: none.txt: cannot open: No such file or directory
$ ink add words.ink words.ink
!3 ink: words.ink: an .ink file, expected records
$ ink add --key-type int words.ink words.txt
!3 ink: words.ink: the file holds keys that are bytes, expected integers (--key-type)
$ ink add --weight 2 --in tsv words.ink words.txt
!2 ink: words.ink: weights for bloom, expected a kind that counts
$ printf '1\n2 3\nx\n' > bad.txt; ink build hll --key-type int -o ints.ink words.txt; ink add ints.ink bad.txt; ink add --bad skip ints.ink bad.txt && ink distinct ints.ink
10
! ink: bad.txt: line 2: "2 3", expected an integer key; --bad skip skips such records
! ink: 2 of 3 records could not be read and were skipped
$ : | ink build hll --by 2 --in tsv -o empty.ink; ink add empty.ink words.txt
!3 ink: empty.ink: the file holds no sketches, expected some to add to
$ ln -s words.ink link; ln -s link links; ink add links words.txt && test -L link && test -L links && ink info --tsv words.ink | cut -f12
records
20
$ chmod 640 words.ink; ink add words.ink words.txt; stat -c %a words.ink
640
$ printf 0123456789abcdef > secret; ink build hll --secret secret -o keyed.ink words.txt; ink add keyed.ink words.txt
!3 ink: keyed.ink: a keyed file, expected its secret (--secret)
$ ink add --secret secret keyed.ink words.txt; ink info --tsv keyed.ink | cut -f12; ink add --secret secret words.ink words.txt
records
20
!3 ink: words.ink: a secret was given, but the keys are hashed with xxh3, without one
$ printf fedcba9876543210 > other; ink add --secret other keyed.ink words.txt
!3 ink: keyed.ink: another secret: its check value is 673e492cb90604e0, the sketch has be080379acc0cffd
$ ls -A
bad.txt
cut.ink
empty.ink
fifo
ints.ink
keyed.ink
link
links
other
secret
words.ink
words.txt
