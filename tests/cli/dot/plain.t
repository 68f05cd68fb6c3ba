# The sum over all keys of the products of their counts: the rows of a join.
$ printf 'ant\nbee\nant\ncat\n' > a.txt; printf 'ant\ncat\ncat\ndog\n' > b.txt
$ ink build count-min -o a.ink a.txt && ink build count-min -o b.ink b.txt && ink dot a.ink b.ink
4
$ ink dot b.ink a.ink; ink dot a.ink a.ink
4
6
$ ink dot --json a.ink b.ink
{"kind":"count-min","estimate":4,"low":3,"high":4,"confidence":0.9932620530009145}
$ ink dot --tsv a.ink b.ink
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
count-min				4	3	4	0.9932620530009145			
$ ink dot - b.ink < a.ink; ink dot a.ink - < b.ink
4
4
$ printf 'x\n' > x.txt; ink build count-min -o x.ink x.txt; ink dot a.ink x.ink
0
$ ink build count-min,hll -o two.ink a.txt; ink dot two.ink b.ink
4
$ printf 'k 12345678901234567890\n' > w.txt; ink build count-min --fields --key 1 --weight 2 --counters 64 --width 4 --depth 2 -o w.ink w.txt; ink dot w.ink w.ink
152415787532388363579378262265917603840
$ ink dot --json w.ink w.ink
{"kind":"count-min","estimate":152415787532388363579378262265917603840,"low":48838521127496868805602805139019661312,"high":152415787532388363579378262265917603840,"confidence":0.8646647167633873}
$ ink build count-min --fields --key 1 --weight 2 -o full.ink w.txt; ink dot full.ink full.ink
18446744065119617024
! ink: the sketch is full: the true value may lie far above; use sketches built with --counters 64
$ ink dot --json full.ink full.ink
{"kind":"count-min","estimate":18446744065119617024,"low":0,"high":152415787532388439137241988180241022976,"confidence":0.9932620530009145,"saturated":true}
$ printf 'a,6000000000\n' > w.csv; ink dot --key 1 --weight 2 w.csv w.csv; ink dot --counters 64 --key 1 --weight 2 w.csv w.csv; printf 'a,18446744073709551615\nb,1\n' > most.csv; ink count --counters 64 --key 1 --weight 2 -e a -e b most.csv
18446744065119617024
36000000000000000000
            estimate                   low                  high  key
18446744073709551616                     0                        a
                   1                     0                     1  b
! ink: the sketch is full: the true value may lie far above; use --counters 64
! ink: the sketch is full in 1 of 2 answers: the true value may lie far above
