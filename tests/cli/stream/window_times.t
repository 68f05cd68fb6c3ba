# Times are dates, or numbers since 1970 in the unit that is named; one that is none is a bad record, by its place.
$ printf '2026-11-16T14:00:00Z\tant\n2026-11-16T14:09:59Z\tbee\n' > iso.tsv
$ echo DISTINCT | ink stream -q --train iso.tsv --key 2 --time 1 --window 10m --sketch hll --state iso --ask -
DISTINCT	2	2	2
$ ink info iso/state.ink
iso/state.ink: 2 sketches of bytes keys, hash xxh3, seed 7597127734790088481
read as: tsv, key 2, time 1

kind  slot                  size  records  precision    error  distinct
hll   2026-11-16T14:00:00Z   3 B        1         14  0.00812         1
hll   2026-11-16T14:09:00Z   3 B        1         14  0.00812         1
$ printf '1000,ant\n2500,bee\n' > ms.csv; ink stream -q --train ms.csv --key 2 --time 1 --time-unit ms --window 10s --slots 10 --sketch hll --state ms; ink info ms/state.ink | tail -2
hll   1970-01-01T00:00:01Z   3 B        1         14  0.00812         1
hll   1970-01-01T00:00:02Z   3 B        1         14  0.00812         1
$ printf '1,ant\nsoon,bee\n2,cat\n' > bad.csv
$ ink stream -q --train bad.csv --key 2 --time 1 --window 10s --sketch hll --state bad
! ink: bad.csv: line 2: "soon", expected a time, as 2026-11-16T14:26:08Z or 16/Nov/2026:14:26:08 +0000, or a number since 1970; --bad skip skips such records
? 3
$ ink stream --train bad.csv --key 2 --time 1 --window 10s --sketch hll --state bad --bad skip
! ink: bad/state.ink: resumes after record 1; records from bad.csv
! ink: bad/state.ink: 2 records in 2 batches, 1 new, 1 bad and skipped
$ ink stream -q --train bad.csv --key 2 --time 3 --window 10s --sketch hll --state other
! ink: bad.csv: line 1: 2 columns, expected at least 3; --bad skip skips such records
? 3
$ printf '1,ant\n9999999999999,far ahead\n' > ahead.csv; ink stream -q --train ahead.csv --key 2 --time 1 --window 10s --sketch hll --state ahead
! ink: ahead.csv: line 2: "9999999999999", expected a time whose microseconds since 1970 fit 64 bits; --bad skip skips such records
? 3
