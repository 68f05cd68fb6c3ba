# One file, the rate to keep, and where the result goes.
$ ink fold
! ink: 0 files, expected one; see ink help fold
? 2
$ ink fold a b -p 0.01 -o x.ink
! ink: 2 files, expected one; see ink help fold
? 2
$ ink fold a -o x.ink
! ink: fold without -p, expected -p P for the rate to keep; see ink help fold
? 2
$ ink fold a -p 0.01
! ink: fold without -o, expected -o FILE for the result; see ink help fold
? 2
$ ink fold a -p 1 -o x.ink
! ink: -p 1, expected a number above 0 and below 1; see ink help fold
? 2
