# A stream from a file ends with it; run again, it adds nothing, and is the filter that build makes.
$ ink gen zipf -n 120000 -o keys.txt
$ ink stream --train keys.txt --sketch bloom -n 1e6 -p 0.01 --every 50000 --state DIR
! ink: DIR/state.ink: begins; records from keys.txt
! ink: DIR/state.ink: 120000 records in 3 batches, 120000 new
$ cp DIR/state.ink first.ink
$ ink stream --train keys.txt --sketch bloom -n 1e6 -p 0.01 --every 50000 --state DIR
! ink: DIR/state.ink: resumes after record 120000; records from keys.txt
! ink: DIR/state.ink: 120000 records in 3 batches, 0 new
$ cmp DIR/state.ink first.ink; ls DIR
lock
state.ink
$ ink build bloom -n 1e6 -p 0.01 -o built.ink keys.txt; ink info --digest built.ink > built; ink info --digest DIR/state.ink | cmp - built
$ ink verify --truth keys.txt DIR/state.ink
kind   tested  false pos.  measured  95% low  95% high  target  promised   current
bloom  646117           0         0        0  5.95e-06  0.0100    0.0100  1.13e-09

kept: all 33634 members found, 0 false positives in 646117 tests, 6461 promised, broken above 6845; non-members are random keys
