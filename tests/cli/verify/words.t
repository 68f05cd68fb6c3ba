# A filter is tested with non-members: those of --absent, else random ones.
$ seq 10000 > w; seq 10001 60000 > others; ink build bloom -o w.ink w
$ ink verify w.ink --truth w
kind   tested  false pos.  measured  95% low  95% high  target  promised  current
bloom  646117        6007   0.00930  0.00907   0.00953  0.0100    0.0100  0.00939

kept: all 10000 members found, 6007 false positives in 646117 tests, 6461 promised, broken above 6845; non-members are random keys
$ ink verify w.ink --truth w --absent others
kind   tested  false pos.  measured  95% low  95% high  target  promised  current
bloom   50000         501    0.0100  0.00918    0.0109  0.0100    0.0100  0.00939

kept: all 10000 members found, 501 false positives in 50000 tests, 500 promised, broken above 609; 10 % more would be noticed with chance 0.01
$ ink verify w.ink w --absent others --json
{"kind":"bloom","tested":50000,"false_positives":501,"rate":0.01002,"low":0.00918387243048758,"high":0.010931411305243553,"target":0.01,"promised":0.01,"current":0.009385449959636237,"denied":0,"ok":true}
$ ink verify w.ink --absent others --tsv < w
!2 ink: verify without --truth, expected --truth FILE (- is standard input); see ink help verify
$ ink verify -q w.ink --truth w
$ (cat w; echo non-member) > more; ink verify w.ink --truth more --absent others
kind   tested  false pos.  measured  95% low  95% high  target  promised  current  denied
bloom   50000         501    0.0100  0.00918    0.0109  0.0100    0.0100  0.00939       1  denies members

broken: 1 true member is denied; 501 false positives in 50000 tests, 500 promised, broken above 609; 10 % more would be noticed with chance 0.01
? 1
$ ink stream --train w --state over --sketch bloom:bits=65536,n=100 2> /dev/null; ink verify over/state.ink --truth w --absent others
kind   tested  false pos.  measured  95% low  95% high  promised  current
bloom   50000        3704    0.0741   0.0718    0.0764  5.81e-10   0.0731  above promise

broken: all 10000 members found, 3704 false positives in 50000 tests, 0 promised, broken above 4; 10 % more would be noticed with chance 0.00
? 1
$ seq 1000 > m; seq 2000 7500 > absent; ink build bloom -p 0.5 -o half.ink m; ink verify half.ink --truth m --absent absent | tail -n 1
kept: all 1000 members found, 2294 false positives in 5501 tests, 2750 promised, broken above 2930; 10 % more would be noticed with chance 1.00
