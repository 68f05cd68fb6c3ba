# An unknown command is an error in one line, with the command that was perhaps meant.
$ ink bild
!2 ink: no command bild, did you mean build; see ink help
$ ink fliter x
!2 ink: no command fliter, did you mean filter; see ink help
$ ink xyzzy
!2 ink: no command xyzzy; see ink help
$ ink ''
!2 ink: no command ""; see ink help
$ ink BUILD
!2 ink: no command BUILD; see ink help
$ ink build-all
!2 ink: no command build-all; see ink help
$ ink --json info x
!2 ink: --json before a command, expected the command first; see ink help
$ ink -q
!2 ink: -q before a command, expected the command first; see ink help
$ printf 'a\001b\n\377' | xargs -0 ink
!123 ink: no command a\x01b\x0a\xff; see ink help
$ ink union a.ink b.ink
!2 ink: no command union, did you mean merge; see ink help
$ ink deduplicate words.txt
!2 ink: no command deduplicate; see ink help
$ ink help unique
!2 ink: no command or kind unique, did you mean uniq; see ink help
