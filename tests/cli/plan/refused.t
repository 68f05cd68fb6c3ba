# Numbers that a kind does not take are an error that names what it takes.
$ ink plan bloom -p 1e-9
!2 ink: --rate 1e-09, expected 1e-05 to 0.5 for bloom: bloom needs 318 bits a key at 1e-09; classic needs 43
$ ink plan classic -p 1e-19 -n 1e6
!2 ink: --rate 1e-19 for 1000000 keys, expected at least 8.67362e-13: a 64-bit hash can do no better
$ ink plan bloom -n 1e12
!2 ink: --keys 1000000000000 at rate 0.01 need more than the 16 GiB that a bloom can have; a classic can have 1 TiB
$ ink plan scalable -n 1e12
!2 ink: 1000000000000 keys, expected at most 34359672832 for scalable at rate 0.01: a 64-bit hash, or 1 TiB, is not enough
$ ink plan count-min --eps 1e-10
!2 ink: --eps 1e-10, expected at least 6.32899e-10 and below 1
$ ink plan count-min --width 5
!2 ink: --width without --depth: give both for count-min, or neither
$ ink plan top --phi 1e-9
!2 ink: --phi 1e-09, expected 9.53674e-07 to 1
$ ink plan top --phi 0.1 -k 10
!2 ink: --phi and --top do not go together: give one of them
$ ink plan fm --width 70000
!2 ink: --depth 9 and --width 70000, expected 1 to 255 groups (depth), and at most 65536 sub-sketches (depth x width), for fm
$ ink plan bloom --bits 100
!2 ink: --bits 100, expected a multiple of 256 up to 2^37 for bloom
$ ink plan bloom --bits 1024 -p 0.1
!2 ink: --bits and --rate do not go together: the bits decide
$ ink plan bloom --bits 1024 --memory 1M
!2 ink: --bits and --memory do not go together: the bits decide
$ ink plan classic --bits 1
!2 ink: --bits 1, expected enough for a key at rate 0.01
$ ink plan classic --hashes 3
!2 ink: --hashes without --bits: give both, or neither
