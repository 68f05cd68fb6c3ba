# A key is queried as the state has it: an integer, or the columns of a tuple with tabs between them.
$ printf '5\n-7\n5\n' > n.txt; printf '5\n+5\n6\nfive\n\nTOP\n18446744073709551609\n' | ink stream -q --train n.txt --key-type int --sketch top --state n --ask -
5	2	2	2
5	2	2	2
6	0	0	0
ERR key five, expected an integer of 64 bits
ERR key "", expected an integer of 64 bits
TOP	5	2	2	2	-7	1	1	1
-7	1	1	1
$ printf 'a,1\nb,2\na,1\n' > t.csv; printf 'a\t1\na\t2\na,1\nCOUNT a\t1\nTOP 1\n' | ink stream -q --train t.csv --key 1,2 --sketch top --state t --ask -
a,1	2	2	2
a,2	0	0	0
ERR a key of 1 field, expected 2, with tabs between them
a,1	2	2	2
TOP	a,1	2	2	2
$ printf 'a\t1\nTOP 1\n' | ink stream -q --train t.csv --key 1,2 --sketch top --state t --ask - --json
{"kind":"top","key":["a","1"],"estimate":2,"low":2,"high":2,"confidence":1}
{"question":"TOP 1","answers":[{"kind":"top","key":["a","1"],"estimate":2,"low":2,"high":2,"confidence":1,"share":0.6666666666666666}]}
$ printf '{"user":{"id":"x"},"n":3}\n' > e.jsonl; printf 'x\ny\n' | ink stream -q --train e.jsonl --key user.id --weight n --sketch count-min --state e --ask -
x	3	2	3
y	0	0	0
$ printf 'host\tsize\nh1\t10\n' > h.tsv; echo h1 | ink stream -q --train h.tsv --header --key host --weight size --sketch count-min --state h --ask -
h1	10	9	10
$ printf 'h2\t5\n' >> h.tsv; printf 'h1\nh2\nhost\n' | ink stream -q --train h.tsv --header --key host --weight size --sketch count-min --state h --ask -
h1	10	9	10
h2	5	4	5
host	0	0	0
