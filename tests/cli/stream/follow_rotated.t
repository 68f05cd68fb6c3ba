# Of a log that is rotated, what comes first and last is saved however long a batch is: kills lose none of it, also if it is rotated while nobody follows it.
$ printf 'k\n1\n2\n3\n' > log; ink stream --follow --train log --in csv --header --key k --sketch hll --every 1000 --state d 2> told & ink=$!
> until [ -e d/state.ink ]; do :; done; echo 4 >> log; mv log log.1; printf 'k\n5\n6\n' > log; until ink distinct d/state.ink | grep -q 6; do :; done
> kill -KILL $ink; { wait $ink; } 2> /dev/null; cat told
ink: d/state.ink: begins; records from log
ink: d/state.ink: log: another file has taken its place: that is read from its start
$ echo 7 >> log; mv log log.1; printf 'k\n8\n' > log; ink stream --follow --train log --in csv --header --key k --sketch hll --every 1000 --state d 2> told & ink=$!
> until ink distinct d/state.ink | grep -q 8; do :; done; kill -TERM $ink; { wait $ink; } 2> /dev/null; cat told
ink: d/state.ink: resumes after record 6; records from log
ink: d/state.ink: log: another file has taken its place: that is read from its start
ink: d/state.ink: 8 records in 5 batches, 2 new
