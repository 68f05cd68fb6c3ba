# Data is read as that of the sketches was, but a suffix that names another format counts, where columns are found by name.
$ printf 'user\tn\nann\t1\nbob\t2\n' > a.tsv
$ printf 'n,user\n1,ann\n2,"zoe"\n' > b.csv
$ printf '{"user":"bob"}\n{"user":"zoe"}\n' > c.ndjson
$ printf 'ann\nzoe\n' > list.txt
$ ink build bloom -p 1e-5 --header --key user -o named.ink a.tsv
$ ink filter named.ink b.csv
n,user
1,ann
$ ink filter named.ink c.ndjson
{"user":"bob"}
$ ink filter --in lines named.ink list.txt
ann
$ ink filter named.ink list.txt
!2 ink: list.txt: no column "user", expected one of "ann"; the sketches say "read as: tsv, header, key user" (--in overrides it: "lines" for plain keys)
$ ink filter named.ink < list.txt
!2 ink: standard input: no column "user", expected one of "ann"; the sketches say "read as: tsv, header, key user" (--in overrides it: "lines" for plain keys)
$ printf '"n,user\n1,ann\n' > open.csv
$ ink filter named.ink open.csv
!3 ink: open.csv: byte 0: a quote that is not closed in its record, expected one (--csv-multiline allows line ends in quotes); the sketches say "read as: tsv, header, key user" (--in overrides it: "lines" for plain keys)
$ printf 'n\tuser\n1\n' > short.tsv
$ ink filter named.ink short.tsv
!3 ink: short.tsv: line 2: 1 column, expected at least 2; the sketches say "read as: tsv, header, key user" (--in overrides it: "lines" for plain keys); --bad skip skips such records
$ ink filter --key 2 named.ink b.csv
!2 ink: an input is named as csv, the sketches say "read as: tsv, header, key user", and nothing shows whether it has a header: expected --in
$ ink verify named.ink --truth a.tsv --absent b.csv | grep kept
kept: all 2 members found, 0 false positives in 1 tests, 0 promised, broken above 4; 10 % more would be noticed with chance 0.00
$ ink add named.ink b.csv
$ ink filter -c named.ink c.ndjson | grep admitted
admitted         2
