# A fuse is made of all keys at once: no number of keys, no headroom, and nothing changes it.
$ seq 1000 > a.txt; seq 500 1500 > b.txt; ink build fuse -p 0.004 -o a.ink a.txt; ink filter a.ink b.txt | head -501 | tail -1; ink filter -v a.ink b.txt | wc -l
1000
497
$ ink build fuse -p 0.004 -o ab.ink a.txt b.txt; ink build fuse -p 0.004 -o ba.ink b.txt a.txt --threads 3; test $(ink info --digest ab.ink) = $(ink info --digest ba.ink) && echo same
same
$ ink distinct ab.ink; ink distinct --kind fuse a.txt b.txt
1500
1500
$ yes same | head -1000 | ink build fuse -o - | ink info --json - | grep -o -e '"keys":1,' -e '"records":1000,'
"keys":1,
"records":1000,
$ for n in 0 1 10; do seq $n > few.txt; ink build fuse -o - few.txt | ink verify - few.txt | tail -1 | cut -d, -f1; done
kept: no members to find
kept: all 1 members found
kept: all 10 members found
$ ink build fuse -n 100 -o x.ink a.txt
!2 ink: --keys 100 for fuse, whose size follows from its keys: leave it out
$ ink build fuse --headroom 2 -o x.ink a.txt
!2 ink: --headroom 2 for fuse, which takes no key once it is made: leave it out
$ ink build fuse -p 0.2 -o x.ink a.txt
!2 ink: --rate 0.2, expected 2.32831e-10 to less than 0.125 for fuse
$ ink build fuse -p 1e-12 -o x.ink a.txt
!2 ink: --rate 1e-12, expected 2.32831e-10 to less than 0.125 for fuse
$ seq 2000 3000 > no.txt; ink build fuse -p 2.3283064365386963e-10 -o - a.txt | ink verify --absent no.txt - a.txt | tail -1 | cut -d, -f1
kept: all 1000 members found
$ ink merge a.ink ab.ink -o x.ink
!3 ink: ab.ink: a fuse never changes: build one of all keys, from several inputs at once
$ ink add a.ink b.txt
!3 ink: a.ink: a fuse never changes: build one of all keys, from several inputs at once
$ ink fold a.ink -o x.ink
!3 ink: a.ink: the file holds nothing that can be folded, expected a filter
$ awk '{print $1 "\t" $1 % 7}' a.txt > g.tsv; ink build fuse --in tsv --key 1 --by 2 -o g.ink g.tsv; ink verify g.ink g.tsv | tail -1 | cut -d, -f1; ls *.ink
kept: all 1000 members found
a.ink
ab.ink
ba.ink
g.ink
$ seq 400000 > n.txt; for threads in 1 2 64; do ink build fuse --threads $threads --force -o n.ink n.txt; ink info --digest n.ink; done | uniq | wc -l
1
$ ink map fuse n.txt | ink reduce fuse -o r.ink; ink build fuse --memory 1M --force -o m.ink n.txt; for name in n r m; do ink info --digest $name.ink; done | uniq | wc -l
1
