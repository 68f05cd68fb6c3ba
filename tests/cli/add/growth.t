# A file without groups grows within --memory too: a few bytes describe a level for any number of keys.
$ : | ink build scalable -n 1e8 -o far.ink && wc -c < far.ink
264
$ ink add --memory 64M -e x far.ink
!5 ink: far.ink: with these keys the sketches grow by more than 67108864 bytes, expected fewer or smaller ones, or more memory (--memory)
$ ink add --memory 64M --once -e x far.ink
!5 ink: far.ink: with these keys the sketches grow by more than 67108864 bytes, expected fewer or smaller ones, or more memory (--memory)
$ ls far.ink*; ink info --tsv far.ink | cut -f12
far.ink
records
0
$ ink add --memory 1G -e x far.ink && ink info --tsv far.ink | cut -f12
records
1
