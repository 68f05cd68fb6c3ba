# More than two files: every pair, or a table of all with all.
$ seq 1 1000 > a.txt; seq 501 1500 > b.txt; seq 2000 2009 > c.txt; ink overlap --kind hll a.txt b.txt c.txt
a      b      in_a  in_b  union  intersection  low  high  only_a  only_b  jaccard    low     high
a.txt  b.txt  1000   988   1480           509  492   527     492     479    0.344  0.330    0.358
a.txt  c.txt  1000    10   1010             0    0     4    1000      10        0      0  0.00390
b.txt  c.txt   988    10    999             0    0     4     988      10        0      0  0.00394
$ ink overlap --kind hll --matrix a.txt b.txt c.txt
file   a.txt  b.txt  c.txt
a.txt   1.00  0.344      0
b.txt  0.344   1.00      0
c.txt      0      0   1.00
$ ink overlap --kind hll --matrix=intersection --tsv a.txt b.txt c.txt
group	file	a.txt	b.txt	c.txt
	a.txt	1000	509	0
	b.txt	509	988	0
	c.txt	0	0	10
$ ink overlap --kind hll --matrix --json a.txt b.txt c.txt | cut -d, -f2-3
"a":"a.txt","b":"b.txt"
"a":"a.txt","b":"c.txt"
"a":"b.txt","b":"c.txt"
$ for f in a b c; do awk '{print $1 % 2, $1}' $f.txt > g$f.txt; ink build hll --fields --by 1 --key 2 -o $f.ink g$f.txt; done; ink overlap --kind hll --matrix a.ink b.ink c.ink
group  file   a.ink  b.ink  c.ink
0      a.ink   1.00  0.340      0
0      b.ink  0.340   1.00      0
0      c.ink      0      0   1.00
1      a.ink   1.00  0.338      0
1      b.ink  0.338   1.00      0
1      c.ink      0      0   1.00
$ for t in 1 2 8 64; do ink overlap --kind hll --threads $t --tsv a.ink b.ink c.ink a.ink | cksum; done | uniq | wc -l
1
$ ink overlap --kind hll --matrix=nothing a.ink b.ink
!2 ink: --matrix nothing, expected jaccard or intersection; see ink help overlap
$ printf '1\n' > "$(printf 'e\033[31mr\tr')"; cp a.txt "$(printf 'gr\303\266')"; ink overlap --kind hll --matrix e* gr* c.txt
file             e\x1b[31mr\x09r       grö  c.txt
e\x1b[31mr\x09r             1.00  0.000999      0
grö                     0.000999      1.00      0
c.txt                          0         0   1.00
$ ink overlap --kind hll --matrix --tsv e* gr* c.txt | cat -v
group	file	e^[[31mr\tr	grM-CM-6	c.txt
	e^[[31mr\tr	1	0.0009990269499674798	0
	grM-CM-6	0.0009990269499674798	1	0
	c.txt	0	0	1
