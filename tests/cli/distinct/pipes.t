# Sketches and records come through pipes of any kind; what is damaged or packed otherwise is not taken for text.
$ printf 'x\ny\n' > xy; ink build hll -o h.ink xy; ink build bloom -o b.ink xy
$ bash -c 'ink distinct <(cat h.ink)'; bash -c 'ink distinct <(cat xy) <(echo z)'; bash -c 'ink distinct h.ink <(cat h.ink)'
2
3
2
$ bash -c 'ink filter <(cat b.ink) xy'; mkfifo p; cat h.ink > p & ink info --digest p > of_pipe; ink info --digest h.ink | cmp - of_pipe
x
y
$ printf X | dd of=h.ink bs=1 conv=notrunc 2>/dev/null; ink distinct h.ink
! ink: h.ink: byte 0: named .ink, but does not begin as an .ink file, expected a whole one, or records under another name
? 3
$ ink uniq h.ink
! ink: h.ink: byte 0: named .ink, but does not begin as an .ink file, expected a whole one, or records under another name
? 3
$ : > empty.ink; ink top empty.ink
! ink: empty.ink: byte 0: named .ink, but does not begin as an .ink file, expected a whole one, or records under another name
? 3
$ printf '\3757zXZ\0\0\4' > log.xz; ink distinct log.xz
! ink: log.xz: byte 0: xz data, expected records, plain or in gzip or zstd (xz -dc)
? 3
$ printf 'PAR1\025\0' > log.parquet; ink distinct log.parquet
! ink: log.parquet: byte 0: Parquet data, expected records, plain or in gzip or zstd
? 3
$ printf 'PAR1\nBZh91\n' | ink distinct
2
$ seq 10 > ten.txt; ink build hll -o ten.ink ten.txt; gzip ten.ink; ink distinct ten.ink.gz
! ink: ten.ink.gz: a compressed .ink file, expected it plain
? 3
$ ink distinct < ten.ink.gz
! ink: standard input: a compressed .ink file, expected it plain
? 3
$ printf '\050\265\057\375\0\150\041\0\0text' > window.zst; ink distinct window.zst   # of 8 MiB
1
$ printf '\050\265\057\375\0\160\041\0\0text' > window.zst; ink distinct window.zst   # of 16 MiB
! ink: window.zst: byte 0: zstd: a frame with a window above 8 MiB, expected 8 MiB or less (no --long, no --ultra)
? 5
$ printf '\050\265\057\375\0\150\041\0\0tex' | ink distinct
! ink: standard input: byte 12: the zstd data ends within a frame, expected its end
? 3
