# A bad record ends the stream, by its place, and what came before is saved; or it is skipped, and counted.
$ printf '1\tant\n2\n3\tcat\n' > b.tsv
$ ink stream --train b.tsv --key 2 --sketch hll --state d
! ink: d/state.ink: begins; records from b.tsv
! ink: b.tsv: line 2: 1 column, expected at least 2; --bad skip skips such records
? 3
$ ink distinct d/state.ink
1
$ ink stream --train b.tsv --key 2 --sketch hll --state d
! ink: d/state.ink: resumes after record 1; records from b.tsv
! ink: b.tsv: byte 6: 1 column, expected at least 2; --bad skip skips such records
? 3
$ ink stream --train b.tsv --key 2 --bad skip --sketch hll --state d
! ink: d/state.ink: resumes after record 1; records from b.tsv
! ink: d/state.ink: 2 records in 2 batches, 1 new, 1 bad and skipped
$ ink stream --train b.tsv --key 2 --bad skip --sketch hll --state d
! ink: d/state.ink: resumes after record 2; records from b.tsv
! ink: d/state.ink: 2 records in 2 batches, 0 new, 1 bad and skipped
$ printf '7\nseven\n' > n.txt; ink stream -q --train n.txt --key-type int --sketch hll --state n
! ink: n.txt: line 2: "seven", expected an integer key; --bad skip skips such records
? 3
$ printf 'no such column\n' > h.csv; ink stream -q --train h.csv --header --key host --sketch hll --state h
! ink: h.csv: no column "host", expected one of "no such column"
? 2
