# With groups there is a row for each, in text a table, as in order of numbers where they are such.
$ printf '10 ant\n2 bee\n10 ant\n10 cat\n1 ant\n' > d.txt
$ ink distinct --by 1 --fields --key 2 d.txt
group  estimate  low  high
1             1    1     1
2             1    1     1
10            2    2     3
$ ink distinct --by 1 --fields --key 2 --json d.txt
{"kind":"hll","group":"1","estimate":1,"low":1,"high":1,"confidence":0.95}
{"kind":"hll","group":"10","estimate":2,"low":2,"high":3,"confidence":0.95}
{"kind":"hll","group":"2","estimate":1,"low":1,"high":1,"confidence":0.95}
$ ink distinct --by 1 --fields --key 2 --groups '1*' d.txt
group  estimate  low  high
1             1    1     1
10            2    2     3
$ ink distinct --by 1 --fields --key 2 --groups 'x*' d.txt
? 1
$ ink distinct --groups 'x*' d.txt
!2 ink: --groups, but data has no groups without --by; see ink help distinct
$ printf '7.5 ant\n8.1 bee\n6.5 cat\n' | ink distinct --by 1 --fields --key 2 --round half-even
group  estimate  low  high
6             1    1     1
8             2    2     2
$ printf '{"k":"a","g":-2.5}\n{"k":"b","g":1e-05}\n{"k":"c","g":-25E-1}\n{"k":"d","g":0.25e+1}\n' > n.jsonl
$ for how in half-even half-up half-away; do ink distinct --by g --key k --round $how --tsv n.jsonl | cut -f 2,5 | tail -n +2 | paste -s; done
-2	2	0	1	2	1
-2	2	0	1	3	1
-3	2	0	1	3	1
$ ink build hll --by g --key k --round half-away -o n.ink n.jsonl; ink info n.ink | sed -n 2p; ink distinct --by g --key k --round half-away --tsv n.jsonl | cut -f 2 | paste -s
read as: jsonl, key k, by g rounded half-away
group	-3	0	3
$ printf '{"k":"a","g":1e}\n' | ink distinct --in jsonl --by g --key k --round half-up
!3 ink: standard input: line 1: '}', expected a digit; --bad skip skips such records
$ printf 'a,1e\n' | ink distinct --in csv --by 2 --key 1 --round half-up
!3 ink: standard input: line 1: "1e", expected a number to round to a group; --bad skip skips such records
$ printf '{"k":"a","g":null}\n{"k":"b","g":""}\n{"k":"c","g":null}\n{"k":"c","g":"tab\\there"}\n' > d.jsonl
$ ink distinct --by g --key k d.jsonl
group        estimate  low  high
(null)              2    2     2
""                  1    1     1
tab\x09here         1    1     1
$ ink distinct --by g --key k --json d.jsonl
{"kind":"hll","group":null,"estimate":2,"low":2,"high":2,"confidence":0.95}
{"kind":"hll","group":"","estimate":1,"low":1,"high":1,"confidence":0.95}
{"kind":"hll","group":"tab\u0009here","estimate":1,"low":1,"high":1,"confidence":0.95}
$ ink distinct --by g --key k --tsv d.jsonl
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
hll	\N			2	2	2	0.95			
hll	\E			1	1	1	0.95			
hll	tab\there			1	1	1	0.95			
$ ink distinct --by g --key k --groups '*' d.jsonl
group        estimate  low  high
""                  1    1     1
tab\x09here         1    1     1
$ : | ink distinct --fields --by 1 --key 2
? 1
$ ink build hll -o d.ink d.txt; ink distinct --groups 'x*' d.ink
!2 ink: --groups, but d.ink has no groups; see ink help distinct
$ ink distinct --groups 'x*' d.ink d.ink
!2 ink: --groups, but the files have no groups; see ink help distinct
$ ink build hll --by 1 --fields -o empty.ink < /dev/null; ink distinct --groups 'x*' empty.ink
? 1
$ printf 'ant\ta\nbee\ta\0b\ncat\t\0\ndoe\t\n' > g.tsv; ink build hll --in tsv --key 1 --by 2 -o g.ink g.tsv   # a NUL in a name is no end of it
$ for p in a 'a*' '*' 'a?b' '?'; do ink distinct --groups "$p" g.ink; done
group  estimate  low  high
a             1    1     1
group  estimate  low  high
a             1    1     1
group  estimate  low  high
""            1    1     1
a             1    1     1
group  estimate  low  high
a             1    1     1
$ printf '%s,a\n' 10 -2 -10 9 -1.5 0 > signs.csv; ink distinct --by 1 --key 2 signs.csv | cut -c 1-5
group
-10  
-2   
-1.5 
0    
9    
10   
$ printf -- '-1.5 a\n-1.25 b\n9999999999 c\n10000000000 d\n' | ink distinct --fields --by 1 --key 2
group        estimate  low  high
-1.5                1    1     1
-1.25               1    1     1
9999999999          1    1     1
10000000000         1    1     1
$ printf '%050d.x a\n.x b\nx c\n' 0 | ink distinct --fields --by 1 --key 2 --groups '*x'
group                                                 estimate  low  high
.x                                                           1    1     1
00000000000000000000000000000000000000000000000000.x         1    1     1
x                                                            1    1     1
