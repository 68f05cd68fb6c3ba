# Among several kinds one that cannot be is left out, with a line why; if none is left, that is a usage error.
$ ink plan -p 1e-9 --json
{"kind":"classic","keys":1000000,"rate":1e-09,"bytes":5391596,"bits_per_key":43.132763,"hashes":30,"promised_rate":1.0076595972704166e-09,"bits":43132763,"question":"have I seen this key?","meaning":"1 of 992000000 non-members passes"}
{"kind":"scalable","keys":1000000,"rate":1e-09,"bytes":12534350,"bits_per_key":100.2748,"levels":5,"question":"have I seen this key?","meaning":"1 of 1000000000 non-members passes"}
{"kind":"fuse","keys":1000000,"rate":1e-09,"bytes":4208704,"bits_per_key":33.669632,"hashes":4,"promised_rate":9.313225746154785e-10,"bits":33669632,"question":"have I seen this key?","meaning":"1 of 1070000000 non-members passes"}
! ink: bloom is left out: --rate 1e-09, expected 1e-05 to 0.5 for bloom: bloom needs 318 bits a key at 1e-09; classic needs 43
! ink: counting is left out: --rate 1e-09, expected 1e-05 to 0.5 for counting
$ ink plan --memory 100 --json | cut -d, -f1
{"kind":"bloom"
{"kind":"classic"
{"kind":"count-min"
{"kind":"top"
{"kind":"fm"
{"kind":"hll"
{"kind":"fuse"
! ink: counting is left out: --memory 100, expected at least 128 bytes for counting of 1 key at rate 0.01
! ink: scalable is left out: --memory 100, expected at least 101184 bytes for scalable of 1 key at rate 0.01
! ink: theta is left out: --memory 100, expected at least 136 bytes for theta
$ ink plan bloom,counting -p 1e-9
!2 ink: no kind is left: --rate 1e-09, expected 1e-05 to 0.5 for bloom: bloom needs 318 bits a key at 1e-09; classic needs 43
$ ink plan --memory 1
!2 ink: no kind fits, not even classic: --memory 1, expected at least 2 bytes for classic of 1 key at rate 0.01
$ ink plan bloom,classic -n 1e9 --memory 1M
!2 ink: no kind fits, not even classic: --memory 1048576, expected at least 180336881 bytes for classic of 1000000000 keys at rate 0.5
$ ink plan bloom,hll -n 1e9 -p 0.001 --precision 14 --memory 1K
!2 ink: no kind fits, not even hll: hll needs 12288 bytes, expected at most the 1024 of --memory
$ ink plan fuse,hll -p 1e-12 --memory 1 -n 5
!2 ink: no kind fits, not even hll: --memory 1, expected at least 12 bytes for hll
$ ink plan classic,bloom --bits 1
!2 ink: no kind is left: --bits 1, expected enough for a key at rate 0.01
