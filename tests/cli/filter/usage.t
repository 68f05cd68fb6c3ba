# What does not go together is refused before anything is read.
$ ink filter
! ink: filter without a sketch file; see ink help filter
? 2
$ ink filter -
! ink: sketches and data from standard input, expected a FILE; see ink help filter
? 2
$ ink filter none.ink
! ink: none.ink: cannot open: No such file or directory
? 4
$ ink filter --json words.ink
! ink: --json without --count: records are printed as they stand; see ink help filter
? 2
$ ink filter --tsv words.ink text.txt
! ink: --tsv without --count: records are printed as they stand; see ink help filter
? 2
$ ink filter -q -c words.ink
! ink: --quiet and --count do not go together; see ink help filter
? 2
$ ink filter -qc words.ink
! ink: --quiet and --count do not go together; see ink help filter
? 2
$ ink filter -q --json words.ink
! ink: --quiet and --json do not go together; see ink help filter
? 2
$ ink filter -c --json --tsv words.ink
! ink: --json and --tsv do not go together; see ink help filter
? 2
$ ink filter -e alpha words.ink text.txt
! ink: -e and text.txt: keys and data do not go together; see ink help filter
? 2
$ ink filter -e alpha --key 2 words.ink
! ink: -e and --key do not go together: a key of -e is plain; see ink help filter
? 2
$ ink filter -e alpha --by words.ink
! ink: -e and --by do not go together: a key of -e is plain; see ink help filter
? 2
$ ink filter -e
! ink: -e without its value KEY; see ink help filter
? 2
$ ink filter -c -o out words.ink text.txt
! ink: --output with --count, which prints no records; see ink help filter
? 2
$ ink filter --weight 2 words.ink
! ink: filter has no option --weight; see ink help filter
? 2
