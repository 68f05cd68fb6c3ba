# A name that is taken is refused, and so is a record that would push the column away from its name.
$ printf 'k,g\nant,a\nbee,b\ncat,\nant,b\n' > d.csv; ink build bloom -p 0.00001 --header --key k --by g -o d.ink d.csv
$ printf 'k,g\nant,a\nbee,a\nant,c\n' > e.csv; ink build bloom -o plain.ink d.csv
$ ink filter --group-column g d.ink d.csv
!2 ink: d.csv: column 2 is named "g", expected none of that name for the groups: give another (--group-column)
$ printf '{"k":"cow"}\n{"k":"ant","ink_group_hex":null}\n' | ink filter --key k --in jsonl d.ink
!2 ink: standard input: line 2: a member "ink_group_hex", expected none of that name for the groups: give another (--group-column)
$ printf 'k\nant\nant,1\n' > long.csv; ink filter d.ink long.csv
!3 ink: long.csv: line 3: 2 columns, expected at most 1: the column of groups follows those of the header
$ printf 'k\tx\nant\n' | ink filter --in tsv --header --key k d.ink
k	x	ink_group
ant		a,b
$ ink filter --group-column "$(printf 'a\tb')" d.ink d.csv
!2 ink: --group-column "a\x09b", expected printable UTF-8 of at most 64 bytes, without the delimiter
$ ink filter --in lines -d x --key 1 d.ink d.csv
!2 ink: --delimiter x may be in the text of groups, expected another, or records without groups
$ printf 'ant\t\303\251\n' | ink build bloom --in tsv --key 1 --by 2 -q -o e.ink
$ printf 'ant\251 1\n' | ink filter --in lines -d "$(printf '\251')" --key 1 e.ink | od -An -c # a delimiter in a character
   a   n   t 251       1 251   \   x   c   3   \   x   a   9  \n
$ ink filter --no-groups --group-column g d.ink d.csv
!2 ink: --no-groups and --group-column do not go together; see ink help filter
$ ink filter --groups a plain.ink d.csv
!2 ink: the file has no groups, expected some to choose from (--groups)
$ ink map --filter d.ink --header-line k,ink_group --plan --in csv --header
!2 ink: [...]column 2 is named "ink_group"[...]
$ ink map --filter d.ink --groups a < d.csv; ink map --filter d.ink --no-groups < e.csv
k,g,ink_group
ant,a,a
ant,b,a
k,g
ant,a
bee,a
ant,c
