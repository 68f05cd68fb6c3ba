# Every command has a page of help with its options, examples and exit codes.
$ for c in build filter verify info merge fold gen help version; do ink help $c > $c || echo "$c fails"; grep -L -e '^usage: ink ' $c; grep -L -x 'examples:' $c; grep -L -x 'exit codes:' $c; done
$ awk 'length > 100 {print FILENAME ": " $0}' *
$ ink help fold
usage: ink fold -p P -o SKETCHES FILE [options]

Folds every filter of a file to the smallest size whose rate, from its bits, is at most P:
exactly the filter that would have been built at that size. No data is read.

size:
  -p, --rate P       the false-positive rate that may be reached

run:
  -o, --output FILE  where the result goes; - is standard output
      --force        replace the output file if there is one
      --no-progress  no progress bar
  -q, --quiet        print nothing

examples:
  ink fold -p 0.01 -o small.ink big.ink
  ink fold -p 0.05 --force -o words.ink words.ink

exit codes:
  0  the result is written
  1  a filter's rate is above -p already
  2  usage; 3  bad or incompatible file; 4  input/output; 5  memory or a limit
$ ink help build | sed -n '1,/^input/p'
usage: ink build KIND[,KIND...] -o SKETCHES [FILE...] [options]

Reads records, takes a key from each, and writes a sketch of each kind; with --by one
for each group. Filters are sized by the different keys unless -n tells how many.

input:
