# Each rating's filter is tested with the films of all other ratings.
$ ink gen imdb -o ratings.tsv; ink build bloom -p 0.01 --header --key tconst --by averageRating --round half-even -o ratings.ink ratings.tsv
$ ink verify ratings.ink --truth ratings.tsv
kind   group   tested  false pos.  measured  95% low  95% high  target  promised  current
bloom  1      1258333       10796   0.00858  0.00842   0.00874  0.0100    0.0100  0.00863
bloom  2      1253118       10649   0.00850  0.00834   0.00866  0.0100    0.0100  0.00863
bloom  3      1243782       11358   0.00913  0.00897   0.00930  0.0100    0.0100  0.00912
bloom  4      1209910       11875   0.00981  0.00964   0.00999  0.0100    0.0100  0.00980
bloom  5      1163963       11421   0.00981  0.00963   0.00999  0.0100    0.0100  0.00971
bloom  6      1007552        9765   0.00969  0.00950   0.00988  0.0100    0.0100  0.00978
bloom  7       911364        8950   0.00982  0.00962    0.0100  0.0100    0.0100  0.00980
bloom  8       890592        8498   0.00954  0.00934   0.00975  0.0100    0.0100  0.00976
bloom  9      1165659       11370   0.00975  0.00958   0.00993  0.0100    0.0100  0.00974
bloom  10     1243080       11597   0.00933  0.00916   0.00950  0.0100    0.0100  0.00946

kept: all 1260817 members found, 106279 false positives in 11347353 tests, 113474 promised, broken above 115070
$ ink verify --json ratings.ink ratings.tsv | head -2
{"kind":"bloom","group":"1","tested":1258333,"false_positives":10796,"rate":0.008579604921749648,"low":0.008419954868073131,"high":0.008742255398125627,"target":0.01,"promised":0.01,"current":0.008631145253944714,"denied":0,"ok":true}
{"kind":"bloom","group":"10","tested":1243080,"false_positives":11597,"rate":0.009329246709785372,"low":0.0091617565467091,"high":0.009499769478435649,"target":0.01,"promised":0.01,"current":0.009458151789694228,"denied":0,"ok":true}
$ ink build classic --hash mmh3 -p 0.1 --header --key tconst --by averageRating --round half-even -o classic.ink ratings.tsv && ink verify classic.ink --truth ratings.tsv
kind     group   tested  false pos.  measured  95% low  95% high  target  promised  current
classic  1      1258333      127256     0.101    0.101     0.102   0.100     0.105    0.101
classic  2      1253118      126189     0.101    0.100     0.101   0.100     0.103    0.101
classic  3      1243782      124815     0.100   0.0998     0.101   0.100     0.103    0.100
classic  4      1209910      123015     0.102    0.101     0.102   0.100     0.102    0.101
classic  5      1163963      116380     0.100   0.0994     0.101   0.100     0.101    0.100
classic  6      1007552      100995     0.100   0.0997     0.101   0.100     0.101    0.101
classic  7       911364       91665     0.101    0.100     0.101   0.100     0.101    0.101
classic  8       890592       89512     0.101   0.0999     0.101   0.100     0.101    0.101
classic  9      1165659      117530     0.101    0.100     0.101   0.100     0.101    0.101
classic  10     1243080      125771     0.101    0.101     0.102   0.100     0.102    0.102

kept: all 1260817 members found, 1143128 false positives in 11347353 tests, 1160752 promised, broken above 1165608
