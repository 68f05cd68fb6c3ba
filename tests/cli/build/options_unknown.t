# An option that is not there is an error; abbreviations are not taken.
$ ink build bloom --treads 2 -o x.ink
! ink: no option --treads, did you mean --threads; see ink help build
? 2
$ ink build bloom --thread 2 -o x.ink
! ink: no option --thread, did you mean --threads; see ink help build
? 2
$ ink build bloom --head -o x.ink
! ink: no option --head, did you mean --header; see ink help build
? 2
$ ink build bloom --truth x -o x.ink
! ink: build has no option --truth; see ink help build
? 2
$ ink build bloom --json -o x.ink
! ink: build has no option --json; see ink help build
? 2
$ ink build bloom -z -o x.ink
! ink: no option -z; see ink help build
? 2
$ ink build bloom -qz -o x.ink
! ink: no option -z; see ink help build
? 2
$ ink build bloom --xyzzy=5 -o x.ink
! ink: no option --xyzzy; see ink help build
? 2
$ ink build bloom ---rate 5 -o x.ink
! ink: no option ---rate, did you mean --rate; see ink help build
? 2
$ ink build bloom -- --rate
! ink: build without -o, expected -o FILE for the sketches; see ink help build
? 2
