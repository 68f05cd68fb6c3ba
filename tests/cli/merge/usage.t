# Files, and where the union goes.
$ ink merge
!2 ink: merge without sketch files; see ink help merge
$ ink merge a.ink
!2 ink: merge without -o, expected -o FILE for the union; see ink help merge
$ ink merge -o x.ink
!2 ink: merge without sketch files; see ink help merge
$ ink merge -o x.ink --max-rate 2 a.ink
!2 ink: --max-rate 2, expected a number above 0 and up to 1; see ink help merge
$ ink merge -o none/x.ink a.ink
!4 ink: none/x.ink: its folder: No such file or directory
