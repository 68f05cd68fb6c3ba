# An unknown command is an error in one line, with the command that was perhaps meant.
$ ink bild
! ink: no command bild, did you mean build; see ink help
? 2
$ ink fliter x
! ink: no command fliter, did you mean filter; see ink help
? 2
$ ink xyzzy
! ink: no command xyzzy; see ink help
? 2
$ ink ''
! ink: no command ""; see ink help
? 2
$ ink BUILD
! ink: no command BUILD; see ink help
? 2
$ ink build-all
! ink: no command build-all; see ink help
? 2
$ ink --json info x
! ink: --json before a command, expected the command first; see ink help
? 2
$ ink -q
! ink: -q before a command, expected the command first; see ink help
? 2
$ printf 'a\001b\n\377' | xargs -0 ink
! ink: no command a\x01b\x0a\xff; see ink help
? 123
