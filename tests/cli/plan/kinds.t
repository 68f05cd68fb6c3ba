# Each kind alone: its numbers, and what more or less of it would cost.
$ ink plan
have I seen this key?
kind         keys    rate    size  bits/key  hashes  promised  levels
bloom     1000000  0.0100  1.3 MB     10.55       8                    1 of 100 non-members passes
classic   1000000  0.0100  1.2 MB      9.59       7    0.0101          1 of 99 non-members passes
counting  1000000  0.0100  5.3 MB     42.21       8                    1 of 100 non-members passes
scalable  1000000  0.0100  4.9 MB     38.99                         5  1 of 100 non-members passes
fuse      1000000  0.0100  982 kB      7.86       4   0.00781          1 of 128 non-members passes

how often did I see it?
kind         size       eps    delta  width  depth  counters
count-min  544 kB  1.00e-04  0.00674  27183      5        32  at most 0.01 % of the total too high, but for 0.67 % of keys

which are the most frequent?
kind     size  capacity       phi
top   65.5 kB      1024  0.000977  no key above 0.098 % of the total is missed

how many different keys?
kind      size  width  depth  precision  std error
fm       144 B     16      9                 0.131  13 % standard error, 95 % of answers within 29 %
hll    12.3 kB                       14    0.00812  0.81 % standard error, 95 % of answers within 1.6 %
theta  32.8 kB                       12     0.0156  1.6 % standard error, 95 % of answers within 3.1 %

1000000 keys are an example; -n sets how many are expected
top: the bytes of the 2048 keys that it keeps come on top; with 1 KiB each it takes 2.2 MB
fuse never changes: no add, no merge; making it takes 9.0 MB, and 8 bytes for each record that is read

size; a bar grows by the same with every doubling
       kind     size
      bloom   1.3 MB  ############################################
    classic   1.2 MB  ###########################################
   counting   5.3 MB  ################################################
   scalable   4.9 MB  ################################################
  count-min   544 kB  #########################################
        top  65.5 kB  ###################################
         fm    144 B  ###############
        hll  12.3 kB  #############################
      theta  32.8 kB  ################################
       fuse   982 kB  ###########################################
$ ink plan hll
how many different keys?
kind     size  precision  std error
hll   12.3 kB         14    0.00812  0.81 % standard error, 95 % of answers within 1.6 %

size and standard error by precision
  precision     size   error
         10    768 B   3.2 %
         11   1.5 kB   2.3 %
         12   3.1 kB   1.6 %  #
         13   6.1 kB   1.1 %  ##
*        14  12.3 kB  0.81 %  ###
         15  24.6 kB  0.57 %  ######
         16  49.2 kB  0.41 %  ############
         17  98.3 kB  0.29 %  ########################
         18   197 kB   0.2 %  ################################################
$ ink plan hll --precision 4 -n 1e6
how many different keys?
kind     keys  size  precision  std error   error
hll   1000000  12 B          4      0.260  259740  26 % standard error, 95 % of answers within 66 %

size and standard error by precision
  precision   size  error
*         4   12 B   26 %  ###
          5   24 B   18 %  ######
          6   48 B   13 %  ############
          7   96 B  9.2 %  ########################
          8  192 B  6.5 %  ################################################
$ ink plan fm --width 1 --depth 1
how many different keys?
kind  size  width  depth  std error
fm     1 B      1      1       1.30  130 % standard error, 95 % of answers within 1173 %

size and standard error by width, of 1 group
  width  size  error
*     1   1 B  130 %  ######
      2   2 B   92 %  ############
      4   4 B   65 %  ########################
      8   8 B   46 %  ################################################
$ ink plan count-min --eps 1e-5
how often did I see it?
kind         size       eps    delta   width  depth  counters
count-min  5.4 MB  1.00e-05  0.00674  271829      5        32  at most 0.001 % of the total too high, but for 0.67 % of keys

size by error, as a share of the total, at delta 0.00674
     eps     size
  0.0001   544 kB
   3e-05   1.8 MB  ##
*  1e-05   5.4 MB  #####
   3e-06  18.1 MB  ################
   1e-06  54.4 MB  ################################################
$ ink plan count-min --width 10 --depth 3 --counters 64 --conservative
how often did I see it?
kind        size    eps   delta  width  depth  counters
count-min  240 B  0.272  0.0498     10      3        64  at most 27 % of the total too high, but for 5 % of keys

size by error, as a share of the total, at delta 0.0498
    eps    size
      1    72 B  ##
    0.3   240 B  #####
* 0.272   240 B  #####
    0.1   672 B  ###############
   0.03  2.2 kB  ################################################
$ ink plan top --phi 1e-4
which are the most frequent?
kind    size  capacity       phi
top   640 kB     10000  0.000100  no key above 0.01 % of the total is missed

top: the bytes of the 20000 keys that it keeps come on top; with 1 KiB each it takes 21.1 MB

size by the share of the total above which no key is missed
     phi     size
   0.001  64.0 kB
  0.0003   213 kB  ##
* 0.0001   640 kB  #####
   3e-05   2.1 MB  ################
   1e-05   6.4 MB  ################################################
$ ink plan top -k 100 -n 1e6
which are the most frequent?
kind    size  records  capacity       phi  error
top   205 kB  1000000      3200  0.000313    312  no key above 0.031 % of the total is missed

top: the bytes of the 6400 keys that it keeps come on top; with 1 KiB each it takes 6.8 MB

size by the share of the total above which no key is missed
       phi     size
     0.003  21.4 kB  ##
     0.001  64.0 kB  #####
* 0.000313   205 kB  ###############
    0.0001   640 kB  ################################################
$ ink plan scalable -n 1e9
have I seen this key?
kind            keys    rate    size  bits/key  levels
scalable  1000000000  0.0100  3.8 GB     30.68      14  1 of 100 non-members passes

size by rate, for 1000000000 keys
    rate    size
     0.1  3.2 GB  ###########################
    0.03  3.5 GB  #############################
*   0.01  3.8 GB  ################################
   0.003  4.2 GB  ###################################
   0.001  4.5 GB  #####################################
  0.0003  4.8 GB  ########################################
  0.0001  5.1 GB  ###########################################
   3e-05  5.5 GB  #############################################
   1e-05  5.8 GB  ################################################

its size as keys come; the rate stays
        keys     size  bits/key
   125000000   409 MB     26.17  #
   250000000   864 MB     27.64  #
   500000000   1.8 GB     29.15  ##
* 1000000000   3.8 GB     30.68  #####
  2000000000   8.1 GB     32.22  ###########
  4000000000  16.9 GB     33.77  ######################
  8000000000  35.3 GB     35.31  ###############################################
