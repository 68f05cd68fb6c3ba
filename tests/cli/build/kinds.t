# Kinds are named in full; a size that none of them has is an error.
$ ink build
! ink: build without a kind, expected one such as bloom; see ink help build
? 2
$ ink build -o x.ink
! ink: build without a kind, expected one such as bloom; see ink help build
? 2
$ ink build blom -o x.ink
! ink: no kind blom, did you mean bloom; see ink help build
? 2
$ ink build countmin -o x.ink
! ink: no kind countmin, did you mean count-min; see ink help build
? 2
$ ink build xyzzy -o x.ink
! ink: no kind xyzzy, expected bloom, classic, counting, scalable, count-min, top, fm, hll; see ink help build
? 2
$ ink build bloom,bloom -o x.ink
! ink: kind bloom is given twice; see ink help build
? 2
$ ink build bloom, -o x.ink
! ink: no kind "", expected bloom, classic, counting, scalable, count-min, top, fm, hll; see ink help build
? 2
$ ink build bloom --precision 12 -o x.ink
! ink: --precision is not for bloom; see ink help build
? 2
$ ink build hll -n 100 -o x.ink
! ink: --keys is not for hll; see ink help build
? 2
$ ink build hll -p 0.01 -o x.ink
! ink: --rate is not for hll; see ink help build
? 2
$ ink build hll,fm --rate 0.01 -o x.ink
! ink: --rate is for none of hll,fm; see ink help build
? 2
$ ink build bloom --hashes 7 -o x.ink
! ink: --hashes is not for bloom; see ink help build
? 2
$ ink build bloom --conservative -o x.ink
! ink: --conservative is not for bloom; see ink help build
? 2
$ ink build bloom,hll --eps 0.1 -o x.ink
! ink: --eps is for none of bloom,hll; see ink help build
? 2
$ ink build top --width 10 -o x.ink
! ink: --width is not for top; see ink help build
? 2
$ ink build hll --headroom 4x -o x.ink
! ink: --headroom is not for hll; see ink help build
? 2
$ ink build bloom,hll -k 5 -o x.ink
! ink: --top is for none of bloom,hll; see ink help build
? 2
