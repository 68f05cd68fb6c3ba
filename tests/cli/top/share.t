# --phi lists each key that has more than this share, and none that has just as much.
$ awk 'BEGIN {for (i = 1; i <= 100; i++) print i <= 30 ? "thirty" : i <= 50 ? "twenty" : i <= 57 ? "seven" : "k" i}' > d.txt
$ ink top --phi 0.07 d.txt
estimate  low  high  share  key
      30   30    30  0.300  thirty
      20   20    20  0.200  twenty
$ ink top --phi 0.069 d.txt
estimate  low  high   share  key
      30   30    30   0.300  thirty
      20   20    20   0.200  twenty
       7    7     7  0.0700  seven
$ ink top --phi 0.07 -k 1 d.txt
estimate  low  high  share  key
      30   30    30  0.300  thirty
$ ink top --phi 0.5 d.txt
? 1
$ ink build top -o d.ink d.txt; ink top --phi 0.069 --json d.ink
{"kind":"top","key":"thirty","estimate":30,"low":30,"high":30,"confidence":1,"share":0.3}
{"kind":"top","key":"twenty","estimate":20,"low":20,"high":20,"confidence":1,"share":0.2}
{"kind":"top","key":"seven","estimate":7,"low":7,"high":7,"confidence":1,"share":0.07}
$ ink top --phi 1e-9 d.ink | wc -l; ink top --phi 1e-300 d.txt | wc -l; ink top --phi 4e-20 d.txt | wc -l
47
47
47
$ seq 5000 > many.txt; ink build top -o many.ink many.txt; ink top --phi 1e-4 many.ink
!2 ink: many.ink: --phi 0.0001: a key that is not kept may have 2 of 5000, expected a larger share, or sketches that were built for this one
$ ink top --phi 1e-4 many.ink many.ink
!2 ink: --phi 0.0001: a key that is not kept may have 4 of 10000, expected a larger share, or sketches that were built for this one
$ ink build top --phi 1e-4 -o sharp.ink many.txt; ink top --phi 1e-4 sharp.ink | tail -n +2 | wc -l
5000
$ ink top --phi 1e-4 many.txt | tail -n +2 | wc -l; ink top --phi 0.0002 many.txt
5000
? 1
$ ink top --phi 1.5 d.txt
!2 ink: --phi 1.5, expected a number above 0 and below 1; see ink help top
$ ink top --phi 0 d.txt
!2 ink: --phi 0, expected a number above 0 and below 1; see ink help top
$ (seq 5000; yes often | head -n 100) > d.txt; ink top --phi 0.015 d.txt; ink top -k 40 --phi 0.015 d.txt; ink top --phi 0.003 d.txt
estimate  low  high   share  key
     100  100   102  0.0196  often
estimate  low  high   share  key
     100  100   101  0.0196  often
estimate  low  high   share  key
     100  100   100  0.0196  often
$ printf 'c\na\nf\nb\nc\nh\nf\nb\na\n' | ink build top --phi 0.5 -o high.ink; ink top --phi 0.3 high.ink
estimate  low  high  share  key
       1    1     3  0.111  a
