# New groups of every kind may take --memory and no more; they promise what is allowed.
$ awk 'BEGIN {for (i = 0; i < 20000; i++) print i "\t" i}' > many.tsv; printf 'a\tb\n' > one.tsv
$ for kind in "top --phi 0.01" "scalable -n 100" hll fm "count-min --eps 0.1"; do ink build $kind --key 1 --by 2 --force -o x.ink one.tsv; ink add --memory 2M x.ink many.tsv; ink info --tsv x.ink | wc -l; done
2
2
2
2
2
! ink: x.ink: new groups, and what others have grown by, take more than 2097152 bytes, expected fewer or smaller ones, or more memory (--memory)
! ink: x.ink: new groups, and what others have grown by, take more than 2097152 bytes, expected fewer or smaller ones, or more memory (--memory)
! ink: x.ink: new groups, and what others have grown by, take more than 2097152 bytes, expected fewer or smaller ones, or more memory (--memory)
! ink: x.ink: new groups, and what others have grown by, take more than 2097152 bytes, expected fewer or smaller ones, or more memory (--memory)
! ink: x.ink: new groups, and what others have grown by, take more than 2097152 bytes, expected fewer or smaller ones, or more memory (--memory)
$ ink add --memory 64M x.ink many.tsv && ink info --tsv x.ink | wc -l
20002
$ ink build scalable -n 100 --key 1 --by 2 --rate 0.01 -o s.ink one.tsv; printf 'x\tb\nx\tnew\n' | ink add --max-rate 0.05 s.ink && ink info --tsv s.ink | cut -f2,10
group	promised_rate
b	0.05
new	0.05
