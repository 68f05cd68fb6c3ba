# A filter for each rating: the table of ratings, group by group.
$ ink gen imdb -o ratings.tsv
$ ink build bloom -p 0.01 --header --key tconst --by averageRating --round half-even -o ratings.ink ratings.tsv
$ ink info ratings.ink
ratings.ink: 10 sketches of bytes keys, hash xxh3, seed 7597127734790088481
read as: tsv, header, key tconst, by averageRating rounded half-even

kind   group    keys     bits  hashes     size  bits/key  target  promised  current  records
bloom  1        2484    27136       8   3.4 kB     10.92  0.0100    0.0100  0.00863     2484
bloom  2        7699    82944       8  10.4 kB     10.77  0.0100    0.0100  0.00863     7699
bloom  3       17035   182272       8  22.8 kB     10.70  0.0100    0.0100  0.00912    17035
bloom  4       50907   540672       8  67.6 kB     10.62  0.0100    0.0100  0.00980    50907
bloom  5       96854  1026048       8   128 kB     10.59  0.0100    0.0100  0.00971    96854
bloom  6      253265  2678784       8   335 kB     10.58  0.0100    0.0100  0.00978   253265
bloom  7      349453  3694592       8   462 kB     10.57  0.0100    0.0100  0.00980   349453
bloom  8      370225  3915776       8   489 kB     10.58  0.0100    0.0100  0.00976   370225
bloom  9       95158  1009664       8   126 kB     10.61  0.0100    0.0100  0.00974    95158
bloom  10      17737   189440       8  23.7 kB     10.68  0.0100    0.0100  0.00946    17737
$ ink build classic --hash mmh3 -p 0.01 --header --key tconst --by averageRating --round half-even -o classic.ink ratings.tsv
$ ink info classic.ink
classic.ink: 10 sketches of bytes keys, hash mmh3, seed 0
read as: tsv, header, key tconst, by averageRating rounded half-even

kind     group    keys     bits  hashes     size  bits/key  target  promised  current  records
classic  1        2484    23809       7   3.0 kB      9.58  0.0100    0.0108   0.0102     2484
classic  2        7699    73795       7   9.2 kB      9.59  0.0100    0.0105   0.0103     7699
classic  3       17035   163281       7  20.4 kB      9.59  0.0100    0.0103   0.0101    17035
classic  4       50907   487947       7  61.0 kB      9.59  0.0100    0.0102   0.0101    50907
classic  5       96854   928351       7   116 kB      9.59  0.0100    0.0102   0.0100    96854
classic  6      253265  2427560       7   303 kB      9.59  0.0100    0.0101   0.0101   253265
classic  7      349453  3349527       7   419 kB      9.59  0.0100    0.0101   0.0100   349453
classic  8      370225  3548628       7   444 kB      9.59  0.0100    0.0101   0.0100   370225
classic  9       95158   912095       7   114 kB      9.59  0.0100    0.0102   0.0100    95158
classic  10      17737   170010       7  21.3 kB      9.59  0.0100    0.0103  0.00996    17737
