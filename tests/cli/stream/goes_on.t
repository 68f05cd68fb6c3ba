# A stream goes on where it was when its file has grown, and when more files come, to the bytes of one that had it all at once.
$ seq 1000 > a.txt; seq 2000 2500 > b.txt; cat a.txt b.txt > all.txt
$ ink stream --train a.txt --sketch hll --sketch top:k=3 --every 400 --state parts
! ink: parts/state.ink: begins; records from a.txt
! ink: parts/state.ink: 1000 records in 3 batches, 1000 new
$ seq 1001 1500 >> a.txt
$ ink stream --train a.txt --sketch hll --sketch top:k=3 --every 400 --state parts
! ink: parts/state.ink: resumes after record 1000; records from a.txt
! ink: parts/state.ink: 1500 records in 5 batches, 500 new
$ ink stream --train a.txt --train b.txt --sketch hll --sketch top:k=3 --every 400 --state parts
! ink: parts/state.ink: resumes after record 1500; records from a.txt and 1 more file
! ink: parts/state.ink: 2001 records in 8 batches, 501 new
$ cat a.txt b.txt > all.txt; ink stream --train all.txt --sketch hll --sketch top:k=3 --every 400 --state whole
! ink: whole/state.ink: begins; records from all.txt
! ink: whole/state.ink: 2001 records in 6 batches, 2001 new
$ ink info --digest whole/state.ink > whole.digest; ink info --digest parts/state.ink | cmp - whole.digest
