# Where the language is one in UTF-8, bars are made of blocks, in eighths.
$ LC_ALL=C.UTF-8 ink plan hll | tail -4
         15  24.6 kB  0.57 %  ██████
         16  49.2 kB  0.41 %  ████████████
         17  98.3 kB  0.29 %  ████████████████████████
         18   197 kB   0.2 %  ████████████████████████████████████████████████
$ LC_ALL= LC_CTYPE= LANG=de_DE.utf8 ink plan hll | tail -1
         18   197 kB   0.2 %  ████████████████████████████████████████████████
$ LC_ALL=C LANG=C.UTF-8 ink plan hll | tail -1
         18   197 kB   0.2 %  ################################################
$ LC_ALL=C.UTF-8 ink plan bloom -n 1e9 -p 0.001 | tail -4
   500000000  2.71e-05
* 1000000000  0.000994  ▏
  2000000000    0.0264  ████▌
  4000000000     0.285  ████████████████████████████████████████████████
$ ink plan bloom -n 12345678901 -p 0.01 | sed 1,4d | awk 'length > 80' | wc -l
0
$ ink plan scalable -n 12345678901 | sed 1,4d | awk 'length > 80' | wc -l
0
$ LC_ALL= LC_CTYPE=C LANG=C.UTF-8 ink plan hll | tail -1; LC_ALL= LC_CTYPE=C.utf8 LANG=C ink plan hll | tail -1; LC_ALL= LC_CTYPE= LANG=C.UTF-8 ink plan hll | tail -1; LC_ALL=C LC_CTYPE=C.UTF-8 ink plan hll | tail -1
         18   197 kB   0.2 %  ################################################
         18   197 kB   0.2 %  ████████████████████████████████████████████████
         18   197 kB   0.2 %  ████████████████████████████████████████████████
         18   197 kB   0.2 %  ################################################
