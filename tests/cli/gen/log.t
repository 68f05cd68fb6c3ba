# A log has the virtual host first, then the client; the same for the same seed.
$ ink gen log -n 3
api.example.org 10.238.166.240 - - [12/Nov/2026:00:00:00 +0000] "GET /static/js/948.js HTTP/1.1" 200 18206
img.example.org 10.11.166.124 - - [12/Nov/2026:00:00:01 +0000] "GET /news/91.html HTTP/1.1" 200 16138
blog.example.org 10.143.74.28 - - [12/Nov/2026:00:00:02 +0000] "GET / HTTP/2.0" 304 0
$ ink gen log | wc -l
100000
$ ink gen log -n 1e4 > a; ink gen log -n 1e4 --seed 1 > b; ink gen log -n 1e4 --skew 2 > c; awk '{print NF}' a b c | sort -u
11
$ for f in a b c; do cut -d ' ' -f 2 $f | sort -u | wc -l; done
3750
3691
130
$ ink gen log --skew 11
!2 ink: --skew 11, expected a number above 0 and up to 10; see ink help gen
$ ink gen log --skew 0.1
!2 ink: --skew 0.1, expected above 0.1, at most 10
$ ink gen log --sample 3 --sample-out x -n 10; ls
a
b
c
! ink: a sample of 3 for log, expected none: only names has one
$ ink help gen | grep -o -e 'zipf, log:.*' -e 'an access log:.*'
zipf, log: the exponent (default 1.1)
an access log: host, client, time, request, status, bytes
