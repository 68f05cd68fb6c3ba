# Groups, weights, integers and tuples are taken out as they were put in.
$ printf 'n\ttea\t3\ns\ttea\t1\n' > in.tsv; ink build counting -n 100 --key 2 --by 1 --weight 3 -o in.ink in.tsv; cp in.ink old.ink
$ printf 'n\ttea\t2\n' | ink remove in.ink && printf 'n\ttea\t2\n' | ink remove in.ink
!1 ink: standard input: line 1: key tea is not in its group of in.ink that often; nothing was removed
$ printf 'n\ttea\t1\ne\ttea\t1\n' | ink remove in.ink
!1 ink: standard input: line 2: key tea is not in its group of in.ink; nothing was removed
$ printf 'n\ttea\t1\ns\ttea\t1\n' | ink remove in.ink && ink info --tsv in.ink | cut -f2,12
group	records
n	0
s	0
$ ink build counting -n 100 --key 1,2 -o tuples.ink in.tsv; printf 'n\ttea\ne\tjam\n' | ink remove tuples.ink
!1 ink: standard input: line 2: key e,jam is not in tuples.ink; nothing was removed
$ seq 9 | ink build counting -n 100 --key-type int -o ints.ink; printf '07\n+8\n' | ink remove ints.ink; printf '%s\n' -5 18446744073709551615 | ink remove ints.ink
!1 ink: standard input: line 1: key -5 is not in ints.ink; nothing was removed (2 such records: -5, -1)
$ ink remove -e tea in.ink; ink remove -e 7 ints.ink
! ink: -e, but in.ink has groups, expected data that names them; see ink help remove
!1 ink: key 7 is not in ints.ink; nothing was removed
