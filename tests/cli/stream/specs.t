# A sketch that cannot be, or lacks its size, is reported with what would do.
$ ink stream --train k.txt --state d
! ink: stream without --sketch, expected a kind, as --sketch bloom; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch blom
! ink: no kind blom, did you mean bloom; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch mystery
! ink: no kind mystery, expected bloom, classic, counting, scalable, count-min, top, fm, hll, theta, fuse; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch fuse
! ink: a stream of fuse, which never changes, expected bloom, which takes keys as they come
? 3
$ ink stream --train k.txt --state d --sketch :n=5
! ink: --sketch :n=5: no kind, expected one, as bloom:n=1e6; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch bloom
! ink: --sketch bloom without -n, and a stream does not know its number of keys: expected -n N, or --grow, or --sketch scalable; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch hll --sketch counting
! ink: --sketch counting without -n, and a stream does not know its number of keys: expected --sketch counting:n=N, or --grow, or --sketch scalable; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch bloom:n=1e6,q=1
! ink: --sketch bloom:n=1e6,q=1: no size q, expected some of n, p, bits, max-rate; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch bloom:n
! ink: --sketch bloom:n without its value, expected n=N; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch bloom:n=
! ink: --sketch bloom:n with an empty value; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch bloom:n=many
! ink: --sketch bloom:n many, expected a whole number from 1 to 2^64 - 1, as 1e6; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch bloom:n=5,p=2
! ink: --sketch bloom:p 2, expected a number above 0 and below 1; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch bloom:n=5,n=6
! ink: --sketch bloom:n=5,n=6: n is given twice, expected it once; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch bloom:n=5,
! ink: --sketch bloom:n=5,: a size without a name, expected NAME=VALUE, as bloom:n=1e6,p=0.01; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch hll:n=5
! ink: --sketch hll:n=5: n is not for hll; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch hll -n 5
! ink: --keys is not for hll; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch count-min:conservative=yes
! ink: --sketch count-min:conservative=yes, but conservative takes no value; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch count-min:counters=16
! ink: --sketch count-min:counters 16, expected 32 or 64; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch bloom:n=5 -n 6
! ink: --keys and --sketch bloom:n=5: a size is given twice, expected it once; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch bloom:n=5 --sketch hll -p 0.1
! ink: --rate beside 2 sketches, expected it in that which it is for, as --sketch bloom:rate=...; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch bloom,hll
! ink: --sketch bloom,hll, expected one kind each: --sketch bloom --sketch hll; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch hll --sketch hll
! ink: two sketches of kind hll, expected one of each kind; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch bloom:n=5 --sketch classic:n=5 --grow
! ink: two sketches of kind scalable, expected one of each kind; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch hll --grow
! ink: --grow without a filter of a fixed size, expected --sketch bloom, classic or counting; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch bloom:bits=256 --grow
! ink: --grow makes a scalable of bloom, which has no --bits, expected -n for its first level; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch bloom:bits=256 --renew
! ink: --renew without a filter that promises a rate, expected --sketch bloom, classic or counting, with -n; see ink help stream
? 2
$ ink stream --train k.txt --state d --sketch bloom:n=5,p=1e-7
! ink: --rate 1e-07, expected 1e-05 to 0.5 for bloom: bloom needs 105 bits a key at 1e-07; classic needs 34
? 2
$ ls
$ ink stream --train a.txt --state s --sketch bloom,hll:n=5; ink stream --train a.txt --state s --sketch count-min --sketch hll --conservative
! ink: no kind bloom,hll, expected bloom, classic, counting, scalable, count-min, top, fm, hll, theta, fuse; see ink help stream
!2 ink: --conservative beside 2 sketches, expected it in that which it is for, as --sketch count-min:conservative; see ink help stream
