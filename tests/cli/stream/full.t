# A filter above its promised rate is reported, or grows, or is begun again, as the user chose.
$ seq 3000 > k.txt
$ ink stream --train k.txt --sketch bloom -n 1000 --every 1000 --state full
! ink: full/state.ink: begins; records from k.txt
! ink: full/state.ink: bloom has false-positive rate 0.119044, above the 0.01 that is promised; expected a larger -n, --grow or --renew
! ink: full/state.ink: 3000 records in 3 batches, 3000 new
$ ink stream --train k.txt --sketch bloom -n 1000 --every 1000 --grow --state grow
! ink: grow/state.ink: begins; records from k.txt
! ink: grow/state.ink: 3000 records in 3 batches, 3000 new
$ ink info grow/state.ink
grow/state.ink: 1 sketch of bytes keys, hash xxh3, seed 7597127734790088481
read as: lines

kind      keys    size  target  promised  current  records  levels
scalable  1000  5.5 kB  0.0100    0.0100  0.00511     3000       2
$ ink stream --train k.txt --sketch bloom -n 1000 --every 1000 --renew --state renew
! ink: renew/state.ink: begins; records from k.txt
! ink: renew/state.ink: bloom has false-positive rate 0.119044, above the 0.01 that is promised, and is renewed: its keys are forgotten
! ink: renew/state.ink: 3000 records in 3 batches, 3000 new
$ ink info renew/state.ink
renew/state.ink: 1 sketch of bytes keys, hash xxh3, seed 7597127734790088481
read as: lines

kind   keys   bits  hashes    size  bits/key  target  promised  current  records
bloom  1000  11264       8  1.4 kB     11.26  0.0100    0.0100  0.00738     1000
$ printf '1\n2500\n' | ink filter renew/state.ink
2500
