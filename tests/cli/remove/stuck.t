# A key that was added more often than its counters can count stays in for good, and remove says so.
$ yes often | head -n 20 > keys; echo once >> keys; ink build counting -n 100 -o c.ink keys
$ ink remove c.ink keys
! ink: c.ink: 20 of 21 keys stay in for good: their counters are full, as after 15 additions
$ ink remove -q -e often c.ink
$ ink filter -e often -e once c.ink
often
