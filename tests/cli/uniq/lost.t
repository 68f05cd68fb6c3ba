# Records that may be lost are reported on standard error: about how many, and at most how many; -q does without.
$ (seq 20000; seq 20000) > twice
$ ink uniq twice | wc -l
20000
$ ink uniq -n 20000 -p 0.01 twice | wc -l
19963
! ink: 19963 of 40000 records are first ones; about 32 more may be lost (at most 71)
$ ink uniq -v -n 20000 -p 0.01 twice | wc -l
20037
! ink: 20037 of 40000 records repeat a key; about 32 of them may be first ones (at most 71)
$ ink uniq -q -n 20000 -p 0.01 twice | wc -l
19963
$ ink uniq -n 100000 twice | wc -l
20000
! ink: 20000 of 40000 records are first ones; at most 1 more may be lost, probably none
$ ink uniq -n 1000 -p 0.1 twice | wc -l
2148
! ink: 2148 of 40000 records are first ones; up to 37852 more may be lost
$ ink uniq -n 20 twice | wc -l
253
! ink: 253 of 40000 records are first ones; up to 39747 more may be lost
$ ink uniq -n 20000 -p 0.01 -o out twice; wc -l < out
19963
! ink: 19963 of 40000 records are first ones; about 32 more may be lost (at most 71)
$ ink uniq -v -n 100000 twice | wc -l
20000
! ink: 20000 of 40000 records repeat a key; at most 1 of them may be first ones, probably none
$ ink uniq -n 20000 -p 0.0001 twice | wc -l
20000
! ink: 20000 of 40000 records are first ones; at most 6 more may be lost, probably none
$ cat twice | ink uniq -n 4000 -p 0.01 | wc -l; dd bs=7777 status=none < twice | ink uniq -n 4000 -p 0.01 | wc -l
13602
13602
! ink: 13602 of 40000 records are first ones; about 6322 more may be lost (at most 8550)
! ink: 13602 of 40000 records are first ones; about 6322 more may be lost (at most 8550)
$ for seed in '--seed 0' '--seed 1' ''; do seq 2000 | ink uniq -p 0.3 -n 1000 $seed 2>/dev/null | cksum; done | sort -u | wc -l
3
$ for p in 0.0009 0.001 0.002; do (seq 4000; seq 4000) | ink uniq -n 4000 -p $p > /dev/null; done
! ink: 4000 of 8000 records are first ones; at most 7 more may be lost, probably none
! ink: 3999 of 8000 records are first ones; about 0.51 more may be lost (at most 7)
! ink: 4000 of 8000 records are first ones; about 1 more may be lost (at most 10)
