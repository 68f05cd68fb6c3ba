# If keys that are not kept may have more than some that are listed, that is said.
$ seq 5000 > d.txt; printf '7\n7\n7\n7\n7\n7\n7\n7\n7\n' >> d.txt; ink build top -o d.ink d.txt; ink info --json d.ink
{"kind":"top","bytes":32577,"records":5009,"total":5009,"capacity":1024,"phi":0.0009765625,"digest":"ad9fed0d8a16858f6775b1e4e12a56ca"}
$ ink top -k 1 d.ink
estimate  low  high    share  key
       9    9    11  0.00180  7
$ ink top -k 2 d.ink
estimate  low  high     share  key
       9    9    11   0.00180  7
       1    1     3  0.000200  4097
! ink: d.ink: a key that is not listed may have up to 2, more than some that are; use sketches built with a larger -k
$ ink top -k 100000 d.ink | wc -l
906
! ink: d.ink: a key that is not listed may have up to 2, more than some that are; use sketches built with a larger -k
$ ink top -k 1 d.txt
estimate  low  high    share  key
       9    9    11  0.00180  7
$ ink top -k 3 d.txt
estimate  low  high     share  key
       9    9    11   0.00180  7
       1    1     3  0.000200  4097
       1    1     3  0.000200  4098
! ink: d.txt: a key that is not listed may have up to 2, more than some that are; use a larger -k
$ ink top -k 500 d.txt | wc -l
501
$ ink top -k 40000 d.txt | wc -l
5001
$ seq 10000 | awk '{print $1 % 2, $1} END {print "x few"}' > g.txt; ink build top --fields --by 1 --key 2 -o g.ink g.txt; ink top -k 1 g.ink
estimate  low  high     share  group  key
       1    1     3  0.000200  0      10000
       1    1     3  0.000200  1      8193
       1    1     1      1.00  x      few
! ink: g.ink: in 2 of 3 groups a key that is not listed may have up to 2, more than some that are; use sketches built with a larger -k
$ ink top -k 1 g.ink g.ink
estimate  low  high     share  group  key
       2    2     6  0.000200  0      10000
       2    2     6  0.000200  1      8193
       2    2     2      1.00  x      few
! ink: in 2 of 3 groups a key that is not listed may have up to 4, more than some that are; use sketches built with a larger -k
$ awk 'BEGIN {for (i = 0; i < 20000; i++) print "a", i; for (i = 0; i < 6000; i++) print "b", i}' > two.txt; ink build top --fields --by 1 --key 2 -o two.ink two.txt; ink top -k 1 two.ink
estimate  low  high     share  group  key
       1    1    10  5.00e-05  a      18432
       1    1     3  0.000167  b      4096
! ink: two.ink: in 2 of 2 groups a key that is not listed may have up to 9, more than some that are; use sketches built with a larger -k
$ printf 'b\ne\nd\ng\na\nd\na\ng\nc\na\n' | ink build top --phi 0.5 -o just.ink; ink top -k 3 just.ink
estimate  low  high  share  key
       3    3     4  0.300  a
       1    1     2  0.100  c
       1    1     2  0.100  d
