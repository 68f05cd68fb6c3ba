# Building of a part and adding the rest gives the digest of building of both, in groups or not.
$ seq 1 3000 | sed 's/\(.*\)\(.\)$/\1\2\t\2/' > a.tsv; seq 2001 6000 | sed 's/\(.*\)\(.\)$/\1\2\t\2/' > b.tsv
$ same() { ink build "$@" --key 1 -o ab.ink a.tsv b.tsv && ink build "$@" --key 1 --force -o a.ink a.tsv && ink add a.ink b.tsv && test $(ink info --digest a.ink) = $(ink info --digest ab.ink) && echo same; rm -f ab.ink; }; for kind in "bloom -n 1e4" "classic -n 1e4" "classic -n 1e4 --hash mmh3" "counting -n 1e4" "scalable -n 100" count-min fm hll theta "theta --precision 4" "bloom,counting,hll,count-min -n 1e4"; do same $kind; same $kind --by 2; done
same
same
same
same
same
same
same
same
same
same
same
same
same
same
same
same
same
same
same
same
same
same
$ for threads in 1 2 7; do ink build top,scalable,hll -n 100 --key 1 -o x$threads.ink a.tsv; ink add --threads $threads x$threads.ink b.tsv; done; cmp x1.ink x2.ink && cmp x1.ink x7.ink
