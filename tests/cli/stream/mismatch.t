# A state of other sketches, sizes, columns or seeds is refused, naming both.
$ printf 'ant,1\nbee,2\n' > k.csv; ink stream -q --train k.csv --key 1 --sketch bloom -n 1000 --state d
$ ink stream --train k.csv --key 1 --sketch bloom -n 2000 --state d
! ink: d/state.ink: its bloom has keys planned for 1000, and 2000 was asked for, expected the same
? 3
$ ink stream --train k.csv --key 1 --sketch bloom -n 1000 -p 0.1 --state d
! ink: d/state.ink: its bloom has target rate 0.01, and 0.1 was asked for, expected the same
? 3
$ ink stream --train k.csv --key 1 --sketch hll --state d
! ink: d/state.ink: it holds a bloom, which was not asked for, expected the same sketches
? 3
$ ink stream --train k.csv --key 1 --sketch bloom:n=1000 --sketch hll --state d
! ink: d/state.ink: it holds no hll, expected the sketches that were asked for
? 3
$ ink stream --train k.csv --key 2 --sketch bloom -n 1000 --state d
! ink: d/state.ink: its records were read in another way (form, header or columns), expected the same options
? 3
$ ink stream --train k.csv --key 2 --key-type int --sketch bloom -n 1000 --state d
! ink: d/state.ink: its records were read in another way (form, header or columns), expected the same options
? 3
$ ink stream --train k.csv --key 1 --sketch bloom -n 1000 --seed 5 --state d
! ink: d/state.ink: its keys are hashed by xxh3 with seed 7597127734790088481, and xxh3 with seed 5 was asked for, expected the same
? 3
$ ink stream --train k.csv --key 1 --sketch bloom -n 1000 --window 10m --state d
! ink: d/state.ink: it has no window, and a window of 10 slots of 60 s was asked for, expected the same
? 3
$ ink stream --train k.csv --key 1 --sketch bloom -n 1000 --grow --state d
! ink: d/state.ink: it holds a bloom, which was not asked for, expected the same sketches
? 3
$ ink stream --train k.csv --key 1 --sketch bloom -n 1000 --state d
! ink: d/state.ink: resumes after record 2; records from k.csv
! ink: d/state.ink: 2 records in 1 batch, 0 new
$ ink stream -q --train k.csv --key 1 --sketch top --window 10m --state w
$ ink stream --train k.csv --key 1 --sketch top --sketch hll --window 10m --state w
!3 ink: w/state.ink: it holds no hll, expected the sketches that were asked for
$ ink stream --train k.csv --key 1 --sketch hll --window 10m --state w
!3 ink: w/state.ink: it holds a top, which was not asked for, expected the same sketches
$ ink stream -q --train /dev/null --sketch top --window 10m --state none; ink stream -q --train /dev/null --sketch top --window 10m --state none
