# A size that cannot be is refused, with the range, before any data is read.
$ ink build bloom -p 1e-6 -o x.ink none.txt
!2 ink: --rate 1e-06, expected 1e-05 to 0.5 for bloom: bloom needs 65 bits a key at 1e-06; classic needs 29
$ ink build bloom -n 1e15 -p 1e-5 -o x.ink none.txt
!2 ink: --keys 1000000000000000 at rate 1e-05 need more than the 16 GiB that a bloom can have; a classic can have 1 TiB
$ ink build classic -n 1e15 -p 1e-9 -o x.ink none.txt
!2 ink: --keys 1000000000000000 at rate 1e-09 need 4.31328e+16 bits, expected at most 2^43
$ ink build bloom --bits 1000 -o x.ink none.txt
!2 ink: --bits 1000, expected a multiple of 256 up to 2^37 for bloom
$ ink build bloom --bits 1024 -p 0.01 -o x.ink none.txt
!2 ink: --bits and --rate do not go together: the bits decide
$ ink build hll --precision 19 -o x.ink none.txt
!2 ink: --precision 19, expected 4 to 18
$ ink build bloom --hash foo -o x.ink none.txt
!2 ink: --hash "foo", expected xxh3, mix64, siphash, xxh64, mmh3, mmh3-signed, murmur64a, murmur3-128 or one of another system
$ ink build bloom --hash mmh3 -o x.ink none.txt
!2 ink: --hash mmh3 is for classic, not for bloom
$ ink build classic --hash mmh3 --seed 5000000000 -o x.ink none.txt
!2 ink: --seed 5000000000, expected 0 to 4294967295 for hash mmh3
$ ink build count-min --width 100 -o x.ink none.txt
!2 ink: --width without --depth: give both for count-min, or neither
$ ink build top --phi 0.1 -k 5 -o x.ink none.txt
!2 ink: --phi and --top do not go together: give one of them
$ ls
