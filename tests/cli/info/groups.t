# Groups are chosen by a pattern; strange ones are shown so that nothing happens to the terminal.
$ printf 'x\tuser-1\ny\tuser-2\nz\tgroup\nw\t\033[31mred\377\nv\t\303\244\n' > d.tsv; ink build bloom --key 1 --by 2 -o d.ink d.tsv
$ ink info d.ink
d.ink: 5 sketches of bytes keys, hash xxh3, seed 7597127734790088481
read as: tsv, key 1, by 2

kind   group            keys  bits  hashes  size  bits/key  target  promised   current  records
bloom  \x1b[31mred\xff     1   256       8  32 B    256.00  0.0100    0.0100  9.09e-13        1
bloom  group               1   256       8  32 B    256.00  0.0100    0.0100  9.09e-13        1
bloom  user-1              1   256       8  32 B    256.00  0.0100    0.0100  9.09e-13        1
bloom  user-2              1   256       8  32 B    256.00  0.0100    0.0100  9.09e-13        1
bloom  ä                   1   256       8  32 B    256.00  0.0100    0.0100  9.09e-13        1
$ ink info --groups 'user-?' --json d.ink | cut -c 1-35
{"kind":"bloom","group":"user-1","k
{"kind":"bloom","group":"user-2","k
$ ink info --groups 'user' d.ink
? 1
$ ink info -q --groups 'user' d.ink
? 1
$ ink info -q --groups 'user-2' d.ink
$ ink info --json d.ink | grep -o '"group[_hex]*":"[^,]*'
"group_hex":"1b5b33316d726564ff"
"group":"group"
"group":"user-1"
"group":"user-2"
"group":"ä"
$ ink info --tsv d.ink | cut -f 2 | od -c | head -2
0000000   g   r   o   u   p  \n 033   [   3   1   m   r   e   d 377  \n
0000020   g   r   o   u   p  \n   u   s   e   r   -   1  \n   u   s   e
$ printf 'a\t\300\257\nb\t\355\240\200\nc\t\364\220\200\200\nd\t\303\ne\t\302\205\nf\ta\\b\n' > e.tsv; ink build hll --key 1 --by 2 -o e.ink e.tsv && ink info e.ink
e.ink: 6 sketches of bytes keys, hash xxh3, seed 7597127734790088481
read as: tsv, key 1, by 2

kind  group             size  records  precision    error  distinct
hll   a\x5cb             3 B        1         14  0.00812         1
hll   \xc0\xaf           3 B        1         14  0.00812         1
hll   \xc2\x85           3 B        1         14  0.00812         1
hll   \xc3               3 B        1         14  0.00812         1
hll   \xed\xa0\x80       3 B        1         14  0.00812         1
hll   \xf4\x90\x80\x80   3 B        1         14  0.00812         1
$ ink info --json e.ink | grep -o '"group[_hex]*":"[^,]*'
"group":"a\\b"
"group_hex":"c0af"
"group":"\u0085"
"group_hex":"c3"
"group_hex":"eda080"
"group_hex":"f4908080"
$ seq 10 | ink build hll -o plain.ink; ink info --groups 'a*' plain.ink
!2 ink: --groups, but plain.ink has no groups; see ink help info
$ ink info --groups 'a*' --tsv < plain.ink
!2 ink: --groups, but standard input has no groups; see ink help info
$ ink build hll --fields --by 1 --key 2 -o none.ink < /dev/null; ink info --groups x none.ink; ink info -q --groups x none.ink
? 1
