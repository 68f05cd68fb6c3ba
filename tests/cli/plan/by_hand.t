# Sizes by hand give the rate for a number of keys, or the keys at the usual rate.
$ ink plan bloom --bits 8388608 -n 1e6 --json
{"kind":"bloom","keys":1000000,"rate":0.027437486440485832,"bytes":1048576,"bits_per_key":8.388608,"hashes":8,"bits":8388608,"question":"have I seen this key?","meaning":"1 of 36 non-members passes"}
$ ink plan bloom --bits 8388608 --json
{"kind":"bloom","keys":795062,"rate":0.009999953412899805,"bytes":1048576,"bits_per_key":10.550885339759667,"hashes":8,"bits":8388608,"question":"have I seen this key?","meaning":"1 of 100 non-members passes"}
$ ink plan classic --bits 1000 --hashes 3 -n 100 --json
{"kind":"classic","keys":100,"rate":0.020573112045748684,"bytes":125,"bits_per_key":1e+01,"hashes":3,"bits":1000,"question":"have I seen this key?","meaning":"1 of 49 non-members passes"}
$ ink plan classic --bits 1000 --json
{"kind":"classic","keys":97,"rate":0.009678755632134606,"bytes":125,"bits_per_key":10.309278350515465,"hashes":7,"bits":1000,"question":"have I seen this key?","meaning":"1 of 103 non-members passes"}
$ ink plan bloom --bits 1024 -n 1e6
have I seen this key?
kind      keys  rate   size  bits/key  hashes
bloom  1000000  1.00  128 B      0.00       8  100 % of non-members pass

size by rate, for 1000000 keys
    rate    size
*      1   128 B
     0.1  752 kB  #######
    0.03  1.0 MB  ##########
    0.01  1.3 MB  ############
   0.003  1.7 MB  ################
   0.001  2.1 MB  ####################
  0.0003  2.7 MB  #########################
  0.0001  3.3 MB  ###############################
   3e-05  4.2 MB  #######################################
   1e-05  5.2 MB  ################################################

the rate that this filter keeps with other numbers of keys
     keys  rate
   500000     1  ################################################
* 1000000     1  ################################################
  2000000     1  ################################################
  4000000     1  ################################################
$ ink plan count-min --width 1000 --depth 4 --json
{"kind":"count-min","bytes":16000,"epsilon":0.002718281828459045,"delta":0.01831563888873418,"width":1000,"depth":4,"counter_bits":32,"question":"how often did I see it?","meaning":"at most 0.27 % of the total too high, but for 1.8 % of keys"}
$ ink plan fm --depth 3 --json
{"kind":"fm","bytes":48,"width":16,"depth":3,"standard_error":0.2152354131310261,"question":"how many different keys?","meaning":"22 % standard error, 95 % of answers within 52 %"}
$ ink plan classic -n 1000 --bits 5000 --hashes 3 | sed -n '5,15p'
size by rate, for 1000 keys
    rate    size
* 0.0986   625 B  ##########
    0.03   913 B  ###############
    0.01  1.2 kB  ###################
   0.003  1.5 kB  ########################
   0.001  1.8 kB  #############################
  0.0003  2.1 kB  ##################################
  0.0001  2.4 kB  ######################################
   3e-05  2.7 kB  ###########################################
   1e-05  3.0 kB  ################################################
$ ink plan bloom -n 1 | grep -e '^size' -A 2 -e '^the rate'; ink plan scalable -n 1 | tail -n 5
size by rate, for 1 key
    rate  size
     0.1  32 B  ################################################
--
the rate that this filter keeps with other numbers of keys
  keys      rate
*    1  9.09e-13
  keys    size   bits/key
*    1  101 kB  809472.00  ################################################
     2  101 kB  404736.00  ################################################
     4  101 kB  202368.00  ################################################
     8  101 kB  101184.00  ################################################
