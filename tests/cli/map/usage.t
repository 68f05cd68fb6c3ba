# Options must go together.
$ ink map
!2 ink: map without a kind, expected one such as bloom; see ink help map
$ ink map blom
!2 ink: no kind blom, did you mean bloom; see ink help map
$ ink map scalable < /dev/null
!3 ink: scalable has one writer and cannot be built in parts, expected bloom
$ ink map bloom,scalable < /dev/null
!3 ink: scalable has one writer and cannot be built in parts, expected bloom
$ ink map bloom --ranged < /dev/null
!2 ink: --ranged and bloom without a size, expected -n or --bits; see ink help map
$ ink map bloom -n 9 --ranged --buckets 3 < /dev/null
!2 ink: 3 buckets that are ranges, expected a power of two
$ ink map bloom -n 9 --ranged --buckets 512 < /dev/null
!2 ink: 512 buckets, expected at most 256
$ ink map bloom --buckets 4097
!2 ink: --buckets 4097, expected a whole number from 1 to 4096; see ink help map
$ ink map bloom --buckets 0
!2 ink: --buckets 0, expected a whole number from 1 to 4096; see ink help map
$ ink map bloom -v < /dev/null
!2 ink: --invert has no meaning where sketches are built; see ink help map
$ ink map bloom --tasks 4 < /dev/null
!2 ink: --tasks without --plan; see ink help map
$ ink map bloom --key 1 < /dev/null
!2 ink: a column (--key, --by, --weight) of records in lines, expected fields: --fields, --delimiter, or --in csv, tsv or jsonl
$ ink map bloom --header-line a,b < /dev/null
!2 ink: --header-line without --header; see ink help map
$ printf 'a\n' | ink map bloom --in csv --header --key a --header-line x,b,c
!2 ink: standard input: no column "a", expected one of "x", "b", "c"
$ ink map bloom --weight 2 --in csv < /dev/null
!2 ink: weights for bloom, expected a kind that counts
$ ink map bloom nowhere
!4 ink: nowhere: cannot open: No such file or directory
$ ink map bloom --temp nowhere < /dev/null
!4 ink: nowhere: the folder of --temp: No such file or directory
$ printf 'a\n' | ink build bloom -o a.ink; printf 'a\n' | ink build hll -o hll.ink
$ ink map fuse --ranged < /dev/null
!2 ink: buckets that are ranges, expected others for a fuse, which is made of all keys at once
$ ink map --verify a.ink --filter a.ink
!2 ink: --verify and --filter do not go together; see ink help map
$ ink map --verify a.ink -n 9
!2 ink: --keys has no meaning with --verify; see ink help map
$ ink map --verify a.ink --hash xxh3
!2 ink: --hash has no meaning with --verify; see ink help map
$ ink map --verify a.ink --ranged
!2 ink: --ranged has no meaning with --verify; see ink help map
$ ink map --verify a.ink --buckets 3 < /dev/null
!2 ink: a.ink: 3 buckets, expected a power of two, at most 256
$ ink map --verify hll.ink < /dev/null
!3 ink: hll.ink: a verification of hll in parts, expected filters (a verification over the records themselves takes every kind)
$ ink map --filter hll.ink < /dev/null
!3 ink: hll.ink: the file holds no filter, expected one
$ ink map --filter a.ink --buckets 2 < /dev/null
!2 ink: --buckets has no meaning with --filter; see ink help map
$ ink map --filter a.ink --by < /dev/null
!2 ink: the file has no groups, expected some to test records by
$ ink map --filter nowhere < /dev/null
!4 ink: nowhere: cannot open: No such file or directory
$ ink map bloom < a.ink
!3 ink: standard input: an .ink file, expected records
$ ink map --splits --filter -
!2 ink: standard input is read twice, for --filter and for --splits, expected a FILE for one of them; see ink help map
$ ink map --splits --verify -
!2 ink: standard input is read twice, for --verify and for --splits, expected a FILE for one of them; see ink help map
$ ink map --splits --secret - bloom
!2 ink: standard input is read twice, for --splits and for --secret, expected a FILE for one of them; see ink help map
