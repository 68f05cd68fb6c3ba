# Paths may be many, long or strange; what is wrong with one is reported in one line.
$ mkdir many; for i in $(seq 10000); do echo $i > many/$i; done; ink build bloom -o many.ink many/* && ink info --json many.ink | grep -o '"keys":[0-9]*'
"keys":10000
$ printf '1\n' > "$(printf 'a\nb')"; ink build bloom --key 2 --in tsv -o x.ink "$(printf 'a\nb')"
!3 ink: a\x0ab: line 1: 1 column, expected at least 2; --bad skip skips such records
$ ink build bloom -o x.ink "$(printf 'none\033[31m\377')"
!4 ink: none\x1b[31m\xff: cannot open: No such file or directory
$ ink build bloom -o x.ink $(printf '%05000d' 0)
!4 ink: 0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000...: cannot open: File name too long
$ ink build bloom -o $(printf '%05000d' 0) many/1 2> error; cut -c 1-9,600- error; grep -c . error
ink: 0000
1
$ ink build bloom -o x.ink many
!4 ink: many: cannot read: Is a directory
$ ink build bloom -o x.ink many/1 none many/2
!4 ink: none: cannot open: No such file or directory
$ ls | grep -v many
a
b
error
