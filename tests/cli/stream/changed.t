# A file that is not the one that was read before is refused, and the state stays as it is.
$ seq 100 > a.txt; ink stream -q --train a.txt --sketch hll --state d; cp d/state.ink before.ink
$ seq 50 > a.txt; ink stream -q --train a.txt --sketch hll --state d
! ink: a.txt: 141 bytes, expected the 292 that were read before
? 3
$ seq 200 300 > a.txt; ink stream -q --train a.txt --sketch hll --state d
! ink: a.txt: other bytes before byte 292 than were read there, expected the same
? 3
$ rm a.txt; ink stream -q --train a.txt --sketch hll --state d
! ink: a.txt: cannot open: No such file or directory
? 4
$ cmp before.ink d/state.ink
