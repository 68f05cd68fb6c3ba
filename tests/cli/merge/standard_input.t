# A file of sketches may come from standard input; what cannot be folded is taken along, and what does not shrink keeps its promise.
$ seq 100 > w; ink build bloom,hll -n 100 -o a.ink w; cat a.ink | ink merge -o b.ink -; cmp a.ink b.ink && echo the same
the same
$ cat a.ink | ink fold -p 0.5 -o c.ink -; ink info --json c.ink | cut -d, -f1-3
{"kind":"bloom","keys":[...],"bits":[...]
{"kind":"hll","bytes":[...],"records":100
$ seq 3 > v; ink build bloom -o small.ink v; ink fold -p 0.5 -o d.ink small.ink; ink info --digest d.ink > one; ink info --digest small.ink | cmp - one && echo nothing to fold
nothing to fold
$ printf 'nothing' | ink merge -o x.ink -
!3 ink: standard input: byte 0: [...]
