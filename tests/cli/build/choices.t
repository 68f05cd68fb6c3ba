# A value that is one of a few is taken by its full name only.
$ ink build bloom -o x.ink --in cvs
! ink: --in cvs, expected lines, csv, tsv, nul, jsonl, u32 or u64; see ink help build
? 2
$ ink build bloom -o x.ink --in line
! ink: --in line, expected lines, csv, tsv, nul, jsonl, u32 or u64; see ink help build
? 2
$ ink build bloom -o x.ink --round even
! ink: --round even, expected half-even or half-up; see ink help build
? 2
$ ink build bloom -o x.ink --bad ignore
! ink: --bad ignore, expected fail or skip; see ink help build
? 2
$ ink build bloom -o x.ink --key-type integer
! ink: --key-type integer, expected bytes or int; see ink help build
? 2
