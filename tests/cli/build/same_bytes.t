# The same data gives the same bytes, on any number of threads, and from a file or from a pipe.
$ ink gen zipf -n 3e5 -o data
$ for t in 1 2 5; do ink build bloom,hll,theta,fm,count-min,counting,classic,top,scalable --threads $t -o $t.ink data; done; cat data | ink build bloom,hll,theta,fm,count-min,counting,classic,top,scalable -o pipe.ink; ink build bloom,hll,theta,fm,count-min,counting,classic,top,scalable -o - data > out.ink
$ for f in 2 5 pipe out; do cmp 1.ink $f.ink; done
$ split -l 100000 data part-; ink build bloom -o parts.ink part-*; ink build bloom -o whole.ink data; cmp parts.ink whole.ink
$ ink build bloom --memory 1M --temp . -o small.ink data && cmp small.ink whole.ink; cat data | ink build bloom --memory 1M -o small2.ink && cmp small2.ink whole.ink; ls -A
1.ink
2.ink
5.ink
data
out.ink
part-aa
part-ab
part-ac
parts.ink
pipe.ink
small.ink
small2.ink
whole.ink
