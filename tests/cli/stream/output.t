# Answers that cannot be written, end the stream in one line; the data are in.
$ seq 10 > k.txt
$ yes | head -20000 | ink stream -q --train k.txt --sketch hll --state a --ask - | head -1
ERR a key, but this stream has hll, expected a question such as DISTINCT or INFO
$ echo DISTINCT | ink stream -q --train k.txt --sketch hll --state b --ask - > /dev/full
! ink: standard output: cannot write: No space left on device
? 4
$ ink distinct a/state.ink; ink distinct b/state.ink
10
10
