# The same columns as text, TSV and JSON.
$ printf 'k,g\nant,a\nbee,\ncat,10\n' > d.csv; ink build bloom,hll --header --key k --by g -o d.ink d.csv
$ ink info d.ink
d.ink: 6 sketches of bytes keys, hash xxh3, seed 7597127734790088481
read as: csv, header, key k, by g

kind   group  keys  bits  hashes  size  bits/key  target  promised   current  records
bloom  ""        1   256       8  32 B    256.00  0.0100    0.0100  9.09e-13        1
bloom  10        1   256       8  32 B    256.00  0.0100    0.0100  9.09e-13        1
bloom  a         1   256       8  32 B    256.00  0.0100    0.0100  9.09e-13        1

kind  group  size  records  precision    error  distinct
hll   ""      3 B        1         14  0.00812         1
hll   10      3 B        1         14  0.00812         1
hll   a       3 B        1         14  0.00812         1
$ ink info --tsv d.ink
kind	group	slot	keys	bits	hashes	bytes	bits_per_key	target_rate	promised_rate	current_rate	records	total	levels	width	depth	counter_bits	epsilon	delta	capacity	phi	precision	standard_error	distinct	digest	ok	origin
bloom	\E		1	256	8	32	256	0.01	0.01	9.094947017729282e-13	1													65f007b85df3095acff908280dd908d2	true	
bloom	10		1	256	8	32	256	0.01	0.01	9.094947017729282e-13	1													96ad1c4d70e6b8daba6a5df449501830	true	
bloom	a		1	256	8	32	256	0.01	0.01	9.094947017729282e-13	1													949ccb8cb03fbf2c5baea20302e5c1e5	true	
hll	\E					3					1										14	0.008116888761044447	1	b482a26127c146a1af43b110267020a8		
hll	10					3					1										14	0.008116888761044447	1	c487662da9e8c2d767a3535975341535		
hll	a					3					1										14	0.008116888761044447	1	689ed2f911b835891bf2ddfc52a6150c		
$ ink info --json d.ink
{"kind":"bloom","group":"","keys":1,"bits":256,"hashes":8,"bytes":32,"bits_per_key":256,"target_rate":0.01,"promised_rate":0.01,"current_rate":9.094947017729282e-13,"records":1,"digest":"65f007b85df3095acff908280dd908d2","ok":true}
{"kind":"bloom","group":"10","keys":1,"bits":256,"hashes":8,"bytes":32,"bits_per_key":256,"target_rate":0.01,"promised_rate":0.01,"current_rate":9.094947017729282e-13,"records":1,"digest":"96ad1c4d70e6b8daba6a5df449501830","ok":true}
{"kind":"bloom","group":"a","keys":1,"bits":256,"hashes":8,"bytes":32,"bits_per_key":256,"target_rate":0.01,"promised_rate":0.01,"current_rate":9.094947017729282e-13,"records":1,"digest":"949ccb8cb03fbf2c5baea20302e5c1e5","ok":true}
{"kind":"hll","group":"","bytes":3,"records":1,"precision":14,"standard_error":0.008116888761044447,"distinct":1,"digest":"b482a26127c146a1af43b110267020a8"}
{"kind":"hll","group":"10","bytes":3,"records":1,"precision":14,"standard_error":0.008116888761044447,"distinct":1,"digest":"c487662da9e8c2d767a3535975341535"}
{"kind":"hll","group":"a","bytes":3,"records":1,"precision":14,"standard_error":0.008116888761044447,"distinct":1,"digest":"689ed2f911b835891bf2ddfc52a6150c"}
$ ink info --json d.ink | python3 -c 'import json,sys; print(*[json.loads(l)["group"] for l in sys.stdin], sep="|")'
|10|a||10|a
$ name=$(head -c 1500 /dev/zero | tr '\0' n); printf "$name\nant\n" > long.csv; ink build hll --header --key $name -o long.ink long.csv; ink info long.ink | awk '{print length($0)}'
69
1526
0
49
49
