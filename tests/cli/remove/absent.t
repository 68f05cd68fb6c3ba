# If a key is not in the filter, all such keys are reported, and nothing is removed.
$ seq 100 > words.txt; ink build counting -n 1000 -o words.ink words.txt; cp words.ink old.ink
$ printf '1\n2\nfoo\n3\nbar\n' > gone.txt; printf 'baz\n1\n\n' > more.txt
$ ink remove words.ink gone.txt
!1 ink: gone.txt: line 3: key foo is not in words.ink; nothing was removed (2 such records: foo, bar)
$ ink remove words.ink gone.txt more.txt
!1 ink: gone.txt: line 3: key foo is not in words.ink; nothing was removed (5 such records: foo, bar, baz, 1, "")
$ ink remove words.ink more.txt gone.txt
!1 ink: more.txt: line 1: key baz is not in words.ink; nothing was removed (5 such records: baz, "", 1, foo, bar)
$ printf 'foo\n' | ink remove words.ink
!1 ink: standard input: line 1: key foo is not in words.ink; nothing was removed
$ seq 50 2000 | ink remove words.ink -
!1 ink: standard input: line 52: key 101 is not in words.ink; nothing was removed (1900 such records: 101, 102, 103, 104, 105, ...)
$ printf '%0100d\nt\tab\n\001\n' 7 | ink remove words.ink
!1 ink: standard input: line 1: key 0000000000000000000000000000000000000000000000000000000000000000... is not in words.ink; nothing was removed (3 such records: 0000000000000000000000000000000000000000000000000000000000000000..., t\x09ab, \x01)
$ ink remove -e 7 -e 8 -e 7 words.ink
!1 ink: key 7 is not in words.ink that often; nothing was removed
$ ink remove -e seven words.ink; ink remove -e '' words.ink
! ink: key seven is not in words.ink; nothing was removed
!1 ink: key "" is not in words.ink; nothing was removed
$ cmp words.ink old.ink; ls -A
gone.txt
more.txt
old.ink
words.ink
words.txt
