# The empty key is a key as any other: -e '' adds it.
$ printf 'ant\n' > set.txt; ink build counting -n 10 -o set.ink set.txt; ink filter -q -e '' set.ink
? 1
$ ink add -e '' set.ink && ink filter -e '' set.ink | od -c
0000000  \n
0000001
