# A value that is one of a few is taken by its full name only.
$ ink build bloom -o x.ink --in cvs
!2 ink: --in cvs, did you mean csv; see ink help build
$ ink build bloom -o x.ink --in line
!2 ink: --in line, did you mean lines; see ink help build
$ ink build bloom -o x.ink --round even
!2 ink: --round even, expected half-even, half-up or half-away; see ink help build
$ ink build bloom -o x.ink --bad ignore
!2 ink: --bad ignore, expected fail or skip; see ink help build
$ ink build bloom -o x.ink --key-type integer
!2 ink: --key-type integer, expected bytes or int; see ink help build
$ ink build bloom -o x.ink --in json
!2 ink: --in json, did you mean jsonl; see ink help build
$ ink build bloom -o x.ink --in xml
!2 ink: --in xml, expected lines, csv, tsv, nul, jsonl, u32 or u64; see ink help build
$ ink build bloom -o x.ink --hash mmh
!2 ink: --hash mmh, did you mean mmh3; see ink help build
$ ink build bloom -o x.ink --hash sha256
!2 ink: --hash "sha256", expected xxh3, mix64, siphash, xxh64, mmh3, mmh3-signed, murmur64a, murmur3-128 or one of another system
