# The empty key is a key as any other: -e '' asks for it.
$ printf 'ant\n\n' > set.txt; ink build bloom -p 0.00001 -o set.ink set.txt; printf 'ant\n' | ink build bloom -p 0.00001 -o ant.ink
$ ink filter -e '' set.ink | od -c
0000000  \n
0000001
$ ink filter -e '' ant.ink
? 1
$ ink filter -v -e '' -e ant ant.ink | od -c
0000000  \n
0000001
