# Programs get one object or row for each kind, numbers as they are, and no plot.
$ ink plan --json
{"kind":"bloom","keys":1000000,"rate":0.01,"bytes":1318912,"bits_per_key":10.551296,"hashes":8,"bits":10551296,"question":"have I seen this key?","meaning":"1 of 100 non-members passes"}
{"kind":"classic","keys":1000000,"rate":0.01,"bytes":1198133,"bits_per_key":9.585058,"hashes":7,"promised_rate":0.010076423743974836,"bits":9585058,"question":"have I seen this key?","meaning":"1 of 99 non-members passes"}
{"kind":"counting","keys":1000000,"rate":0.01,"bytes":5275648,"bits_per_key":42.205184,"hashes":8,"bits":42205184,"question":"have I seen this key?","meaning":"1 of 100 non-members passes"}
{"kind":"scalable","keys":1000000,"rate":0.01,"bytes":4874304,"bits_per_key":38.994432,"levels":5,"question":"have I seen this key?","meaning":"1 of 100 non-members passes"}
{"kind":"count-min","bytes":543660,"epsilon":9.999933151083563e-05,"delta":0.006737946999085467,"width":27183,"depth":5,"counter_bits":32,"question":"how often did I see it?","meaning":"at most 0.01 % of the total too high, but for 0.67 % of keys"}
{"kind":"top","bytes":65536,"capacity":1024,"phi":0.0009765625,"bytes_max":2162688,"question":"which are the most frequent?","meaning":"no key above 0.098 % of the total is missed"}
{"kind":"fm","bytes":144,"width":16,"depth":9,"standard_error":0.13146865830943097,"question":"how many different keys?","meaning":"13 % standard error, 95 % of answers within 29 %"}
{"kind":"hll","bytes":12288,"precision":14,"standard_error":0.008116888761044447,"question":"how many different keys?","meaning":"0.81 % standard error, 95 % of answers within 1.6 %"}
{"kind":"theta","bytes":32776,"precision":12,"standard_error":0.01562690769794985,"question":"how many different keys?","meaning":"1.6 % standard error, 95 % of answers within 3.1 %"}
{"kind":"fuse","keys":1000000,"rate":0.01,"bytes":982080,"bits_per_key":7.85664,"hashes":4,"promised_rate":0.0078125,"bits":7856640,"question":"have I seen this key?","meaning":"1 of 128 non-members passes"}
$ ink plan bloom,count-min --tsv
kind	keys	rate	bytes	bits_per_key	hashes	promised_rate	bits	levels	records	epsilon	delta	width	depth	counter_bits	capacity	phi	bytes_max	precision	standard_error	error	question	meaning
bloom	1000000	0.01	1318912	10.551296	8		10551296														have I seen this key?	1 of 100 non-members passes
count-min			543660							9.999933151083563e-05	0.006737946999085467	27183	5	32							how often did I see it?	at most 0.01 % of the total too high, but for 0.67 % of keys
$ ink plan bloom -n 1e9 --json | wc -l
1
$ ink plan hll -n 1 --json | grep -o '"error":[^,]*'; ink plan top -n 4616189618054759425 --json | grep -o '"error":[^,]*'
"error":0
"error":4503599627370497
$ ink plan fuse -n 1000 | sed -n 4,5p

fuse never changes: no add, no merge; making it takes 9.2 kB, and 8 bytes for each record that is read
