# What filter prints can be filtered again: the header stays, plain lists are tested.
$ printf 'id,n\r\na,1\r\nb,2\r\nc,3\r\n' > d.csv; printf 'id,n\na,1\nc,3\n' > s.csv; ink build bloom -p 1e-5 --header --key id -o s.ink s.csv
$ ink filter s.ink d.csv | od -c | head -n 3
0000000   i   d   ,   n  \r  \n   a   ,   1  \r  \n   c   ,   3  \r  \n
0000020
$ ink filter s.ink d.csv | ink filter s.ink | ink filter -c --json s.ink
{"functions":8,"set_records":2,"set_keys":2,"analysed":2,"admitted":2,"rejected":0,"seconds":[...]}
$ printf 'b\nc\n' | ink filter --in lines s.ink
c
$ printf '\357\273\277id,n\na,1\n' > bom.csv; ink filter -c --json s.ink bom.csv
{"functions":8,"set_records":2,"set_keys":2,"analysed":1,"admitted":1,"rejected":0,"seconds":[...]}
$ ink build bloom -o x.ink s.ink
!3 ink: s.ink: an .ink file, expected records
