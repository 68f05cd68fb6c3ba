# Closed and full streams, and limits of the system, are errors in one line, and leave nothing behind.
$ ink build bloom -o x.ink <&-
!4 ink: standard input: cannot read: Bad file descriptor
$ seq 5 | ink build bloom -o - > /dev/full
!4 ink: standard output: cannot write: No space left on device
$ seq 5 | ink build bloom -o - >&-
!4 ink: standard output: cannot write: Bad file descriptor
$ seq 5 | ink build bloom -o a.ink >&- 2>&-; ls
a.ink
$ ink bild 2>&-
? 2
$ ink help > /dev/full
!4 ink: standard output: cannot write: No space left on device
$ ink help | true
$ (ulimit -f 8; ink build bloom -n 1e6 -o x.ink < /dev/null)
!4 ink: x.ink: cannot write: File too large
$ ls -A
a.ink
