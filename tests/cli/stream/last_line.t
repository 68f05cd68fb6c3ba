# A last line without its end is a record; one that has grown since was read as another, which is reported.
$ printf 'ant\nbee' > a.txt; ink stream --train a.txt --sketch top --state a
! ink: a/state.ink: begins; records from a.txt
! ink: a/state.ink: 2 records in 1 batch, 2 new
$ printf '\ncat\n' >> a.txt; ink stream --train a.txt --sketch top --state a
! ink: a/state.ink: resumes after record 2; records from a.txt
! ink: a/state.ink: 3 records in 2 batches, 1 new
$ printf 'ant\nbee' > b.txt; ink stream --train b.txt --sketch top --state b
! ink: b/state.ink: begins; records from b.txt
! ink: b/state.ink: 2 records in 1 batch, 2 new
$ printf 'tle\n' >> b.txt; ink stream --train b.txt --sketch top --state b
! ink: b.txt: byte 7: a record that was read as the last one, without an end, has grown, expected its end
? 3
$ : > empty.txt; ink stream --train empty.txt --sketch top --state empty
! ink: empty/state.ink: begins; records from empty.txt
! ink: empty/state.ink: 0 records in 1 batch, 0 new
$ ink info empty/state.ink
empty/state.ink: 1 sketch of bytes keys, hash xxh3, seed 7597127734790088481
read as: lines

kind  size  records  capacity       phi
top    0 B        0      1024  0.000977
