# A seed of one's own, 0 among them, gives other bits than the default.
$ seq 100 > w; for s in 0 1 7597127734790088481; do ink build bloom --seed $s -o $s.ink w; ink info $s.ink | head -1; done; ink build bloom -o default.ink w; cmp default.ink 7597127734790088481.ink
0.ink: 1 sketch of bytes keys, hash xxh3, seed 0
1.ink: 1 sketch of bytes keys, hash xxh3, seed 1
7597127734790088481.ink: 1 sketch of bytes keys, hash xxh3, seed 7597127734790088481
$ ink build bloom --hash xxh64 -o x.ink w && ink info x.ink | head -1; ink build bloom --hash xxh64 --seed 0 -o y.ink w && cmp x.ink y.ink
x.ink: 1 sketch of bytes keys, hash xxh64, seed 0
$ ink build hll --key-type int --hash mix64 -o i.ink w && ink info i.ink | head -1
i.ink: 1 sketch of int keys, hash mix64, seed 7597127734790088481
