# Time slots of a group are merged; --last takes the newest.
$ ink distinct --json --kind fm $GOLDEN/window.ink; ink distinct --json --kind fm --last 1 $GOLDEN/window.ink
{"kind":"fm","estimate":1,"low":1,"high":1,"confidence":0.95}
{"kind":"fm","estimate":0,"low":0,"high":0,"confidence":0.95}
$ ink distinct --json --kind fm --last 9 $GOLDEN/window.ink
{"kind":"fm","estimate":1,"low":1,"high":1,"confidence":0.95}
$ ink distinct --last 0 $GOLDEN/window.ink
!2 ink: --last 0, expected a whole number from 1 to 4294967295; see ink help distinct
$ printf 'a\n' > d; ink distinct --last 1 d
!2 ink: --last is for sketches with time slots, but d is data; see ink help distinct
$ ink build hll -o d.ink d; ink distinct --last 1 d.ink
1
$ printf '0,ant\n35,bee\n95,cat\n' > t.csv; ink stream -q --train t.csv --key 2 --time 1 --window 2m --slots 4 --sketch hll --state w   # none from 60 on
$ ink distinct --last 1 w/state.ink; ink distinct --last 2 w/state.ink; ink distinct --last 3 w/state.ink
1
2
3
$ printf '1969-12-31T23:59:58.5Z,ant\n1969-12-31T23:59:59.25Z,bee\n1970-01-01T00:00:00.75Z,cat\n' > before.csv   # fractions on both sides of 1970
$ ink stream -q --train before.csv --key 2 --time 1 --window 8s --slots 32 --sketch hll --state b; ink info b/state.ink | cut -c 1-34
b/state.ink: 3 sketches of bytes k
read as: csv, key 2, time 1

kind  slot                        
hll   1969-12-31T23:59:58.500000Z 
hll   1969-12-31T23:59:59.250000Z 
hll   1970-01-01T00:00:00.750000Z 
$ printf '1.05,a\n' > short.csv; ink stream -q --train short.csv --key 2 --time 1 --window 1s --slots 20 --sketch hll --state short; ink info short/state.ink | tail -n 1
hll   1970-01-01T00:00:01.050000Z   3 B        1         14  0.00812         1
