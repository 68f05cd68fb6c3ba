# What reduce takes and gives.
$ ink reduce
!2 ink: reduce without a kind, expected one such as bloom; see ink help reduce
$ ink reduce scalable < /dev/null
!3 ink: scalable has one writer and cannot be built in parts, expected bloom
$ ink reduce bloom --bucket 1 < /dev/null
!2 ink: bucket 1, expected 0 to 0; see ink help reduce
$ ink reduce bloom -o nowhere/x.ink < /dev/null
!4 ink: nowhere/x.ink: its folder: No such file or directory
$ ink reduce bloom nowhere
!4 ink: nowhere: cannot open: No such file or directory
$ ink reduce bloom -o http://h/x < /dev/null
!2 ink: http://h/x: http:// is not the address of a file in HDFS, expected webhdfs://HOST:PORT/PATH?user.name=USER
$ ink reduce bloom -o webhdfs://nohost/x < /dev/null
!2 ink: webhdfs://nohost/x: "nohost" is not the HOST:PORT of a NameNode, expected webhdfs://HOST:PORT/PATH?user.name=USER
$ ink reduce --assemble bloom < /dev/null
!3 ink: no pieces, expected those of ink reduce --ranged
$ seq 1000 > n; ink build bloom -n 6e6 -o whole.ink n
$ for i in 0 1; do ink map bloom -n 6e6 --ranged --buckets 2 < n > f.$i; done; ink reduce bloom -n 6e6 --ranged --buckets 2 f.0 > p
!3 ink: f.0: frame 2: a piece of bucket 1, expected only those of bucket 0, of 2 that are ranges
$ printf 'no frames' | ink reduce bloom
!3 ink: standard input: byte 0: a frame with a key of 1852776550 bytes, expected 3, as ink map writes them
$ ink map bloom -n 6e6 --ranged < n | ink reduce bloom -n 6e6 --ranged > all.pieces; ink reduce --assemble bloom -n 6e6 -o all.ink all.pieces; cmp all.ink whole.ink
$ ink reduce --assemble bloom -n 6e6 --buckets 2 all.pieces
!2 ink: 1 file of pieces, expected 2, one of each bucket; see ink help reduce
$ ink map bloom -n 6e6 < n | ink reduce bloom -n 6e6 --threads 2 | cmp - whole.ink
$ mkdir a:; ink reduce bloom -n 9 -o a:/x < /dev/null; ink reduce bloom -n 9 -o a:/x < /dev/null
!2 ink: a:/x: already exists; use --force to replace it; see ink help reduce
$ ink build bloom -o s.ink n; for f in one two; do ink map --verify s.ink < n > $f; done; head -c 300 two > cut; printf '\377' | dd of=two bs=1 seek=40 conv=notrunc 2> err
$ for files in 'one two' 'two one' 'one -' 'one cut'; do ink reduce --verify s.ink $files < two > p; done
! ink: two: byte 24: another number of bytes, expected a complete piece of a build, unchanged
! ink: two: byte 24: another number of bytes, expected a complete piece of a build, unchanged
! ink: standard input: byte 24: another number of bytes, expected a complete piece of a build, unchanged
!3 ink: cut: byte 300: the input ends after 289 bytes of a frame's value, expected 16232
$ ink reduce bloom -n 9 --buckets 2 --bucket 1 -o none.ink < /dev/null && ink info none.ink
none.ink: 1 sketch of bytes keys, hash xxh3, seed 7597127734790088481
read as: lines

kind   keys  bits  hashes  size  bits/key  target  promised  current  records
bloom     9   256       8  32 B     28.44  0.0100    0.0100        0        0
$ : > none; ink reduce --assemble bloom -n 6e6 -o more.ink all.pieces none && cmp more.ink whole.ink
