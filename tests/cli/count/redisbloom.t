# The count-min of RedisBloom, as DUMP gives it.
$ printf '\007\201\010\304\244\371\066\017\020\000\002\004\002\002\002\201\000\000\000\001\000\000\000\003\005\040\000\000\000\000\377\377\377\377\001\000\000\000\003\000\000\000\000\000\000\000\000\000\000\000\377\377\377\377\000\000\000\000\000\012\000\231\300\244\124\123\056\234\154' > counts.dump
$ ink count --from redisbloom-cms -e hello -e world -e foo counts.dump
  estimate         low        high  key
         3           0           3  hello
         1           0           1  world
4294967295  1376234404  4294967299  foo
! ink: the sketch is full in 1 of 3 answers: the true value may lie far above; use sketches built with --counters 64
$ ink count --from auto -e foo counts.dump
  estimate         low        high  key
4294967295  1376234404  4294967299  foo
! ink: the sketch is full: the true value may lie far above; use sketches built with --counters 64
$ ink convert --from redisbloom-cms counts.dump c.ink; printf 'hello\nhello\n' | ink add c.ink; ink count -e hello c.ink; ink info c.ink
  estimate         low        high  key
         5           0           5  hello
c.ink: 1 sketch of bytes keys, hash redisbloom-cms, seed 0
converted from: redisbloom-cms

kind       size     records       total  width  depth  counters    eps  delta
count-min  32 B  4294967301  4294967301      4      2        32  0.680  0.135
$ printf "hello\n" | ink build count-min --hash redisbloom-cms --width 4 --depth 2 -o ours.ink -; ink merge -o both.ink c.ink ours.ink; ink count -e hello both.ink
  estimate         low        high  key
         6           0           6  hello
! ink: both.ink: the files were read in different ways, so the union keeps no input spec; say how data is read
$ ink convert --to redisbloom-cms c.ink d.dump
!2 ink: --to redisbloom-cms: this format is read, not written; see ink help convert
