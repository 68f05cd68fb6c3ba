# A budget that is too small is an error that names the least.
$ ink plan bloom -n 1e9 --memory 1M
!2 ink: --memory 1048576, expected at least 406847488 bytes for bloom of 1000000000 keys at rate 0.5
$ ink plan bloom --memory 31
!2 ink: --memory 31, expected at least 32 bytes for bloom of 1 key at rate 0.01
$ ink plan scalable --memory 1000
!2 ink: --memory 1000, expected at least 101184 bytes for scalable of 1 key at rate 0.01
$ ink plan count-min --memory 19
!2 ink: --memory 19, expected at least 20 bytes for count-min
$ ink plan top --memory 63
!2 ink: --memory 63, expected at least 64 bytes for top
$ ink plan fm --memory 8
!2 ink: --memory 8, expected at least 9 bytes for fm
$ ink plan hll --memory 11
!2 ink: --memory 11, expected at least 12 bytes for hll
$ ink plan bloom -n 1e9 -p 0.001 --memory 1M
!2 ink: bloom needs 2113929216 bytes, expected at most the 1048576 of --memory
$ ink plan hll --precision 14 --memory 1K
!2 ink: hll needs 12288 bytes, expected at most the 1024 of --memory
$ ink plan counting,classic,bloom -n 1e6 --memory 1K
!2 ink: no kind fits, not even classic: --memory 1024, expected at least 180337 bytes for classic of 1000000 keys at rate 0.5
$ ink plan --memory 1
!2 ink: no kind fits, not even classic: --memory 1, expected at least 2 bytes for classic of 1 key at rate 0.01
