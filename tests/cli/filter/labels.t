# Groups are kept apart whatever their names; a tuple is not queried with -e.
$ printf '{"k":1,"g":"a,b"}\n{"k":1,"g":null}\n{"k":1,"g":"a"}\n{"k":1,"g":"q\\"q"}\n{"k":1,"g":"(x"}\n' > d.jsonl; ink build bloom -p 1e-5 --key k --by g -o d.ink d.jsonl; ink filter -e 1 d.ink
1	(null),"(x",a,"a,b","q""q"
$ ink build bloom -p 1e-5 --key k -o n.ink d.jsonl; ink merge -o both.ink d.ink n.ink; ink filter -e 1 both.ink
1	(none),(null),"(x",a,"a,b","q""q"
! ink: both.ink: the files were read in different ways, so the union keeps no input spec; say how data is read
$ ink build bloom --key k,g -o t.ink d.jsonl --bad skip; ink filter -e 1 t.ink
! ink: 1 of 5 records could not be read and were skipped
!2 ink: -e, but keys of t.ink are tuples of 2 columns, expected data with these; see ink help filter
