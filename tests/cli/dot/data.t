# Of two files of data a count-min each is made and multiplied: the rows of a join, without building anything before.
$ printf 'ant\nbee\nant\ncat\n' > a.txt; printf 'ant\ncat\ncat\ndog\n' > b.txt; ink dot a.txt b.txt
4
$ ink build count-min -o a.ink a.txt && ink build count-min -o b.ink b.txt && ink dot --json a.ink b.ink; ink dot --json a.txt b.txt
{"kind":"count-min","estimate":4,"low":3,"high":4,"confidence":0.9932620530009145}
{"kind":"count-min","estimate":4,"low":3,"high":4,"confidence":0.9932620530009145}
$ cat b.txt | ink dot a.txt -; gzip -k b.txt; ink dot a.txt b.txt.gz; ink dot a.txt /dev/null
4
4
0
$ printf 'shop,item,n\nx,ant,2\nx,bee,3\ny,ant,5\n' > a.csv; printf 'shop,item,n\nx,ant,7\nz,ant,1\n' > b.csv
$ ink dot --header --key item --weight n a.csv b.csv
56
$ ink dot --header --key item --weight n --by shop a.csv b.csv
group  estimate  low  high
x            14   13    14
! ink: 1 group is only in a.csv, 1 only in b.csv
$ ink dot --header --key item --by shop --groups y a.csv b.csv
!1 ink: 1 group is only in a.csv, 0 only in b.csv
$ ink dot --header --key item --by shop --groups '[xy]' --tsv a.csv b.csv
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
count-min	x			1	0	1	0.9932620530009145			
! ink: 1 group is only in a.csv, 0 only in b.csv
$ ink dot --width 4 --depth 2 --json a.txt b.txt
{"kind":"count-min","estimate":8,"low":0,"high":8,"confidence":0.8646647167633873}
$ ink dot --eps 0.1 --delta 0.1 --json a.txt b.txt
{"kind":"count-min","estimate":4,"low":2,"high":4,"confidence":0.950212931632136}
$ printf 'k 12345678901234567890\n' > w.txt; ink dot --fields --key 1 --weight 2 w.txt w.txt
18446744065119617024
! ink: the sketch is full: the true value may lie far above; use --counters 64
$ ink dot --counters 64 --fields --key 1 --weight 2 w.txt w.txt
152415787532388363579378262265917603840
$ printf '0123456789abcdef' > s; ink dot --secret s a.txt b.txt; ink dot --hash xxh64 --seed 3 a.txt b.txt
4
4
$ ink dot a.txt b.ink
!2 ink: b.ink: a file of sketches after one of records, expected one or the other
$ ink dot b.ink a.txt
!2 ink: a.txt: records after a file of sketches, expected one or the other
$ ink dot --eps 0.1 a.ink b.ink
!2 ink: --eps is for data, but a.ink is a file of sketches; see ink help dot
$ ink dot --last 2 a.txt b.txt
!2 ink: --last is for sketches with time slots, but a.txt is data; see ink help dot
$ ink dot --groups x a.txt b.txt
!2 ink: --groups, but data has no groups without --by; see ink help dot
$ ink dot a.txt none.txt
!4 ink: none.txt: cannot open: No such file or directory
$ ink dot - - < a.txt
!2 ink: standard input is read twice, for operand 1 and for operand 2, expected a FILE for one of them; see ink help dot
$ ink dot --width 4 a.txt b.txt
!2 ink: --width without --depth: give both for count-min, or neither
