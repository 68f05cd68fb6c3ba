# A source or a folder that cannot be used is named, with what the system says.
$ seq 10 > k.txt
$ ink stream --train nosuch.txt --sketch hll --state d
! ink: nosuch.txt: cannot open: No such file or directory
? 4
$ ink stream --train k.txt --ask nosuch.txt --sketch hll --state d
! ink: nosuch.txt: cannot open: No such file or directory
? 4
$ ink stream --train k.txt --sketch hll --state k.txt
! ink: k.txt: cannot open its lock: Not a directory
? 4
$ ink stream --train k.txt --sketch hll --state no/such
! ink: no/such: cannot make the folder: No such file or directory
? 4
$ ink stream --train . --sketch hll --state d
! ink: .: cannot read: Is a directory
? 4
$ ink stream --train tcp://127.0.0.1 --sketch hll --state d
! ink: tcp://127.0.0.1: an address without a port, expected tcp://HOST:PORT
? 2
$ ink stream --train tcp://example.com:80 --sketch hll --state d
! ink: tcp://example.com:80: "example.com" is not a host to listen at, expected a numeric address, as 127.0.0.1 or [::1], or localhost, or none
? 2
$ ink stream --train tcp://127.0.0.1:70000 --sketch hll --state d
! ink: tcp://127.0.0.1:70000: "70000" is not a port, expected a number from 0 (any free one) to 65535
? 2
$ ink stream --train unix: --sketch hll --state d
! ink: unix:: an address without a path, expected unix:PATH
? 2
$ ink stream --train unix:no/such/socket --sketch hll --state d
! ink: unix:no/such/socket: cannot listen: No such file or directory
? 4
$ ink stream --train unix:k.txt --sketch hll --state d
! ink: unix:k.txt: a file that is no socket already exists there, expected a free path
? 4
$ ink stream --train k.txt --ask tcp://nobody:1 --sketch hll --state d
! ink: tcp://nobody:1: "nobody" is not a host to listen at, expected a numeric address, as 127.0.0.1 or [::1], or localhost, or none
? 2
$ cat k.txt | ink stream --train - --train k.txt --sketch hll --state d
! ink: --train - beside others, expected it alone, or files; see ink help stream
? 2
$ ink stream --train unix:s --ask unix:s --sketch hll --state d; test -e s && echo there
! ink: unix:s: another process already listens there, expected a free path
? 1
$ ink stream --train k.txt --train k.txt --sketch hll --state d
! ink: k.txt: the same file twice, expected each once
? 2
$ mkfifo pipe; ink stream --train k.txt --train pipe --sketch hll --state d
! ink: pipe: not a regular file, expected one where there are several
? 2
$ gzip -k k.txt; ink stream --train k.txt.gz --follow --sketch hll --state d
! ink: k.txt.gz: a compressed file cannot be followed, expected plain records
? 2
$ ink build hll -o h.ink k.txt; ink stream -q --train h.ink --sketch hll --state d
! ink: h.ink: an .ink file, expected records
? 3
$ ink stream --train k.txt --sketch hll --window 1s --slots 7 --state d
! ink: a window of 1000000 microseconds in 7 slots, expected slots of equal length in whole microseconds
? 2
$ ink stream --train k.txt --sketch hll --state slash//
! ink: slash/state.ink: begins; records from k.txt
! ink: slash/state.ink: 10 records in 1 batch, 10 new
