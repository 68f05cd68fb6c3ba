# The report: records, first ones, repeats, how many were lost, what was planned for, the size and its rate.
$ (seq 20000; seq 20000) > twice
$ ink uniq --count twice
records          40000
first            20000
repeated         20000
lost              0.00
lost at most         0
planned for    1310720
size            4.3 MB
current       4.90e-12
seconds          [...]
$ ink uniq -c --json twice
{"records":40000,"first":20000,"repeated":20000,"lost":1.568637580477661e-07,"lost_high":0,"keys":1310720,"bytes":4341760,"current_rate":4.895384726519554e-12,"seconds":[...]}
$ ink uniq -c --tsv -n 30000 -p 0.01 twice
records	first	repeated	lost	lost_high	keys	bytes	current_rate	seconds
40000	19999	20001	4.2593144860799175	22	30000	39936	0.0013142025591748325	[...]
$ ink uniq -c --json < twice
{"records":40000,"first":20000,"repeated":20000,"lost":8.960884118078917e-09,"lost_high":0,"keys":20355295,"bytes":67108864,"current_rate":1.9774980264397612e-14,"seconds":[...]}
$ ink uniq -c --json --memory 1M < twice
{"records":40000,"first":20000,"repeated":20000,"lost":1.919228443757955e-06,"lost_high":1,"keys":315065,"bytes":1048576,"current_rate":3.376985635572538e-10,"seconds":[...]}
$ gzip -k twice; ink uniq -c --json twice.gz
{"records":40000,"first":20000,"repeated":20000,"lost":8.960884118078917e-09,"lost_high":0,"keys":20355295,"bytes":67108864,"current_rate":1.9774980264397612e-14,"seconds":[...]}
$ ink uniq -c --json /dev/null
{"records":0,"first":0,"repeated":0,"lost":0,"lost_high":0,"keys":0,"bytes":0,"current_rate":0,"seconds":[...]}
$ seq 1500000 > many; ink uniq -c --json many; ink uniq -c --json many many
{"records":1500000,"first":1499990,"repeated":10,"lost":6.404131747760269,"lost_high":10,"keys":1935427,"bytes":6389760,"current_rate":2.6142839322177225e-05,"seconds":[...]}
{"records":3000000,"first":1499999,"repeated":1500001,"lost":0.20565410259611985,"lost_high":6,"keys":3870854,"bytes":12779520,"current_rate":7.793328563433824e-07,"seconds":[...]}
