# Without a column of times a record is when it arrives: what has just come is in the window, in its newest slot.
$ seq 10 > k.txt; echo DISTINCT > q.txt
$ ink stream --train k.txt --window 1000d --slots 10 --sketch hll --state d --ask q.txt
DISTINCT	10	10	10
! ink: d/state.ink: begins; records from k.txt; questions from q.txt
! ink: d/state.ink: 10 records in 1 batch, 10 new
$ ink info --json d/state.ink | grep -c '"slot":1[0-9]*,'
1
$ ink distinct --last 1 d/state.ink
10
$ seq 11 12 >> k.txt; ink stream -q --train k.txt --window 1000d --slots 10 --sketch hll --state d --ask q.txt --json
{"kind":"hll","estimate":12,"low":12,"high":12,"confidence":0.95}
