# What can be generated, and what not.
$ ink gen
!2 ink: gen without a kind, expected ip, names, imdb, zipf, u64, log; see ink help gen
$ ink gen imbd
!2 ink: no kind of data imbd, did you mean imdb; see ink help gen
$ ink gen xyzzy
!2 ink: no kind of data xyzzy, expected ip, names, imdb, zipf, u64, log; see ink help gen
$ ink gen ip names
!2 ink: names after ip, expected one kind; see ink help gen
$ ink gen ip -n 0
!2 ink: -n 0, expected a whole number from 1 to 2^64 - 1, as 1e6; see ink help gen
$ ink gen names --sample 5
!2 ink: --sample and --sample-out go together; see ink help gen
$ ink gen names --sample-out x
!2 ink: --sample and --sample-out go together; see ink help gen
$ ink gen names -o x --sample 5 --sample-out x
!2 ink: x: --output and --sample-out are the same; see ink help gen
$ ln -s . here; ln -s x link; for o in ./x here/x "$PWD/x" link here/link; do ink gen names -n 9 --force -o $o --sample 5 --sample-out x; done
! ink: ./x: --output and --sample-out are the same; see ink help gen
! ink: here/x: --output and --sample-out are the same; see ink help gen
! ink: [...]/x: --output and --sample-out are the same; see ink help gen
! ink: link: --output and --sample-out are the same; see ink help gen
!2 ink: here/link: --output and --sample-out are the same; see ink help gen
$ ink gen names -n 9 -o x --sample 5 --sample-out here/link; ink gen names -n 9 -o - --sample 5 --sample-out -
! ink: x: --output and --sample-out are the same; see ink help gen
!2 ink: -: --output and --sample-out are the same; see ink help gen
$ mkdir other; ink gen names -n 9 -o other/x --sample 5 --sample-out x; ln x hard; ink gen names -n 8 -o hard --sample 4 --sample-out x --force
$ cat other/x hard x | wc -l; rm -r here link other hard x
21
$ ink gen names --sample 5 --sample-out -
!2 ink: --sample-out -, expected a file, or -o FILE for the rest; see ink help gen
$ ink gen zipf --skew 0
!2 ink: --skew 0, expected a number above 0 and up to 10; see ink help gen
$ ink gen ip --skew 2
!2 ink: --skew 2 for ip, expected none: only zipf and log have one
$ ink gen imdb -n 5
!2 ink: 5 records of imdb, expected 1260817
$ : > there; ink gen ip -n 5 -o there; ink gen ip -n 5 -o none/x
! ink: there: already exists; use --force to replace it; see ink help gen
!4 ink: none/x: its folder: No such file or directory
$ ls
there
