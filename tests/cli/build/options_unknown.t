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
$ ink build bloom --fpr 0.1 -o x.ink
!2 ink: no option --fpr, did you mean --rate; see ink help build
$ ink build bloom --capacity 1000 -o x.ink
!2 ink: no option --capacity, did you mean --keys; see ink help build
$ ink build bloom --separator ';' -o x.ink
!2 ink: no option --separator, did you mean --delimiter; see ink help build
$ ink distinct --group-by 2 --column 1
!2 ink: no option --group-by, did you mean --by; see ink help distinct
$ ink distinct --column 1
!2 ink: no option --column, did you mean --key; see ink help distinct
$ ink distinct --group 2
!2 ink: no option --group, did you mean --by; see ink help distinct
$ ink top --limit 3
!2 ink: no option --limit, did you mean --top; see ink help top
$ ink distinct --csv
!2 ink: no option --csv, did you mean --in; see ink help distinct
$ ink filter --fpr 0.1 x.ink
!2 ink: no option --fpr; see ink help filter
$ for name in sep separator col column group group-by csv input-format fpp fpr error-rate capacity epsilon jobs overwrite; do ink map bloom --$name 2>&1; ink build bloom --$name 2>&1; done | sed 's/.*option //; s/;.*//' | uniq
--sep, did you mean --delimiter
--separator, did you mean --delimiter
--col, did you mean --key
--column, did you mean --key
--group, did you mean --by
--group-by, did you mean --by
--csv, did you mean --in
--input-format, did you mean --in
--fpp, did you mean --rate
--fpr, did you mean --rate
--error-rate, did you mean --rate
--capacity, did you mean --keys
--epsilon, did you mean --eps
--jobs, did you mean --threads
--overwrite
--overwrite, did you mean --force
$ ink build bloom --hash murmur3 -o x.ink
!2 ink: --hash murmur3, did you mean mmh3; see ink help build
