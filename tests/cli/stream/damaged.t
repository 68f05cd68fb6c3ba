# A state that is none, or is damaged, is refused by its place, and stays as it is.
$ seq 10 > k.txt; mkdir text cut other flipped
$ echo hello > text/state.ink; ink stream --train k.txt --sketch hll --state text; cat text/state.ink
hello
! ink: text/state.ink: byte 0: not an .ink file, but text
$ ink stream -q --train k.txt --sketch hll --state good; head -c 100 good/state.ink > cut/state.ink; ink stream --train k.txt --sketch hll --state cut
! ink: cut/state.ink: byte 40: the file is cut short: it has 100 bytes, its header declares a directory of 128 and payloads of 32
? 3
$ ink build hll -o other/state.ink k.txt; ink stream --train k.txt --sketch hll --state other
! ink: other/state.ink: it does not say how far a stream was read, expected the state of one
? 3
$ cp good/state.ink flipped/; printf x | dd of=flipped/state.ink bs=1 seek=150 conv=notrunc 2>/dev/null; ink stream --train k.txt --sketch hll --state flipped
! ink: flipped/state.ink: byte 184: the directory's checksum is wrong: the file is damaged
? 3
