# Keys whose hash is 0, 1, 2^64 - 2, 2^64 - 1 or 2^63 (of ints with seed 0) are keys like any other, by every way into a file.
$ printf '%s\n' 0 5818379579481681392 -5212356489901255833 -8528264022506211158 1401494638771588894 > k; seq 1000 3000 > more; cat k more k > all; sed 's/$/\tg/' k > kg; printf 'for f; do ink filter $f k | cmp - k || echo $f; done\n' > ask; printf 'i=$1; kind=$2; shift 2; ink build $kind --key-type int --seed 0 -p 1e-3 -q "$@" $i\n' > build
$ for k in bloom classic counting scalable fuse; do sh build k $k -o $k.ink; sh ask $k.ink; sh build all $k -o $k-all.ink; sh ask $k-all.ink; done; ls *.ink | wc -l
10
$ for k in bloom classic counting scalable; do sh build all $k -n 5000 -o $k-n.ink; sh ask $k-n.ink; done; ls *-n.ink | wc -l
4
$ for k in bloom classic counting fuse; do sh build all $k --memory 1M --temp . -o $k-r.ink; cmp $k-r.ink $k-all.ink; cat all | sh build - $k -o $k-p.ink; cmp $k-p.ink $k-all.ink; done; ls *-p.ink | wc -l
4
$ for k in bloom classic counting scalable; do sh build kg $k --key 1 --by 2 --in tsv -o $k-g.ink; ink filter --no-groups --key 1 --in tsv $k-g.ink kg | cmp - kg; done; ls *-g.ink | wc -l
4
$ for k in bloom classic counting scalable; do sh build more $k -n 5000 -o $k-u.ink; ink filter $k-u.ink k; ink add -q $k-u.ink k; sh ask $k-u.ink; done; ls *-u.ink | wc -l
4
$ ink remove -q counting-all.ink k; sh ask counting-all.ink; ink remove -q counting-all.ink k; ink filter counting-all.ink k   # all has them twice
? 1
$ for k in bloom classic counting fuse; do ink map $k --key-type int --seed 0 -p 1e-3 more k k > piece; ink reduce $k --key-type int --seed 0 -p 1e-3 -q -o $k-m.ink piece; sh ask $k-m.ink; done; ls *-m.ink | wc -l
4
$ for k in 'count-min' 'top -k 3000'; do ink build $k --key-type int --seed 0 -q -o "${k%% *}.ink" all; ink count --tsv "${k%% *}.ink" k | cut -f 1,4,5; done
kind	key	estimate
count-min	0	2
count-min	5818379579481681392	2
count-min	-5212356489901255833	2
count-min	-8528264022506211158	2
count-min	1401494638771588894	2
kind	key	estimate
top	0	2
top	5818379579481681392	2
top	-5212356489901255833	2
top	-8528264022506211158	2
top	1401494638771588894	2
