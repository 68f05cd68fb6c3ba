# Truth that cannot be read is an error; a keyed file needs its secret.
$ seq 100 > w; ink build bloom -o w.ink w; ink verify w.ink --truth none
!4 ink: none: cannot open: No such file or directory
$ ink verify w --truth w
!3 ink: w: byte 0: not an .ink file, but text
$ printf '000102030405060708090a0b0c0d0e0f\n' > s; ink build bloom --secret s -o k.ink w; ink verify k.ink --truth w
!3 ink: k.ink: a keyed file, expected its secret (--secret)
$ ink verify k.ink --truth w --secret s
kind   tested  false pos.  measured  95% low  95% high  target  promised  current
bloom  646117        2967   0.00459  0.00443   0.00476  0.0100    0.0100  0.00449

kept: all 100 members found, 2967 false positives in 646117 tests, 6461 promised, broken above 6845; non-members are random keys
$ printf '1\nx\n' > bad; ink build bloom --key-type int -o i.ink w; ink verify i.ink --truth bad; ink verify i.ink --truth bad --bad skip
kind   tested  false pos.  measured  95% low  95% high  target  promised  current
bloom  646117        3078   0.00476  0.00460   0.00493  0.0100    0.0100  0.00480

kept: all 1 members found, 3078 false positives in 646117 tests, 6461 promised, broken above 6845; non-members are random keys
! ink: bad: line 2: "x", expected an integer key; --bad skip skips such records
! ink: 1 of 2 records could not be read and were skipped
