# Help about a kind prints what it answers, its options, its size and an example; all of it comes from the library.
$ ink help hll
hll, a kind of sketch

Counts different keys by HyperLogLog, in a few kilobytes for any number of them.
Repeated keys change nothing; sketches of different precision can be merged.

answers:
  how many different keys?        ink distinct
  what do two sets share?         ink overlap

options of ink build:
      --precision N    2^N registers, N from 4 to 18 (default 14)

size by default: 12.3 kB at most, a standard error of 0.81 %

examples:
  ink build hll -o different.ink words.txt
  ink distinct different.ink
$ ink help count-min
count-min, a kind of sketch

Counts how often each key was added. A count is never too low, and rarely too
high by more than a share of the total of all counts. Two of one size estimate
the size of a join.

answers:
  how often did I see it?         ink count
  how large is the join of two?   ink dot

options of ink build:
      --eps X          the error, as a share of the total (default 1e-4)
      --delta X        the chance of a larger error (default 0.01)
      --width W        counters in a row, with --depth instead of --eps and
                       --delta
      --depth D        rows, with --width
      --counters BITS  bits of a counter, 32 or 64 (default 32)
      --conservative   raise only the lowest counters, for smaller errors

size by default: 544 kB, 5 rows of 27183 counters: too high by more than 0.0001
  of the total with a chance of 0.0067

examples:
  ink build count-min -o often.ink words.txt
  ink count often.ink keys.txt
$ ink help scalable | sed -n '/^size/p'
size by default: grows with its keys, at a rate of 0.01
$ ink help fm | sed -n '/^options/,/^$/p'
options of ink build:
      --width W        sub-sketches in a group (default 16)
      --depth D        groups (default 9)

$ ink help bloom | sed -n '/^options/,/^$/p'; ink help --man | grep -c '^Options of ink build:$'
options of ink build:
  -n, --keys N         the number of distinct keys to plan for (default: that of
                       the data)
  -p, --rate P         the false-positive rate (default 0.01)
      --bits M         the size in bits, instead of -p
      --headroom X     plan for X times as many keys as the data has, such as 4x
      --max-rate R     the highest rate that the result may have (default: the
                       promised rate)

10
$ ink help counting | sed '/^options/,$d'
counting, a kind of sketch

A bloom with counters instead of bits, four times as large: keys can be removed
again. Remove only keys that were added. A key that was added 15 times or more
stays for good, as its counters are full.

answers:
  have I seen this key?           ink filter
  how often, up to 14?            ink count
  how many different keys?        ink distinct

$ ink help fuse | grep -A 1 'options of ink build'
options of ink build:
  -p, --rate P         the false-positive rate (default 0.01)
$ ink help fuse | grep -c -e --keys -e --headroom
0
? 1
