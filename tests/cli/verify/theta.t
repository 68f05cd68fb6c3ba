# A theta is verified as an hll is: the true number lies in its interval of confidence 1 - 1e-6, and below 2^precision keys it is exact.
$ seq 20000 > a.txt; seq 10001 30000 > b.txt; ink build theta -o a.ink a.txt; ink verify a.ink --truth a.txt
kind   tested  wrong   error   bound
theta   20000      0  0.0126  0.0673

kept
$ ink build theta -o b.ink b.txt; ink merge a.ink b.ink -o both.ink; ink verify --json both.ink --truth a.txt --truth b.txt | tr , '\n' | grep '"ok"\|wrong\|tested'
"tested":30000
"wrong":0
"ok":true}
$ head -100 a.txt > few.txt; ink verify a.ink --truth few.txt
kind   tested  wrong  error  bound
theta     100      1    196   13.5  beyond its bounds

broken: 1 sketch is beyond its bounds
? 1
$ ink build theta -o few.ink few.txt; ink distinct --json few.ink; ink distinct --json a.ink
{"kind":"theta","estimate":100,"low":100,"high":100,"confidence":1}
{"kind":"theta","estimate":19747,"low":19212,"high":20000,"confidence":0.95}
$ awk '{print $1 % 3, $1}' a.txt > g.txt; ink build theta --precision 9 --fields --by 1 --key 2 -o g.ink g.txt; ink distinct g.ink; ink verify g.ink --truth g.txt | tail -1
group  estimate   low  high
0          6666  6495  6666
1          6667  6322  6667
2          6667  6326  6667
kept
$ awk '{printf "%d %d\n", $1, 1700000000 + $1 / 100}' a.txt > t.txt; ink stream -q --train t.txt --fields --key 1 --time 2 --window 1m --sketch theta --state s < /dev/null; ink distinct --json s/state.ink
{"kind":"theta","estimate":5757,"low":5663,"high":5801,"confidence":0.95}
$ printf 'DISTINCT\n' | ink stream -q --train a.txt --sketch theta --state p --ask -
DISTINCT	19747	19212	20000
