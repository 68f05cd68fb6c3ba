# A filter's keys and rate give its size, what other rates would take, and what becomes of it with other keys.
$ ink plan bloom -n 1e9 -p 0.001
have I seen this key?
kind         keys     rate    size  bits/key  hashes
bloom  1000000000  0.00100  2.1 GB     16.91       8  1 of 1000 non-members passes

size by rate, for 1000000000 keys
    rate    size
     0.1  749 MB  #######
    0.03  1.0 GB  ##########
    0.01  1.3 GB  ############
   0.003  1.7 GB  ################
*  0.001  2.1 GB  ####################
  0.0003  2.7 GB  #########################
  0.0001  3.3 GB  ###############################
   3e-05  4.2 GB  #######################################
   1e-05  5.1 GB  ################################################

the rate that this filter keeps with other numbers of keys
        keys      rate
   500000000  2.71e-05
* 1000000000  0.000994
  2000000000    0.0264  ####
  4000000000     0.285  ################################################
$ ink plan classic -n 1e6 -p 1e-9
have I seen this key?
kind        keys      rate    size  bits/key  hashes  promised
classic  1000000  1.00e-09  5.4 MB     43.13      30  1.01e-09  1 of 992000000 non-members passes

size by rate, for 1000000 keys
    rate    size
     0.1  599 kB  #####
    0.01  1.2 MB  ##########
   0.001  1.8 MB  ##############
  0.0001  2.4 MB  ###################
   1e-05  3.0 MB  ########################
   1e-06  3.6 MB  #############################
   1e-07  4.2 MB  ##################################
   1e-08  4.8 MB  ######################################
*  1e-09  5.4 MB  ###########################################
   1e-10  6.0 MB  ################################################

the rate that this filter keeps with other numbers of keys
     keys      rate
   500000  4.34e-13
* 1000000  1.01e-09
  2000000  0.000188
  4000000     0.147  ################################################
$ ink plan counting -n 1e6
have I seen this key?
kind         keys    rate    size  bits/key  hashes
counting  1000000  0.0100  5.3 MB     42.21       8  1 of 100 non-members passes

size by rate, for 1000000 keys
    rate     size
     0.1   3.0 MB  #######
    0.03   4.1 MB  ##########
*   0.01   5.3 MB  ############
   0.003   6.8 MB  ################
   0.001   8.5 MB  ####################
  0.0003  10.7 MB  #########################
  0.0001  13.2 MB  ###############################
   3e-05  16.7 MB  #######################################
   1e-05  20.6 MB  ################################################

the rate that this filter keeps with other numbers of keys
     keys      rate
   500000  0.000325
* 1000000   0.00999  #
  2000000     0.153  ###########
  4000000     0.679  ################################################
$ ink plan bloom -p 0.03
have I seen this key?
kind      keys    rate    size  bits/key  hashes
bloom  1000000  0.0300  1.0 MB      8.22       8  1 of 33 non-members passes

1000000 keys are an example; -n sets how many are expected

size by rate, for 1000000 keys
    rate    size
     0.1  752 kB  #######
*   0.03  1.0 MB  ##########
    0.01  1.3 MB  ############
   0.003  1.7 MB  ################
   0.001  2.1 MB  ####################
  0.0003  2.7 MB  #########################
  0.0001  3.3 MB  ###############################
   3e-05  4.2 MB  #######################################
   1e-05  5.2 MB  ################################################

the rate that this filter keeps with other numbers of keys
     keys     rate
   500000  0.00116
* 1000000   0.0298  ##
  2000000    0.306  #################
  4000000     0.85  ################################################
$ ink plan bloom -n 1000 -p 1e-5 | sed -n '/size by rate/,/^$/p'
size by rate, for 1000 keys
    rate    size
     0.1   800 B  #######
    0.03  1.1 kB  #########
    0.01  1.4 kB  ############
   0.003  1.8 kB  ###############
   0.001  2.3 kB  ###################
  0.0003  2.9 kB  ########################
  0.0001  3.6 kB  ##############################
   3e-05  4.6 kB  ######################################
*  1e-05  5.8 kB  ################################################

