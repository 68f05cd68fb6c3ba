# A page of help has usage, what it is about, options by group, examples, exit codes, and where to read on.
$ ink help fold
usage: ink fold [-p P] -o SKETCHES FILE [options]

Folds every filter of a file to the smallest size at which its current rate, by
its bits, is at most P, without -p the rate that it was made for. The result is
exactly the filter that would have been built at that size; no data is read.
Sizes that are a power of two fold best (ink build --bits).

size:
  -p, --rate P        the highest false-positive rate that the result may have
                      (default: that which the filter was made for)

run:
      --threads N     the number of threads (default: one for each core)
  -o, --output FILE   the file to write; - is standard output
      --force         replace the output file if it exists
      --no-progress   show no progress bar
      --stats[=WHAT]  print what the threads did, as a JSON object on standard
                      error; with =tasks also a list of all tasks
  -q, --quiet         print nothing but errors

examples:
  ink fold -o small.ink words.ink           # it was built with headroom
  ink fold -p 0.05 --force -o words.ink words.ink

exit codes:
  0  the result is written
  1  a filter's rate is above -p already
  2  usage; 3  bad or incompatible file; 4  input/output; 5  memory or a limit

see also: ink help merge, convert; man ink-fold
$ ink help build | sed -n '1,/^input/p'
usage: ink build KIND[,KIND...] -o SKETCHES [FILE...] | --as NAME -o FILE
           [FILE...] [options]

Reads records, takes a key from each, and writes a sketch of each kind; with
--by one for each group. Without -n a filter is sized by the different keys that
were read. A filter that got more keys than -n, and so is above its promised
rate, is refused. With --as the result is a file of another system.

options:
      --as NAME        write a file that another system loads as its own (see
                       ink help convert)
      --funnel NAME    how keys become bytes in guava: utf8 (the default),
                       chars, long (the default of int keys) or int

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
usage: ink version [options]

Prints the version of the library that runs. With --tuning it also prints the
settings for this machine: the instruction set, which INK_CPU overrides, and
size thresholds, which follow from the caches of a core. These settings affect
speed, not results.

options:
      --tuning  also print the settings chosen for this machine

output:
      --json    print one JSON object
      --tsv     print tab-separated fields, after a line of their names

examples:
  ink version
  ink version --tuning                 # which instruction set, which sizes
  INK_CPU=scalar ink version --tuning --json

exit codes:
  0  done
  2  usage; 3  bad or incompatible file; 4  input/output; 5  memory or a limit

see also: ink help completion, help; man ink-version
