# Numbers are keys as they are written, unless they are read as integers.
$ printf '1\n01\n1.0\n+1\n 1\n1e0\n' | ink distinct
6
$ printf '1\n01\n+1\n' | ink distinct --key-type int
1
$ printf '1\n1.0\n' | ink distinct --key-type int
!3 ink: standard input: line 2: "1.0", expected an integer key; --bad skip skips such records
