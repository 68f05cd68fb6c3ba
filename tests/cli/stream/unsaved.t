# A state that cannot be saved is reported once and tried again, while questions are answered; if that stays so, the end is an error.
# Not with sanitizers.
$ seq 5000 > k.txt; echo DISTINCT > q.txt
$ (ulimit -f 2; ink stream --train k.txt --sketch bloom -n 10000 --every 1000 --state d --ask q.txt)
DISTINCT	5000	4998	5000
! ink: d/state.ink: begins; records from k.txt; questions from q.txt
! ink: d/state.ink: cannot write: File too large; saved up to record 0, the next batch tries again
! ink: d/state.ink: cannot write: File too large
? 4
$ ls d
lock
$ ink stream --train k.txt --sketch bloom -n 10000 --every 1000 --state d
! ink: d/state.ink: begins; records from k.txt
! ink: d/state.ink: 5000 records in 5 batches, 5000 new
