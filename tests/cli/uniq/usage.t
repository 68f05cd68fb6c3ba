# What does not go together is refused before anything is read, and what cannot be read is reported with its location.
$ ink uniq --json
!2 ink: --json without --count: records are printed as they stand; see ink help uniq
$ ink uniq --tsv text
!2 ink: --tsv without --count: records are printed as they stand; see ink help uniq
$ ink uniq -q -c text
!2 ink: --quiet and --count do not go together; see ink help uniq
$ ink uniq -c -v text
!2 ink: --invert with --count, which prints no records; see ink help uniq
$ ink uniq -c -o out text
!2 ink: --output with --count, which prints no records; see ink help uniq
$ ink uniq -c --json --tsv text
!2 ink: --json and --tsv do not go together; see ink help uniq
$ ink uniq --by 2 text
!2 ink: uniq has no option --by; see ink help uniq
$ ink uniq --weight 2 text
!2 ink: uniq has no option --weight; see ink help uniq
$ ink uniq --hash mmh3 text
!2 ink: uniq has no option --hash; see ink help uniq
$ ink uniq -n 0 text
!2 ink: -n 0, expected a whole number from 1 to 2^64 - 1, as 1e6; see ink help uniq
$ ink uniq -p 2 text
!2 ink: -p 2, expected a number above 0 and below 1; see ink help uniq
$ ink uniq --memory 100 text
!2 ink: --memory 100, expected bytes from 1M to 1024T, as 64M; see ink help uniq
$ ink uniq -n 1e9 --memory 64M text
!5 ink: 1000000000 keys at rate 0.0001 need 3296722944 bytes, expected at most the 67108864 of --memory
$ ink uniq -n 1e15 text
!2 ink: --keys 1000000000000000 at rate 0.0001, expected at most 5217303379: its filter has no more than 16 GiB
$ printf 'a\n' > text; ink uniq -p 1e-7 text
!2 ink: --rate 1e-07, expected 1e-05 to 0.5
$ ink uniq --seed 1 --secret text text
!2 ink: --secret and --seed do not go together; see ink help uniq
$ ink uniq --secret text text
!3 ink: text: 2 bytes, expected a secret of 16 bytes, or 32 hex digits
$ ink uniq none.txt
!4 ink: none.txt: cannot open: No such file or directory
$ ink uniq text none.txt
a
!4 ink: none.txt: cannot open: No such file or directory
$ ink uniq .
!4 ink: .: cannot read: Is a directory
$ ink uniq -o text text
!2 ink: text: is an input too; see ink help uniq
$ ink uniq --force -o text text
!2 ink: text: is an input too; see ink help uniq
$ ink uniq -o none/out text
!4 ink: none/out: its folder: No such file or directory
$ ink uniq --key 2 --fields text
!3 ink: text: line 1: 1 column, expected at least 2; --bad skip skips such records
$ ink uniq --key 2 --fields --bad skip text
! ink: 1 of 1 records could not be read and were skipped
$ printf '1\nx\n' | ink uniq --key-type int
!3 ink: standard input: line 2: "x", expected an integer key; --bad skip skips such records
$ printf '12345' | ink uniq --in u32
1234 [no line end]
!3 ink: standard input: line 2: 1 byte at the end, expected records of 4; --bad skip skips such records
$ ink uniq --header --in u32 text
!2 ink: columns or a header for records in u32, expected integers alone
$ ink build bloom -o a.ink text; ink uniq a.ink
!3 ink: a.ink: an .ink file, expected records
$ ink uniq text > /dev/full
!4 ink: standard output: cannot write: No space left on device
$ ls -A
a.ink
text
