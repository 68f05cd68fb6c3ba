# The empty key is a key as any other: -e '' takes it out.
$ printf 'ant\n\n' > set.txt; ink build counting -n 10 -o set.ink set.txt; ink filter -q -e '' set.ink
$ ink remove -e '' set.ink && ink filter -q -e '' set.ink
? 1
$ ink filter -e ant set.ink
ant
