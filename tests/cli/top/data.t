# The most frequent keys of data, with certain bounds and their share of all records.
$ printf 'ant\nbee\nant\ncat\nbee\nant\nnew york\n' > a.txt; printf 'cat\ncat\ndog\n' > b.txt
$ ink top a.txt
estimate  low  high  share  key
       3    3     3  0.429  ant
       2    2     2  0.286  bee
       1    1     1  0.143  cat
       1    1     1  0.143  new york
$ ink top -k 2 a.txt
estimate  low  high  share  key
       3    3     3  0.429  ant
       2    2     2  0.286  bee
$ cat a.txt | ink top -k 1
estimate  low  high  share  key
       3    3     3  0.429  ant
$ ink top -k 2 a.txt b.txt
estimate  low  high  share  key
       3    3     3  0.300  ant
       3    3     3  0.300  cat
$ ink top --json -k 2 a.txt
{"kind":"top","key":"ant","estimate":3,"low":3,"high":3,"confidence":1,"share":0.42857142857142855}
{"kind":"top","key":"bee","estimate":2,"low":2,"high":2,"confidence":1,"share":0.2857142857142857}
$ ink top --tsv -k 2 a.txt
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
top			ant	3	3	3	1		0.42857142857142855	
top			bee	2	2	2	1		0.2857142857142857	
$ : | ink top; : | ink top --json
? 1
$ printf 'a 3\nb 1\na 4\nc 0\n' | ink top --fields --key 1 --weight 2
estimate  low  high  share  key
       7    7     7  0.875  a
       1    1     1  0.125  b
$ printf '7\n07\n-3\n+7\n' | ink top --key-type int
estimate  low  high  share  key
       3    3     3  0.750  7
       1    1     1  0.250  -3
$ printf '7\n-3\n' | ink top --key-type int --json
{"kind":"top","key":"-3","estimate":1,"low":1,"high":1,"confidence":1,"share":0.5}
{"kind":"top","key":"7","estimate":1,"low":1,"high":1,"confidence":1,"share":0.5}
$ printf 'a,1\n"b,c",1\na,1\n,2\n' > d.csv; ink top --key 1,2 d.csv
estimate  low  high  share  key
       2    2     2  0.500  a,1
       1    1     1  0.250  ,2
       1    1     1  0.250  "b,c",1
$ ink top --key 1,2 --json d.csv
{"kind":"top","key":["a","1"],"estimate":2,"low":2,"high":2,"confidence":1,"share":0.5}
{"kind":"top","key":["","2"],"estimate":1,"low":1,"high":1,"confidence":1,"share":0.25}
{"kind":"top","key":["b,c","1"],"estimate":1,"low":1,"high":1,"confidence":1,"share":0.25}
$ ink top --key 1,2 --tsv d.csv
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
top			a,1	2	2	2	1		0.5	
top			,2	1	1	1	1		0.25	
top			"b,c",1	1	1	1	1		0.25	
$ printf 'a\tb\n\n\377\n"x"\n' > odd.txt; ink top odd.txt
estimate  low  high  share  key
       1    1     1  0.250  ""
       1    1     1  0.250  "x"
       1    1     1  0.250  a\x09b
       1    1     1  0.250  \xff
$ ink top --json odd.txt
{"kind":"top","key":"","estimate":1,"low":1,"high":1,"confidence":1,"share":0.25}
{"kind":"top","key":"\"x\"","estimate":1,"low":1,"high":1,"confidence":1,"share":0.25}
{"kind":"top","key":"a\u0009b","estimate":1,"low":1,"high":1,"confidence":1,"share":0.25}
{"kind":"top","key_hex":"ff","estimate":1,"low":1,"high":1,"confidence":1,"share":0.25}
$ ink top --tsv odd.txt | cut -f 4,5
key	estimate
\\E	1
"x"	1
a\tb	1
\\xff	1
$ printf '\001\000\000\000\000\000\000\000' | ink top --in u64
estimate  low  high  share  key
       1    1     1   1.00  1
