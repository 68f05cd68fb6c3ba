# A map that filters prints what filter does, and is done also if nothing passes.
$ printf 'k,g\nant,a\nbee,b\n' > d.csv; ink build bloom -p 0.00001 --header --key k --by g -o d.ink d.csv
$ ink map --filter d.ink < d.csv
k,g,ink_group
ant,a,a
bee,b,b
$ ink map --filter d.ink --by < d.csv
k,g
ant,a
bee,b
$ printf 'k,g\nant,b\ncow,b\n' > e.csv; ink map --filter d.ink --by e.csv; ink map --filter d.ink --by=g -v e.csv
k,g
k,g
ant,b
cow,b
$ printf 'cow,b\nant,a\n' | mapreduce_map_input_start=6 ink map --filter d.ink --header-line k,g
ant,a,a
$ printf 'cow,b\nant,a\n' | mapreduce_map_input_start=6 ink map --filter d.ink --header-line g,k
$ printf 'cow,b\nant,a\n' | mapreduce_map_input_start=6 ink map --filter d.ink
!2 ink: column "k" of a split that does not begin its file, expected --header-line, or a number; see ink help map
$ printf 'k,g\nant\n' | ink map --filter d.ink --by
!3 ink: standard input: line 2: 1 column, expected at least 2; --bad skip skips such records
