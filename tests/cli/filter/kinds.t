# One filter kind is queried; where there are two, --kind chooses, and where there is none, the exit code is 3.
$ seq 100 > w; ink build bloom,classic,hll -o two.ink w; ink build hll,count-min -o none.ink w; ink build counting,hll -o one.ink w
$ ink filter -c two.ink w
! ink: the file holds bloom and classic, expected a choice (--kind)
? 2
$ ink filter -c --kind classic two.ink w | head -1
functions      7
$ ink filter -c --kind counting two.ink w
! ink: two.ink: the file holds no counting, expected one
? 3
$ ink filter -c --kind hll two.ink w
! ink: the kind hll does not know membership, expected a filter
? 2
$ ink filter -c --kind clasic two.ink w
! ink: --kind clasic, did you mean classic; see ink help filter
? 2
$ ink filter none.ink w
! ink: none.ink: the file holds no filter, expected one
? 3
$ ink filter -c one.ink w | sed -n 4p
admitted     100
$ ink filter -e 5 - < one.ink; ink filter -c - w < one.ink | sed -n 4p
5
admitted     100
