# Wrong options are reported before anything is made.
$ ink stream
! ink: stream without --train, expected a file, a FIFO, -, tcp://HOST:PORT or unix:PATH; see ink help stream
? 2
$ ink stream --sketch hll --state d
! ink: stream without --train, expected a file, a FIFO, -, tcp://HOST:PORT or unix:PATH; see ink help stream
? 2
$ ink stream keys.txt --sketch hll --state d
! ink: keys.txt beside options, expected --train keys.txt for records; see ink help stream
? 2
$ ink stream --train keys.txt --sketch hll
! ink: stream without --state, expected a folder for state.ink; see ink help stream
? 2
$ ink stream --train keys.txt --sketch hll --state d --every 0
! ink: --every 0, expected a number of records, as 50000, or a time from 1ms to 3650d, as 1s; see ink help stream
? 2
$ ink stream --train keys.txt --sketch hll --state d --every 5x
! ink: --every 5x, expected a number of records, as 50000, or a time from 1ms to 3650d, as 1s; see ink help stream
? 2
$ ink stream --train keys.txt --sketch hll --state d --checkpoint 0
! ink: --checkpoint 0, expected a whole number from 1 to 4294967295; see ink help stream
? 2
$ ink stream --train keys.txt --sketch hll --state d --window 1us
! ink: --window 1us, expected a time from 1ms to 3650d, as 10m; see ink help stream
? 2
$ ink stream --train keys.txt --sketch hll --state d --window 9999d
! ink: --window 9999d, expected a time from 1ms to 3650d, as 10m; see ink help stream
? 2
$ ink stream --train keys.txt --sketch hll --state d --slots 5
! ink: --slots without --window, expected --window T; see ink help stream
? 2
$ ink stream --train keys.txt --sketch hll --state d --window 1h --slots 65537
! ink: --slots 65537, expected a whole number from 1 to 65536; see ink help stream
? 2
$ ink stream --train keys.txt --sketch hll --state d --time 1
! ink: --time without --window, expected --window T; see ink help stream
? 2
$ ink stream --train keys.txt --sketch hll --state d --window 1h --time-unit ms
! ink: --time-unit without --time, expected --time COL; see ink help stream
? 2
$ ink stream --train keys.txt --sketch hll --state d --json
! ink: --json without --ask, expected --ask SRC; see ink help stream
? 2
$ ink stream --train keys.txt --sketch bloom -n 10 --state d --grow --renew
! ink: --grow and --renew do not go together; see ink help stream
? 2
$ ink stream --train keys.txt --sketch bloom -n 10 --state d --window 1h --renew
! ink: --renew and --window do not go together; see ink help stream
? 2
$ ink stream --train - --ask - --sketch hll --state d
! ink: standard input is read twice, for --ask and for --train, expected a FILE for one of them; see ink help stream
? 2
$ ink stream --train tcp://:0 --ask tcp://:5 --train keys.txt --sketch hll --state d
! ink: --train tcp://:0 beside others, expected it alone, or files; see ink help stream
? 2
$ ink stream --train - --follow --sketch hll --state d
! ink: --follow and --train -, expected a file that grows; see ink help stream
? 2
$ ink stream --train unix:socket --follow --sketch hll --state d
! ink: --follow and --train unix:socket, expected a file that grows; see ink help stream
? 2
$ ink stream --train keys.txt --by 1 --sketch hll --state d
! ink: stream has no option --by; see ink help stream
? 2
$ ink stream --train keys.txt --stat d --sketch hll
! ink: no option --stat, did you mean --state; see ink help stream
? 2
$ ls
