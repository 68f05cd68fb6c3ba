# Standard input and FIFOs are trained from to their end; run again, they add what comes then.
$ seq 10 | ink stream --train - --sketch hll --state d
! ink: d/state.ink: begins; records from standard input
! ink: d/state.ink: 10 records in 1 batch, 10 new
$ seq 11 15 | ink stream --train - --sketch hll --state d
! ink: d/state.ink: resumes after record 10; records from standard input
! ink: d/state.ink: 15 records in 2 batches, 5 new
$ ink distinct d/state.ink
15
$ mkfifo data; seq 16 20 > data & ink stream --train data --sketch hll --state d; wait
! ink: d/state.ink: resumes after record 15; records from data
! ink: d/state.ink: 20 records in 3 batches, 5 new
$ mkfifo questions; seq 5 > k.txt; echo DISTINCT > questions & ink stream -q --train k.txt --ask questions --sketch hll --state e | cut -f 1; wait
DISTINCT
$ printf 'ant\nbee' | ink stream --train - --sketch top --state cut
! ink: cut/state.ink: begins; records from standard input
! ink: cut/state.ink: 2 records in 1 batch, 2 new
$ : | ink stream --train - --sketch top --state none
! ink: none/state.ink: begins; records from standard input
! ink: none/state.ink: 0 records in 1 batch, 0 new
$ ink gen u64 -n 300000 -o many.txt; bash -c 'ink stream -q --train many.txt --every 1000 --ask <(echo DISTINCT) --sketch bloom -n 1e6 --state f' > of_pipe; cut -f 2 of_pipe
300000
$ echo DISTINCT | ink stream -q --train many.txt --every 1000 --ask - --sketch bloom -n 1e6 --state g | cmp - of_pipe
$ echo DISTINCT | ink stream -q --train many.txt --every 1000 --ask /dev/stdin --sketch bloom -n 1e6 --state h | cmp - of_pipe
