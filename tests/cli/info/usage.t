# One file, and one kind of output.
$ ink info
! ink: standard input: byte 0: too short: 0 bytes, the header alone needs 64
? 3
$ ink info a b
! ink: 2 files, expected one; see ink help info
? 2
$ ink info --digest --check a
! ink: --digest and --check do not go together; see ink help info
? 2
$ ink info --digest --json a
! ink: --digest and --json do not go together; see ink help info
? 2
$ ink info --check --groups x a
! ink: --check and --groups do not go together; see ink help info
? 2
$ ink info -q --digest a
! ink: --quiet and --digest do not go together; see ink help info
? 2
$ ink info none.ink
! ink: none.ink: cannot open: No such file or directory
? 4
$ ink info .
! ink: .: not a regular file, expected an .ink file
? 3
$ : > empty; ink info empty
! ink: empty: byte 0: too short: 0 bytes, the header alone needs 64
? 3
$ seq 1000 > text; ink info text
! ink: text: byte 0: not an .ink file, but text
? 3
