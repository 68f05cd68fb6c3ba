# A budget goes to what is left open: the rate, the number of keys, or the size of kinds that have neither.
$ ink plan --memory 64M -n 1e8
have I seen this key?
kind          keys    rate     size  bits/key  hashes  promised
bloom    100000000   0.144  67.1 MB      5.37       8            14 % of non-members pass
classic  100000000  0.0759  67.1 MB      5.37       4    0.0762  1 of 13 non-members passes
fuse     100000000  0.0625  56.6 MB      4.53       4            1 of 16 non-members passes

how often did I see it?
kind          size    records       eps    delta    width  depth  counters  error
count-min  67.1 MB  100000000  8.10e-07  0.00674  3355443      5        32     81  at most 81 too high, but for 0.67 % of keys

which are the most frequent?
kind     size    records  capacity       phi  error
top   67.1 MB  100000000   1048576  9.54e-07     95  no key above 9.5e-05 % of the total is missed

how many different keys?
kind        keys     size  width  depth  precision  std error   error
fm     100000000  65.5 kB   7281      9               0.00616  616292  0.62 % standard error, 95 % of answers within 1.2 %
hll    100000000   197 kB                       18    0.00203  202922  0.2 % standard error, 95 % of answers within 0.4 %
theta  100000000  33.6 MB                       22   0.000488   48828  0.049 % standard error, 95 % of answers within 0.096 %

top: the bytes of the 2097152 keys that it keeps come on top; with 1 KiB each it takes 2.2 GB
fm takes 65.5 kB of the 67.1 MB: it can be no wider
hll takes 197 kB of the 67.1 MB: it has no higher precision
fuse never changes: no add, no merge; making it takes 857 MB, and 8 bytes for each record that is read

size; a bar grows by the same with every doubling
       kind     size
      bloom  67.1 MB  ################################################
    classic  67.1 MB  ################################################
  count-min  67.1 MB  ################################################
        top  67.1 MB  ################################################
         fm  65.5 kB  ##############################
        hll   197 kB  ################################
      theta  33.6 MB  ##############################################
       fuse  56.6 MB  ###############################################
! ink: counting is left out: --memory 67108864, expected at least 162529280 bytes for counting of 100000000 keys at rate 0.5
! ink: scalable is left out: --memory 67108864, expected at least 331530944 bytes for scalable of 100000000 keys at rate 0.5
$ ink plan bloom -p 0.001 --memory 1G
have I seen this key?
kind        keys     rate    size  bits/key  hashes
bloom  508527528  0.00100  1.1 GB     16.89       8  1 of 1000 non-members passes

size by rate, for 508527528 keys
    rate    size
     0.1  382 MB  #######
    0.03  522 MB  ##########
    0.01  671 MB  ############
   0.003  864 MB  ################
*  0.001  1.1 GB  ####################
  0.0003  1.4 GB  #########################
  0.0001  1.7 GB  ###############################
   3e-05  2.1 GB  #######################################
   1e-05  2.6 GB  ################################################

the rate that this filter keeps with other numbers of keys
        keys      rate
   254263764  2.73e-05
*  508527528     0.001
  1017055056    0.0265  ####
  2034110112     0.285  ################################################
$ ink plan bloom,classic --memory 1M
have I seen this key?
kind       keys    rate    size  bits/key  hashes  promised
bloom    795062  0.0100  1.0 MB     10.55       8            1 of 100 non-members passes
classic  875175  0.0100  1.0 MB      9.59       7    0.0101  1 of 99 non-members passes

the keys that fit
     kind    size    keys
    bloom  1.0 MB  795062  ############################################
  classic  1.0 MB  875175  ################################################
$ ink plan bloom,classic,counting,scalable -n 1e7 --memory 30M
have I seen this key?
kind          keys      rate     size  bits/key  hashes  promised  levels
bloom     10000000  0.000128  31.5 MB     25.17       8                    1 of 7810 non-members passes
classic   10000000  5.61e-06  31.5 MB     25.17      17  5.63e-06          1 of 178000 non-members passes
counting  10000000    0.0842  31.5 MB     25.17       8                    1 of 12 non-members passes
scalable  10000000     0.255  31.4 MB     25.12                         8  26 % of non-members pass

the rate that fits
      kind     size      rate
     bloom  31.5 MB  0.000128
   classic  31.5 MB  5.61e-06
  counting  31.5 MB    0.0842  ################
  scalable  31.4 MB     0.255  ################################################
$ ink plan scalable -n 1e6 --memory 4M --json
{"kind":"scalable","keys":1000000,"rate":0.0216,"bytes":4190528,"bits_per_key":33.524224,"levels":5,"question":"have I seen this key?","meaning":"1 of 46 non-members passes"}
$ ink plan fm --memory 4K
how many different keys?
kind    size  width  depth  std error
fm    4.1 kB    455      9     0.0247  2.5 % standard error, 95 % of answers within 5 %

size and standard error by width, of 9 groups
  width     size   error
     56    504 B     7 %  #
    113   1.0 kB   4.9 %  #
    227   2.0 kB   3.5 %  ###
*   455   4.1 kB   2.5 %  ######
    910   8.2 kB   1.7 %  ############
   1820  16.4 kB   1.2 %  ########################
   3640  32.8 kB  0.87 %  ################################################
$ ink plan hll --memory 3071 --json
{"kind":"hll","bytes":1536,"precision":11,"standard_error":0.022958028340285614,"question":"how many different keys?","meaning":"2.3 % standard error, 95 % of answers within 4.6 %"}
$ ink plan hll --memory 3072 --json
{"kind":"hll","bytes":3072,"precision":12,"standard_error":0.016233777522088894,"question":"how many different keys?","meaning":"1.6 % standard error, 95 % of answers within 3.2 %"}
$ ink plan count-min --memory 1M -n 1e9
how often did I see it?
kind         size     records       eps    delta  width  depth  counters  error
count-min  1.0 MB  1000000000  5.18e-05  0.00674  52428      5        32  51848  at most 51848 too high, but for 0.67 % of keys

size by error, as a share of the total, at delta 0.00674
       eps    size
    0.0003  181 kB  ##
    0.0001  544 kB  #####
* 5.18e-05  1.0 MB  #########
     3e-05  1.8 MB  ################
     1e-05  5.4 MB  ################################################
$ ink plan count-min --memory 1M --depth 3 --counters 64 --json
{"kind":"count-min","bytes":1048560,"epsilon":6.221748291277283e-05,"delta":0.049787068367863944,"width":43690,"depth":3,"counter_bits":64,"question":"how often did I see it?","meaning":"at most 0.0062 % of the total too high, but for 5 % of keys"}
$ ink plan top --memory 1M --json
{"kind":"top","bytes":1048576,"capacity":16384,"phi":6.103515625e-05,"bytes_max":34603008,"question":"which are the most frequent?","meaning":"no key above 0.0061 % of the total is missed"}
$ ink plan bloom -n 1000 -p 0.01 --memory 1409 --json
{"kind":"bloom","keys":1000,"rate":0.01,"bytes":1408,"bits_per_key":11.264,"hashes":8,"bits":11264,"question":"have I seen this key?","meaning":"1 of 100 non-members passes"}
$ ink plan count-min --delta 0.001 --memory 1M -n 1e6 | head -n 4; ink plan count-min --depth 3 --memory 1M | sed -n 2,3p
how often did I see it?
kind         size  records       eps     delta  width  depth  counters  error
count-min  1.0 MB  1000000  7.26e-05  0.000912  37449      7        32     73  at most 73 too high, but for 0.091 % of keys

kind         size       eps   delta  width  depth  counters
count-min  1.0 MB  3.11e-05  0.0498  87381      3        32  at most 0.0031 % of the total too high, but for 5 % of keys
$ ink plan top -k 100 --memory 1M --json
{"kind":"top","bytes":204800,"capacity":3200,"phi":0.0003125,"bytes_max":6758400,"question":"which are the most frequent?","meaning":"no key above 0.031 % of the total is missed"}
$ ink plan hll --precision 14 --memory 12288 --json; ink plan hll --precision 14 --memory 12287 --json
{"kind":"hll","bytes":12288,"precision":14,"standard_error":0.008116888761044447,"question":"how many different keys?","meaning":"0.81 % standard error, 95 % of answers within 1.6 %"}
!2 ink: hll needs 12288 bytes, expected at most the 12287 of --memory
