# A record that cannot be read is an error with its line, or is skipped and counted.
$ printf 'id,user,n\n1,ann,5\n2,bob\n3\n4,eve,x\n' > d.csv
$ ink build bloom --header --key user -o c.ink d.csv
!3 ink: d.csv: line 4: 1 column, expected at least 2; --bad skip skips such records
$ ink build bloom --header --key user --bad skip -o c.ink d.csv; ink info --json c.ink | grep -o '"records":[0-9]*'
"records":3
! ink: 1 of 4 records could not be read and were skipped
$ ink build bloom --header --key user --bad skip -q -o quiet.ink d.csv; cmp c.ink quiet.ink && rm quiet.ink
$ ink build bloom --header --key user --bad fail -o x.ink d.csv
!3 ink: d.csv: line 4: 1 column, expected at least 2
$ ink build count-min --header --key user --weight n --bad skip -o w.ink d.csv
! ink: 3 of 4 records could not be read and were skipped
$ ink build count-min --header --key user --weight n -o x.ink d.csv
!3 ink: d.csv: line 3: 2 columns, expected at least 3; --bad skip skips such records
$ printf '1\n2\nthree\n' | ink build bloom --key-type int -o x.ink
!3 ink: standard input: line 3: "three", expected an integer key; --bad skip skips such records
$ printf '{"a":1}\n{"a"\n' | ink build bloom --in jsonl --key a -o x.ink
!3 ink: standard input: line 2: the end of the record, expected a colon after a name; --bad skip skips such records
$ printf 'a,"b\nc,d\n' | ink build bloom --in csv --key 2 -o x.ink
!3 ink: standard input: line 1: a quote that is not closed[...]
$ printf '\1\2\3' | ink build bloom --in u32 -o x.ink
!3 ink: standard input: line 1: 3 bytes at the end, expected records of 4; --bad skip skips such records
$ printf 'k,r\na,1.5\nb,nine\n' | ink build bloom --in csv --header --key k --by r --round half-even -o x.ink
!3 ink: standard input: line 3: "nine", expected a number to round to a group; --bad skip skips such records
$ printf '\37\213\10' > y.gz; ink build bloom -o x.ink y.gz
!3 ink: y.gz: byte 3: the gzip data ends within a member, expected its end
$ ls
c.ink
d.csv
w.ink
y.gz
