# What does not go together is refused before anything is read.
$ ink dedup -o out
!2 ink: no data, expected files or folders; see ink help dedup
$ ink dedup in
!2 ink: no folder for the results, expected -o DIR, or --dry-run; see ink help dedup
$ ink dedup --ngrams 3 --bytes 3 -o out in
!2 ink: --ngrams and --bytes do not go together; see ink help dedup
$ ink dedup --overlap 0.5 -o out in
!2 ink: --overlap without --ngrams or --bytes; see ink help dedup
$ ink dedup --lower -o out in; ink dedup --strip-punctuation --bytes 3 -o out in; ink dedup --lower --near 0.8 --dry-run none
! ink: --lower without --ngrams or --near: words alone are compared so; see ink help dedup
! ink: --strip-punctuation without --ngrams or --near: words alone are compared so; see ink help dedup
!4 ink: none: cannot read: No such file or directory
$ ink dedup --every 50 -o out in; ink dedup --every 50s --dry-run none
! ink: --every 50, expected a time, as 10m; see ink help dedup
!4 ink: none: cannot read: No such file or directory
$ ink dedup --id id -o out in
!2 ink: --id without --explain; see ink help dedup
$ ink dedup --near 0.8 --seen s.ink -o out in; ink dedup --near 0.8 --against s.ink -o out in; ink dedup --seen s.ink --against s.ink -o out in
! ink: --near and --seen do not go together; see ink help dedup
! ink: --near and --against do not go together; see ink help dedup
!2 ink: --seen and --against do not go together; see ink help dedup
$ ln -s s.ink rows; ink dedup --seen s.ink -n 9 --explain ./s.ink --force -o out in; ink dedup --against s.ink --explain rows --force -o out in
! ink: ./s.ink: --explain and --seen are the same; see ink help dedup
!2 ink: rows: --explain and --against are the same; see ink help dedup
$ rm rows; ink dedup --near 1.1 -o out in; ink dedup --overlap 0 -o out in; ink dedup --ngrams 257 -o out in; ink dedup --bytes 0 -o out in
! ink: --near 1.1, expected a number above 0 and up to 1; see ink help dedup
! ink: --overlap 0, expected a number above 0 and up to 1; see ink help dedup
! ink: --ngrams 257, expected a whole number from 1 to 256; see ink help dedup
!2 ink: --bytes 0, expected a whole number from 1 to 256; see ink help dedup
$ ink plan dedup; ink plan dedup --precision 4 -n 9; ink plan dedup --ngrams 3 --bytes 3 -n 9; ink plan --near 0.5; ink plan --threads 2; ink plan bloom --text t
! ink: nothing to plan for, expected files or folders, or -n; see ink help plan
! ink: --precision is for kinds, and not for ink plan dedup; see ink help plan
! ink: --ngrams and --bytes do not go together; see ink help plan
! ink: --near is for ink plan dedup; see ink help plan
! ink: --threads is for ink plan dedup; see ink help plan
!2 ink: --text is for ink plan dedup; see ink help plan
$ ls
$ ink plan dedup --exact -n 9 | wc -l
4
