# Records are lines, CSV, TSV, JSON, NUL-ended or integers; the suffix decides, also before .gz and .zst.
$ printf 'id,user\n1,ann\n2,"b,ob"\n3,\n4,"e""ve"\n' > d.csv; printf 'id\tuser\n1\tann\n2\tb,ob\n3\t\n4\te"ve\n' > d.tsv
$ printf '{"id":1,"u":{"n":"ann"}}\n{"id":2,"u":{"n":"b,ob"}}\n{"u":{"n":""}}\n{"u":{"n":"e\\"ve"}}\n' > d.jsonl; printf 'ann\0b,ob\0\0e"ve\0' > d; printf 'ann\nb,ob\n\ne"ve\n' > lines
$ ink build bloom --header --key user -o 1 d.csv; ink build bloom --header --key 2 -o 2 d.tsv; ink build bloom --key u.n -o 3 d.jsonl; ink build bloom --in nul -o 4 d; ink build bloom -o 5 lines
$ gzip -k d.csv d.jsonl; ink build bloom --header --key user -o 6 d.csv.gz; ink build bloom --key u.n -o 7 d.jsonl.gz; ink build bloom --in lines -d ';' --key 1 -o 8 lines; printf 'x ann 1\nx  b,ob\n x\t"" 3\nx e"ve\n' | sed 's/""/e"ve/' | ink build bloom --fields --key 2 -o 9 -
$ for i in 2 3 4 5 6 7 8; do test $(ink info --digest $i) = $(ink info --digest 1) || echo $i differs; done; ink info --tsv 9 | cut -f 4
keys
3
$ ink info 1; ink info 9 | sed -n 2p
1: 1 sketch of bytes keys, hash xxh3, seed 7597127734790088481
read as: csv, header, key user

kind   keys  bits  hashes  size  bits/key  target  promised   current  records
bloom     4   256       8  32 B     64.00  0.0100    0.0100  4.47e-08        4
read as: lines, fields, key 2
$ printf '\1\0\0\0\2\0\0\0\377\377\377\377' | ink build bloom --in u32 -o u.ink; ink filter -e 1 -e 2 -e 3 -e 4294967295 u.ink
1
2
4294967295
$ printf '1\n2\n4294967295\n' | ink build bloom --key-type int -o i.ink; test $(ink info --digest i.ink) = $(ink info --digest u.ink) && echo same
same
