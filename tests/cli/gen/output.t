# Records go to standard output or to a file, the same for the same seed.
$ ink gen ip -n 3
072135136108
076250251059
251206033022
$ ink gen ip -n 3 --seed 1
141097118226
068136212252
015044014193
$ ink gen ip -n 1e3 > a; ink gen ip -n 1e3 -o b; cmp a b && ink gen ip -n 1000 --force -o b && cmp a b; ls -A
a
b
$ ink gen names -n 1000 --sample 10 --sample-out sample -o all && wc -l < sample && grep -c -x -f sample all
10
10
$ ink gen ip -n 1e6 | head -2
072135136108
076250251059
$ (ink gen ip -n 1e6; echo code $? >&2) | head -1
072135136108
! code 0
$ ink gen ip -n 1e6 > /dev/full
!4 ink: standard output: cannot write: No space left on device
$ ink gen names -n 1e5 -o most --sample 9e4 --sample-out - > /dev/full
!4 ink: standard output: cannot write: No space left on device
$ ink gen ip -n 5 >&-
!4 ink: standard output: cannot write: Bad file descriptor
$ ink gen ip -n 5 -o c >&- && wc -l < c
5
$ ls -A
a
all
b
c
sample
