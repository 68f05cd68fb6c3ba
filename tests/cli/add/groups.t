# Each record goes to its own group; a new one is made if its size does not depend on keys.
$ printf 'shop,item\nn,tea\ns,tea\ns,ham\n' > sales.csv; printf 'shop,item\ns,jam\ne,jam\n' > more.csv
$ ink build hll --header --key item --by shop -o sales.ink sales.csv && ink add sales.ink more.csv; ink info --tsv sales.ink | cut -f2,12,26
group	records	ok
e	1	
n	1	
s	3	
$ ink build bloom,hll -n 100 --header --key item --by shop -o both.ink sales.csv; ink add both.ink more.csv
!3 ink: more.csv: line 3: group e: it has no bloom yet, whose size depends on its keys, expected a file of the new groups, to be merged with this one
$ ink info --tsv both.ink | cut -f1,2,12
kind	group	records
bloom	n	1
bloom	s	2
hll	n	1
hll	s	2
$ ink build bloom,hll -n 100 --header --key item --by shop -o new.ink more.csv && ink merge --force -o both.ink both.ink new.ink && ink info --tsv both.ink | cut -f1,2,12
kind	group	records
bloom	e	1
bloom	n	1
bloom	s	3
hll	e	1
hll	n	1
hll	s	3
$ printf 'fig:w\n' | ink add --in lines -d : --key 1 --by 2 sales.ink && ink info --tsv sales.ink | cut -f2,12
group	records
e	1
n	1
s	3
w	1
$ ink build hll -o plain.ink sales.csv; ink add --by 1 plain.ink more.csv
!2 ink: plain.ink: a column that names the group for a file without groups, expected none (--by)
$ ink add -e jam sales.ink
!2 ink: -e, but sales.ink has groups, expected data that names them; see ink help add
$ ink build count-min --eps 1e-6 --header --key item --by shop -o large.ink sales.csv && ink add --memory 1M large.ink more.csv
!5 ink: large.ink: new groups, and what others have grown by, take more than 1048576 bytes, expected fewer or smaller ones, or more memory (--memory)
