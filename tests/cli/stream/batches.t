# A batch ends after N records; the state is saved every M batches, and at the end.
$ seq 1000 > k.txt
$ echo INFO | ink stream -q --train k.txt --sketch hll --every 300 --state a --ask - | tr '\t' '\n' | grep -E 'batches|records'
batches=4
records=1000
saved_batches=4
saved_records=1000
hll.records=1000
$ echo INFO | ink stream -q --train k.txt --sketch hll --every 1 --checkpoint 64 --state b --ask - | tr '\t' '\n' | grep -E 'batches|records'
batches=1000
records=1000
saved_batches=1000
saved_records=1000
hll.records=1000
$ ink stream --train k.txt --sketch hll --every 1000 --state c
! ink: c/state.ink: begins; records from k.txt
! ink: c/state.ink: 1000 records in 1 batch, 1000 new
$ ink stream --train k.txt --sketch hll --every 1h --state e
! ink: e/state.ink: begins; records from k.txt
! ink: e/state.ink: 1000 records in 1 batch, 1000 new
