# ink build makes what a plan says.
$ seq 20000 > keys
$ ink build bloom,classic,counting -n 20000 -p 0.004 -o filters.ink keys
$ ink info --json filters.ink | grep -o '"kind":"[^"]*"\|"bytes":[0-9]*\|"bits_per_key":[0-9.]*' > built
$ ink plan bloom,classic,counting -n 20000 -p 0.004 --json | grep -o '"kind":"[^"]*"\|"bytes":[0-9]*\|"bits_per_key":[0-9.]*' > planned
$ sort built > a; sort planned > b; cmp a b && wc -l < a
9
$ ink plan classic -n 1e6 --json | grep -o '"bits":[0-9]*'; awk 'BEGIN { printf "%.0f\n", -1e6 * log(0.01) / log(2) ^ 2 }'
"bits":9585058
9585058
$ ink plan count-min,fm --memory 20K --json | grep -o '"bytes":[0-9]*\|"width":[0-9]*\|"depth":[0-9]*' | paste -s
"bytes":20480	"width":1024	"depth":5	"bytes":20475	"width":2275	"depth":9
$ ink build count-min --width 1024 --depth 5 -o count.ink keys && ink info --json count.ink | grep -o '"bytes":[0-9]*'
"bytes":20480
$ ink build fm --width 2275 --depth 9 -o fm.ink keys && ink info --json fm.ink | grep -o '"bytes":[0-9]*'
"bytes":20475
$ ink plan hll --memory 50000 --json | grep -o '"bytes":[0-9]*\|"precision":[0-9]*' | paste -s
"bytes":49152	"precision":16
$ ink build hll --precision 16 -o hll.ink keys && ink info --json hll.ink | grep -o '"bytes":[0-9]*'
"bytes":49152
$ ink plan top --phi 0.01 --json | grep -o '"bytes":[0-9]*\|"bytes_max":[0-9]*' | paste -s
"bytes":6400	"bytes_max":211200
$ seq 200 | ink build top --phi 0.01 --key-type int -o ints.ink && ink info --json ints.ink | grep -o '"bytes":[0-9]*'
"bytes":6400
$ seq -f %01024.0f 200 | ink build top --phi 0.01 -o long.ink && ink info --json long.ink | grep -o '"bytes":[0-9]*'
"bytes":211200
