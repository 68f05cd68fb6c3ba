# So many keys of each group; groups that are numbers in their order.
$ printf '10 ant\n2 bee\n10 ant\n10 cat\n1 ant\n10 dog\n' > d.txt
$ ink top --by 1 --fields --key 2 -k 2 d.txt
estimate  low  high  share  group  key
       1    1     1   1.00  1      ant
       1    1     1   1.00  2      bee
       2    2     2  0.500  10     ant
       1    1     1  0.250  10     cat
$ ink top --by 1 --fields --key 2 -k 1 --json d.txt
{"kind":"top","group":"1","key":"ant","estimate":1,"low":1,"high":1,"confidence":1,"share":1}
{"kind":"top","group":"10","key":"ant","estimate":2,"low":2,"high":2,"confidence":1,"share":0.5}
{"kind":"top","group":"2","key":"bee","estimate":1,"low":1,"high":1,"confidence":1,"share":1}
$ ink top --by 1 --fields --key 2 --groups '1*' -k 1 d.txt
estimate  low  high  share  group  key
       1    1     1   1.00  1      ant
       2    2     2  0.500  10     ant
$ ink top --by 1 --fields --key 2 --groups 'x' d.txt
? 1
$ ink top --by 1 --fields --key 2 --phi 0.4 d.txt
estimate  low  high  share  group  key
       1    1     1   1.00  1      ant
       1    1     1   1.00  2      bee
       2    2     2  0.500  10     ant
$ printf '{"k":"a","g":null}\n{"k":"b","g":""}\n{"k":"a","g":null}\n' > d.jsonl; ink top --by g --key k d.jsonl
estimate  low  high  share  group   key
       2    2     2   1.00  (null)  a
       1    1     1   1.00  ""      b
$ ink top --by g --key k --json d.jsonl
{"kind":"top","group":null,"key":"a","estimate":2,"low":2,"high":2,"confidence":1,"share":1}
{"kind":"top","group":"","key":"b","estimate":1,"low":1,"high":1,"confidence":1,"share":1}
$ ink top --by g --key k --tsv d.jsonl
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
top	\N		a	2	2	2	1		1	
top	\E		b	1	1	1	1		1	
$ printf 'shop,item,amount\nx,tea,3\nx,rum,5\ny,tea,1\nx,tea,4\n' > s.csv; ink top --header --by shop --key item --weight amount s.csv
estimate  low  high  share  group  key
       7    7     7  0.583  x      tea
       5    5     5  0.417  x      rum
       1    1     1   1.00  y      tea
$ ink build top --header --by shop --key item --weight amount -o s.ink s.csv; ink top s.ink s.ink
estimate  low  high  share  group  key
      14   14    14  0.583  x      tea
      10   10    10  0.417  x      rum
       2    2     2   1.00  y      tea
$ ink top --groups '1*' d.txt
!2 ink: --groups, but data has no groups without --by; see ink help top
$ ink build top -o plain.ink d.txt; ink top --groups '1*' plain.ink
!2 ink: --groups, but plain.ink has no groups; see ink help top
