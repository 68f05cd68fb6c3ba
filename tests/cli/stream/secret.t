# A keyed stream needs its secret again to go on.
$ seq 10 > k.txt; echo 000102030405060708090a0b0c0d0e0f > secret; echo 100102030405060708090a0b0c0d0e0f > other
$ printf '3\n30\n' | ink stream -q --train k.txt --sketch bloom -n 100 --secret secret --state d --ask -
3	yes	1.33e-09
30	no
$ ink stream -q --train k.txt --sketch bloom -n 100 --state d
! ink: d/state.ink: its keys are hashed by siphash with seed 0, and xxh3 with seed 7597127734790088481 was asked for, expected the same
? 3
$ ink stream -q --train k.txt --sketch bloom -n 100 --secret other --state d
! ink: d/state.ink: its keys are hashed with another secret or none, expected the same
? 3
$ printf '3\n30\n' | ink stream -q --train k.txt --sketch bloom -n 100 --secret secret --state d --ask -
3	yes	1.33e-09
30	no
