# A link that leads to another file by and by: what was read of that is known by the next run, too.
$ seq 3 > one.txt; seq 4 6 > two.txt; ln -s one.txt now.txt; ink stream --follow --train now.txt --sketch hll --every 3 --state e 2> told & ink=$!
> until [ -e e/state.ink ]; do :; done; ln -sfn two.txt now.txt; until ink info e/state.ink | grep -q '  6  '; do :; done
> kill -TERM $ink; { wait $ink; } 2> /dev/null; cat told
ink: e/state.ink: begins; records from now.txt
ink: e/state.ink: now.txt: another file has taken its place: that is read from its start
ink: e/state.ink: 6 records in 2 batches, 6 new
$ ink stream --train now.txt --sketch hll --every 3 --state e
! ink: e/state.ink: resumes after record 6; records from now.txt
! ink: e/state.ink: 6 records in 2 batches, 0 new
$ ink stream --train one.txt --sketch hll --every 3 --state e
! ink: e/state.ink: resumes after record 6; records from one.txt
! ink: e/state.ink: 6 records in 2 batches, 0 new
