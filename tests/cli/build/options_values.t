# A value that is missing, empty, repeated or not wanted is an error.
$ ink build bloom -p
! ink: -p without its value P; see ink help build
? 2
$ ink build bloom --rate
! ink: --rate without its value P; see ink help build
? 2
$ ink build bloom --rate= -o x.ink
! ink: --rate with an empty value; see ink help build
? 2
$ ink build bloom --rate '' -o x.ink
! ink: --rate with an empty value; see ink help build
? 2
$ ink build bloom -o ''
! ink: -o with an empty value; see ink help build
? 2
$ ink build bloom -o x.ink ''
! ink: an empty word, expected an option or a file; see ink help build
? 2
$ ink build '' -o x.ink
! ink: an empty word, expected an option or a file; see ink help build
? 2
$ ink build bloom -p 0.01 -p 0.01 -o x.ink
! ink: -p is given twice, expected it once; see ink help build
? 2
$ ink build bloom -p 0.01 --rate=0.02 -o x.ink
! ink: --rate is given twice, expected it once; see ink help build
? 2
$ ink build bloom -q -q -o x.ink
! ink: -q is given twice, expected it once; see ink help build
? 2
$ ink build bloom --header=yes -o x.ink
! ink: --header=yes, but --header takes no value; see ink help build
? 2
$ ink build bloom --key --header -o x.ink
! ink: --key without its value COL[,COL]; see ink help build
? 2
$ ink build bloom -o -q
! ink: -o without its value FILE; see ink help build
? 2
$ ink build bloom --secret -- x
! ink: --secret without its value FILE; see ink help build
? 2
$ ls
