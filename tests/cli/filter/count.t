# The report: functions, size of the set, analysed, admitted, rejected, time.
$ ink gen names -n 20000 --sample 1000 --sample-out set -o flow; ink build bloom -o set.ink set
$ ink filter --count set.ink flow
functions        8
set records   1000
set keys      1000
analysed     20000
admitted      1114
rejected     18886
seconds      [...]
$ ink filter --count --json set.ink flow
{"functions":8,"set_records":1000,"set_keys":1000,"analysed":20000,"admitted":1114,"rejected":18886,"seconds":[...]}
$ ink filter -c --tsv set.ink flow
functions	set_records	set_keys	analysed	admitted	rejected	seconds	groups	false_groups
8	1000	1000	20000	1114	18886	[...]
$ ink filter -cv set.ink set
functions        8
set records   1000
set keys      1000
analysed      1000
admitted      1000
rejected         0
seconds      [...]
? 1
$ ink filter -c set.ink /dev/null
functions        8
set records   1000
set keys      1000
analysed         0
admitted         0
rejected         0
seconds      [...]
? 1
