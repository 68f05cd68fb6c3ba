# Files, and where the union goes.
$ ink merge
! ink: merge without sketch files; see ink help merge
? 2
$ ink merge a.ink
! ink: merge without -o, expected -o FILE for the union; see ink help merge
? 2
$ ink merge -o x.ink
! ink: merge without sketch files; see ink help merge
? 2
$ ink merge -o x.ink --max-rate 2 a.ink
! ink: --max-rate 2, expected a number above 0 and below 1; see ink help merge
? 2
$ ink merge -o none/x.ink a.ink
! ink: none/x.ink: its folder: No such file or directory
? 4
