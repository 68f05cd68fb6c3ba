# Questions are answered a line each, in order, from the last complete batch: keys, COUNT, TOP, DISTINCT, INFO.
$ printf 'bee\nant\nbee\ncat\n' > keys.txt
$ printf 'bee\ndog\n\n?bee\nCOUNT bee\nCOUNT dog\nTOP 2\nTOP\nDISTINCT\n?TOP\n?\nTOP x\nTOP 0\n' > q.txt
$ ink stream -q --train keys.txt --sketch bloom:n=100 --sketch top --state all --ask q.txt
bee	yes	5.46e-13
dog	no
\\E	no
bee	yes	5.46e-13
bee	2	2	2
dog	0	0	0
TOP	bee	2	2	2	ant	1	1	1
TOP	bee	2	2	2	ant	1	1	1	cat	1	1	1
DISTINCT	3	2	4
TOP	no
\\E	no
ERR TOP x, expected a whole number from 1 to 10000, or ? before a key
ERR TOP 0, expected a whole number from 1 to 10000, or ? before a key
$ echo INFO | ink stream -q --train keys.txt --sketch bloom:n=100 --sketch hll --state info --ask - | tr '\t' '\n'
INFO
batches=1
records=4
bad=0
late=0
cut=0
saved_batches=1
saved_records=4
questions=0
train_connections=0
ask_connections=0
ended=true
seconds=[...]
bloom.keys=100
bloom.bits=1280
bloom.hashes=8
bloom.bytes=160
bloom.bits_per_key=12.8
bloom.target_rate=0.01
bloom.promised_rate=0.01
bloom.current_rate=5.456968210637569e-13
bloom.records=4
bloom.ok=true
hll.bytes=9
hll.records=4
hll.precision=14
hll.standard_error=0.008116888761044447
hll.distinct=3
$ printf 'bee\nCOUNT bee\nTOP\nDISTINCT' | ink stream -q --train keys.txt --sketch count-min --state counts --ask -
bee	2	1	2
bee	2	1	2
ERR TOP, but this stream has count-min, expected top
ERR DISTINCT, but this stream has count-min, expected hll, theta, fm or a filter
$ printf 'bee\nCOUNT bee\nTOP 1\nDISTINCT\n' | ink stream -q --train keys.txt --sketch hll --state different --ask -
ERR a key, but this stream has hll, expected a question such as DISTINCT or INFO
ERR COUNT, but this stream has hll, expected count-min, top or counting
ERR TOP, but this stream has hll, expected top
DISTINCT	3	3	4
$ printf 'bee\nCOUNT bee\nTOP 1\nDISTINCT\n' | ink stream -q --train keys.txt --sketch counting:n=100 --state counting --ask -
bee	yes	5.46e-13
bee	2	0	2
ERR TOP, but this stream has counting, expected top
DISTINCT	3	2	4
$ printf 'a\nb\nINFO\nINFO\n' | ink stream -q --train keys.txt --sketch bloom:n=100 --sketch hll --state info --ask - | tr '\t' '\n' | grep questions
questions=2
questions=3
