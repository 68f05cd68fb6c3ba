# Options stand anywhere, joined or apart, up to --.
$ seq 100 > w; ink build -p0.001 bloom w -oa.ink -n 1e3; ink build bloom --rate=0.001 --keys=1000 --output=b.ink w; ink build -qp 0.001 -n1000 -o c.ink -- bloom w
$ ink info --digest a.ink > a; for f in b c; do ink info --digest $f.ink | cmp - a; done
$ cp w ./-w; ink build bloom -o d.ink -- -w && ink info --json d.ink | grep -o '"keys":100,'
"keys":100,
$ ink build bloom -o=e.ink w; ls
-w
=e.ink
a
a.ink
b.ink
c.ink
d.ink
w
