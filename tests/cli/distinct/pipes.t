# Sketches and records come through pipes of any kind; what is damaged or packed otherwise is not taken for text.
$ printf 'x\ny\n' > xy; ink build hll -o h.ink xy; ink build bloom -o b.ink xy
$ bash -c 'ink distinct <(cat h.ink)'; bash -c 'ink distinct <(cat xy) <(echo z)'; bash -c 'ink distinct h.ink <(cat h.ink)'
2
3
2
$ cat h.ink | ink distinct /dev/stdin; cat xy | ink distinct /dev/stdin; cat h.ink | ink distinct /dev/fd/0
2
2
2
$ bash -c 'ink filter <(cat b.ink) xy'; mkfifo p; cat h.ink > p & ink info --digest p > of_pipe; ink info --digest h.ink | cmp - of_pipe
x
y
$ printf X | dd of=h.ink bs=1 conv=notrunc 2>/dev/null; ink distinct h.ink
!3 ink: h.ink: byte 0: named .ink, but does not begin as an .ink file, expected a whole one, or records under another name
$ ink uniq h.ink
!3 ink: h.ink: byte 0: named .ink, but does not begin as an .ink file, expected a whole one, or records under another name
$ : > empty.ink; ink top empty.ink
!3 ink: empty.ink: byte 0: named .ink, but does not begin as an .ink file, expected a whole one, or records under another name
$ printf '\3757zXZ\0\0\4' > log.xz; ink distinct log.xz
!3 ink: log.xz: byte 0: xz data, expected records, plain or in gzip or zstd (xz -dc)
$ printf 'PAR1\025\0' > log.parquet; ink distinct log.parquet
!3 ink: log.parquet: byte 2: a Parquet file that does not end with PAR1
$ printf '\377\376a\0\n\0' > log.csv; ink distinct --key 1 log.csv
!3 ink: log.csv: byte 0: UTF-16 text, expected records in UTF-8 (iconv -f UTF-16 -t UTF-8)
$ gzip log.csv; ink distinct --key 1 log.csv.gz
!3 ink: log.csv.gz: byte 0: UTF-16 text, expected records in UTF-8 (iconv -f UTF-16 -t UTF-8)
$ printf '\376\377\0{\0}\0\n' | ink distinct --in jsonl --key k
!3 ink: standard input: byte 0: UTF-16 text, expected records in UTF-8 (iconv -f UTF-16 -t UTF-8)
$ printf '\0\0\376\377\0\0\0a\0\0\0\n' > wide.txt; ink stream -q --train wide.txt --sketch hll --state wide < /dev/null
!3 ink: wide.txt: line 1: UTF-32 text, expected records in UTF-8 (iconv -f UTF-32 -t UTF-8)
$ ink info wide.txt
!3 ink: wide.txt: byte 0: not an .ink file, but UTF-32 text
$ printf 'PAR1\nBZh91\n' | ink distinct
2
$ seq 10 > ten.txt; ink build hll -o ten.ink ten.txt; gzip ten.ink; ink distinct ten.ink.gz
!3 ink: ten.ink.gz: a compressed .ink file, expected it plain, or records
$ ink distinct < ten.ink.gz
!3 ink: standard input: a compressed .ink file, expected it plain, or records
$ printf '\050\265\057\375\0\150\041\0\0text' > window.zst; ink distinct window.zst   # of 8 MiB
1
$ printf '\050\265\057\375\0\160\041\0\0text' > window.zst; ink distinct window.zst   # of 16 MiB
!5 ink: window.zst: byte 0: zstd: a frame with a window above 8 MiB, expected 8 MiB or less (no --long, no --ultra)
$ printf '\050\265\057\375\0\150\041\0\0tex' | ink distinct
!3 ink: standard input: byte 12: the zstd data ends within a frame, expected its end
