# A followed file is read on as it grows, until a signal ends the stream: what was read is saved then, and it resumes after it.
$ seq 3 > k.txt; ink stream --follow --train k.txt --sketch hll --every 3 --state d 2> told & ink=$!
> until [ -e d/state.ink ]; do :; done; seq 4 6 >> k.txt; until ink info d/state.ink | grep -q '  6  '; do :; done
> kill -TERM $ink; { wait $ink; } 2> /dev/null; echo $?; cat told
143
ink: d/state.ink: begins; records from k.txt
ink: d/state.ink: 6 records in 2 batches, 6 new
$ seq 7 8 >> k.txt; ink stream --train k.txt --sketch hll --every 3 --state d
! ink: d/state.ink: resumes after record 6; records from k.txt
! ink: d/state.ink: 8 records in 3 batches, 2 new
