# Without a kind all those are shown that an option is for; a number of keys or a memory is for all.
$ ink plan -p 0.001
have I seen this key?
kind         keys     rate    size  bits/key  hashes  promised  levels
bloom     1000000  0.00100  2.1 MB     16.97       8                    1 of 1000 non-members passes
classic   1000000  0.00100  1.8 MB     14.38      10   0.00100          1 of 996 non-members passes
counting  1000000  0.00100  8.5 MB     67.90       8                    1 of 1000 non-members passes
scalable  1000000  0.00100  5.6 MB     44.43                         5  1 of 1000 non-members passes
fuse      1000000  0.00100  1.4 MB     11.22       4  0.000977          1 of 1020 non-members passes

1000000 keys are an example; -n sets how many are expected
fuse never changes: no add, no merge; making it takes 9.4 MB, and 8 bytes for each record that is read

bits a key
      kind    size  bits/key
     bloom  2.1 MB     16.97  ############
   classic  1.8 MB     14.38  ##########
  counting  8.5 MB     67.90  ################################################
  scalable  5.6 MB     44.43  ###############################
      fuse  1.4 MB     11.22  ########
$ ink plan --eps 1e-5 | head -3
how often did I see it?
kind         size       eps    delta   width  depth  counters
count-min  5.4 MB  1.00e-05  0.00674  271829      5        32  at most 0.001 % of the total too high, but for 0.67 % of keys
$ ink plan --width 100 --depth 3 --json | cut -d, -f1
{"kind":"count-min"
{"kind":"fm"
$ ink plan --eps 1e-5 -n 1e6 --json | cut -d, -f1
{"kind":"bloom"
{"kind":"classic"
{"kind":"counting"
{"kind":"scalable"
{"kind":"count-min"
{"kind":"top"
{"kind":"fm"
{"kind":"hll"
{"kind":"theta"
{"kind":"fuse"
$ ink plan hll,bloom --json | cut -d, -f1
{"kind":"hll"
{"kind":"bloom"
$ ink plan hll,bloom,fm -n 1000
have I seen this key?
kind   keys    rate    size  bits/key  hashes
bloom  1000  0.0100  1.4 kB     11.26       8  1 of 100 non-members passes

how many different keys?
kind  keys     size  width  depth  precision  std error  error
hll   1000  12.3 kB                       14    0.00812      8  0.81 % standard error, 95 % of answers within 1.6 %
fm    1000    144 B     16      9                 0.131    131  13 % standard error, 95 % of answers within 29 %

size; a bar grows by the same with every doubling
   kind     size
    hll  12.3 kB  ################################################
  bloom   1.4 kB  #####################################
     fm    144 B  #########################
