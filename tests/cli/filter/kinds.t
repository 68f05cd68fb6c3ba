# One filter kind is queried; where there are two, --kind chooses, and where there is none, the exit code is 3.
$ seq 100 > w; ink build -q bloom,classic,hll -o two.ink w; ink build hll,count-min -o none.ink w; ink build counting,hll -o one.ink w
$ ink filter -c two.ink w
!2 ink: the file holds bloom and classic, expected a choice (--kind)
$ ink filter -c --kind classic two.ink w | head -1
functions        7
$ ink filter -c --kind counting two.ink w
!3 ink: two.ink: the file holds no counting, expected one
$ ink filter -c --kind hll two.ink w
!2 ink: the kind hll does not know membership, expected a filter
$ ink filter -c --kind clasic two.ink w
!2 ink: --kind clasic, did you mean classic; see ink help filter
$ ink filter none.ink w
!3 ink: none.ink: the file holds no filter, expected one
$ ink filter -c one.ink w | sed -n 5p
admitted       100
$ ink filter -e 5 - < one.ink; ink filter -c - w < one.ink | sed -n 5p
5
admitted       100
