# Closed and full streams, and limits of the system, are errors in one line, and leave nothing behind.
$ ink build bloom -o x.ink <&-
! ink: standard input: cannot read: Bad file descriptor
? 4
$ seq 5 | ink build bloom -o - > /dev/full
! ink: standard output: cannot write: No space left on device
? 4
$ seq 5 | ink build bloom -o - >&-
! ink: standard output: cannot write: Bad file descriptor
? 4
$ seq 5 | ink build bloom -o a.ink >&- 2>&-; ls
a.ink
$ ink bild 2>&-
? 2
$ ink help > /dev/full
! ink: standard output: cannot write: No space left on device
? 4
$ ink help | true
$ (ulimit -f 8; ink build bloom -n 1e6 -o x.ink < /dev/null)
! ink: x.ink: cannot write: File too large
? 4
$ ls -A
a.ink
