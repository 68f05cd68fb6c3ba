# Each key is looked up in every group, or with --by of its own.
$ printf '{"k":"ant","g":null}\n{"k":"bee","g":"north east"}\n{"k":"ant","g":"b"}\n{"k":"ant","g":"b"}\n' > d.jsonl; ink build count-min --by g --key k -o d.ink d.jsonl
$ printf 'ant\nbee\n' > k.txt; ink count d.ink k.txt
  estimate         low        high  group       key
         1           0           1  (null)      ant
         2           1           2  b           ant
         0           0           0  north east  ant
         0           0           0  (null)      bee
         0           0           0  b           bee
         1           0           1  north east  bee
$ ink count --groups 'b' d.ink k.txt
  estimate         low        high  group  key
         2           1           2  b      ant
         0           0           0  b      bee
$ ink count --groups 'x' d.ink k.txt
? 1
$ ink count --json -e ant d.ink
{"kind":"count-min","group":null,"key":"ant","estimate":1,"low":0,"high":1,"confidence":0.9932620530009145}
{"kind":"count-min","group":"b","key":"ant","estimate":2,"low":1,"high":2,"confidence":0.9932620530009145}
{"kind":"count-min","group":"north east","key":"ant","estimate":0,"low":0,"high":0,"confidence":0.9932620530009145}
$ ink count --tsv -e ant d.ink
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
count-min	\N		ant	1	0	1	0.9932620530009145			
count-min	b		ant	2	1	2	0.9932620530009145			
count-min	north east		ant	0	0	0	0.9932620530009145			
$ printf 'ant,b\nant,north east\nbee,north east\nant,nowhere\n' > k.csv; ink count --by 2 --key 1 d.ink k.csv
  estimate         low        high  group       key
         2           1           2  b           ant
         0           0           0  north east  ant
         1           0           1  north east  bee
         0           0           0  nowhere     ant
$ ink count --by 2 --key 1 --json d.ink k.csv
{"kind":"count-min","group":"b","key":"ant","estimate":2,"low":1,"high":2,"confidence":0.9932620530009145}
{"kind":"count-min","group":"north east","key":"ant","estimate":0,"low":0,"high":0,"confidence":0.9932620530009145}
{"kind":"count-min","group":"north east","key":"bee","estimate":1,"low":0,"high":1,"confidence":0.9932620530009145}
{"kind":"count-min","group":"nowhere","key":"ant","estimate":0,"low":0,"high":0,"confidence":1}
$ ink count --by g --key k --json d.ink d.jsonl
{"kind":"count-min","group":null,"key":"ant","estimate":1,"low":0,"high":1,"confidence":0.9932620530009145}
{"kind":"count-min","group":"north east","key":"bee","estimate":1,"low":0,"high":1,"confidence":0.9932620530009145}
{"kind":"count-min","group":"b","key":"ant","estimate":2,"low":1,"high":2,"confidence":0.9932620530009145}
{"kind":"count-min","group":"b","key":"ant","estimate":2,"low":1,"high":2,"confidence":0.9932620530009145}
$ printf '7.6,ant\n8.4,ant\n' > r.csv; ink build count-min --by 1 --round half-up --key 2 -o r.ink r.csv; ink count --by 1 --round half-up --key 2 r.ink r.csv
  estimate         low        high  group  key
         2           1           2  8      ant
         2           1           2  8      ant
$ ink build count-min -o plain.ink k.txt; ink count --by 2 --key 1 plain.ink k.csv
!2 ink: --by, but plain.ink has no groups; see ink help count
$ printf 'a x\nb y\nb y\nc z\n' > three.txt; ink build count-min --fields --by 1 --key 2 -o three.ink three.txt; ink count --groups '[ab]' -e y three.ink
  estimate         low        high  group  key
         0           0           0  a      y
         2           1           2  b      y
$ ink count --groups q -e y three.ink
? 1
$ ink count --fields --by 1 --key 2 --groups b three.ink three.txt
  estimate         low        high  group  key
         2           1           2  b      y
         2           1           2  b      y
$ ink count --fields --by 1 --key 2 --groups q three.ink three.txt
? 1
$ ink build count-min --fields --by 1 --key 2 -o none.ink < /dev/null; echo 'a x' | ink count --fields --by 1 --key 2 none.ink
? 1
