# A page of help has usage, what it is about, options by group, examples, exit codes, and where to read on.
$ ink help fold
usage: ink fold -p P -o SKETCHES FILE [options]

Folds every filter of a file to the smallest size whose rate, from its bits, is
at most P: exactly the filter that would have been built at that size. No data
is read.

size:
  -p, --rate P       the false-positive rate that may be reached

run:
  -o, --output FILE  where the result goes; - is standard output
      --force        replace the output file if there is one
      --no-progress  no progress bar
  -q, --quiet        print nothing

examples:
  ink fold -p 0.01 -o small.ink words.ink   # it was built with headroom
  ink fold -p 0.05 --force -o words.ink words.ink

exit codes:
  0  the result is written
  1  a filter's rate is above -p already
  2  usage; 3  bad or incompatible file; 4  input/output; 5  memory or a limit

see also: ink help merge; man ink-fold
$ ink help build | sed -n '1,/^input/p'
usage: ink build KIND[,KIND...] -o SKETCHES [FILE...] [options]

Reads records, takes a key from each, and writes a sketch of each kind; with
--by one for each group. Filters are sized by the different keys unless -n tells
how many.

input:
$ ink help gen | sed -n '/^kinds/,/^$/p'
kinds:
  ip     random IPv4 addresses without dots, as 147056003121
  names  pronounceable strings of 30 letters
  imdb   a table like IMDb's of 2022: as many titles with each rating
  zipf   words of a vocabulary of 10 million, ever rarer by their rank
  u64    random integers of 64 bits, in decimal
  log    an access log: host, client, time, request, status, bytes

$ ink help version
usage: ink version

Prints the version of the library that runs.

examples:
  ink version

exit codes:
  0  done
  2  usage; 3  bad or incompatible file; 4  input/output; 5  memory or a limit

see also: ink help completion, help; man ink-version
