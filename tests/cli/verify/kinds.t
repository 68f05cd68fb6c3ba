# Other kinds are held to their bounds.
$ ink gen zipf -n 1e5 -o data; ink build bloom,classic,counting,scalable,count-min,top,fm,hll,theta -o all.ink data
$ ink verify all.ink --truth data
kind   tested  false pos.  measured  95% low  95% high  target  promised  current
bloom  646117        6039   0.00935  0.00911   0.00958  0.0100    0.0100  0.00933

kind     tested  false pos.  measured  95% low  95% high  target  promised  current
classic  646117        6337   0.00981  0.00957    0.0101  0.0100    0.0103  0.00997

kind      tested  false pos.  measured  95% low  95% high  target  promised  current
counting  646117        6039   0.00935  0.00911   0.00958  0.0100    0.0100  0.00933

kind      tested  false pos.  measured   95% low  95% high  target  promised   current
scalable  646117          49  7.58e-05  5.74e-05  0.000100  0.0100    0.0100  7.28e-05

kind       tested  wrong     error     bound
count-min   28985      0  3.00e-05  1.00e-04

kind  tested  wrong     error     bound
top    28985      0  0.000230  0.000977

kind  tested  wrong   error  bound
fm     28985      0  0.0626  0.645

kind  tested  wrong    error   bound
hll    28985      0  0.00586  0.0400

kind   tested  wrong     error   bound
theta   28985      0  0.000610  0.0709

kept: all 115940 members found, 18464 false positives in 2584468 tests, 26011 promised, broken above 26778; non-members are random keys
$ ink verify --json all.ink --truth data
{"kind":"bloom","tested":646117,"false_positives":6039,"rate":0.00934660440756086,"low":0.009114875859550441,"high":0.009584167235147054,"target":0.01,"promised":0.01,"current":0.00933179097074686,"denied":0,"ok":true}
{"kind":"classic","tested":646117,"false_positives":6337,"rate":0.00980782118408895,"low":0.009570427059812214,"high":0.010051044103687928,"target":0.01,"promised":0.010257730199326309,"current":0.00997244108638491,"denied":0,"ok":true}
{"kind":"counting","tested":646117,"false_positives":6039,"rate":0.00934660440756086,"low":0.009114875859550441,"high":0.009584167235147054,"target":0.01,"promised":0.01,"current":0.00933179097074686,"denied":0,"ok":true}
{"kind":"scalable","tested":646117,"false_positives":49,"rate":7.583765788549132e-05,"low":5.7369609785087434e-05,"high":0.000100250222738431,"target":0.01,"promised":0.01,"current":7.275171905365812e-05,"denied":0,"ok":true}
{"kind":"count-min","tested":28985,"wrong":0,"missed":0,"error":3e-05,"bound":9.999933151083563e-05,"ok":true}
{"kind":"top","tested":28985,"wrong":0,"missed":0,"error":0.00023,"bound":0.0009765625,"ok":true}
{"kind":"fm","tested":28985,"wrong":0,"missed":0,"error":0.06261838241577726,"bound":0.6452593624025593,"ok":true}
{"kind":"hll","tested":28985,"wrong":0,"missed":0,"error":0.0058630036666033935,"bound":0.039965419861193965,"ok":true}
{"kind":"theta","tested":28985,"wrong":0,"missed":0,"error":0.0006103019777802873,"bound":0.07091330837196079,"ok":true}
$ head -50000 data > half; ink verify all.ink --truth half
kind   tested  false pos.  measured  95% low  95% high  target  promised  current
bloom  646117        6039   0.00935  0.00911   0.00958  0.0100    0.0100  0.00933

kind     tested  false pos.  measured  95% low  95% high  target  promised  current
classic  646117        6337   0.00981  0.00957    0.0101  0.0100    0.0103  0.00997

kind      tested  false pos.  measured  95% low  95% high  target  promised  current
counting  646117        6039   0.00935  0.00911   0.00958  0.0100    0.0100  0.00933

kind      tested  false pos.  measured   95% low  95% high  target  promised   current
scalable  646117          49  7.58e-05  5.74e-05  0.000100  0.0100    0.0100  7.28e-05

kind       tested  wrong  error     bound
count-min   16211    746  0.118  1.00e-04  beyond its bounds

kind  tested  wrong  error     bound
top    16211    322  0.118  0.000977  beyond its bounds

kind  tested  wrong  error  bound
fm     16211      0  0.676   1.15

kind  tested  wrong  error   bound
hll    16211      1  0.798  0.0715  beyond its bounds

kind   tested  wrong  error  bound
theta   16211      1  0.787  0.127  beyond its bounds

broken: 4 sketches are beyond their bounds; all 64844 members found, 18464 false positives in 2584468 tests, 26011 promised, broken above 26778; non-members are random keys
? 1
$ cat data data > twice; ink verify all.ink --truth twice
kind   tested  false pos.  measured  95% low  95% high  target  promised  current
bloom  646117        6039   0.00935  0.00911   0.00958  0.0100    0.0100  0.00933

kind     tested  false pos.  measured  95% low  95% high  target  promised  current
classic  646117        6337   0.00981  0.00957    0.0101  0.0100    0.0103  0.00997

kind      tested  false pos.  measured  95% low  95% high  target  promised  current
counting  646117        6039   0.00935  0.00911   0.00958  0.0100    0.0100  0.00933

kind      tested  false pos.  measured   95% low  95% high  target  promised   current
scalable  646117          49  7.58e-05  5.74e-05  0.000100  0.0100    0.0100  7.28e-05

kind       tested  wrong   error     bound
count-min   28985  26022  0.0583  1.00e-04  beyond its bounds

kind  tested  wrong   error     bound
top    28985    509  0.0583  0.000977  beyond its bounds

kind  tested  wrong   error  bound
fm     28985      0  0.0626  0.645

kind  tested  wrong    error   bound
hll    28985      0  0.00586  0.0400

kind   tested  wrong     error   bound
theta   28985      0  0.000610  0.0709

broken: 2 sketches are beyond their bounds; all 115940 members found, 18464 false positives in 2584468 tests, 26011 promised, broken above 26778; non-members are random keys
? 1
