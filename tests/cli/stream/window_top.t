# A window of heavy hitters and a filter: the most frequent keys, and those seen, of the last minutes.
$ for minute in 0 1 2 3 4 5; do for i in 1 2 3; do echo "$((minute * 60)),m$minute"; done; echo "$((minute * 60)),all"; done > w.csv
$ printf 'TOP 3\n?m0\n?m5\n?all\n' | ink stream -q --train w.csv --key 2 --time 1 --window 3m --slots 3 --sketch top --sketch bloom:n=100 --state w --ask -
TOP	all	3	3	3	m3	3	3	3	m4	3	3	3
m0	no
m5	yes	4.69e-11
all	yes	4.69e-11
$ ink top w/state.ink
estimate  low  high  share  key
       3    3     3  0.250  all
       3    3     3  0.250  m3
       3    3     3  0.250  m4
       3    3     3  0.250  m5
$ ink top --last 1 w/state.ink
estimate  low  high  share  key
       3    3     3  0.750  m5
       1    1     1  0.250  all
$ ink filter -e m1 -e m5 w/state.ink
m5
