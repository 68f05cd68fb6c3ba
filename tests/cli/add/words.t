# Records are added as if they had been there from the beginning; nothing is printed.
$ seq 1000 > words.txt; seq 900 1200 > more.txt; ink build bloom --headroom 4x -o words.ink words.txt
$ ink add words.ink more.txt; ls -A
more.txt
words.ink
words.txt
$ ink info words.ink; ink filter -c words.ink more.txt | sed -n 5,6p
words.ink: 1 sketch of bytes keys, hash xxh3, seed 7597127734790088481
read as: lines

kind   keys   bits  hashes    size  bits/key  target  promised   current  records
bloom  4000  43520       8  5.4 kB     10.88  0.0100    0.0100  1.26e-05     1301
admitted       301
rejected         0
$ ink add words.ink < more.txt; seq 7 | ink add words.ink more.txt -; ink info --tsv words.ink | cut -f12
records
1910
$ gzip more.txt; ink add --threads 3 --quiet words.ink more.txt.gz && ink info --tsv words.ink | cut -f12
records
2211
$ : | ink add words.ink; ink info --tsv words.ink | cut -f12
records
2211
