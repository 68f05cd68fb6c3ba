# Numbers that a kind does not take are an error that names what it takes.
$ ink plan bloom -p 1e-9
! ink: --rate 1e-09, expected 1e-05 to 0.5 for bloom: bloom needs 318 bits a key at 1e-09; classic needs 43
? 2
$ ink plan classic -p 1e-19 -n 1e6
! ink: --rate 1e-19 for 1000000 keys, expected at least 8.67362e-13: a 64-bit hash can do no better
? 2
$ ink plan bloom -n 1e12
! ink: --keys 1000000000000 at rate 0.01 need more than the 16 GiB that a bloom can have; a classic can have 1 TiB
? 2
$ ink plan scalable -n 1e12
! ink: 1000000000000 keys, expected at most 34359672832 for scalable at rate 0.01: a 64-bit hash, or 1 TiB, is not enough
? 2
$ ink plan count-min --eps 1e-10
! ink: --eps 1e-10, expected at least 6.32899e-10 and below 1
? 2
$ ink plan count-min --width 5
! ink: --width without --depth: give both for count-min, or neither
? 2
$ ink plan top --phi 1e-9
! ink: --phi 1e-09, expected 9.53674e-07 to 1
? 2
$ ink plan top --phi 0.1 -k 10
! ink: --phi and --top do not go together: give one of them
? 2
$ ink plan fm --width 70000
! ink: --depth 9 and --width 70000, expected 1 to 255 groups (depth), and at most 65536 sub-sketches (depth x width), for fm
? 2
$ ink plan bloom --bits 100
! ink: --bits 100, expected a multiple of 256 up to 2^37 for bloom
? 2
$ ink plan bloom --bits 1024 -p 0.1
! ink: --bits and --rate do not go together: the bits decide
? 2
$ ink plan bloom --bits 1024 --memory 1M
! ink: --bits and --memory do not go together: the bits decide
? 2
$ ink plan classic --bits 1
! ink: --bits 1, expected enough for a key at rate 0.01
? 2
$ ink plan classic --hashes 3
! ink: --hashes without --bits: give both, or neither
? 2
