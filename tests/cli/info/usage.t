# One file, and one kind of output.
$ ink info
!3 ink: standard input: byte 0: too short: 0 bytes, the header alone needs 64
$ ink info a b
!2 ink: 2 files, expected one; see ink help info
$ ink info --digest --check a
!2 ink: --digest and --check do not go together; see ink help info
$ ink info --digest --json a
!2 ink: --digest and --json do not go together; see ink help info
$ ink info --check --groups x a
!2 ink: --check and --groups do not go together; see ink help info
$ ink info -q --digest a
!2 ink: --quiet and --digest do not go together; see ink help info
$ ink info none.ink
!4 ink: none.ink: cannot open: No such file or directory
$ ink info .
!3 ink: .: not a regular file, expected an .ink file
$ : > empty; ink info empty
!3 ink: empty: byte 0: too short: 0 bytes, the header alone needs 64
$ seq 1000 > text; ink info text
!3 ink: text: byte 0: not an .ink file, but text
$ for pair in 'q -json' 'q -tsv' '-digest -groups=a' '-digest -tsv' '-check -json' '-check -tsv'; do ink info -${pair% *} -${pair#* } a; done
! ink: --quiet and --json do not go together; see ink help info
! ink: --quiet and --tsv do not go together; see ink help info
! ink: --digest and --groups do not go together; see ink help info
! ink: --digest and --tsv do not go together; see ink help info
! ink: --check and --json do not go together; see ink help info
!2 ink: --check and --tsv do not go together; see ink help info
