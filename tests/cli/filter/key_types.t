# Text for integer sketches is read as integers.
$ seq 5 | ink build bloom --key-type int -p 0.00001 -o int.ink
$ printf '3\n+4\n05\n9\n' | ink filter int.ink
3
+4
05
$ printf '3\nx\n' | ink filter int.ink
!3 ink: standard input: line 2: "x", expected an integer key; --bad skip skips such records
$ printf '3\nx\n' | ink filter --bad skip int.ink
3
! ink: 1 of 2 records could not be read and were skipped
$ printf '3\n' | ink filter --key-type bytes int.ink
!3 ink: int.ink: the file holds keys that are integers, expected bytes (--key-type)
$ ink filter -e 3 -e x int.ink
!3 ink: the keys of -e: key 2: "x", expected an integer key
