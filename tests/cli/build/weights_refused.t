# A weight that is none is reported with its line, and nothing is written; a total stops at the largest number.
$ for w in -1 18446744073709551616 1.5 1e3 '' ' 5' 5x 0x5; do printf 'a,1\nb,%s\n' "$w" | ink build count-min --in csv --key 1 --weight 2 -o x.ink; done; ls -A
! ink: standard input: line 2: "-1", expected a weight from 0 to 2^64 - 1; --bad skip skips such records
! ink: standard input: line 2: "18446744073709551616", expected a weight from 0 to 2^64 - 1; --bad skip skips such records
! ink: standard input: line 2: "1.5", expected a weight from 0 to 2^64 - 1; --bad skip skips such records
! ink: standard input: line 2: "1e3", expected a weight from 0 to 2^64 - 1; --bad skip skips such records
! ink: standard input: line 2: "", expected a weight from 0 to 2^64 - 1; --bad skip skips such records
! ink: standard input: line 2: " 5", expected a weight from 0 to 2^64 - 1; --bad skip skips such records
! ink: standard input: line 2: "5x", expected a weight from 0 to 2^64 - 1; --bad skip skips such records
! ink: standard input: line 2: "0x5", expected a weight from 0 to 2^64 - 1; --bad skip skips such records
$ printf 'a,0\na,3\n' | ink build count-min --in csv --key 1 --weight 2 -o x.ink; ink count x.ink -e a --tsv
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
count-min			a	3	2	3	0.9932620530009145			
$ printf 'a,18446744073709551615\nb,18446744073709551615\n' | ink build count-min --in csv --key 1 --weight 2 -o y.ink; ink info --json y.ink | grep -o '"total":[0-9]*'
"total":18446744073709551615
$ printf 'c,x\n' | ink add x.ink --in csv --key 1 --weight 2; ink count x.ink -e a -e c --tsv
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
count-min			a	3	2	3	0.9932620530009145			
count-min			c	0	0	0	0.9932620530009145			
! ink: standard input: line 1: "x", expected a weight from 0 to 2^64 - 1; --bad skip skips such records
