# What is printed is read as the input was: --group-column names the column, --no-groups leaves it out, --groups chooses.
$ printf 'k,g\nant,a\nbee,b\ncat,\nant,b\n' > d.csv; ink build bloom -p 0.00001 --header --key k --by g -o d.ink d.csv
$ printf 'k,g\nant,a\nbee,a\nant,c\n' > e.csv; ink build bloom -o plain.ink d.csv
$ ink filter --group-column 'of "g"' --groups '[a]' d.ink d.csv; ink filter --no-groups --groups b d.ink d.csv
k,g,"of ""g"""
ant,a,a
ant,b,a
k,g
ant,a
bee,b
ant,b
$ ink filter -v d.ink e.csv; ink filter --groups none d.ink d.csv; ink filter -c --json --groups a d.ink d.csv
k,g
k,g,ink_group
{"functions":8,"set_records":1,"set_keys":1,"analysed":4,"admitted":2,"rejected":2,"seconds":[...],"groups":1,"false_groups":[...]}
$ ink filter --by --groups a d.ink d.csv
k,g
ant,a
$ printf '{"k":"ant"}\n { "x": {} , "k":"bee" } \n' > d.jsonl; ink filter --key k --in jsonl d.ink d.jsonl; printf '["ant"]\n' | ink filter --key '[0]' --in jsonl --group-column g d.ink
{"k":"ant","ink_group":["a","b"]}
 { "x": {} , "k":"bee","ink_group":["b"] } 
["ant",["a","b"]]
$ printf 'ant;1\n' | ink filter --in lines -d ';' --key 1 d.ink; printf 'ant,1\n' | ink filter --in lines -d , --key 1 d.ink; printf 'ant  1\n' | ink filter --in lines --fields --key 1 d.ink
ant;1;a,b
ant,1,a;b
ant  1	a,b
