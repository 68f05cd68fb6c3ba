# What does not go together is refused before anything is read.
$ ink filter
!2 ink: filter without a sketch file; see ink help filter
$ ink filter -
!2 ink: standard input is read twice, for operand 1 and for the data, expected a FILE for one of them; see ink help filter
$ ink filter none.ink
!4 ink: none.ink: cannot open: No such file or directory
$ ink filter --json words.ink
!2 ink: --json without --count: records are printed as they stand; see ink help filter
$ ink filter --tsv words.ink text.txt
!2 ink: --tsv without --count: records are printed as they stand; see ink help filter
$ ink filter -q -c words.ink
!2 ink: --quiet and --count do not go together; see ink help filter
$ ink filter -qc words.ink
!2 ink: --quiet and --count do not go together; see ink help filter
$ ink filter -q --json words.ink
!2 ink: --quiet and --json do not go together; see ink help filter
$ ink filter -c --json --tsv words.ink
!2 ink: --json and --tsv do not go together; see ink help filter
$ ink filter -e alpha words.ink text.txt
!2 ink: -e and text.txt: keys and data do not go together; see ink help filter
$ ink filter -e alpha --key 2 words.ink
!2 ink: -e and --key do not go together: a key of -e is plain; see ink help filter
$ ink filter -e alpha --by words.ink
!2 ink: -e and --by do not go together: a key of -e is plain; see ink help filter
$ ink filter -e
!2 ink: -e without its value KEY; see ink help filter
$ ink filter -c -o out words.ink text.txt
!2 ink: --output with --count, which prints no records; see ink help filter
$ ink filter --weight 2 words.ink
!2 ink: filter has no option --weight; see ink help filter
