# How often each key was seen, from files of sketches; a count-min is never too low.
$ printf 'ant\nbee\nant\ncat\nbee\nant\n' > a.txt; printf 'ant\nnew york\ndog\n' > k.txt
$ ink build count-min --eps 1e-4 --delta 0.01 -o c.ink a.txt; ink count c.ink k.txt
  estimate         low        high  key
         3           2           3  ant
         0           0           0  new york
         0           0           0  dog
$ cat k.txt | ink count c.ink
  estimate         low        high  key
         3           2           3  ant
         0           0           0  new york
         0           0           0  dog
$ ink count -e ant -e 'new york' c.ink
  estimate         low        high  key
         3           2           3  ant
         0           0           0  new york
$ ink count --json c.ink k.txt
{"kind":"count-min","key":"ant","estimate":3,"low":2,"high":3,"confidence":0.9932620530009145}
{"kind":"count-min","key":"new york","estimate":0,"low":0,"high":0,"confidence":0.9932620530009145}
{"kind":"count-min","key":"dog","estimate":0,"low":0,"high":0,"confidence":0.9932620530009145}
$ ink count --tsv c.ink k.txt
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
count-min			ant	3	2	3	0.9932620530009145			
count-min			new york	0	0	0	0.9932620530009145			
count-min			dog	0	0	0	0.9932620530009145			
$ ink count -e dog c.ink
  estimate         low        high  key
         0           0           0  dog
? 1
$ ink count -q -e dog c.ink; ink count -q -e dog -e ant c.ink
$ : | ink count c.ink
? 1
$ : | ink count --tsv c.ink
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
? 1
$ ink count - k.txt < c.ink; ink count -e ant - < c.ink
  estimate         low        high  key
         3           2           3  ant
         0           0           0  new york
         0           0           0  dog
  estimate         low        high  key
         3           2           3  ant
$ ink count c.ink k.txt k.txt | wc -l
7
$ printf '1,ant\n2,dog\n' > k.csv; ink count --key 2 c.ink k.csv
  estimate         low        high  key
         3           2           3  ant
         0           0           0  dog
$ printf 'key\nant\n' > h.csv; ink count --header c.ink h.csv
  estimate         low        high  key
         3           2           3  ant
$ printf 'ant\0bee\0' | ink count --in nul c.ink
  estimate         low        high  key
         3           2           3  ant
         2           1           2  bee
$ printf '\n"\377\n' | ink count --json c.ink
{"kind":"count-min","key":"","estimate":0,"low":0,"high":0,"confidence":0.9932620530009145}
{"kind":"count-min","key_hex":"22ff","estimate":0,"low":0,"high":0,"confidence":0.9932620530009145}
? 1
$ printf '\n"\377\n' | ink count c.ink
  estimate         low        high  key
         0           0           0  ""
         0           0           0  "\xff
? 1
$ printf '7\n07\n-3\n' > i.txt; ink build count-min --key-type int -o i.ink i.txt; printf '+7\n4\n' | ink count i.ink
  estimate         low        high  key
         2           1           2  7
         0           0           0  4
$ printf '7\nx\n8\n' | ink count i.ink
!3 ink: standard input: line 2: "x", expected an integer key; --bad skip skips such records
$ printf '7\nx\n8\n' | ink count --bad skip i.ink
  estimate         low        high  key
         2           1           2  7
         0           0           0  8
! ink: 1 of 3 records could not be read and were skipped
$ ink count -e 7 --json i.ink
{"kind":"count-min","key":"7","estimate":2,"low":1,"high":2,"confidence":0.9932620530009145}
$ printf 'id,pkg\n1,ant\n2,bee\n3,ant\n' > p.csv; printf 'id\tpkg\n7\tbee\n' > p.tsv; ink build count-min --header --key pkg -o p.ink p.csv; ink count p.ink p.csv
  estimate         low        high  key
         2           1           2  ant
         1           0           1  bee
         2           1           2  ant
$ ink count --json p.ink p.tsv; echo bee | ink count --json p.ink; ink count --in lines --json p.ink p.tsv | tail -n 1
{"kind":"count-min","key":"bee","estimate":1,"low":0,"high":1,"confidence":0.9932620530009145}
{"kind":"count-min","key":"bee","estimate":1,"low":0,"high":1,"confidence":0.9932620530009145}
{"kind":"count-min","key":"7\u0009bee","estimate":0,"low":0,"high":0,"confidence":0.9932620530009145}
$ printf 'k,w\nant,5\nbee,7\n' > d.csv; ink build count-min --header --key k --weight w -o w.ink d.csv; printf 'x,k\n1,bee\n' > keys.csv; ink count --tsv w.ink keys.csv
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
count-min			bee	7	6	7	0.9932620530009145			
$ cat w.ink | ink count --tsv - keys.csv
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
count-min			x,k	0	0	0	0.9932620530009145			
count-min			1,bee	0	0	0	0.9932620530009145			
? 1
$ ink count --in csv --tsv w.ink keys.csv
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
count-min			x,k	0	0	0	0.9932620530009145			
count-min			1,bee	0	0	0	0.9932620530009145			
? 1
