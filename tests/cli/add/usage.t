# What does not go together is refused before anything is read.
$ ink add
!2 ink: add without a sketch file; see ink help add
$ ink add - words.txt
!2 ink: sketches from standard input, expected a file to change; see ink help add
$ ink add --max-rate 1.5 x.ink words.txt
!2 ink: --max-rate 1.5, expected a number above 0 and up to 1; see ink help add
$ ink add -o y.ink x.ink words.txt
!2 ink: no option -o; see ink help add
$ ink add x.ink - -
!2 ink: standard input is read twice, for operand 2 and for operand 3, expected a FILE for one of them; see ink help add
