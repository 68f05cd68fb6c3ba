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
$ seq 9 > words.txt; ink build bloom hll -o q words.txt
! ink: bloom hll: kinds are joined by commas, as bloom,hll; see ink help build
? 2
$ ink build bloom,fm hll -o q words.txt
! ink: bloom,fm hll: kinds are joined by commas, as bloom,fm,hll; see ink help build
? 2
$ cp words.txt hll; ink build bloom hll -o q words.txt; ink info --json q | grep -o '"records":[0-9]*'
"records":18
$ ink build hyperloglog -o x.ink
! ink: no kind hyperloglog, did you mean hll; see ink help build
? 2
$ ink build bloom,cms -o x.ink
! ink: no kind cms, did you mean count-min; see ink help build
? 2
$ ink build count_min -o x.ink
! ink: no kind count_min, did you mean count-min; see ink help build
? 2
$ ink build bloomfilter -o x.ink
! ink: no kind bloomfilter, did you mean bloom; see ink help build
? 2
$ ink build spacesaving -o x.ink
! ink: no kind spacesaving, did you mean top; see ink help build
? 2
$ ink build hitters -o x.ink
! ink: no kind hitters, did you mean top; see ink help build
? 2
$ ink build cuckoo -o x.ink
! ink: no kind cuckoo, did you mean counting; see ink help build
? 2
$ ink distinct --kind hyperloglog words.txt
! ink: --kind hyperloglog, did you mean hll; see ink help distinct
? 2
