# Help about what is no command is an error that tells what was perhaps meant.
$ ink help biuld
! ink: no command biuld, did you mean build; see ink help
? 2
$ ink help xyzzy
! ink: no command xyzzy; see ink help
? 2
$ ink help build filter
! ink: 2 commands, expected one; see ink help help
? 2
$ ink help --json
! ink: help has no option --json; see ink help help
? 2
