# What does not go together is refused before anything is read.
$ ink verify
! ink: verify without a sketch file; see ink help verify
? 2
$ ink verify none.ink --truth none.txt
! ink: none.ink: cannot open: No such file or directory
? 4
$ ink verify -
! ink: verify without --truth, expected --truth FILE (- is standard input); see ink help verify
? 2
$ ink verify x.ink --truth ''
! ink: --truth with an empty value; see ink help verify
? 2
$ ink verify x.ink --truth - --truth -
! ink: standard input (-) is given twice; see ink help verify
? 2
$ ink verify x.ink --json --tsv
! ink: --json and --tsv do not go together; see ink help verify
? 2
$ ink verify x.ink -q --json
! ink: --quiet and --json do not go together; see ink help verify
? 2
