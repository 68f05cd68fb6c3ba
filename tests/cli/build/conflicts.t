# Options that contradict each other are an error.
$ ink build bloom -o x.ink --in u32 --key-type bytes
! ink: --in u32 with --key-type bytes, expected int; see ink help build
? 2
$ ink build bloom -o x.ink --key-type bytes --in u64
! ink: --in u64 with --key-type bytes, expected int; see ink help build
? 2
$ ink build bloom -o x.ink --fields -d ,
! ink: --delimiter and --fields do not go together; see ink help build
? 2
$ ink build bloom -o x.ink --secret s --seed 1
! ink: --secret and --seed do not go together; see ink help build
? 2
$ ink build bloom -o x.ink --secret s --hash xxh3
! ink: --secret and --hash do not go together; see ink help build
? 2
$ ink build bloom -o x.ink -d ''
! ink: -d with an empty value; see ink help build
? 2
$ ink build bloom -o x.ink -d ab
! ink: --delimiter ab, expected one byte, no line end and no quote; see ink help build
? 2
$ ink build bloom -o x.ink -d '"'
! ink: --delimiter ", expected one byte, no line end and no quote; see ink help build
? 2
$ ink build bloom -o x.ink --key a,,b
! ink: --key a,,b: a column without a name; see ink help build
? 2
$ ink build bloom -o x.ink --key ,a
! ink: --key ,a: a column without a name; see ink help build
? 2
$ ink build bloom -o x.ink --key 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
! ink: --key 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17, expected at most 16 columns; see ink help build
? 2
$ ink build bloom -o x.ink - -
! ink: standard input (-) is given twice; see ink help build
? 2
