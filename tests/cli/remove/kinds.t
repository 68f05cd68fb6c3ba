# Only counting filters can take keys out again.
$ seq 100 > words.txt; for kind in bloom classic scalable count-min top fm hll; do ink build -q $kind -o $kind.ink words.txt; ink remove $kind.ink words.txt; done; ink build counting,hll -o both.ink words.txt; ink remove both.ink words.txt
! ink: bloom.ink: the file holds bloom, which cannot take keys out again, expected counting
! ink: classic.ink: the file holds classic, which cannot take keys out again, expected counting
! ink: scalable.ink: the file holds scalable, which cannot take keys out again, expected counting
! ink: count-min.ink: the file holds count-min, which cannot take keys out again, expected counting
! ink: top.ink: the file holds top, which cannot take keys out again, expected counting
! ink: fm.ink: the file holds fm, which cannot take keys out again, expected counting
! ink: hll.ink: the file holds hll, which cannot take keys out again, expected counting
!3 ink: both.ink: the file holds hll, which cannot take keys out again, expected counting
$ ink remove none.ink words.txt; ink remove words.txt words.txt
! ink: none.ink: cannot open: No such file or directory
!3 ink: words.txt: byte 0: not an .ink file, but text
$ ink help remove | sed -n '/^Removes/,/^$/p'
Removes keys from counting filters, each once, or as often as its weight says.
If one key is not in its filter, nothing is removed. Remove only keys that were
added: another key may be a false positive, and removing it damages others. A
key that was added 15 times or more cannot be removed, because its counters are
full.

