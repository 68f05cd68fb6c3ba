# A count-min of another system is asked with --from; several are merged; data is not counted so.
$ printf 'ant\nbee\nant\n' > a.txt; printf 'ant\nfox\n' > keys.txt
$ ink build --as spark-count-min -o a.bin a.txt; ink build --as spark-count-min --seed 5 -o b.bin a.txt
$ ink count --from spark-count-min a.bin keys.txt
  estimate         low        high  key
         2           1           2  ant
         0           0           0  fox
$ ink count --from auto -e ant -e fox a.bin a.bin
  estimate         low        high  key
         4           3           4  ant
         0           0           0  fox
$ cat a.bin | ink count --from spark-count-min -e ant -
  estimate         low        high  key
         2           1           2  ant
$ ink count --from auto -e ant a.bin b.bin
!3 ink: b.bin: keys are bytes, hash spark-count-min, seed 5; expected those of the first file: bytes, spark-count-min, 0
$ ink dot --from spark-count-min a.bin a.bin
5
$ ink count --from spark-count-min -e ant a.txt
!3 ink: a.txt: byte 12: the file ends in the first 20 bytes
$ ink count --keys-from keys.txt --from spark-count-min a.txt
!2 ink: --from is for sketches, not for data; see ink help count
$ ink count -e ant a.bin
   exactly  key
         0  ant
? 1
$ ink count a.bin keys.txt
!3 ink: a.bin: not an .ink file, but data; to count in data: --keys-from KEYS or -e KEY
