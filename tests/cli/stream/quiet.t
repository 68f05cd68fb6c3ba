# With -q nothing but errors is said on standard error, and answers are printed.
$ seq 10 > k.txt; echo DISTINCT | ink stream -q --train k.txt --sketch hll --state d --ask - --json
{"kind":"hll","estimate":10,"low":10,"high":10,"confidence":0.95}
$ ink stream -q --train k.txt --sketch bloom -n 2 --state full
$ ink stream -q --train nosuch --sketch hll --state d
! ink: nosuch: cannot open: No such file or directory
? 4
