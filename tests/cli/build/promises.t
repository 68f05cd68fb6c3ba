# A classic of few keys promises more than its target: build says so, and info has both; bloom and many keys do not.
$ seq 10 > w; ink build classic,bloom -o few.ink w; ink info --tsv few.ink | cut -f 1,9,10; ink build -q classic --force -o few.ink w
kind	target_rate	promised_rate
bloom	0.01	0.01
classic	0.01	0.021639209854913615
! ink: few.ink: 1 filter has a promise more than a tenth above the target: classic for 10 keys, target 0.01, promised 0.0216; expected a lower -p, or bloom
$ printf 'a,1\nb,1\nc,2\n' > g.csv; ink build classic --key 1 --by 2 -o groups.ink g.csv; seq 10000 | ink build classic -o many.ink
! ink: groups.ink: 2 filters have promises more than a tenth above the target: classic for 1 key, target 0.01, promised 0.0383; expected a lower -p, or bloom
$ ink build classic -o - w > few.ink; ink build -q classic -o - w | cmp - few.ink
! ink: standard output: 1 filter has a promise more than a tenth above the target: classic for 10 keys, target 0.01, promised 0.0216; expected a lower -p, or bloom
$ seq 20 > twenty; for p in 0.01 0.001 0.1; do for as in '--as spark-v1 -p' 'classic -p'; do ink build $as $p --force -o x.bin twenty; done; done; ink build --as spark-v1 -n 20 --bits 64 --hashes 2 --force -o x.bin twenty; ink build --as spark-v1 --force -o x.bin twenty
! ink: x.bin: 1 filter has a promise more than a tenth above the target: classic for 20 keys, target 0.01, promised 0.0182; expected a lower -p
! ink: x.bin: 1 filter has a promise more than a tenth above the target: classic for 20 keys, target 0.01, promised 0.0182; expected a lower -p, or bloom
! ink: x.bin: 1 filter has a promise more than a tenth above the target: classic for 20 keys, target 0.001, promised 0.00196; expected a lower -p, or bloom
! ink: x.bin: 1 filter has a promise more than a tenth above the target: classic for 20 keys, target 0.1, promised 0.153; expected a lower -p, or bloom
! ink: x.bin: 1 filter has a promise more than a tenth above the target: classic for 20 keys, target 0.01, promised 0.0182; expected a lower -p
$ ink build classic -n 700 -o x.ink w; ink build classic -n 1000 --force -o x.ink w
! ink: x.ink: 1 filter has a promise more than a tenth above the target: classic for 700 keys, target 0.01, promised 0.0114; expected a lower -p, or bloom
! ink: x.ink: 1 filter has a promise more than a tenth above the target: classic for 1000 keys, target 0.01, promised 0.0112; expected a lower -p, or bloom
