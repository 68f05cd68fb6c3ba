# The error of a theta by its precision, and that of an intersection by its share of the union.
$ ink plan theta --precision 10
how many different keys?
kind     size  precision  std error
theta  8.2 kB         10     0.0313  3.1 % standard error, 95 % of answers within 6.3 %

size and standard error by precision
  precision     size   error
          6    520 B    13 %
          7   1.0 kB   8.9 %
          8   2.1 kB   6.3 %  #
          9   4.1 kB   4.4 %  ##
*        10   8.2 kB   3.1 %  ###
         11  16.4 kB   2.2 %  ######
         12  32.8 kB   1.6 %  ############
         13  65.5 kB   1.1 %  ########################
         14   131 kB  0.78 %  ################################################

standard error of an intersection or difference by its share of the union
  share  values  error
      1    1024  3.1 %  ##
    0.3     307  5.7 %  ###
    0.1     102  9.9 %  #####
   0.03      31   18 %  #########
   0.01      10   31 %  ###############
  0.003       3   57 %  ############################
  0.001       1   99 %  ################################################
