# What does not go together is refused before anything is read, and what cannot be read is reported with its location.
$ ink uniq --json
! ink: --json without --count: records are printed as they stand; see ink help uniq
? 2
$ ink uniq --tsv text
! ink: --tsv without --count: records are printed as they stand; see ink help uniq
? 2
$ ink uniq -q -c text
! ink: --quiet and --count do not go together; see ink help uniq
? 2
$ ink uniq -c -v text
! ink: --invert with --count, which prints no records; see ink help uniq
? 2
$ ink uniq -c -o out text
! ink: --output with --count, which prints no records; see ink help uniq
? 2
$ ink uniq -c --json --tsv text
! ink: --json and --tsv do not go together; see ink help uniq
? 2
$ ink uniq --by 2 text
! ink: uniq has no option --by; see ink help uniq
? 2
$ ink uniq --weight 2 text
! ink: uniq has no option --weight; see ink help uniq
? 2
$ ink uniq --hash mmh3 text
! ink: uniq has no option --hash; see ink help uniq
? 2
$ ink uniq -n 0 text
! ink: -n 0, expected a whole number from 1 to 2^64 - 1, as 1e6; see ink help uniq
? 2
$ ink uniq -p 2 text
! ink: -p 2, expected a number above 0 and below 1; see ink help uniq
? 2
$ ink uniq --memory 100 text
! ink: --memory 100, expected bytes from 1M to 1024T, as 64M; see ink help uniq
? 2
$ ink uniq -n 1e9 --memory 64M text
! ink: 1000000000 keys at rate 0.0001 need 3296722944 bytes, expected at most the 67108864 of --memory
? 5
$ ink uniq -n 1e15 text
! ink: --keys 1000000000000000 at rate 0.0001, expected at most 5217303379: its filter has no more than 16 GiB
? 2
$ printf 'a\n' > text; ink uniq -p 1e-7 text
! ink: --rate 1e-07, expected 1e-05 to 0.5
? 2
$ ink uniq --seed 1 --secret text text
! ink: --secret and --seed do not go together; see ink help uniq
? 2
$ ink uniq --secret text text
! ink: text: 2 bytes, expected a secret of 16 bytes, or 32 hex digits
? 3
$ ink uniq none.txt
! ink: none.txt: cannot open: No such file or directory
? 4
$ ink uniq text none.txt
a
! ink: none.txt: cannot open: No such file or directory
? 4
$ ink uniq .
! ink: .: cannot read: Is a directory
? 4
$ ink uniq -o text text
! ink: text: is an input too; see ink help uniq
? 2
$ ink uniq --force -o text text
! ink: text: is an input too; see ink help uniq
? 2
$ ink uniq -o none/out text
! ink: none/out: its folder: No such file or directory
? 4
$ ink uniq --key 2 --fields text
! ink: text: line 1: 1 column, expected at least 2
? 3
$ ink uniq --key 2 --fields --bad skip text
! ink: 1 of 1 records could not be read and were skipped
$ printf '1\nx\n' | ink uniq --key-type int
! ink: standard input: line 2: "x", expected an integer key
? 3
$ printf '12345' | ink uniq --in u32
1234 [no line end]
! ink: standard input: line 2: 1 bytes at the end, expected records of 4
? 3
$ ink uniq --header --in u32 text
! ink: columns or a header for records in u32, expected integers alone
? 2
$ ink build bloom -o a.ink text; ink uniq a.ink
! ink: a.ink: an .ink file, expected records
? 3
$ ink uniq text > /dev/full
! ink: standard output: cannot write: No space left on device
? 4
$ ls -A
a.ink
text
