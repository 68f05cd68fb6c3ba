# Keys of -e are counted exactly in data: the first bytes of the files say what they are. With a kind or a size a sketch is built; sketches are merged.
$ printf 'ant\nbee\nant\ncat\nbee\nant\n' > a.txt; ink count -e ant -e dog -e ant a.txt
   exactly  key
         3  ant
         0  dog
         3  ant
$ ink count -e ant --json a.txt a.txt; ink count -e ant --json < a.txt; gzip -k a.txt; cat a.txt | ink count -e ant --json - a.txt.gz
{"key":"ant","estimate":6,"low":6,"high":6,"confidence":1}
{"key":"ant","estimate":3,"low":3,"high":3,"confidence":1}
{"key":"ant","estimate":6,"low":6,"high":6,"confidence":1}
$ ink count -e ant --tsv a.txt
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
			ant	3	3	3	1			
$ ink count -e '' --json a.txt
{"key":"","estimate":0,"low":0,"high":0,"confidence":1}
? 1
$ ink count -q -e dog a.txt
? 1
$ printf 'x ant 3\ny ant 4\nx bee 5\nz cat 6\n' > d.txt; ink count -e ant -e bee --fields --key 2 --weight 3 --by 1 d.txt
   exactly  group  key
         3  x      ant
         4  y      ant
         0  z      ant
         5  x      bee
         0  y      bee
         0  z      bee
$ ink count -e ant --fields --key 2 --by 1 --groups '[yz]' --json d.txt
{"group":"y","key":"ant","estimate":1,"low":1,"high":1,"confidence":1}
{"group":"z","key":"ant","estimate":0,"low":0,"high":0,"confidence":1}
$ printf '07\n7\n' > i.txt; ink count -e 7 -e 007 --key-type int --json i.txt
{"key":"7","estimate":2,"low":2,"high":2,"confidence":1}
{"key":"7","estimate":2,"low":2,"high":2,"confidence":1}
$ ink count -e x --key-type int i.txt
!3 ink: the keys of -e: key 1: "x", expected an integer key
$ printf '0123456789abcdef' > s; ink count -e ant --secret s --threads 3 --json a.txt
{"key":"ant","estimate":3,"low":3,"high":3,"confidence":1}
$ seq 3000 | sed 's/.*/-e &/' > many; seq 1 2 5000 | ink count $(cat many) --json | awk -F, '{print $2, $3, $4, $5}' | sort | uniq -c
   1500 "estimate":0 "low":0 "high":0 "confidence":1}
   1500 "estimate":1 "low":1 "high":1 "confidence":1}
$ ink count -e ant --kind top --json a.txt; ink count -e ant --eps 0.1 --json a.txt
{"kind":"top","key":"ant","estimate":3,"low":3,"high":3,"confidence":1}
{"kind":"count-min","key":"ant","estimate":3,"low":2,"high":3,"confidence":0.9932620530009145}
$ ink build count-min -o a.ink a.txt; ink count -e ant --json a.ink a.ink; ink count -e ant --json < a.ink
{"kind":"count-min","key":"ant","estimate":6,"low":5,"high":6,"confidence":0.9932620530009145}
{"kind":"count-min","key":"ant","estimate":3,"low":2,"high":3,"confidence":0.9932620530009145}
$ ink count -e ant --memory 64M --json a.txt
{"key":"ant","estimate":3,"low":3,"high":3,"confidence":1}
