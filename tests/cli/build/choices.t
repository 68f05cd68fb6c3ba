# A value that is one of a few is taken by its full name only.
$ ink build bloom -o x.ink --in cvs
! ink: --in cvs, did you mean csv; see ink help build
? 2
$ ink build bloom -o x.ink --in line
! ink: --in line, did you mean lines; see ink help build
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
$ ink build bloom -o x.ink --in json
! ink: --in json, did you mean jsonl; see ink help build
? 2
$ ink build bloom -o x.ink --in xml
! ink: --in xml, expected lines, csv, tsv, nul, jsonl, u32 or u64; see ink help build
? 2
$ ink build bloom -o x.ink --hash mmh
! ink: --hash mmh, did you mean mmh3; see ink help build
? 2
$ ink build bloom -o x.ink --hash sha256
! ink: --hash "sha256", expected xxh3, mix64, siphash, xxh64, mmh3, mmh3-signed, murmur64a or murmur3-128
? 2
