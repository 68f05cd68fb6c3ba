# Keys are counted in data, with --keys-from; options of input are about the data then.
$ printf 'ant\nbee\nant\ncat\nbee\nant\n' > a.txt; printf 'ant\ndog\n' > k.txt
$ ink count --keys-from k.txt a.txt
  estimate         low        high  key
         3           2           3  ant
         0           0           0  dog
$ ink count --keys-from k.txt < a.txt
  estimate         low        high  key
         3           2           3  ant
         0           0           0  dog
$ ink count --keys-from - a.txt < k.txt
  estimate         low        high  key
         3           2           3  ant
         0           0           0  dog
$ ink count --keys-from k.txt a.txt a.txt --json
{"kind":"count-min","key":"ant","estimate":6,"low":5,"high":6,"confidence":0.9932620530009145}
{"kind":"count-min","key":"dog","estimate":0,"low":0,"high":0,"confidence":0.9932620530009145}
$ ink count --keys-from k.txt --kind top --json a.txt
{"kind":"top","key":"ant","estimate":3,"low":3,"high":3,"confidence":1}
{"kind":"top","key":"dog","estimate":0,"low":0,"high":0,"confidence":1}
$ ink count --keys-from k.txt --eps 0.1 --delta 0.1 --conservative --counters 64 --json a.txt
{"kind":"count-min","key":"ant","estimate":3,"low":2,"high":3,"confidence":0.950212931632136}
{"kind":"count-min","key":"dog","estimate":0,"low":0,"high":0,"confidence":0.950212931632136}
$ ink count --keys-from k.txt --width 100 --depth 2 --json a.txt
{"kind":"count-min","key":"ant","estimate":3,"low":2,"high":3,"confidence":0.8646647167633873}
{"kind":"count-min","key":"dog","estimate":0,"low":0,"high":0,"confidence":0.8646647167633873}
$ printf 'x ant 3\ny ant 4\nx bee 5\n' > d.txt; ink count --keys-from k.txt --fields --key 2 --weight 3 d.txt
  estimate         low        high  key
         7           6           7  ant
         0           0           0  dog
$ ink count --keys-from k.txt --fields --key 2 --weight 3 --by 1 d.txt
  estimate         low        high  group  key
         3           2           3  x      ant
         4           3           4  y      ant
         0           0           0  x      dog
         0           0           0  y      dog
$ ink count --keys-from k.txt --fields --key 2 --by 1 --groups y d.txt
  estimate         low        high  group  key
         1           0           1  y      ant
         0           0           0  y      dog
$ printf '07\n7\n' > i.txt; printf '7\n' > ik.txt; ink count --keys-from ik.txt --key-type int i.txt
  estimate         low        high  key
         2           1           2  7
$ printf '0123456789abcdef' > s; ink count --keys-from k.txt --secret s a.txt
  estimate         low        high  key
         3           2           3  ant
         0           0           0  dog
$ printf 'zebra\n' > z.txt; ink count --keys-from z.txt a.txt
  estimate         low        high  key
         0           0           0  zebra
? 1
$ ink count -q --keys-from z.txt a.txt
? 1
$ ink count --keys-from nothere nothere-either
!4 ink: nothere: cannot open: No such file or directory
$ printf 'ant\n' > k.txt; ink build count-min -o k.ink k.txt; ink count --keys-from k.ink nothere
!3 ink: k.ink: an .ink file, expected keys, a line each
$ ink count --keys-from . k.txt
!4 ink: .: cannot read: Is a directory
$ printf 'ant\nbee\n' | ink count --keys-from - k.txt
  estimate         low        high  key
         1           0           1  ant
         0           0           0  bee
