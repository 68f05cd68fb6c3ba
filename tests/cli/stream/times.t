# The time of a record stands in a column, in one of many forms; the window goes by it.
$ printf 'ann - - [16/Nov/2020:14:26:08 +0000] "GET / HTTP/1.1" 200\nbob - - [16/Nov/2020:15:27:08 +0100] "GET / HTTP/1.1" 200\ncat - - [16/Nov/2020:14:10:08 +0000] "GET / HTTP/1.1" 200\n' > log
$ ink stream --quiet --train log --fields --key 1 --time 4 --window 10m --sketch hll --state web
$ ink info web/state.ink
web/state.ink: 2 sketches of bytes keys, hash xxh3, seed 7597127734790088481
read as: lines, fields, key 1, time 4

kind  slot                  size  records  precision    error  distinct
hll   2020-11-16T14:26:00Z   3 B        1         14  0.00812         1
hll   2020-11-16T14:27:00Z   3 B        1         14  0.00812         1
$ printf 'who,when\nann,1605536768000\nann,2020-11-16 14:26:08.5\nbob,"2020-11-16T14:27:08,25Z"\n' > visits.csv
$ ink stream --quiet --train visits.csv --header --key who --time when --time-unit ms --window 10m --sketch count-min --state csv
$ ink info web/state.ink | sed -n 2p; ink info csv/state.ink | sed -n 2p
read as: lines, fields, key 1, time 4
read as: csv, header, key who, time when in ms
$ printf '{"k":"a","at":{"t":1605536768.5}}\n{"k":"a","at":{"t":"2020-11-16T15:26:08\\u002b01:00"}}\n' > v.jsonl
$ ink stream --quiet --train v.jsonl --key k --time at.t --window 10m --sketch count-min --state jsonl
$ ink count jsonl/state.ink -e a
  estimate         low        high  key
         2           1           2  a
$ printf 'a,2020-13-01\n' > month.csv; printf 'a,2020-11-16 x\n' > behind.csv; printf '{"k":"a","t":null}\n' > null.jsonl; printf 'a,1605536768.5\n' > unit.csv
$ ink stream --quiet --train month.csv --key 1 --time 2 --window 10m --sketch hll --state bad
! ink: month.csv: line 1: "2020-13-01", expected a month from 01 to 12; --bad skip skips such records
? 3
$ ink stream --quiet --train behind.csv --key 1 --time 2 --window 10m --sketch hll --state bad
! ink: behind.csv: line 1: "2020-11-16 x", expected a time and nothing after it; --bad skip skips such records
? 3
$ ink stream --quiet --train null.jsonl --key k --time t --window 10m --sketch hll --state null
! ink: null.jsonl: line 1: "null", expected a time; --bad skip skips such records
? 3
$ ink stream --quiet --train unit.csv --key 1 --time 2 --time-unit us --window 10m --sketch hll --state unit
! ink: unit.csv: line 1: "1605536768.5", expected a whole number, as only seconds have decimals; --bad skip skips such records
? 3
$ ink stream --quiet --train month.csv --key 1 --time when --window 10m --sketch hll --state bad
! ink: column "when" without a header, expected a number, or a header (--header)
? 2
$ ink stream --quiet --train log --time 4 --window 10m --sketch hll --state bad
! ink: a column of times of records in lines, expected fields: --fields, --delimiter, or --in csv, tsv or jsonl
? 2
$ ink stream --quiet --train log --in u64 --time 1 --window 10m --sketch hll --state bad
! ink: columns or a header for records in u64, expected integers alone
? 2
$ ink stream --quiet --train log --fields --time-unit ms --window 10m --sketch hll --state bad
! ink: --time-unit without --time, expected --time COL; see ink help stream
? 2
$ ink stream --quiet --train log --fields --time 4 --time-unit h --window 10m --sketch hll --state bad
! ink: --time-unit h, expected s, ms, us or ns; see ink help stream
? 2
$ ink build hll --fields --time 4 -o x.ink log
! ink: build has no option --time; see ink help build
? 2
