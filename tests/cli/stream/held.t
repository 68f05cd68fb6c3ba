# Of two streams on one state the second is refused, with the name of the first.
$ mkfifo data told; ink stream --train data --sketch hll --state d 2> told & exec 4< told 3> data; read -r line <&4; echo "$line"
> seq 10 > k.txt; ink stream --train k.txt --sketch hll --state d
> echo ant >&3; exec 3>&-; wait; cat <&4
ink: d/state.ink: begins; records from data
ink: d/state.ink: 1 record in 1 batch, 1 new
! ink: d: another stream has this state: process [...] on [...], expected one at a time
$ ink stream --train k.txt --sketch hll --state d
! ink: d/state.ink: resumes after record 1; records from k.txt
! ink: d/state.ink: 11 records in 2 batches, 10 new
