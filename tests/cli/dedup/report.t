# Each number of the report, in each form; rows of --explain; a file of --seen says what it was planned for.
$ mkdir in; for i in 1 2 3 3 4 5 5 5; do printf '{"id":%d,"text":"the text number %d of some words\\nand a line of text %d %d"}\n' $i $i $((i / 2)) $i; done > in/a.jsonl
$ printf '{"id":9,"text":"the text number 3 of some words\\nand a line of text 1 3\\nmore"}\n{"id":10,"text":"the text number 1 of some words\\nthe text number 2 of some words"}\n{"id":11,"text":"The, text number 77 of some words and nothing else at all"}\n{broken\n' > in/b.jsonl
$ ink dedup --exact --paragraphs --ngrams 3 --overlap 0.9 --bad skip --json --explain why --id id -o out in | sed 's/"seconds":[0-9.e-]*/"seconds":S/'
{"level":"exact","texts":11,"first":8,"removed":3,"removed_bytes":222,"wrong":1.734723475976807e-18,"wrong_high":0,"table":true,"memory":1632}
{"level":"paragraphs","texts":22,"first":12,"removed":2,"removed_bytes":84,"wrong":3.903127820947816e-18,"wrong_high":0,"table":true,"memory":1224}
{"level":"ngrams","texts":129,"first":41,"removed":1,"removed_bytes":80,"wrong":5.0743395921292134e-12,"wrong_high":0,"table":false,"keys":65697,"promised_rate":0.0001,"current_rate":5.432587816534099e-15,"memory":219648}
{"level":"all","texts":11,"removed":5,"bytes":841,"kept":6,"kept_bytes":447,"changed":0,"emptied":1,"bad":1,"files":2,"seconds":S}
$ cat why; cat out/b.jsonl; wc -l < out/a.jsonl
{"file":"in/a.jsonl","line":4,"id":"3","level":"exact","whole":true,"texts":1,"removed":1,"share":1,"earlier_file":"in/a.jsonl","earlier_line":3}
{"file":"in/a.jsonl","line":7,"id":"5","level":"exact","whole":true,"texts":1,"removed":1,"share":1,"earlier_file":"in/a.jsonl","earlier_line":6}
{"file":"in/a.jsonl","line":8,"id":"5","level":"exact","whole":true,"texts":1,"removed":1,"share":1,"earlier_file":"in/a.jsonl","earlier_line":6}
{"file":"in/b.jsonl","line":1,"id":"9","level":"ngrams","whole":true,"texts":13,"removed":12,"share":0.9230769230769231}
{"file":"in/b.jsonl","line":2,"id":"10","level":"paragraphs","whole":true,"texts":2,"removed":2,"share":1}
{"id":11,"text":"The, text number 77 of some words and nothing else at all"}
5
$ ink dedup --exact --paragraphs --bad skip --tsv --dry-run in | cut -f 1-20
level	texts	first	removed	bytes	removed_bytes	kept	kept_bytes	changed	emptied	bad	files	wrong	wrong_high	table	keys	promised_rate	current_rate	memory	passes
exact	11	8	3		222							1.734723475976807e-18	0	true				816	
paragraphs	22	12	4		84							3.903127820947816e-18	0	true				1224	
all	11		4	841		7	527	1	1	1	2								
$ ink dedup --near 0.8 --bad skip --json --dry-run in | sed 's/"seconds":[0-9.e-]*/"seconds":S/'
{"level":"near","texts":11,"first":7,"removed":4,"removed_bytes":302}
{"level":"all","texts":11,"removed":4,"bytes":841,"kept":7,"kept_bytes":531,"changed":0,"emptied":0,"bad":1,"files":2,"seconds":S}
$ ink dedup --exact -n 100 -p 0.001 --seen s.ink --bad skip --json -o with-n in | sed 's/"seconds":[0-9.e-]*/"seconds":S/'; ink info --json s.ink | cut -d , -f 1,3-8
{"level":"exact","texts":11,"first":8,"removed":3,"removed_bytes":222,"wrong":2.579218233980328e-08,"wrong_high":0,"table":false,"keys":100,"promised_rate":0.001,"current_rate":8.753886504564434e-11,"memory":256}
{"level":"all","texts":11,"removed":3,"bytes":841,"kept":8,"kept_bytes":611,"changed":0,"emptied":0,"bad":1,"files":2,"seconds":S}
{"kind":"bloom","keys":100,"bits":2048,"hashes":8,"bytes":256,"bits_per_key":20.48,"target_rate":0.001
$ ink dedup --exact -n 100 --seen t.ink --bad skip -q -o more in; ink info --json t.ink | grep -o '"target_rate":[^,]*'; ink dedup --ngrams 3 -n 100 --seen u.ink --bad skip -q -o most in; ink info --json u.ink | grep -o '"target_rate":[^,]*'
"target_rate":1e-05
"target_rate":0.0001
$ ink dedup --ngrams 2 --lower --bad skip --json --dry-run in | grep -o '"level":"ngrams".*"removed":[0-9]*'; ink dedup --ngrams 2 --strip-punctuation --bad skip --json --dry-run in | grep -o '"level":"ngrams".*"removed":[0-9]*'; ink dedup --bytes 5 --overlap 1 --bad skip --json --dry-run in | grep -o '"level":"ngrams".*"removed":[0-9]*'
"level":"ngrams","texts":138,"first":36,"removed":5
"level":"ngrams","texts":138,"first":36,"removed":5
"level":"ngrams","texts":527,"first":119,"removed":3
$ ink plan dedup --threads 2 --exact --ngrams 13 -n 1e6 --json; ink plan dedup --threads 2 --exact -n 1e6 -p 0.01 --memory 2M --tsv
{"level":"exact","keys":1000000,"table":true,"memory":16777344}
{"level":"ngrams","keys":1000000,"table":false,"rate":0.0001,"memory":3309568}
{"level":"work","memory":18399232}
{"level":"all","memory":38486144}
level	keys	table	rate	memory	passes	disk	files	bytes	permutations	bands	rows	similarity	compared	removed
exact	1000000	false	0.01	1318912										
work				12050432										
all				13369344										
$ ink plan dedup --threads 2 --near 0.8 -n 1e5; ink plan dedup --threads 2 --near 0.8 -n 1e5 --json | head -n 1
level   texts   memory  on disk  permutations  bands  rows
near   100000  76.3 MB   205 MB          2048     46    11
work           17.2 MB
all            93.5 MB

level  similarity  compared  removed
near         0.50      0.02     0.00
near         0.60      0.15     0.00
near         0.65      0.33     0.00
near         0.70      0.60     0.00
near         0.75      0.86     0.00
near         0.78      0.95     0.01
near         0.80      0.98     0.50
near         0.82      1.00     0.99
near         0.85      1.00     1.00
near         0.90      1.00     1.00
near         0.95      1.00     1.00
near         1.00      1.00     1.00
{"level":"near","keys":100000,"memory":76311120,"disk":204800000,"permutations":2048,"bands":46,"rows":11}
$ ink plan dedup in/a.jsonl --json | sed 's/"memory":[0-9]*/"memory":M/'
{"level":"exact","keys":65546,"table":true,"memory":M}
{"level":"work","memory":M}
{"level":"all","memory":M,"files":1,"bytes":592}
$ ink dedup --dry-run in; ink dedup --bad fail --dry-run in; ink dedup --bad keep --dry-run --tsv in | cut -f 1,2,4,7,11
level	texts	removed	kept	bad
exact	11	3		
all	11	3	9	1
! ink: in/b.jsonl: line 4: 'b', expected a name in quotes or }; --bad skip skips such records
! ink: in/b.jsonl: line 4: 'b', expected a name in quotes or }
