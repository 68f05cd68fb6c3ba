# The empty key is a key as any other: -e '' asks for it.
$ printf '\nant\n\n' > set.txt; ink build count-min -o set.ink set.txt
$ ink count -e '' -e ant set.ink
  estimate         low        high  key
         2           1           2  ""
         1           0           1  ant
$ ink count --tsv -e '' set.ink
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
count-min			\E	2	1	2	0.9932620530009145			
$ ink count --json -e '' set.ink
{"kind":"count-min","key":"","estimate":2,"low":1,"high":2,"confidence":0.9932620530009145}
