# What does not go together is refused before anything is read.
$ ink remove
!2 ink: remove without a sketch file; see ink help remove
$ ink remove -
!2 ink: standard input is read twice, for operand 1 and for the data, expected a FILE for one of them; see ink help remove
$ ink remove --once x.ink words.txt
!2 ink: remove has no option --once; see ink help remove
$ ink remove --max-rate 0.1 x.ink words.txt
!2 ink: remove has no option --max-rate; see ink help remove
$ ink remove -e a x.ink words.txt
!2 ink: -e and words.txt: keys and data do not go together; see ink help remove
$ ink remove --header -e a x.ink
!2 ink: -e and --header do not go together: a key of -e is plain; see ink help remove
