# Options must go together.
$ ink map
! ink: map without a kind, expected one such as bloom; see ink help map
? 2
$ ink map blom
! ink: no kind blom, did you mean bloom; see ink help map
? 2
$ ink map scalable < /dev/null
! ink: scalable has one writer and cannot be built in parts, expected bloom
? 3
$ ink map bloom,scalable < /dev/null
! ink: scalable has one writer and cannot be built in parts, expected bloom
? 3
$ ink map bloom --ranged < /dev/null
! ink: --ranged and bloom without a size, expected -n or --bits; see ink help map
? 2
$ ink map bloom -n 9 --ranged --buckets 3 < /dev/null
! ink: 3 buckets that are ranges, expected a power of two
? 2
$ ink map bloom -n 9 --ranged --buckets 512 < /dev/null
! ink: 512 buckets, expected at most 256
? 2
$ ink map bloom --buckets 4097
! ink: --buckets 4097, expected a whole number from 1 to 4096; see ink help map
? 2
$ ink map bloom --buckets 0
! ink: --buckets 0, expected a whole number from 1 to 4096; see ink help map
? 2
$ ink map bloom -v < /dev/null
! ink: --invert has no meaning where sketches are built; see ink help map
? 2
$ ink map bloom --tasks 4 < /dev/null
! ink: --tasks without --plan; see ink help map
? 2
$ ink map bloom --key 1 < /dev/null
! ink: a column (--key, --by, --weight) of records in lines, expected fields: --fields, --delimiter, or --in csv, tsv or jsonl
? 2
$ ink map bloom --header-line a,b < /dev/null
! ink: --header-line without --header; see ink help map
? 2
$ printf 'a\n' | ink map bloom --in csv --header --key a --header-line x,b,c
! ink: standard input: no column "a", expected one of "x", "b", "c"
? 2
$ ink map bloom --weight 2 --in csv < /dev/null
! ink: weights for bloom, expected a kind that counts
? 2
$ ink map bloom nowhere
! ink: nowhere: cannot open: No such file or directory
? 4
$ ink map bloom --temp nowhere < /dev/null
! ink: nowhere: the folder of --temp: No such file or directory
? 4
$ printf 'a\n' | ink build bloom -o a.ink; printf 'a\n' | ink build hll -o hll.ink
$ ink map --verify a.ink --filter a.ink
! ink: --verify and --filter do not go together; see ink help map
? 2
$ ink map --verify a.ink -n 9
! ink: --keys has no meaning with --verify; see ink help map
? 2
$ ink map --verify a.ink --hash xxh3
! ink: --hash has no meaning with --verify; see ink help map
? 2
$ ink map --verify a.ink --ranged
! ink: --ranged has no meaning with --verify; see ink help map
? 2
$ ink map --verify a.ink --buckets 3 < /dev/null
! ink: a.ink: 3 buckets, expected a power of two, at most 256
? 2
$ ink map --verify hll.ink < /dev/null
! ink: hll.ink: a verification of hll in parts, expected filters (ink verify over the records themselves takes every kind)
? 3
$ ink map --filter hll.ink < /dev/null
! ink: hll.ink: the file holds no filter, expected one
? 3
$ ink map --filter a.ink --buckets 2 < /dev/null
! ink: --buckets has no meaning with --filter; see ink help map
? 2
$ ink map --filter a.ink --by < /dev/null
! ink: the file has no groups, expected some to test records by
? 2
$ ink map --filter nowhere < /dev/null
! ink: nowhere: cannot open: No such file or directory
? 4
$ ink map bloom < a.ink
! ink: standard input: an .ink file, expected records
? 3
