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
