# Without a command, with help or with --help the list of commands is printed.
$ ink
usage: ink COMMAND [options] [FILE...]

Sketches of data too big to keep: have I seen this key, how often, which are the
most frequent, how many different ones; in little memory, with a known error
bound.

  make      plan        sizes and errors before any data is read
            build       records in, sketches out
            add         add records to a sketch file
            remove      remove keys from counting filters
  ask       filter      print the records whose key may be in the set
            count       how often keys were seen
            top         the most frequent keys
            distinct    how many different keys
            uniq        print the first record of each key
            dedup       copy a corpus without texts that repeat
            dot         the size of a join
            overlap     what two or more sets have in common
  check     info        what a sketch file contains
            verify      measure rates and errors against the true data
  combine   merge       several sketch files into one
            fold        shrink filters that are larger than needed
            convert     sketches of other systems from and to files of ours
  live      stream      train and ask at the same time
  spread    map         records in, pieces for ink reduce out
            reduce      pieces of ink map in, sketches out
  try       gen         generate test data
            lab         published experiments, run again, as one page
  more      completion  a completion script for a shell
            help        this list, or help on a command or a kind of sketch
            version     the version of the library that runs

ink help COMMAND explains a command, ink help KIND a kind: bloom, classic,
counting, scalable, count-min, top, fm, hll, theta, fuse. See man ink.
? 2
$ ink help > help; ink --help | cmp - help && ink -h | cmp - help && head -1 help
usage: ink COMMAND [options] [FILE...]
$ ink help build > build; ink build --help | cmp - build && ink build -h nonsense --nonsense | cmp - build && head -1 build
usage: ink build KIND[,KIND...] -o SKETCHES [FILE...] | --as NAME -o FILE
