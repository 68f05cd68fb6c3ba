# Without a file it reads standard input.
$ seq 1000 | ink build hll -o h.ink; ink info < h.ink
standard input: 1 sketch of bytes keys, hash xxh3, seed 7597127734790088481
read as: lines

kind    size  records  precision    error  distinct
hll   2.9 kB     1000         14  0.00812      1000
$ cat h.ink | ink info --json | cut -c 1-40
{"kind":"hll","bytes":2913,"records":100
$ ink info --check < h.ink; ink info -q < h.ink; ink info --digest < h.ink | wc -c
standard input: whole, 1 sketch
33
$ seq 10 | ink info
!3 ink: standard input: byte 0: not an .ink file, but text
