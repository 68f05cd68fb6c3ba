# Every byte is checked; what is not whole is reported with its location.
$ seq 1000 | ink build bloom -o a.ink; ink info --check a.ink && ink info --digest a.ink
a.ink: whole, 1 sketch
6fe54e4015efe440e1338fd0cc382800
$ ink info -q a.ink; ink info --check - < a.ink; cat a.ink | ink info --digest -
standard input: whole, 1 sketch
6fe54e4015efe440e1338fd0cc382800
$ head -c 700 a.ink > cut.ink; ink info --check cut.ink
!3 ink: cut.ink: byte 48: the file is cut short: it has 700 bytes, its header declares a directory of 128 and payloads of 1408
$ (cat a.ink; echo) > more.ink; ink info more.ink
!3 ink: more.ink: byte 1672: 1 bytes after the end of the file's contents
$ cat a.ink a.ink > both.ink; ink info both.ink
!3 ink: both.ink: byte 1672: another .ink file begins after the end of this one, expected one file: use a merge to combine files
$ (head -c 600 a.ink; printf '\377\0\377'; tail -c +604 a.ink) > flip.ink; ink info flip.ink; ink filter -e 5 flip.ink; ink info -q flip.ink
! ink: flip.ink: byte 192: the checksum of the 1408 payload bytes from here is wrong: the file is damaged
! ink: flip.ink: byte 192: the checksum of the 1408 payload bytes from here is wrong: the file is damaged
!3 ink: flip.ink: byte 192: the checksum of the 1408 payload bytes from here is wrong: the file is damaged
$ printf '\37\213' > x.gz; ink info x.gz
!3 ink: x.gz: byte 0: not an .ink file, but gzip data
$ ink info --check . ; ink info - < /dev/null
! ink: .: not a regular file, expected an .ink file
!3 ink: standard input: byte 0: too short: 0 bytes, the header alone needs 64
