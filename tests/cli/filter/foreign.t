# A filter of another system is asked as it is, by its name or, where it alone fits, by auto; data is never taken for one.
$ printf 'ant\nbee\n' > in.txt; printf 'bee\nfox\n' > more.txt; seq 3 > numbers.txt
$ ink build --as spark-v1 -p 0.0001 -o a.bin in.txt; ink build -q --as spark-v1 -p 0.0001 --key-type int -o n.bin numbers.txt
$ ink filter --from spark-v1 a.bin more.txt
bee
$ cat a.bin | ink filter --from auto - more.txt
bee
$ ink filter --from spark-v1 a.bin - < more.txt
bee
$ ink filter -v --from auto a.bin more.txt in.txt
fox
$ ink filter --from spark-v1 -e bee -e fox a.bin
bee
$ ink filter --from spark-v1 --key-type int -e 3 -e 4 n.bin
3
$ ink filter --from spark-v1 --key-type int n.bin numbers.txt
1
2
3
$ ink filter --from spark-v1 -e 3 n.bin
? 1
$ ink filter --from spark-v1 -q -e fox a.bin
? 1
$ ink filter a.bin more.txt
!3 ink: a.bin: byte 0: not an .ink file, but something else
$ ink filter --from spark-v1 more.txt more.txt
!3 ink: more.txt: byte 0: version 1650812170, expected 1
$ ink filter --from auto more.txt more.txt
!3 ink: more.txt: fits no format, expected a whole file of one that docs/formats.md lists
$ ink filter --from spark-v2 -e bee a.bin
!3 ink: a.bin: byte 0: version 1, expected 2
$ ink filter --from spark -e bee a.bin
!2 ink: --from spark, did you mean spark-v1; see ink help filter
$ ink filter --hash spark-v1 -e bee a.bin
!2 ink: --hash without --from; see ink help filter
$ ink verify --from spark-v1 a.bin --truth in.txt | tail -n 1
kept: all 2 members found, no key to test that is not a member
$ ink info --check --from auto a.bin
a.bin: whole, 1 sketch
$ ink distinct --from spark-v1 a.bin
1
$ ink distinct --from spark-v1 --hash spark-v1 --key-type int n.bin n.bin
3
$ ink overlap --from spark-v1 a.bin a.bin
!3 ink: a.bin: the file holds classic, expected theta or hll
