# What maps write is for reduce: pieces of several maps, in any order, are a build of all.
$ printf 'ant\nbee\n' > a; printf 'bee\ncow\n' > b; cat a b > ab; ink build bloom,hll -o whole.ink ab
$ ink map bloom,hll < a > 1; ink map bloom,hll < b > 2; cat 2 1 | ink reduce bloom,hll > both.ink; cmp whole.ink both.ink
$ ink map bloom,hll b a | ink reduce bloom,hll | cmp whole.ink -
$ ink reduce bloom,hll -o both.ink 1 2
!2 ink: both.ink: already exists; use --force to replace it; see ink help reduce
$ ink reduce bloom,hll --force -o both.ink 1 2 && cmp whole.ink both.ink
$ ink map bloom,hll < /dev/null | ink reduce bloom,hll | ink info -
standard input: 2 sketches of bytes keys, hash xxh3, seed 7597127734790088481
read as: lines

kind   keys  bits  hashes  size  bits/key  target  promised  current  records
bloom     1   256       8  32 B    256.00  0.0100    0.0100        0        0

kind  size  records  precision    error  distinct
hll    0 B        0         14  0.00812         0
$ ink map bloom < a | od -A d -t x1 -N 15
0000000 00 00 00 03 00 00 00 00 00 00 98 49 4e 4b 50
0000015
$ ink map bloom,hll --in csv --key 1 --by 2 --bad skip ab | ink reduce bloom,hll --in csv --key 1 --by 2 | ink info -
standard input: 0 sketches
read as: csv, key 1, by 2
! ink: 4 of 4 records could not be read and were skipped
$ ink map bloom --in csv --key 1 --by 2 -q --bad skip ab > none; wc -c < none
0
$ printf 'a,b\nc\n' | ink map bloom --in csv --key 2 > cut
!3 ink: standard input: line 2: 1 column, expected at least 2; --bad skip skips such records
$ printf 'ant,2\nbee,3\n' > w.csv; ink build bloom --key 1 -n 10 -o plain.ink w.csv; for with in '--weight 2' '--memory 64M'; do ink map --verify plain.ink $with w.csv | ink reduce --verify plain.ink | ink reduce --verify plain.ink --assemble - | tail -n 1; done
kept: all 2 members found, 0 false positives in 646117 tests, 6461 promised, broken above 6845; non-members are random keys
kept: all 2 members found, 0 false positives in 646117 tests, 6461 promised, broken above 6845; non-members are random keys
$ seq 9 | ink map bloom --bits 65536 --ranged | ink reduce bloom --bits 65536 --ranged > bits.pieces; ink reduce --assemble bloom --bits 65536 -o bits.ink bits.pieces; seq 9 | ink build bloom --bits 65536 -o - | cmp - bits.ink
