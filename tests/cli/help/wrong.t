# Help about what is no command and no kind is an error that suggests what was meant.
$ ink help biuld
! ink: no command or kind biuld, did you mean build; see ink help
? 2
$ ink help blom
! ink: no command or kind blom, did you mean bloom; see ink help
? 2
$ ink help xyzzy
! ink: no command or kind xyzzy; see ink help
? 2
$ ink help ''
! ink: an empty word, expected an option or a file; see ink help help
? 2
$ ink help -- ''
! ink: an empty word, expected a file; see ink help help
? 2
$ ink help build filter
! ink: 2 commands, expected one; see ink help help
? 2
$ ink help --json
! ink: help has no option --json; see ink help help
? 2
$ ink help hyperloglog
! ink: no command or kind hyperloglog, did you mean hll; see ink help
? 2
$ ink help cms
! ink: no command or kind cms, did you mean count-min; see ink help
? 2
