# One file, the rate to keep, and where the result goes.
$ ink fold
!2 ink: 0 files, expected one; see ink help fold
$ ink fold a b -p 0.01 -o x.ink
!2 ink: 2 files, expected one; see ink help fold
$ ink fold a -p 0.01
!2 ink: fold without -o, expected -o FILE for the result; see ink help fold
$ ink fold a -p 1 -o x.ink
!2 ink: -p 1, expected a number above 0 and below 1; see ink help fold
