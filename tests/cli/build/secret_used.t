# Sketches with a secret cannot be queried without it.
$ printf '000102030405060708090a0b0c0d0e0f\n' > hex; printf '\000\001\002\003\004\005\006\007\010\011\012\013\014\015\016\017' > raw; printf 'FF0102030405060708090a0B0C0d0e0f' > other
$ seq 100 > w; ink build bloom --secret hex -o a.ink w; ink build bloom --secret raw -o b.ink w; cmp a.ink b.ink && ink info a.ink
a.ink: 1 sketch of bytes keys, hash siphash with a secret
read as: lines

kind   keys  bits  hashes   size  bits/key  target  promised  current  records
bloom   100  1280       8  160 B     12.80  0.0100    0.0100  0.00449      100
$ ink filter -e 5 a.ink
!3 ink: a.ink: a keyed file, expected its secret (--secret)
$ ink filter -e 5 --secret raw a.ink
5
$ ink filter -e 5 --secret other a.ink
!3 ink: a.ink: another secret: its check value is 75b7b20745c8d32f, the sketch has 92b3673a2d3468b8
$ ink build bloom -o plain.ink w; ink filter -e 5 --secret raw plain.ink
!3 ink: plain.ink: a secret was given, but the keys are hashed with xxh3, without one
