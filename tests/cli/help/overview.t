# Without a command, with help or with --help the list of commands is printed.
$ ink
usage: ink COMMAND [options] [FILE...]

Sketches of data too big to keep: have I seen this key, how often, which are the most
frequent, how many different ones; in memory you choose, with an error you know.

commands:
  build      records in, sketches out
  filter     print the records whose key may be in the set
  verify     measure rates and errors against the true data
  info       what a file of sketches holds
  merge      several files of sketches into one
  fold       shrink filters that are larger than they need be
  gen        data to try things with
  help       this list, or all about a command
  version    the version of the library that runs

Options may stand anywhere, -- ends them; - is standard input. Numbers: 1e6, 64M (bytes), 4x.
exit codes: 0 yes or done; 1 no, none, or a promise broken; 2 usage;
  3 bad or incompatible file; 4 input/output; 5 memory or a limit
ink help COMMAND tells all about one.
? 2
$ ink help > help; ink --help | cmp - help && ink -h | cmp - help && head -1 help
usage: ink COMMAND [options] [FILE...]
$ ink help build > build; ink build --help | cmp - build && ink build -h nonsense --nonsense | cmp - build && head -1 build
usage: ink build KIND[,KIND...] -o SKETCHES [FILE...] [options]
