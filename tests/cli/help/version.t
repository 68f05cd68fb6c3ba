# The version is printed by version and by --version.
$ ink version
ink 0.1.0
$ ink --version
ink 0.1.0
$ ink version 2
! ink: 2 behind version, expected nothing; see ink help version
? 2
$ ink --version build
! ink: build behind version, expected nothing; see ink help version
? 2
$ ink --verson
! ink: no option --verson, did you mean --version; see ink help
? 2
$ ink -help
! ink: no option -help, did you mean --help; see ink help
? 2
$ ink --hlep
! ink: no option --hlep, did you mean --help; see ink help
? 2
