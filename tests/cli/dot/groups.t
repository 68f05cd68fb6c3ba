# One answer for each group that both have; the others are counted.
$ printf '1 ant\n1 ant\n2 bee\n10 cat\n' > a.txt; printf '1 ant\n10 cat\n10 cat\n3 dog\n4 dog\n' > b.txt
$ for f in a b; do ink build count-min --fields --by 1 --key 2 -o $f.ink $f.txt; done; ink dot a.ink b.ink
group  estimate  low  high
1             2    1     2
10            2    1     2
! ink: 1 group is only in a.ink, 2 only in b.ink
$ ink dot a.ink a.ink
group  estimate  low  high
1             4    3     4
2             1    0     1
10            1    0     1
$ ink dot --json a.ink b.ink
{"kind":"count-min","group":"1","estimate":2,"low":1,"high":2,"confidence":0.9932620530009145}
{"kind":"count-min","group":"10","estimate":2,"low":1,"high":2,"confidence":0.9932620530009145}
! ink: 1 group is only in a.ink, 2 only in b.ink
$ ink dot --groups '1*' a.ink b.ink
group  estimate  low  high
1             2    1     2
10            2    1     2
$ ink dot --groups '2' a.ink b.ink
!1 ink: 1 group is only in a.ink, 0 only in b.ink
$ ink build count-min -o p.ink a.txt; ink dot p.ink a.ink
!1 ink: a.ink has groups, but p.ink has none
$ printf '{"k":"ant","g":null}\n' > n.jsonl; ink build count-min --by g --key k -o n.ink n.jsonl; ink dot n.ink n.ink; ink dot --json n.ink n.ink
group   estimate  low  high
(null)         1    0     1
{"kind":"count-min","group":null,"estimate":1,"low":0,"high":1,"confidence":0.9932620530009145}
$ ink dot --json --last 1 $GOLDEN/window.ink $GOLDEN/window.ink; ink dot --json $GOLDEN/window.ink $GOLDEN/window.ink
{"kind":"count-min","estimate":0,"low":0,"high":0,"confidence":0.8646647167633873}
{"kind":"count-min","estimate":44,"low":0,"high":44,"confidence":0.8646647167633873}
$ seq 9 | ink build count-min -o plain.ink; ink dot --groups '1*' plain.ink plain.ink
!2 ink: --groups, but plain.ink has no groups; see ink help dot
$ ink dot --groups '[13]*' a.ink b.ink
group  estimate  low  high
1             2    1     2
10            2    1     2
! ink: 0 groups are only in a.ink, 1 only in b.ink
