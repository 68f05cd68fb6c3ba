# Kinds are named in full; a size that none of them has is an error.
$ ink build
!2 ink: build without a kind, expected one such as bloom; see ink help build
$ ink build -o x.ink
!2 ink: build without a kind, expected one such as bloom; see ink help build
$ ink build blom -o x.ink
!2 ink: no kind blom, did you mean bloom; see ink help build
$ ink build countmin -o x.ink
!2 ink: no kind countmin, did you mean count-min; see ink help build
$ ink build xyzzy -o x.ink
!2 ink: no kind xyzzy, expected bloom, classic, counting, scalable, count-min, top, fm, hll, theta, fuse; see ink help build
$ ink build bloom,bloom -o x.ink
!2 ink: kind bloom is given twice; see ink help build
$ ink build bloom, -o x.ink
!2 ink: no kind "", expected bloom, classic, counting, scalable, count-min, top, fm, hll, theta, fuse; see ink help build
$ ink build bloom --precision 12 -o x.ink
!2 ink: --precision is not for bloom; see ink help build
$ ink build hll -n 100 -o x.ink
!2 ink: --keys is not for hll; see ink help build
$ ink build hll -p 0.01 -o x.ink
!2 ink: --rate is not for hll; see ink help build
$ ink build hll,fm --rate 0.01 -o x.ink
!2 ink: --rate is for none of hll,fm; see ink help build
$ ink build bloom --hashes 7 -o x.ink
!2 ink: --hashes is not for bloom; see ink help build
$ ink build bloom --conservative -o x.ink
!2 ink: --conservative is not for bloom; see ink help build
$ ink build bloom,hll --eps 0.1 -o x.ink
!2 ink: --eps is for none of bloom,hll; see ink help build
$ ink build top --width 10 -o x.ink
!2 ink: --width is not for top; see ink help build
$ ink build hll --headroom 4x -o x.ink
!2 ink: --headroom is not for hll; see ink help build
$ ink build bloom,hll -k 5 -o x.ink
!2 ink: --top is for none of bloom,hll; see ink help build
$ seq 9 > words.txt; ink build bloom hll -o q words.txt
!2 ink: bloom hll: kinds are joined by commas, as bloom,hll; see ink help build
$ ink build bloom,fm hll -o q words.txt
!2 ink: bloom,fm hll: kinds are joined by commas, as bloom,fm,hll; see ink help build
$ cp words.txt hll; ink build bloom hll -o q words.txt; ink info --json q | grep -o '"records":[0-9]*'
"records":18
$ ink build hyperloglog -o x.ink
!2 ink: no kind hyperloglog, did you mean hll; see ink help build
$ ink build bloom,cms -o x.ink
!2 ink: no kind cms, did you mean count-min; see ink help build
$ ink build count_min -o x.ink
!2 ink: no kind count_min, did you mean count-min; see ink help build
$ ink build bloomfilter -o x.ink
!2 ink: no kind bloomfilter, did you mean bloom; see ink help build
$ ink build spacesaving -o x.ink
!2 ink: no kind spacesaving, did you mean top; see ink help build
$ ink build hitters -o x.ink
!2 ink: no kind hitters, did you mean top; see ink help build
$ ink build cuckoo -o x.ink
!2 ink: no kind cuckoo, did you mean counting; see ink help build
$ ink distinct --kind hyperloglog words.txt
!2 ink: --kind hyperloglog, did you mean hll; see ink help distinct
