# With -e keys stand on the command line, plain, whatever the input spec says.
$ printf 'id\tname\n1\tant\n2\tbee\n' > set.tsv; ink build counting,hll -n 100 --header --key name -o set.ink set.tsv
$ ink add -e cat -edog -e -- set.ink; ink filter -e cat -e dog -e -- -e fox --kind counting set.ink; ink distinct set.ink
cat
dog
--
5
$ ink add -e cat set.ink set.tsv
!2 ink: -e and set.tsv: keys and data do not go together; see ink help add
$ ink add -e cat --key 1 set.ink
!2 ink: -e and --key do not go together: a key of -e is plain; see ink help add
$ ink build bloom --header --key id,name -o tuples.ink set.tsv; ink add -e cat tuples.ink
!2 ink: -e, but keys of tuples.ink are tuples of 2 columns, expected data with these; see ink help add
$ ink build bloom --header --key id --key-type int -n 10 -o ints.ink set.tsv; ink add -e 7 -e 08 ints.ink && ink filter -e 8 ints.ink; ink add -e cat ints.ink
8
!3 ink: the keys of -e: key 1: "cat", expected an integer key
$ ink add -e cat none.ink
!4 ink: none.ink: cannot open: No such file or directory
