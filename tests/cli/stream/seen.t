# With --seen the keys that may have been seen are printed as they were given, and no others.
$ printf 'bee\nant\n\nTOP\n' > keys.txt; printf 'cat\nant\nDISTINCT\nbee\n?TOP\n\n?dog\n' > q.txt
$ ink stream -q --train keys.txt --sketch bloom -n 1000 -p 0.001 --state d --ask q.txt --seen
ant
DISTINCT	4	3	4
bee
TOP

$ ink stream --train keys.txt --sketch hll --state e --ask q.txt --seen
! ink: --seen without a filter, expected --sketch bloom or another; see ink help stream
? 2
$ ink stream --train keys.txt --sketch bloom -n 1000 --state d --seen
! ink: --seen without --ask, expected --ask SRC; see ink help stream
? 2
$ ink stream --train keys.txt --sketch bloom -n 1000 --state d --ask q.txt --seen --json
! ink: --seen and --json do not go together; see ink help stream
? 2
