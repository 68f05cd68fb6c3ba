# An option that is not there is an error; abbreviations are not taken.
$ ink build bloom --treads 2 -o x.ink
!2 ink: no option --treads, did you mean --threads; see ink help build
$ ink build bloom --thread 2 -o x.ink
!2 ink: no option --thread, did you mean --threads; see ink help build
$ ink build bloom --head -o x.ink
!2 ink: no option --head, did you mean --header; see ink help build
$ ink build bloom --truth x -o x.ink
!2 ink: build has no option --truth; see ink help build
$ ink build bloom --json -o x.ink
!2 ink: build has no option --json; see ink help build
$ ink build bloom -z -o x.ink
!2 ink: no option -z; see ink help build
$ ink build bloom -qz -o x.ink
!2 ink: no option -z; see ink help build
$ ink build bloom --xyzzy=5 -o x.ink
!2 ink: no option --xyzzy; see ink help build
$ ink build bloom ---rate 5 -o x.ink
!2 ink: no option ---rate, did you mean --rate; see ink help build
$ ink build bloom -- --rate
!2 ink: build without -o, expected -o FILE for the sketches; see ink help build
