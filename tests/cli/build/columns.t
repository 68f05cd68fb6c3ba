# A column is a number or a name in the header; what is not there is reported.
$ printf 'id,user\n1,ann\n' > d.csv; printf 'a b\n' > d
$ ink build bloom --key id -o x.ink d.csv
!2 ink: column "id" without a header, expected a number, or a header (--header)
$ ink build bloom --header --key uesr -o x.ink d.csv
!2 ink: d.csv: no column "uesr", expected one of "id", "user"
$ ink build bloom --header --key "$(printf 'a\nb\033')" -o x.ink d.csv
!2 ink: d.csv: no column "a\x0ab\x1b", expected one of "id", "user"
$ ink build bloom --header --key 3 -o x.ink d.csv
!3 ink: d.csv: line 2: 2 columns, expected at least 3; --bad skip skips such records
$ ink build bloom --key 0 -o x.ink d.csv
!2 ink: column 0, expected 1 to 2^20
$ ink build bloom --key 1 -o x.ink d
!2 ink: a column (--key, --by, --weight) of records in lines, expected fields: --fields, --delimiter, or --in csv, tsv or jsonl
$ ink build bloom --header --key id,user --key-type int -o x.ink d.csv
!2 ink: a tuple of 2 columns is bytes, expected one column for int keys
$ ink build bloom --weight 1 --in csv -o x.ink d.csv
!2 ink: weights for bloom, expected a kind that counts
$ ink build bloom --round half-up -o x.ink d.csv
!2 ink: rounding without a column to group by, expected both
$ ink build bloom --in u32 --key 1 -o x.ink d
!2 ink: columns or a header for records in u32, expected integers alone
$ ink build bloom --in tsv --csv-multiline -o x.ink d
!2 ink: line ends in quotes for records in tsv, expected csv
$ ink build bloom --in csv --fields -o x.ink d
!2 ink: fields between blanks for records in csv, expected one way to separate fields
$ ls
d
d.csv
$ printf '"last, first",year,"say ""hi""",\n"a, b",1,q,x\nc,2,r,y\n' > odd.csv; printf '"a"\tb,c\n1\t2\n' > odd.tsv
$ ink build hll -q --header --key '"last, first",year' --by '"say ""hi"""' -o odd.ink odd.csv; ink info odd.ink | sed -n 2p
read as: csv, header, key "last, first",year, by say "hi"
$ ink build hll -q --header --key '""' --by 'last, first' --force -o odd.ink odd.csv; ink info odd.ink | sed -n 2p
read as: csv, header, key "", by "last, first"
$ ink build count-min -q --header --key '"b,c"' --weight '"""a"""' --force -o odd.ink odd.tsv; ink info odd.ink | sed -n 2p
read as: tsv, header, key "b,c", weight """a"""
$ for c in '"' '"a' '"a""' '"a"b' '"a",' ',a' '"a",,b'; do ink build hll --header --key "$c" -o x.ink odd.csv; done
! ink: --key ": a quote that is not closed; see ink help build
! ink: --key "a: a quote that is not closed; see ink help build
! ink: --key "a"": a quote that is not closed; see ink help build
! ink: --key "a"b: text after a closing quote, expected a comma; see ink help build
! ink: --key "a",: a column without a name; see ink help build
! ink: --key ,a: a column without a name; see ink help build
!2 ink: --key "a",,b: a column without a name; see ink help build
$ ink build hll --header --key year --by '"a",b' -o x.ink odd.csv
!2 ink: --by "a",b: text after a closing quote, expected none; see ink help build
$ seq -s , 20 > wide.csv; for n in 16 17; do ink build hll --key $(seq -s , $n) -o wide$n.ink wide.csv; done; ink info wide16.ink | sed -n 2p
read as: csv, key 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16
! ink: --key 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17, expected at most 16 columns; see ink help build
