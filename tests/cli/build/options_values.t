# A value that is missing, empty, repeated or not wanted is an error.
$ ink build bloom -p
!2 ink: -p without its value P; see ink help build
$ ink build bloom --rate
!2 ink: --rate without its value P; see ink help build
$ ink build bloom --rate= -o x.ink
!2 ink: --rate with an empty value; see ink help build
$ ink build bloom --rate '' -o x.ink
!2 ink: --rate with an empty value; see ink help build
$ ink build bloom -o ''
!2 ink: -o with an empty value; see ink help build
$ ink build bloom -o x.ink ''
!2 ink: an empty word, expected an option or a file; see ink help build
$ ink build '' -o x.ink
!2 ink: an empty word, expected an option or a file; see ink help build
$ ink build bloom -p 0.01 -p 0.01 -o x.ink
!2 ink: -p is given twice, expected it once; see ink help build
$ ink build bloom -p 0.01 --rate=0.02 -o x.ink
!2 ink: --rate is given twice, expected it once; see ink help build
$ ink build bloom -q -q -o x.ink
!2 ink: -q is given twice, expected it once; see ink help build
$ ink build bloom --header=yes -o x.ink
!2 ink: --header=yes, but --header takes no value; see ink help build
$ ink build bloom --key --header -o x.ink
!2 ink: --key without its value COL[,COL]; see ink help build
$ ink build bloom -o -q
!2 ink: -o without its value FILE; see ink help build
$ ink build bloom --secret -- x
!2 ink: --secret without its value FILE; see ink help build
$ ls
$ seq 9 | ink build bloom --headroom 1 -o one.ink && ink info --tsv one.ink | tail -n 1 | cut -f 4; seq 9 | ink build bloom --headroom 1e6 -o most.ink && ink info --tsv most.ink | tail -n 1 | cut -f 4
9
9000000
