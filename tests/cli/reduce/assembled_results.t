# Verification results of ranges of keys, put together, are those of ink verify.
$ ink gen imdb | head -5000 > r.tsv; ink build bloom --header --key tconst --by averageRating --round half-even -o r.ink r.tsv
$ ink verify r.ink --truth r.tsv > told; ink map --verify r.ink < r.tsv | ink reduce --verify r.ink > part-0; ink reduce --verify r.ink --assemble part-0 | diff told -
$ ink build fuse --header --key tconst -o fuse.ink r.tsv; ink verify fuse.ink r.tsv > told; ink map --verify fuse.ink < r.tsv | ink reduce --verify fuse.ink | ink reduce --verify fuse.ink --assemble - | diff told -
$ ink reduce --verify r.ink --assemble -q part-0
$ ink reduce --verify r.ink --assemble --json part-0 | head -1
{"kind":"bloom","group":"1","tested":4995,"false_positives":0,"rate":0,"low":0,"high":0.0007684698249262689,"target":0.01,"promised":0.01,"current":4.470348358154297e-08,"denied":0,"ok":true}
$ ink reduce --verify r.ink --assemble part-0 part-0
!3 ink: part-0: byte 12: a part of a verification in 1 parts, expected 2
$ ink reduce --verify r.ink --assemble r.tsv
!3 ink: r.tsv: byte 0: other first bytes, expected a whole part of a verification, as it was encoded
$ ink reduce --verify r.ink --assemble nowhere
!4 ink: nowhere: cannot read: No such file or directory
$ ink map --verify r.ink < r.tsv | ink reduce --verify r.ink --buckets 2 --bucket 1 > part-1
!3 ink: standard input: a piece with keys of bucket 0, expected those of bucket 1 alone, of 2 that are ranges
$ head -50 r.tsv > few.tsv; ink build bloom --header --key tconst -o few.ink few.tsv; ink map --verify few.ink < r.tsv | ink reduce --verify few.ink | ink reduce --verify few.ink --assemble -
kind   tested  false pos.  measured   95% low  95% high  target  promised   current  denied
bloom  646117         439  0.000679  0.000619  0.000746  0.0100    0.0100  0.000630    4949  denies members

broken: 4949 true members are denied; 439 false positives in 646117 tests, 6461 promised, broken above 6845; non-members are random keys
? 1
$ seq 1000 > n; ink build bloom --seed 0 -o zero.ink n; ink verify zero.ink n > told; ink map --verify zero.ink < n | ink reduce --verify zero.ink | ink reduce --verify zero.ink --assemble - | diff told -
$ ink build bloom -o half.ink n; ink reduce --verify half.ink --buckets 2 < /dev/null > first; ink reduce --verify half.ink --buckets 2 --assemble first; ink reduce --verify half.ink --assemble first
! ink: no verification result for bucket 1, expected one for each of 2
!3 ink: first: byte 12: a part of a verification in 2 parts, expected 1
