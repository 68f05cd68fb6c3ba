# Help about what is no command and no kind is an error that suggests what was meant.
$ ink help biuld
!2 ink: no command or kind biuld, did you mean build; see ink help
$ ink help blom
!2 ink: no command or kind blom, did you mean bloom; see ink help
$ ink help xyzzy
!2 ink: no command or kind xyzzy; see ink help
$ ink help ''
!2 ink: an empty word, expected an option or a file; see ink help help
$ ink help -- ''
!2 ink: an empty word, expected a file; see ink help help
$ ink help build filter
!2 ink: 2 commands, expected one; see ink help help
$ ink help --json
!2 ink: help has no option --json; see ink help help
$ ink help hyperloglog
!2 ink: no command or kind hyperloglog, did you mean hll; see ink help
$ ink help cms
!2 ink: no command or kind cms, did you mean count-min; see ink help
