# IN and OUT, and formats by their names.
$ printf 'a\nb\n' > a.txt; ink build --as spark-v1 -n 9 -o a.bin a.txt; ink convert --from spark-v1 a.bin a.ink
$ ink convert a.ink
!2 ink: 1 file, expected two: IN and OUT; see ink help convert
$ ink convert a.ink b.ink c.ink
!2 ink: 3 files, expected two: IN and OUT; see ink help convert
$ ink convert --from spark-v3 a.bin b.ink
!2 ink: --from spark-v3, did you mean spark-v1; see ink help convert
$ ink convert --from sparkle a.bin b.ink 2>&1 | cut -c 1-32
ink: no format sparkle, expected
$ ink convert --to auto a.ink b.bin 2>&1 | cut -c 1-29
ink: no format auto, expected
$ ink convert --hash spark-v1 a.ink b.ink
!2 ink: --hash without --from; see ink help convert
$ ink convert --from spark-v1 --hash xxh3 a.bin b.ink
!2 ink: a.bin: --hash xxh3, expected spark-v1 for spark-v1
$ ink convert --from spark-v1 --funnel chars a.bin b.ink
!2 ink: --funnel with --from spark-v1, expected --from guava; see ink help convert
$ ink convert --from spark-v1 a.bin a.ink
!2 ink: a.ink: already exists; use --force to replace it; see ink help convert
$ ink convert --from spark-v1 nothing b.ink
!4 ink: nothing: cannot open: No such file or directory
$ ink convert --from spark-v1 a.bin nowhere/b.ink
!4 ink: nowhere/b.ink: its folder: No such file or directory
$ ls
a.bin
a.ink
a.txt
