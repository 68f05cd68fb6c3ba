# Time slots of a group are merged; --last takes the newest.
$ ink count --json -e a -e key-7 $GOLDEN/window.ink; ink count --json --last 1 -e a $GOLDEN/window.ink
{"kind":"count-min","key":"a","estimate":5,"low":0,"high":5,"confidence":0.8646647167633873}
{"kind":"count-min","key":"key-7","estimate":1,"low":0,"high":1,"confidence":0.8646647167633873}
{"kind":"top","key":"a","estimate":0,"low":0,"high":0,"confidence":1}
? 1
$ ink count --json --kind top --last 2 -e a $GOLDEN/window.ink
{"kind":"top","key":"a","estimate":5,"low":5,"high":5,"confidence":1}
