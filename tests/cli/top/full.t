# Where a count has stopped nothing is known above it, and no bound is given.
$ printf 'ant 18446744073709551615\nbee 5\n' > a.txt; ink top --fields --key 1 --weight 2 a.txt
            estimate                   low  high     share  key
18446744073709549568  18446744073709549568            1.00  ant
                   5                     5     5  2.71e-19  bee
! ink: the sketch is full in 1 of 2 answers: the true value may lie far above
$ ink top --fields --key 1 --weight 2 --json a.txt
{"kind":"top","key":"ant","estimate":18446744073709549568,"low":18446744073709549568,"confidence":1,"saturated":true,"share":0.9999999999999999}
{"kind":"top","key":"bee","estimate":5,"low":5,"high":5,"confidence":1,"share":2.710505431213761e-19}
$ ink top --fields --key 1 --weight 2 --tsv a.txt
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
top			ant	18446744073709549568	18446744073709549568		1	true	0.9999999999999999	
top			bee	5	5	5	1		2.710505431213761e-19	
$ ink build top --fields --key 1 --weight 2 -o a.ink a.txt; ink count --json -e ant -e bee a.ink
{"kind":"top","key":"ant","estimate":18446744073709549568,"low":18446744073709549568,"confidence":1,"saturated":true}
{"kind":"top","key":"bee","estimate":5,"low":5,"high":5,"confidence":1}
$ ink count -e ant -e bee a.ink
            estimate                   low                  high  key
18446744073709549568  18446744073709549568                        ant
                   5                     5                     5  bee
! ink: the sketch is full in 1 of 2 answers: the true value may lie far above
$ printf 'a\nb\nc\na\n' | ink build top --phi 0.5 -o two.ink; ink top -k 10 two.ink
estimate  low  high  share  key
       2    2     2  0.500  a
       1    1     1  0.250  b
       1    1     1  0.250  c
