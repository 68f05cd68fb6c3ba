# Options that contradict each other are an error.
$ ink build bloom -o x.ink --in u32 --key-type bytes
!2 ink: --in u32 with --key-type bytes, expected int; see ink help build
$ ink build bloom -o x.ink --key-type bytes --in u64
!2 ink: --in u64 with --key-type bytes, expected int; see ink help build
$ ink build bloom -o x.ink --fields -d ,
!2 ink: --delimiter and --fields do not go together; see ink help build
$ ink build bloom -o x.ink --secret s --seed 1
!2 ink: --secret and --seed do not go together; see ink help build
$ ink build bloom -o x.ink --secret s --hash xxh3
!2 ink: --secret and --hash do not go together; see ink help build
$ ink build bloom -o x.ink -d ''
!2 ink: -d with an empty value; see ink help build
$ ink build bloom -o x.ink -d ab
!2 ink: --delimiter ab, expected one byte, no line end and no quote; see ink help build
$ ink build bloom -o x.ink -d '"'
!2 ink: --delimiter ", expected one byte, no line end and no quote; see ink help build
$ ink build bloom -o x.ink --key a,,b
!2 ink: --key a,,b: a column without a name; see ink help build
$ ink build bloom -o x.ink --key ,a
!2 ink: --key ,a: a column without a name; see ink help build
$ ink build bloom -o x.ink --key 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
!2 ink: --key 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17, expected at most 16 columns; see ink help build
$ ink build bloom -o x.ink - -
!2 ink: standard input is read twice, for operand 2 and for operand 3, expected a FILE for one of them; see ink help build
